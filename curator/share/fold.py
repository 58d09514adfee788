"""Fold the segments of members into the store."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from curator.curation.forgotten_match import MatchCertainty, index_forgotten
from curator.services.import_batch import find_matches
from curator.services.search_session import embed_missing, installed_embedder
from curator.share.members import MemberList
from curator.share.outbox import entry_digest, words_digest
from curator.share.project import Share
from curator.share.received import ReceivedCounts, StatementApplier
from curator.share.segment_content import SegmentContent
from curator.share.segments import SignedSegment
from curator.share.verdicts import apply_verdicts, in_words
from store import Store, Writer
from store.model import Actor
from store.progress import Report, no_report
from store.record.shares import MemberChain, SentItem


@dataclass(frozen=True, slots=True)
class ReadSegment:
    """A segment and the chain up to it; `content` is None for the person's own segments."""

    chain: MemberChain
    signed: SignedSegment
    content: SegmentContent | None


def fold(
    store: Store,
    share: Share,
    members: MemberList,
    segments: Sequence[ReadSegment] = (),
    report: Report = no_report,
    *,
    manual: bool = False,
    strict: bool = False,
) -> ReceivedCounts:
    """Fold segments into the store as one command, then release or hold memories by the known verdicts.

    Verdicts are applied even without segments: trust and the right to validate may have changed. With `strict`, hold
    also memories that an undo brought back. Other commands can write between two segments.
    """
    counts, own = ReceivedCounts(), share.tag(store.shares.device())
    if segments:
        matches = forgotten_matches(store, segments)
        with store.command("share", Actor.SWEEP, manual=manual) as writer:
            store.shares.follow_merges(writer.connection, share.id)
            applier = StatementApplier(store, share, members.names, writer, matches, counts)
            for number, one in enumerate(segments, 1):
                if one.content is None:
                    record_own_segment(store, share, writer, one.signed.content, here=one.chain.tag == own)
                else:
                    applier.apply_segment(one.content, one.signed.member)
                store.shares.put_chain(writer.connection, share.id, one.chain)
                writer.pause()
                report("read", number, len(segments))
                writer.resume()
            writer.summarise(counts.in_words())
    with store.command("share", Actor.SWEEP) as writer:  # apart: an undo of the first must not release what is held
        store.shares.follow_merges(writer.connection, share.id)
        decided = apply_verdicts(store, share, members, writer, strict=strict)
        writer.summarise(in_words(decided))
    return replace(counts, released=decided.released, held=decided.held)


def forgotten_matches(store: Store, segments: Sequence[ReadSegment]) -> Mapping[str, tuple[int, MatchCertainty]]:
    """Return the forgotten memory that each text of the segments matches."""
    contents = [one.content for one in segments if one.content is not None]
    texts = sorted({statement.text for content in contents for statement in content.statements})
    index_forgotten(store)
    if not texts or not store.tombstones.any():
        return {}
    embedder = installed_embedder()
    embed_missing(store, embedder)
    return {texts[index]: match for index, match in find_matches(store, texts, embedder).items()}


def record_own_segment(store: Store, share: Share, writer: Writer, content: dict[str, Any], *, here: bool) -> None:
    """Record what the person's own segment says; `here` if this device wrote it, but was interrupted."""
    known = store.shares.sent(share.id)
    items = [
        SentItem(str(entry["id"]), False, entry_digest(share, entry), int(entry["written"]), here)
        for entry in content["statements"]
    ]
    items += [SentItem(str(item), False, "", int(at), here) for item, at in content["withdrawn"]]
    items += [
        SentItem(str(item), True, f"{verdict} {digest}" if verdict else "", int(at), here)
        for item, digest, verdict, at in content["votes"]
    ]
    for one in items:
        key = (one.item, one.vote)
        former = known.get(key, SentItem(one.item, one.vote, "", -1))
        newest = one if former.written < one.written else former
        present = words_digest(one.digest) if here and not one.vote else former.words_digest
        known[key] = replace(newest, words_digest=present)
    store.shares.put_sent(writer.connection, share.id, known.values())

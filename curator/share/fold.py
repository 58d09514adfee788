"""Segments of all members, folded into the store."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from curator.curation.forgotten_match import MatchCertainty, index_forgotten
from curator.services.import_batch import find_matches
from curator.services.search_session import embed_missing, installed_embedder
from curator.share.heard import Heard
from curator.share.members import Members
from curator.share.outbox import entry_digest, words_in
from curator.share.project import Share
from curator.share.received import Counts, Receiving
from curator.share.segments import Signed
from curator.share.verdicts import decide, in_words
from store import Store, Writer
from store.model import Actor
from store.record.shares import MemberChain, Sent


@dataclass(frozen=True, slots=True)
class Read:
    """A segment, and the chain with it; `heard` is None for those of the person here."""

    chain: MemberChain
    signed: Signed
    heard: Heard | None


def ignore(stage: str, done: int, total: int) -> None:
    """Report nothing."""


def fold(
    store: Store,
    share: Share,
    members: Members,
    segments: Sequence[Read] = (),
    report: Callable[[str, int, int], None] = ignore,
    *,
    manual: bool = False,
    strict: bool = False,
) -> Counts:
    """Fold segments into the store as one command, then release or hold memories by the verdicts that are known.

    Also without segments: whom the person trusts, and who may validate, may have changed. With `strict`, what came back
    by an undo is held, too. Others can write between two segments.
    """
    counts, own = Counts(), share.tag(store.shares.device())
    if segments:
        matches = matches_of(store, segments)
        with store.command("share", Actor.SWEEP, manual=manual) as writer:
            store.shares.follow(writer.connection, share.id)
            receiving = Receiving(store, share, members.names, writer, matches, counts)
            for number, one in enumerate(segments, 1):
                if one.heard is None:
                    note_own(store, share, writer, one.signed.content, here=one.chain.tag == own)
                else:
                    receiving.segment(one.heard, one.signed.member)
                store.shares.put_chain(writer.connection, share.id, one.chain)
                writer.pause()
                report("read", number, len(segments))
                writer.resume()
            writer.summarise(counts.in_words())
    with store.command("share", Actor.SWEEP) as writer:  # of its own: plain undo is not to release what is held back
        store.shares.follow(writer.connection, share.id)
        decided = decide(store, share, members, writer, strict=strict)
        writer.summarise(in_words(decided))
    return replace(counts, released=decided.released, held=decided.held)


def matches_of(store: Store, segments: Sequence[Read]) -> Mapping[str, tuple[int, MatchCertainty]]:
    """Return the forgotten memory that each text matches."""
    texts = sorted({said.text for one in segments if one.heard is not None for said in one.heard.statements})
    index_forgotten(store)
    if not texts or not store.tombstones.any():
        return {}
    embedder = installed_embedder()
    embed_missing(store, embedder)
    return {texts[place]: match for place, match in find_matches(store, texts, embedder).items()}


def note_own(store: Store, share: Share, writer: Writer, content: dict[str, Any], *, here: bool) -> None:
    """Note what the person here has said; `here` if it was on this device, which was interrupted then."""
    known = store.shares.sent(share.id)
    told = [
        Sent(str(entry["id"]), False, entry_digest(share, entry), int(entry["written"]), here)
        for entry in content["statements"]
    ]
    told += [Sent(str(item), False, "", int(at), here) for item, at in content["withdrawn"]]
    told += [
        Sent(str(item), True, f"{verdict} {digest}" if verdict else "", int(at), here)
        for item, digest, verdict, at in content["votes"]
    ]
    for one in told:
        key = (one.item, one.vote)
        former = known.get(key, Sent(one.item, one.vote, "", -1))
        newest = one if former.written < one.written else former
        known[key] = replace(newest, here=words_in(one.digest) if here and not one.vote else former.here)
    store.shares.put_sent(writer.connection, share.id, known.values())

"""Compute the outgoing statements and verdicts: the person's own memories of the project, and votes on others'."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NotRequired, TypedDict

import orjson

from curator.curation.disclosure import Disclosure
from curator.curation.names import without_secrets
from curator.secrets import is_only_secret
from curator.share.project import Share
from store import Filter, NotFound, Store, clock
from store.model import Given, Life, Memory, Origin, Review
from store.model.memories import has_expired
from store.record.shares import REJECTED, VALIDATED, MemberStatement, SentItem

Quote = tuple[str, int | None]
"""The words of a quote, and when they were said."""


class Entry(TypedDict):
    """A statement as a JSON object; one of another member is checked by `segment_content`."""

    id: str
    text: str
    kind: str
    tags: list[str]
    until: int | None
    said_at: int | None
    validated: bool
    written: int
    quotes: NotRequired[list[Quote]]


_QUOTE = 2_000  # most characters of a quote
_QUOTES = 5  # most quotes of a memory


@dataclass(frozen=True, slots=True)
class Outgoing:
    """Items to write, and the state of the `sent` items after that.

    `changes` counts the new ones. With `whole`, the items are everything this device shares, for a new generation.
    """

    changes: int
    statements: list[Entry]
    withdrawn: list[tuple[str, int]]
    votes: list[tuple[str, str, str, int]]
    sent: list[SentItem]
    whole: bool

    def __bool__(self) -> bool:
        """Return True if there is something to write."""
        return bool(self.changes or self.whole)


def shareable_memories(store: Store, project: str, unreviewed: bool) -> list[Memory]:
    """Return the memories of a project to share: the person's own, live, decided, and not kept from models.

    Only memories scoped to that project: those that were said there but hold everywhere stay private.
    """
    now = clock.now()
    ids = store.list_ids(Filter(scopes=(f"project:{project}",), lives=(Life.LIVE,)))
    return [
        memory
        for memory in store.get_many(ids)
        if memory.origin is not Origin.SHARED
        and memory.review is not Review.REJECTED
        and not memory.quarantined
        and memory.given is not Given.NEVER
        and (unreviewed or memory.review is Review.VALIDATED or memory.origin is Origin.PERSON)
        and not has_expired(memory, now)
        and not is_only_secret(memory.text)
    ]


def shared_entries(store: Store, share: Share) -> dict[str, Entry]:
    """Return the statements to share, by the global ids of their memories."""
    memories = shareable_memories(store, share.project, share.unreviewed)
    clocks = store.shares.clocks([memory.id for memory in memories])
    may_leave = Disclosure(store)
    return {memory.uid: make_entry(store, share, memory, clocks[memory.id], may_leave) for memory in memories}


def make_entry(store: Store, share: Share, memory: Memory, written: int, may_leave: Disclosure) -> Entry:
    entry: Entry = {
        "id": memory.uid,
        "text": without_secrets(memory.text),
        "kind": memory.kind.value,
        "tags": sorted(without_secrets(tag) for tag in memory.tags if may_leave.words(tag) is not None),
        "until": memory.expires_at,
        "said_at": memory.created_at,
        "validated": memory.review is Review.VALIDATED,
        "written": written,
    }
    if share.quotes:
        own = [one for one in store.evidence(memory.id) if one.source != "shared"]
        quotes = [one for one in own if may_leave.words(one.quote) is not None][:_QUOTES]
        entry["quotes"] = [(without_secrets(one.quote)[:_QUOTE], one.said_at) for one in quotes]
    return entry


def statement_digest(share: Share, entry: Entry) -> str:
    """Return the digest of a statement's text, kind, tags, end and quotes, to which a verdict refers."""
    said: list[object] = [entry.get("text"), entry.get("kind"), entry.get("tags"), entry.get("until")]
    said += [quotes] if (quotes := entry.get("quotes")) else []
    return share.hashed(orjson.dumps(said).decode(), b"curator-said")


def text_digest(share: Share, text: str) -> str:
    """Return the digest of a memory's text, to detect that the person has changed it."""
    return share.hashed(text, b"curator-text")


def entry_digest(share: Share, entry: Entry) -> str:
    """Return two digests, separated by a space: of a whole statement, to detect changes, and of its words."""
    said = orjson.dumps(
        {name: value for name, value in entry.items() if name != "written"}, option=orjson.OPT_SORT_KEYS
    )
    words = orjson.dumps([entry["text"], entry["tags"], entry.get("quotes")])
    return " ".join(share.hashed(part.decode(), b"curator-entry") for part in (said, words))


def words_digest(digest: str) -> str:
    """Return the second part of an `entry_digest`: that of the words; empty for a withdrawn statement."""
    return digest.partition(" ")[2]


def compute_outgoing(store: Store, share: Share, *, whole: bool, leaving: bool) -> Outgoing:
    """Return the items to write; all of them if `whole`, since the segments in the target are lost or damaged.

    When `leaving`, withdraw everything shared on this device, verdicts too. A write of this person on another device
    stays unless the one on this device is newer.
    """
    wanted, sent = {} if leaving else shared_entries(store, share), store.shares.sent(share.id)
    digests = {uid: entry_digest(share, entry) for uid, entry in wanted.items()}
    fresh: dict[tuple[str, bool], SentItem] = {}
    for uid, entry in wanted.items():
        former = sent.get((uid, False))
        if former is None:
            fresh[uid, False] = SentItem(uid, False, digests[uid], entry["written"])
        elif former.digest != digests[uid] and is_newer(share, former, entry):
            at = max(_last_written(share, former, entry), former.written + 1)
            fresh[uid, False] = replace(former, digest=digests[uid], written=at, mine=True)
    for (item, vote), former in sent.items():
        if not vote and former.digest and item not in wanted and (gone := withdrawn_at(store, former)) is not None:
            fresh[item, False] = replace(former, digest="", written=gone, mine=True)
    votes = retracted_votes(sent) if leaving else new_votes(store, share, sent)
    fresh |= {(one.item, True): one for one in votes}
    known = sent | fresh
    whole = whole or any(one.words_digest not in ("", words_digest(one.digest)) for one in known.values())
    selected = known if whole else fresh
    current = {
        key for key, one in selected.items() if not one.vote and one.digest and digests.get(one.item) == one.digest
    }
    return Outgoing(
        len(fresh),
        [wanted[selected[key].item] | {"written": selected[key].written} for key in selected if key in current],
        [(one.item, one.written) for one in selected.values() if not one.vote and not one.digest],
        [(one.item, *parse_verdict(one), one.written) for one in selected.values() if one.vote],
        [
            replace(one, words_digest=words_digest(one.digest) if key in current else "" if whole else one.words_digest)
            for key, one in selected.items()
        ],
        whole,
    )


def is_newer(share: Share, former: SentItem, entry: Entry) -> bool:
    """Return True if this device's version is newer than the one last sent."""
    return (former.mine and bool(former.digest)) or _last_written(share, former, entry) > former.written


def _last_written(share: Share, former: SentItem, entry: Entry) -> int:
    """Return the clock of a statement; joining counts as writing what was withdrawn before."""
    written = int(entry["written"])
    return written if former.digest else max(written, share.joined)


def withdrawn_at(store: Store, sent: SentItem) -> int | None:
    """Return the clock of a withdrawal; None if another device sent the item and decided later, or it is unknown here.

    Another device may have shared a memory that this one has not read yet.
    """
    try:
        memory = store.by_uid(sent.item)
    except NotFound:
        return sent.written + 1 if sent.mine else None
    at = store.shares.clocks([memory]).get(memory, 0)
    if sent.mine:
        return max(at, sent.written + 1)
    return at if at > sent.written else None


def new_votes(store: Store, share: Share, sent: dict[tuple[str, bool], SentItem]) -> Iterable[SentItem]:
    """Yield new and changed verdicts."""
    found = store.shares.statements(share.id).values()
    statements = [one for one in found if one.memory is not None and one.member != share.member]
    ids = [one.memory for one in statements if one.memory is not None]
    memories = {memory.id: memory for memory in store.get_many(ids)}
    clocks = store.shares.clocks(ids)
    for one in statements:
        memory = memories.get(one.memory or 0)
        unchanged = memory is not None and text_digest(share, memory.text) == one.text_digest
        verdict = verdict_of(memory) if memory is not None and unchanged else ""
        digest = f"{verdict} {one.digest}" if verdict else ""
        former = sent.get((one.id, True))
        at = clocks.get(one.memory or 0, 0)
        if former is None:
            if digest:
                yield SentItem(one.id, True, digest, at)
        elif digest != former.digest and (former.mine or at > former.written):
            yield SentItem(one.id, True, digest, max(at, former.written + 1))


def retracted_votes(sent: dict[tuple[str, bool], SentItem]) -> Iterable[SentItem]:
    """Yield a retraction for each verdict given on this device."""
    for one in sent.values():
        if one.vote and one.mine and one.digest:
            yield replace(one, digest="", written=one.written + 1)


def verdict_of(memory: Memory) -> str:
    """Return the person's verdict on a memory, to share with others; empty without one."""
    if memory.review is Review.REJECTED:
        return REJECTED
    return VALIDATED if memory.review is Review.VALIDATED and memory.life is Life.LIVE else ""


def parse_verdict(vote: SentItem) -> tuple[str, str]:
    verdict, _, digest = vote.digest.partition(" ")
    return digest, verdict


def count_global_memories(store: Store, project: str) -> int:
    """Return the number of live memories that were said in a project but hold everywhere."""
    return store.count(Filter(projects=(project,), scopes=("global",), lives=(Life.LIVE,)))


def undecided_memories(store: Store, statements: Iterable[MemberStatement]) -> list[int]:
    """Return the received memories that wait for the person's review, and are kept from models until then."""
    return [
        memory.id
        for memory in _memories(store, statements)
        if memory.origin is Origin.SHARED and memory.life is Life.LIVE and memory.quarantined
    ]


def kept_though_withdrawn(store: Store, statements: Iterable[MemberStatement]) -> list[int]:
    """Return the live received memories that their author has withdrawn, but the person had decided to keep."""
    withdrawn = [one for one in statements if one.withdrawn]
    return [one.id for one in _memories(store, withdrawn) if one.life is Life.LIVE and one.origin is Origin.SHARED]


def _memories(store: Store, statements: Iterable[MemberStatement]) -> list[Memory]:
    return store.get_many(sorted({one.memory for one in statements if one.memory is not None}))

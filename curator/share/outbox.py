"""Statements and verdicts for the other members: the person's own memories of the project, and votes on theirs."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import orjson

from curator.curation.disclosure import Disclosure
from curator.curation.names import without_secrets
from curator.secrets import is_only_secret
from curator.share.project import Share
from store import Filter, NotFound, Store, clock
from store.model import Given, Life, Memory, Origin, Review
from store.model.memories import has_expired
from store.record.shares import REJECTED, VALIDATED, Sent, Statement

Entry = dict[str, Any]
"""A statement, as JSON."""
_QUOTE = 2_000  # characters of a quote that is shared
_QUOTES = 5  # of a memory


@dataclass(frozen=True, slots=True)
class Outgoing:
    """Content of segments to be written, and what is known to be sent after that.

    `changes` counts what is new of it. With `whole`, it is all that this device says, as a new generation.
    """

    changes: int
    statements: list[Entry]
    withdrawn: list[tuple[str, int]]
    votes: list[tuple[str, str, str, int]]
    sent: list[Sent]
    whole: bool

    def __bool__(self) -> bool:
        """Return True if there is something to write."""
        return bool(self.changes or self.whole)


def chosen(store: Store, project: str, unreviewed: bool) -> list[Memory]:
    """Return the memories that are shared of a project: the person's own, live, decided, and not kept from models.

    Only those that hold in that project alone. What was said there but holds everywhere is the person's own matter.
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


def entries(store: Store, share: Share) -> dict[str, Entry]:
    """Return the statements that are shared, by the global ids of their memories."""
    memories = chosen(store, share.project, share.unreviewed)
    clocks = store.shares.clocks([memory.id for memory in memories])
    may_leave = Disclosure(store)
    return {memory.uid: entry_of(store, share, memory, clocks[memory.id], may_leave) for memory in memories}


def entry_of(store: Store, share: Share, memory: Memory, written: int, may_leave: Disclosure) -> Entry:
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
        entry["quotes"] = [[without_secrets(one.quote)[:_QUOTE], one.said_at] for one in quotes]
    return entry


def said_digest(share: Share, entry: Entry) -> str:
    """Return the digest of what a statement says and quotes, which a verdict is about."""
    said = [entry.get(name) for name in ("text", "kind", "tags", "until")]
    said += [quotes] if (quotes := entry.get("quotes")) else []
    return share.hashed(orjson.dumps(said).decode(), b"curator-said")


def text_digest(share: Share, text: str) -> str:
    """Return the digest of a memory's text, by which it is known whether the person has changed it."""
    return share.hashed(text, b"curator-text")


def entry_digest(share: Share, entry: Entry) -> str:
    """Return the digest of a statement with all beside it, by which a change is known, and that of its words."""
    said = orjson.dumps(
        {name: value for name, value in entry.items() if name != "written"}, option=orjson.OPT_SORT_KEYS
    )
    words = orjson.dumps([entry["text"], entry["tags"], entry.get("quotes")])
    return " ".join(share.hashed(part.decode(), b"curator-entry") for part in (said, words))


def words_in(digest: str) -> str:
    """Return the digest of the words in that of a statement; empty for a withdrawn one."""
    return digest.partition(" ")[2]


def compare(store: Store, share: Share, *, whole: bool = False, leaving: bool = False) -> Outgoing:
    """Return what is to be written. `whole` if what this device has in the target is lost or damaged.

    When `leaving`, all that was said here is withdrawn, verdicts too.

    A write of this person on another device stays unless the one here is later.
    """
    wanted, sent = {} if leaving else entries(store, share), store.shares.sent(share.id)
    digests = {uid: entry_digest(share, entry) for uid, entry in wanted.items()}
    fresh: dict[tuple[str, bool], Sent] = {}
    for uid, entry in wanted.items():
        former = sent.get((uid, False))
        if former is None:
            fresh[uid, False] = Sent(uid, False, digests[uid], entry["written"])
        elif former.digest != digests[uid] and holds_over(share, former, entry):
            at = max(_last_written(share, former, entry), former.written + 1)
            fresh[uid, False] = replace(former, digest=digests[uid], written=at, mine=True)
    for (item, vote), former in sent.items():
        if not vote and former.digest and item not in wanted and (gone := withdrawn_at(store, former)) is not None:
            fresh[item, False] = replace(former, digest="", written=gone, mine=True)
    votes = taken_back(sent) if leaving else new_votes(store, share, sent)
    fresh |= {(one.item, True): one for one in votes}
    known = sent | fresh
    whole = whole or any(one.here not in ("", words_in(one.digest)) for one in known.values())
    told = known if whole else fresh
    holds = {key for key, one in told.items() if not one.vote and one.digest and digests.get(one.item) == one.digest}
    return Outgoing(
        len(fresh),
        [wanted[told[key].item] | {"written": told[key].written} for key in told if key in holds],
        [(one.item, one.written) for one in told.values() if not one.vote and not one.digest],
        [(one.item, *verdict_in(one), one.written) for one in told.values() if one.vote],
        [
            replace(one, here=words_in(one.digest) if key in holds else "" if whole else one.here)
            for key, one in told.items()
        ],
        whole,
    )


def holds_over(share: Share, former: Sent, entry: Entry) -> bool:
    """Return True if a statement of this device holds over what was sent last."""
    return (former.mine and bool(former.digest)) or _last_written(share, former, entry) > former.written


def _last_written(share: Share, former: Sent, entry: Entry) -> int:
    """Return the clock of a statement; what was withdrawn before this device joined is said anew by joining."""
    written = int(entry["written"])
    return written if former.digest else max(written, share.joined)


def withdrawn_at(store: Store, sent: Sent) -> int | None:
    """Return the clock of a withdrawal; None if what was sent from elsewhere was decided there later, or is not known.

    Another device may have shared what this one has not read yet.
    """
    try:
        memory = store.by_uid(sent.item)
    except NotFound:
        return sent.written + 1 if sent.mine else None
    at = store.shares.clocks([memory]).get(memory, 0)
    if sent.mine:
        return max(at, sent.written + 1)
    return at if at > sent.written else None


def new_votes(store: Store, share: Share, sent: dict[tuple[str, bool], Sent]) -> Iterable[Sent]:
    """Yield the verdicts that are new."""
    found = store.shares.statements(share.id).values()
    statements = [one for one in found if one.memory is not None and one.member != share.member]
    ids = [one.memory for one in statements if one.memory is not None]
    memories = {memory.id: memory for memory in store.get_many(ids)}
    clocks = store.shares.clocks(ids)
    for one in statements:
        memory = memories.get(one.memory or 0)
        unchanged = memory is not None and text_digest(share, memory.text) == one.said
        verdict = verdict_of(memory) if memory is not None and unchanged else ""
        told = f"{verdict} {one.digest}" if verdict else ""
        former = sent.get((one.id, True))
        at = clocks.get(one.memory or 0, 0)
        if former is None:
            if told:
                yield Sent(one.id, True, told, at)
        elif told != former.digest and (former.mine or at > former.written):
            yield Sent(one.id, True, told, max(at, former.written + 1))


def taken_back(sent: dict[tuple[str, bool], Sent]) -> Iterable[Sent]:
    """Yield the verdicts that were given here, taken back."""
    for one in sent.values():
        if one.vote and one.mine and one.digest:
            yield replace(one, digest="", written=one.written + 1)


def verdict_of(memory: Memory) -> str:
    """Return what the person said of a memory, for others to know; empty if nothing."""
    if memory.review is Review.REJECTED:
        return REJECTED
    return VALIDATED if memory.review is Review.VALIDATED and memory.life is Life.LIVE else ""


def verdict_in(vote: Sent) -> tuple[str, str]:
    verdict, _, digest = vote.digest.partition(" ")
    return digest, verdict


def said_elsewhere(store: Store, project: str) -> int:
    """Return how many live memories were said in a project but hold everywhere."""
    return store.count(Filter(projects=(project,), scopes=("global",), lives=(Life.LIVE,)))


def waiting(store: Store, statements: Iterable[Statement]) -> list[int]:
    """Return the received memories that the person has not decided on, and that no model gets before."""
    return [
        memory.id
        for memory in _memories(store, statements)
        if memory.origin is Origin.SHARED and memory.life is Life.LIVE and memory.quarantined
    ]


def kept_though_withdrawn(store: Store, statements: Iterable[Statement]) -> list[int]:
    """Return the live received memories that who said them has withdrawn: the person had decided to keep them."""
    gone = [one for one in statements if one.withdrawn]
    return [one.id for one in _memories(store, gone) if one.life is Life.LIVE and one.origin is Origin.SHARED]


def _memories(store: Store, statements: Iterable[Statement]) -> list[Memory]:
    return store.get_many(sorted({one.memory for one in statements if one.memory is not None}))

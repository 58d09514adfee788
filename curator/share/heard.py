"""Segments of other members, checked before anything is done with them: members may be hostile."""

from dataclasses import dataclass
from typing import Any

from curator.curation.create import checked
from curator.errors import Refused
from curator.secrets import redact
from curator.share.bounds import ITEMS
from curator.share.outbox import Entry, said_digest
from curator.share.project import Share
from curator.share.segments import Signed
from curator.sync.segments import Broken
from store.model import Kind
from store.record.shares import REJECTED, VALIDATED, Vote
from store.sanitize import replace_invisible, storable

_QUOTE, _TAG = 2_000, 60  # characters
_QUOTES, _TAGS = 5, 20  # of a statement
_HASH = 64  # characters
_LARGEST = 1 << 62


@dataclass(frozen=True, slots=True)
class Said:
    """A statement as it may be stored. `id` is its own in the space."""

    id: str
    member: str
    digest: str
    text: str
    kind: Kind
    tags: tuple[str, ...]
    until: int | None
    said_at: int | None
    validated: bool
    written: int
    quotes: tuple[tuple[str, int | None], ...]


@dataclass(frozen=True, slots=True)
class Heard:
    """The content of a segment. `refused` statements cannot be memories: they are too long, or have no words."""

    statements: tuple[Said, ...]
    withdrawn: tuple[tuple[str, int], ...]
    votes: tuple[Vote, ...]
    refused: int

    @property
    def items(self) -> int:
        """The number of what is said."""
        return len(self.statements) + len(self.withdrawn) + len(self.votes) + self.refused


def statement_id(share: Share, member: str, item: str) -> str:
    """Return the id of a member's statement."""
    return share.hashed(f"{member} {item}", b"curator-stmt")


def hear(share: Share, signed: Signed) -> Heard:
    """Return what a segment says. Raises Broken if it has another form."""
    content, member = signed.content, signed.member
    try:
        said = [said_in(share, member, entry) for entry in content["statements"][: ITEMS + 1]]
        withdrawn = [(statement_id(share, member, str(item)), _clock(at)) for item, at in content["withdrawn"]]
        if len(said) + len(withdrawn) + len(content["votes"]) > ITEMS:
            raise Broken(f"has more than {ITEMS:,} items")
        votes = [
            Vote(_hash(statement), member, _hash(digest), str(verdict), _clock(at))
            for statement, digest, verdict, at in content["votes"]
        ]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise Broken("is no segment of this version") from error
    known = [vote for vote in votes if vote.verdict in (VALIDATED, REJECTED, "")]
    statements = [one for one in said if one is not None]
    return Heard(tuple(statements), tuple(withdrawn), tuple(known), len(said) - len(statements))


def said_in(share: Share, member: str, entry: Entry) -> Said | None:
    """Return a statement; None if it cannot be a memory. Raises KeyError, TypeError, ValueError for another form."""
    if not isinstance(entry["text"], str):
        raise TypeError("no text")
    try:
        text = checked(replace_invisible(str(entry["text"])))
        kind = Kind(entry["kind"])
    except (Refused, ValueError):
        return None
    tags = (_plain(str(tag), _TAG).casefold().replace(" ", "-") for tag in entry["tags"][:_TAGS])
    return Said(
        statement_id(share, member, str(entry["id"])),
        member,
        said_digest(share, entry),
        text,
        kind,
        tuple(dict.fromkeys(filter(None, tags))),
        _moment(entry["until"]),
        _moment(entry["said_at"]),
        entry["validated"] is True,
        _clock(entry["written"]),
        tuple((_plain(str(quote), _QUOTE), _moment(at)) for quote, at in entry.get("quotes", [])[:_QUOTES]),
    )


def _plain(text: str, most: int) -> str:
    return redact(" ".join(replace_invisible(storable(text[: 4 * most])).split())).text[:most]


def _moment(at: Any) -> int | None:
    """Return a moment that a store can hold. Raises ValueError."""
    if at is not None and (not isinstance(at, int) or isinstance(at, bool) or abs(at) >= _LARGEST):
        raise ValueError("no moment")
    return at


def _hash(text: Any) -> str:
    """Return a hash, or nothing. Raises ValueError."""
    if not isinstance(text, str) or len(text) > _HASH:
        raise ValueError("no hash")
    return text


def _clock(at: Any) -> int:
    """Return a clock that a store can hold. Raises ValueError."""
    moment = _moment(at)
    if moment is None or moment < 0:
        raise ValueError("no clock")
    return moment

"""Parse and validate segments of other members, which may be hostile."""

from dataclasses import dataclass

from curator.curation.create import checked
from curator.errors import Refused
from curator.secrets import redact
from curator.share.bounds import ITEMS
from curator.share.outbox import Entry, statement_digest
from curator.share.project import Share
from curator.share.segments import SignedSegment
from curator.sync.segments import BrokenSegment
from store.model import Kind
from store.record.shares import REJECTED, VALIDATED, Vote
from store.sanitize import replace_invisible, storable

_QUOTE, _TAG = 2_000, 60  # characters
_QUOTES, _TAGS = 5, 20  # of a statement
_HASH = 64  # characters
_LARGEST = 1 << 62


@dataclass(frozen=True, slots=True)
class IncomingStatement:
    """A validated statement of another member. `id` is unique in the space."""

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
class SegmentContent:
    """The parsed content of a segment; `refused` counts statements that are too long or have no words."""

    statements: tuple[IncomingStatement, ...]
    withdrawn: tuple[tuple[str, int], ...]
    votes: tuple[Vote, ...]
    refused: int

    @property
    def items(self) -> int:
        """The number of statements, withdrawals and votes, refused ones included."""
        return len(self.statements) + len(self.withdrawn) + len(self.votes) + self.refused


def statement_id(share: Share, member: str, item: str) -> str:
    """Return the id of a member's statement in the space."""
    return share.hashed(f"{member} {item}", b"curator-stmt")


def parse_segment(share: Share, signed: SignedSegment) -> SegmentContent:
    """Parse a segment. Raises BrokenSegment for another form."""
    content, member = signed.content, signed.member
    try:
        parsed = [parse_statement(share, member, entry) for entry in content["statements"][: ITEMS + 1]]
        withdrawn = [(statement_id(share, member, str(item)), _checked_clock(at)) for item, at in content["withdrawn"]]
        if len(parsed) + len(withdrawn) + len(content["votes"]) > ITEMS:
            raise BrokenSegment(f"has more than {ITEMS:,} items")
        votes = [
            Vote(_checked_hash(statement), member, _checked_hash(digest), str(verdict), _checked_clock(at))
            for statement, digest, verdict, at in content["votes"]
        ]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BrokenSegment("is not a segment of this version") from error
    known = [vote for vote in votes if vote.verdict in (VALIDATED, REJECTED, "")]
    statements = [one for one in parsed if one is not None]
    return SegmentContent(tuple(statements), tuple(withdrawn), tuple(known), len(parsed) - len(statements))


def parse_statement(share: Share, member: str, entry: Entry) -> IncomingStatement | None:
    """Parse a statement; None if it cannot be a memory. Raises KeyError, TypeError, ValueError for another form."""
    if not isinstance(entry["text"], str):
        raise TypeError("no text")
    try:
        text = checked(replace_invisible(str(entry["text"])))
        kind = Kind(entry["kind"])
    except (Refused, ValueError):
        return None
    tags = (_plain(str(tag), _TAG).casefold().replace(" ", "-") for tag in entry["tags"][:_TAGS])
    return IncomingStatement(
        statement_id(share, member, str(entry["id"])),
        member,
        statement_digest(share, entry),
        text,
        kind,
        tuple(dict.fromkeys(filter(None, tags))),
        _checked_time(entry["until"]),
        _checked_time(entry["said_at"]),
        entry["validated"] is True,
        _checked_clock(entry["written"]),
        tuple((_plain(str(quote), _QUOTE), _checked_time(at)) for quote, at in entry.get("quotes", [])[:_QUOTES]),
    )


def _plain(text: str, most: int) -> str:
    return redact(" ".join(replace_invisible(storable(text[: 4 * most])).split())).text[:most]


def _checked_time(at: object) -> int | None:
    """Validate a time that a store can hold. Raises ValueError."""
    if at is not None and (not isinstance(at, int) or isinstance(at, bool) or abs(at) >= _LARGEST):
        raise ValueError("no moment")
    return at


def _checked_hash(text: object) -> str:
    """Validate a hash, which may be empty. Raises ValueError."""
    if not isinstance(text, str) or len(text) > _HASH:
        raise ValueError("no hash")
    return text


def _checked_clock(at: object) -> int:
    """Validate a clock that a store can hold. Raises ValueError."""
    moment = _checked_time(at)
    if moment is None or moment < 0:
        raise ValueError("no clock")
    return moment

"""Repository of shared projects: members, read and written segments, statements and votes."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass

from store.record import device
from store.record.repository import Repository, grouped, json_list

VALIDATED, REJECTED = "validated", "rejected"
"""Verdicts of members."""
_TABLES = ("members", "chains", "statements", "votes", "sent")


@dataclass(frozen=True, slots=True)
class KnownMember:
    """A current or removed member of a shared project."""

    key: str
    name: str
    validates: bool
    former: bool


@dataclass(frozen=True, slots=True)
class MemberChain:
    """Progress in the segments of one device of a member; `digest` is the hash of the last one read or written."""

    tag: str
    member: str
    generation: int = 0
    number: int = 0
    digest: str = ""
    epoch: int = 0
    whole: bool = True


@dataclass(frozen=True, slots=True)
class MemberStatement:
    """A statement of a member. `memory` is its memory in this store, `text_digest` the hash of its text on arrival."""

    id: str
    member: str
    digest: str
    written: int
    memory: int | None = None
    text_digest: str | None = None
    withdrawn: bool = False
    released: bool = False


@dataclass(frozen=True, slots=True)
class Vote:
    """A member's verdict on the statement with a digest; the verdict is empty if it was retracted."""

    statement: str
    member: str
    digest: str
    verdict: str
    written: int


@dataclass(frozen=True, slots=True)
class SentItem:
    """The last sent state of an item: the digest of a memory, or with `vote` a verdict; empty if withdrawn.

    `mine` is True if this device sent it; `words_digest` is the hash of its words in this device's current generation.
    """

    item: str
    vote: bool
    digest: str
    written: int
    mine: bool = True
    words_digest: str = ""


@dataclass(frozen=True, slots=True)
class MemberAttribution:
    """Names of the members who said, validated, rejected and withdrew a memory."""

    by: tuple[str, ...]
    validated: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
    withdrawn: tuple[str, ...] = ()


class Shares(Repository):
    """Members, segments, statements and votes of shared projects (`Store.shares`).

    Writes join the command or transaction of the given connection.
    """

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Run a write transaction outside any command."""
        with self._writing() as connection:
            yield connection

    def device(self) -> str:
        """Return the id of this device."""
        with self._writing() as connection:
            return device.current_uid(connection)

    def chains(self, space: str) -> dict[str, MemberChain]:
        """Return the chains by tag."""
        rows = self._rows(
            "SELECT tag, member, generation, number, digest, epoch, whole FROM share_chains WHERE space = ?", space
        )
        return {row["tag"]: MemberChain(*row) for row in rows}

    @staticmethod
    def put_chain(connection: sqlite3.Connection, space: str, chain: MemberChain) -> None:
        """Store the progress in a chain."""
        connection.execute(
            "INSERT OR REPLACE INTO share_chains VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (space, *astuple(chain))
        )

    def statements(self, space: str) -> dict[str, MemberStatement]:
        """Return the statements by id."""
        rows = self._rows(
            "SELECT statement, member, digest, written, memory, said, withdrawn, released FROM share_statements"
            " WHERE space = ?",
            space,
        )
        return {row["statement"]: MemberStatement(*row) for row in rows}

    @staticmethod
    def put_statement(connection: sqlite3.Connection, space: str, statement: MemberStatement) -> None:
        """Save a statement."""
        connection.execute(
            "INSERT OR REPLACE INTO share_statements VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", (space, *astuple(statement))
        )

    def votes(self, space: str) -> dict[str, list[Vote]]:
        """Return the votes by statement."""
        rows = self._rows("SELECT statement, member, digest, verdict, written FROM share_votes WHERE space = ?", space)
        return grouped((row["statement"], Vote(*row)) for row in rows)

    def item_counts(self, space: str) -> dict[str, int]:
        """Return the number of stored statements and votes of each member."""
        return dict(
            self._pairs(
                "SELECT member, count(*) FROM (SELECT member FROM share_statements WHERE space = ?1"
                " UNION ALL SELECT member FROM share_votes WHERE space = ?1) GROUP BY member",
                space,
            )
        )

    @staticmethod
    def follow_merges(connection: sqlite3.Connection, space: str) -> None:
        """Update statements whose memories were merged into others with the same statement."""
        connection.execute(
            "UPDATE share_statements SET memory = m.superseded_by FROM memories m, memories o"
            " WHERE space = ? AND m.id = share_statements.memory AND m.life = 'superseded' AND o.id = m.superseded_by"
            " AND o.content_key = m.content_key",
            (space,),
        )

    @staticmethod
    def put_vote(connection: sqlite3.Connection, space: str, vote: Vote) -> None:
        """Save a vote, unless a later one of that member is known."""
        connection.execute(
            "INSERT INTO share_votes VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO UPDATE SET"
            " digest = ?4, verdict = ?5, written = ?6 WHERE written < ?6",
            (space, *astuple(vote)),
        )

    def sent(self, space: str) -> dict[tuple[str, bool], SentItem]:
        """Return the sent items by (item, True for a vote)."""
        rows = self._rows("SELECT item, vote, digest, written, mine, here FROM share_sent WHERE space = ?", space)
        return {(row[0], bool(row[1])): SentItem(row[0], bool(row[1]), *row[2:]) for row in rows}

    @staticmethod
    def put_sent(connection: sqlite3.Connection, space: str, sent: Iterable[SentItem]) -> None:
        """Save sent items."""
        connection.executemany(
            "INSERT OR REPLACE INTO share_sent VALUES (?, ?, ?, ?, ?, ?, ?)", [(space, *astuple(one)) for one in sent]
        )

    def put_members(self, space: str, members: Sequence[KnownMember]) -> None:
        """Replace the saved member list."""
        with self._writing() as connection:
            connection.execute("DELETE FROM share_members WHERE space = ?", (space,))
            rows = [(space, position, *astuple(one)) for position, one in enumerate(members)]
            connection.executemany("INSERT INTO share_members VALUES (?, ?, ?, ?, ?, ?)", rows)

    def members(self, space: str) -> list[KnownMember]:
        """Return the saved member list, in its order."""
        rows = self._rows(
            "SELECT member, name, validates, former FROM share_members WHERE space = ? ORDER BY place", space
        )
        return [KnownMember(row[0], row[1], bool(row[2]), bool(row[3])) for row in rows]

    def forget_space(self, space: str) -> None:
        """Delete everything stored about a space; the memories stay."""
        with self._writing() as connection:
            for table in _TABLES:
                connection.execute(f"DELETE FROM share_{table} WHERE space = ?", (space,))

    def clocks(self, memories: Sequence[int]) -> dict[int, int]:
        """Return the clock of the last event of each memory."""
        return dict(
            self._pairs(
                "SELECT m.id, e.clock FROM json_each(?) w JOIN memories m ON m.id = w.value"
                " JOIN events e ON e.seq = m.seq",
                json_list(memories),
            )
        )

    def attribution(self, memory: int) -> MemberAttribution | None:
        """Return the names of members with a statement or vote on a memory; None if it is in no shared project."""
        rows = self._rows(
            "SELECT s.space, s.statement, s.digest, s.withdrawn, coalesce(m.name, '?') AS name FROM share_statements s"
            " LEFT JOIN share_members m ON m.space = s.space AND m.member = s.member WHERE s.memory = ?"
            " ORDER BY s.written",
            memory,
        )
        if not rows:
            return None
        votes = self._pairs(
            "SELECT v.verdict, coalesce(m.name, '?') FROM share_statements s JOIN share_votes v ON v.space = s.space"
            " AND v.statement = s.statement AND v.digest = s.digest LEFT JOIN share_members m ON m.space = v.space"
            " AND m.member = v.member WHERE s.memory = ? ORDER BY v.written",
            memory,
        )
        return MemberAttribution(
            tuple(dict.fromkeys(row["name"] for row in rows)),
            tuple(dict.fromkeys(name for verdict, name in votes if verdict == VALIDATED)),
            tuple(dict.fromkeys(name for verdict, name in votes if verdict == REJECTED)),
            tuple(row["name"] for row in rows if row["withdrawn"]),
        )

"""Reading of memories: single ones, lists by filter and order, and what belongs to them."""

import sqlite3
from array import array
from collections.abc import Iterator, Sequence

import orjson

from store import uids
from store.errors import NotFound
from store.filter import MATTERS, SCORE, USED, Dialect, Filter, Sort
from store.model import Aging, Evidence, Kind, Life, Memory, Origin, Rank, Review, Surprise, Tier, Version
from store.record.repository import Repository, json_list
from store.record.succession import Succession

_ORDER = {  # what has no date counts as the oldest, as SQLite has it, so that an index serves both directions
    Sort.CREATED: "created_at",
    Sort.ADDED: "added_at",
    Sort.CONFIDENCE: SCORE,
    Sort.IMPORTANCE: "importance",
    Sort.TEXT: "text COLLATE NOCASE",
    Sort.MATTERS: MATTERS,
    Sort.USED: USED,
}
_THEN_BY_AGE = (Sort.MATTERS, Sort.USED)
_STEP = 100_000  # characters of a list of ids that are read in one go, in a millisecond
_BLOCK = 10_000


def _memory(row: sqlite3.Row) -> Memory:
    return Memory(
        id=row["id"],
        external_id=row["external_id"],
        text=row["text"],
        kind=Kind(row["kind"]),
        tier=Tier(row["tier"]),
        origin=Origin(row["origin"]),
        review=Review(row["review"]),
        rank=Rank(row["rank"]),
        life=Life(row["life"]),
        pinned=bool(row["pinned"]),
        confidence=row["confidence"],
        user_score=row["user_score"],
        importance=row["importance"],
        scope=row["scope"],
        project=row["project"],
        source=row["source"],
        session=row["session"],
        ordinal=row["ordinal"],
        subject=row["subject"],
        relation=row["relation"],
        object=row["object"],
        span=row["span"],
        flag=row["flag"],
        surprise=None if row["surprise"] is None else Surprise(*orjson.loads(row["surprise"])),
        distiller=row["distiller"],
        created_at=row["created_at"],
        added_at=row["added_at"],
        expires_at=row["expires_at"],
        later_until=row["later_until"],
        superseded_by=row["superseded_by"],
        seq=row["seq"],
        device=row["device_uid"],
        tags=tuple(orjson.loads(row["tags"])),
    )


class MemoryQueries(Repository):
    """Reads memories. Another owner's memory is Forbidden, a missing one NotFound."""

    # Single memories

    def get(self, memory: int) -> Memory:
        """Return a memory. Raises NotFound, Forbidden."""
        self.check_owned([memory])
        return self.get_many([memory])[0]

    def get_many(self, ids: Sequence[int]) -> list[Memory]:
        """Return the owner's among these memories, in the order of `ids`; missing ones are left out."""
        rows = self._rows(  # + keeps SQLite from reading all of the owner's rows by the index over owner
            "SELECT *, (SELECT uid FROM devices WHERE devices.id = m.device) AS device_uid,"
            " (SELECT json_group_array(tag) FROM (SELECT tag FROM tags WHERE memory = m.id ORDER BY tag)) AS tags"
            " FROM memories m WHERE +owner = ? AND id IN (SELECT value FROM json_each(?))",
            self.owner,
            json_list(ids),
        )
        found = {row["id"]: _memory(row) for row in rows}
        return [found[memory] for memory in ids if memory in found]

    def by_uid(self, uid: str) -> int:
        """Return the number of the owner's memory with this global id. Raises NotFound, ValueError for another id."""
        parts = uids.parse(uid)
        if parts.sort is not uids.Sort.MEMORY:
            raise ValueError(f"{uid} is not the id of a memory")
        found = self.get_many([parts.number])
        if not found or uids.parse(found[0].uid) != parts:
            raise NotFound(f"there is no memory {uid}; `curator list --json` shows the ids there are")
        return found[0].id

    # Lists

    def list_ids(
        self, filter: Filter, sort: Sort = Sort.CREATED, limit: int | None = None, descending: bool = True
    ) -> list[int]:
        """Return the ids of the memories that match a filter, in order."""
        return self.id_array(filter, sort, limit, descending).tolist()

    def id_array(
        self, filter: Filter, sort: Sort = Sort.CREATED, limit: int | None = None, descending: bool = True
    ) -> "array[int]":
        """Return `list_ids` as an array: a tenth of a second for a million, in which other threads run.

        Ties go by id in the same direction, so that an index can serve; those that matter equally, or were used as
        often, by age first. SQLite writes all ids into one text: row by row each would be a turn of the interpreter,
        and a million of them wait a second for the threads that work beside.
        """
        direction = "DESC" if descending else "ASC"
        order = [_ORDER[sort], *(["created_at"] if sort in _THEN_BY_AGE else []), "id"]
        query = (
            "SELECT json_group_array(id) FROM ("  # to which the order of what it is given matters, so SQLite keeps it
            f"SELECT id FROM memories WHERE owner = ? AND {filter.sql(Dialect.SQLITE)}"
            f" ORDER BY {', '.join(f'{column} {direction}' for column in order)} LIMIT ?)"
        )
        ((text,),) = self._rows(query, self.owner, -1 if limit is None else limit)
        numbers: array[int] = array("q")
        start, last = 1, len(text) - 1
        while start < last:  # in steps that let other threads run
            end = text.find(",", min(start + _STEP, last))
            end = last if end < 0 else end
            numbers.extend(array("q", orjson.loads(f"[{text[start:end]}]")))
            start = end + 1
        return numbers

    def count(self, filter: Filter) -> int:
        """Count the memories that match a filter."""
        return self._number(
            f"SELECT count(*) FROM memories WHERE owner = ? AND {filter.sql(Dialect.SQLITE)}", self.owner
        )

    def of_session(self, session: str) -> frozenset[int]:
        """Return the memories that were said in a conversation, named by its id or external id."""
        query = (
            "SELECT id FROM memories WHERE owner = ?1 AND session = ?2 UNION"
            " SELECT v.memory FROM conversations c JOIN messages m ON m.conversation = c.id"
            " JOIN evidence v ON v.message = m.id"
            " WHERE c.owner = ?1 AND (c.external_id = ?2 OR CAST(c.id AS TEXT) = ?2)"
        )
        return frozenset(self._ids(query, self.owner, session))

    def tag_counts(self) -> list[tuple[str, int]]:
        """Count the live memories with each tag, the most frequent first."""
        return self._pairs(
            "SELECT t.tag, count(*) AS n FROM tags t JOIN memories m ON m.id = t.memory AND m.life = 'live'"
            " WHERE m.owner = ? GROUP BY t.tag ORDER BY n DESC, t.tag",
            self.owner,
        )

    def aging(self, only: Sequence[int] | None = None) -> Iterator[Aging]:
        """Yield what the life of each live memory, or of those of `only`, is decided from, by id.

        Read in blocks, between which others may write.
        """
        among = "" if only is None else " AND m.id IN (SELECT value FROM json_each(?3))"
        query = (
            "SELECT m.id, m.kind, m.tier, m.rank, m.review, m.pinned,"
            " coalesce(m.user_score / 10.0, m.confidence) AS score, m.importance, m.created_at, m.added_at,"
            " m.expires_at, coalesce(u.times, 0) AS times, u.last_at"
            " FROM memories m LEFT JOIN uses u ON u.memory = m.id"
            f" WHERE m.id > ?1 AND +m.owner = ?2 AND +m.life = 'live'{among} ORDER BY m.id LIMIT {_BLOCK}"
        )
        after = 0
        while rows := self._rows(query, after, self.owner, *([] if only is None else [json_list(only)])):
            for memory, kind, tier, rank, review, pinned, *others in rows:
                yield Aging(memory, Kind(kind), Tier(tier), Rank(rank), Review(review), bool(pinned), *others)
            after = rows[-1]["id"]

    def forgotten_before(self, moment: int) -> list[tuple[int, int]]:
        """Return memories forgotten or expired before a time, with when that was, the first one first.

        That is the time of the last command that touched a memory: the one that forgot it, or a later one.
        """
        return self._pairs(
            "SELECT m.id, max(c.at) AS at FROM memories m"
            " JOIN events e ON e.seq = m.seq JOIN commands c ON c.id = e.command"
            " WHERE m.owner = ? AND m.life IN ('forgotten', 'expired') GROUP BY m.id HAVING at < ? ORDER BY at, m.id",
            self.owner,
            moment,
        )

    # Of memories

    def evidence(self, memory: int) -> list[Evidence]:
        """Return the quotes behind a memory, oldest first. Raises NotFound, Forbidden."""
        self.check_owned([memory])
        rows = self._rows(
            "SELECT v.id, v.memory, v.quote, v.start, v.end, m.id AS message, m.conversation,"
            " coalesce(m.external_id, v.reference) AS reference, coalesce(c.source, v.source) AS source,"
            " coalesce(c.title, v.title) AS title,"
            " coalesce(m.created_at, c.created_at, v.said_at) AS said_at"
            " FROM evidence v LEFT JOIN messages m ON m.id = v.message"
            " LEFT JOIN conversations c ON c.id = m.conversation WHERE v.memory = ? ORDER BY said_at, v.id",
            memory,
        )
        return [Evidence(**dict(row)) for row in rows]

    def evidence_counts(self, ids: Sequence[int]) -> dict[int, int]:
        """Count the quotes behind each of the owner's among these memories."""
        query = (
            "SELECT id, (SELECT count(*) FROM evidence v WHERE v.memory = memories.id) FROM memories"
            " WHERE +owner = ? AND id IN (SELECT value FROM json_each(?))"
        )
        return dict(self._pairs(query, self.owner, json_list(ids)))

    def sources(self, ids: Sequence[int]) -> dict[int, tuple[str, ...]]:
        """Return the external ids of the messages that the evidence of each memory cites."""
        query = (
            "SELECT id, (SELECT json_group_array(named) FROM (SELECT coalesce(m.external_id, v.reference) AS named"
            " FROM evidence v LEFT JOIN messages m ON m.id = v.message"
            " WHERE v.memory = o.id AND named IS NOT NULL ORDER BY v.id))"
            " FROM memories o WHERE +owner = ? AND id IN (SELECT value FROM json_each(?))"
        )
        found = {memory: orjson.loads(cited) for memory, cited in self._pairs(query, self.owner, json_list(ids))}
        return {memory: tuple(references) for memory, references in found.items() if references}

    def successors(self, memory: int) -> list[int]:
        """Return the memory that superseded this one, the one that superseded that, and so on.

        Raises NotFound, Forbidden.
        """
        self.check_owned([memory])
        return [row["id"] for row in Succession(self._connect, self.owner).chain(memory)[1:]]

    def versions(self, memory: int) -> list[Version]:
        """Return the former texts of a memory, newest first. Raises NotFound, Forbidden."""
        self.check_owned([memory])
        query = "SELECT text, at, merged_from FROM versions WHERE memory = ? ORDER BY at DESC, id DESC"
        return [Version(*row) for row in self._rows(query, memory)]

    def content_keys(self, ids: Sequence[int]) -> dict[int, str]:
        """Return the content keys of the owner's among these memories: keyed hashes, equal for what says the same."""
        query = "SELECT id, content_key FROM memories WHERE +owner = ? AND id IN (SELECT value FROM json_each(?))"
        return dict(self._pairs(query, self.owner, json_list(ids)))

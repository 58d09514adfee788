"""Reading of memories: single ones, lists by filter and order, and their related data."""

import re
import sqlite3
from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from uuid import UUID

import orjson

from store import uids
from store.errors import Forbidden, NotFound
from store.filter import MATTERS, SCORE, USED, Dialect, Filter, Sort
from store.model import Aging, Evidence, Given, Kind, Life, Memory, Origin, Rank, Review, Surprise, Tier, Version
from store.record.repository import Repository, grouped, json_list

_WORD = re.compile(r"[^\W_][\w-]*")
_ORDER = {  # undated memories count as the oldest, as in SQLite, so that an index serves both directions
    Sort.CREATED: "created_at",
    Sort.ADDED: "added_at",
    Sort.CONFIDENCE: SCORE,
    Sort.IMPORTANCE: "importance",
    Sort.TEXT: "text COLLATE NOCASE",
    Sort.MATTERS: MATTERS,
    Sort.USED: USED,
}
_THEN_BY_AGE = (Sort.MATTERS, Sort.USED)
_STEP = 100_000  # characters of a list of ids that are read at once, in a millisecond
_BLOCK = 10_000
_LONGEST = 1_000  # maximum links followed in a chain of superseded memories


def _memory(found: sqlite3.Row) -> Memory:
    row = dict(zip(found.keys(), found, strict=True))  # a Row compares names one by one, a quarter of the time
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
        given=Given(row["given"]),
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
        number=row["number"],
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
        """Return the owner's memories among these, in the order of `ids`; missing ones are left out."""
        return self._all(  # + keeps SQLite from reading all of the owner's rows through the index over owner
            _memory,
            "SELECT m.*, (SELECT uid FROM devices WHERE devices.id = m.device) AS device_uid,"
            " (SELECT number FROM sync_memories s WHERE s.id = m.id) AS number,"
            " (SELECT json_group_array(tag) FROM (SELECT tag FROM tags WHERE memory = m.id ORDER BY tag)) AS tags"
            " FROM json_each(?) w CROSS JOIN memories m ON m.id = w.value WHERE +m.owner = ? ORDER BY w.key",
            json_list(ids),
            self.owner,
        )

    def by_uid(self, uid: str) -> int:
        """Return the number of the owner's memory with this global id. Raises NotFound, Forbidden, ValueError if
        invalid.
        """
        number = uids.number_of(uid)
        rows = self._rows(
            "SELECT id, owner, added_at, (SELECT uid FROM devices WHERE devices.id = m.device) AS device_uid"
            " FROM memories m WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM sync_memories s WHERE s.id = m.id"
            " AND s.number <> ?1) OR id IN (SELECT id FROM sync_memories WHERE number = ?1)",
            number,
        )
        for row in rows:
            if UUID(uids.of_row(uids.ObjectType.MEMORY, row["added_at"], number, row["device_uid"])) == UUID(uid):
                if row["owner"] != self.owner:
                    raise Forbidden(f"memory {uid} belongs to another owner")
                return int(row["id"])
        raise NotFound(f"there is no memory {uid}; `curator list --json` shows the ids there are")

    def texts_with(self, words: Collection[str]) -> dict[str, list[str]]:
        """Return the texts of live memories that contain each of these lower-case words, by word; reads all texts."""
        wanted, found = frozenset(words), dict[str, list[str]]()
        rows = self._rows("SELECT text FROM memories WHERE owner = ? AND life = 'live'", self.owner) if wanted else ()
        for (text,) in rows:
            for word in wanted.intersection(_WORD.findall(text.casefold())):
                found.setdefault(word, []).append(text)
        return found

    # Lists

    def list_ids(
        self, filter: Filter, sort: Sort = Sort.CREATED, limit: int | None = None, descending: bool = True
    ) -> list[int]:
        """Return the ids of the memories that match a filter, in order."""
        return self.id_array(filter, sort, limit, descending).tolist()

    def id_array(
        self, filter: Filter, sort: Sort = Sort.CREATED, limit: int | None = None, descending: bool = True
    ) -> "array[int]":
        """Return `list_ids` as an array: a tenth of a second for a million, without blocking other threads.

        Ties are ordered by id in the same direction, so that an index can serve; ties in priority or use by age first.
        SQLite writes all ids into one text: row by row, each would take a turn of the interpreter, and a million of
        them would wait a second for other threads.
        """
        direction = "DESC" if descending else "ASC"
        order = [_ORDER[sort], *(["created_at"] if sort in _THEN_BY_AGE else []), "id"]
        # no index has this order but that of the inbox; by another one each row is looked up, in four times the time
        way = "NOT INDEXED" if sort is Sort.MATTERS and Review.OPEN not in filter.reviews else ""
        if filter.given == (Given.ALWAYS,) and filter.lives == (Life.LIVE,):  # few; SQLite prefers that of the inbox
            way = "INDEXED BY memories_standing"
        ((text,),) = self._rows(
            "SELECT json_group_array(id) FROM ("  # an aggregate sensitive to the order of its input, so SQLite keeps it
            f"SELECT id FROM memories {way} WHERE owner = ? AND {filter.sql(Dialect.SQLITE)}"
            f" ORDER BY {', '.join(f'{column} {direction}' for column in order)} LIMIT ?)",
            self.owner,
            -1 if limit is None else limit,
        )
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
        """Return the memories that were said in a conversation, given its id or external id."""
        return frozenset(
            self._ids(
                "SELECT id FROM memories WHERE owner = ?1 AND session = ?2 UNION"
                " SELECT v.memory FROM conversations c JOIN messages m ON m.conversation = c.id"
                " JOIN evidence v ON v.message = m.id"
                " WHERE c.owner = ?1 AND (c.external_id = ?2 OR CAST(c.id AS TEXT) = ?2)",
                self.owner,
                session,
            )
        )

    def tag_counts(self) -> list[tuple[str, int]]:
        """Count the live memories with each tag, most frequent first."""
        return self._pairs(
            "SELECT t.tag, count(*) AS n FROM tags t JOIN memories m ON m.id = t.memory AND m.life = 'live'"
            " WHERE m.owner = ? GROUP BY t.tag ORDER BY n DESC, t.tag",
            self.owner,
        )

    def project_counts(self) -> list[tuple[str, int]]:
        """Count the live memories of each project, most first.

        Rows are read in their order: by the index over owner it takes 4 s for a million, and .6 so.
        """
        return self._pairs(
            "SELECT project, count(*) AS n FROM memories WHERE +owner = ? AND life = 'live' AND project IS NOT NULL"
            " GROUP BY project ORDER BY n DESC, project",
            self.owner,
        )

    def aging(self, only: Sequence[int] | None = None) -> Iterator[Aging]:
        """Yield the inputs of ranking and expiry for each live memory, or for those in `only`, by id.

        Read in blocks, between which others may write.
        """
        among = "" if only is None else " AND m.id IN (SELECT value FROM json_each(?3))"
        query = (
            "SELECT m.id, m.kind, m.tier, m.rank, m.review, m.pinned,"
            " coalesce(m.user_score / 10.0, m.confidence) AS score, m.importance, m.created_at, m.added_at,"
            " m.expires_at, coalesce(u.times, 0) AS times, u.last_at, m.text,"
            " m.given = 'always' FROM memories m LEFT JOIN uses u ON u.memory = m.id"
            f" WHERE m.id > ?1 AND +m.owner = ?2 AND +m.life = 'live'{among} ORDER BY m.id LIMIT {_BLOCK}"
        )
        after = 0
        while rows := self._rows(query, after, self.owner, *([] if only is None else [json_list(only)])):
            for memory, kind, tier, rank, review, pinned, *others in rows:
                yield Aging(memory, Kind(kind), Tier(tier), Rank(rank), Review(review), bool(pinned), *others)
            after = rows[-1]["id"]

    def forgotten_before(self, moment: int) -> list[tuple[int, int]]:
        """Return memories forgotten or expired before a time, with the time, oldest first.

        The time is that of the last command that touched a memory: the one that forgot it, or a later one.
        """
        return self._pairs(
            "SELECT m.id, max(c.at) AS at FROM memories m"
            " JOIN events e ON e.seq = m.seq JOIN commands c ON c.id = e.command"
            " WHERE m.owner = ? AND m.life IN ('forgotten', 'expired') GROUP BY m.id HAVING at < ? ORDER BY at, m.id",
            self.owner,
            moment,
        )

    # By memory

    def evidence(self, memory: int) -> list[Evidence]:
        """Return the quotes behind a memory, oldest first. Raises NotFound, Forbidden."""
        return self.evidence_of([memory]).get(memory, [])

    def evidence_of(self, ids: Sequence[int]) -> dict[int, list[Evidence]]:
        """Return the quotes behind each memory that has any, oldest first. Raises NotFound, Forbidden."""
        self.check_owned(ids)
        found = self._all(
            lambda row: Evidence(**dict(row)),
            "SELECT v.id, v.memory, v.quote, v.start, v.end, m.id AS message, m.conversation,"
            " coalesce(m.external_id, v.reference) AS reference, coalesce(c.source, v.source) AS source,"
            " coalesce(c.title, v.title) AS title,"
            " coalesce(m.created_at, c.created_at, v.said_at) AS said_at"
            " FROM evidence v LEFT JOIN messages m ON m.id = v.message"
            " LEFT JOIN conversations c ON c.id = m.conversation"
            " WHERE v.memory IN (SELECT value FROM json_each(?)) ORDER BY said_at, v.id",
            json_list(ids),
        )
        return grouped((said.memory, said) for said in found)

    def evidence_counts(self, ids: Sequence[int]) -> dict[int, int]:
        """Count the quotes behind each of the owner's memories among these."""
        return dict(
            self._pairs(
                "SELECT id, (SELECT count(*) FROM evidence v WHERE v.memory = memories.id) FROM memories"
                " WHERE +owner = ? AND id IN (SELECT value FROM json_each(?))",
                self.owner,
                json_list(ids),
            )
        )

    def cited_from(self, reference: str) -> dict[int, list[str]]:
        """Return the quotes that cite a reference outside the stored messages, by memory."""
        return grouped(
            self._pairs(
                "SELECT m.id, v.quote FROM evidence v JOIN memories m ON m.id = v.memory"
                " WHERE v.reference = ? AND m.owner = ? ORDER BY m.id",
                reference,
                self.owner,
            )
        )

    def sources(self, ids: Sequence[int]) -> dict[int, list[str]]:
        """Return the external ids of the messages cited as evidence of each memory."""
        return grouped(
            self._pairs(
                "SELECT o.id, coalesce(m.external_id, v.reference) AS named FROM memories o"
                " JOIN evidence v ON v.memory = o.id LEFT JOIN messages m ON m.id = v.message"
                " WHERE +o.owner = ? AND o.id IN (SELECT value FROM json_each(?)) AND named IS NOT NULL ORDER BY v.id",
                self.owner,
                json_list(ids),
            )
        )

    def successors(self, memory: int) -> list[int]:
        """Return the memory that superseded this one, the one that superseded that, and so on.

        Raises NotFound, Forbidden.
        """
        self.check_owned([memory])
        return [row["id"] for row in self.chain(memory)[1:]]

    def versions(self, memory: int) -> list[Version]:
        """Return the former texts of a memory, newest first. Raises NotFound, Forbidden."""
        return self.versions_of([memory]).get(memory, [])

    def versions_of(self, ids: Sequence[int]) -> dict[int, list[Version]]:
        """Return the former texts of each memory that has any, newest first. Raises NotFound, Forbidden.

        Each text once, as of the last time: several devices may have replaced the same one.
        """
        self.check_owned(ids)
        rows = self._rows(
            "SELECT memory, text, max(at), merged_from FROM versions WHERE memory IN (SELECT value FROM json_each(?))"
            " GROUP BY memory, text, merged_from ORDER BY max(at) DESC, max(id) DESC",
            json_list(ids),
        )
        return grouped((memory, Version(*row)) for memory, *row in rows)

    def content_keys(self, ids: Sequence[int]) -> dict[int, str]:
        """Return the content keys of the owner's memories among these: keyed hashes, equal for equal statements."""
        return dict(
            self._pairs(
                "SELECT id, content_key FROM memories WHERE +owner = ? AND id IN (SELECT value FROM json_each(?))",
                self.owner,
                json_list(ids),
            )
        )

    # Succession: only a person may return to a superseded statement, not a machine

    def said_before(
        self, hashed_key: str, scope: str, said_at: int | None, exporter: str | None = None
    ) -> tuple[int | None, int | None]:
        """Return the memory that said this in this scope and still counts, or the forgotten one of any scope.

        A live memory counts if it said so before it was reworded or merged. A superseded one counts, by its present or
        former texts, while the last memory of its chain is live or unknown (imports name none), and is
        forgotten with that one. But a statement later than the whole chain and every quote behind the superseded
        memory is new. An undated one is not.

        With `exporter`, the prefix of the external ids of one store, unchanged imports from that store do not count:
        the store has both memories, so both are admitted.
        """
        forgotten: int | None = None
        for row in self._holders(hashed_key, scope, exporter):
            if row["life"] == "live":
                return row["id"], None
            if row["life"] == "forgotten":
                forgotten = row["id"]
                continue
            links = self.chain(row["id"])
            last = self.last_said(links)
            if said_at is not None and last is not None and said_at > last:
                continue
            if links[-1]["life"] in ("live", "superseded"):
                return row["id"], None
            if links[-1]["life"] in ("forgotten", "purged"):
                forgotten = links[-1]["id"]
        return None, forgotten

    def chain(self, memory: int) -> list[sqlite3.Row]:
        """Return the chain of successors that starts with a memory: id, life and created_at of each."""
        return self._rows(
            "WITH RECURSIVE links AS (SELECT id, life, created_at, superseded_by FROM memories WHERE id = ? UNION ALL"
            " SELECT m.id, m.life, m.created_at, m.superseded_by FROM links l JOIN memories m ON m.id = l.superseded_by"
            f" WHERE l.life <> 'live') SELECT * FROM links LIMIT {_LONGEST}",
            memory,
        )

    def circle(self, memories: Iterable[int]) -> tuple[int, int] | None:
        """Return one of these memories that is in a cycle of superseded memories, with its successor, or None."""
        pairs = self._pairs(
            "WITH RECURSIVE walk (first, id) AS (SELECT id, superseded_by FROM memories WHERE id IN"
            " (SELECT value FROM json_each(?)) UNION SELECT w.first, m.superseded_by FROM walk w JOIN memories m"
            " ON m.id = w.id WHERE w.id <> w.first AND m.superseded_by IS NOT NULL)"
            " SELECT m.id, m.superseded_by FROM walk w JOIN memories m ON m.id = w.first AND m.id = w.id LIMIT 1",
            json_list(sorted(memories)),
        )
        return next(iter(pairs), None)

    def _holders(self, hashed_key: str, scope: str, exporter: str | None) -> list[sqlite3.Row]:
        """Return superseded memories that say this, and those that said it before: live ones first.

        Memories from the store of `exporter` that no command but their import has touched are left out.
        """
        return self._rows(
            "SELECT id, life FROM (SELECT m.id, m.life, m.external_id FROM memories m"
            " WHERE m.content_key = ?1 AND +m.owner = ?2 AND m.scope = ?3 AND +m.life = 'superseded'"
            " UNION SELECT m.id, m.life, m.external_id FROM versions v JOIN memories m ON m.id = v.memory"
            " WHERE v.content_key = ?1 AND +m.owner = ?2"
            " AND (+m.life = 'forgotten' OR m.scope = ?3 AND +m.life IN ('live', 'superseded'))) h"
            " WHERE ?4 IS NULL OR substr(coalesce(external_id, ''), 1, length(?4)) <> ?4 OR (SELECT"
            " count(DISTINCT e.command) FROM touched t JOIN events e ON e.seq = t.seq WHERE t.memory = h.id) > 1"
            " ORDER BY life <> 'live', id",
            hashed_key,
            self.owner,
            scope,
            exporter,
        )

    def last_said(self, links: list[sqlite3.Row]) -> int | None:
        """Return the latest known time at which a memory of a chain, or a quote behind its first memory, was said."""
        quoted = self._id(
            "SELECT max(coalesce(m.created_at, c.created_at, v.said_at)) FROM evidence v"
            " LEFT JOIN messages m ON m.id = v.message LEFT JOIN conversations c ON c.id = m.conversation"
            " WHERE v.memory = ?",
            links[0]["id"],
        )
        return max((time for time in (quoted, *(row["created_at"] for row in links)) if time is not None), default=None)

"""Rows of the record for the index. They are read in their current state, so that reading is idempotent."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from store.filter import Dialect, Filter
from store.model import Fingerprint, Given, Kind, Life, Memory, Outline, Review, Tier
from store.record.changes import touched_since
from store.record.repository import Repository, json_list
from store.store import Store

_AROUND = 300  # characters of context before and after a quote, and of adjacent turns
_SPACE = "(SELECT id FROM spaces WHERE label = ?)"
_QUOTES = 4  # quotes of one memory whose context is indexed

_KINDS, _TIERS = {one.value: one for one in Kind}, {one.value: one for one in Tier}  # in a third of the time of a call
_REVIEWS, _GIVEN = {one.value: one for one in Review}, {one.value: one for one in Given}

Scored = list[tuple[int, float]]
"""Ids with scores, best first."""


@dataclass(frozen=True, slots=True)
class Row:
    """A live memory as indexed. `context` is its text within the surrounding turns."""

    memory: Memory
    context: str
    vector: bytes | None  # little-endian float32
    conflict: bool


class Last(NamedTuple):
    """Numbers of the last event, of the last vector ever stored, and of the last message, of any owner."""

    event: int
    vector: int
    message: int


_BESIDE = (
    "(SELECT {} FROM memories n WHERE n.session = m.session AND n.owner = m.owner AND n.life = 'live'"
    " AND n.ordinal {} m.ordinal ORDER BY n.ordinal {} LIMIT 1)"
)
_NEIGHBOURS = (
    "SELECT m.id, {} AS before, {} AS after FROM memories m"
    " WHERE m.id IN (SELECT value FROM json_each(?)) AND +m.owner = ? AND m.session IS NOT NULL"
)
_NEIGHBOUR_IDS = _NEIGHBOURS.format(_BESIDE.format("id", "<", "DESC"), _BESIDE.format("id", ">", "ASC"))
_NEIGHBOUR_TEXTS = _NEIGHBOURS.format(
    _BESIDE.format(f"substr(text, -{_AROUND})", "<", "DESC"), _BESIDE.format(f"substr(text, 1, {_AROUND})", ">", "ASC")
)
_TURN = (
    "(SELECT substr(n.text, {}) FROM messages n WHERE n.conversation = m.conversation AND n.id {} m.id"
    " AND n.channel = 'spoken' AND n.active ORDER BY n.id {} LIMIT 1)"
)
_TURNS = (
    "SELECT v.memory, substr(m.text, max(v.start - ?1, 0) + 1, v.end - v.start + 2 * ?1) AS own,"
    f" {_TURN.format('-?1', '<', 'DESC')} AS before, {_TURN.format('1, ?1', '>', 'ASC')} AS after"
    " FROM evidence v JOIN messages m ON m.id = v.message"
    " WHERE v.memory IN (SELECT value FROM json_each(?2)) ORDER BY v.id"
)


def last(store: Store) -> Last:
    """Return the last numbers in a store's record."""
    with store.sqlite() as connection:
        row = connection.execute(
            "SELECT coalesce((SELECT max(seq) FROM events), 0),"
            " coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'vectors'), 0),"
            " coalesce((SELECT max(id) FROM messages), 0)"
        ).fetchone()
    return Last(*row)


class IndexReader(Repository):
    """Reads a store for the index: rows of one owner, vectors of one fingerprint."""

    def __init__(self, store: Store, fingerprint: Fingerprint) -> None:
        super().__init__(store.sqlite, store.owner)
        self.store = store
        self.fingerprint = fingerprint

    def last(self) -> Last:
        """Return the last numbers in the record."""
        return last(self.store)

    def changed(self, seq: int, vector: int) -> set[int]:
        """Return the memories changed by events after `seq` or embedded after `vector`, including deleted ones.

        Both memories of a changed alert are included, because filters can select memories by their alerts.
        """
        embedded = self._ids(
            f"SELECT memory FROM vectors WHERE id > ? AND +space = {_SPACE}", vector, self.fingerprint.label
        )
        with self._connect() as connection:
            return touched_since(connection, seq).union(embedded)

    def session_neighbours(self, ids: Collection[int]) -> set[int]:
        """Return the memories just before and after these in their sessions, whose context includes their text."""
        rows = self._rows(_NEIGHBOUR_IDS, json_list(ids), self.owner)
        return {memory for _, *near in rows for memory in near if memory is not None}

    def any_purged(self, ids: Collection[int]) -> bool:
        """Return True if any of these memories was purged."""
        return bool(
            self._rows(
                "SELECT 1 FROM memories WHERE life = 'purged' AND id IN (SELECT value FROM json_each(?)) LIMIT 1",
                json_list(ids),
            )
        )

    def live_ids(self) -> list[int]:
        """Return all live memories, in order of id."""
        return self._ids("SELECT id FROM memories WHERE +owner = ? AND +life = 'live' ORDER BY id", self.owner)

    def matching(self, filter: Filter, ids: Collection[int]) -> set[int]:
        """Return the memories among `ids` that match a filter."""
        return set(
            self._ids(
                "SELECT id FROM memories WHERE id IN (SELECT value FROM json_each(?)) AND +owner = ?"
                f" AND {filter.sql(Dialect.SQLITE)}",
                json_list(ids),
                self.owner,
            )
        )

    def rows(self, ids: Sequence[int]) -> list[Row]:
        """Return the live ones among these memories, ready to be indexed."""
        live = [memory for memory in self.store.get_many(ids) if memory.life is Life.LIVE]
        numbers = [memory.id for memory in live]
        embedded = self.vectors(numbers)
        conflicts = self.matching(Filter(conflict=True), numbers)
        said = self._surroundings(numbers)
        return [
            Row(memory, context(memory.text, said.get(memory.id, [])), embedded.get(memory.id), memory.id in conflicts)
            for memory in live
        ]

    def vectors(self, ids: Collection[int]) -> dict[int, bytes]:
        """Return the vectors of the memories that have one, little-endian float32."""
        return dict(
            self._pairs(
                f"SELECT memory, vector FROM vectors WHERE space = {_SPACE}"
                " AND memory IN (SELECT value FROM json_each(?))",
                self.fingerprint.label,
                json_list(ids),
            )
        )

    def outlines(self, ids: Sequence[int]) -> dict[int, Outline]:
        """Return the ranking fields of the live memories among `ids`; cheaper than whole memories."""
        with self.store.snapshot():
            quotes = self._rows(
                "SELECT v.memory, 'c' || m.conversation, m.ordinal FROM evidence v JOIN messages m ON m.id = v.message"
                " WHERE v.memory IN (SELECT value FROM json_each(?)) ORDER BY v.id DESC",
                json_list(ids),
            )
            said = {memory: (group, ordinal) for memory, group, ordinal in quotes}  # the first quote counts
            rows = self._rows(
                "SELECT id, text, kind, tier, review, given, pinned, importance, subject, created_at, expires_at,"
                " 's' || session AS place, coalesce(ordinal, 0) AS ordinal, flag, scope"
                " FROM memories WHERE id IN (SELECT value FROM json_each(?)) AND +life = 'live'",
                json_list(ids),
            )
        found = {}
        for row in rows:
            memory, text, kind, tier, review, given, pinned, importance, subject, *rest = row
            created_at, expires_at, place, ordinal, flag, scope = rest
            found[memory] = Outline(
                memory,
                text,
                _KINDS[kind],
                _TIERS[tier],
                _REVIEWS[review],
                bool(pinned),
                importance,
                subject,
                created_at,
                expires_at,
                *said.get(memory, (place, ordinal)),
                flag,
                _GIVEN[given],
                scope,
            )
        return found

    def state(self) -> dict[int, tuple[int, bool]]:
        """Return, for every live memory, the last event that touched it, and True if it has a vector."""
        return {
            memory: (seq, bool(embedded))
            for memory, seq, embedded in self._rows(
                f"SELECT id, seq, EXISTS (SELECT 1 FROM vectors v WHERE v.memory = m.id AND v.space = {_SPACE})"
                " FROM memories m WHERE +owner = ? AND +life = 'live'",
                self.fingerprint.label,
                self.owner,
            )
        }

    def message_ids(self) -> set[int]:
        """Return every message of the owner."""
        return set(
            self._ids(
                "SELECT m.id FROM messages m JOIN conversations c ON c.id = m.conversation WHERE c.owner = ?",
                self.owner,
            )
        )

    def _surroundings(self, ids: Sequence[int]) -> dict[int, list[str]]:
        """Return the texts around each memory: turns around its quotes, or its neighbours in an imported session."""
        found: dict[int, list[str]] = {}
        for row in self._rows(_TURNS, _AROUND, json_list(ids)):
            parts = found.setdefault(row["memory"], [])
            if len(parts) < 3 * _QUOTES:
                parts += [row["before"] or "", row["own"], row["after"] or ""]
        for row in self._rows(_NEIGHBOUR_TEXTS, json_list(ids), self.owner):
            found.setdefault(row["id"], [row["before"] or "", row["after"] or ""])
        return found


def context(text: str, said: Sequence[str]) -> str:
    """Return a memory's text with the texts around it; without repetition if they contain it verbatim."""
    parts = [part for part in dict.fromkeys(said) if part]
    own = () if any(text in part for part in parts) else (text,)
    return re.sub(r"\s+", " ", "\n".join((*own, *parts)))

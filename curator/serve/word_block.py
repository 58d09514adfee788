"""Recall block for a hook without a resident process: a fast equivalent of `curator.recall.block`, based on SQL.

It contains no titles of conversations, since checking whether they may be disclosed takes too long, and no id, since
it is not recorded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from curator import safety
from curator.block_text import (
    ABOUT_PERSON,
    BY_WORDS,
    HEADINGS,
    NO_DATE,
    Section,
    later_sides,
    leads_of,
    line_of,
    notes_on,
    reworded_at,
    sanitised,
    section_of,
)
from curator.display import iso_date
from curator.partial_updates import parts_left
from curator.safety import concerns

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable, Iterator, Mapping

LONGEST = 300
"""Maximum characters of a memory's line."""
_SHOWN = "CASE WHEN origin = 'shared' THEN substr(distiller, 8) || ' says: ' || text ELSE text END"
_COLUMNS = f"id, text, {_SHOWN}, created_at, kind, project, review = 'validated'"
_OWN = "(origin IN ('rules', 'model', 'person') OR review = 'validated') AND"
_CLASHES = (  # as `store.filter.STANDING_ALERTS`, which takes 15 ms to import; both sides may be recalled
    "SELECT t.a, t.b, t.reasons LIKE '[\"signs of a conflict%' FROM alerts t"
    " CROSS JOIN memories x ON x.id = t.a AND x.life = 'live' AND x.owner = 'me'"
    " CROSS JOIN memories y ON y.id = t.b AND y.life = 'live'"
    " WHERE t.settled IS NULL AND t.relation IN ('contradiction', 'update')"
    " AND (t.former = '[]' OR instr(t.former, x.content_key || '\",\"' || y.content_key) = 0)"
)


class Memory(NamedTuple):
    """A row of a memory; `shown` is its text with the author's name. Importing dataclasses would take 10 ms."""

    id: int
    text: str
    shown: str
    said: int | None
    kind: str
    project: str | None
    validated: bool


class Search(NamedTuple):
    """A connection to the record, and the SQL condition, with parameters, for memories that may be recalled."""

    connection: sqlite3.Connection
    condition: str
    values: tuple[int, str]

    def memories(self, where: str) -> Iterator[Memory]:
        """Yield the memories that may be recalled; `where` adds conditions and an order."""
        query = f"SELECT {_COLUMNS} FROM memories WHERE {self.condition} {where}"
        return map(Memory._make, self.connection.execute(query, self.values))

    def texts(self, order: str = "") -> Iterator[tuple[int, str]]:
        """Yield (id, text) of all memories that may be recalled, by default in the order of the table."""
        query = f"SELECT id, text FROM memories NOT INDEXED WHERE {self.condition} {order}"
        return self.connection.execute(query, self.values)

    def last_said(self, given: Mapping[int, Memory]) -> dict[int, int | None]:
        """Return the time at which each memory was last said or reworded."""
        ids = ", ".join(map(str, given))
        quoted = dict(
            self.connection.execute(
                "SELECT v.memory, max(coalesce(m.created_at, c.created_at, v.said_at)) FROM evidence v"
                " LEFT JOIN messages m ON m.id = v.message LEFT JOIN conversations c ON c.id = m.conversation"
                f" WHERE v.memory IN ({ids}) GROUP BY v.memory"
            ).fetchall()
        )
        former: dict[int, list[tuple[str, int]]] = {}
        for memory, text, at in self.connection.execute(
            f"SELECT memory, text, max(at) FROM versions WHERE memory IN ({ids}) AND merged_from IS NULL"
            " GROUP BY memory, text ORDER BY max(at) DESC, max(id) DESC"
        ):
            former.setdefault(memory, []).append((text, at))
        said: dict[int, int | None] = {}
        for memory in given.values():
            put = reworded_at(memory.text, former.get(memory.id, ()))
            times = [at for at in (quoted.get(memory.id) or memory.said, put) if at is not None]
            said[memory.id] = max(times, default=None)
        return said

    def later(self, known: Mapping[int, Memory], standing: Collection[int], own: bool = False) -> dict[int, Memory]:
        """Return, by memory, the one in open conflict with it that was said later or at an unknown time.

        With `own`, it must be the person's own words or validated, and safety facts have only those that deny them.
        """
        ids = ", ".join(map(str, known))
        pairs = self.connection.execute(f"{_CLASHES} AND (t.a IN ({ids}) OR t.b IN ({ids}))").fetchall()
        outside = {side for a, b, _ in pairs for side in (a, b)}.difference(known, standing)
        if not outside:
            return {}
        wanted = f"{_OWN} id IN" if own else "id IN"
        fitting = {memory.id: memory for memory in self.memories(f"AND {wanted} ({', '.join(map(str, outside))})")}
        both = {**known, **fitting}
        said = {memory.id: memory.said for memory in both.values()}
        brought = later_sides(_sides(pairs, both, all_safety=not own), said, fitting)
        return {older: fitting[newer] for older, newer in brought.items()}

    def in_force(self, always: list[Memory]) -> list[Memory]:
        """Return standing memories, replaced by conflicting ones that were said later, as in `curator.recall`."""
        orders = {memory.id: memory for memory in always}
        sides = _conflicts(self.connection, orders)
        former = {older for older, newer in sides if not parts_left(orders[older].text, orders[newer].text)}
        given = {one: memory for one, memory in orders.items() if one not in former}
        asked, known = given, {memory.id for memory in always}
        while later := self.later(asked, known, own=True):
            asked = {one.id: one for one in later.values()}
            known |= asked.keys()
            placed: dict[int, Memory] = {}
            for memory in given.values():
                newer = later.get(memory.id)
                if newer is None or None in (memory.said, newer.said):
                    placed[memory.id] = memory
                    continue
                placed[newer.id] = newer
                if (memory.validated and not newer.validated) or parts_left(memory.text, newer.text):
                    placed[memory.id] = memory
            given = placed
        return list(given.values())


def block_of(
    search: Search, always: list[Memory], urgent: list[Memory], found: list[Memory], had: Collection[int] = ()
) -> tuple[str, tuple[int, ...]]:
    """Return the block of these memories and of conflicting ones that were said later, and the ids of its memories.

    Memories that the model `had` before are left out.
    """
    standing = {memory.id for memory in always}
    others = {memory.id: memory for memory in (*urgent, *found) if memory.id not in standing}
    later = search.later(others, standing)
    listed: dict[int, Memory] = {}
    for memory in others.values():
        listed |= {one.id: one for one in (later.get(memory.id), memory) if one is not None}
    by_review = sorted(listed.values(), key=lambda memory: not memory.validated)
    orders = sorted(always, key=lambda memory: concerns.rank(memory.text), reverse=True)
    known = {memory.id: memory for memory in (*orders, *by_review)}
    given = {ident: memory for ident, memory in known.items() if ident not in had}
    noted = notes_on(_conflicts(search.connection, known), {memory.id: memory.said for memory in known.values()})
    days, first = search.last_said(given), {memory.id for memory in urgent}
    lines: dict[Section, list[str]] = {section: [] for section in Section}
    for memory in given.values():
        notes = [] if memory.id in standing else [iso_date(days[memory.id], NO_DATE)]
        notes += [noted[memory.id]] if memory.id in noted else []
        section = Section.STANDING if memory.id in standing else section_of(memory.kind, memory.project)
        line = line_of(sanitised(memory.shown, LONGEST), notes)
        lines[Section.SAFETY if memory.id in first else section].append(line)
    if not given:
        return "", ()
    body = [line for section, members in lines.items() if members for line in (HEADINGS[section], *members)]
    lead = leads_of(ABOUT_PERSON)[bool(lines[Section.STANDING])] + (BY_WORDS if given.keys() - standing else "")
    return "\n".join(("<memories>", lead, *body, "</memories>")), tuple(given)


def without_outdated(connection: sqlite3.Connection, found: list[Memory]) -> list[Memory]:
    """Return these memories without the older one of each pair in open conflict."""
    former = {older for older, _ in _conflicts(connection, {memory.id: memory for memory in found})}
    return [memory for memory in found if memory.id not in former]


def _conflicts(connection: sqlite3.Connection, found: Mapping[int, Memory]) -> list[tuple[int, int]]:
    """Return (older, newer) for each open conflict among these memories that may outdate the older one."""
    ids = ", ".join(map(str, found))
    return _sides(connection.execute(f"{_CLASHES} AND t.a IN ({ids}) AND t.b IN ({ids})"), found)


def _sides(
    pairs: Iterable[tuple[int, int, int]], found: Mapping[int, Memory], all_safety: bool = False
) -> list[tuple[int, int]]:
    """Return (older, newer) for each pair in which the older memory may be outdated; with `all_safety`, for all.

    A safety fact is outdated only by a text that denies it, as in `curator.recall.open_conflicts`. Since the rules for
    clauses are not loaded here, a memory with several clauses is never outdated.
    """
    sides = []
    for a, b, only_signs in pairs:
        if not {a, b} <= found.keys():
            continue
        older, newer = sorted((found[a], found[b]), key=lambda memory: (memory.said or 0, memory.id))
        stays = safety.is_grave(older.text) and not safety.may_deny(newer.text)
        stays = stays or (only_signs and safety.states(older.text)) or bool(safety.fact_clauses(older.text))
        if all_safety or not stays:
            sides.append((older.id, newer.id))
    return sides

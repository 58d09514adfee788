"""What a command did, read from its events: to which memories, to which conversations, and how."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice

import orjson

from store.errors import NotFound
from store.record.changes import Change, Delete, Insert, Update, Value, decode, keys_of, memories_of, reason_for

_SMALL = 16_384  # bytes of an event that is decoded for every line of a list
_UNSAID = {"content_key", "owner", "seq", "a_key", "b_key", "settled_by"}  # columns that say nothing to a person
_PARTS = {"memories": ("memory", "text"), "tags": ("tag", "tag"), "evidence": ("quote", "quote")} | {
    "versions": ("version", "text")
}


class Did(StrEnum):
    """What became of something."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Touched:
    """One thing that a command did to a memory.

    A column of it was changed, or something was added or removed: the "memory" itself (its words are the value), a
    "tag", a "quote", a "version" (`other` is the memory it was merged from) or an "alert" (against `other`). A sweep
    may have said `why` it changed a column.
    """

    memory: int
    did: Did
    column: str
    before: Value
    after: Value
    other: int | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Batch:
    """What a command did with a conversation: it showed or hid `messages` of it, or read it for memories (CHANGED).

    `first` is the first of those messages; None where there are none.
    """

    conversation: int
    did: Did
    source: str
    title: str | None
    created_at: int | None
    messages: int
    first: int | None


@dataclass(frozen=True, slots=True)
class Changes:
    """What a command did to the first memories and conversations it touched.

    `touched` stands memory by memory, in the order of `memories`. `whole` is False where there is more of either.
    """

    memories: tuple[int, ...]
    touched: tuple[Touched, ...]
    batches: tuple[Batch, ...]
    whole: bool


def first_touched(connection: sqlite3.Connection, owner: str, ids: Sequence[int]) -> dict[int, int]:
    """The first memory that each of these commands touched; not of one whose events are too large for a list."""
    rows = connection.execute(
        "SELECT e.command, e.changes FROM json_each(?) w CROSS JOIN commands c ON c.id = w.value AND c.owner = ?"
        " CROSS JOIN events e ON e.seq = (SELECT min(f.seq) FROM events f WHERE f.command = c.id)"
        " WHERE length(e.changes) <= ?",
        (_json(ids), owner, _SMALL),
    )
    found: dict[int, int] = {}
    for row in rows:
        for memory in islice((memory for change in decode(row["changes"]) for memory in memories_of(change)), 1):
            found[row["command"]] = memory
    return found


def changes(
    connection: sqlite3.Connection, owner: str, command: int, limit: int, before: Sequence[int] = ()
) -> Changes:
    """What a command did to the first `limit` memories and conversations. Raises NotFound.

    Those of `before` that it touched come before the others. Of a large command those events are read that touched
    these; an alert between others may be left out.
    """
    if not connection.execute("SELECT 1 FROM commands WHERE id = ? AND owner = ?", (command, owner)).fetchone():
        raise NotFound(f"there is no command {command}; `curator log` lists them")
    events: dict[int, list[Change]] = {}
    chosen: dict[int, None] = dict.fromkeys(_touched_of(connection, command, before))
    whole = True
    for event in connection.execute("SELECT seq, changes FROM events WHERE command = ? ORDER BY seq", (command,)):
        if len(chosen) > limit:
            whole = False
            break
        events[event["seq"]] = decode(event["changes"])
        pairs = _alerts(connection, events[event["seq"]])
        for change in events[event["seq"]]:
            chosen |= dict.fromkeys(islice(_concerned(change, pairs), limit + 1))
    first = dict(islice(zip(chosen, range(limit), strict=False), limit))
    if not whole:
        touching = connection.execute(
            "SELECT seq, changes FROM events WHERE command = ? AND seq IN"
            " (SELECT seq FROM touched WHERE memory IN (SELECT value FROM json_each(?)))",
            (command, _json(list(first))),
        )
        events |= {event["seq"]: decode(event["changes"]) for event in touching if event["seq"] not in events}
    done = [change for seq in sorted(events) for change in events[seq]]
    touched = sorted(_touched(done, first, _alerts(connection, done)), key=lambda item: first[item.memory])
    seen = _seen(done)
    batches = [_batch(connection, *item) for item in islice(seen.items(), limit)]
    return Changes(tuple(first), tuple(touched), tuple(batches), whole and max(len(chosen), len(seen)) <= limit)


def _touched_of(connection: sqlite3.Connection, command: int, memories: Sequence[int]) -> list[int]:
    """Those of these memories that a command touched."""
    rows = connection.execute(
        "SELECT DISTINCT t.memory FROM touched t JOIN events e ON e.seq = t.seq"
        " WHERE t.memory IN (SELECT value FROM json_each(?)) AND e.command = ?",
        (_json(memories), command),
    )
    return [row[0] for row in rows] if memories else []


_Pairs = Mapping[Value, tuple[int, int]]  # alerts, and the memories they stand between


def _alerts(connection: sqlite3.Connection, changes: Sequence[Change]) -> _Pairs:
    """The memories that the alerts in some changes stand between; an alert that is gone since is not known."""
    keys = [key[0] for change in changes if change.table == "alerts" for key in keys_of(change)]
    if not keys:
        return {}
    rows = connection.execute(
        "SELECT id, a, b FROM alerts WHERE id IN (SELECT value FROM json_each(?))", (_json(keys),)
    )
    return {row["id"]: (row["a"], row["b"]) for row in rows}


def _concerned(change: Change, pairs: _Pairs) -> Iterator[int]:
    """The memories that a change is about."""
    if change.table != "alerts":
        yield from memories_of(change)
    elif isinstance(change, Update):
        yield from (memory for key in change.keys for memory in pairs.get(key[0], ()))
    else:
        yield from (int(row[name] or 0) for row in _rows(change) for name in ("a", "b"))


def _rows(change: Insert | Delete) -> Iterator[dict[str, Value]]:
    return (dict(zip(change.columns, row, strict=True)) for row in change.rows)


def _touched(changes: Iterable[Change], chosen: Mapping[int, int], pairs: _Pairs) -> Iterator[Touched]:
    """What was done to the chosen memories, in the order it was done."""
    for change in changes:
        if isinstance(change, Update):
            for memory, other in _of_update(change, chosen, pairs):
                for column, before, after in zip(change.columns, change.before, change.after, strict=True):
                    if column not in _UNSAID and (before != after or column == "text"):  # purged texts are both empty
                        yield Touched(memory, Did.CHANGED, column, before, after, other, reason_for(change, memory))
        elif change.table in _PARTS or change.table == "alerts":
            for row in _rows(change):
                memory, other, column, value = _of_row(change.table, row)
                if memory in chosen or (other in chosen and change.table == "alerts"):
                    if memory not in chosen and other is not None:
                        memory, other = other, memory
                    added = isinstance(change, Insert)
                    before, after = (None, value) if added else (value, None)
                    yield Touched(memory, Did.ADDED if added else Did.REMOVED, column, before, after, other)


def _of_update(change: Update, chosen: Mapping[int, int], pairs: _Pairs) -> Iterator[tuple[int, int | None]]:
    """The chosen memories whose columns, or alerts, were changed, and the other one of an alert."""
    if change.table == "memories":
        keys = {key[0] for key in change.keys} if len(change.keys) > len(chosen) else [key[0] for key in change.keys]
        yield from ((memory, None) for memory in chosen if memory in keys)
    elif change.table == "alerts":
        for key in change.keys:
            a, b = pairs.get(key[0], (0, 0))
            if a in chosen or b in chosen:
                yield (a, b) if a in chosen else (b, a)


def _of_row(table: str, row: Mapping[str, Value]) -> tuple[int, int | None, str, Value]:
    """Memory, other memory, what it is called and what it says."""
    if table == "alerts":
        return int(row["a"] or 0), int(row["b"] or 0), "alert", row["relation"]
    column, value = _PARTS[table]
    merged = row.get("merged_from")
    memory = row["id" if table == "memories" else "memory"]
    return int(memory or 0), None if merged is None else int(merged), column, row[value]


def _seen(changes: Iterable[Change]) -> dict[int, tuple[Did, int]]:
    """Conversations that were shown, hidden or read, and the batch that was."""
    found: dict[int, tuple[Did, int]] = {}
    for change in changes:
        if isinstance(change, Update) or change.table not in ("segments", "distilled"):
            continue
        shown = Did.ADDED if isinstance(change, Insert) else Did.REMOVED
        for row in _rows(change):
            number = int(row["conversation"] or 0)
            if change.table == "segments":
                found[number] = (shown, int(row["batch"] or 0))
            else:
                found.setdefault(number, (Did.CHANGED, 0))
    return found


def _batch(connection: sqlite3.Connection, conversation: int, seen: tuple[Did, int]) -> Batch:
    did, batch = seen
    row = connection.execute(
        "SELECT c.source, c.title, c.created_at, count(m.id) AS messages, min(m.id) AS first FROM conversations c"
        " LEFT JOIN messages m ON m.conversation = c.id AND m.batch = ? WHERE c.id = ?",
        (batch, conversation),
    ).fetchone()
    return Batch(conversation, did, **dict(row))


def _json(values: Sequence[Value]) -> str:
    return orjson.dumps(list(values)).decode()

"""Effects of commands on memories and conversations, read from their events."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, islice

from store.errors import NotFound
from store.record.changes import Change, Insert, Update, Value, decode, memories_of, reason_for, rows_of
from store.record.repository import Repository, json_list

_SMALL = 16_384  # bytes of the largest event that is decoded for each line of a list
_INTERNAL = {"content_key", "owner", "seq", "a_key", "b_key", "settled_by"}  # columns of no interest to a person
_PARTS = {
    "memories": ("memory", "text"),
    "tags": ("tag", "tag"),
    "evidence": ("quote", "quote"),
    "versions": ("version", "text"),
}
_Pairs = Mapping[Value, tuple[int, int]]  # alerts, and their memories


class EffectKind(StrEnum):
    """Kind of an effect."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class MemoryEffect:
    """One effect of a command on a memory.

    `column` names a changed column, or what was added or removed: the "memory" itself (the value is its text), a
    "tag", a "quote", a "version" (`other` is the memory it was merged from) or an "alert" (against `other`). `why` is
    the reason that a sweep gave for a change, or empty.
    """

    memory: int
    kind: EffectKind
    column: str
    before: Value
    after: Value
    other: int | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class ConversationEffect:
    """Effect of a command on a conversation: it showed or hid `messages` of it, or read it for memories (CHANGED).

    `first` is the first of those messages, or None.
    """

    conversation: int
    kind: EffectKind
    source: str
    title: str | None
    created_at: int | None
    messages: int
    first: int | None


@dataclass(frozen=True, slots=True)
class CommandEffects:
    """Effects of a command on the first memories and conversations it touched.

    `touched` is grouped by memory, in the order of `memories`. `whole` is False if there are more of either.
    """

    memories: tuple[int, ...]
    touched: tuple[MemoryEffect, ...]
    batches: tuple[ConversationEffect, ...]
    whole: bool


class Effects(Repository):
    """Reads the effects of commands."""

    def first_touched(self, ids: Sequence[int]) -> dict[int, int]:
        """Return the first memory that each of these commands touched; commands with a large event are left out."""
        rows = self._rows(
            "SELECT e.command, e.changes FROM json_each(?) w CROSS JOIN commands c ON c.id = w.value AND c.owner = ?"
            " CROSS JOIN events e ON e.seq = (SELECT min(f.seq) FROM events f WHERE f.command = c.id)"
            " WHERE length(e.changes) <= ?",
            json_list(ids),
            self.owner,
            _SMALL,
        )
        touched = {row["command"]: [*map(memories_of, decode(row["changes"]))] for row in rows}
        return {command: next(chain(*memories)) for command, memories in touched.items() if any(memories)}

    def effects(self, command: int, limit: int = 50, before: Sequence[int] = ()) -> CommandEffects:
        """Return the effects of a command on the first `limit` memories and conversations. Raises NotFound.

        Touched memories in `before` precede the others. Of a large command, only the events that touched these memories
        are read; an alert between others may be missing.
        """
        if not self._rows("SELECT 1 FROM commands WHERE id = ? AND owner = ?", command, self.owner):
            raise NotFound(f"there is no command {command}; `curator log` lists them")
        events: dict[int, list[Change]] = {}
        chosen = dict.fromkeys(
            self._ids(
                "SELECT DISTINCT t.memory FROM touched t JOIN events e ON e.seq = t.seq"
                " WHERE t.memory IN (SELECT value FROM json_each(?)) AND e.command = ?",
                json_list(before),
                command,
            )
        )
        whole = True
        with self._connect() as connection:
            for event in connection.execute(
                "SELECT seq, changes FROM events WHERE command = ? ORDER BY seq", (command,)
            ):
                if len(chosen) > limit:
                    whole = False
                    break
                events[event["seq"]] = decode(event["changes"])
                pairs = self._sides(events[event["seq"]])
                for change in events[event["seq"]]:
                    chosen |= dict.fromkeys(islice(_memories_of(change, pairs), limit + 1))
        first = {memory: index for index, memory in enumerate(islice(chosen, limit))}
        if not whole:
            rows = self._rows(
                "SELECT seq, changes FROM events WHERE command = ? AND seq IN"
                " (SELECT seq FROM touched WHERE memory IN (SELECT value FROM json_each(?)))",
                command,
                json_list(first),
            )
            events |= {row["seq"]: decode(row["changes"]) for row in rows if row["seq"] not in events}
        done = [change for seq in sorted(events) for change in events[seq]]
        touched = sorted(_touched(done, first, self._sides(done)), key=lambda item: first[item.memory])
        seen = _conversations_of(done)
        batches = [self._batch(conversation, *item) for conversation, item in islice(seen.items(), limit)]
        return CommandEffects(
            tuple(first), tuple(touched), tuple(batches), whole and max(len(chosen), len(seen)) <= limit
        )

    def _sides(self, changes: Sequence[Change]) -> _Pairs:
        """Return the memories of the alerts in some changes; deleted alerts are missing."""
        keys = [key for change in changes if change.table == "alerts" for key in change.column("id")]
        query = "SELECT id, a, b FROM alerts WHERE id IN (SELECT value FROM json_each(?))"
        return {row["id"]: (row["a"], row["b"]) for row in (self._rows(query, json_list(keys)) if keys else ())}

    def _batch(self, conversation: int, kind: EffectKind, batch: int) -> ConversationEffect:
        (row,) = self._rows(
            "SELECT c.source, c.title, c.created_at, count(m.id) AS messages, min(m.id) AS first FROM conversations c"
            " LEFT JOIN messages m ON m.conversation = c.id AND m.batch = ? WHERE c.id = ?",
            batch,
            conversation,
        )
        return ConversationEffect(conversation, kind, **dict(row))


def _memories_of(change: Change, pairs: _Pairs) -> Iterator[int]:
    """Yield the memories of a change, including those of its alerts."""
    if change.table != "alerts":
        yield from memories_of(change)
    elif isinstance(change, Update):
        yield from (memory for key in change.keys for memory in pairs.get(key[0], ()))
    else:
        yield from (int(row[name] or 0) for row in rows_of(change) for name in ("a", "b"))


def _touched(changes: Sequence[Change], chosen: Mapping[int, int], pairs: _Pairs) -> Iterator[MemoryEffect]:
    """Yield the effects on the chosen memories, in order."""
    for change in changes:
        if isinstance(change, Update):
            for memory, other in _updated(change, chosen, pairs):
                for column, before, after in zip(change.columns, change.before, change.after, strict=True):
                    if column not in _INTERNAL and (before != after or column == "text"):  # purged texts are both empty
                        yield MemoryEffect(
                            memory, EffectKind.CHANGED, column, before, after, other, reason_for(change, memory)
                        )
            continue
        added = isinstance(change, Insert)
        kind = EffectKind.ADDED if added else EffectKind.REMOVED
        for row in rows_of(change):
            if change.table == "alerts":
                column, value, sides = "alert", row["relation"], (int(row["a"] or 0), int(row["b"] or 0))
                memory, other = sides if sides[0] in chosen else sides[::-1]
            elif change.table in _PARTS:
                column, value = _PARTS[change.table][0], row[_PARTS[change.table][1]]
                memory = int(row["id" if change.table == "memories" else "memory"] or 0)
                other = None if row.get("merged_from") is None else int(row["merged_from"] or 0)
            else:
                break
            if memory in chosen:
                before, after = (None, value) if added else (value, None)
                yield MemoryEffect(memory, kind, column, before, after, other)


def _updated(change: Update, chosen: Mapping[int, int], pairs: _Pairs) -> Iterator[tuple[int, int | None]]:
    """Yield the chosen memories with changed columns or alerts, with the other memory of an alert."""
    if change.table == "memories":
        keys = {key[0] for key in change.keys}
        yield from ((memory, None) for memory in chosen if memory in keys)
    elif change.table == "alerts":
        for key in change.keys:
            a, b = pairs.get(key[0], (0, 0))
            if a in chosen or b in chosen:
                yield (a, b) if a in chosen else (b, a)


def _conversations_of(changes: Sequence[Change]) -> dict[int, tuple[EffectKind, int]]:
    """Return the conversations that were shown, hidden or read, and the batch concerned."""
    found: dict[int, tuple[EffectKind, int]] = {}
    for change in changes:
        if isinstance(change, Update) or change.table not in ("segments", "distilled"):
            continue
        shown = EffectKind.ADDED if isinstance(change, Insert) else EffectKind.REMOVED
        for row in rows_of(change):
            number = int(row["conversation"] or 0)
            if change.table == "segments":
                found[number] = (shown, int(row["batch"] or 0))
            else:
                found.setdefault(number, (EffectKind.CHANGED, 0))
    return found

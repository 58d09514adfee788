"""Erase purged words from rows and journaled changes.

Rows and journal are cleaned by the same functions, so that replaying the journal still gives the rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import orjson

from store.record.changes import Change, Update, Value, is_judgment, memories_of, narrowed
from store.record.text_redaction import PurgedWords, Span, covered

EMPTY: Mapping[str, Mapping[str, Value]] = {  # values that remain in the rows of a purged memory
    "memories": {
        "text": "",
        "scope": "global",
        **dict.fromkeys(("project", "session", "subject", "relation", "object", "span", "surprise")),
    },
    "evidence": {"quote": "", "reference": None, "source": None, "title": None},
    "versions": {"text": ""},
    "alerts": {"reasons": "[]"},
}
MEMORY = {**dict.fromkeys(("evidence", "versions", "tags"), ("memory",)), "memories": ("id",), "alerts": ("a", "b")}
_SHARED = {
    "memories": ("text", "subject", "relation", "object", "span", "project", "scope", "session", "source"),
    "versions": ("text",),
    "evidence": ("quote", "reference"),
}  # columns that may contain the words in other rows too


@dataclass(frozen=True, slots=True)
class Erasure:
    """Everything that a purge erases: memories, words, spans of messages, and external ids with their substitutes.

    `keys` are the content keys of all texts that the memories ever had, and `quotes` their quotes from logs that are
    not stored, as (reference, start, quote); both identify copies that a merge made in other memories.
    """

    memories: frozenset[int]
    words: PurgedWords
    spans: Mapping[int, Sequence[Span]]
    external_ids: Mapping[Value, str]
    keys: frozenset[Value]
    quotes: frozenset[tuple[Value, ...]]

    def row(self, table: str, columns: Sequence[str], values: Sequence[Value]) -> tuple[Value, ...] | None:
        """Return a row without the erased words; None for a row to delete."""
        if table not in MEMORY:
            return tuple(values)
        row = dict(zip(columns, values, strict=True))
        own = any(row[column] in self.memories for column in MEMORY[table])
        if table == "tags":
            return None if own or self.words.spans(str(row["tag"])) else tuple(values)
        taken_over = table == "versions" and row["merged_from"] in self.memories and row["content_key"] in self.keys
        if taken_over and not own:
            return None
        return self._own(table, row) if own else self._others(table, row)

    def kept(self, table: str, row: dict[str, Value]) -> dict[str, Value] | None:
        """Return some columns of a row without the erased words; None for a row to delete."""
        whole = row.keys() >= {*MEMORY.get(table, ())}
        clean = self.row(table, [*row], [*row.values()]) if whole else self._others(table, row.copy())
        return None if clean is None else dict(zip(row, clean, strict=True))

    def _own(self, table: str, row: dict[str, Value]) -> tuple[Value, ...]:
        if table == "memories" and isinstance(row.get("source"), str):
            row["source"] = self.words.cover(str(row["source"]))
        return tuple(self._value(column, EMPTY[table].get(column, value)) for column, value in row.items())

    def _others(self, table: str, row: dict[str, Value]) -> tuple[Value, ...]:
        if table == "evidence" and row["message"] is None and place_of(row) in self.quotes:
            row |= EMPTY[table]
        elif table == "evidence":
            start, message = int(row["start"] or 0), int(row["message"] or 0)
            within = [(begin - start, end - start) for begin, end in self.spans.get(message, ())]
            row["quote"] = covered(str(row["quote"]), within)
            if isinstance(row["title"], str):
                row["title"] = self.words.cover_title(row["title"])
        elif table == "alerts" and isinstance(row.get("reasons"), str):
            reasons = [str(reason) for reason in orjson.loads(str(row["reasons"]))]
            clean = [self.words.cover(reason) for reason in reasons]
            row["reasons"] = row["reasons"] if clean == reasons else orjson.dumps(clean).decode()
        for column in _SHARED.get(table, ()):
            value = row.get(column)
            if isinstance(value, str):
                row[column] = self.words.cover(value)
        return tuple(self._value(column, value) for column, value in row.items())

    def _value(self, column: str, value: Value) -> Value:
        return self.external_ids.get(value, value) if column == "external_id" else value

    def change(self, change: Change) -> list[Change]:
        """Return a change without the erased words, split if only some of its memories are erased."""
        if not isinstance(change, Update):
            rows = (self.row(change.table, change.columns, row) for row in change.rows)
            kept = tuple(row for row in rows if row is not None)
            return [replace(change, rows=kept)] if kept else []
        if change.table != "memories" or is_judgment(change):
            return [change]
        parts: list[Change] = []
        for own, clean in ((True, self._own), (False, self._others)):
            keys = tuple(key for key in change.keys if (key[0] in self.memories) is own)
            if keys:
                before, after = (
                    clean("memories", dict(zip(change.columns, values, strict=True)))
                    for values in (change.before, change.after)
                )
                parts.append(replace(narrowed(change, keys), before=before, after=after))
        return parts

    def concerns(self, change: Change) -> bool:
        """Return True if a change is about an erased memory, even if it contains none of its words."""
        return not self.memories.isdisjoint(
            change.column("memory") if change.table == "tombstones" else memories_of(change)
        )


def place_of(row: Mapping[str, Value]) -> tuple[Value, ...]:
    """Return the (reference, start, quote) that identifies a quote from a log that is not stored."""
    return row["reference"], row["start"], row["quote"]

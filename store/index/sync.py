"""Updates of a generation from the record: from nothing, or from its mark; and its comparison with the record."""

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from store.index import queries, reader, tables, versions
from store.index.reader import Row
from store.index.tables import Tables
from store.index.versions import Mark
from store.model import Fingerprint
from store.store import Store

Progress = Callable[[int, int], None]

_MEMORIES = 2_000  # a step
_MANY = 20_000  # changed memories; up to so many it is a matter of seconds either way
_DEARER = 6  # times as long as adding a row to a new generation takes replacing one in an old
_MESSAGES = 500
_CHARACTERS = 8_000_000  # of messages in one commit


def can_follow(store: Store, fingerprint: Fingerprint, mark: Mark, connection: sqlite3.Connection) -> bool:
    """Return whether a generation with this mark was made from this record's past, with vectors of this fingerprint."""
    same = (mark.store, mark.fingerprint) == (store.epoch, fingerprint.label)
    return same and all(own <= last for own, last in zip(mark.last, reader.last(connection), strict=True))


def advance(
    store: Store,
    fingerprint: Fingerprint,
    current: Tables,
    mark: Mark,
    connection: sqlite3.Connection,
    progress: Progress | None,
) -> bool:
    """Apply what is new. False if a new generation is better: something was purged, whose words may be anywhere in the
    files, or so much has changed that it is quicker (eight minutes against two, for two thirds of a million).
    """
    changed = reader.changed(connection, fingerprint, mark.seq, mark.vector)
    if reader.any_purged(connection, changed):
        return False
    last = reader.last(connection)
    if mark.last == last:
        return True
    ids = sorted(changed | reader.beside(connection, store.owner, changed))
    if len(ids) > _MANY and len(ids) * _DEARER > len(reader.live_ids(connection, store.owner)) + last.message:
        return False
    for part, rows in _parts(store, fingerprint, connection, ids, progress):
        tables.put_memories(current, rows, set(part) - {row.memory.id for row in rows})
    mark = versions.write_mark(current.folder, replace(mark, seq=last.event, vector=last.vector))
    if mark.message < last.message:
        tables.remove_messages_after(current, mark.message)
        mark = _add_messages(store, current, mark, connection)
    trained = tables.train(current, mark.trained)
    tables.tidy(current)
    if trained != mark.trained:
        versions.write_mark(current.folder, replace(mark, trained=trained))
    return True


def build(
    store: Store, fingerprint: Fingerprint, home: Path, connection: sqlite3.Connection, progress: Progress | None
) -> Tables:
    """Make a whole new generation and have it searched; the old ones are deleted."""
    folder = versions.fresh(home)
    new, _ = fill(store, fingerprint, folder, connection, progress)
    versions.switch(folder)
    versions.sweep(home)
    return new


def fill(
    store: Store,
    fingerprint: Fingerprint,
    folder: Path | None,
    connection: sqlite3.Connection,
    progress: Progress | None,
) -> tuple[Tables, Mark]:
    """Make the tables of a new generation in an empty folder, or in memory; return them with their mark."""
    new = tables.create(folder, fingerprint.dimension)
    last = reader.last(connection)
    parts = _parts(store, fingerprint, connection, reader.live_ids(connection, store.owner), progress)
    tables.add_memories(new, (rows for _, rows in parts))
    mark = _add_messages(store, new, Mark(store.epoch, fingerprint.label, last.event, last.vector), connection)
    tables.index_texts(new)
    return new, versions.write_mark(new.folder, replace(mark, trained=tables.train(new, 0)))


def _parts(
    store: Store,
    fingerprint: Fingerprint,
    connection: sqlite3.Connection,
    ids: Sequence[int],
    progress: Progress | None,
) -> Iterator[tuple[Sequence[int], list[Row]]]:
    """Read memories in parts of bounded size, as (ids, rows); what is done with a part counts as progress."""
    for start in range(0, len(ids), _MEMORIES):
        part = ids[start : start + _MEMORIES]
        yield part, reader.rows(connection, store.owner, fingerprint, part)
        if progress:
            progress(start + len(part), len(ids))


def _add_messages(store: Store, current: Tables, mark: Mark, connection: sqlite3.Connection) -> Mark:
    """Add the messages after the mark, in commits of bounded size; return the mark as it was written."""
    batch, size, last = [], 0, mark.message
    while messages := store.raw.messages_since(last, _MESSAGES):
        last = messages[-1].id
        batch += messages
        size += sum(len(message.text) for message in messages)
        if size > _CHARACTERS:
            tables.add_messages(current, batch)
            mark = versions.write_mark(current.folder, replace(mark, message=last))
            batch, size = [], 0
    if batch:
        tables.add_messages(current, batch)
    return versions.write_mark(current.folder, replace(mark, message=reader.last(connection).message))


_AT_ONCE = 5_000  # memories whose texts are compared together
_LISTED = 20  # differences that are named


@dataclass(frozen=True, slots=True)
class Held:
    """Content of an index: memories as (last event, has a vector), their texts, messages, and ids that are twice."""

    memories: Mapping[int, tuple[int, bool]]
    texts: Mapping[int, str]
    messages: frozenset[int]
    twice: list[str]


def read_tables(tables: Tables) -> Held:
    """Read what is compared. Raises what LanceDB raises for damaged files."""
    columns: Any = {"id": "id", "seq": "seq", "embedded": "vector IS NOT NULL", "text": "text"}
    memories = queries.rows(tables.memories.search().select(columns), *columns)
    messages = [number for (number,) in queries.rows(tables.messages.search().select(["id"]), "id")]
    counts = Counter([("memory", row[0]) for row in memories] + [("message", number) for number in messages])
    return Held(
        {memory: (seq, embedded) for memory, seq, embedded, _ in memories},
        {memory: text for memory, *_, text in memories},
        frozenset(messages),
        [f"{what} {number} is in the index twice" for (what, number), count in sorted(counts.items()) if count > 1],
    )


def differences(store: Store, fingerprint: Fingerprint, mark: Mark, held: Held, folder: Path | None) -> list[str]:
    """Return how an index differs from the record, in words; `folder` is None for one in memory."""
    changed = [] if folder is None else versions.changed_files(folder)
    with reader.snapshot(store) as connection:
        wanted = reader.state(connection, store.owner, fingerprint)
        messages = reader.message_ids(connection, store.owner)
    has, both = held.memories, sorted(held.memories.keys() & wanted.keys())
    found = [] if mark.fingerprint == fingerprint.label else ["the index holds another embedder's vectors"]
    found += held.twice
    found += [f"memory {memory} is in the index and should not be" for memory in sorted(has.keys() - wanted.keys())]
    found += [f"memory {memory} is not in the index" for memory in sorted(wanted.keys() - has.keys())]
    found += [f"memory {memory} is not in the index as it is now" for memory in both if has[memory] != wanted[memory]]
    for start in range(0, len(both), _AT_ONCE):
        found += [
            f"memory {memory.id} is in the index in other words"
            for memory in store.get_many(both[start : start + _AT_ONCE])
            if memory.text != held.texts[memory.id]
        ]
    found += [f"{name} in {folder} was changed since it was written: search may miss something" for name in changed]
    found += [f"message {message} is not in the index" for message in sorted(messages - held.messages)]
    found += [f"message {message} is in the index and should not be" for message in sorted(held.messages - messages)]
    more = len(found) - _LISTED
    return found if more <= 0 else [*found[:_LISTED], f"and {more} more"]

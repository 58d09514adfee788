"""Updates of a generation from the record: from nothing, or from its mark."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from store.index import reader, tables, versions
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

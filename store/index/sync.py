"""How a generation comes to hold what the record holds: from nothing, or from where its mark says it is."""

import sqlite3
from collections.abc import Callable, Iterator
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
    """Whether a generation with this mark was made from this record's past, with vectors of this fingerprint."""
    return (
        mark.store == store.epoch
        and mark.fingerprint == fingerprint.label
        and mark.seq <= reader.last_event(connection)
        and mark.vector <= reader.last_vector(connection)
        and mark.message <= reader.last_message(connection)
    )


def advance(
    store: Store,
    fingerprint: Fingerprint,
    current: Tables,
    mark: Mark,
    connection: sqlite3.Connection,
    progress: Progress | None,
) -> bool:
    """Apply what is new. False if a new generation is better: something was purged, whose words may be anywhere in the
    files, or so much has changed that it is quicker (eight minutes against two, for two thirds of a million)."""
    changed = reader.changed(connection, fingerprint, mark.seq, mark.vector)
    if reader.purged(connection, changed):
        return False
    newest = (reader.last_event(connection), reader.last_vector(connection), reader.last_message(connection))
    if (mark.seq, mark.vector, mark.message) == newest:
        return True
    ids = sorted(changed | reader.beside(connection, store.owner, changed))
    if len(ids) > _MANY:
        whole = len(reader.live_ids(connection, store.owner)) + reader.last_message(connection)
        if len(ids) * _DEARER > whole:
            return False
    for start in range(0, len(ids), _MEMORIES):
        part = ids[start : start + _MEMORIES]
        rows = reader.rows(connection, store.owner, fingerprint, part)
        tables.put_memories(current, rows, set(part) - {row.memory.id for row in rows})
        if progress:
            progress(start + len(part), len(ids))
    mark = replace(mark, seq=reader.last_event(connection), vector=reader.last_vector(connection))
    _note(current, mark)
    if mark.message < reader.last_message(connection):
        tables.remove_messages_after(current, mark.message)
        mark = _add_messages(store, current, mark, connection)
    trained = tables.train(current, mark.trained)
    tables.tidy(current)
    if trained != mark.trained:
        mark = replace(mark, trained=trained)
        _note(current, mark)
    return True


def build(
    store: Store, fingerprint: Fingerprint, home: Path, connection: sqlite3.Connection, progress: Progress | None
) -> Tables:
    """Make a whole new generation and have it searched; the old ones go."""
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
    """Make the tables of a new generation in an empty folder, or in memory; returns also how far they go."""
    new = tables.create(folder, fingerprint.dimension)
    mark = Mark(store.epoch, fingerprint.label, reader.last_event(connection), reader.last_vector(connection))
    ids = reader.live_ids(connection, store.owner)

    def parts() -> Iterator[list[Row]]:
        for start in range(0, len(ids), _MEMORIES):
            part = ids[start : start + _MEMORIES]
            yield reader.rows(connection, store.owner, fingerprint, part)
            if progress:
                progress(start + len(part), len(ids))

    tables.add_memories(new, parts())
    mark = _add_messages(store, new, mark, connection)
    tables.index_texts(new)
    mark = replace(mark, trained=tables.train(new, 0))
    _note(new, mark)
    return new, mark


def _note(current: Tables, mark: Mark) -> None:
    if current.folder is not None:
        versions.write_mark(current.folder, mark)


def _add_messages(store: Store, current: Tables, mark: Mark, connection: sqlite3.Connection) -> Mark:
    """Add the messages after the mark, in commits of bounded size; returns the mark as it was written."""
    batch, size, last = [], 0, mark.message
    while messages := store.raw.messages_since(last, _MESSAGES):
        last = messages[-1].id
        batch += messages
        size += sum(len(message.text) for message in messages)
        if size > _CHARACTERS:
            tables.add_messages(current, batch)
            mark = replace(mark, message=last)
            _note(current, mark)
            batch, size = [], 0
    if batch:
        tables.add_messages(current, batch)
    mark = replace(mark, message=reader.last_message(connection))
    _note(current, mark)
    return mark

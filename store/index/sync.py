"""Build a generation of the index, update it from the record, and compare it with the record."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from store.index import matrix, queries, tables, versions, words
from store.index.reader import IndexReader, Row
from store.index.tables import Tables
from store.index.unspaced import with_bigrams
from store.index.versions import IndexPosition

Progress = Callable[[int, int], None]
"""Called with (done, total) memories."""
_MEMORIES = 2_000  # read per step
_MANY = 20_000  # changed memories up to which a generation is always updated: that and a rebuild take seconds
_DEARER = 6  # cost of replacing a row in an old generation, relative to adding one to a new one
_MESSAGES = 500  # read per step
_CHARACTERS = 8_000_000  # of messages per commit


def advance(record: IndexReader, current: Tables, mark: IndexPosition, progress: Progress | None) -> bool:
    """Apply the changes since a mark; return False if a new generation must be built instead.

    It must after a purge, because the words may be anywhere in the files; after so many changes that a rebuild is
    faster (two minutes instead of eight, for two thirds of a million); or if there are now so many vectors that they
    belong in the tables.
    """
    changed = record.changed(mark.seq, mark.vector)
    if record.any_purged(changed):
        return False
    last = record.last()
    if mark.vectors and last.vector >= tables.TRAIN_FROM:
        return False
    if mark.last == last:
        return True
    ids = sorted(changed | record.session_neighbours(changed))
    if len(ids) > _MANY and len(ids) * _DEARER > len(record.live_ids()) + last.message:
        return False
    beside = current.folder if mark.words else None
    for part, rows in _parts(record, ids, progress):
        removed = set(part) - {row.memory.id for row in rows}
        tables.put_memories(current, rows, removed, not mark.vectors)
        if beside is not None:
            words.put(beside, rows, removed)
    if mark.vectors and current.folder is not None:
        matrix.write(record, current.folder, last)
    if beside is not None and words.count(beside) >= tables.WORDS_FROM:
        tables.index_memories(current)
        mark = replace(mark, words=False)
    mark = versions.write_mark(current.folder, replace(mark, seq=last.event, vector=last.vector))
    if mark.message < last.message:
        tables.remove_messages_after(current, mark.message)
        mark = _add_messages(record, current, mark)
    trained = tables.train(current, mark.trained)
    tables.tidy(current, mark.words)
    if beside is not None and not mark.words:
        words.remove(beside)
    if trained != mark.trained:
        versions.write_mark(current.folder, replace(mark, trained=trained))
    return True


def build(record: IndexReader, folder: Path | None, progress: Progress | None) -> tuple[Tables, IndexPosition]:
    """Build the tables of a new generation in an empty folder, or in memory; return them with their mark."""
    new = tables.create(folder, record.fingerprint.dimension)
    last, ids = record.last(), record.live_ids()
    beside = folder if len(ids) < tables.WORDS_FROM else None
    bare = last.vector < tables.TRAIN_FROM
    if beside is not None:
        words.put(beside, ())

    def parts() -> Iterator[list[Row]]:
        for _, rows in _parts(record, ids, progress):
            if beside is not None:
                words.put(beside, rows)
            yield rows

    tables.add_memories(new, parts(), not bare)
    if bare and folder is not None:
        matrix.write(record, folder, last)
    mark = IndexPosition(
        record.store.epoch, record.fingerprint.label, last.event, last.vector, words=beside is not None, vectors=bare
    )
    mark = _add_messages(record, new, mark)
    tables.index_messages(new)
    if beside is None:
        tables.index_memories(new)
    return new, versions.write_mark(new.folder, replace(mark, trained=tables.train(new, 0)))


def _parts(
    record: IndexReader, ids: Sequence[int], progress: Progress | None
) -> Iterator[tuple[Sequence[int], list[Row]]]:
    """Read memories in parts of bounded size, as (ids, rows); report progress once a part has been processed."""
    for start in range(0, len(ids), _MEMORIES):
        part = ids[start : start + _MEMORIES]
        yield part, record.rows(part)
        if progress:
            progress(start + len(part), len(ids))


def _add_messages(record: IndexReader, current: Tables, mark: IndexPosition) -> IndexPosition:
    """Add the messages after the mark, in commits of bounded size; return the mark as written."""
    batch, size, last = [], 0, mark.message
    while messages := record.store.raw.messages_since(last, _MESSAGES):
        last = messages[-1].id
        batch += messages
        size += sum(len(message.text) for message in messages)
        if size > _CHARACTERS:
            tables.add_messages(current, batch)
            mark = versions.write_mark(current.folder, replace(mark, message=last))
            batch, size = [], 0
    if batch:
        tables.add_messages(current, batch)
    return versions.write_mark(current.folder, replace(mark, message=record.last().message))


_AT_ONCE = 5_000  # memories whose texts are read and compared at once
_LISTED = 20  # maximum differences listed


Content = tuple[list[tuple[int, int, bool, str]], list[int]]
"""Contents of an index: memories as (id, last event, has a vector, text), and ids of messages."""


def content(tables: Tables) -> Content:
    """Read the contents to compare. Raises LanceDB's errors for damaged files."""
    columns: Any = {"id": "id", "seq": "seq", "embedded": "vector IS NOT NULL", "text": "text"}
    memories = queries.rows(tables.memories.search().select(columns), *columns)
    return memories, [number for (number,) in queries.rows(tables.messages.search().select(["id"]), "id")]


def differences(record: IndexReader, mark: IndexPosition, held: Content, folder: Path | None) -> list[str]:
    """Return the differences of an index from the record, as text; `folder` is None for one in memory."""
    memories, numbers = held
    has = {memory: (seq, embedded) for memory, seq, embedded, _ in memories}
    texts = {memory: text for memory, *_, text in memories}
    counts = Counter([("memory", row[0]) for row in memories] + [("message", number) for number in numbers])
    changed = [] if folder is None else versions.changed_files(folder)
    with record.store.snapshot():
        wanted, messages = record.state(), record.message_ids()
    if mark.vectors:  # they are in no table
        has = {memory: (seq, memory in wanted and wanted[memory][1]) for memory, (seq, _) in has.items()}
    both = sorted(has.keys() & wanted.keys())
    found = [] if mark.fingerprint == record.fingerprint.label else ["the index holds another embedder's vectors"]
    found += [f"{what} {number} is in the index twice" for (what, number), count in sorted(counts.items()) if count > 1]
    found += [f"memory {memory} is in the index and should not be" for memory in sorted(has.keys() - wanted.keys())]
    found += [f"memory {memory} is not in the index" for memory in sorted(wanted.keys() - has.keys())]
    found += [f"memory {memory} is not in the index as it is now" for memory in both if has[memory] != wanted[memory]]
    found += [
        f"memory {memory.id} is in the index in other words"
        for start in range(0, len(both), _AT_ONCE)
        for memory in record.store.get_many(both[start : start + _AT_ONCE])
        if with_bigrams(memory.text) != texts[memory.id]
    ]
    if folder is not None and mark.words:
        current = [memory for memory in both if has[memory] == wanted[memory]]
        found += words.differences(folder, has, record.rows(current))
    if folder is not None and mark.vectors and mark.fingerprint == record.fingerprint.label:
        found += matrix.differences(record, folder)
    found += [f"{name} in {folder} was changed since it was written: search may miss something" for name in changed]
    found += [f"message {message} is not in the index" for message in sorted(messages.difference(numbers))]
    found += [f"message {message} is in the index and should not be" for message in sorted({*numbers} - messages)]
    more = len(found) - _LISTED
    return found if more <= 0 else [*found[:_LISTED], f"and {more} more"]

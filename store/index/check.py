"""Comparison of the search index with the record that it was made of."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from store.index import queries, reader, versions
from store.index.tables import Tables
from store.index.versions import Mark
from store.model import Fingerprint
from store.store import Store

_AT_ONCE = 5_000  # memories whose texts are compared together
_LISTED = 20  # differences that are named


@dataclass(frozen=True, slots=True)
class Held:
    """Content of an index: memories as (last event, has a vector), their texts, messages, and ids that are twice."""

    memories: Mapping[int, tuple[int, bool]]
    texts: Mapping[int, str]
    messages: frozenset[int]
    twice: list[str]


def read(tables: Tables) -> Held:
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

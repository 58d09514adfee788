"""Comparison of the search index with the record that it was made of."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from store.index import queries, reader, versions
from store.index.tables import Tables
from store.index.versions import Mark
from store.model import Fingerprint
from store.store import Store

_AT_ONCE = 5_000  # memories whose texts are compared together
_LISTED = 20  # differences that are named


@dataclass(frozen=True, slots=True)
class Held:
    """Content of an index: memories with their state, their texts, and messages."""

    memories: Sequence[tuple[int, int, bool]]
    texts: Mapping[int, str]
    messages: Sequence[int]


def read(tables: Tables) -> Held:
    """Read what is compared. Raises what LanceDB raises for damaged files."""
    return Held(queries.state(tables), queries.all_words(tables), queries.message_ids(tables))


def differences(store: Store, fingerprint: Fingerprint, mark: Mark, held: Held, folder: Path | None) -> list[str]:
    """Return how an index differs from the record, in words; `folder` is None for one in memory."""
    broken = [] if folder is None else versions.damaged(folder)
    with reader.snapshot(store) as connection:
        should = reader.state(connection, store.owner, fingerprint)
        said = reader.message_ids(connection, store.owner)
    has = {memory: state for memory, *state in held.memories}
    found = [] if mark.fingerprint == fingerprint.label else ["the index holds another embedder's vectors"]
    found += [f"{what} {number} is in the index twice" for what, number in _doubled(held)]
    found += [f"memory {memory} is in the index and should not be" for memory in sorted(has.keys() - should.keys())]
    found += [f"memory {memory} is not in the index" for memory in sorted(should.keys() - has.keys())]
    stale = (memory for memory in sorted(has.keys() & should.keys()) if has[memory] != should[memory])
    found += [f"memory {memory} is not in the index as it is now" for memory in stale]
    reworded = _reworded(store, held.texts, should)
    found += [f"memory {memory} is in the index in other words" for memory in reworded]
    found += [f"{name} in {folder} was changed since it was written: search may miss something" for name in broken]
    found += [f"message {message} is not in the index" for message in sorted(said - set(held.messages))]
    found += [f"message {message} is in the index and should not be" for message in sorted(set(held.messages) - said)]
    more = len(found) - _LISTED
    return found if more <= 0 else [*found[:_LISTED], f"and {more} more"]


def _reworded(store: Store, texts: Mapping[int, str], live: Collection[int]) -> list[int]:
    """Return the memories whose indexed text is not the record's, though the index says that it is up to date."""
    ids = sorted(texts.keys() & set(live))
    found: list[int] = []
    for start in range(0, len(ids), _AT_ONCE):
        memories = store.get_many(ids[start : start + _AT_ONCE])
        found += [memory.id for memory in memories if memory.text != texts[memory.id]]
    return found


def _doubled(held: Held) -> list[tuple[str, int]]:
    items = [("memory", memory) for memory, *_ in held.memories] + [("message", number) for number in held.messages]
    return sorted(item for item, count in Counter(items).items() if count > 1)

"""Every memory in one JSONL file, to keep or to carry into another store."""

from collections.abc import Iterator
from pathlib import Path

import orjson

from curator.export.rows import Json, export_id, full_row
from curator.signature import SCHEMA, signer
from store import Filter, Sort, Store
from store.target import check_target, written_whole

_BLOCK = 1_000


def export_rows(store: Store, which: Filter) -> Iterator[dict[str, Json]]:
    """The memories a filter means, oldest first, as signed objects that `import --format memories` takes back whole.

    Raises Unusable where this device can have no signing key.
    """
    sign = signer()
    ids = store.list_ids(which, Sort.ADDED, descending=False)
    for start in range(0, len(ids), _BLOCK):
        for memory in store.get_many(ids[start : start + _BLOCK]):
            row = full_row(memory, store.evidence(memory.id), store.versions(memory.id))
            del row["external_id"]  # which the id is, or stands in for
            row = {"schema": SCHEMA, **row, "id": export_id(store, memory)}
            yield {**row, "signature": {**sign(row)}}


def export_file(store: Store, file: Path, which: Filter) -> int:
    """Write them to a file that only the owner may read, whole or not at all; returns how many.

    Raises ValueError for a file in the store's own folder, Unwritable.
    """
    check_target(file, store.folder)
    count = 0
    with written_whole(file) as partial, partial.open("wb") as out:
        for row in export_rows(store, which):
            out.write(orjson.dumps(row) + b"\n")
            count += 1
    return count

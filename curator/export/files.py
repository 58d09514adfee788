"""Export of memories as one JSONL file, for archiving or another store."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import orjson

from curator.curation.disclosure import Disclosure
from curator.export.serializers import Json, export_id, full_row
from curator.paths import own_files
from curator.signature import LARGEST, SCHEMA, SCHEMAS, signer
from store import Filter, Sort, Store
from store.atomic_write import check_not_among, check_target, written_whole
from store.model import Evidence, Life, Memory

_BLOCK = 1_000


def export_rows(store: Store, memory_filter: Filter) -> Iterator[dict[str, Json]]:
    """Yield the memories of a filter, oldest first, as signed objects for `import --format memories`.

    Raises Unusable if this device cannot have a signing key.
    """
    sign = signer()
    disclosure = Disclosure(store)
    ids = store.list_ids(memory_filter, Sort.ADDED, descending=False)
    for start in range(0, len(ids), _BLOCK):
        for memory in store.get_many(ids[start : start + _BLOCK]):
            row = full_row(*disclosed(memory, store.evidence(memory.id), disclosure), store.versions(memory.id))
            del row["external_id"]  # redundant with the id
            full = {"schema": SCHEMA, **row, "id": export_id(store, memory)}
            row = {name: _carried(value) for name, value in full.items()}
            yield {**row, "signature": {**sign(row)}}


def _carried(value: Json) -> Json:
    """Return a value with null for numbers that canonical JSON cannot represent, as old imports may contain."""
    if isinstance(value, list):
        return [_carried(item) for item in value]
    if isinstance(value, dict):
        return {name: _carried(item) for name, item in value.items()}
    return None if isinstance(value, int | float) and not -LARGEST <= value <= LARGEST else value  # NaN too


def disclosed(
    memory: Memory, evidence: Sequence[Evidence], disclosure: Disclosure
) -> tuple[Memory, Sequence[Evidence]]:
    """Return a memory and its evidence without undisclosable words; flagged and forgotten memories are unchanged."""
    if memory.life is not Life.LIVE or memory.flag is not None:
        return memory, evidence
    project = disclosure.words(memory.project)
    tags = tuple(tag for tag in memory.tags if disclosure.words(tag))
    quotes = [replace(one, title=disclosure.title(one), quote=disclosure.words(one.quote) or "") for one in evidence]
    sort, _, name = memory.scope.partition(":")
    scope = memory.scope if not name or disclosure.words(name) else f"{sort}:unnamed"
    return replace(memory, project=project, tags=tags, scope=scope), quotes


def is_export_header(head: bytes) -> bool:
    """Return True if a file with these first bytes is an export."""
    return head.startswith(tuple(b'{"schema":"' + name.encode() for name in SCHEMAS))


def export_file(store: Store, file: Path, memory_filter: Filter) -> int:
    """Write memories to a file readable only by its owner, atomically; return their number.

    Raises ValueError for one of the program's own files, Unwritable.
    """
    check_target(file, store.folder)
    check_not_among(file, own_files())

    def write() -> int:
        count = 0
        with written_whole(file) as partial, partial.open("wb") as out:
            for row in export_rows(store, memory_filter):
                out.write(orjson.dumps(row) + b"\n")
                count += 1
        return count

    return store.repeat_if_purged(write)

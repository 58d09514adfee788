"""Ids of ready memories that look like secrets: distinct, recognised again, never stored as they are."""

from pathlib import Path

import orjson

from curator.secrets import redact
from curator.services.import_logs import import_paths
from effort import thorough
from factories import put
from store import Filter, Store

IDS = [
    f"key-{half}7B0248380C2703C158".lower()
    for half in ("2030CB37B1FFFB3AFBEC8F", "CB383B9955905C5C8CD9EE", "29124A497CE320E1098658")
]
TEXTS = ["I live in Lisbon", "My dog is called Rufus", "I am allergic to penicillin"]


def ready(folder: Path) -> Path:
    file = folder / "ready.jsonl"
    file.write_bytes(b"\n".join(orjson.dumps({"id": i, "text": t}) for i, t in zip(IDS, TEXTS, strict=True)))
    return file


@thorough
def test_rows_whose_ids_look_like_secrets_are_all_imported(store: Store, tmp_path: Path) -> None:
    assert all(redact(one).count for one in IDS)
    file = ready(tmp_path)
    import_paths(store, [file], None)
    found = [store.get(number) for number in store.list_ids(Filter())]
    assert {memory.text for memory in found} == set(TEXTS)
    assert len({memory.external_id for memory in found}) == 3
    assert not any(
        one.encode() in path.read_bytes() for one in IDS for path in store.folder.iterdir() if path.is_file()
    )
    assert import_paths(store, [file], None).known == 3 and len(store.list_ids(Filter())) == 3


def test_one_imported_when_such_ids_were_redacted_is_known_again(store: Store, tmp_path: Path) -> None:
    put(store, TEXTS[0], external_id="[REDACTED]")
    assert import_paths(store, [ready(tmp_path)], None).known == 1
    assert len(store.list_ids(Filter())) == 3

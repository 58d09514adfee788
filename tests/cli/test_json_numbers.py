"""Numbers that JSON cannot represent exactly: refused by an import, and no reason to skip a memory in an export."""

import os
from pathlib import Path
from typing import Any

import orjson
import pytest

from cli.runner import Curator
from effort import thorough
from factories import put, quote
from store import Store

HUGE = 1 << 60


@pytest.mark.parametrize(
    "fields",
    [
        {"session": "s", "ordinal": HUGE},
        {"session": "s", "ordinal": 1 << 53},
        {"evidence": [{"quote": "gardener", "start": HUGE, "end": HUGE + 8}]},
    ],
)
def test_an_import_refuses_it_by_name(curator: Curator, tmp_path: Path, fields: Any) -> None:
    file = tmp_path / "odd.jsonl"
    rows = [{"id": "o1", "text": "I work as a gardener", **fields}, {"id": "o2", "text": "I like tea"}]
    file.write_bytes(b"\n".join(map(orjson.dumps, rows)))
    ran = curator("import", file)
    assert "9,007,199,254,740,991" in ran.out + ran.err
    assert [row["text"] for row in curator("list", "--json").rows] == ["I like tea"]
    assert curator("export", tmp_path / "out.jsonl").code == 0


@thorough
def test_one_that_is_stored_leaves_its_row_and_the_others_exported(curator: Curator, tmp_path: Path) -> None:
    store = Store.open(Path(os.environ["CURATOR_HOME"]) / "store")
    put(store, "I work as a gardener", session="s", ordinal=HUGE)
    put(store, "I have a dog", evidence=(quote("dog", "I have a dog"),))
    with store.command("edit") as writer:
        writer.update("evidence", [1], {"start": HUGE, "end": HUGE + 3})
    store.close()
    ran = curator("export", tmp_path / "out.jsonl")
    assert ran.code == 0, ran.err
    first, second = map(orjson.loads, (tmp_path / "out.jsonl").read_bytes().splitlines())
    assert (first["text"], first["ordinal"]) == ("I work as a gardener", None)
    assert second["evidence"][0]["start"] is None and second["evidence"][0]["quote"] == "dog"
    os.environ["CURATOR_HOME"] = str(tmp_path / "second")
    assert curator("import", tmp_path / "out.jsonl").code == 0
    assert len(curator("list", "--json").rows) == 2

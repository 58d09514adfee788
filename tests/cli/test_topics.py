"""`curator topics`: listed with counts, renamed by a tag, and refused where a name is not theirs."""

import json
import os
from contextlib import closing
from pathlib import Path

from cli.runner import Curator
from factories import put
from store import Store


def test_topics_are_listed_filtered_by_and_renamed(curator: Curator) -> None:
    with closing(Store.open(Path(os.environ["CURATOR_HOME"]) / "store")) as store:
        put(store, "Fires at cone 6", "Glazes with ash", project="kiln\x1b[31m")
        put(store, "Elsewhere")
    done = curator("topics")
    assert [line.split(maxsplit=1) for line in done.out.splitlines()] == [["2", "kiln [31m"], ["1", "other"]]
    assert "have no vector" in done.err
    rows = [json.loads(line) for line in curator("topics", "--json").out.splitlines()]
    assert rows == [{"topic": "kiln [31m", "memories": 2}, {"topic": "other", "memories": 1}]
    assert curator("list", "topic:other").out.count("\n") == 1
    assert curator("topics", "rename", "kiln", "clay").code == 1
    curator("tag", "3", "--add", "topic:walks")
    done = curator("topics", "rename", "walks", "strolls")
    assert "1 memory now in the topic strolls · `curator undo` undoes it" in done.out
    assert "strolls" in curator("topics").out and "walks" not in curator("topics").out
    curator("undo")
    assert "walks" in curator("topics").out
    assert curator("topics", "rename", "walks", "two words").code == 2
    assert "no topic is called chess" in curator("list", "topic:chess").err


def test_layers_are_exported_and_what_was_edited_is_named(curator: Curator, tmp_path: Path) -> None:
    curator("add", "Fires at cone 6", "--project", "kiln")
    out = str(tmp_path / "out")
    done = curator("export", "layers", out)
    assert done.out.splitlines() == [
        f"1 topic, 1 entry, 1 memory in {out}",
        "6 files written · 0 unchanged · 0 removed",
    ]
    (tmp_path / "out/GLOBAL_MEMORY.md").write_text("mine")
    done = curator("export", "layers", out)
    assert "0 files written · 5 unchanged · 0 removed" in done.out
    assert "left alone, since they are not as Curator wrote them: 1 file (GLOBAL_MEMORY.md); --yes replaces" in done.err
    assert "1 file written" in curator("export", "layers", out, "--yes").out
    (tmp_path / "out/LAYERS.json").write_text('{"schema": "layers_index.v7"}')
    refused = curator("export", "layers", out)
    assert refused.code == 2 and "LAYERS.json has the schema layers_index.v7" in refused.err
    assert curator("export", "layers").code == 2

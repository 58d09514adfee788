"""`curator topics`: listed with counts, renamed by a tag, refused for an unknown name."""

import json
import os
from contextlib import closing
from pathlib import Path

import pytest

from cli.runner import Curator
from curator.config import settings
from curator.topics import Topic, Topics
from effort import thorough
from factories import put
from fake_ollama.scenario import Scenario, Script
from fake_ollama.server import serving
from store import Store


@thorough
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
    assert "no topic is named chess" in curator("list", "topic:chess").err


@thorough
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
    assert "skipped, changed or not Curator's: 1 file (GLOBAL_MEMORY.md); --yes replaces" in done.err
    assert "1 file written" in curator("export", "layers", out, "--yes").out
    (tmp_path / "out/LAYERS.json").write_text('{"schema": "layers_index.v7"}')
    refused = curator("export", "layers", out)
    assert refused.code == 2 and "LAYERS.json has the schema layers_index.v7" in refused.err
    assert curator("export", "layers").code == 2


def named(name: str) -> Scenario:
    return Scenario(scripts=(Script("Name what", {"items": [{"name": name}]}),))


@thorough
def test_a_model_proposes_the_name_of_a_topic(curator: Curator, monkeypatch: pytest.MonkeyPatch) -> None:
    curator("add", "I fire pots at cone 6", "--tag", "clay")
    curator("add", "I eat no honey")
    curator("forget", "2", "--yes")
    first = Topics((Topic("cone, pots", (1,)),), (), 0)
    monkeypatch.setattr("curator.topics.topics_of", lambda store: first)
    with serving(named("Fired Pottery")) as server:
        monkeypatch.setenv("CURATOR_OLLAMA__HOST", server.host)
        monkeypatch.setenv("CURATOR_OLLAMA__MODEL", "qwen3:4b")
        settings.cache_clear()
        assert curator("topics", "rename", "pots", "--model").code == 2, "it asks first"
        assert curator("topics", "rename", "pots", "clay", "--model").code == 2
        done = curator("topics", "rename", "pots", "--model", "--yes")
        assert "“cone, pots” becomes “fired-pottery”, proposed by name/1 qwen3:4b@" in done.out
        assert set(curator("show", "1", "--json").rows[0]["tags"]) == {"clay", "topic:fired-pottery"}
        named_so = curator("topics", "rename", "pots", "--model", "--yes")
        assert named_so.code == 1 and "has its name from you" in named_so.err, "what a person agreed to stands"
        assert "proposed by name/1 qwen3:4b@" in curator("undo").out
        for proposal, why in (
            ("a long name of pots", "1 to 3 words"),
            ("pots 2019", "adds a date"),
            ("I eat no honey", "1 to 3 words"),
            ("no honey", "forgotten"),
            ("<tool_call>", "has something in it"),
        ):
            server.change(named(proposal))
            refused = curator("topics", "rename", "pots", "--model", "--yes")
            assert refused.code == 4 and why in refused.err, proposal
    assert curator("show", "1", "--json").rows[0]["tags"] == ["clay"]

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

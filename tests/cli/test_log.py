"""`curator log`: filter terms of the History view, combined with options."""

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest

from cli.runner import Curator
from curator.cli.history import summary
from curator.paths import store_folder
from store import Store
from store.model import Actor, Command


@pytest.fixture
def past(curator: Curator) -> Any:
    """Run six commands: three additions, a tier, a forgetting and its undo."""
    for text in ("I like tea", "I like trains", "I live in Porto"):
        curator("add", text)
    curator("tier", 1, 2, "--to", "core")
    curator("forget", 2, "--yes")
    curator("undo")
    return curator


@pytest.mark.parametrize(
    ("words", "ids"),
    [
        ((), [6, 5, 4, 3, 2, 1]),
        (("forget",), [5]),
        (("memory:1",), [4, 1]),
        (("--memory", 1), [4, 1]),
        (("tier", "--memory", 2), [4]),
        (("add", "--limit", 2), [3, 2]),
        (("undone",), [5]),
        (("porto",), [3]),
        (("by:person", "standing", "trains"), [6, 4, 2]),
    ],
)
def test_words_and_options_narrow_it(past: Any, words: Any, ids: Any) -> None:
    assert [row["id"] for row in past("log", "--json", *words).rows] == ids


def test_what_took_back_what_is_said(past: Any) -> None:
    lines = past("log").out.splitlines()
    assert lines[0].split()[3:] == ["person", "undo", "1", "memory", "of", "5"]
    assert lines[1].endswith("(undone by 6)")
    assert past("log", "undo", "--json").rows[0]["target"] == 5


def test_a_command_that_changed_no_memory_has_no_count(curator: Curator, tmp_path: Path) -> None:
    log = tmp_path / "chat.json"
    turns = [{"role": "user", "content": "What is the capital of France?"}, {"role": "assistant", "content": "Paris."}]
    log.write_text(json.dumps({"created_at": "2025-03-02T10:00:00Z", "messages": turns}))
    curator("import", log)
    (line,) = curator("log").out.splitlines()
    assert line.split()[3:] == ["person", "import", "1", "new", "conversation,", "0", "memories"]


def test_the_parts_of_a_line_stand_apart() -> None:
    command = Command(9, 0, Actor.PERSON, "undo", 1, "with a sweep's command that depended on it", 10, True, 4, "")
    assert summary(command, "") == "of 4 with a sweep's command that depended on it (undone by 10)"


def test_nothing_found_and_words_that_mean_nothing(past: Any) -> None:
    assert past("log", "by:model").code == 1
    ran = past("log", "verb:forgit")
    assert ran.code == 2 and "there are add, forget, tier, undo" in ran.err
    assert past("log", "kind:fact").code == 2


def test_undo_after_a_purge_says_that_it_cannot_be_undone(curator: Curator) -> None:
    for text in ("I like tea", "I own a canoe"):
        assert curator("add", text).code == 0
    assert curator("reject", 1).code == 0
    (rejected,) = curator("log", "reject", "--json").rows
    assert curator("purge", 2, "--yes").code == 0
    ran = curator("undo")
    assert ran.code == 1 and "nothing was undone: the last command" in ran.err
    assert f"`curator undo {rejected['id']}` undoes reject of 1 memory" in ran.err
    assert curator("show", 1, "--json").rows[0]["state"] == "forgotten"
    ran = curator("undo", rejected["id"])
    assert (ran.code, ran.out) == (
        0,
        f"undone: command {rejected['id']}, reject of 1 memory · `curator redo` redoes it\n",
    )
    assert curator("show", 1, "--json").rows[0]["state"] == "new"


def test_undo_with_what_came_later(curator: Curator) -> None:
    assert curator("add", "I like tea").code == 0
    (added,) = curator("log", "add", "--json").rows
    assert curator("tag", 1, "--add", "drinks").code == 0
    assert curator("reject", 1).code == 0
    refused = curator("undo", added["id"])
    assert refused.code == 1 and f"`curator undo {added['id']} --with-later`" in refused.err
    assert curator("undo", "--with-later").code == 2
    asked = curator("undo", added["id"], "--with-later")
    assert asked.code == 2 and f"undo command {added['id']}, 2 later commands that" in asked.err
    assert curator("show", 1, "--json").rows[0]["state"] == "forgotten"
    done = curator("undo", added["id"], "--with-later", "--yes")
    assert [line.split(":")[0] for line in done.out.splitlines()] == ["undone"] * 3
    assert curator("list").code == 1
    assert [curator("redo").code for _ in range(3)] == [0, 0, 0]
    assert curator("show", 1, "--json").rows[0]["state"] == "forgotten"


def test_commands_that_depend_on_each_other_are_refused_with_what_came_later(curator: Curator) -> None:
    for text in ("I like tea", "I like trains"):
        assert curator("add", text).code == 0
    with contextlib.closing(Store.open(store_folder())) as store, store.command("import", Actor.PERSON) as first:
        first.update("memories", [1], {"importance": 7})
        first.pause()
        with store.command("import", Actor.SWEEP) as second:
            second.update("memories", [1, 2], {"importance": 8})
        first.resume()
        first.update("memories", [2], {"importance": 9})
    for command in (first.id, 1):
        refused = curator("undo", command, "--with-later", "--yes")
        assert refused.code == 1 and f"commands {first.id}, {second.id} depend on each other" in refused.err

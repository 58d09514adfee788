"""Recall checks on the command line: what a prompt must and must not recall, and a report when that changes."""

import contextlib
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from cli.runner import Curator
from curator import curation
from curator.paths import store_folder
from curator.recall.expectations import check_prompt
from effort import thorough
from factories import conversation, put
from store import Store, clock
from store.model import Given

PROMPT = "what does my sister drink"


@pytest.fixture
def tea() -> Any:
    store = Store.open(store_folder())
    try:
        return put(store, "My sister drinks tea", "My sister owns a folding bicycle")
    finally:
        store.close()


def opened() -> Store:
    return Store.open(store_folder())


@thorough
def test_a_check_holds_until_curation_breaks_it(curator: Curator, tea: Any) -> None:
    drinks, bicycle = tea
    assert curator("check").code == 0 and "no checks yet" in curator("check").err
    assert f": must include {drinks}\n" in curator("check", PROMPT, "--must", drinks).out
    told = curator("check")
    assert told.code == 0 and "holds" in told.out and "1 check: holds" in told.out
    curator("forget", drinks, "--yes")
    told = curator("check")
    assert told.code == 1 and f"{drinks} is missing (forgotten): My sister drinks tea" in told.out
    (row,) = curator("check", "--json").rows
    assert row == {
        "id": 1,
        "query": PROMPT,
        "project": None,
        "holds": False,
        "must": [drinks],
        "must_not": [],
        "missing": {str(drinks): "forgotten"},
        "unwanted": [],
    }
    curator("undo")
    assert curator("check").code == 0
    assert curator("check", PROMPT, "--must-not", bicycle).code == 0
    assert f"{bicycle} must not be included" in curator("check").out


def test_a_check_of_a_project_is_answered_as_in_a_session_there(curator: Curator, tea: Any) -> None:
    with contextlib.closing(opened()) as store:
        (npm,) = put(store, "We dont run npm here", project="desk", scope="project:desk")
        (yarn,) = put(store, "We run yarn here", project="shop", scope="project:shop")
        curation.set_given(store, [npm, yarn], Given.ALWAYS)
    told = curator("check", "write a greeting", "--must", npm)
    assert f"memory {npm} holds in the project desk: --project" in told.err
    assert f"{npm} is missing" in curator("check").out
    curator("check", "write a greeting", "--off", npm)
    told = curator("check", "write a greeting", "--project", "desk", "--must", npm, "--must-not", yarn)
    assert told.err == "" and f", in project desk: must include {npm}, must not include {yarn}\n" in told.out
    curator("check", "write a greeting", "--project", "shop", "--must", yarn)
    assert "2 checks: all hold" in curator("check").out
    assert [row["project"] for row in curator("check", "--json").rows] == ["desk", "shop"]
    told = curator("check", "write a greeting", "--project", "dexk", "--must", npm)
    assert told.code == 1 and "there is no project dexk; did you mean desk?" in told.err


def test_running_checks_is_no_use_of_what_they_find(curator: Curator, tea: Any) -> None:
    curator("check", PROMPT, "--must", tea[0])
    assert curator("check").code == 0
    store = opened()
    assert not store.recalls.uses(tea)
    store.close()


def test_what_took_the_place_of_a_memory_counts_as_it(curator: Curator, tea: Any) -> None:
    curator("check", PROMPT, "--must", tea[0])
    store = opened()
    (newer,) = put(store, "My sister drinks only coffee by now")
    curation.supersede(store, [tea[0]], newer)
    store.close()
    assert curator("check").code == 0


@thorough
def test_running_them_warms_what_they_find(curator: Curator) -> None:
    store = opened()
    tea, bicycle, lost = put(store, "My sister drinks tea", "Owns a folding bicycle", "My sister drinks coffee")
    curation.forget(store, [lost])
    curator("check", PROMPT, "--must", tea, "--must", lost)
    curator("check", "which bicycle is mine", "--must-not", bicycle)
    assert store.recalls.warmth([tea])[tea] == 0.5, "keeping one says nothing yet"
    for _ in range(3):
        assert curator("check").code == 1
    assert store.recalls.warmth([tea, bicycle, lost]) == pytest.approx({tea: 0.6, bicycle: 0.4, lost: 0.5}, abs=1e-3)
    (newer,) = put(store, "My sister drinks only coffee by now")
    curation.supersede(store, [tea], newer)
    curator("check")
    assert store.recalls.warmth([newer])[newer] == pytest.approx(0.6, abs=1e-3), "what took its place is meant"
    assert store.recalls.uses([tea, bicycle, newer]) == {}
    store.close()


@thorough
def test_while_another_process_writes_they_are_run_and_warm_nothing(curator: Curator, tea: Any) -> None:
    curator("check", PROMPT, "--must", tea[0])
    assert curator("check").err == ""
    with contextlib.closing(sqlite3.connect(store_folder() / "record.sqlite", isolation_level=None)) as other:
        other.execute("DELETE FROM warmth")
        other.execute("BEGIN IMMEDIATE")
        told = curator("check")
        assert told.code == 0 and "1 check: holds" in told.out
        assert "warmth was not updated" in told.err and "another process" in told.err
    store = opened()
    assert store.recalls.warmth([tea[0]])[tea[0]] == 0.5
    store.close()


def test_a_memory_can_be_taken_off_and_a_check_removed(curator: Curator, tea: Any) -> None:
    curator("check", PROMPT, "--must", tea[0], "--must-not", tea[1])
    assert "must not include" not in curator("check", PROMPT, "--off", tea[1]).out
    assert curator("check", PROMPT, "--must", tea[0], "--must-not", tea[0]).code == 2
    assert curator("check", PROMPT).code == 2 and curator("check", "--must", 1).code == 2
    assert curator("check", PROMPT, "--must", 99).code == 1
    assert "no check left" in curator("check", PROMPT, "--off", tea[0]).out
    curator("check", PROMPT, "--must", tea[0])
    (row,) = curator("check", "--json").rows
    assert curator("check", "--remove", row["id"]).code == 0
    assert curator("check", "--remove", row["id"]).code == 2
    assert curator("check", "--json").rows == []


@thorough
def test_a_check_is_in_the_backup(curator: Curator, tea: Any, tmp_path: Path) -> None:
    curator("check", PROMPT, "--must", tea[0])
    copy = tmp_path / "copy.sqlite"
    assert curator("backup", copy).code == 0
    curator("check", "--remove", 1)
    assert curator("restore", copy, "--yes").code == 0
    assert [row["query"] for row in curator("check", "--json").rows] == [PROMPT]


def test_a_secret_is_not_kept(curator: Curator, tea: Any) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    assert secret not in check_prompt(f"what is {secret} for")
    curator("check", f"what is {secret} for", "--must-not", tea[0])
    (row,) = curator("check", "--json").rows
    assert secret not in row["query"]


class TestErasing:
    def test_purge_takes_memory_and_prompt(self, store: Store) -> None:
        first, second = put(store, "The code of the door is 4711", "Owns a bicycle")
        store.checks.expect("which door", first, True)
        store.checks.expect("so the code of the door is 4711, right", second, False)
        store.checks.expect("what do I own", second, True)
        store.checks.expect("what do I own", first, False)
        store.checks.expect("what is mine", second, True, "The code of the door is 4711")
        curation.purge(store, [first])
        assert [(check.query, check.must, check.must_not) for check in store.checks.all()] == [
            ("what do I own", (second,), ())
        ]

    def test_an_erased_log_takes_the_prompt_that_was_said_there(self, store: Store) -> None:
        (memory,) = put(store, "Owns a bicycle")
        with store.command("import") as writer:
            store.raw.put_conversation(writer, conversation("talk", "what do I own", "A bicycle."))
        store.checks.expect("what do I own", memory, True)
        store.checks.expect("what else", memory, True)
        store.erase_logs([talk.id for talk in store.raw.get_conversations()], clock.LATEST)
        assert [check.query for check in store.checks.all()] == ["what else"]

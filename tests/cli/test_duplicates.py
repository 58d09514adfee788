"""`curator duplicates scan`: what it finds, what it merges itself and what never, and resuming after a stop."""

from pathlib import Path
from typing import Any

import pytest

from cli.runner import Curator
from curator.models import weights
from curator.paths import store_folder
from curator.sweeps.compare import Compare
from factories import put
from store import Filter, Store
from store.model import Life


@pytest.fixture
def mine(store: Any) -> Any:
    """Return the store of the command line."""
    opened = Store.open(store_folder())
    yield opened
    opened.close()


def live(store: Store) -> set[str]:
    return {found.text for found in store.get_many(store.list_ids(Filter()))}


def test_what_is_found_waits_in_conflicts_and_is_found_once(curator: Curator, mine: Any) -> None:
    assert "nothing new to compare" in curator("duplicates", "scan").out
    put(mine, "I like \x1b[31mtea", "I do not like \x1b[31mtea", "I live in Lisbon", "I keep bees")
    ran = curator("duplicates", "scan")
    assert ran.code == 0, ran.err
    assert "compared 4 memories" in ran.out and "1 conflict found: `curator conflicts`" in ran.out
    assert "\x1b" not in curator("conflicts").out
    (row,) = curator("conflicts", "--json").rows
    assert row["class"] == "contradiction" and row["judge"].startswith("rules") and row["reasons"]
    assert curator("duplicates", "scan", "--json").rows == [{"compared": 0, "pairs": 0, "found": 0, "merged": 0}]
    (again,) = curator("duplicates", "scan", "--again", "--json").rows
    assert (again["compared"], again["found"]) == (4, 0)
    assert len(curator("conflicts", "--json").rows) == 1


def test_the_same_words_become_one_memory_and_a_step_takes_it_back(curator: Curator, mine: Any) -> None:
    first, second = put(mine, "Everything is kept in Postgres 16", scope="project:a") + put(
        mine, "everything is kept in postgres 16", scope="project:b"
    )
    with mine.command("scope") as writer:
        writer.update("memories", [second], {"scope": "project:a"})
    before = mine.state_hash()
    assert "merged 1 pair" in curator("duplicates", "scan").out
    gone = mine.get(second)
    assert (gone.life, gone.superseded_by) == (Life.SUPERSEDED, first)
    merging = next(one for one in curator("log", "--json").rows if one["verb"] == "merge")
    assert merging["actor"] == "sweep"
    curator("undo", merging["id"])
    assert mine.state_hash() == before
    assert "merged" not in curator("duplicates", "scan", "--again").out, "what was taken back is not done again"
    assert mine.state_hash() != before, "but said"
    assert [row["class"] for row in curator("conflicts", "--json").rows] == ["duplicate"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("My server has 16 GB of memory", "My server has 32 GB of memory"),
        ("I do eat meat at home", "I do not eat meat at home"),
        ("Ana keeps the keys of the house", "Eva keeps the keys of the house"),
        ("The talk is on 3 May 2026", "The talk is on 4 May 2026"),
        ("I always take the train to work", "I never take the train to work"),
    ],
)
def test_what_differs_in_a_thing_that_counts_is_never_merged(curator: Curator, mine: Any, one: Any, other: Any) -> None:
    put(mine, one, other)
    ran = curator("duplicates", "scan")
    assert (ran.code, "merged" in ran.out) == (0, False)
    assert live(mine) == {one, other}


def test_only_one_compares_at_a_time(curator: Curator, mine: Any) -> None:
    put(mine, "I like tea")
    lease = mine.sweeps.take(Compare.name, "another process", 60)
    assert lease is not None
    ran = curator("duplicates", "scan")
    assert (ran.code, "wait for it" in ran.err) == (3, True)
    mine.sweeps.release(lease)
    assert curator("duplicates", "scan").code == 0


def test_without_the_model_it_is_said_and_words_are_compared(
    curator: Curator, mine: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "minilm")
    monkeypatch.setenv("CURATOR_CACHE", str(tmp_path / "none"))
    put(mine, "I live in Lisbon", "I live in Porto")
    ran = curator("duplicates", "scan")
    assert (ran.code, weights.GET_MODELS in ran.err) == (0, True)
    assert "1 conflict found" in ran.out


def test_a_command_is_wanted(curator: Curator) -> None:
    ran = curator("duplicates")
    assert "scan" in ran.out + ran.err


def test_a_scan_that_is_stopped_says_that_the_same_command_goes_on(
    curator: Curator, mine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(mine, "I live in Lisbon", "I live in Porto")

    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("curator.sweeps.compare.conflicts.scan", stopped)
        ran = curator("duplicates", "scan")
    assert (ran.code, "run the command again" in ran.err) == (130, True)
    assert "1 conflict found" in curator("duplicates", "scan").out, "it held nothing up"

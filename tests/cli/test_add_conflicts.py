"""Contradictions and duplicates that `curator add` and `curator validate` report."""

import contextlib

import pytest

from cli.runner import Curator
from curator.paths import store_folder
from curator.services.proposals import Agent, propose, propose_forget
from curator.sweeps.compare import Compare
from effort import thorough
from store import Busy, Store
from store.record.vectors import CompareQueue


@thorough
def test_what_was_added_says_what_it_clashes_with_or_repeats(curator: Curator) -> None:
    assert curator("add", "I live in Lisbon").err == ""
    assert curator("add", "My dog is a beagle").err == ""
    told = curator("add", "I moved to Porto")
    assert told.out.splitlines()[0].endswith("I moved to Porto") and len(told.out.splitlines()) == 1
    assert told.err == (
        "curator: conflicts with memory 1, “I live in Lisbon” (Two homes: Lisbon, then Porto);"
        " `curator conflicts show 1`\n"
    )
    (row,) = curator("add", "I live in Braga", "--json").rows
    assert sorted(one["memory"] for one in row["conflicts"]) == [1, 3]
    assert set(row["conflicts"][0]) == {"id", "relation", "memory", "text", "reason"}
    assert curator("add", "My car is red", "--json").rows[0]["conflicts"] == []
    assert "may repeat memory 2" in curator("add", "Our dog is a beagle").err
    assert curator("undo").code == 0  # undoes the addition, not the comparison
    assert "Our dog is a beagle" not in curator("list").out


@thorough
def test_while_another_process_compares_it_is_added_and_left_to_that(curator: Curator) -> None:
    curator("add", "I live in Lisbon")
    store = Store.open(store_folder())
    lease = store.sweeps.take(Compare.name, "another", 60)
    assert lease is not None
    told = curator("add", "I moved to Porto")
    assert (told.code, told.err) == (0, "")
    store.close()


def test_while_another_process_writes_it_is_added_all_the_same(
    curator: Curator, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*_: object) -> None:
        raise Busy("another process is writing")

    monkeypatch.setattr(CompareQueue, "note", busy)
    told = curator("add", "I like tea", "--json")
    assert (told.code, told.rows[0]["conflicts"]) == (0, [])


def test_a_proposal_that_is_validated_says_it_too(curator: Curator) -> None:
    curator("add", "I live in Lisbon")
    store = Store.open(store_folder())
    propose(store, "I moved to Porto", Agent("editor"))
    assert "conflicts with memory 1" in curator("validate", "2", "--yes").err
    assert curator("validate", "2").err == ""
    store.close()


def test_what_was_forgotten_is_added_again_and_told(curator: Curator) -> None:
    curator("add", "I'm 13 stone 4 and 5 foot 5")
    assert "forgot" not in curator("add", "I like tea").err
    curator("forget", 1, "--yes")
    again = curator("add", "I weigh 13 stone 4")
    assert again.code == 0 and "you forgot this on 20" in again.err
    assert "“I'm 13 stone 4 and 5 foot 5”; `curator forget 3` forgets it again" in again.err
    assert "forgot" not in curator("add", "I like tea with milk").err


def test_what_an_assistant_asks_to_forget_is_not_called_the_persons_request(curator: Curator) -> None:
    curator("add", "I like tea")
    with contextlib.closing(Store.open(store_folder())) as store:
        propose_forget(store, store.get(1), Agent("test-agent"))
    assert "forget" not in curator("add", "I like tea with milk").err

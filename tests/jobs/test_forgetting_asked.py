"""What a chat asks to be forgotten is shown, and nothing is let go by it."""

import pytest

from curator import curation
from curator.jobs.forgetting import meant, meant_by_each
from making import put
from store import Store
from store.model import Life


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        ("my salary", [0, 1]),
        ("that I live in Lisbon", [2]),
        ("everything about Lisbon", [2, 3]),
        ("my old flat in Lisbon", [3]),
        ("the weather on Mars", []),
        ("everything", []),
    ],
)
def test_the_memories_that_may_be_meant(store: Store, request_: str, expected: list[int]) -> None:
    ids = put(
        store,
        "My salary is 62,000 euros.",
        "I talked to my boss about a higher salary.",
        "I live in Lisbon.",
        "I sold the old flat in Lisbon.",
        "I like tea.",
    )
    found = [memory.id for memory in meant(store, request_)]
    assert sorted(found) == [ids[place] for place in expected]
    assert all(memory.life is Life.LIVE for memory in store.get_many(ids))


def test_what_is_gone_is_not_shown(store: Store) -> None:
    curation.forget(store, put(store, "My salary is 62,000 euros."))
    assert meant(store, "my salary") == []


def test_however_the_words_are_written(store: Store) -> None:
    ids = put(
        store, "I LOVE BIG CITIES.", "I was hiking with two dogs.", "我住在北京。", "I pay 1,000 euros for the flat."
    )
    requests = ["that I love a big city", "my hikes with 2 dogs", "我住在北京", "the 1000 euros", "the 1000"]
    assert [[m.id for m in found] for found in meant_by_each(store, requests)] == [
        [ids[0]],
        [ids[1]],
        [ids[2]],
        [ids[3]],
        [ids[3]],
    ]

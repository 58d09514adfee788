"""Word scores of a memory do not depend on later decisions about it."""

import pytest
from index_helpers import ANY, SPACE, change, remember

from effort import some, thorough
from store import Filter, Store
from store.index import Index

TEXTS = ("I live in Lisbon", "My sister lives in Ghent", "I keep nine bees", "Lisbon has hills", "I live on a boat")
WAYS = {"everything": ANY, "a filter": Filter(pinned=False), "what only the record knows": Filter(used_most=9)}


@thorough
@pytest.mark.parametrize(("way", "column"), some([(way, column) for way in WAYS for column in ("text", "context")], 3))
def test_a_decision_changes_no_score(store: Store, way: str, column: str) -> None:
    first, *_ = ids = remember(store, *TEXTS)
    index = Index(store, SPACE)
    index.catch_up()

    def scores() -> dict[int, float]:
        hits = index.search_text("where do I live in Lisbon", WAYS[way], 10, column)
        return {memory: round(score, 4) for memory, score in hits}

    fresh = scores()
    assert len(fresh) >= 3
    change(store, [first], review="validated")
    assert scores() == fresh
    index.catch_up()
    assert scores() == fresh
    change(store, ids, review="open")
    change(store, [first], kind="preference")
    assert scores() == fresh
    index.catch_up()
    assert scores() == fresh and index.check() == []


def test_a_filter_on_what_has_changed_gives_the_same_score(store: Store) -> None:
    first, *_ = remember(store, *TEXTS)
    index = Index(store, SPACE)
    index.catch_up()
    fresh = dict(index.search_text("Lisbon", ANY, 10))
    change(store, [first], project="atlas")
    ((number, score),) = index.search_text("Lisbon", Filter(projects=("atlas",)), 10)
    assert number == first and score == pytest.approx(fresh[first])


def test_new_words_are_found_before_the_index_has_them(store: Store) -> None:
    first, *_ = remember(store, *TEXTS)
    index = Index(store, SPACE)
    index.catch_up()
    change(store, [first], text="I live in Porto")
    assert first in dict(index.search_text("Porto", ANY, 10))
    assert first not in dict(index.search_text("Lisbon", ANY, 10))

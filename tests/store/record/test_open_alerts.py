"""An alert is open until resolved, while both memories are live: the same in record, copy and index."""

from collections.abc import Callable

import numpy as np
import pytest
from index_helpers import SPACE, embed

from curator import curation
from effort import some, thorough
from factories import memory, put
from store import Filter, Store
from store.analytics import Analytics
from store.index import Index
from store.model import ASKED, Relation

CONFLICT, NONE = Filter(conflict=True), Filter(conflict=False)


def alarmed(store: Store) -> tuple[int, int, int]:
    """Store three memories, with an alert between the first two."""
    ids = put(store, "I like tea best", "I like tea least", "I like tea in the afternoon")
    embed(store, ids, np.tile(np.eye(8)[0], (3, 1)))
    with store.command("distil") as writer:
        store.alerts.put(writer, ids[0], ids[1], Relation.CONTRADICTION, 0.9, [])
    return ids[0], ids[1], ids[2]


def with_open_alert(store: Store, analytics: Analytics, index: Index) -> list[int]:
    """Return the live memories with an open alert; check that record, copy and index agree."""
    analytics.follow()
    index.catch_up()
    wanted = sorted({side for alert in store.alerts.open() for side in (alert.a, alert.b)})
    assert sorted(store.alerts.memories()) == wanted
    everyone = Filter(lives=())
    for which, meant in ((CONFLICT, wanted), (NONE, sorted({*store.list_ids(Filter())} - {*wanted}))):
        assert sorted(store.list_ids(which)) == meant
        assert store.count(which) == analytics.count(which) == len(meant)
        assert sorted(analytics.list_ids(which)) == meant
        assert sorted(number for number, _ in index.search_text("tea", which, 9)) == meant
    assert sorted(analytics.list_ids(Filter(lives=(), conflict=True))) == wanted, "who is gone has none"
    assert sorted(store.list_ids(Filter(lives=(), conflict=True))) == wanted
    assert analytics.count(everyone) == store.count(everyone)
    return wanted


LET_GO: dict[str, Callable[[Store, int, int], object]] = {
    "forgotten": lambda store, memory, _: curation.forget(store, [memory]),
    "rejected": lambda store, memory, _: curation.reject(store, [memory]),
    "superseded": lambda store, memory, by: curation.supersede(store, [memory], by),
    "purged": lambda store, memory, _: curation.purge(store, [memory]),
}


@thorough
@pytest.mark.parametrize(("how", "side"), some([(how, side) for how in LET_GO for side in (0, 1)], 3))
def test_the_other_side_has_none_where_this_one_goes(store: Store, how: str, side: int) -> None:
    ids = alarmed(store)
    analytics, index = Analytics(store), Index(store, SPACE)
    assert with_open_alert(store, analytics, index) == sorted(ids[:2])
    LET_GO[how](store, ids[side], ids[2])
    assert with_open_alert(store, analytics, index) == []
    if how != "purged":
        store.undo()
        assert with_open_alert(store, analytics, index) == sorted(ids[:2]), "and has it again"
    analytics.close()


@thorough
def test_a_new_copy_and_a_new_index_say_the_same(store: Store) -> None:
    first, second, _ = alarmed(store)
    for decide, meant in ((curation.forget, []), (curation.restore, [first, second])):
        decide(store, [second])
        analytics = Analytics(store)
        assert with_open_alert(store, analytics, Index(store, SPACE)) == meant
        analytics.close()


@thorough
@pytest.mark.parametrize("side", [0, 1])
def test_what_the_person_asked_to_forget_has_none_until_it_is_kept(store: Store, side: int) -> None:
    ids = alarmed(store)
    analytics, index = Analytics(store), Index(store, SPACE)
    assert with_open_alert(store, analytics, index) == sorted(ids[:2])
    with store.command("quarantine") as writer:
        writer.update("memories", [ids[side]], {"flag": ASKED})
    assert with_open_alert(store, analytics, index) == [] and store.alerts.counts() == {}
    curation.validate(store, [ids[side]])
    assert with_open_alert(store, analytics, index) == sorted(ids[:2])
    analytics.close()


@thorough
def test_one_of_several_alerts_is_enough(store: Store) -> None:
    first, second, third = alarmed(store)
    analytics, index = Analytics(store), Index(store, SPACE)
    with store.command("distil") as writer:
        store.alerts.put(writer, third, first, Relation.UPDATE, 0.7, [])
    assert with_open_alert(store, analytics, index) == [first, second, third]
    curation.forget(store, [third])
    assert with_open_alert(store, analytics, index) == [first, second]
    with store.command("settle") as writer:
        store.alerts.resolve_between(writer, [first, second], "coexist")
    assert with_open_alert(store, analytics, index) == []
    curation.restore(store, [third])
    assert with_open_alert(store, analytics, index) == [first, third]
    analytics.close()


@thorough
def test_one_that_never_was_leaves_none(store: Store) -> None:
    (first,) = put(store, "I like tea")
    with store.command("distil") as writer:
        second = store.admit(writer, memory("I like tea no more")).added or 0
        store.alerts.put(writer, first, second, Relation.CONTRADICTION, 0.9, [])
    analytics, index = Analytics(store), Index(store, SPACE)
    assert with_open_alert(store, analytics, index) == [first, second]
    store.undo()
    assert with_open_alert(store, analytics, index) == []
    analytics.close()

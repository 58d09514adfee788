"""Later, scope, and raising or lowering a score: effects, refusals, undo."""

import pytest

from curator import curation
from factories import put
from store import Conflict, Forbidden, NotFound, Store, clock
from store.model import Life, Review


def test_what_is_put_off_stays_open_and_comes_up_again(store: Store) -> None:
    tea, coffee = put(store, "I like tea", "I like coffee")
    before = store.state_hash()
    assert curation.later(store, [tea, coffee], 3, now=clock.DAY) == 2
    assert {store.get(number).later_until for number in (tea, coffee)} == {4 * clock.DAY}
    assert store.get(tea).review is Review.OPEN
    after = store.state_hash()
    store.undo()
    assert store.state_hash() == before
    store.redo()
    assert store.state_hash() == after
    curation.validate(store, [tea])
    curation.reject(store, [coffee])
    assert store.get(tea).later_until == store.get(coffee).later_until == 4 * clock.DAY
    assert curation.later(store, [tea], 0) == 1
    assert store.get(tea).later_until is None


def test_a_week_from_now_unless_said_otherwise(store: Store) -> None:
    (tea,) = put(store, "I like tea")
    curation.later(store, [tea])
    until = store.get(tea).later_until
    assert until is not None
    assert abs(until - clock.now() - 7 * clock.DAY) < clock.DAY // 24


def test_only_live_ones_are_put_off_and_for_a_sensible_time(store: Store) -> None:
    (tea,) = put(store, "I like tea")
    for days in (-1, 3_651):
        with pytest.raises(ValueError, match="days"):
            curation.later(store, [tea], days)
    curation.forget(store, [tea])
    with pytest.raises(Conflict, match="restore"):
        curation.later(store, [tea])


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("global", "global"),
        (" global ", "global"),
        ("project:site", "project:site"),
        ("project: my site ", "project:my site"),
        ("session:12", "session:12"),
        ("project:a:b", "project:a:b"),
    ],
)
def test_a_scope_is_set_as_named(store: Store, given: str, kept: str) -> None:
    (tea,) = put(store, "I like tea", scope="project:other", project="other")
    before = store.state_hash()
    assert curation.set_scope(store, [tea], given) == 1
    assert (store.get(tea).scope, store.get(tea).project) == (kept, "other"), "where it is from is another matter"
    store.undo()
    assert store.state_hash() == before


@pytest.mark.parametrize("given", ["", "everywhere", "project", "project:", "session: ", "global:x", "project:a\nb"])
def test_another_word_is_no_scope(store: Store, given: str) -> None:
    (tea,) = put(store, "I like tea")
    with pytest.raises(ValueError, match="project:NAME"):
        curation.set_scope(store, [tea], given)


def test_no_two_live_ones_say_the_same_in_one_scope(store: Store) -> None:
    (here,) = put(store, "Use tabs", scope="project:site")
    (everywhere,) = put(store, "use TABS")
    before = store.state_hash()
    with pytest.raises(Conflict, match=rf"{here} and {everywhere}|{everywhere} and {here}"):
        curation.set_scope(store, [here], "global")
    with pytest.raises(Conflict, match="same there"):
        curation.set_scope(store, [here, everywhere], "project:new")
    assert store.state_hash() == before
    curation.forget(store, [everywhere])
    assert curation.set_scope(store, [here], "global") == 1
    store.undo()
    store.undo()
    assert store.state_hash() == before


def test_the_words_of_a_purged_one_hold_nowhere(store: Store) -> None:
    (gone,) = put(store, "I keep bees on the roof")
    curation.purge(store, [gone])
    with pytest.raises(Conflict, match="purged"):
        curation.set_scope(store, [gone], "project:bees")


def test_a_score_goes_up_and_down_from_what_it_was(store: Store) -> None:
    sure, unsure, scored = (
        put(store, "I like tea", confidence=0.9)
        + put(store, "I like rain", confidence=0.04)
        + put(store, "I like snow", confidence=0.2, user_score=7)
    )
    before = store.state_hash()
    everyone = [sure, unsure, scored]
    assert curation.adjust_score(store, everyone, 1) == 3
    assert [store.get(number).user_score for number in everyone] == [10, 1, 8]
    assert curation.adjust_score(store, everyone, 1) == 2, "one is at the end already"
    curation.adjust_score(store, everyone, -9)
    assert [store.get(number).user_score for number in everyone] == [1, 0, 0]
    for _ in range(3):
        store.undo()
    assert store.state_hash() == before
    assert store.journal.log(9)[0].verb == "undo"


@pytest.mark.parametrize("verb", ["later", "set_scope", "adjust_score"])
def test_all_must_be_there_and_mine(store: Store, verb: str) -> None:
    (mine,) = put(store, "I like tea")
    other = Store.open(store.folder, owner="ana")
    (theirs,) = put(other, "I like rain")
    other.close()
    extra = {"later": (), "set_scope": ("project:x",), "adjust_score": (1,)}[verb]
    before = store.state_hash()
    with pytest.raises(NotFound):
        getattr(curation, verb)(store, [mine, 99], *extra)
    with pytest.raises(Forbidden):
        getattr(curation, verb)(store, [mine, theirs], *extra)
    assert store.state_hash() == before
    assert store.get(mine).life is Life.LIVE

"""Recall checks as feedback: worth one mark however often they are run, and fading once they are not run."""

import pytest

from curator.lifecycle import apply_checks, mark_useful
from factories import put
from store import Store, clock


def test_what_holds_is_as_warm_as_after_one_mark_however_often_it_is_run(store: Store) -> None:
    held, unwanted, both, other = put(store, "alpha beta", "gamma delta", "epsilon zeta", "eta theta")
    for _ in range(10):
        apply_checks(store, [held, both, held], [unwanted, both])
    assert store.recalls.warmth([held, unwanted, both, other]) == pytest.approx(
        {held: 0.6, unwanted: 0.4, both: 0.5, other: 0.5}, abs=1e-3
    )


def test_it_takes_nothing_from_what_the_person_marked(store: Store) -> None:
    liked, disliked = put(store, "alpha beta", "gamma delta")
    for _ in range(3):
        mark_useful(store, [liked], [disliked])
    apply_checks(store, [liked], [disliked])
    assert store.recalls.warmth([liked, disliked]) == pytest.approx({liked: 0.8, disliked: 0.2}, abs=1e-3)
    apply_checks(store, [disliked], [liked])
    assert store.recalls.warmth([liked, disliked]) == pytest.approx({liked: 0.4, disliked: 0.6}, abs=1e-3)


def test_it_drifts_back_when_no_check_is_run_any_more(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    (held,) = put(store, "alpha beta")
    apply_checks(store, [held], [])
    moment = clock.now() + 10 * clock.DAY
    monkeypatch.setattr(clock, "now", lambda: moment)
    assert store.recalls.warmth([held])[held] == pytest.approx(0.5 + 0.1 * 0.95**10, abs=1e-3)
    store.recalls.reset_warmth([held])
    assert store.recalls.warmth([held])[held] == 0.5


def test_another_owners_are_left_alone(store: Store) -> None:
    (mine,) = put(store, "alpha beta")
    other = Store.open(store.folder, owner="ana")
    apply_checks(other, [mine], [])
    assert store.recalls.warmth([mine])[mine] == 0.5
    other.close()

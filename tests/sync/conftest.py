"""Fixtures of stories of three devices, each of which ends the same in whatever order they sync."""

from collections.abc import Callable, Iterator
from itertools import permutations
from pathlib import Path

import pytest

from effort import some
from sync.devices import Three, devices, said, settle, states


@pytest.fixture(
    params=some(list(permutations(range(3))), 2), ids=lambda order: "".join("abc"[place] for place in order)
)
def three(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Three, Callable[[], None]]]:
    """Three devices, and a function that syncs them in the order of this run until they agree."""
    made = devices(tmp_path, "a", "b", "c")

    def agree() -> None:
        settle([made[place] for place in request.param])
        assert len(set(states(made))) == 1

    yield (made[0], made[1], made[2]), agree
    agree()
    for device in made:
        device.store.close()


@pytest.fixture
def coffee(three: tuple[Three, Callable[[], None]]) -> tuple[Three, Callable[[], None]]:
    """Devices with an imported memory that all know."""
    (a, _, _), agree = three
    with a.here() as store:
        said(store, "x", "I like coffee")
    agree()
    return three

"""Fixtures for tests with three devices, whose results must not depend on the order of syncing."""

from collections.abc import Callable, Iterator
from itertools import permutations
from pathlib import Path
from zlib import crc32

import pytest

from effort import ALL
from sync.devices import Three, devices, said, settle, states

ORDERS = list(permutations(range(3)))


@pytest.fixture(params=range(len(ORDERS) if ALL else 1), ids="order-{}".format)
def three(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Three, Callable[[], None]]]:
    """Return three devices and a function that syncs them until they agree, in every order or one of the test's."""
    made = devices(tmp_path, "a", "b", "c")
    order = ORDERS[(crc32(request.node.originalname.encode()) + request.param) % len(ORDERS)]

    def agree() -> None:
        settle([made[place] for place in order])
        assert len(set(states(made))) == 1

    yield (made[0], made[1], made[2]), agree
    agree()
    for device in made:
        device.store.close()


@pytest.fixture
def coffee(three: tuple[Three, Callable[[], None]]) -> tuple[Three, Callable[[], None]]:
    """Return devices that all know one imported memory."""
    (a, _, _), agree = three
    with a.here() as store:
        said(store, "x", "I like coffee")
    agree()
    return three

"""Random devices: whatever they do and in whatever order they sync, they come to agree."""

import random
from pathlib import Path

import pytest

from effort import share
from store import clock
from sync.devices import act, devices, settle, states

_RUNS = share(400, 12)


@pytest.mark.parametrize("seed", range(_RUNS))
def test_random_devices_agree(tmp_path: Path, seed: int) -> None:
    """Three devices: clocks up to two days wrong, purges, undo, overlapping logs, late segments."""
    rng = random.Random(seed)
    made = devices(tmp_path, "a", "b", "c")
    for device in made:
        device.at = rng.choice([0, 0, 2 * clock.DAY, -2 * clock.DAY, clock.DAY // 24])
    apart = rng.choice([0.02, 0.15, 0.5])
    for _ in range(60):
        with rng.choice(made).here() as store:
            act(store, rng)
        if rng.random() < apart:
            rng.choice(made).sync(rng.choice([0.3, 1.0]), rng)
    settle(made)
    assert len(set(states(made))) == 1
    for device in made:
        device.store.close()

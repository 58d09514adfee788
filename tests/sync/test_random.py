"""Random commands on devices that sync in any order: they come to agree."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from effort import share, thorough
from store import Store, clock
from store.record.changes import Delete, Update, decode, rows_of
from sync.devices import act, devices, remove_or_bring_back, repeat, settle, states

_RUNS = share(120, 1)


@pytest.fixture(autouse=True)
def repeatable(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    repeat(monkeypatch, request.node.callspec.params["seed"])


@pytest.mark.parametrize("seed", range(_RUNS))
@pytest.mark.parametrize(("command", "commands"), [(act, 60), (remove_or_bring_back, 40)], ids=["any", "removals"])
def test_random_devices_agree(
    tmp_path: Path, seed: int, command: Callable[[Store, random.Random], None], commands: int
) -> None:
    """Sync three devices: clocks up to two days wrong, purges, undo, overlapping logs, late segments."""
    rng = random.Random(seed)
    made = devices(tmp_path, "a", "b", "c")
    for device in made:
        device.at = rng.choice([0, 0, 2 * clock.DAY, -2 * clock.DAY, clock.DAY // 24])
    apart = rng.choice([0.02, 0.15, 0.5])
    for _ in range(commands):
        with rng.choice(made).here() as store:
            command(store, rng)
        if rng.random() < apart:
            rng.choice(made).sync(rng.choice([0.3, 1.0]), rng)
    settle(made)
    assert len(set(states(made))) == 1
    for device in made:
        device.store.close()


@thorough
@pytest.mark.parametrize("seed", range(_RUNS))
def test_no_device_loses_what_a_person_wrote(tmp_path: Path, seed: int) -> None:
    """Keep every text that a person typed on any device on all of them: in a memory or among its former texts."""
    rng = random.Random(1_000 + seed)
    made = devices(tmp_path, "a", "b", "c")
    for device in made:
        device.at = rng.choice([0, 2 * clock.DAY, -2 * clock.DAY, clock.DAY // 24])
    for _ in range(60):
        with rng.choice(made).here() as store:
            act(store, rng, losing=False)
        if rng.random() < 0.1:
            rng.choice(made).sync(rng.choice([0.3, 1.0]), rng)
    settle(made)
    assert len(set(states(made))) == 1
    written = set().union(*(typed(device.store) for device in made))
    for device in made:
        with device.store.sqlite() as connection:
            kept = {row[0] for row in connection.execute("SELECT text FROM memories UNION SELECT text FROM versions")}
        assert written <= kept
        device.store.close()


def typed(store: Store) -> set[str]:
    """Return the texts that people typed on a device."""
    with store.sqlite() as connection:
        rows = connection.execute(
            "SELECT changes FROM events e JOIN commands c ON c.id = e.command WHERE c.actor = 'person'"
            " AND c.id NOT IN (SELECT id FROM sync_commands)"
        ).fetchall()
    changes = [change for row in rows for change in decode(row[0])]
    of_memories = [change for change in changes if change.table == "memories" and not isinstance(change, Delete)]
    rows_after = [rows_of(change)[isinstance(change, Update) :] for change in of_memories]
    return {str(row["text"]) for some in rows_after for row in some if "text" in row}

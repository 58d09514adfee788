"""Let devices run random commands, sync in any order, be killed and lose segments; count how often they disagree.

    python tests/bench/sync_random.py                               # 100 runs of 60 commands on three devices
    python tests/bench/sync_random.py --runs 1 --commands 14000 --meetings 100
    python tests/bench/sync_random.py --runs 5 --commands 500 --kills 40 --damages 20
    python tests/bench/sync_random.py --runs 500 --commands 40 --removals
    python tests/bench/sync_random.py --runs 1000 --commands 40 --purges
    python tests/bench/sync_random.py --runs 1 --commands 500 --bucket s3  # or gs, az: see tests/object_servers.py

Clocks are up to two days wrong, and at random only a part of what the others wrote has arrived at a device. `--kills`
are syncs in processes of their own that end as by `kill -9` at a random call; `--damages` are segments that are lost,
cut, changed by a bit, or duplicated, which the next sync must name, and `curator sync --rewrite` must repair. Printed:
counts of what was done, and each run that ended with devices that disagree, with an unsound record or with an error, by
its seed and with the rows that differ. At each of `--meetings` all devices sync until nothing is new, and must hold the
same; the commands run until then are printed. The exit code is 1 if there was any disagreement or error. A run without
`--kills` is reproducible by its seed.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from pytest import MonkeyPatch

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

from curator.sync.segments import SegmentPath, parse_path  # noqa: E402
from curator.targets import Target, target_of  # noqa: E402
from object_servers import KINDS, new_bucket  # noqa: E402
from store import clock  # noqa: E402
from store.record.sync import digest  # noqa: E402
from sync.devices import WORDS, Device, act, devices, purge_or_bring_back, remove_or_bring_back, repeat, settle  # noqa: E402

DAMAGES: dict[str, Callable[[bytes, bytes, int], bytes | None]] = {
    "lost": lambda data, other, offset: None,
    "cut": lambda data, other, offset: data[:offset],
    "changed": lambda data, other, offset: data[:offset] + bytes([data[offset] ^ 1]) + data[offset + 1 :],
    "doubled": lambda data, other, offset: other,
}
"""Contents of a damaged segment, given its data, the previous segment's data, and a random offset."""
_KILLED = Path(__file__).with_name("sync_killed.py")
_SHOWN = 5  # differing rows shown per device


@dataclass
class Trial:
    """Counts over all runs."""

    tried: int = 0
    commands: int = 0
    passes: int = 0
    killed: Counter[str] = field(default_factory=Counter)  # by phase
    damaged: Counter[str] = field(default_factory=Counter)  # by kind
    unnamed: int = 0  # damages that no device reported, as all had read the segment before
    bad: list[str] = field(default_factory=list)
    calls: int = 5_000  # function calls in a sync, approximately


def main() -> int:
    """Run, and print the counts."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--commands", type=int, default=60, help="attempted in each run; the store refuses some")
    parser.add_argument("--devices", type=int, default=3)
    parser.add_argument("--kills", type=int, default=0, help="in each run")
    parser.add_argument("--damages", type=int, default=0, help="in each run")
    parser.add_argument("--meetings", type=int, default=0, help="in each run, evenly spread")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--removals", action="store_true", help="mostly remove and restore memories")
    parser.add_argument("--purges", action="store_true", help="mostly purge, forget, edit, merge and undo")
    parser.add_argument("--bucket", choices=KINDS, help="through a local server of object storage")
    chosen = parser.parse_args()
    trial, began = Trial(), time.monotonic()
    for seed in range(chosen.seed, chosen.seed + chosen.runs):
        with tempfile.TemporaryDirectory(prefix="curator-sync-") as name, MonkeyPatch.context() as patch:
            if not chosen.kills:  # other processes have their own ids and clock
                repeat(patch, seed)
            found = run(Path(name), target_in(chosen.bucket), seed, chosen, trial)
        for line in found:
            print(f"run {seed}: {line}", flush=True)
        trial.bad += found[:1]
    print(f"{chosen.runs} runs on {chosen.devices} devices, {trial.passes:,} passes")
    print(f"{trial.tried:,} commands tried, {trial.commands:,} done")
    for what, counted in (("killed", trial.killed), ("damaged", trial.damaged)):
        if counted:
            print(f"{what}: {', '.join(f'{count} {kind}' for kind, count in sorted(counted.items()))}")
    if trial.damaged:
        print(f"damages not reported, as all devices had read the segment before: {trial.unnamed}")
    print(f"runs with a disagreement or an error: {len(trial.bad)}; {time.monotonic() - began:.0f} s")
    return 1 if trial.bad else 0


def target_in(kind: str | None) -> str:
    """Return a target in a new bucket of a local server, "" for a folder beside the devices."""
    return f"{new_bucket(kind, os.environ.__setitem__).url}/curator" if kind else ""


def run(folder: Path, target: str, seed: int, chosen: argparse.Namespace, trial: Trial) -> list[str]:
    """Run random commands on devices; return the problems at the end, with a summary in the first line."""
    rng, began = Random(seed), time.monotonic()
    made = devices(folder, *(f"device{number}" for number in range(chosen.devices)), target=target)
    apart = rng.choice([0.02, 0.15, 0.5])
    kills = Counter(rng.randrange(chosen.commands) for _ in range(chosen.kills))
    damages = Counter(rng.randrange(chosen.commands) for _ in range(chosen.damages))
    try:
        for device in made:
            device.at = rng.choice([0, 0, 2 * clock.DAY, -2 * clock.DAY, clock.DAY // 24])
        words = WORDS + [f"place {number}" for number in range(chosen.commands // 20)]
        for step in range(chosen.commands):
            with rng.choice(made).here() as store:
                trial.tried += 1
                if chosen.purges:
                    purge_or_bring_back(store, rng)
                elif chosen.removals:
                    remove_or_bring_back(store, rng)
                else:
                    act(store, rng, words=words)
            if rng.random() < apart:
                rng.choice(made).sync(rng.choice([0.3, 1.0]), rng)
                trial.passes += 1
            for _ in range(kills[step]):
                kill(made, rng, trial)
            for _ in range(damages[step]):
                damage(made, rng, trial)
            if chosen.meetings and (step + 1) % max(chosen.commands // chosen.meetings, 1) == 0:
                settle(made)
                if found := disagreement(made):
                    return [f"{found[0]} after {step + 1:,} commands", *found[1:]]
                done = sum(count_of(device) for device in made)
                print(f"run {seed}: equal after {done:,} commands, {time.monotonic() - began:.0f} s", flush=True)
        settle(made)
        return disagreement(made)
    except Exception as error:
        return [f"{type(error).__name__}: {error}", *traceback.format_exc().splitlines()[-6:]]
    finally:
        trial.commands += sum(count_of(device) for device in made)
        for device in made:
            device.store.close()


def count_of(device: Device) -> int:
    """Return the number of commands that were run on a device, without those that result from other devices."""
    with device.store.sqlite() as connection:
        query = (
            "SELECT count(*) FROM commands WHERE id NOT IN (SELECT id FROM sync_commands)"
            " AND (actor <> 'sweep' OR verb IN ('distil', 'rank', 'expire', 'compare'))"
            " AND summary NOT LIKE 'on another device%'"
        )
        return int(connection.execute(query).fetchone()[0])


def disagreement(made: list[Device]) -> list[str]:
    """Return which records are unsound, or how they differ."""
    unsound = [f"{device.name}: {found}" for device in made for found in device.store.differences()]
    if unsound:
        return ["unsound record", *unsound]
    if len({device.store.sync.digest() for device in made}) == 1:
        return []
    held: list[set[str]] = []
    for device in made:
        with device.store.sqlite() as connection:
            held.append({str(row) for row in digest.rows(connection)})
    common = set.intersection(*held)
    alone = zip(made, (sorted(rows - common) for rows in held), strict=True)
    return ["disagreement", *(f"{device.name}: {row}" for device, rows in alone for row in rows[:_SHOWN])]


def kill(made: list[Device], rng: Random, trial: Trial) -> None:
    """Kill a sync at a random call, after another device has written something for it to read."""
    device, other = rng.sample(made, 2)
    with other.here() as store:
        act(store, rng)
    other.sync()
    device.store.close()
    calls = rng.randrange(1, trial.calls)
    done = subprocess.run(
        [sys.executable, str(_KILLED), str(calls), str(device.at)],
        env={**os.environ, "CURATOR_HOME": str(device.home)},
        capture_output=True,
        text=True,
    )
    if done.returncode > 0:
        raise RuntimeError(f"the process of {device.name} failed: {done.stderr[-400:]}")
    phase, _, count = done.stdout.strip().partition(" ")
    trial.calls = max(int(count), 200) if count else trial.calls + trial.calls // 5
    if not count:
        trial.killed[phase] += 1


def damage(made: list[Device], rng: Random, trial: Trial) -> None:
    """Damage a segment of a device; check that the next syncs name it, and that a rewrite repairs it."""
    device = rng.choice(made)
    with device.here() as store:
        act(store, rng)
    device.sync()
    target = target_of(device.space.target)
    tag = device.space.tag(device.store.sync.begin(device.name).uid)
    paths = sorted(path for name in target.names() if (path := parse_path(name)) is not None and path.tag == tag)
    if len(paths) < 2:
        return
    chosen = rng.choice([rng.randrange(1, len(paths)), len(paths) - 1])
    path, former = paths[chosen], paths[chosen - 1]
    kind = rng.choice([*DAMAGES])
    spoil(target, path, former, kind, rng)
    trial.damaged[kind] += 1
    told = [problem for one in made for problem in one.sync().problems]
    trial.passes += len(made)
    trial.unnamed += not told
    named = {path.name, *(f"segment {n} of {whose}" for n in path.numbers for whose in (device.name, "this device"))}
    if told and not any(name in problem and "--rewrite" in problem for problem in told for name in named):
        raise RuntimeError(f"segment {path.number} of {device.name} is {kind}, but the report is {told}")
    with device.here() as store:
        store.sync.rewrite()
    device.sync()
    if told := [problem for one in made for problem in one.sync().problems]:
        raise RuntimeError(f"segment {path.number} of {device.name} was {kind}, and is not repaired: {told}")


def spoil(target: Target, path: SegmentPath, former: SegmentPath, kind: str, rng: Random) -> None:
    """Replace or delete the content of a segment."""
    data, other = target.get(path.name) or b"", target.get(former.name) or b""
    new = DAMAGES[kind](data, other, rng.randrange(len(data)))
    target.delete(path.name)
    if new is not None:
        target.put(path.name, new)


if __name__ == "__main__":
    sys.exit(main())

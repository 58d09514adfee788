"""A person's devices within one test: a home each, wrong clocks, and random commands."""

import os
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count, takewhile
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from curator import curation
from curator.services.forget_requests import quarantine_arrivals
from curator.sync.key import Space, saved, words_of
from curator.sync.run import PassResult, create, inspect_space, join, sync
from curator.sync.segments import SPACE
from curator.targets import Target, target_of
from factories import conversation, memory, quote
from store import Store, clock
from store.errors import Conflict, NotFound
from store.model import Actor, Relation, Tier

KEY = bytes(range(32))
_REAL = clock.now


@dataclass
class Device:
    """A device with its own home and clock; `at` is the number of microseconds by which the clock is ahead."""

    name: str
    home: Path
    store: Store
    at: int = 0
    seen: set[str] = field(default_factory=set)  # segments that have arrived

    @contextmanager
    def here(self) -> Iterator[Store]:
        """Work on this device, with its home and its clock."""
        before = os.environ.get("CURATOR_HOME")
        os.environ["CURATOR_HOME"] = str(self.home)
        clock.now = lambda: _REAL() + self.at
        try:
            yield self.store
        finally:
            clock.now = _REAL
            os.environ.pop("CURATOR_HOME") if before is None else os.environ.update(CURATOR_HOME=before)

    @property
    def space(self) -> Space:
        """Return its sync space."""
        with self.here():
            found = saved()
            assert found is not None
            return found

    def sync(self, arrived: float = 1.0, rng: random.Random | None = None) -> PassResult:
        """Make one pass; a random part of the others' new segments has arrived, in order."""
        with self.here():
            kind: Any = type(target_of(self.space.target))
        names: Callable[[Target], list[str]] = kind.names

        def some(target: Target) -> list[str]:
            found = names(target)
            if rng is None:
                return found
            for name in found:
                if rng.random() < arrived:
                    self.seen.add(name)
            tags = sorted({name.rpartition("/")[0] for name in found})
            listed = [
                list(
                    takewhile(
                        lambda one: one in own or one in self.seen,
                        [name for name in found if name.rpartition("/")[0] == tag],
                    )
                )
                for tag in tags
            ]
            return [name for some in listed for name in some]

        with self.here() as store:
            tag = self.space.tag(store.sync.begin(self.name).uid)
            own = {SPACE, *(name for name in target_of(self.space.target).names() if name.startswith(tag))}
            kind.names = some
            try:
                return sync(store, self.space, arrived=quarantine_arrivals)
            finally:
                kind.names = names


Three = tuple[Device, Device, Device]


def repeat(monkeypatch: pytest.MonkeyPatch, seed: object) -> None:
    """Make ids of devices, keys of records and the clock depend on a seed."""
    chance, ticks = random.Random(f"ids {seed}"), count(1_760_000_000_000_000, 1_700)
    monkeypatch.setattr("store.record.device.uuid4", lambda: UUID(bytes=chance.randbytes(16), version=4))
    monkeypatch.setattr("store.record.migrations.os.urandom", chance.randbytes)
    monkeypatch.setattr("store.clock.now", clock.now)  # changed by devices, and restored afterwards
    monkeypatch.setattr("sync.devices._REAL", lambda: next(ticks))


def device(folder: Path, name: str) -> Device:
    """Return a device with an empty store."""
    home = folder / name
    return Device(name, home, Store.open(home / "store"))


def devices(folder: Path, *names: str, target: str = "") -> list[Device]:
    """Return devices in one space, begun by the first; without a target it is in a folder beside them."""
    target = target or f"folder:{folder / 'target'}"
    made = [device(folder, name) for name in names]
    for index, one in enumerate(made):
        with one.here() as store:
            if index:
                join(store, inspect_space(store, target, one.name, words_of(KEY)))
            else:
                create(store, target, one.name, KEY)
    return made


def settle(made: list[Device]) -> None:
    """Sync all devices until none has anything new. One may wait for a segment whose writer was killed before it."""
    for _ in range(20):
        passes = [one.sync() for one in made]
        assert not any(done.problems for done in passes), passes
        if not any(done.written or done.folded for done in passes):
            assert not any(done.waiting for done in passes), passes
            return
    raise AssertionError("they never come to rest")


def states(made: list[Device]) -> list[str]:
    """Check the devices' records; return their state hashes."""
    for one in made:
        assert (found := one.store.differences()) == [], found
    return [one.store.sync.digest() for one in made]


WORDS = "tea coffee bees Porto chess rain sailing Ana".split()
_TEXTS = [f"I like {what}" for what in WORDS]
_TAGS = ("home", "work", "travel")


def act(store: Store, rng: random.Random, losing: bool = True, words: Sequence[str] = WORDS) -> None:
    """Run a random command, including undo and purge if `losing`; ignore refusals."""
    found = [row[0] for row in _rows(store, "SELECT id FROM memories WHERE life <> 'purged'")]
    live = [row[0] for row in _rows(store, "SELECT id FROM memories WHERE life = 'live'")]
    one = rng.choice(found) if found else 0
    two = rng.sample(live, 2) if len(live) > 1 else None
    other = f"We met {rng.choice(words)} near {rng.choice(words)}"
    things: list[Callable[[], object]] = [
        lambda: curation.add(store, f"I like {rng.choice(words)}"),
        lambda: curation.add(store, other),
        lambda: _imported(store, rng),
        lambda: _sweep(store, rng, live),
        lambda: _see(store, rng),
    ]
    if one:
        things += [
            lambda: curation.edit(store, one, other),
            lambda: curation.validate(store, [one]),
            lambda: curation.reject(store, [one]),
            lambda: curation.forget(store, [one]),
            lambda: curation.restore(store, [one]),
            lambda: curation.tag(store, [one], [rng.choice(_TAGS)], [rng.choice(_TAGS)]),
            lambda: curation.pin(store, [one], rng.random() < 0.5),
            lambda: curation.set_tier(store, [one], rng.choice(list(Tier))),
            lambda: curation.set_scope(store, [one], rng.choice(["global", "project:site"])),
            lambda: curation.score(store, [one], rng.randrange(11)),
            lambda: _resolve(store, rng),
        ]
    if two is not None:
        things += [
            lambda: curation.supersede(store, two[:1], two[1]),
            lambda: curation.merge(store, two, other, two[0]),
            lambda: _alert(store, two, rng),
        ]
    if one and losing:
        things += [store.undo, store.redo, lambda: store.undo(rng.choice(_rows(store, "SELECT id FROM commands"))[0])]
    if one and losing and rng.random() < 0.3:
        things.append(lambda: _purge(store, one))
    with suppress(Conflict, NotFound, ValueError):
        rng.choice(things)()


def remove_or_bring_back(store: Store, rng: random.Random) -> None:
    """Run a random command on few memories: mostly remove, restore, or decide."""
    found = [row[0] for row in _rows(store, "SELECT id FROM memories WHERE life <> 'purged' ORDER BY id")]
    live = [row[0] for row in _rows(store, "SELECT id FROM memories WHERE life = 'live' ORDER BY id")]
    added = _rows(store, "SELECT id FROM commands WHERE verb IN ('import', 'add', 'distil') ORDER BY id")
    things: list[Callable[[], object]] = [store.undo, store.undo, store.redo, store.redo]
    if added:
        things += [lambda: store.undo(rng.choice(added)[0])] * 3
    if len(found) < 3:
        things += [lambda: curation.add(store, f"I like {rng.choice(WORDS[:3])}"), lambda: _imported(store, rng)]
    if found:
        one = rng.choice(found)
        things += [
            lambda: curation.edit(store, one, f"We met {rng.choice(WORDS)}"),
            lambda: curation.validate(store, [one]),
            lambda: curation.pin(store, [one], rng.random() < 0.5),
            lambda: curation.tag(store, [one], [rng.choice(_TAGS)], [rng.choice(_TAGS)]),
            lambda: curation.forget(store, [one]),
            lambda: curation.restore(store, [one]),
            lambda: _sweep(store, rng, live),
            lambda: _see(store, rng),
        ]
    if found and rng.random() < 0.1:
        things.append(lambda: _purge(store, one))
    with suppress(Conflict, NotFound, ValueError):
        rng.choice(things)()


def purge_or_bring_back(store: Store, rng: random.Random) -> None:
    """Run a random command on few memories: mostly purge, forget, edit, merge, or undo."""
    found = [row[0] for row in _rows(store, "SELECT id FROM memories WHERE life <> 'purged' ORDER BY id")]
    live = [row[0] for row in _rows(store, "SELECT id FROM memories WHERE life = 'live' ORDER BY id")]
    done = _rows(store, "SELECT id FROM commands WHERE undoable AND undone IS NULL AND verb <> 'distil' ORDER BY id")
    text = f"{rng.choice(['We met', 'I like'])} {rng.choice(WORDS[:4])}"
    things: list[Callable[[], object]] = [store.redo, lambda: _see(store, rng)]
    if len(found) < 5:
        new = [lambda: curation.add(store, f"I like {rng.choice(WORDS[:4])}"), lambda: _imported(store, rng)]
        things += new * (1 if len(found) > 2 else 3)
    if done:
        things += [lambda: store.undo(rng.choice(done)[0])] * 3
    if live:
        one = rng.choice(live)
        things += [lambda: curation.edit(store, one, text)] * 2 + [lambda: curation.forget(store, [one])]
    if gone := sorted({*found}.difference(live)):
        things.append(lambda: curation.restore(store, [rng.choice(gone)]))
    if found and rng.random() < 0.5:
        things.append(lambda: _purge(store, rng.choice(found)))
    if len(live) > 1:
        two = rng.sample(live, 2)
        things += [lambda: curation.merge(store, two, text, two[0])] * 2
        things.append(lambda: curation.supersede(store, two[:1], two[1]))
    with suppress(Conflict, NotFound, ValueError):
        rng.choice(things)()


def _rows(store: Store, query: str) -> list[tuple[int]]:
    with store.sqlite() as connection:
        return [tuple(row) for row in connection.execute(query)]


def _imported(store: Store, rng: random.Random) -> None:
    """Import a log, of which other devices may have another part, and distil a memory from it."""
    name, size = rng.choice("xyz"), rng.randrange(1, 5)
    turns = [f"{_TEXTS[(ord(name) + n) % len(_TEXTS)]}." for n in range(size)]
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation(name, *turns))
    with store.command("distil", Actor.SWEEP) as writer:
        index = rng.randrange(size)
        (number,) = _rows(store, f"SELECT coalesce((SELECT id FROM messages WHERE external_id = '{name}-{index}'), 0)")[
            0
        ]
        said = turns[index][:-1]
        if number and store.raw.find_messages([f"{name}-{index}"])[f"{name}-{index}"][1] == turns[index]:
            store.admit(writer, memory(said, evidence=(quote(said, turns[index], number),)))
            if rng.random() < 0.5:
                store.forget_requests.put(writer, [(number, rng.randrange(3), len(said))])


def _see(store: Store, rng: random.Random) -> None:
    """Mark some of the forget requests as seen."""
    store.forget_requests.mark_seen([one.place for one in store.forget_requests.page() if rng.random() < 0.5])


def _sweep(store: Store, rng: random.Random, live: list[int]) -> None:
    """Rank, expire or merge, as a sweep, memories that no person decided on."""
    with store.command(rng.choice(["rank", "expire"]), Actor.SWEEP) as writer:
        some = writer.where("review <> 'validated' AND NOT pinned", rng.sample(live, min(2, len(live))))
        after = rng.choice([{"rank": "low"}, {"rank": "high"}, {"life": "expired"}])
        writer.update("memories", some, dict(after))


def _alert(store: Store, two: list[int], rng: random.Random) -> None:
    with store.command("compare", Actor.SWEEP) as writer:
        relation, (a, b) = rng.choice([Relation.DUPLICATE, Relation.UPDATE]), two
        store.alerts.put(writer, a, b, relation, rng.random(), ["alike"], judge="rules/1")


def _resolve(store: Store, rng: random.Random) -> None:
    waiting = store.alerts.open()
    if waiting:
        with store.command("resolve") as writer:
            store.alerts.resolve(writer, [rng.choice(waiting).id], "both")


def _purge(store: Store, one: int) -> None:
    store.purge([one])


def said(store: Store, name: str, *turns: str) -> None:
    """Import a log, and distil a memory from its first message."""
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation(name, *turns))
        number = store.raw.find_identity(writer, f"chatgpt:{name}:0")
    with store.command("distil", Actor.SWEEP) as writer:
        store.admit(writer, memory(turns[0], evidence=(quote(turns[0], turns[0], number),)))


def numbered(store: Store, text: str) -> int:
    """Return the id of the memory with this text."""
    with store.sqlite() as connection:
        (number,) = connection.execute("SELECT id FROM memories WHERE text = ?", (text,)).fetchone()
    return int(number)


def taken_back(device: Device, verb: str) -> None:
    """Undo the last command with this name that is not undone."""
    with device.here() as store:
        store.undo(next(one.id for one in store.journal.log() if one.verb == verb and one.undone is None))

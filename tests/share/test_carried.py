"""A folder synced by another program: objects and deletions arrive late and in any order."""

import random
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from curator import curation
from curator.errors import Conflict, TargetUnreachable
from curator.share import manage, run
from curator.share.project import find
from curator.sync.key import words_of
from effort import some, thorough
from share.people import KEY, Person, person


@dataclass
class Carrier:
    """A program that syncs people's folders."""

    folders: dict[str, Path]
    known: dict[str, set[str]] = field(default_factory=dict)

    def carry(self, rng: random.Random | None = None) -> None:
        """Copy to the others what was created or deleted since the last call; with `rng`, only some of it."""
        for one, source in self.folders.items():
            here = files(source)
            for other, target in self.folders.items():
                was = self.known.setdefault(f"{one} {other}", set())
                for name in sorted(here - was):
                    if rng is None or rng.random() < 0.5:
                        (target / name).parent.mkdir(parents=True, exist_ok=True)
                        if not (target / name).exists():
                            (target / name).write_bytes((source / name).read_bytes())
                        was.add(name)
                for name in sorted(was - here):
                    if rng is None or rng.random() < 0.5:
                        (target / name).unlink(missing_ok=True)
                        was.discard(name)
                        self.known.setdefault(f"{other} {one}", set()).discard(name)


def files(folder: Path) -> set[str]:
    return {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}


def gathered(folder: Path) -> tuple[list[Person], Carrier]:
    """Return three people with a folder each, who share a project, and the program that syncs their folders."""
    made = [person(folder, name) for name in ("Anna", "Ben", "Cara")]
    carrier = Carrier({one.name: folder / f"target of {one.name}" for one in made})
    for one in made:
        carrier.folders[one.name].mkdir(exist_ok=True)
        with one.here() as store:
            target = f"folder:{carrier.folders[one.name]}"
            if one is made[0]:
                run.create(store, "garden", target, one.name, KEY)
            else:
                share, _ = run.open_invitation(target, words_of(KEY))
                run.join(store, share, "garden", one.name)
        carrier.carry()
    made[0].sync()
    carrier.carry()
    return made, carrier


@thorough
@pytest.mark.parametrize("seed", some([*range(12)], 2))
def test_in_the_end_all_agree(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    made, carrier = gathered(tmp_path)
    count = 0
    for step in range(60):
        one = rng.choice(made)
        own = [memory.id for memory in one.memories().values() if memory.author is None]
        with one.here() as store, suppress(TargetUnreachable, Conflict):
            match rng.randrange(6):
                case 0 | 1:
                    count += 1
                    curation.add(store, f"Bed {count} is for {rng.choice(['kale', 'peas'])}", project="garden")
                case 2 if own:
                    count += 1
                    curation.edit(store, rng.choice(own), f"Bed {count} is for {rng.choice(['kale', 'peas'])}")
                case 3 if own:
                    curation.forget(store, [rng.choice(own)])
                case _:
                    run.sync(store, find("garden"))
        if step == 30:
            with made[0].here() as store:
                manage.rekey(store, find("garden"))
        carrier.carry(rng)
    for _ in range(4):
        carrier.carry()
        for one in made:
            last = one.sync()
            carrier.carry()
            assert last.is_member
    assert not any(one.sync().problems for one in made)
    shared = sorted(text for one in made for text, memory in one.memories().items() if memory.author is None)
    for one in made:
        assert sorted(one.memories()) == shared
        assert one.store.differences() == []

"""People with a home each, who share projects within one test."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from curator import curation
from curator.recall.block import exclusion_reason
from curator.share import manage, run
from curator.share.project import Share, find
from curator.sync.key import words_of
from store import Filter, Store, clock
from store.model import Memory

KEY = bytes(range(32))


@dataclass
class Person:
    """A person with a store."""

    name: str
    home: Path
    store: Store

    @contextmanager
    def here(self) -> Iterator[Store]:
        """Work in this person's home."""
        before = os.environ.get("CURATOR_HOME")
        os.environ["CURATOR_HOME"] = str(self.home)
        try:
            yield self.store
        finally:
            os.environ.pop("CURATOR_HOME") if before is None else os.environ.update(CURATOR_HOME=before)

    def share(self, project: str = "garden") -> Share:
        with self.here():
            return find(project)

    def sync(self, project: str = "garden") -> run.PassResult:
        with self.here() as store:
            return run.sync(store, find(project), manual=True)

    def add(self, text: str, project: str | None = "garden", **more: object) -> int:
        with self.here() as store:
            return curation.add(store, text, project=project, **more).id  # type: ignore[arg-type]

    def memories(self) -> dict[str, Memory]:
        """Return the live memories by text."""
        return {one.text: one for one in self.store.get_many(self.store.list_ids(Filter()))}

    def given(self) -> set[str]:
        """Return the texts that a model may be given."""
        return {text for text, one in self.memories().items() if exclusion_reason(one, clock.now()) is None}

    def trust(self, name: str) -> None:
        with self.here() as store:
            manage.trust(store, find("garden"), name)


def person(folder: Path, name: str) -> Person:
    return Person(name, folder / name, Store.open(folder / name / "store"))


def target_in(folder: Path) -> str:
    return f"folder:{folder / 'target'}"


def start(one: Person, folder: Path, **more: bool) -> None:
    with one.here() as store:
        run.create(store, "garden", target_in(folder), one.name, KEY, **more)


def join(one: Person, folder: Path, key: bytes = KEY, project: str = "garden", **more: bool) -> None:
    with one.here() as store:
        share, _ = run.open_invitation(target_in(folder), words_of(key))
        run.join(store, share, project, one.name, **more)


def people(folder: Path, *names: str) -> list[Person]:
    """Return people who share a project: the first one started it, the others joined and were admitted."""
    made = [person(folder, name) for name in names]
    start(made[0], folder)
    for one in made[1:]:
        join(one, folder)
    made[0].sync()
    return made


def settle(made: list[Person]) -> None:
    """Sync until nobody has anything new."""
    for _ in range(6):
        passes = [one.sync() for one in made]
        assert not any(done.problems for done in passes), passes
        if not any(done.written for done in passes):
            return
    raise AssertionError("they never come to rest")

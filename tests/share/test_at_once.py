"""Two commands at the same time: the second one sees what the first did."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from curator.share import run
from curator.share.project import exclusive, saved
from curator.sync.key import words_of
from share.people import KEY, Person, person, start, target_in
from store import Conflict


def meanwhile(monkeypatch: pytest.MonkeyPatch, other: Callable[[], object]) -> None:
    """Run another command right before this one takes the lock."""

    @contextlib.contextmanager
    def late() -> Iterator[None]:
        monkeypatch.setattr(run, "exclusive", exclusive)
        other()
        with exclusive():
            yield

    monkeypatch.setattr(run, "exclusive", late)


@pytest.fixture
def ben(tmp_path: Path) -> Person:
    """Return a person who may join Anna's project."""
    start(person(tmp_path, "Anna"), tmp_path)
    return person(tmp_path, "Ben")


@pytest.mark.parametrize(("project", "problem"), [("garden", "shared already"), ("allotment", "joined")])
def test_a_project_is_joined_once(
    ben: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, project: str, problem: str
) -> None:
    with ben.here() as store:
        share, _ = run.open_invitation(target_in(tmp_path), words_of(KEY))
        meanwhile(monkeypatch, lambda: run.join(store, share, "garden", "Ben"))
        with pytest.raises(Conflict, match=problem):
            run.join(store, share, project, "Ben")
        assert [one.project for one in saved()] == ["garden"]


def test_a_project_is_begun_once(ben: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ben.here() as store:
        first, second = (f"folder:{tmp_path / name}" for name in ("first", "second"))
        meanwhile(monkeypatch, lambda: run.create(store, "kitchen", first, "Ben", KEY))
        with pytest.raises(Conflict, match="shared already"):
            run.create(store, "kitchen", second, "Ben", KEY)
        assert [one.target for one in saved()] == [first]

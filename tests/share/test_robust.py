"""What one hostile or interrupted member leaves behind does not stop the others."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from curator import curation
from curator.cli.commands import app
from curator.share.members import Member, Members, publish
from curator.sync.key import words_of
from curator.sync.targets import FolderTarget
from share.people import KEY, people, person, start, target_in


class Killed(BaseException):
    """The process ended."""


def test_preview_is_of_the_project_that_is_shared(tmp_path: Path) -> None:
    """A name with blanks around it, from a hostile owner, previews what is shared."""
    anna, ben = person(tmp_path, "Anna"), person(tmp_path, "Ben")
    start(anna, tmp_path)
    one = anna.share()
    with anna.here():
        publish(one, FolderTarget(tmp_path / "target"), Members(" work", (Member(one.member, "Anna", True),)))
    ben.add("The merger is signed in May", project="work")
    with ben.here():
        told = CliRunner().invoke(app, ["share", "join", target_in(tmp_path), "--yes"], input=" ".join(words_of(KEY)))
    assert "1 memory would be shared" in told.output


def test_a_former_generation_is_deleted_after_an_interruption(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was forgotten does not stay in the target because its deletion was interrupted once."""
    (anna,) = people(tmp_path, "Anna")
    number = anna.add("The roses are cut in March")
    anna.sync()
    with anna.here() as store:
        curation.forget(store, [number])

    def die(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(FolderTarget, "delete", die)
        anna.sync()
    anna.sync()
    with anna.here() as store:
        tag = anna.share().tag(store.shares.device())
    left = [name for name in FolderTarget(tmp_path / "target").names() if name.startswith(tag)]
    assert left == [f"{tag}/000002/0000000001"]

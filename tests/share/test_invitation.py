"""The words of an invitation: they identify the owner, so that nobody else can pass for them."""

from dataclasses import replace
from pathlib import Path

import pytest

from curator.secrets import redact
from curator.share import manage, run
from curator.share.invitation import Invitation, invitation, owner_hash, read_invitation
from curator.share.members import LISTS
from curator.share.segments import seal
from curator.sync.key import words_of
from curator.sync.segments import SegmentPath
from curator.targets import FolderTarget
from effort import thorough
from share.people import KEY, Person, people, person, target_in


def pretend(one: Person, folder: Path, schema: int = 1) -> None:
    """Write a list of members in the owner's name, with the member itself as owner."""
    share = replace(one.share(), owner=one.share().member)
    path = SegmentPath(LISTS, share.epoch, 99)
    content = {"schema": schema, "space": share.id, "owner": share.member, "former": {}, "project": "garden"}
    content |= {"members": [{"key": share.member, "name": "Anna", "validates": True}], "removed": []}
    FolderTarget(folder / "target").put(path.name, seal(share, path, "", content))


@thorough
@pytest.mark.parametrize("schema", [1, 2])
def test_somebody_else_does_not_pass_for_the_owner(tmp_path: Path, schema: int) -> None:
    anna, ben = people(tmp_path, "Anna", "Ben")
    words = invitation(KEY, anna.share().owner)
    pretend(ben, tmp_path, schema)
    cara = person(tmp_path, "Cara")
    with cara.here() as store:
        share, listed = run.open_invitation(target_in(tmp_path), words)
        assert share.owner == anna.share().member and [one.name for one in listed.members] == ["Anna", "Ben"]
        run.join(store, share, "garden", "Cara")
    assert anna.sync().admitted == ["Cara"]


def test_a_space_of_somebody_else_is_refused(tmp_path: Path) -> None:
    anna, ben = people(tmp_path, "Anna", "Ben")
    words = invitation(KEY, anna.share().owner)
    pretend(ben, tmp_path)
    target = FolderTarget(tmp_path / "target")
    for name in target.names():
        if name.startswith(LISTS) and not name.endswith("99"):
            target.delete(name)
    with person(tmp_path, "Cara").here(), pytest.raises(ValueError, match="not signed by whoever owns"):
        run.open_invitation(target_in(tmp_path), words)


def test_the_words_after_a_removal_name_the_owner_too(tmp_path: Path) -> None:
    anna, _ = people(tmp_path, "Anna", "Ben")
    old = invitation(KEY, anna.share().owner)
    with anna.here() as store:
        key = manage.rekey(store, anna.share(), "Ben")
    with person(tmp_path, "Cara").here():
        share, _ = run.open_invitation(target_in(tmp_path), invitation(key, anna.share().owner))
        assert share.owner == anna.share().member
        with pytest.raises(ValueError, match="not the words"):
            run.open_invitation(target_in(tmp_path), old)


def test_words_are_checked() -> None:
    owner = "ab" * 32
    words = invitation(KEY, owner)
    assert len(words) == 32 and read_invitation(words) == Invitation(KEY, owner_hash(owner))
    assert read_invitation([word.upper() for word in words]) == Invitation(KEY, owner_hash(owner))
    assert read_invitation(words_of(KEY)) == Invitation(KEY)
    other = invitation(bytes(32), owner)
    for wrong in (
        words[:31],
        [*words, words[0]],
        [*words[:24], *words[25:], words[24]],
        [*words[:24], *other[24:]],
        [*words[:31], "curator"],
        words[8:] + words[:8],
        words[:25],
    ):
        with pytest.raises(ValueError):
            read_invitation(wrong)


def test_a_missing_word_is_said() -> None:
    words = invitation(KEY, "ab" * 32)
    for wrong, count in ((words[2:], 30), (words[:31], 31), (words[:20], 20)):
        with pytest.raises(ValueError, match=f"{count} words were given, but 32 are needed"):
            read_invitation(wrong)


def test_the_key_in_the_words_is_redacted_in_logs() -> None:
    words = invitation(KEY, "ab" * 32)
    left = redact("the words are " + " ".join(words)).text.split()
    assert "[REDACTED]" in left and not {*words[:24]} & {*left} - {*words[24:], "the", "words", "are"}

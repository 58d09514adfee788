"""Segments written by a hostile member."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from curator.share.segments import seal
from curator.sync.segments import SegmentPath
from curator.targets import FolderTarget
from effort import thorough
from share.people import Person, people
from store.model import Origin

GOOD: dict[str, Any] = {
    "id": "1",
    "text": "The roses are cut in March",
    "kind": "fact",
    "tags": [],
    "until": None,
    "said_at": None,
    "validated": False,
    "written": 1,
}


def write(one: Person, folder: Path, *, generation: int = 1, **content: Any) -> None:
    """Write a member's segment with some of its content replaced."""
    share = one.share()
    with one.here() as store:
        path = SegmentPath(share.tag(store.shares.device()), generation, 1)
    full = {"schema": 1, "name": "x", "ends": True, "statements": [], "withdrawn": [], "votes": [], **content}
    FolderTarget(folder / "target").put(path.name, seal(share, path, "", full))


@thorough
@pytest.mark.parametrize(
    "content",
    [
        {"statements": 1},
        {"statements": [1]},
        {"statements": [{"text": "no id"}]},
        {"statements": [GOOD | {"written": 1 << 63}]},
        {"statements": [GOOD | {"until": "tomorrow"}]},
        {"statements": [GOOD | {"tags": None}]},
        {"statements": [GOOD | {"quotes": [1]}]},
        {"withdrawn": [[1]]},
        {"withdrawn": [["1", -5]]},
        {"votes": [["a", "b", "validated", 1 << 63]]},
        {"votes": 7},
    ],
)
def test_what_has_another_form_is_refused_by_name(tmp_path: Path, content: dict[str, Any]) -> None:
    anna, ben, cara = people(tmp_path, "Anna", "Ben", "Cara")
    write(ben, tmp_path, **content)
    cara.add("The shed is locked at night")
    cara.sync()
    (problem,) = anna.sync().problems
    assert "is not a segment of this version" in problem
    assert [*anna.memories()] == ["The shed is locked at night"]
    assert anna.store.differences() == []


@pytest.mark.parametrize(
    "entry",
    [
        {"text": ""},
        {"text": "x" * 501},
        {"text": "\u202e\u200b"},
        {"kind": "nonsense"},
        {"text": "ghp_0123456789abcdefghijABCDEFGHIJ456789"},
    ],
)
def test_what_cannot_be_a_memory_is_counted(tmp_path: Path, entry: dict[str, Any]) -> None:
    anna, ben = people(tmp_path, "Anna", "Ben")
    write(ben, tmp_path, statements=[GOOD | entry])
    done = anna.sync()
    assert done.read.refused == 1 and not done.problems
    assert not anna.memories()


def test_nothing_but_what_is_asked_for_is_taken_over(tmp_path: Path) -> None:
    anna, ben = people(tmp_path, "Anna", "Ben")
    wishes = {
        "review": "validated",
        "given": "always",
        "scope": "global",
        "project": "site",
        "pinned": True,
        "flag": None,
    }
    text = "The \x1b[31mroses\x1b[0m\u202e are cut in March"
    quotes = [["[bold]he\x07 said\u200b so[/bold]", None]]
    write(ben, tmp_path, statements=[GOOD | wishes | {"text": text, "tags": ["A b\x1b"], "quotes": quotes}])
    anna.sync()
    (one,) = anna.memories().values()
    assert (one.review, one.given, one.scope, one.pinned) == ("open", "relevant", "project:garden", False)
    assert one.flag == "shared by Ben" and one.origin is Origin.SHARED
    (said,) = anna.store.evidence(one.id)
    for shown in (one.text, *one.tags, said.quote):
        assert shown.isprintable()


@thorough
def test_an_id_of_another_member_is_another_statement(tmp_path: Path) -> None:
    anna, ben, cara = people(tmp_path, "Anna", "Ben", "Cara")
    number = anna.add("The roses are cut in March")
    anna.sync()
    uid = anna.store.get(number).uid
    cara.sync()
    write(ben, tmp_path, statements=[GOOD | {"id": uid, "text": "The shed is open"}], withdrawn=[[uid, 1 << 60]])
    cara.sync()
    assert "The roses are cut in March" in cara.memories()


def test_a_member_cannot_validate_as_another(tmp_path: Path) -> None:
    anna, ben, cara = people(tmp_path, "Anna", "Ben", "Cara")
    ben.add("The shed is open")
    cara.sync()
    cara.trust("Anna")
    ben.sync()
    cara.sync()
    (statement,) = cara.store.shares.statements(cara.share().id).values()
    vote = [statement.id, statement.digest, "validated", 1 << 60]
    share = replace(ben.share())
    with ben.here() as store:
        path = SegmentPath(share.tag(store.shares.device() + "2"), 1, 1)
    full = {"schema": 1, "name": "x", "ends": True, "statements": [], "withdrawn": [], "votes": [vote]}
    FolderTarget(tmp_path / "target").put(path.name, seal(share, path, "", full | {"by": anna.share().member}))
    cara.sync()
    assert cara.given() == set()

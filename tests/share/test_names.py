"""Members' names that look like another member's."""

import re
from pathlib import Path

import pytest

from curator.share import manage, run
from curator.share.members import saved_members
from curator.share.names import clean_name, disambiguated, skeleton
from effort import thorough
from share.people import KEY, Person, join, people, person, settle, start, target_in
from store import NotFound


@pytest.mark.parametrize(
    "other",
    [
        "anna",
        "ANNA",
        "\u0410nna",  # Cyrillic
        "A\u043f\u043fa",
        "\u0391\u03b7\u03b7a",  # Greek
        "Ann\u00e1",
        "An\u200bna",
        "\uff21nna",
        "An na",
        "Anna.",
        "Anna (work)",
        "Anna (1a2b3c4d5e)",
    ],
)
def test_look_alike(other: str) -> None:
    assert skeleton(other) == skeleton("Anna")
    names = disambiguated({"ab" * 32: "Anna", "cd" * 32: clean_name(other), "ef" * 32: "Ben"})
    assert disambiguated(names) == names
    assert names["ab" * 32] == "Anna (ababababab)" and names["cd" * 32].endswith(" (cdcdcdcdcd)")
    assert names["ef" * 32] == "Ben"


@pytest.mark.parametrize(
    ("one", "other"), [("I1an", "llan"), ("Marnie", "Mamie"), ("B0b", "BOB"), ("\u0421ara", "\u03f2ara")]
)
def test_look_alike_letters(one: str, other: str) -> None:
    assert skeleton(one) == skeleton(other)


@pytest.mark.parametrize("other", ["Hanna", "Anne", "Anna 2", "\u674e", "\U0001f600"])
def test_others_do_not(other: str) -> None:
    assert skeleton(other) != skeleton("Anna")
    assert disambiguated({"ab": "Anna", "cd": other}) == {"ab": "Anna", "cd": other}


def named(one: Person) -> list[str]:
    return [member.name for member in saved_members(one.store, one.share()).members]


@thorough
def test_everybody_sees_whose_key_it_is(tmp_path: Path) -> None:
    anna, ben = people(tmp_path, "Anna", "Ben")
    eve = person(tmp_path, "eve")
    eve.name = "\u0410nna"
    join(eve, tmp_path)
    anna.sync()
    join(person(tmp_path, "Cara"), tmp_path)
    assert anna.sync().admitted == ["Cara"] and named(anna)[0] == f"Anna ({anna.share().member[:10]})"
    eve.add("The shed is locked at night")
    settle([anna, ben, eve])
    true, fake = (f"{one.name} ({one.share().member[:10]})" for one in (anna, eve))
    for one in (anna, ben, eve):
        assert named(one) == [true, "Ben", fake, "Cara"]
    (memory,) = ben.memories().values()
    assert memory.author == fake and memory.flag == f"shared by {fake}"
    with ben.here() as store, pytest.raises(NotFound, match=f"look like Anna: {re.escape(true)}, {re.escape(fake)}"):
        manage.trust(store, ben.share(), "Anna")
    ben.trust(true)
    assert ben.share().trusted == (anna.share().member,)
    with anna.here() as store:
        manage.rekey(store, anna.share(), fake)
    ben.sync()
    assert [one.name for one in saved_members(ben.store, ben.share()).removed] == [fake]
    assert named(ben)[0] == true  # shows whose memories these are


def test_a_name_with_control_characters_is_refused(tmp_path: Path) -> None:
    anna = person(tmp_path, "Anna")
    with anna.here() as store, pytest.raises(ValueError, match="control or invisible characters"):
        run.create(store, "garden", target_in(tmp_path), "Anna\x1b[31m", KEY)
    start(anna, tmp_path)
    ben = person(tmp_path, "Ben")
    ben.name = "Anna\u200b"
    with pytest.raises(ValueError, match="invisible"):
        join(ben, tmp_path)


def test_a_request_with_control_characters_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (anna,) = people(tmp_path, "Anna")
    ben = person(tmp_path, "Ben")
    ben.name = "An\u202ena"
    with monkeypatch.context() as patch:
        patch.setattr(run, "checked_name", str)
        join(ben, tmp_path)
    done = anna.sync()
    assert not done.admitted and "control or invisible characters" in done.problems[0]
    assert not anna.sync().problems

"""A project shared by two people."""

from pathlib import Path

from curator import curation
from effort import thorough
from share.people import join, people, person, settle, start
from store.model import Life, Origin, Review


def test_what_one_says_is_a_candidate_of_the_other_until_it_is_validated(tmp_path: Path) -> None:
    anna, ben = people(tmp_path, "Anna", "Ben")
    anna.add("The roses are cut in March")
    anna.add("I like tea", project=None)
    anna.add("We deploy on Fridays", project="site")
    settle([anna, ben])
    (text,) = ben.memories()
    assert text == "The roses are cut in March"
    received = ben.memories()[text]
    assert (received.origin, received.review, received.flag) == (Origin.SHARED, Review.OPEN, "shared by Anna")
    assert received.project == "garden" and received.scope == "project:garden"
    assert ben.given() == set()
    with ben.here() as store:
        curation.validate(store, [received.id])
    assert ben.given() == {text}
    settle([anna, ben])
    assert [*anna.memories()] == ["We deploy on Fridays", "I like tea", "The roses are cut in March"]


def test_a_trusted_validator_releases_it(tmp_path: Path) -> None:
    anna, ben = people(tmp_path, "Anna", "Ben")
    anna.add("The roses are cut in March")
    settle([anna, ben])
    assert ben.given() == set()
    ben.trust("Anna")
    assert ben.given() == {"The roses are cut in March"}
    attribution = ben.store.shares.attribution(ben.memories()["The roses are cut in March"].id)
    assert attribution is not None and attribution.by == attribution.validated == ("Anna",)


def test_before_the_owner_has_admitted_somebody_nothing_of_them_is_read(tmp_path: Path) -> None:
    anna, ben, cara = (person(tmp_path, name) for name in ("Anna", "Ben", "Cara"))
    start(anna, tmp_path)
    join(ben, tmp_path)
    anna.sync()
    join(cara, tmp_path)
    cara.add("The shed is locked at night")
    cara.sync()
    assert [one.partition(" ")[0] for one in ben.sync().asking] == ["Cara"]
    assert not ben.memories()
    assert anna.sync().admitted == ["Cara"]
    assert [*ben.memories()] == [] and not ben.sync().asking
    assert [*ben.memories()] == ["The shed is locked at night"]


@thorough
def test_corrections_and_withdrawals(tmp_path: Path) -> None:
    anna, ben = people(tmp_path, "Anna", "Ben")
    one, two = anna.add("The roses are cut in March"), anna.add("The shed is locked at night")
    settle([anna, ben])
    with anna.here() as store:
        curation.edit(store, one, "The roses are cut in April")
        curation.forget(store, [two])
    settle([anna, ben])
    assert [*ben.memories()] == ["The roses are cut in April"]
    with anna.here() as store:
        curation.restore(store, [two])
    settle([anna, ben])
    assert {*ben.memories()} == {"The roses are cut in April", "The shed is locked at night"}
    assert ben.given() == set()


@thorough
def test_what_was_decided_here_stays(tmp_path: Path) -> None:
    anna, ben = people(tmp_path, "Anna", "Ben")
    one, two = anna.add("The roses are cut in March"), anna.add("The shed is locked at night")
    settle([anna, ben])
    with ben.here() as store:
        curation.validate(store, [memory.id for memory in ben.memories().values()])
    with anna.here() as store:
        curation.edit(store, one, "The roses are cut in April")
        curation.forget(store, [two])
    settle([anna, ben])
    assert ben.given() == {"The roses are cut in March", "The shed is locked at night"}
    assert ben.memories()["The roses are cut in April"].quarantined
    assert len(ben.store.alerts.open()) == 1
    attribution = ben.store.shares.attribution(ben.memories()["The shed is locked at night"].id)
    assert attribution is not None and attribution.withdrawn == ("Anna",)


def test_undo_takes_back_what_came(tmp_path: Path) -> None:
    anna, ben = people(tmp_path, "Anna", "Ben")
    anna.add("The roses are cut in March")
    anna.sync()
    ben.sync()
    with ben.here() as store:
        (command,) = [one for one in store.journal.log(5) if one.verb == "share"]
        store.undo(command.id)
    settle([anna, ben])
    assert not ben.memories()
    assert ben.store.differences() == []


@thorough
def test_what_was_forgotten_does_not_come_back(tmp_path: Path) -> None:
    anna, ben = people(tmp_path, "Anna", "Ben")
    with ben.here() as store:
        curation.forget(store, [curation.add(store, "The roses are cut in March").id])
    anna.add("The roses are cut in March")
    settle([anna, ben])
    assert not ben.memories()
    one = anna.add("The shed is locked at night")
    settle([anna, ben])
    with ben.here() as store:
        curation.forget(store, [ben.memories()["The shed is locked at night"].id])
    with anna.here() as store:
        curation.edit(store, one, "The shed is locked at night!")
        curation.pin(store, [one])
    settle([anna, ben])
    assert not ben.memories()
    assert ben.store.get(2).life is Life.FORGOTTEN


@thorough
def test_further_corrections_of_what_was_forgotten_stay_out(tmp_path: Path) -> None:
    anna, ben = people(tmp_path, "Anna", "Ben")
    one = anna.add("The roses are cut in March")
    settle([anna, ben])
    with ben.here() as store:
        curation.forget(store, [ben.memories()["The roses are cut in March"].id])
    for text in ("The pond is deep", "The shed is locked at night", "The gate is green"):
        with anna.here() as store:
            curation.edit(store, one, text)
        settle([anna, ben])
        assert not ben.memories()


@thorough
def test_a_verdict_on_former_words_is_none_on_later_ones(tmp_path: Path) -> None:
    anna, ben, cara = people(tmp_path, "Anna", "Ben", "Cara")
    one = anna.add("The roses are cut in March")
    settle([anna, ben, cara])
    with ben.here() as store:
        curation.validate(store, [ben.memories()["The roses are cut in March"].id])
    settle([anna, ben, cara])
    with anna.here() as store:
        curation.tag(store, [one], ["flowers"], [])
    settle([anna, ben, cara])
    attribution = cara.store.shares.attribution(cara.memories()["The roses are cut in March"].id)
    assert attribution is not None and attribution.validated == ("Anna",)
    assert len(ben.memories()) == 1


@thorough
def test_what_both_say_is_one_memory(tmp_path: Path) -> None:
    anna, ben = people(tmp_path, "Anna", "Ben")
    anna.add("The roses are cut in March")
    own = ben.add("The roses are cut in March")
    settle([anna, ben])
    assert [one.id for one in ben.memories().values()] == [own]
    assert ben.given() == anna.given() == {"The roses are cut in March"}
    with anna.here() as store:
        curation.forget(store, [1])
    settle([anna, ben])
    assert ben.given() == {"The roses are cut in March"}

"""Texts that leave a store for a shared project, and those that never do."""

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from curator import curation
from curator.share.members import LISTS
from curator.share.segments import unseal
from curator.sync.segments import digest_of, parse_path
from effort import share, thorough
from factories import conversation, memory, quote
from share.people import Person, join, people, person, settle, start
from store import Store
from store.model import Actor, Given, Life, Origin, Review

ROSES = "The roses are cut in March"


def everything(one: Person, folder: Path) -> list[dict[str, Any]]:
    """Return the contents of all objects in the target, decrypted."""
    found: list[dict[str, Any]] = []
    for file in sorted((folder / "target").rglob("*")):
        path = parse_path(file.relative_to(folder / "target").as_posix().removeprefix("join/"))
        if path is None:
            continue
        before = file.with_name(f"{path.number - 1:010d}")
        former = digest_of(before.read_bytes()) if before.exists() and path.tag != LISTS else ""
        found.append(unseal(one.share(), path, former, file.read_bytes()).content)
    return found


def texts_in(one: Person, folder: Path) -> str:
    return "\n".join(str(content) for content in everything(one, folder))


@thorough
@settings(max_examples=share(12), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 1 << 30))
def test_nothing_of_another_project_ever_leaves(seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Share after random commands, undo and purge. Each shareable text has a word that no other has."""
    folder, rng = tmp_path_factory.mktemp("leaves"), random.Random(seed)
    anna = person(folder, "Anna")
    for number in range(30):
        project = rng.choice(["garden", "site", None])
        word = f"{'open' if project == 'garden' else 'secret'}{number:03d}"
        anna.add(f"We keep {word} in the {rng.choice(['shed', 'hall', 'cellar'])}", project=project)
    with anna.here() as store, store.command("distil", Actor.SWEEP) as writer:
        for number in range(10):
            text = f"We store hidden{number:03d} there"
            store.admit(writer, memory(text, project="garden", scope="project:garden", origin=Origin.RULES))
    start(anna, folder)
    gone: set[str] = set()
    for _ in range(4):
        with anna.here() as store:
            for _ in range(rng.randrange(8)):
                change(store, rng)
            gone = {
                word
                for one in store.get_many(ids(store))
                for word in one.text.split()
                if word.startswith("open")
                and (
                    one.life is not Life.LIVE
                    or one.review is Review.REJECTED
                    or one.scope != "project:garden"
                    or one.given is Given.NEVER
                )
            }
        anna.sync()
        told = texts_in(anna, folder)
        assert "secret" not in told and "hidden" not in told
        assert not [word for word in gone if word in told]


def ids(store: Store) -> list[int]:
    with store.sqlite() as connection:
        return [row[0] for row in connection.execute("SELECT id FROM memories")]


def change(store: Store, rng: random.Random) -> None:
    """Forget, reject, move, hide, purge or restore a random memory."""
    one = rng.choice(ids(store))
    things: list[Callable[[], object]] = [
        lambda: curation.forget(store, [one]),
        lambda: curation.reject(store, [one]),
        lambda: curation.restore(store, [one]),
        lambda: curation.set_given(store, [one], rng.choice(list(Given))),
        lambda: curation.tag(store, [one], ["flowers"], []),
        lambda: store.undo(),
    ]
    if " open" in store.get(one).text:
        things.append(lambda: curation.set_scope(store, [one], rng.choice(["global", "project:site"])))
    if rng.random() < 0.2:
        things.append(lambda: store.purge([one]))
    try:
        rng.choice(things)()
    except Exception as error:
        if type(error).__name__ not in ("Conflict", "NotFound", "ReliedOn"):
            raise


def test_quotes_and_what_was_not_reviewed_leave_by_choice_only(tmp_path: Path) -> None:
    anna, ben = person(tmp_path, "Anna"), person(tmp_path, "Ben")
    with anna.here() as store:
        with store.command("import") as writer:
            store.raw.put_conversation(writer, conversation("c", "So, the roses are cut in March, I think."))
        with store.command("distil", Actor.SWEEP) as writer:
            (message, _) = store.raw.find_messages(["c-0"])["c-0"]
            said = quote("the roses are cut in March", "So, the roses are cut in March, I think.", message)
            there = {"project": "garden", "scope": "project:garden"}
            store.admit(writer, memory(ROSES, evidence=(said,), **there))
            store.admit(writer, memory("The pond is deep", **there))
        curation.validate(store, [1])
    start(anna, tmp_path)
    anna.sync()
    told = texts_in(anna, tmp_path)
    assert ROSES in told and "the roses are cut" not in told and "pond" not in told
    with anna.here():
        from curator.share.project import change as set_share

        set_share(anna.share(), lambda now: replace(now, quotes=True, unreviewed=True))
    join(ben, tmp_path)
    anna.sync()
    ben.sync()
    assert {*ben.memories()} == {ROSES, "The pond is deep"}
    (evidence,) = ben.store.evidence(ben.memories()[ROSES].id)
    assert (evidence.quote, evidence.title) == ("the roses are cut in March", "Anna")


def test_secrets_do_not_leave(tmp_path: Path) -> None:
    anna, ben = people(tmp_path, "Anna", "Ben")
    number = anna.add(ROSES)
    with anna.here() as store, store.command("edit") as writer:  # as an older version, which did not redact it
        writer.update(
            "memories", [number], {"text": "The gate of the garden opens with ghp_0123456789abcdefghijABCDEFGHIJ456789"}
        )
    anna.sync()
    assert "ghp_0123" not in texts_in(anna, tmp_path)
    ben.sync()
    assert [*ben.memories()] == ["The gate of the garden opens with [REDACTED]"]


@thorough
def test_what_was_withdrawn_is_no_longer_in_the_target(tmp_path: Path) -> None:
    anna, ben = people(tmp_path, "Anna", "Ben")
    one = anna.add(ROSES)
    two = anna.add("The shed is locked at night")
    settle([anna, ben])
    assert ROSES in texts_in(anna, tmp_path)
    with anna.here() as store:
        store.purge([one])
        curation.edit(store, two, "The shed is open")
    anna.sync()
    told = texts_in(anna, tmp_path)
    assert "roses" not in told and "locked" not in told and "The shed is open" in told


@thorough
def test_what_was_received_is_not_passed_on(tmp_path: Path) -> None:
    anna, ben, cara = people(tmp_path, "Anna", "Ben", "Cara")
    anna.add(ROSES)
    settle([anna, ben])
    with ben.here() as store:
        curation.validate(store, [ben.memories()[ROSES].id])
    settle([anna, ben, cara])
    assert texts_in(anna, tmp_path).count(ROSES) == 1
    attribution = cara.store.shares.attribution(cara.memories()[ROSES].id)
    assert attribution is not None and (attribution.by, attribution.validated) == (("Anna",), ("Anna", "Ben"))
    own = anna.store.shares.attribution(anna.memories()[ROSES].id)
    assert own is not None and own.validated == ("Ben",)

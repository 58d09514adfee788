"""From two texts to a finding: what is shown to the person, and what is merged automatically."""

import json
from pathlib import Path

import pytest
from labelled_pairs import pairs

from curator.compare import relate
from curator.config import settings
from curator.conflicts import (
    MemoryText,
    PairFinding,
    adds_nothing,
    alert_for,
    find_relation,
    may_merge_texts,
    rules_label,
)
from effort import thorough
from store.model import Relation

NEAR = 0.99


def found(
    a: str, b: str, cosine: float | None = NEAR, days: tuple[int, int] = (1, 2), neighbour_density: float = 0.0
) -> PairFinding | None:
    one, other = (
        MemoryText(n, words, words, day * 86_400_000_000) for n, words, day in zip((1, 2), (a, b), days, strict=True)
    )
    return find_relation(one, other, cosine, lambda one, other: neighbour_density)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("I run 5 km every day", "I run 10 km every day"),
        ("I run 5 km every day", "I run 5 miles every day"),
        ("The launch is on 3 May", "The launch is on 4 May"),
        ("The launch is on Monday", "The launch is on Tuesday"),
        ("My dentist is Dr Weiss in Graz", "My dentist is Dr Braun in Graz"),
        ("I like coriander in soup", "I don't like coriander in soup"),
        ("I always eat breakfast", "I never eat breakfast"),
        ("I love long meetings", "I hate long meetings"),
        ("My brother is allergic to nuts", "My sister is allergic to nuts"),
        ("I work at Halden", "I worked at Halden"),
        ("I must take the pills", "I might take the pills"),
        ("Do I like tea?", "I do like tea"),
        ("I moved from Vim to Emacs", "I moved from Emacs to Vim"),
        ("All my children eat fish", "Some of my children eat fish"),
        ("I use C for work", "I use C++ for work"),
        ("It was -5 degrees", "It was 5 degrees"),
        ("I drink tea at home", "I drink water at home"),
        ("The red lamp is broken", "The blue lamp is broken"),
    ],
)
def test_nothing_is_merged_by_itself_where_something_differs_that_counts(a: str, b: str) -> None:
    for one, other in ((a, b), (b, a)):
        finding = found(one, other)
        assert finding is None or not finding.same


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("I like tea", "i like TEA!"),
        ("I don't eat meat", "I do not eat meat."),
        ("I’m well", "I'm well"),
        ("The user likes tea", "User likes tea"),
    ],
)
def test_the_same_words_are_the_same_without_a_vector(a: str, b: str) -> None:
    finding = found(a, b, None)
    assert finding is not None
    assert (finding.relation, finding.score, finding.same) == (Relation.DUPLICATE, 1.0, True)


def test_nearly_the_same_words_need_a_cosine_as_high_as_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = "I prefer simple, minimal dependencies", "I prefer simple and minimal dependencies, mostly"
    for cosine, one in ((0.96, True), (0.94, False), (None, False)):
        assert may_merge_texts(a, b, relate(a, b, cosine), cosine) is one
    monkeypatch.setenv("CURATOR_CONFLICTS__MERGE_COSINE", "0.97")
    settings.cache_clear()
    assert not may_merge_texts(a, b, relate(a, b, 0.96), 0.96)


@thorough
def test_no_labelled_pair_that_differs_is_merged_however_near_its_vectors_are() -> None:
    """Texts that people consider different stay apart, whatever an embedder says."""
    wrong = [
        pair.id
        for pair in pairs()
        if pair.relation is not Relation.DUPLICATE and may_merge_texts(pair.a, pair.b, relate(pair.a, pair.b, 1.0), 1.0)
    ]
    assert wrong == []


def test_what_was_said_first_is_a() -> None:
    for days, first in (((1, 2), 1), ((2, 1), 2), ((1, 1), 1)):
        finding = found("I live in Lisbon", "I live in Porto", days=days)
        assert finding is not None
        assert finding.a.memory == first


def test_how_sure_one_must_be_is_a_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    opposed = relate("I live in Lisbon", "I live in Porto", 0.7, (0, 1))
    alike = relate("I fetch bread from the bakery", "I get bread from the bakery", 0.93)
    assert alert_for(opposed) == (opposed.relation, opposed.conflict_score)
    assert alert_for(alike) == (Relation.DUPLICATE, alike.repeat_score)
    for name in ("CONFLICT", "DUPLICATE"):
        monkeypatch.setenv(f"CURATOR_CONFLICTS__{name}", "1")
    settings.cache_clear()
    assert alert_for(opposed) is alert_for(alike) is None


def test_what_the_rules_leave_open_is_kept_for_a_model_only(monkeypatch: pytest.MonkeyPatch) -> None:
    open_still = relate("The kitchen has a big oak table", "There is a table of dark wood in the kitchen", 0.78)
    assert open_still.relation is Relation.UNSURE
    before = rules_label()
    assert (alert_for(open_still), rules_label()) == (None, before)
    monkeypatch.setenv("CURATOR_OLLAMA__MODEL", "qwen3:4b")
    settings.cache_clear()
    assert alert_for(open_still) == (Relation.UNSURE, max(open_still.duplicate_score, open_still.conflict_score))
    assert rules_label() != before, "so that all is compared again once there is a model"


CHATTER = (
    ("I'm trying to cut the size of the pictures on my page", "I've already installed a plugin for pictures, v0.3.0"),
    ("I've completed 15 problems with 95% right", "My score has gone from 70% to 90%"),
    ("I'm using Flask 2.3 and SQLite for the shop", "I've decided on version 1.0 with migrations by Alembic 3.1"),
)
"""Statements of one person about the same thing in the same week, all true."""


@pytest.mark.parametrize(("a", "b"), CHATTER)
def test_who_says_much_of_one_thing_is_not_asked_about_it(a: str, b: str) -> None:
    assert found(a, b, 0.7, neighbour_density=2.0) is None


@thorough
def test_most_labelled_conflicts_that_are_found_reach_the_person_and_what_does_is_right() -> None:
    cosines: dict[str, float] = json.loads(Path(__file__).with_name("cosines.json").read_text(encoding="utf-8"))
    opposed = (Relation.UPDATE, Relation.CONTRADICTION)
    said = shown = right = 0
    for pair in pairs():
        verdict = relate(pair.a, pair.b, cosines[pair.id], (pair.a_at, pair.b_at))
        finding = alert_for(verdict)
        said += verdict.relation in opposed and pair.relation in opposed
        if finding is not None and finding[0] in opposed:
            shown += 1
            right += pair.relation in opposed
    assert right >= 0.7 * said
    assert right >= 0.9 * shown


@pytest.mark.parametrize(
    ("known", "new", "so"),
    [
        ("I have been living in Lisbon since 2019", "I have been living in Lisbon", True),
        ("I really hate flying with the kids in summer", "I hate flying with kids", True),
        ("I have been living in Lisbon", "I have been living in Lisbon since 2019", False),
        ("My sister's husband is a nurse", "My sister is a nurse", False),
        ("Tom's bike was stolen in Kiel", "My bike was stolen in Kiel", False),
        ("Tom rides a red bike to the lake", "I ride a red bike to the lake", False),
        ("I might move to Lisbon with Anna", "I move to Lisbon with Anna", False),
        ("I flew from Ghent with Anna", "I flew to Ghent with Anna", False),
        ("Anna gave Tom the old car", "Tom gave Anna the old car", False),
        ("I am allergic to peanuts", "I am allergic to walnuts", False),
        ("My son Tom is 7 years old", "My son Jim is 7 years old", False),
        ("My son Tom is 7 years old", "My son Tom is 8 years old", False),
    ],
)
def test_what_a_known_text_covers(known: str, new: str, so: bool) -> None:
    assert adds_nothing(known, new, relate(known, new, 0.9)) is so


def test_from_somewhere_is_not_to_somewhere() -> None:
    near = found("I flew from Ghent with my family", "I flew to Ghent with my family")
    assert near is None or not near.same
    near = found("I work for my father in Ghent", "I work with my father in Ghent")
    assert near is None or not near.same


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("My sister lives in Rome.", "My brother lives in Rome."),
        ("My son plays football", "My daughter plays football"),
        ("The staging database is on Postgres 14", "The production database is on Postgres 14"),
    ],
)
def test_another_person_or_thing_is_no_repetition(a: str, b: str) -> None:
    assert found(a, b, 0.9) is None

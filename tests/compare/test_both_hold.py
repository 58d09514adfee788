"""Texts that both hold: two conditions of one person, a job and a move within its town, a tool and the change to it."""

import pytest

from curator.compare import relate
from curator.compare.both_hold import agrees_with_switch, moves_within, two_conditions
from curator.compare.prediction import PairPrediction
from store.clock import DAY
from store.model import Relation

DEMENTIA = "My mother Amélia has dementia, she lives in Setúbal in a care home since October (2024)."
WHEELCHAIR = "My mother is now in a wheelchair since her hip."
CARPENTER = "I'm a set and furniture carpenter in Nantes."
WORKSHOP = "Big news, I moved the workshop, now it's at 3 quai Wilson on Île de Nantes, 1 150 euros per month"
UV = "Use uv, not pip or poetry"
SWITCHED = "We moved from poetry to uv last week, so uv run pytest now"


@pytest.mark.parametrize(("a", "b"), [(DEMENTIA, WHEELCHAIR), (CARPENTER, WORKSHOP), (UV, SWITCHED)])
@pytest.mark.parametrize("turned", [False, True])
def test_they_coexist_whatever_the_classifier_reads(a: str, b: str, turned: bool) -> None:
    first, second = (b, a) if turned else (a, b)
    for update in (0.1, 0.9):
        read = PairPrediction(same=0.02, both=0.98 - update, update=update, contradiction=0.0)
        found = relate(first, second, 0.55, (10 * DAY, 90 * DAY), None, lambda *_, read=read: read)
        assert found.relation is Relation.COEXIST


@pytest.mark.parametrize(
    ("a", "b", "both"),
    [
        ("My mother has dementia", "My mother is in a wheelchair since her hip", True),
        ("I have type 1 diabetes", "I have asthma since school", True),
        ("My dog Rex has epilepsy", "My dog is deaf since last year", True),
        ("I have type 1 diabetes", "I have type 2 diabetes", False),
        ("My mother has dementia", "My father is in a wheelchair", False),
        ("My mother has dementia", "My mother doesn't have dementia, it's a depression", False),
        ("I have asthma", "My asthma is gone, it was hay fever", False),
        ("Our cat is diabetic and gets insulin twice a day", "Our cat has diabetes, two shots a day", False),
        ("My right knee is bad", "My left knee is bad now", False),
        ("I take ramipril for my blood pressure", "I take apixaban, I have atrial fibrillation", False),
    ],
)
def test_two_conditions_of_one_person(a: str, b: str, both: bool) -> None:
    assert two_conditions(a, b) is both


@pytest.mark.parametrize(
    ("a", "b", "both"),
    [
        ("I'm a nurse in Ghent", "We moved our practice to the Coupure in Ghent last week", True),
        ("I'm a nurse in Ghent", "Our practice moved from Ghent to Bruges", False),
        ("I'm a nurse in Ghent", "I moved to Ghent and I'm a midwife now", False),
        ("I live in Ghent", "We moved to Bruges", False),
    ],
)
def test_a_move_within_the_town_of_a_job(a: str, b: str, both: bool) -> None:
    assert moves_within(a, b) is both


@pytest.mark.parametrize(
    ("a", "b", "thing"),
    [
        ("We deploy with Buildkite", "We migrated from Jenkins to Buildkite", "buildkite"),
        ("Use pnpm instead of npm", "We replaced npm with pnpm", "pnpm"),
        ("We use poetry, not pip", "We moved from poetry to uv", ""),
        ("We use uv and poetry", "We moved from poetry to uv", ""),
        ("Don't use uv", "We moved from poetry to uv", ""),
    ],
)
def test_a_tool_that_another_text_changes_to(a: str, b: str, thing: str) -> None:
    assert agrees_with_switch(a, b) == thing

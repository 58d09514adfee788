"""Texts that look opposed and are about two matters."""

import pytest

from curator.compare import relate
from curator.compare.compatible import about_two_matters, found_later
from store.model import Relation

HOME = "We live in Antwerp now since January (2026), moved again for Saskia's job"
TRIP = "Planning a trip to Lisbon 20-27 february 2026 to visit keziah, just me and the kids"
WORK = "I work at Whitlock Winds as a bench technician."
ROLE = "From now on act as a senior Rust engineer."
TEN, ELEVEN = "Idris turned 10 today (2024-11-02)!", "Idris is 11 today (2025-11-01) and he plays drums now"


@pytest.mark.parametrize(
    ("a", "b", "gap"),
    [
        (TRIP, HOME, 40),
        ("Flying to Porto on Friday", "I live in Lisbon", 3),
        (WORK, ROLE, 100),
        (WORK, "Answer as a pirate", 100),
        (TEN, ELEVEN, None),
        ("Idris is 10 years old", "Idris is 12 years old", 730),
        ("I turned 42", "I turned 43 today", 380),
    ],
)
def test_visits_roles_and_birthdays_oppose_nothing(a: str, b: str, gap: float | None) -> None:
    assert about_two_matters(a, b, gap)


@pytest.mark.parametrize(
    ("a", "b", "gap"),
    [
        ("Planning to move to Lisbon in february", HOME, 40),
        ("I live in Lisbon", HOME, 40),
        ("Planning a trip to Lisbon", "Our trip to Lisbon is off", 9),
        ("I work as a tutor", "I work as an engineer", 100),
        ("From now on act as a tutor", ROLE, 100),
        (TEN, "Idris is 11 today (2024-11-05)", 3),
        ("Idris is 10 years old", "Idris is 12 years old", 30),
        ("Idris is 11 years old", "Idris is 10 years old", 400),
        ("Idris is 10 years old", "Idris is 12 years old", None),
        ("Juno turned 6", "Idris turned 7", 365),
        ("The team is 10 now", "The team is 11 now", 365),
        ("Idris turned 10 today (2024-11-31)", "Idris is 11 today (2025-11-01)", 365),
        ("I'm 41 years old and never run", "I'm 42 years old and run every morning", 365),
        ("I took a flight to Ghent and my home is there now", "I live in Leeds", 400),
        ("My one-way flight to Berlin is booked, I am emigrating", "I live in Leeds", 400),
        ("I visited Rome and moved there", "I live in Leeds", 400),
        ("I'm planning a trip to Rome and I'm vegan now", "I live in Leeds and eat meat", 400),
        ("Always respond as briefly as possible", "I love lengthy explanations", 400),
        ("Answer like a professor", "I prefer short answers", 400),
        ("Answer like a pirate", "I don't want you to answer like a pirate anymore", 40),
    ],
)
def test_moves_jobs_roles_and_wrong_ages_may_oppose_each_other(a: str, b: str, gap: float | None) -> None:
    assert not about_two_matters(a, b, gap)


@pytest.mark.parametrize(
    ("a", "b", "later"),
    [
        ("I have had asthma since 2015", "I have asthma, diagnosed 2016", True),
        ("I have Crohn's disease (diagnosed in 2016)", "I've had Crohn's since 2015", True),
        ("I've had type 1 diabetes since I was 12", "My type 1 diabetes was diagnosed in 2016", True),
        ("I have had asthma since 2017", "I have asthma, diagnosed 2016", False),
        ("I have had asthma since 2015", "I have had asthma since 2016", False),
        ("I was diagnosed with asthma in 2015", "I was diagnosed with asthma in 2016", False),
        ("I have had gout since 2015", "I have asthma, diagnosed 2016", False),
        ("I have not had asthma since 2015", "I have asthma, diagnosed 2016", False),
        ("I've had asthma since 2015 and live in Porto", "I live in Leeds, asthma diagnosed 2016", False),
    ],
)
def test_an_illness_may_be_found_after_it_began(a: str, b: str, later: bool) -> None:
    assert found_later(a, b) is found_later(b, a) is later
    assert (relate(a, b).relation is Relation.COEXIST) or not later


@pytest.mark.parametrize(("a", "b"), [(TRIP, HOME), (WORK, ROLE), (TEN, ELEVEN)])
def test_a_sure_classifier_does_not_oppose_them(a: str, b: str) -> None:
    from curator.compare import PairPrediction

    sure = PairPrediction(0.01, 0.03, 0.95, 0.01)
    assert not relate(a, b, 0.45, None, 0.7, lambda one, other: sure).relation.is_opposed


def test_an_order_to_a_model_opposes_a_wish_to_take_it_back() -> None:
    pirate = "Answer like a pirate"
    assert relate(pirate, "I don't want you to answer like a pirate anymore", 0.6, (0, 10**13), 0.5).relation.is_opposed


@pytest.mark.parametrize(
    ("later", "opposed"),
    [
        ("I live in Ghent now, Patershol area.", True),
        ("I live in Ghent, in the old town", True),
        ("I live in Leeds, Headingley area", False),
        ("I live in the Headingley area", False),
        ("I live in a suburb", False),
    ],
)
def test_a_part_of_town_beside_its_town_is_a_home_like_any_other(later: str, opposed: bool) -> None:
    before = "Im Tamsin, 41, living in Leeds with my partner Ruben and our two kids, Idris (9) and Juno (6)."
    assert relate(before, later, 0.5, (0, 10**13), 0.3).relation.is_opposed == opposed

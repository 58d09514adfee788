"""Conflicts that people reported as false or as missed, each with its right class.

Those that the rules still get wrong are known misses: their tests fail as expected, and as soon as a change mends one,
its mark must go. The cosines are those of the default embedder, and the classifier reads them.
"""

from dataclasses import dataclass

import pytest

from curator.conflicts import MemoryText, find, pair_classifier
from store import clock
from store.model import Relation

OPPOSED = (Relation.UPDATE, Relation.CONTRADICTION)


@dataclass(frozen=True, slots=True)
class Case:
    """Two statements, the older first, with the day each was said, and how they stand to each other."""

    relation: Relation
    a_day: str
    a: str
    b_day: str
    b: str
    cosine: float
    known_miss: bool = False
    neighbour_density: float | None = None


CASES = [
    Case(
        Relation.CONTRADICTION,
        "2024-05-10",
        "Always answer in metric please",
        "2024-05-20",
        "Always use imperial units",
        0.46,
    ),
    Case(
        Relation.CONTRADICTION,
        "2024-01-10",
        "I carry an EpiPen",
        "2024-02-10",
        "I am not allergic to anything",
        0.15,
    ),
    Case(
        Relation.UPDATE,
        "2024-06-10",
        "My dog Biscuit has kidney disease and takes Fortekor",
        "2026-06-11",
        "Biscuit died last night",
        0.32,
    ),
    Case(
        Relation.COEXIST,
        "2024-10-07",
        "I'm allergic to hazelnuts (properly allergic, I carry an EpiPen), Tiago eats anything.",
        "2025-12-27",
        "Never suggest anything with hazelnuts.",
        0.51,
    ),
    Case(
        Relation.COEXIST,
        "2025-06-24",
        "I quit coffee, I drink tea now.",
        "2026-03-16",
        "Moka pot's gone, I don't drink coffee anymore, tea only.",
        0.63,
        known_miss=True,
    ),
    Case(
        Relation.COEXIST,
        "2025-10-11",
        "Tea it is, I'm a tea person these days after all.",
        "2026-03-16",
        "Moka pot's gone, I don't drink coffee anymore, tea only.",
        0.52,
        known_miss=True,
    ),
    Case(
        Relation.DUPLICATE,
        "2025-09-03",
        "Friday is fine, I don't work fridays.",
        "2026-01-10",
        "I have fridays off (four-day week) so don't plan anything work related for me on fridays",
        0.74,
    ),
    Case(
        Relation.COEXIST,
        "2024-03-15",
        "I paid off my $2,000 loan last week.",
        "2024-04-10",
        "I'm saving $2,000 for an emergency fund.",
        0.5,
    ),
    Case(
        Relation.COEXIST,
        "2024-03-15",
        "I'm saving $150 a month for the emergency fund.",
        "2024-05-05",
        "I put aside $80 a month for a car.",
        0.49,
    ),
    Case(
        Relation.UPDATE,
        "2024-10-07",
        "I've been a backend developer at Caravela Freight since 2021, django + postgres, logistics stuff.",
        "2025-09-03",
        "I'm a data engineer at Tidewell now, since monday (2025-09-01).",
        0.45,
        known_miss=True,
    ),
    Case(
        Relation.UPDATE,
        "2024-10-07",
        "I've been a backend developer at Caravela Freight since 2021, django + postgres, logistics stuff.",
        "2025-12-27",
        "I work at Tidewell",
        0.26,
        known_miss=True,
    ),
    Case(
        Relation.UPDATE,
        "2025-04-08",
        "Database: I'm going with SQLite for this, one file, one user, backups with cp.",
        "2026-02-09",
        "Today we move kilnlog from SQLite to Postgres",
        0.29,
    ),
    Case(
        Relation.UPDATE,
        "2025-04-08",
        "kilnlog stores everything in SQLite.",
        "2026-02-09",
        "We moved kilnlog to Postgres 16.",
        0.6,
    ),
    Case(
        Relation.UPDATE,
        "2024-03-10",
        "My goal is to read 24 books this year.",
        "2024-12-28",
        "I finished my 24th book today, goal reached!",
        0.63,
    ),
    Case(
        Relation.UPDATE,
        "2024-03-10",
        "I want to save 3,000 euros for the kiln.",
        "2024-11-02",
        "I've saved the 3,000 euros and bought the kiln.",
        0.82,
    ),
    Case(
        Relation.CONTRADICTION,
        "2024-05-02",
        "I sent the running shoes back because they were too tight.",
        "2024-09-02",
        "I have never returned anything I ordered online.",
        0.27,
    ),
    Case(
        Relation.UPDATE,
        "2024-02-01",
        "I'm thinking of trying Notion for my notes.",
        "2024-06-01",
        "I moved all my notes into Notion.",
        0.74,
    ),
    Case(
        Relation.UPDATE,
        "2024-02-01",
        "My rent is 900 euros.",
        "2025-02-01",
        "My rent is 1,050 euros since January.",
        0.88,
    ),
    Case(
        Relation.COEXIST,
        "2025-01-14",
        "Tiago doesn't run, that's me :) He plays the cavaquinho in a band with other nurses.",
        "2025-02-01",
        "I live in Lisbon with my partner Tiago.",
        0.39,
    ),
    Case(
        Relation.COEXIST,
        "2026-01-10",
        "We're going to Japan from 4 to 19 April 2026, flights are booked.",
        "2026-02-09",
        "Amadeu starts on Monday 2 March 2026 and says he's done by 30 april (2026), while we're in japan "
        "for half of it.",
        0.53,
        known_miss=True,
    ),
    Case(
        Relation.COEXIST,
        "2025-01-14",
        "There's a 10k along the river on 8 June 2025, I'll run that one",
        "2026-06-20",
        "I signed up for the Porto half marathon on 13 September 2026 and I've told everyone at work so there's "
        "no way back.",
        0.41,
        known_miss=True,
    ),
    Case(
        Relation.COEXIST,
        "2026-09-15",
        "I ran the half marathon on sunday, 1:57:12!!!",
        "2026-09-15",
        "No marathon, I decided that somewhere around km 19",
        0.6,
        known_miss=True,
    ),
    Case(
        Relation.UPDATE,
        "2024-12-08",
        "I live in Shrewsbury",
        "2025-08-18",
        "Living in ludlow.",
        0.44,
        neighbour_density=1.87,
    ),
    Case(
        Relation.UPDATE,
        "2025-03-06",
        "I want to retire at 62",
        "2026-07-21",
        "I've decided on 65",
        0.54,
        known_miss=True,
        neighbour_density=1.24,
    ),
    Case(
        Relation.UPDATE,
        "2025-03-23",
        "I dont do motorways, had a panic on the m6 in 2018",
        "2026-06-20",
        "I'm fine driving on motorways now",
        0.7,
        neighbour_density=1.61,
    ),
    Case(
        Relation.UPDATE,
        "2025-03-23",
        "I dont do motorways, had a panic on the m6 in 2018",
        "2026-06-07",
        "Ive conquered motorways at 53",
        0.61,
        neighbour_density=1.5,
    ),
    Case(
        Relation.UPDATE,
        "2025-04-11",
        "Bored already recommend a podcast, not an audiobook i cant get on with audiobooks, i fall asleep",
        "2026-02-19",
        "I take it back about audiobooks, i love them now in the car.",
        0.53,
        neighbour_density=0.9,
    ),
    Case(
        Relation.UPDATE,
        "2024-12-03",
        "Choir is every tuesday so got the tune stuck in my head all wednesday",
        "2026-06-20",
        "Choir is on Thursdays now",
        0.76,
        neighbour_density=1.67,
    ),
    Case(
        Relation.UPDATE,
        "2026-01-10",
        "In this repo we use npm, not yarn.",
        "2026-03-09",
        "Dont run npm here anymore",
        0.52,
        neighbour_density=0.69,
    ),
    Case(
        Relation.UPDATE,
        "2026-02-26",
        "Logging is zap in all packages",
        "2026-07-26",
        "Replace zap with log/slog everywhere, one dep less.",
        0.66,
        neighbour_density=0.69,
    ),
    Case(
        Relation.UPDATE,
        "2026-02-18",
        "Prisma is our orm",
        "2026-04-15",
        "We dropped prisma, its kysely now",
        0.65,
        neighbour_density=0.35,
    ),
    Case(
        Relation.UPDATE,
        "2026-01-18",
        "I live in aarhus, whats a good standing desk i can get delivered here",
        "2026-06-13",
        "We moved to odense last weekend (2026-06-13)",
        0.25,
        neighbour_density=0.0,
    ),
    Case(
        Relation.UPDATE,
        "2026-01-18",
        "poetry for dependencies",
        "2026-03-24",
        "uv instead of poetry, whole team agreed",
        0.47,
        neighbour_density=0.69,
    ),
    Case(
        Relation.UPDATE,
        "2026-01-18",
        "we use jest",
        "2026-03-24",
        "vitest replaced jest",
        0.63,
        neighbour_density=0.69,
    ),
    Case(
        Relation.UPDATE,
        "2026-01-18",
        "tabs in this project",
        "2026-03-24",
        "use spaces here, not tabs",
        0.62,
        neighbour_density=0.69,
    ),
    Case(
        Relation.UPDATE,
        "2026-01-18",
        "staging is in eu-north-1",
        "2026-03-24",
        "staging moved to eu-central-1",
        0.83,
        neighbour_density=0.69,
    ),
    Case(
        Relation.UPDATE,
        "2024-12-01",
        "Biscuit is 12, chocolate lab, and his back legs are so stiff in the mornings now its cold.",
        "2025-10-20",
        "Biscuit died in October 2025",
        0.48,
        neighbour_density=0.0,
    ),
    Case(
        Relation.UPDATE,
        "2026-01-18",
        "Always squash merge",
        "2026-03-24",
        "Merge commits, no squashing",
        0.74,
    ),
    Case(
        Relation.COEXIST,
        "2025-08-18",
        "Living in ludlow.",
        "2026-04-02",
        "Got half a plot at the linney in ludlow!!",
        0.61,
    ),
    Case(
        Relation.COEXIST,
        "2025-02-18",
        "I'm scared of heights and i dont do lifts, had a bad one stuck 3 hours",
        "2026-09-22",
        "12 days same as before, no lifts no heights",
        0.53,
    ),
    Case(
        Relation.COEXIST,
        "2026-04-05",
        "She's at brookfield and it's 1240 a week now",
        "2026-04-07",
        "Brookfield put the fees up to 1240 from april (2026).",
        0.66,
    ),
    Case(
        Relation.COEXIST,
        "2026-03-17",
        "The service is called pricing-api",
        "2026-03-20",
        "Quoter was renamed to pricing-api",
        0.6,
    ),
    Case(
        Relation.COEXIST,
        "2025-06-05",
        "Mum moves into brookfield on thursday.",
        "2026-03-18",
        "Mum's moved rooms at brookfield, she's in 21 now, ground floor by the garden",
        0.71,
    ),
    Case(
        Relation.COEXIST,
        "2025-08-19",
        "Joined a choir in ludlow, thursdays, they do actual decent music.",
        "2026-06-20",
        "Choir is on Thursdays now",
        0.63,
    ),
    Case(
        Relation.COEXIST,
        "2026-01-10",
        "I don't drink alcohol any more",
        "2026-03-20",
        "i only drink tea now, gone off coffee",
        0.46,
    ),
    Case(
        Relation.COEXIST,
        "2024-12-10",
        "I'm allergic to penicillin, I stopped breathing when I was 6",
        "2026-08-24",
        "Gp gave me doxycycline because of the penicillin allergy.",
        0.61,
    ),
    Case(
        Relation.COEXIST,
        "2025-08-20",
        "We moved to ludlow in august",
        "2026-06-20",
        "I live in ludlow and im 53",
        0.65,
    ),
    Case(
        Relation.COEXIST,
        "2026-01-18",
        "Integration tests need docker",
        "2026-03-24",
        "Unit tests dont need docker",
        0.82,
    ),
    Case(
        Relation.DUPLICATE,
        "2024-12-13",
        "Please stop with the emojis, you keep putting them in the lists.",
        "2024-12-14",
        "Never use emojis with me",
        0.57,
    ),
    Case(
        Relation.DUPLICATE,
        "2025-12-02",
        "Please never use bullet points with me.",
        "2026-10-08",
        "From now on dont use bullet points here either, paragraphs please.",
        0.62,
    ),
    Case(
        Relation.UPDATE,
        "2026-01-10",
        "the service is called quoter",
        "2026-03-17",
        "quoter was renamed to pricing-api",
        0.59,
    ),
    Case(
        Relation.COEXIST,
        "2026-01-10",
        "We use Docker in CI",
        "2026-03-17",
        "We stopped using Docker Hub for images",
        0.51,
    ),
    Case(Relation.UPDATE, "2026-01-10", "we use jest", "2026-09-17", "we use vitest", 0.40, neighbour_density=0.5),
    Case(
        Relation.UPDATE,
        "2026-01-10",
        "we use poetry for dependencies",
        "2026-09-17",
        "we use uv for dependencies",
        0.37,
        neighbour_density=1.0,
    ),
    Case(Relation.COEXIST, "2026-01-10", "I don't drink alcohol any more", "2026-02-01", "i only drink tea now", 0.46),
    Case(Relation.COEXIST, "2026-01-10", "unit tests use vitest", "2026-09-17", "e2e tests use playwright", 0.31),
    Case(Relation.UPDATE, "2026-01-10", "Living in ludlow.", "2026-09-01", "Leaving ludlow next week", 0.60),
]


def marked(case: Case) -> object:
    """Return a case that must fail as long as it is a known miss."""
    marks = [pytest.mark.xfail(strict=True, reason="the rules do not know it yet")] if case.known_miss else []
    return pytest.param(case, marks=marks, id=f"{case.relation}: {case.b[:40]}")


@pytest.mark.parametrize("case", map(marked, CASES))
@pytest.mark.usefixtures("classifiers")
def test_a_conflict_is_shown_where_there_is_one_and_only_there(case: Case) -> None:
    a, b = (
        MemoryText(number, text, "", clock.from_iso(day))
        for number, (text, day) in enumerate(((case.a, case.a_day), (case.b, case.b_day)), 1)
    )
    classifier = pair_classifier()
    assert classifier is not None
    density = case.neighbour_density
    found = find(a, b, case.cosine, None if density is None else lambda one, other: density, classifier)
    shown = found is not None and found.relation in OPPOSED
    assert shown is (case.relation in OPPOSED), found

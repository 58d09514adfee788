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
    found = find(a, b, case.cosine, classifier=classifier)
    shown = found is not None and found.relation in OPPOSED
    assert shown is (case.relation in OPPOSED), found

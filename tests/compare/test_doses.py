"""Another dose of the same medicine is an update, whatever else the sentences say."""

import pytest

from curator.compare import relate
from curator.compare.doses import changed_dose
from curator.conflicts.candidates import statement_hashes
from store.clock import DAY
from store.model import Relation

MORVAN = (
    "My diabetologue Dr. Morvan changed my insulin: since september (2025) I take Tresiba 16 units in place of Lantus,"
    " and Fiasp instead of NovoRapid"
)
EVENING = "since september I take Tresiba 16 units at 22h and Novorapid at meals"
LOWERED = "My doctor told me to lower Tresiba to 14 units since monday (2026-11-02)"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (MORVAN, LOWERED),
        (EVENING, LOWERED),
        (MORVAN, "I take 14 units of Tresiba since November 2026"),
        (EVENING, "I take 14 units of Tresiba since November 2026"),
        ("I inject NovoRapid at meals and Lantus in the night, 18 units.", "Lantus is 20 units now"),
        ("I take metformin 500 mg twice a day with food", "The GP raised my metformin from 500 to 1000 mg"),
        ("my mum takes two tablets of Ramipril each morning", "My mum takes one tablet of ramipril, the doctor said"),
        ("Ventolin 2 puffs when I run", "I take four puffs of Ventolin before running now"),
        ("i take tresiba 16 units", "the doctor put me on 14 units of Tresiba"),
        ("one drop of Timolol in each eye", "two drops of Timolol in each eye at night"),
        ("I take Levothyroxine 75 mcg", "My Levothyroxine is 0.1 mg now"),
        ("I used to take 20 mg of Citalopram, now it's 10 mg", "Citalopram 15 mg from now on"),
        ("Our dog gets phenobarbital 60 mg", "The vet raised the dog's phenobarbital to 90 mg"),
    ],
)
def test_another_amount_of_one_medicine_is_an_update(a: str, b: str) -> None:
    found = relate(a, b, 0.2, (10 * DAY, 90 * DAY), 2.0)
    assert (found.relation, found.conflict_score >= 0.6) == (Relation.UPDATE, True)
    assert "another dose of" in found.reasons[0]
    assert set(statement_hashes(a, b"key")) & set(statement_hashes(b, b"key")), "an import compares them"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (EVENING, "I take Tresiba 16 units"),
        ("My mother takes Ramipril 5 mg", "I take Ramipril 10 mg"),
        ("Karim takes Ritalin 10 mg", "I take Ritalin 20 mg"),
        ("Tresiba 16 units in the morning", "Tresiba 10 units in the evening"),
        ("I take Novorapid 6 units at breakfast and 8 units at dinner", "Novorapid 8 units at dinner"),
        ("In 2019 I took 50 mg of Sertraline", "I take Sertraline 100 mg"),
        ("I take Tresiba 16 units", "Should I take Tresiba 14 units?"),
        ("I take Tresiba 16 units", "If I'm ill I take Tresiba 20 units"),
        ("I take Tresiba 16 units", "maybe the doctor lowers Tresiba to 14 units"),
        ("I take Tresiba 16 units", "I bought Tresiba 300 units"),
        ("I take Tresiba 16 units", "Tresiba max 20 units"),
        ("I take 5 mg of Ramipril", "I take 10 mg of Bisoprolol"),
        ("We sold 300 units of the Falcon", "We sold 500 units of the Falcon"),
        ("Take 2 tablets with water", "Take 1 tablet with food"),
        ("Levothyroxine 100 mcg", "Levothyroxine 0.1 mg"),
        ("my Tresiba was lowered from 16 units to 14 units", "I take Tresiba 14 units"),
    ],
)
def test_the_same_dose_and_those_of_others_and_other_times_replace_none(a: str, b: str) -> None:
    assert changed_dose(a, b) is None

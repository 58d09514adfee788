import pytest

from curator.compare.replacements import breaks_ban, corrected, decided_number, lifted, new_holder


@pytest.mark.parametrize(
    ("a", "b", "role"),
    [
        ("Fergal my accountant takes weeks to answer", "I've a new accountant, Siobhan", "accountant"),
        ("my daughter's piano teacher is Mrs Hall", "her new piano teacher is a student", "teacher"),
        ("my physio Gemma says no jumping", "changed physio, I'm with Luis now", "physio"),
        ("my accountant Fergal takes weeks", "my sister has a new accountant", ""),
        ("my daughter's piano teacher is Mrs Hall", "her new swimming teacher is Ines", ""),
        ("my accountant Siobhan is nice", "my new accountant Siobhan saved me a lot", ""),
    ],
)
def test_who_does_something_for_a_person_is_replaced(a: str, b: str, role: str) -> None:
    assert new_holder(a, b) == role


@pytest.mark.parametrize(
    ("a", "b", "order"),
    [
        (
            "keep emails under 120 words",
            "You can forget about that 120 word limit for emails",
            "120 word limit for emails",
        ),
        ("Stop giving me bullet points", "bullet points are ok again", "bullet points"),
        ("ask me before you run tests", "no need to ask before running tests any more", "ask before running tests"),
        ("only give me vegetarian recipes", "recipes don't have to be vegetarian anymore", "be vegetarian"),
        ("keep emails under 120 words", "don't forget the 120 word limit", ""),
        ("keep emails under 120 words", "forget the email, I'll ring them", ""),
        ("ask me before you run tests", "no need to run the linter", ""),
        ("bullet points in every answer", "bullet points are ok again", ""),
    ],
)
def test_an_order_is_lifted(a: str, b: str, order: str) -> None:
    assert lifted(a, b) == order


def test_a_planned_number_is_settled_anew() -> None:
    assert decided_number("I want to retire at 62", "I've decided on 65") == "65"
    assert decided_number("aim is 6 chapters", "it's going to be 9 chapters") == "9"
    assert not decided_number("I want to retire at 62", "decided on 65 tiles for the bathroom")
    assert not decided_number("She turned 62", "I've decided on 65")


def test_one_of_a_kind_that_was_ruled_out_is_used() -> None:
    assert breaks_ban("no ORM, plain SQL only", "we use sqlalchemy now") == "sqlalchemy"
    assert breaks_ban("No js frameworks in this one", "ported the frontend to svelte") == "svelte"
    assert not breaks_ban("no ORM, plain SQL only", "we don't use sqlalchemy")
    assert not breaks_ban("no js frameworks", "my other project is in svelte")
    assert not breaks_ban("I use no ORM", "my brother uses sqlalchemy")


def test_one_of_two_values_is_called_wrong() -> None:
    assert corrected("He's from Gdańsk", "from Sopot, not Gdańsk") == "gdańsk"
    assert corrected("the recipe needs 200g of flour", "it's 300g of flour, not 200") == "200"
    assert not corrected("He's from Gdańsk", "the parcel comes from Sopot, not Warsaw")
    assert not corrected("the appointment is on Tuesday", "yoga is Wednesday, not Tuesday")
    assert not corrected("In September I was on call", "In October I'm not on call")

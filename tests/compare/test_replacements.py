import pytest

from curator.compare.replacements import (
    breaks_ban,
    called_off,
    corrected,
    decided_number,
    ended_activity,
    lifted,
    new_holder,
    new_supplier,
)
from curator.compare.wordings import given_up
from curator.conflicts.candidates import contradicts_use


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
        ("End every answer with a joke", "please stop with the jokes now", "jokes"),
        ("Start every reply with a summary of the question", "enough of those summaries", "summaries"),
        ("End every answer with a joke", "stop with the smoking now", ""),
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


@pytest.mark.parametrize(
    ("a", "b", "activity"),
    [
        ("I swim twice a week", "No more swimming, the chlorine wrecks my skin", "swimming"),
        ("I cycle to work every day", "The doctor says no more cycling", "cycling"),
        ("we climb on Thursdays at the wall", "I've given up climbing since the baby", "climbing"),
        ("I row with the club at six", "rowing's over for me, my back won't have it", "rowing"),
        ("I go dancing most Fridays", "packed in dancing, too old for it", "dancing"),
        ("i bake every weekend", "baking is off the table, the oven's gone", "baking"),
        ("I run 3 times a week", "No more running late, I promised", ""),
        ("I swim twice a week", "No more swimming today, the pool is shut", ""),
        ("I run 3 times a week", "No more running commentary in the answers please", ""),
        ("My sister cycles to work", "No more cycling for me", ""),
        ("I cycle to work", "My sister has given up cycling", ""),
        ("I run a small bakery", "No more running, the physio says", ""),
        ("I meet Tom on Fridays", "The meeting is over for good", ""),
        ("I don't swim", "no more swimming", ""),
        ("I want to run on Sundays", "no more running", ""),
    ],
)
def test_an_activity_is_given_up(a: str, b: str, activity: str) -> None:
    assert ended_activity(a, b) == activity


@pytest.mark.parametrize(
    ("a", "b", "plan"),
    [
        ("We want to do the Camino in May", "With his knee the Camino is off", "camino"),
        ("Planning a loft conversion next spring", "The quote came in at 60k, no money for the loft", "loft"),
        ("I'd like to take mum to Lourdes in September", "no leave left, so Lourdes isn't happening", "lourdes"),
        ("we're going to spend Christmas in Oslo", "can't afford Oslo this year", "oslo"),
        ("hoping to start the choir tour in June", "they called off the tour", "tour"),
        ("I'm thinking of a cargo bike", "the cargo bike is off the table, the shed's too small", "bike"),
        ("I want to paint the kitchen", "The kitchen light is off", ""),
        ("We plan to drive to Lisbon", "I'm off to Lisbon tomorrow", ""),
        ("I want to insure the van by June", "with the van in the garage there's no time for Wales, so that's off", ""),
        ("we want to go to Lisbon with both kids", "Tom is off school, so we'll do Lisbon in a week", ""),
        ("I want to learn the cello", "I've Tuesday off for the cello", ""),
        ("I don't want to go to Oslo", "Oslo is off", ""),
        ("I live in Oslo", "can't afford Oslo this year", ""),
        ("Planning to sell the boat", "no time for the boat race this year", ""),
        ("My sister wants to move to Rome", "Rome is off", ""),
    ],
)
def test_a_plan_comes_to_nothing(a: str, b: str, plan: str) -> None:
    assert called_off(a, b) == plan


@pytest.mark.parametrize(
    ("a", "b", "supplier"),
    [
        (
            "I buy my plywood from Bois & Co in Rezé since 2015",
            "Now I buy at Dispano, delivery the thursday",
            "Dispano",
        ),
        ("I order my coffee beans from Lomi", "I now order my coffee from Bonanza", "Bonanza"),
        ("I buy my plywood from Bois & Co", "I buy my glue from Dispano now", ""),
        ("I buy my plywood from Bois & Co", "I buy it at Dispano", ""),
        ("I buy my plywood from Bois & Co", "I buy plywood from Bois & Co in Rezé now", ""),
    ],
)
def test_something_is_bought_from_somebody_else(a: str, b: str, supplier: str) -> None:
    found = new_supplier(a, b)
    assert (found[0] if found else "") == supplier


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("I stopped with Bois & Co because always late.", True),
        ("We no longer buy from Bois & Co", True),
        ("I don't order at Bois & Co anymore", True),
        ("I don't order at Bois & Co on Sundays", False),
        ("I never stopped with Bois & Co", False),
        ("I stopped with Bois Vert", False),
    ],
)
def test_a_firm_with_which_somebody_has_no_more_to_do(said: str, left: bool) -> None:
    buying = "I buy my plywood from Bois & Co in Rezé since 2015"
    assert (given_up(buying, said) == "bois & co") is left
    assert contradicts_use(buying, said) is left, "an import compares them, however little the texts are alike"

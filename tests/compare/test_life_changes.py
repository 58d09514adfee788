"""Ends of what a text states of a life, and outcomes that only confirm or carry out what was said before."""

import pytest

from curator.compare import relate
from curator.compare.life_changes import ended
from curator.compare.outcomes import carried_out, confirmed
from curator.compare.summary import summarize
from store.model import Relation


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("My partner Idris hates mushrooms", "Idris and I split up."),
        ("Idris is my partner", "I broke up with Idris last week"),
        ("My husband Tom is a nurse", "My husband Tom and I got divorced"),
        ("My husband is a nurse", "My husband and I separated last month"),
        ("I'm married to Tom", "Tom left me"),
        ("My girlfriend Kim and I don't eat meat", "Kim and I broke up"),
        ("We're expecting!", "I lost the baby"),
        ("Due date 14 February (2026)", "I lost the baby"),
        ("I'm 12 weeks pregnant", "We had a miscarriage"),
        ("We have a 2009 Volvo V50, diesel", "I no longer have a car, need a cargo bike"),
        ("I drive a Skoda", "I sold the car last month"),
        ("My wife Anna is vegan", "Anna and I are no longer together"),
        ("My wife Anna is vegan", "Anna and I broke up three months ago, so I cook for one"),
        ("My wife Anna is vegan", "I left Anna in March"),
        ("My wife Anna is vegan", "Anna left me for another man"),
        ("My wife Anna is vegan", "My wife left me and took the dog"),
        ("My wife Anna is vegan", "I've left Anna"),
        ("My boyfriend Luc lives in Lyon", "I split up with Luc a while ago"),
        ("We're expecting!", "I had a miscarriage on Monday"),
        ("We're expecting!", "My wife is home again, she lost the baby last week"),
        ("I have a car", "We don't own a car any more"),
    ],
)
def test_what_is_over_opposes_what_stated_it(earlier: str, later: str) -> None:
    assert ended(earlier, later)
    assert relate(earlier, later, 0.3, (0, 10**15)).relation is Relation.UPDATE


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Idris hates mushrooms", "Idris and I split up."),  # says nothing of a partnership
        ("My partner Idris hates mushrooms", "Idris and I split the bill"),
        ("My partner Idris hates mushrooms", "My sister and Tom split up"),
        ("My partner Idris hates mushrooms", "Lotte and I broke up"),
        ("My partner Idris hates mushrooms", "Idris and I nearly split up"),
        ("My business partner Ann is in Rome", "Ann and I parted ways"),
        ("My wife Anna is vegan", "Anna left me a note"),
        ("My boyfriend Luc lives in Lyon", "Luc and I are getting married"),
        ("We're expecting a delivery", "I lost the baby"),
        ("The due date of the invoice is 3 May", "I lost the baby"),
        ("I have a bike", "I no longer have a car"),
        ("We have a car share", "I sold the car seat"),
        ("I have a cat", "I don't have a car any more"),
        ("My partner Idris hates mushrooms", "Idris and I broke up the patio"),
        ("My partner Idris hates mushrooms", "Idris and I split rent evenly"),
        ("My partner Idris hates mushrooms", "Idris and I split up the chores"),
        ("My partner Idris hates mushrooms", "Idris and I aren't married"),
        ("My partner Idris hates mushrooms", "My business partner Idris and I parted ways"),
        ("My wife Anna is vegan", "Anna and I separated the recycling"),
        ("My wife Anna is vegan", "I left Anna in charge of the shop"),
        ("My wife Anna is vegan", "I left my wife in Rome for a week"),
        ("My wife Anna is vegan", "Anna left me after lunch"),
        ("My wife Anna is vegan", "My friend Anna and I split up at the museum"),
        ("We're expecting!", "I lost the baby monitor"),
        ("We're expecting!", "I lost my daughter in the supermarket"),
        ("We're expecting!", "My sister called, she lost the baby"),
        ("We're expecting!", "We lost our baby in 2015"),
        ("We're expecting!", "The pregnancy ended well"),
        ("I have a golf club membership", "I sold my car"),
        ("I have a polo shirt", "I sold my car"),
    ],
)
def test_what_is_over_opposes_nothing_else(earlier: str, later: str) -> None:
    assert not ended(earlier, later)


def test_a_loss_is_told_gently() -> None:
    assert summarize(Relation.UPDATE, "We're expecting!", "I lost the baby") == "A was said before a loss"


@pytest.mark.parametrize(
    ("earlier", "later", "both"),
    [
        ("Im severely allergic to shrimp, crab, all crustaceans.", "Shrimp is confirmed though, sky-high IgE", True),
        ("I'm allergic to shrimp", "The tests confirmed the shrimp allergy", True),
        ("I'm allergic to nuts", "My nut allergy has been confirmed by the hospital", True),
        ("My flight is on 4 May 2026", "The flight is confirmed for 6 May 2026", False),
        ("The meeting is in Rome", "The meeting is not confirmed", False),
        ("We send an uplink every 15 minutes", "Alarms use a confirmed uplink", False),
    ],
)
def test_a_text_that_confirms_another_replaces_nothing(earlier: str, later: str, both: bool) -> None:
    assert confirmed(earlier, later) is both
    if both:
        assert relate(earlier, later, 0.5).relation is Relation.COEXIST


def test_the_outcome_of_what_was_announced_is_no_conflict() -> None:
    announced, done = "Moving out of sligo one on 29 dec.", "I dont live in sligo anymore"
    assert carried_out(announced, "I don't live in sligo anymore")
    assert relate(announced, done, 0.7).relation is Relation.COEXIST
    assert not carried_out("I live in sligo", "I don't live in sligo anymore")
    assert not carried_out("Thinking of moving out of sligo", "I don't live in sligo anymore")


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("I live at Schiekade 88B in Rotterdam from 1 may", "We live in Bergen now, in Sandviken."),
        ("I live at Storgata 5 in Oslo", "We live in Bergen now"),
        ("We decided to store everything in parquet", "We switched haulkit to duckdb files instead of parquet"),
        ("We agreed on parquet for exports", "We moved away from parquet"),
    ],
)
def test_a_home_by_its_address_and_a_choice_are_replaced(earlier: str, later: str) -> None:
    assert relate(earlier, later, 0.4, (0, 10**15)).relation is Relation.UPDATE


def test_a_month_is_no_doubt() -> None:
    assert relate("I live in Oslo from 1 may", "I live in Rome now", 0.4).relation is Relation.UPDATE
    assert relate("I may live in Oslo from June", "I live in Rome now", 0.4).relation is not Relation.UPDATE


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("My Covid test is negative", "Covid test positive now"),
        ("I'm allergic to penicillin", "Penicillin allergy is confirmed as a false positive"),
    ],
)
def test_what_refutes_a_text_does_not_confirm_it(earlier: str, later: str) -> None:
    assert not confirmed(earlier, later)

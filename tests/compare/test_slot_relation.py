"""Pairs of statements about one slot: which values exclude each other, and when."""

import re

import pytest

from curator.compare import differences, relate
from curator.compare.data import marks, slots
from curator.compare.pair import SHOWN
from curator.compare.slot_relation import SlotRelation, restated, slot_findings
from curator.compare.statement import statements
from curator.compare.value_relation import ValueRelation, compare_values
from store.clock import DAY
from store.model import Relation

CONFLICTS = [
    ("My mum lives alone in Gdynia", "Marek moved mum into a care home last week", 90, Relation.UPDATE),
    ("My gran lives by herself", "gran is in a care home now", 90, Relation.UPDATE),
    ("Mum lives with us", "Mum moved into sheltered housing in May", 90, Relation.UPDATE),
    ("My wife is Dutch", "I'm divorced now", 90, Relation.UPDATE),
    ("I live in Berlin", "I live in Lisbon", 10, Relation.CONTRADICTION),
    ("I live in Berlin", "I live in Lisbon", 400, Relation.UPDATE),
    ("I live in Berlin", "I moved to Lisbon last month", 20, Relation.UPDATE),
    ("I work at Acme", "I left Acme", 20, Relation.UPDATE),
    ("I work at Acme as a baker", "I work at Initech", 5, Relation.CONTRADICTION),
    ("I like tea", "I hate tea", 5, Relation.CONTRADICTION),
    ("I like tea", "I hate tea", 500, Relation.UPDATE),
    ("I prefer tea", "I prefer coffee", 5, Relation.CONTRADICTION),
    ("I prefer short answers", "I prefer detailed answers", 3, Relation.CONTRADICTION),
    ("We use Postgres for billing", "We use MySQL for billing", 5, Relation.CONTRADICTION),
    ("I'm 33 years old", "I'm 34 years old", 340, Relation.UPDATE),
    ("I have two cats", "I have three cats", 40, Relation.UPDATE),
    ("My favourite colour is blue", "My favourite colour is green", 10, Relation.CONTRADICTION),
    ("The deadline for Atlas is May 3", "The deadline for Atlas is May 10", 3, Relation.CONTRADICTION),
    ("I don't drink coffee", "I drink an espresso every morning", 3, Relation.CONTRADICTION),
    ("I smoke", "I quit smoking", 100, Relation.UPDATE),
    ("I'm single", "My wife is from Porto", 10, Relation.CONTRADICTION),
    ("My birthday is on May 3", "My birthday is May 4", 900, Relation.CONTRADICTION),
    ("Always answer in French", "Answer in English", 3, Relation.CONTRADICTION),
    ("I'm vegetarian", "I love a good steak", 5, Relation.CONTRADICTION),
    ("I don't have any pets", "My dog is called Rex", 3, Relation.CONTRADICTION),
    ("My rent is $1500", "My rent is $1600", 300, Relation.UPDATE),
    ("I'm an only child", "My brother is a pilot", 3, Relation.CONTRADICTION),
    ("We don't own a boat", "Our old boat lies in the harbour", 3, Relation.CONTRADICTION),
    ("I am allergic to penicillin", "I am not allergic to anything", 5, Relation.CONTRADICTION),
    ("It IS anaphylactic, the nut allergy", "I'm not allergic to anything", 5, Relation.CONTRADICTION),
    ("I'm deathly allergic to shellfish", "I have no known allergies", 5, Relation.CONTRADICTION),
    ("Always answer in metric please", "Always use imperial units", 3, Relation.CONTRADICTION),
    ("Always answer in metric please", "Use feet and inches", 3, Relation.CONTRADICTION),
    ("British English spelling please", "Always write in American English", 3, Relation.CONTRADICTION),
    ("Use tabs for indentation", "Use spaces, not tabs", 3, Relation.CONTRADICTION),
    ("My dog Biscuit has kidney disease", "Biscuit died last night", 300, Relation.UPDATE),
    ("My mother lives in Gdansk", "My mother passed away in May", 300, Relation.UPDATE),
    ("I've been sober for years", "I drink a beer after work", 5, Relation.CONTRADICTION),
    ("I report to Ingrid", "My boss is Samuel", 200, Relation.UPDATE),
    ("My aunt Ada lives in Ghent with two parrots.", "Ada has packed up and settled in Liège.", 200, Relation.UPDATE),
    ("Keep your answers short.", "Give me long, detailed answers.", 3, Relation.CONTRADICTION),
    ("My salary is 3000 euros", "I earn 3400 euros", 200, Relation.UPDATE),
    ("I rent a flat in Turin", "We bought a house in Genoa", 300, Relation.UPDATE),
    ("The crawler is written in Perl", "The crawler is written in Go", 200, Relation.UPDATE),
    ("Our blog is hosted on Heroku", "Our blog is hosted on Hetzner", 90, Relation.UPDATE),
    ("The mill was built in 1850", "The mill was built in 1871", 900, Relation.CONTRADICTION),
    ("Use bullet points in answers", "Answers should be prose", 2, Relation.CONTRADICTION),
    ("My bike is green", "My bike is black", 10, Relation.CONTRADICTION),
    ("My niece is five", "My niece is six", 360, Relation.UPDATE),
    ("I use Evernote for notes", "I stopped using Evernote", 90, Relation.UPDATE),
    ("I live in York", "We moved to Bath in spring.", 400, Relation.UPDATE),
    ("I live in York", "I moved to Reading in May.", 400, Relation.UPDATE),
    ("I live in York", "I moved to Dublin 8.", 400, Relation.UPDATE),
    ("I live in York", "I moved to Docker Street.", 400, Relation.UPDATE),
    ("I work at IKEA", "I joined Discord as an engineer.", 400, Relation.UPDATE),
    ("I moved to Leeds in 2022.", "We moved to Bath in spring, near the river.", 400, Relation.UPDATE),
    ("My flat is in Kreuzberg.", "I've moved to Neukölln.", 400, Relation.UPDATE),
    ("I work as a nurse at the district hospital.", "I left nursing", 400, Relation.UPDATE),
    ("I'm a nurse at a hospital.", "I'm a teacher now at a primary school.", 400, Relation.UPDATE),
    ("I'm unemployed at the moment.", "I found a job at the library.", 400, Relation.UPDATE),
    ("My brother works at IKEA.", "My brother lost his job.", 400, Relation.UPDATE),
    ("I'm a student at Leiden.", "I graduated in July.", 400, Relation.UPDATE),
    ("I weigh 92 kilos.", "I'm down to 84 kilos.", 400, Relation.UPDATE),
    ("My budget for the bike is 800 euros.", "I can spend up to 1200 on the bike.", 400, Relation.UPDATE),
    ("My therapist is Dr. Weiss.", "I have a new therapist, Dr. Lund.", 400, Relation.UPDATE),
]
NO_ALARM = [
    ("My husband likes tea", "my husband got a dog"),
    ("My wife works at Aldi", "my wife got a promotion"),
    ("My wife has asthma", "my wife got a new bike"),
    ("My husband died in 2019", "I'm a widow"),
    ("I live with my partner", "my mum moved into a care home"),
    ("My mum works in a care home", "my mum lives alone"),
    ("I live alone", "I'm in a care home every Tuesday"),
    ("I moved to Leeds in 2022.", "I moved to the data team last month."),
    ("Ana's sister got married.", "Ana's brother got divorced."),
    ("My laptop is a ThinkPad.", "My work laptop is a MacBook."),
    ("I paid invoice 3519 from the power company.", "I paid invoice 3249 from the power company."),
    ("Printer number 2794 belongs to Hugo.", "Printer number 717 belongs to Hugo."),
    ("I'm lactose intolerant.", "I love oat milk."),
    ("Write my emails formally.", "Write my stories in a casual tone."),
    ("My brother lost his job.", "I work at a bakery."),
    ("I'm a student.", "My sister graduated."),
    ("I live in Berlin", "My sister lives in Lisbon"),
    ("I live in Berlin", "I'd like to live in Lisbon"),
    ("I live in Berlin", "I live in Germany"),
    ("I live in Berlin", "I live in a village by a lake"),
    ("I'm in Rome this week", "I live in Lisbon"),
    ("I used to live in Berlin", "I live in Lisbon"),
    ("I don't live in Berlin", "I live in Rome"),
    ("In winter I live in Rome", "In summer I live in Oslo"),
    ("I work at a hospital", "I work at St. Mary's"),
    ("I like tea", "I like coffee"),
    ("I speak French", "I speak Spanish"),
    ("I prefer Python", "I prefer tea"),
    ("I prefer Python for scripts", "I prefer Go for servers"),
    ("We use Postgres for billing", "We use MySQL for the shop"),
    ("I have two cats", "I have three dogs"),
    ("My daughter is allergic to peanuts", "I am not allergic to anything"),
    ("I am allergic to peanuts", "I am not allergic to penicillin"),
    ("My dog Biscuit has kidney disease", "My grandmother died in May"),
    ("I use too many browser tabs", "I work in coworking spaces"),
    ("The deadline for Atlas is May 3", "The deadline for Hermes is May 10"),
    ("I drink coffee", "I don't drink coffee after noon"),
    ("I'm allergic to nuts", "My son is allergic to nuts"),
    ("My brother Tom is a nurse", "My brother Tim is a baker"),
    ("My friend says he hates Rome", "I love Rome"),
    ("I might move to Rome", "I live in Oslo"),
    ("In 2022 my rent was 900", "In 2024 my rent was 950"),
    ("I have a dog", "I have a cat"),
    ("Should I go vegan?", "I eat meat twice a week"),
    ("My wedding is in June", "My wedding is on 12 June"),
    ("I rarely drink wine", "I drink wine at parties"),
    ("I work for a library on Mondays", "I work for a bakery on Thursdays"),
    ("I prefer the tram for short trips", "For long trips I prefer the car"),
    ("I no longer drink tea at work", "I drink tea with my mother at the weekend"),
    ("The workshop is in Ghent", "The workshop is in May"),
    ("My nephew is nine", "My niece is four"),
    ("I don't eat oranges", "I have an orange tent"),
    ("I'm a doctor", "I work as a surgeon"),
    ("The invoice is €1250", "The invoice is 1,250 euros"),
]


@pytest.mark.parametrize(("a", "b", "days", "relation"), CONFLICTS)
def test_values_that_exclude_each_other(a: str, b: str, days: int, relation: Relation) -> None:
    verdict = relate(a, b, 0.75, (0, days * DAY))
    assert verdict.relation is relation
    assert verdict.conflict_score >= SHOWN > verdict.duplicate_score - 0.2
    assert relate(b, a, 0.75, (days * DAY, 0)).relation is relation


@pytest.mark.parametrize(("a", "b"), NO_ALARM)
@pytest.mark.parametrize("days", [3, 700])
def test_what_can_both_be_true_raises_no_alarm(a: str, b: str, days: int) -> None:
    verdict = relate(a, b, 0.65, (0, days * DAY))
    assert verdict.relation in (Relation.COEXIST, Relation.UNSURE, Relation.UNRELATED), verdict.path
    assert verdict.conflict_score < SHOWN


def test_other_words_for_one_thing_are_a_duplicate() -> None:
    assert relate("I'm vegetarian", "I don't eat meat").relation is Relation.DUPLICATE
    assert relate("I'm vegetarian", "I don't eat pork").relation is not Relation.DUPLICATE
    assert relate("My son is vegetarian", "I don't eat meat").relation is not Relation.DUPLICATE


RESTATED = [
    ("I have a severe allergy to peanuts.", "I have a peanut allergy."),
    ("I have a severe allergy to peanuts.", "I am allergic to peanuts"),
    ("I'm deathly allergic to walnuts", "I have a walnut allergy"),
    ("I'm allergic to walnuts", "My walnut allergy is severe"),
    ("I suffer from a serious lactose intolerance", "I am lactose intolerant"),
    ("I am divorced", "My marriage ended in divorce."),
    ("I got married", "I am married"),
    ("I work as a nurse", "I'm a nurse"),
    ("I quit smoking", "I don't smoke"),
    ("I live in Ghent", "I moved to Ghent"),
    ("My sister lives in Ghent", "My sister moved to Ghent"),
]


@pytest.mark.parametrize(("a", "b"), RESTATED)
@pytest.mark.parametrize("cosine", [None, 0.63, 0.9])
def test_one_value_of_one_slot_in_other_words_is_alike_and_no_conflict(a: str, b: str, cosine: float | None) -> None:
    for verdict in (relate(a, b, cosine), relate(b, a, cosine)):
        assert verdict.relation is Relation.UNSURE, verdict.path
        assert verdict.duplicate_score > 0.7 and verdict.conflict_score < SHOWN


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("I have a mild peanut allergy", "I have a severe peanut allergy"),
        ("I am allergic to peanuts", "My son is allergic to peanuts"),
        ("I am allergic to peanuts", "I am allergic to walnuts"),
        ("I have a son", "I have a daughter"),
        ("My sister lives in Ghent", "My sister is a nurse"),
        ("I got divorced", "I got divorced in 2019"),
        ("I live in Ghent", "I used to live in Ghent"),
        ("I like hiking", "I might like hiking"),
        ("I have a dog", "I have a dog called Rex"),
    ],
)
def test_what_says_more_or_else_is_not_restated(a: str, b: str) -> None:
    assert not restated(a, b) or differences(a, b)
    assert relate(a, b, 0.6).path[-1] != relate("I'm a nurse", "I work as a nurse", 0.6).path[-1]


@pytest.mark.parametrize("allergy", ["I have a severe allergy to {}", "I am allergic to {}", "My {} allergy is bad"])
def test_who_is_allergic_to_a_food_does_not_eat_it(allergy: str) -> None:
    said = allergy.format("walnuts")
    for eats in ("I eat walnuts for breakfast", "I love walnuts"):
        assert relate(said, eats, 0.7).relation is Relation.CONTRADICTION
    for fits in ("I can't eat walnuts", "I don't eat walnuts", "I eat almonds", "I don't have any walnuts"):
        verdict = relate(said, fits, 0.8)
        assert verdict.relation in (Relation.COEXIST, Relation.UNSURE, Relation.UNRELATED), verdict.path
    assert relate(allergy.format("cats"), "I have two cats", 0.7).relation is not Relation.CONTRADICTION


@pytest.mark.parametrize(
    ("a", "b", "fit"),
    [
        ("I live in Rome", "I live in Rome", ValueRelation.SAME),
        ("I live in NYC", "I live in New York City", ValueRelation.SAME),
        ("I live in Rome", "I live in Italy", ValueRelation.WITHIN),
        ("I live in Portugal", "I live in Lisbon", ValueRelation.HOLDS),
        ("I live in Rome", "I live in Oslo", ValueRelation.OTHER),
        ("I live in Rome", "I live in a village", ValueRelation.UNCLEAR),
        ("I live in Entenhausen", "I live in Italy", ValueRelation.UNCLEAR),
        ("Our standup is at quarter past nine", "Our standup is at 9:15", ValueRelation.SAME),
        ("Our standup is at 6:40 pm", "Our standup is at 18:40", ValueRelation.SAME),
        ("Our standup is at 9:15", "Our standup is at 10:15", ValueRelation.OTHER),
    ],
)
def test_how_values_fit(a: str, b: str, fit: ValueRelation) -> None:
    assert compare_values(statements(a)[0], statements(b)[0]) is fit


def test_a_finding_says_which_slot_and_why() -> None:
    (finding,) = slot_findings("I live in Berlin", "I live in Lisbon")
    assert (finding.kind, finding.slot) == (SlotRelation.OPPOSED, "home")
    assert "berlin" in finding.why and "lisbon" in finding.why


def test_the_path_leads_to_the_verdict() -> None:
    verdict = relate("I live in Berlin", "I live in Lisbon", 0.7, (0, 400 * DAY))
    assert verdict.path[0].startswith("opposed (home)")
    assert "said 400 days apart" in verdict.path
    assert verdict.path[-1].startswith("update: ")


def test_every_pattern_compiles_and_every_cue_leads_to_a_slot() -> None:
    table = slots()
    assert marks().taken.groups
    for slot in table.by_name.values():
        assert slot.patterns
        for pattern in slot.patterns:
            compiled = re.compile(pattern.source)
            assert pattern.value is not None or "v" in compiled.groupindex
    assert all(found for found in table.by_cue.values())


@pytest.mark.parametrize(
    ("a", "b", "not_to_be"),
    [
        ("I owe my brother 500 euros", "My brother owes me 500 euros", Relation.DUPLICATE),
        ("Prefers tea to coffee", "Prefers green tea to coffee", Relation.DUPLICATE),
        ("I eat fish now", "I eat fish but no meat", Relation.UPDATE),
    ],
)
def test_what_sounds_alike_is_told_apart(a: str, b: str, not_to_be: Relation) -> None:
    assert relate(a, b, 0.97).relation is not not_to_be


def test_a_month_after_since_is_no_part_of_the_place() -> None:
    found = relate("Lives in Lisbon with two flatmates", "Lives in Porto since May", 0.7)
    assert found.relation in (Relation.UPDATE, Relation.CONTRADICTION)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("My sister doesn't drive.", "My brother plays the drums."),
        ("My husband never eats breakfast.", "My husband Karim bakes the sourdough."),
        ("Our son isn't at school yet.", "My daughter is a plumber."),
        ("My son is in Perth and has no children.", "My daughter Marion lives in Wellington."),
    ],
)
def test_a_denial_about_a_relative_does_not_deny_the_relative(a: str, b: str) -> None:
    assert all(one.kind is not SlotRelation.OPPOSED for one in slot_findings(a, b))


def test_who_has_none_is_opposed_by_a_denial_about_one() -> None:
    assert any(
        one.kind is SlotRelation.OPPOSED for one in slot_findings("I have no siblings.", "My sister doesn't drive.")
    )

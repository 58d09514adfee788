"""A memory holds one statement, in the person's words."""

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curator.distill.candidate import Candidate
from curator.distill.rules import distil
from curator.text.dates import without_dates
from effort import share, thorough
from factories import CHAT, TURN
from store.model import Channel, Kind, Message

ONE_EACH = [
    ("I work at Tidewell, and I'm not vegetarian anymore.", "I work at Tidewell|I'm not vegetarian anymore."),
    ("I'm 44, I live in Rome and I have two kids.", "I'm 44|I live in Rome|I have two kids."),
    ("I'm 44, live in Rome and have two kids.", "I'm 44|I live in Rome|I have two kids."),
    (
        "I live in Lisbon and do ceramics as a hobby, tuesday evenings at a studio",
        "I live in Lisbon|I do ceramics as a hobby, tuesday evenings at a studio",
    ),
    ("I'm vegetarian and allergic to hazelnuts.", "I'm vegetarian|I'm allergic to hazelnuts."),
    ("I'm allergic to nuts and lactose intolerant.", "I'm allergic to nuts|I'm lactose intolerant."),
    ("I was born in Lyon and grew up in Nice.", "I was born in Lyon|I grew up in Nice."),
    ("We live in Porto and have a dog called Pipoca.", "We live in Porto|We have a dog called Pipoca."),
    ("I live in Rome, work for the city and have no car.", "I live in Rome|I work for the city and have no car."),
    ("I drive a Volvo and hate winter tyres.", "I drive a Volvo|I hate winter tyres."),
    ("I'm retired, live in Bath and grow tomatoes.", "I'm retired|I live in Bath|I grow tomatoes."),
    (
        "I study law at Leeds and play the violin in an orchestra.",
        "I study law at Leeds|I play the violin in an orchestra.",
    ),
    ("I have asthma and take 10 mg of montelukast daily.", "I have asthma|I take 10 mg of montelukast daily."),
    ("My name is Jonas, I'm 29 and I'm from Malmö.", "My name is Jonas|I'm 29|I'm from Malmö."),
    ("My wife is a doctor and my son studies law in Lyon.", "My wife is a doctor|My son studies law in Lyon."),
    ("I prefer tea to coffee and I like oolong.", "I prefer tea to coffee|I like oolong."),
    ("Remember that my sister is Ana and I'm allergic to nuts.", "My sister is Ana|I'm allergic to nuts."),
    ("I'm from Ghent, Belgium, and I speak Dutch and French.", "I'm from Ghent, Belgium|I speak Dutch and French."),
    (
        "I work from home on Mondays, and my partner works in Leeds.",
        "I work from home on Mondays|My partner works in Leeds.",
    ),
    ("I'm kinda vegetarian and I've got a bad knee.", "I'm kinda vegetarian|I've got a bad knee."),
    ("I'm like 34 and live in Ghent", "I'm 34|I live in Ghent"),
    ("I'm vegetarian and Emil is allergic to walnuts.", "I'm vegetarian|Emil is allergic to walnuts."),
    ("I'm vegan, Anna has coeliac disease.", "I'm vegan|Anna has coeliac disease."),
    ("I'm not vegetarian and I'm not allergic to nuts.", "I'm not vegetarian|I'm not allergic to nuts."),
]
TOGETHER = [
    "I moved to Porto and love it.",
    "My brother lives in Kiel and he works as a baker.",
    "I love cheese and Emil is at home on Mondays",
    "I cook for two if Anna is away and Emil is allergic to walnuts",
    "I have a daughter who plays chess and lives in Madrid.",
    "I've got two kids and a dog",
    "I can sew and knit.",
    "I love the colours and love theme of the show.",
    "I want to learn Spanish and live in Madrid.",
    "I don't eat meat and drink no alcohol.",
    "I sold my car and bought a bike.",
    "I hate coriander, it tastes like soap to me",
    "I'm vegetarian, have been for almost ten years",
    "I need presents for my sister Elin, my mother Birgitta and Joana from work.",
    "I prefer walking to driving and like trains more than planes.",
    "I plan to study law in Bergen and live with my sister",
    "I speak Dutch and French.",
    "I like bread and drink with every meal in France.",
    "I live in a flat (two rooms, have a balcony) in Oslo",
    "I'm a nutritionist and recommend keto to my clients",
    "I'm a chef and create two menus a week",
    "I'm vegetarian and make my own bread",
    "I have a nickel allergy too, cheap handles give me a rash.",
    "My kids never sleep and give me a headache",
    "My commute is like 40 minutes each way",
]
CLEAN = [
    ("so yeah I work as a nurse in Leeds", "I work as a nurse in Leeds"),
    ("like, I hate coriander", "I hate coriander"),
    ("well, I live in Oslo btw", "I live in Oslo"),
    ("I'm allergic to nuts, can you plan a menu for the week?", "I'm allergic to nuts"),
    ("I'm diabetic so suggest desserts without sugar", "I'm diabetic"),
    ("Quiz me on verbs, 5 at a time, I'm learning Greek", "I'm learning Greek"),
    ("My sister Elin is pregnant, so maybe add a line about the baby", "My sister Elin is pregnant"),
    ("remember that my sister is Ana", "My sister is Ana"),
    ("I'd like a menu for Friday, I'm allergic to nuts", "I'm allergic to nuts"),
    ("Last one, I prefer plain paragraphs", "I prefer plain paragraphs"),
    ("I have fridays off so don't plan any work on fridays", "I have fridays off so don't plan any work on fridays"),
    ("I've got two cats", "I've got two cats"),
    ("I can't eat gluten, and suggest a lunch", "I can't eat gluten"),
    ("I'm vegetarian and suggest three dinners", "I'm vegetarian"),
    ("I'm vegetarian, suggest a dinner please", "I'm vegetarian"),
    ("I'm allergic to nuts - give me a menu for 4", "I'm allergic to nuts"),
    ("I'm diabetic and please write me a shopping list", "I'm diabetic"),
    ("I live in Ghent, recommend a few cafes", "I live in Ghent"),
    ("My son is 5 and suggest a gift for his birthday", "My son is 5"),
    ("So basically I'm a nurse, just so you know", "I'm a nurse"),
    ("Just so you know, I'm a nurse", "I'm a nurse"),
    ("Hey quick one: my wife Ana turned 40", "My wife Ana turned 40"),
    ("Don't forget I'm diabetic", "I'm diabetic"),
    ("don't forget we're three at home", "We're three at home"),
    ("remember that I'm diabetic, please", "I'm diabetic"),
    ("Remind me that the boiler has a filter in the attic", "The boiler has a filter in the attic"),
    ("um so I live in uh Ghent", "I live in Ghent"),
    ("I'm basically retired", "I'm basically retired"),
    ("I have um two kids", "I have two kids"),
    ("so yeah kinda I've got a dog named Biscuit, can you plan a walk for him?", "I've got a dog named Biscuit"),
    ("Please keep answers short, always", "Please keep answers short, always"),
    ("I'm vegan since August 2026 btw, Tom converted me", "I'm vegan since August 2026, Tom converted me"),
    ("I have two cats, lol, both black", "I have two cats, both black"),
    ("And I live in Ghent", "I live in Ghent"),
    ("I live in Leeds with my boyfriend Owen, so something for two.", "I live in Leeds with my boyfriend Owen"),
    (
        "I use a wheelchair so nowhere with stairs is open to me",
        "I use a wheelchair so nowhere with stairs is open to me",
    ),
]


def memories(text: str, like: Message = TURN) -> tuple[Candidate, ...]:
    """Return the candidates of a message, after checking each against its quote."""
    found = distil(CHAT, [replace(like, text=text)]).candidates
    for one in found:
        assert one.quote == text[one.start : one.end]
        words, said = (re.findall(r"\w+", part.lower()) for part in (without_dates(one.text), one.quote))
        rest = iter(said)
        assert all(word in rest for word in words), (one.text, one.quote)
    return found


@pytest.mark.parametrize(("text", "expected"), ONE_EACH)
def test_each_statement_is_a_memory_of_its_own(text: str, expected: str) -> None:
    found = memories(text)
    assert [one.text for one in found] == expected.split("|")
    assert len({(one.start, one.end) for one in found}) == len(found)


@pytest.mark.parametrize("text", TOGETHER)
def test_what_needs_each_other_stays_together(text: str) -> None:
    (one,) = memories(text)
    assert one.text == text


@pytest.mark.parametrize(("text", "expected"), CLEAN)
def test_fillers_and_requests_of_the_moment_are_left_out(text: str, expected: str) -> None:
    assert [one.text for one in memories(text)] == [expected]


def test_the_words_of_a_request_are_no_part_of_what_is_to_be_remembered() -> None:
    for text in ("Don't forget I'm diabetic", "remember: I'm diabetic", "Remind me that I'm diabetic"):
        (one,) = memories(text)
        assert (one.importance, one.text) == (10, "I'm diabetic")


def test_fillers_are_left_out_of_the_words_and_not_of_the_quote() -> None:
    first, second = memories("I'm like 34 and live in Ghent")
    assert (first.quote, first.kind, second.kind) == ("I'm like 34", Kind.IDENTITY, Kind.IDENTITY)
    assert first.whole == second.whole == "I'm like 34 and live in Ghent"


def test_each_part_has_its_own_kind() -> None:
    found = memories("I work at Tidewell, I have two kids and I hate winter tyres.")
    assert [one.kind for one in found] == [Kind.IDENTITY, Kind.RELATIONSHIP, Kind.PREFERENCE]


def test_parts_of_one_statement_count_as_one_towards_the_limit() -> None:
    text = "I'm 44, live in Rome and have two kids."
    assert len(distil(CHAT, [replace(TURN, text=text)], limit=1).candidates) == 3


def test_instructions_are_taken_apart_too() -> None:
    text = "I'm a data engineer, I live in Porto with my partner. Never suggest nuts."
    found = memories(text, replace(TURN, channel=Channel.INSTRUCTIONS))
    assert [one.text for one in found] == [
        "I'm a data engineer",
        "I live in Porto with my partner.",
        "Never suggest nuts.",
    ]


@settings(max_examples=share(200), deadline=None)
@given(
    st.lists(
        st.sampled_from(
            "I'm 44|I live in Rome|live in Rome|have two kids|vegetarian|allergic to nuts|my sister is Ana|so yeah|"
            "can you help|, | and |. |; | but | because |(|) |it |I hate winter tyres|since march|yesterday |"
            "remember that |please |btw|kinda |like 34|, uh, |not |no |don't forget |suggest three dinners|"
            "just so you know".split("|")
        ),
        max_size=14,
    ).map("".join)
)
def test_the_words_of_every_memory_are_in_its_quote_in_order(text: str) -> None:
    memories(text)


STATEMENTS = (
    "I'm not allergic to peanuts|I can't eat gluten|I'm kinda vegetarian|I have 2 kids|I'm probably allergic to nuts"
    "|I've got a bad knee|I'm vegetarian since 2015|My wife Ana is diabetic|I no longer eat meat|I live in Ghent"
).split("|")
BEFORE = "|so yeah |well, |hey quick one: |basically |um so |just so you know, |btw ".split("|")
AFTER = (
    "|, suggest a dinner please| and suggest three dinners|, can you plan a menu?|, so give me ideas"
    "|, just so you know| btw|, recommend a few cafes|, please| - show me two recipes"
).split("|")


@thorough
@pytest.mark.parametrize("said", STATEMENTS)
def test_what_is_said_stays_whole_whatever_is_fused_to_it(said: str) -> None:
    for before in BEFORE:
        for after in AFTER:
            text = f"{before}{said}{after}"
            assert [one.text for one in memories(text)] == [said], text


@pytest.mark.parametrize(
    "text",
    [
        "My sister's wedding is in May in Bruges, I'm the witness",
        "I have three brothers and I'm the eldest",
    ],
)
def test_a_part_in_what_was_said_is_no_memory_of_its_own(text: str) -> None:
    assert [without_dates(one.text) for one in memories(text)] == [text]


@pytest.mark.parametrize(
    "text", ["I turned 38 yesterday and feel 60", "I turned 38 yesterday, but still feel like 20 lol"]
)
def test_how_old_somebody_feels_is_no_part_of_their_age(text: str) -> None:
    (one,) = memories(text)
    assert (without_dates(one.text), one.rule) == ("I turned 38 yesterday", "age")


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("I have asthma since I am 19, and I'm vegan.", "I have asthma since I am 19|I'm vegan."),
        ("I wear glasses since I am 8", "I wear glasses since I am 8"),
        ("I am vegetarian since I have 30 years", "I am vegetarian since I have 30 years"),
        ("I have epilepsy since I'm a child and I live in Rome.", "I have epilepsy since I'm a child|I live in Rome."),
        ("I live in Rome since I was twenty and work at Fiat", "I live in Rome since I was twenty|I work at Fiat"),
        ("Recommend me a bike since I'm 65", "I'm 65"),
    ],
)
def test_the_age_since_which_something_is_so_is_a_part_of_it(text: str, texts: str) -> None:
    assert [one.text for one in memories(text)] == texts.split("|")

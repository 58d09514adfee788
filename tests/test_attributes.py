"""Stated attributes of a person, and prompts that ask for them in other words."""

import re
from time import process_time

import pytest

from curator import attributes
from effort import thorough


@pytest.mark.parametrize(
    ("prompt", "text"),
    [
        ("what do I do for work?", "I'm lead engineer at Voss Timber in York"),
        ("who is my employer", "I became head of timber design at Voss"),
        ("where do I work?", "Im a marine biologist at VLIZ in Ostend"),
        ("where do I work?", "I start at Rijkswaterstaat on 1 September 2022 as a data analyst"),
        ("what's my job", "Starting as a freelance data consultant on 1 July"),
        ("what's my job", "I do two days a week for Havbruk AS"),
        ("help me with my resume", "I have a PhD in benthic ecology"),
        ("write me a cover letter for Equinor", "I speak Dutch, French and English"),
        ("fill in this form for the council", "We live in Bergen now"),
        ("update my CV", "My birthday is on 3 May"),
        ("who is my partner", "Silje and I got engaged on Sunday"),
        ("who's my wife", "My wife Anna is a baker"),
        ("my job title?", "I'm starting at Voss Timber in York on 23 June as lead engineer"),
        ("update my CV", "I became head of timber design at Voss"),
        ("write my linkedin bio", "I studied structural engineering in Sheffield"),
        ("where do I live?", "Tomasz and I got a flat in York, no more commuting from Leeds"),
        ("find a cafe near me", "We moved to Porto last year"),
        ("plan a weekend trip", "I'm afraid of flying so we take trains"),
        ("suggest wine for dinner", "We don't drink alcohol"),
        ("what’s a good whisky", "I’ve been sober since May"),
        ("do I have pets?", "I have a cat called Mruczek"),
        ("who is in my family", "My partner Tomasz is a nurse"),
        ("write a python script that parses a csv", "I use Python 3.12 with uv and polars, never pandas"),
        ("how old am I", "I was born in 1988"),
        ("what's my name", "My name is Hania Nowak"),
        ("what's my name?", "Im Tamsin, 41, living in Leeds with my partner Ruben"),
        ("what's my name?", "Hi, I'm Ana, living in Porto"),
        ("tell me about my partner", "Saskia and I got engaged on 18 December"),
        ("what do you know about my wife", "My wife Anna is a baker"),
        ("write a short bio of me", "Living in Ludlow now"),
        ("recommend me a new book", "Cant be doing with fantasy, dragons and that"),
        ("exercise plan for the winter for me", "Knee is good now since physio, so ive put my step goal up to 9000"),
        ("what should i cook for the family tonight", "I stopped eating meat in May"),
        ("am i on any medication", "They've put me on metformin 500 twice a day."),
        ("write a letter to the council", "Sign off with Kind regards, Hania"),
        ("draft an email to a client", "No exclamation marks in what clients read"),
        ("book a hotel in Porto", "I dont do lifts since I was stuck in one"),
        ("which evening could I take a life drawing class", "I've got orchestra on mondays"),
        ("plan my delivery route for the week", "I don't deliver on Tuesdays any more"),
        ("when can we meet the builder", "Every second Wednesday I'm in Leeds"),
        ("can we afford a new kitchen", "Our mortgage is 900"),
        ("should I retire at 58", "About 40k in my pension so far"),
        ("my laptop is slow", "I moved to a macbook in May"),
        ("how far is it by car to Bristol and back", "We've got an electric Kia since spring"),
        ("what should I sow in April", "I have a balcony that faces north"),
        ("draft an email to hapag about the delay", "I always want emails under 120 words"),
    ],
)
def test_a_prompt_finds_what_states_it(prompt: str, text: str) -> None:
    assert attributes.states(text, attributes.asked(prompt))
    assert any(word in re.findall(r"[\w-]+", text.casefold()) for word in attributes.roots_of(attributes.asked(prompt)))


@pytest.mark.parametrize(
    "prompt",
    [
        "write a shell script",
        "parse the emails table",
        "Pipoca threw up, what do i do",
        "resume the build",
        "write a resume function for the player",
        "the form validates the email",
        "write a biography of Napoleon",
        "which day of the week was 3 May 1990",
        "retire the old endpoint",
        "a driver for the phone line",
        "plot the residuals",
        "grow the buffer by half",
        "what is my job scheduler config",
        "my job failed with exit code 1",
        "my name server is down",
        "make my age field required",
        "who is the partner of this API",
        "tell me about my partner program",
        "tell me about partner APIs",
        "my bio homework on cells",
        "improve my CV score",
        "make my resume endpoint idempotent",
        "introduce me to linear algebra",
        "application form validation",
        "fill out the login form",
        "fill in the form validation code",
    ],
)
def test_most_prompts_ask_for_none(prompt: str) -> None:
    assert attributes.asked(prompt) == ()


@pytest.mark.parametrize(
    "text",
    [
        "I start at 9 on Mondays",
        "She joined us at the pub",
        "Sold the Skoda, I cycle to work now",
        "I'm on Windows at work",
        "I've been to my dentist",
        "I work from home",
    ],
)
def test_what_has_a_word_of_it_states_no_job(text: str) -> None:
    assert not attributes.states(text, ("job",))


@pytest.mark.parametrize(
    "text", ["I have a master key", "I had to speak up", "I speak softly", "I have a bachelor party"]
)
def test_what_has_a_word_of_it_states_no_studies(text: str) -> None:
    assert not attributes.states(text, ("studies",))
    assert attributes.states("I have a master's in law", ("studies",)) and attributes.states(
        "I speak Dutch", ("studies",)
    )


@pytest.mark.parametrize(
    "text",
    [
        "Her name is Saskia",
        "I'm tired, 41 emails today",
        "I'm late, 20 minutes",
        "I'm in Leeds, living well",
        "I'm fine, 15 times better",
        "I'm home, 30 guests come",
        "I'm vegan, 30",
        "I'm a nurse, living in Leeds",
    ],
)
def test_nor_does_it_state_the_persons_name(text: str) -> None:
    assert not attributes.states(text, ("name",))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("We had Lorna over on saturday", "week"),
        ("The budget of the lab was cut", "money"),
        ("Windows need cleaning", "devices"),
        ("The car park was full", "car"),
        ("The plot of the film is thin", "garden"),
    ],
)
def test_nor_does_it_say_anything_of_habits(text: str, name: str) -> None:
    assert not attributes.states(text, (name,))


def test_a_question_about_oneself_is_known_by_its_form() -> None:
    assert attributes.asked_of_self("am i on any medication") == ("medicine",)
    assert attributes.asked_of_self("where do we live?") == ("home",) and attributes.asked_of_self("my job") == ("job",)
    for search in ("medication", "plan a dinner", "have I used git in this project", "what colours go with grey"):
        assert attributes.asked_of_self(search) == ()


@thorough
def test_a_prompt_made_to_hang_is_read_in_time() -> None:
    start = process_time()
    assert attributes.asked("find my i write " * 4_000) == ()
    assert process_time() - start < 1


@pytest.mark.parametrize(
    ("text", "home"),
    [
        ("We moved to postgres 17 last week", False),
        ("We moved to GitLab", False),
        ("We moved to the paid plan", False),
        ("I still own the apartment in Rotterdam, rented out for 1650 eur a month", False),
        ("We moved to Bergen last week", True),
        ("We moved to Leeds 2 years ago", True),
        ("I own an apartment in Rotterdam", True),
    ],
)
def test_a_home_is_a_place_where_the_person_lives(text: str, home: bool) -> None:
    assert attributes.states(text, ("home",)) is home


@pytest.mark.parametrize(
    "text",
    [
        "My one rule: no meetings before 9.",
        "I'm at Dokken mon-wed and home thu-fri",
        "I practise tues and thurs evenings",
        "I drop Juno at school at 8 so can't",
        "I'm on call every third weekend",
    ],
)
def test_the_routines_of_a_week_are_for_its_plan(text: str) -> None:
    assert "week" in attributes.asked("plan my week") and attributes.states(text, ("week",))

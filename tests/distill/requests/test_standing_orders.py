"""Orders that are given with every prompt: no near misses, and most of those with a word like "always"."""

from dataclasses import replace
from pathlib import Path

import pytest

from curator.distill.requests.standing_orders import is_standing_order
from curator.distill.rules import distil, is_order
from curator.distill.scores.chats import sentence_classifier
from effort import thorough
from factories import TURN
from store.model import Conversation, Kind, Tier

CHAT = Conversation(id=1, source="chatgpt", messages=1)


def is_always(text: str) -> bool:
    return any(one.always for one in distil(CHAT, [replace(TURN, text=text)]).candidates)


def lines(wanted: str, file: str = "for_good_lines.txt") -> list[str]:
    found: list[str] = []
    label = ""
    for row in (Path(__file__).parents[1] / file).read_text("utf-8").splitlines():
        if row.startswith("## "):
            label = row[3:]
        elif row and not row.startswith("#") and label == wanted:
            found.append(row)
    return found


@pytest.mark.parametrize("text", lines("-"))
def test_a_question_a_condition_or_a_habit_is_not_given_always(text: str) -> None:
    assert not is_always(text)


@thorough
@pytest.mark.parametrize("file", ["orders.txt", "orders_second.txt", "orders_third.txt"])
def test_no_near_miss_of_an_order_is_given_always(file: str) -> None:
    assert [text for text in lines("-", file) if is_always(text)] == []


def test_orders_for_good_are_given_always() -> None:
    missed = [text for text in lines("always") if not is_always(text)]
    assert len(missed) <= 3, missed


@pytest.mark.parametrize(
    "text",
    [
        "hmm, so once I have HTTPS set up, do I need to update my deployment scripts on Render.com?",
        "hmm, what happens if I want to add more tables later on? do i need to redo the migrations?",
        "Thanks for all your help though! If I run into more problems, I'll definitely ask.",
        "Given that I have to provide security best practices when discussing authentication features, and I've made"
        " significant updates such as switching to Argon2 with Flask-Argon2 v0.3.0 for password hashing, I'd like to"
        " know how to further enhance the security of my application.",
        "I'm trying to keep my weather app under 2.5MB, so I prefer using lightweight, dependency-free solutions over"
        " heavy frameworks, can you help me implement a simple caching mechanism for API responses without using any"
        " external libraries, I want to make sure it doesn't bloat my app",
    ],
)
def test_what_is_asked_of_the_work_at_hand_is_not_given_always(text: str) -> None:
    assert not is_always(text)


def test_a_label_a_scope_or_a_thing_unwanted_makes_an_order_one_for_good() -> None:
    orders = (
        "answers to me: no bullet lists",
        "your replies: max five sentences",
        "hey, quick rule for all chats: no small talk",
        "i never want emojis",
        "I don't want emojis in your answers",
        "please answer in short paragraphs, in this one and in all others",
    )
    assert [text for text in orders if not is_always(text)] == []
    others = ("answers to my question: 42 and 17", "i never want kids", "I don't want tables in this draft")
    assert [text for text in others if is_always(text)] == []


def test_a_task_with_a_word_of_keeping_asks_for_nothing_to_be_remembered() -> None:
    tasks = (
        "keep it short, i have a meeting at 3",
        "keep it vegan, my sister eats with us",
        "put together a training plan, i weigh 82 kg",
        "put the total at the end, i have a budget of 900",
        "save me some time, i need a gift for my dad",
        "mind the budget, i have 300 euros",
        "log my weight, i'm 82 kg today",
    )
    assert [text for text in tasks if is_always(text)] == []
    asked = ("save this: my sister is called ana", "put the code in your notes: my locker is 12")
    assert [text for text in asked if not is_always(text)] == []


def test_a_note_asks_for_nothing_and_a_request_to_remember_does() -> None:
    assert is_always("Please remember that my sister is called Ana.")
    assert is_always("My sister is called Ana, remember that.")
    assert not is_always("FYI, my sister is called Ana.")
    assert not is_always("You have to remember that Rome wasn't built in a day.")


@pytest.mark.usefixtures("classifiers")
@pytest.mark.parametrize(
    "text",
    [
        "If I get stuck with the second exercise, I'll definitely ask.",
        "Got it! If you can't think of an example, I can give you one from the last lesson.",
        "If I see it right, without knowing the height, we can write the area as 4h.",
        "and my chart code:",
    ],
)
def test_what_the_person_does_or_shows_next_is_no_order(text: str) -> None:
    assert distil(CHAT, [replace(TURN, text=text)], classifier=sentence_classifier()).candidates == ()


@pytest.mark.usefixtures("classifiers")
@pytest.mark.parametrize(
    "text",
    [
        "If I ask for code, I want only the code.",
        "If I ask for code, I only want the code.",
        "When I send you a recipe, I'd rather have grams than cups.",
        "When I send you a recipe, I usually prefer grams to cups.",
    ],
)
def test_a_wish_on_a_condition_is_an_order(text: str) -> None:
    (found,) = distil(CHAT, [replace(TURN, text=text)], classifier=sentence_classifier()).candidates
    assert found.kind is Kind.PREFERENCE


@pytest.mark.parametrize(
    "text",
    [
        "From now on I'd like shorter answers with a source.",
        "i prefer paragraphs from now on",
        "going forward i need celsius",
        "when you give me a packing list keep it to one bag from now on",
        "can you keep your replies less formal now",
    ],
)
def test_a_wish_for_all_answers_to_come_is_an_order(text: str) -> None:
    assert is_always(text)


@pytest.mark.parametrize(
    "text",
    [
        "From now on I want to swim every morning.",
        "from now on i need a stick",
        "can you tell me about your answer on tax now",
        "when my guests make noise I give them earplugs",
    ],
)
def test_a_plan_for_what_is_to_come_is_none(text: str) -> None:
    assert not is_always(text)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Note: the heron lives at the shed", False),
        ("Heron note: the heron lives at the blue shed", False),
        ("Note to self: the spare key is under the pot", False),
        ("Please save this: the wifi is called Otter", False),
        ("The kiln log: cone 6 took nine hours", False),
        ("Note: always answer in metric", True),
        ("Note: from now on, no tables", True),
        ("Always keep answers short", True),
        ("Remember that I only use fish", True),
        ("Keep in mind: I only use fish", True),
        ("Merk dir: Ich benutze nur fish", True),
    ],
)
def test_typed_words_that_only_ask_to_write_it_down_make_nothing_always_given(text: str, wanted: bool) -> None:
    assert is_order(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "I always work in metric, never give me pounds or fahrenheit",
        "I always want prices in euros, never show me dollars",
        "The data of Havbruk is confidential, never put real station names into tests or docs",
        "I'm dyslexic, always write in short sentences please",
        "I'm colour-blind - always tell me the name of a colour",
        "I'm from Norway, always use the 24 hour clock with me",
        "I'm dyslexic, always answer in short sentences",
        "I'm dyslexic, never reply with walls of text",
        "I am busy, always answer the question first",
        "When I ask about code always answer in Python",
        "When I ask for code I always want tests",
        "If I say stop never continue",
    ],
)
def test_an_order_may_begin_with_its_reason(text: str) -> None:
    assert is_standing_order(text, asked=False, by_score=True)


@pytest.mark.parametrize(
    "text",
    [
        "I'm a purist, never use a mouse",
        "My dad says, never give me pounds",
        "My coach always told me: never show fear",
        "I've been sober for years, never drink alcohol",
        "My cats are shy, always hide under the bed",
        "I have two kids, always tell them stories",
        "I'm writing to my landlord, never mention my dog in this letter",
        "We deploy on Fridays, never push to main without tests",
        "The oven runs hot, always use foil",
        "My knee hurts, always use a brace",
        "I drive carefully, never answer the phone",
        "I live alone, never answer unknown numbers",
        "I'm a slow walker, always reply late",
        "When I drive I never answer the phone",
        "When I write docs I never use jargon",
    ],
)
def test_a_habit_or_the_word_of_another_after_a_statement_is_no_order(text: str) -> None:
    assert not is_standing_order(text, asked=False, by_score=True)


@pytest.mark.parametrize(
    "text",
    [
        "Dont suggest rust for it anymore",
        "Never use semicolons in it.",
        "Use tabs for it from now on.",
        "Always use metric units in them.",
    ],
)
def test_an_order_about_it_is_not_given_always(text: str) -> None:
    (one,) = distil(CHAT, [replace(TURN, text=text)]).candidates
    assert not one.always and one.tier is Tier.MEDIUM


@pytest.mark.parametrize(
    "text",
    [
        "When I ask for code, always put comments in it.",
        "Never translate names, keep them as they are.",
        "Always write it in British English",
        "Don't suggest rust for my projects anymore.",
        "Don't suggest rust anymore",
        "Never put my name in it's title",
        "Use the oxford comma and never leave out spaces for it.",
        "call me bea, beata is what my mum shouts when im in trouble",
        "no more diet plans please",
        "dont write my essays for me even if i beg.",
        "pisz do mnie po polsku tylko kiedy ja piszę po polsku",
    ],
)
def test_an_order_that_names_its_thing_is_given_always(text: str) -> None:
    (one,) = distil(CHAT, [replace(TURN, text=text)]).candidates
    assert one.always


@pytest.mark.parametrize(
    "text",
    [
        "can you stop with the norwegian word of the day now, it's enough",
        "Stop with the jokes please",
        "enough with the compliments",
        "Please stop with your lists already",
    ],
)
def test_an_order_that_ends_an_earlier_one_is_given_always(text: str) -> None:
    (one,) = distil(CHAT, [replace(TURN, text=text)]).candidates
    assert one.standing and one.always


@pytest.mark.parametrize(
    "text",
    [
        "Can I stop with the antibiotics now?",
        "Can you stop with the questions?",
        "I stopped with the band",
        "stop with the tests that fail and fix the bug",
        "no more milk please",
        "no more questions please",
        "call me crazy, this is great",
        "dont write the essay for me, i want to do it",
    ],
)
def test_what_else_stops_is_no_order_for_good(text: str) -> None:
    assert not any(one.always for one in distil(CHAT, [replace(TURN, text=text)]).candidates)


def test_such_an_order_is_for_the_assistant_while_a_text_for_others_is_written() -> None:
    texts = "make me a moving checklist pls", "can you stop with the word of the day now, it's enough"
    turns = [replace(TURN, id=TURN.id + at, text=text) for at, text in enumerate(texts)]
    assert [one.always for one in distil(CHAT, turns).candidates] == [True]

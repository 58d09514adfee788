"""Statements that are retracted at once give no memory; their corrections may."""

from dataclasses import replace

import pytest

from curator.distill.rules import distil
from curator.distill.scores.chats import sentence_classifier
from curator.llm.chunks import chunks
from effort import thorough
from factories import CHAT, TURN

SAID = {
    "I've got two cats... no wait, kidding, one dog": [],
    "I've got two cats, just kidding, one dog": [],
    "I have two cats... jk, I have one dog": ["I have one dog"],
    "I live in Leeds, lol no, I moved to Bristol": ["I moved to Bristol"],
    "lol no, I moved to Bristol": ["I moved to Bristol"],
    "I live in Leeds - scratch that, I live in Bristol": ["I live in Bristol"],
    "I live in Leeds. Scratch that, I live in Bristol.": ["I live in Bristol."],
    "I have three kids. Just kidding!": [],
    "I'm allergic to nuts and I have two cats, no wait, three": ["I'm allergic to nuts"],
    "I hear with both ears... no I joke, the left one haha": [],
    "I have two cats. No I'm joking, I have one dog.": ["I have one dog."],
    "I have three kids, only joking, none": [],
    "I live in Leeds, haha no, that was a joke, I live in York": ["I live in York"],
    "I have seven cats, no joke!": ["I have seven cats, no joke!"],
    "I joke about my weight. I have two kids": ["I have two kids"],
    "My rent is 900 euros now. That's a joke!": ["My rent is 900 euros now."],
    "I'm vegan, so dinner is at six... no wait, seven": ["I'm vegan"],
    "I have seven cats, no kidding!": ["I have seven cats, no kidding!"],
    "My book is by JK Rowling, I love it": ["My book is by JK Rowling"],
}


@pytest.mark.parametrize("text", SAID)
def test_what_is_taken_back_is_refused(text: str) -> None:
    found = distil(CHAT, [replace(TURN, text=text, created_at=None)])
    assert [one.text for one in found.candidates] == SAID[text]
    assert ("retracted" in found.counts) == (
        SAID[text] != [text] and "JK" not in text and "joke a" not in text and "That's" not in text
    )


def test_a_message_takes_back_the_end_of_the_one_before() -> None:
    texts = ("My cat is old. I moved to Leeds.", "hmm. ignore that, I moved to York")
    first, second = (replace(TURN, id=TURN.id + at, text=text) for at, text in enumerate(texts))
    kept = distil(CHAT, [first, second]).candidates
    assert [one.text for one in kept] == ["My cat is old.", "I moved to York"]
    late = replace(second, created_at=(first.created_at or 0) + 7_200_000_000)
    assert len(distil(CHAT, [first, late]).candidates) == 3


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("I take warfarin every day.", "Ignore that I live in Leeds."),
        ("I'm allergic to penicillin.", "Ignore that, I asked about the moon."),
        ("Remember: I'm allergic to peanuts.", "no, ignore that, I'm busy"),
        ("I live in Leeds.", "Disregard that, my question was about the article."),
        ("I work at Bosch as a nurse in Ulm.", "Ignore that, I work nights so suggest a dinner."),
        ("I live in York.", "Scratch that, I'm moving to Leeds in May. My sister Ana lives in Bath."),
        ("I'm coeliac.", "I joke, but it is serious."),
        ("I'm allergic to nuts.", "I'm joking, but not about the nuts."),
        ("I'm allergic to penicillin and I have two kids", "Disregard that, I'm allergic to nothing but cats"),
    ],
)
def test_what_is_of_something_else_takes_nothing_back(before: str, text: str) -> None:
    alone, both = (
        [replace(TURN, id=TURN.id + at, text=one) for at, one in enumerate(texts)]
        for texts in ((before,), (before, text))
    )
    kept = distil(CHAT, both).candidates
    assert {one.text for one in distil(CHAT, alone).candidates} <= {one.text for one in kept}


@pytest.mark.parametrize(
    "text",
    [
        "Scratch that, I'm fine. We have 2 cats, haha no, jk, 3 cats. I'm allergic to penicillin.",
        "Ignore that, I moved to Rome. Lol no, kidding, I moved to Paris. I'm allergic to penicillin.",
    ],
)
def test_two_retractions_shift_no_offset(text: str) -> None:
    found = distil(CHAT, [replace(TURN, text=text)])
    assert found.candidates[-1].text == "I'm allergic to penicillin."
    assert all(one.quote == text[one.start : one.end] for one in found.candidates)


@thorough
@pytest.mark.usefixtures("classifiers")
def test_no_score_keeps_what_is_taken_back() -> None:
    messages = [replace(TURN, id=TURN.id + at, text=text, created_at=None) for at, text in enumerate(SAID)]
    found = distil(CHAT, messages, classifier=sentence_classifier()).candidates
    assert [one.text for one in found] == [text for texts in SAID.values() for text in texts]


def test_a_chat_model_is_not_shown_what_is_taken_back() -> None:
    (chunk,) = chunks([replace(TURN, text="I live in Leeds, lol no, I moved to Bristol")], 3_000)
    assert "Leeds" not in chunk.own[0].view and chunk.own[0].view.endswith("I moved to Bristol")

"""Writing tasks: the words to be written are not the person's statements, and the task is no request to remember."""

from dataclasses import replace

import pytest

from curator.distill.rules import distil
from curator.distill.scores.chats import sentence_classifier
from curator.llm.chunks import chunks
from curator.llm.validate import quoted_passage, refuse_quote
from effort import thorough
from factories import CHAT, TURN

LETTERS = [
    "Can you draft a letter to my bank: I live in Leeds. I have a mortgage.",
    "write this in German: I live in Vienna and I'm allergic to nuts",
    "Write an ad: I sell my bike, I live in Glasgow",
    "record a memo: I'm moving to Oslo",
    "Write a bio: I'm a pilot from Texas",
    "Write a story in first person: I am a nurse in Berlin",
    "Send me an email draft to Ines that says: I am allergic to delays",
    "Post on LinkedIn: I'm now a manager at Siemens",
]


@pytest.mark.parametrize("text", LETTERS)
def test_what_is_to_be_written_is_quoted(text: str) -> None:
    found = distil(CHAT, [replace(TURN, text=text)])
    assert found.candidates == () and set(found.counts) == {"quoted"}
    (chunk,) = chunks([replace(TURN, text=text)], 3_000)
    assert refuse_quote(quoted_passage(chunk.own[0], len(text) - 9, len(text))) == "quoted"


@thorough
@pytest.mark.usefixtures("classifiers")
def test_no_score_keeps_what_is_to_be_written() -> None:
    messages = [replace(TURN, id=TURN.id + at, text=text) for at, text in enumerate(LETTERS)]
    assert distil(CHAT, messages, classifier=sentence_classifier()).candidates == ()
    (asked,) = [replace(TURN, text="write it as a list of steps, my flatmate Priya is cooking, she's coeliac")]
    (one,) = distil(CHAT, [asked], classifier=sentence_classifier()).candidates
    assert not one.always and one.text == "My flatmate Priya is cooking, she's coeliac"


@pytest.mark.parametrize(
    ("text", "kept", "always"),
    [
        ("Write down that I'm vegan", "I'm vegan", True),
        ("put on record that I'm vegan", "I'm vegan", True),
        ("write this down: I'm vegan", "I'm vegan", True),
        ("Make a note: I'm vegan", "I'm vegan", True),
        ("Write in your notes that I'm vegan", "I'm vegan", True),
        ("write a note to yourself: I'm vegan", "I'm vegan", True),
        (
            "write a list, my flatmate Priya is cooking, she's coeliac",
            "My flatmate Priya is cooking, she's coeliac",
            False,
        ),
        ("Write it short, my aunt Lucy is reading it", "", False),
        ("Write me a meal plan: I'm vegan", "I'm vegan", False),
        ("Write me a workout plan, I have bad knees", "I have bad knees", False),
        ("Tell me: I'm vegan, what can I eat in Rome?", "I'm vegan", False),
    ],
)
def test_other_requests_are_as_they_were(text: str, kept: str, always: bool) -> None:
    found = [(one.text, one.always) for one in distil(CHAT, [replace(TURN, text=text)]).candidates]
    assert found == ([(kept, bool(always))] if kept else [])

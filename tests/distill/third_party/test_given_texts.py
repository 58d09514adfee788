"""Letters that the person gives the assistant to summarise, translate or answer: what they say is their author's."""

from dataclasses import replace

import pytest

from curator.distill.rules import distil
from factories import CHAT, TURN


def kept_texts(text: str) -> list[str]:
    return [one.text for one in distil(CHAT, [replace(TURN, text=text)]).candidates]


@pytest.mark.parametrize(
    "text",
    [
        "summarise this email: Hi Ines, I am Bjarne from unit 4. I have a peanut allergy and I work nights as a nurse."
        " Please keep the stairwell quiet before noon. Best, Bjarne",
        "Translate this email to Dutch: Hi Kari, I have a peanut allergy. I work as a nurse. Best, Jo",
        "can you reply to this message: Dear neighbours, I'm diabetic. I live in 4B. Always ring twice. Yours, Lars",
        "what does this mean: Dear tenant, I have two kids and am allergic to cats. I live in Rome. Regards, Jo Smith",
        "summarise this message: I am a nurse in unit 4. I have two kids. I am allergic to cats.",
        "tl;dr: Hi Ines, I am Bjarne from unit 4. I have a peanut allergy. Best, Bjarne",
        "can you summarise this mail from my landlord: I am away until May. I live in Spain now.",
        "summarise this email for me please\nHi Ines, I am Bjarne from unit 4. I have a peanut allergy.\nBest, Bjarne",
        "summarise this email: Hi Ines, I am Bjarne.\nI work nights as a nurse.\n\nKind regards\nBjarne Moe",
        "explain this letter: Hello Ines, I have asthma. I live above you. Many thanks, Bjarne",
    ],
)
def test_a_letter_that_is_given_is_its_authors(text: str) -> None:
    assert kept_texts(text) == []


@pytest.mark.parametrize("end", ["", "\nKind regards\nBjarne Moe"])
def test_what_follows_such_a_letter_is_the_persons(end: str) -> None:
    text = f"summarise this email: Hi Ines, I work nights as a nurse. Best, Bjarne{end}"
    assert kept_texts(f"{text}\nI live in Bergen and I have asthma.") == ["I live in Bergen", "I have asthma."]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("explain this to me: I'm diabetic. I take metformin.", ["I'm diabetic.", "I take metformin."]),
        ("explain this: hello, I have asthma. Thanks, Ines", ["I have asthma."]),
        ("make this friendlier: Hi Bjarne, I have a peanut allergy. Best, Ines", ["I have a peanut allergy."]),
        ("Hi Claude, what does this mean for me: I have asthma.", ["I have asthma."]),
        ("Hi, I am coeliac. Thanks, Ines", ["I am coeliac."]),
        ("I live in Bergen. Summarise this: the meeting is at nine.", ["I live in Bergen."]),
        ("Summarise this note for the restaurant: I'm allergic to shellfish.", ["I'm allergic to shellfish."]),
        (
            "Reply to this email: Dear Sam, I'm deaf. Best regards, Ann. I am vegan by the way.",
            ["I am vegan"],
        ),
        (
            "Answer this question: I'm pregnant and have asthma, can I run?",
            ["Answer this question: I'm pregnant and have asthma"],
        ),
    ],
)
def test_what_the_person_says_is_no_letter(text: str, kept: list[str]) -> None:
    assert kept_texts(text) == kept


_LETTER = (
    "Dear Dr Whitaker, I have had severe migraines since I was twelve and I take sumatriptan. I live with my partner in"
    " Hull. I am deaf."
)


@pytest.mark.parametrize(
    "text",
    [
        f"can you proofread this for Callum?\n\n{_LETTER} Best wishes, Callum",
        f"can you proofread this for callum?\n\n{_LETTER}\n\nBest wishes,\nCallum Reid",
        f"check this letter for Ann please: {_LETTER} Yours, Ann",
        f"could you look over Callum's email?\n{_LETTER} Kind regards, Callum",
        f"Callum wants me to shorten this. {_LETTER} Kind regards, Callum",
        f"can you proofread this for Callum\n\n{_LETTER}\n\nI am vegan.",
        "proofread this for Callum: I live in Swansea with my wife. I have asthma.",
    ],
)
def test_a_text_for_somebody_named_is_theirs(text: str) -> None:
    assert kept_texts(text) == []


@pytest.mark.parametrize(
    "text",
    [
        f"can you proofread this?\n\n{_LETTER} Best wishes, Callum",
        f"can you proofread this for Ann?\n\n{_LETTER} Best wishes, Callum",
        f"can you proofread this, I'm Callum\n\n{_LETTER} Best wishes, Callum",
        "can you proofread this for Callum?\n\nHi Callum, I live with my partner in Hull.",
        "can you book this for Callum? I live with my partner in Hull.",
        "can you proofread this for Callum? I'll send it later.\n\nI live with my partner in Hull.",
    ],
)
def test_a_letter_to_somebody_named_is_the_persons(text: str) -> None:
    assert any("I live with my partner in Hull" in one for one in kept_texts(text))


def test_what_is_said_of_somebody_whose_text_is_checked_is_kept() -> None:
    assert kept_texts("check this menu for Callum: he's allergic to nuts, my brother.") != []
    text = f"can you proofread this for Callum?\n\n{_LETTER} Best wishes, Callum\n\nI live in Bergen."
    assert kept_texts(text) == ["I live in Bergen."]


ANOTHERS = "I always bake it at 220 degrees. I am allergic to nuts and I live in Spain now. My office is in Leeds."


@pytest.mark.parametrize(
    "line",
    [
        "Here a recipe my sister-in-law sends:",
        "here the mail of the school:",
        "the message from my landlord:",
        "Message of my boss:",
        "hey, this is the recipe of my grandmother:",
        "A post my cousin shared on facebook:",
        "Review from a guest:",
        "Anna's answer:",
        "From my sister:",
        "Text from a customer, what do I answer?",
    ],
)
@pytest.mark.parametrize("gap", ["\n", "\n\n300 g flour\n"])
def test_what_stands_below_an_announcement_without_a_verb_is_of_somebody_else(line: str, gap: str) -> None:
    assert kept_texts(f"{line}{gap}{ANOTHERS}\n\nhow many carbs per slice?") == []
    assert kept_texts(f"{line}{gap}{ANOTHERS}\ncan you answer in French?\n\nthanks") == []
    assert kept_texts(f"{line}{gap}{ANOTHERS}\n\nI am coeliac, what can I replace?") == ["I am coeliac"]
    assert kept_texts(f"{line}{gap}{ANOTHERS}\n\nI live in Rome.") == ["I live in Rome."]


@pytest.mark.parametrize(
    "line",
    [
        "Some facts about me:",
        "Here my details:",
        "here a text I wrote:",
        "from my notes:",
        "notes from my doctor:",
        "what my doctor knows:",
        "My profile:",
    ],
)
def test_what_stands_below_the_persons_own_announcement_is_theirs(line: str) -> None:
    assert kept_texts(f"{line}\nI live in Rome. I have asthma.") == ["I live in Rome.", "I have asthma."]


def test_what_follows_an_announcement_in_its_line_is_of_somebody_else() -> None:
    assert kept_texts("here the message from my landlord: I live in Spain now. I have two dogs.") == []


def test_the_persons_last_paragraph_below_somebody_elses_text_is_theirs() -> None:
    said = (
        "The letter from the school:\nDear parents, come on Monday.\n\nMy son Tom is allergic to nuts. I have asthma."
    )
    assert kept_texts(said) == ["My son Tom is allergic to nuts.", "I have asthma."]
    said = "Here's the message from my landlord:\nRent is due.\n\nI live at 5 Oak Street. Write a reply please"
    assert kept_texts(said) == ["I live at 5 Oak Street."]

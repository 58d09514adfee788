"""A model's merged text is accepted only if it adds nothing and drops nothing essential."""

import pytest
from scripted_chat import SAID_AT, asker, items

from curator.llm.judge import DatedText
from curator.llm.merge import SYSTEM, fault, merge
from curator.models import BadReply, ServerFailed

CATS = ["I have two cats, Tom and Mia.", "My cats are 4 years old."]
TWO = [DatedText(text, SAID_AT) for text in CATS]
GOOD = "I have two cats, Tom and Mia, who are 4 years old."
ELSE = "it says something else than the statements"
HOMES = ["I live in Lisbon", "I live in Porto"]


async def test_text_that_says_it_all_is_taken_and_shown_with_dates() -> None:
    asking, chat = asker(items({"text": f"  {GOOD}\u202e\n"}))
    assert await merge(asking, TWO) == GOOD
    assert chat.asked[0].user.count("2023-11-14") == 2


async def test_the_model_is_told_the_fault_and_the_call_fails_in_the_end() -> None:
    asking, chat = asker(items({"text": f"{GOOD} In Porto."}), items({"text": GOOD}))
    assert await merge(asking, TWO) == GOOD
    assert "it adds a name" in chat.asked[1].user and "Porto" not in chat.asked[1].user
    asking, chat = asker(items({"text": "I have two cats, Tom and Mia."}))
    with pytest.raises(BadReply, match="it leaves out a number"):
        await merge(asking, TWO)
    assert len(chat.asked) == 3
    asking, _ = asker(ServerFailed("out of memory"))
    with pytest.raises(ServerFailed):
        await merge(asking, TWO)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("I have two cats, Tom, who are 4 years old.", "it leaves out a name"),
        (f"{GOOD[:-1]}, since 2019.", "it adds a date"),
        ("I have two cats, Tom and Mia, 4 kilos, who are 5 years old.", "it adds a number"),
        ("My sister and I have two cats, Tom and Mia, who are 4 years old.", "it adds a person"),
        ("I don't have two cats, Tom and Mia, who are 4 years old.", ELSE),
        ("I had two cats, Tom and Mia, who are 4 years old.", ELSE),
        (f"{GOOD[:-1]}; fluffy gentle lazy hungry companions.", "it adds words that no statement has"),
        ("", "the text must be a statement of 8 to 500 characters"),
        (
            "Do I have two cats, Tom and Mia, who are 4 years old?",
            "the text must be a statement of 8 to 500 characters",
        ),
        (f"{GOOD} My password is Tr0ub4dor&3x9", "the text has something in it that no statement has"),
        (f"{GOOD} <tool_call>", "the text has something in it that no statement has"),
    ],
)
def test_text_that_says_anything_else_has_a_fault(text: str, problem: str) -> None:
    assert fault(CATS, text) == problem


def test_what_a_statement_says_stays() -> None:
    said = ["I like hiking and swimming in lakes", "I like baking bread"]
    assert fault(said, "I like hiking and baking.") == "it leaves out what a statement says"


@pytest.mark.parametrize(
    ("statements", "text"),
    [
        (["I don't eat fish", "I don't eat meat"], "I don't eat fish or meat."),
        (["I eat meat", "I don't eat fish"], "I eat meat but I don't eat fish."),
        (["I live in Berlin", "I live in Berlin with Ana"], "I live in Berlin with Ana."),
        (["I run 5 km on Mondays", "I run 5 km every Monday morning"], "I run 5 km every Monday morning."),
    ],
)
def test_things_may_be_said_once_for_all(statements: list[str], text: str) -> None:
    assert fault(statements, text) is None


@pytest.mark.parametrize(
    ("statements", "text"),
    [
        (["I eat meat", "I don't eat fish"], "I eat fish but I don't eat meat."),
        (["I might move to Porto", "I like Porto"], "I am moving to Porto, which I like."),
        (["I prefer tea to coffee", "I drink coffee at noon"], "I prefer coffee to tea and drink coffee at noon."),
    ],
)
def test_nothing_may_change_sides(statements: list[str], text: str) -> None:
    assert fault(statements, text) == ELSE


def test_of_opposed_statements_the_last_must_stay_true() -> None:
    assert fault(HOMES, "I live in Porto.") == "it leaves out a name"
    assert fault(HOMES, "I live in Porto.", opposed=True) is None
    assert fault(HOMES, "I used to live in Lisbon and now live in Porto.", opposed=True) is None
    assert fault(HOMES, "I used to live in Porto and now live in Lisbon.", opposed=True) == ELSE
    both = "it says what the last statement replaces"
    assert fault(HOMES, "I live in Porto; I live in Lisbon.", opposed=True) == both
    assert fault(HOMES, "I live in Lisbon and I live in Porto.", opposed=True) == both
    assert fault(HOMES, "I live in Lisbon.", opposed=True) == "it leaves out a name"
    assert fault(HOMES, "I moved from Lisbon to Porto in 2024.", opposed=True) == "it adds a date"
    assert fault(["I don't eat meat", "I eat meat again"], "I don't eat meat.", opposed=True) == ELSE


async def test_what_cannot_be_checked_is_not_asked() -> None:
    asking, chat = asker(items({"text": GOOD}))
    with pytest.raises(ValueError, match="2 to 8 memories, these are 10"):
        await merge(asking, TWO * 5)
    with pytest.raises(ValueError, match="English"):
        await merge(asking, [DatedText("Ich esse kein Fleisch"), DatedText("Ich trinke keinen Wein")])
    assert chat.asked == []


def test_the_prompt_is_short() -> None:
    assert len(SYSTEM) / 4 < 300

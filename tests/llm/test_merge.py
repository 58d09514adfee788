import pytest
from scripted_chat import asker, items

from curator.llm.judge import Statement
from curator.llm.merge import Merged, merge, wrong
from curator.models.errors import Offline, ServerFailed

TWO = [Statement("I have two cats, Tom and Mia."), Statement("My cats are 4 years old.")]
GOOD = "I have two cats, Tom and Mia, who are 4 years old."
DRAFT = "I have two cats, Tom and Mia. My cats are 4 years old."


async def test_text_that_says_it_all_is_the_models() -> None:
    asking, _ = asker(items({"text": GOOD}))
    assert await merge(asking, TWO, DRAFT) == Merged(GOOD, "merge/1")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("I have two cats, Tom and Mia.", "it leaves out a number"),
        ("I have two cats, Tom, who are 4 years old.", "it leaves out a name"),
        ("I have two cats, Tom and Mia, who are 4 years old, in Porto.", "it adds a name"),
        ("I have two cats, Tom and Mia, who are 4 years old, since 2019.", "it adds a date"),
        ("I have two cats, Tom and Mia, 4 kilos, who are 5 years old.", "it adds a number"),
        ("I don't have two cats, Tom and Mia, who are 4 years old.", "it says the opposite of a statement"),
        ("Two: Tom, Mia, 4.", "it leaves out a unit"),
        (
            "I have two cats, Tom and Mia, 4 years old; fluffy gentle lazy hungry companions.",
            "it adds words that no statement has",
        ),
        ("", "the text must have 1 to 500 characters"),
        ("I have two cats. " * 40, "the text must have 1 to 500 characters"),
        (f"{GOOD} My password is Tr0ub4dor&3x9", "the text has something in it that no statement has"),
        (f"{GOOD} <tool_call>", "the text has something in it that no statement has"),
    ],
)
async def test_text_that_says_anything_else_gives_way_to_the_rules(text: str, problem: str) -> None:
    asking, chat = asker(items({"text": text}))
    found = await merge(asking, TWO, DRAFT)
    assert (found.text, found.by) == (DRAFT, "rules")
    assert problem in found.problem
    assert len(chat.asked) == 3
    assert problem in chat.asked[1].user


async def test_failed_call_gives_way_to_the_rules_and_a_server_that_is_away_does_not() -> None:
    asking, _ = asker(ServerFailed("out of memory"))
    assert await merge(asking, TWO, DRAFT) == Merged(DRAFT, "rules", "tiny:1b: out of memory")
    asking, _ = asker(Offline("gone"))
    with pytest.raises(Offline):
        await merge(asking, TWO, DRAFT)


async def test_too_many_are_not_asked_about() -> None:
    asking, chat = asker(items({"text": GOOD}))
    assert (await merge(asking, TWO * 5, DRAFT)).by == "rules"
    assert chat.asked == []


@pytest.mark.parametrize(
    ("statements", "text"),
    [
        (["I don't eat fish", "I don't eat meat"], "I don't eat fish or meat."),
        (["I eat meat", "I don't eat fish"], "I eat meat but I don't eat fish."),
        (["I live in Berlin", "I live in Berlin with Ana"], "I live in Berlin with Ana."),
    ],
)
def test_negation_may_be_said_once_for_several(statements: list[str], text: str) -> None:
    assert wrong(statements, text) is None


def test_negation_may_not_change_sides() -> None:
    assert wrong(["I eat meat", "I don't eat fish"], "I eat fish but I don't eat meat.")

import pytest
from scripted_chat import SAID_AT, asker, items

from curator.llm.judge import SYSTEM, DatedText, judge
from curator.models import BadReply
from store.model import Relation

A = DatedText("I live in Berlin", SAID_AT - 10**14)
B = DatedText("I live in Porto now", SAID_AT)


def opinion(relation: str, confidence: str = "high", difference: str = "Berlin then, Porto later") -> str:
    return items({"difference": difference, "relation": relation, "confidence": confidence})


async def test_opinion_that_would_be_acted_on_is_asked_for_in_both_orders() -> None:
    asking, chat = asker(opinion("Update"), opinion("update"))
    found = await judge(asking, A, B)
    assert (found.relation, found.reasons) == (Relation.UPDATE, ("Berlin then, Porto later",))
    first, second = (one.user for one in chat.asked)
    assert first.index("Berlin") < first.index("Porto")
    assert second.index("Porto") < second.index("Berlin")
    assert "2020-09-" in first and "2023-11-14" in first


@pytest.mark.parametrize("relation", ["coexist", "unrelated", "unsure"])
async def test_opinion_that_changes_nothing_is_asked_for_once(relation: str) -> None:
    asking, chat = asker(opinion(relation))
    assert (await judge(asking, A, B)).relation == relation
    assert len(chat.asked) == 1


async def test_two_answers_are_no_opinion() -> None:
    asking, _ = asker(opinion("update"), opinion("coexist"))
    found = await judge(asking, A, B)
    assert found.relation is Relation.UNSURE
    assert found.reasons[0] == "update in one order, coexist in the other"


async def test_low_confidence_is_no_opinion() -> None:
    asking, _ = asker(opinion("contradiction", "low"))
    assert (await judge(asking, A, B)).relation is Relation.UNSURE


async def test_different_numbers_and_names_are_no_duplicates() -> None:
    asking, _ = asker(opinion("duplicate", difference="none"))
    found = await judge(asking, DatedText("I run 5 km"), DatedText("I run 10 km"))
    assert found.relation is Relation.UNSURE
    assert "number: 5 / 10" in found.reasons
    assert (await judge(asking, DatedText("I like tea a lot"), DatedText("I love tea"))).relation is Relation.DUPLICATE


async def test_words_of_the_model_are_shortened_and_hold_no_secret() -> None:
    asking, _ = asker(opinion("coexist", difference="my password is Tr0ub4dor&3x9\n\u202e" + "long " * 200))
    (reason,) = (await judge(asking, A, B)).reasons
    assert "Tr0ub4dor" not in reason and "\n" not in reason and "\u202e" not in reason and len(reason) <= 200


@pytest.mark.parametrize("answer", [items(), opinion("maybe"), '{"items": [{}, {}]}'])
async def test_anything_but_one_opinion_is_a_bad_reply(answer: str) -> None:
    asking, chat = asker(answer)
    with pytest.raises(BadReply):
        await judge(asking, A, B)
    assert len(chat.asked) == 3


def test_the_prompt_is_short() -> None:
    assert len(SYSTEM) / 4 < 600

from dataclasses import replace

import pytest
from scripted_chat import Kept, asker

from curator.llm.client import key_of
from curator.models import BadReply, CutShort, Offline, Question, ServerFailed, TimedOut, TooLong

ASKED = Question("rules", "data", {"type": "object"}, 100)


def number(text: str) -> int:
    """Parse a number; raise BadReply for anything else."""
    if not text.isdigit():
        raise BadReply("it was no number")
    return int(text)


async def test_good_answer_is_kept_and_not_asked_for_again() -> None:
    kept = Kept()
    asking, chat = asker("7", kept=kept)
    assert await asking.ask("count/1", ASKED, number) == 7
    assert await asking.ask("count/1", ASKED, number) == 7
    assert len(chat.asked) == 1
    assert list(kept.known.values()) == [("count/1", "tiny:1b@0123456789ab", "7")]


async def test_bad_answer_is_asked_for_again_with_the_reason_then_warmer() -> None:
    kept = Kept()
    asking, chat = asker("seven", "still seven", "7", kept=kept)
    assert await asking.ask("count/1", ASKED, number) == 7
    first, second, third = chat.asked
    assert first == ASKED
    assert (second.temperature, second.seed) == (0.0, 0)
    assert "it was no number" in second.user and "seven" not in second.user
    assert (third.temperature, third.seed) == (0.2, 1)
    assert list(kept.known) == [key_of("count/1", chat.model.digest, ASKED)]


async def test_the_last_of_two_attempts_is_warmer_too() -> None:
    asking, chat = asker("seven", "7")
    assert await asking.ask("count/1", ASKED, number, tries=2) == 7
    assert [(one.temperature, one.seed) for one in chat.asked] == [(0.0, 0), (0.2, 1)]


async def test_after_two_retries_the_last_failure_comes_out_with_its_reply() -> None:
    kept = Kept()
    asking, chat = asker("one", "two", "three", kept=kept)
    with pytest.raises(BadReply) as failed:
        await asking.ask("count/1", ASKED, number)
    assert failed.value.reply == "three"
    assert len(chat.asked) == 3
    assert kept.known == {}


@pytest.mark.parametrize(
    "error", [ServerFailed("out of memory"), TimedOut("no word"), CutShort("cut", "12"), BadReply("no end")]
)
async def test_failed_call_is_tried_again(error: Exception) -> None:
    asking, chat = asker(error, "7")
    assert await asking.ask("count/1", ASKED, number) == 7
    assert chat.asked[1] == ASKED  # the server's error message is not sent to the model


@pytest.mark.parametrize("error", [Offline("gone"), TooLong("too long")])
async def test_what_trying_again_does_not_help_comes_out_at_once(error: Exception) -> None:
    asking, chat = asker(error)
    with pytest.raises(type(error)):
        await asking.ask("count/1", ASKED, number)
    assert len(chat.asked) == 1


@pytest.mark.parametrize("error", [CutShort("cut"), TimedOut("slow")])
async def test_asker_that_can_ask_for_less_is_told_at_once(error: Exception) -> None:
    asking, chat = asker(error)
    with pytest.raises(type(error)):
        await asking.ask("count/1", ASKED, number, splits=True)
    assert len(chat.asked) == 1


async def test_kept_answer_that_is_good_no_longer_is_asked_for_anew() -> None:
    kept = Kept()
    asking, chat = asker("7", kept=kept)
    kept.put(key_of("count/1", chat.model.digest, ASKED), "count/1", "", "seven")
    assert await asking.ask("count/1", ASKED, number) == 7


def test_key_differs_with_everything_that_may_change_the_answer() -> None:
    others = [
        replace(ASKED, system="x"),
        replace(ASKED, user="x"),
        replace(ASKED, schema={}),
        replace(ASKED, limit=1),
        replace(ASKED, temperature=0.2),
        replace(ASKED, seed=1),
    ]
    keys = {key_of("a/1", "d", one) for one in [ASKED, *others]} | {
        key_of("a/2", "d", ASKED),
        key_of("a/1", "e", ASKED),
    }
    assert len(keys) == 9
    assert key_of("a/1", "d", replace(ASKED, user="\ud800"))

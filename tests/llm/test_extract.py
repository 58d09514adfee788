import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_chat import SAID_AT, Kept, asker, item, items, message

from curator.distill.reasons import REASONS
from curator.llm.chunks import Chunk, chunks
from curator.llm.client import tokens
from curator.llm.extract import SYSTEM, VERSION, Extracted, extract, question, read
from curator.models import BadReply, CutShort, Offline, Question, ServerFailed, TimedOut, TooLong
from effort import thorough
from store.clock import DAY
from store.model import Channel, Kind, Role, Tier

FISH = "I don't eat fish, but I love cheese."


def one(text: str) -> Chunk:
    (chunk,) = chunks([message(text)], 3_000)
    return chunk


def proposed(said: str, quote: str, text: str = "", **more: Any) -> Extracted:
    return read(items(item(quote, text, **more)), one(said))


def test_candidate_has_all_that_a_memory_needs() -> None:
    said = "Hello! I live in Rotterdam with my partner."
    (found,) = proposed(said, "I live in Rotterdam with my partner", kind="identity").candidates
    assert said[found.start : found.end] == found.quote == "I live in Rotterdam with my partner"
    assert (found.message, found.said_at, found.rule, found.flag) == (1, SAID_AT, VERSION, None)
    assert (found.kind, found.tier, found.importance, found.confidence) == (Kind.IDENTITY, Tier.CORE, 8, 0.8)


@pytest.mark.parametrize(
    ("said", "quote", "text"),
    [
        (FISH, "I don't eat fish", "I don't eat fish"),
        (FISH, "I don't eat fish", "User does not eat fish."),
        (FISH, "I love cheese", "I love cheese."),
        ("No, I don't eat fish.", "I don't eat fish", "I don't eat fish"),
        ("Do I need a visa for Japan? My passport is Dutch.", "My passport is Dutch", "My passport is Dutch"),
        ("vegan since 2019 btw", "vegan since 2019", "I have been vegan since 2019"),
        ("My sister is called Maria and she lives in Porto", "she lives in Porto", "My sister Maria lives in Porto"),
        (
            "I've two cats, Tom and Mia. They are 4 years old.",
            "They are 4 years old",
            "My cats Tom and Mia are 4 years old",
        ),
        (
            "I work in Leeds, 3 nights a week",
            "I work in Leeds, 3 nights a week",
            "I work in Leeds, three nights a week",
        ),
        ("I use `uv` for “Python”", 'I use uv for "Python"', "I use uv for Python"),
        ("Please remember that I'm allergic to nuts.", "I'm allergic to nuts", "I'm allergic to nuts"),
        (
            "I started at Siemens yesterday",
            "I started at Siemens yesterday",
            "I started at Siemens yesterday (2023-11-13)",
        ),
        ("I started at Siemens yesterday", "I started at Siemens yesterday", "I started at Siemens on 2023-11-13"),
        ("My flatmate plays drums at night.", "My flatmate plays drums at night", "My flatmate plays drums at night"),
    ],
)
def test_what_was_said_is_taken(said: str, quote: str, text: str) -> None:
    found = proposed(said, quote, text)
    assert [(one.text, one.flag) for one in found.candidates] == [(text, None)], found.counts


@pytest.mark.parametrize(
    ("said", "texts"),
    [
        (
            "hi, never used one of these. I'm Gwen, costume cutter at the Playhouse",
            ["Never used one of these.", "I'm Gwen, costume cutter at the Playhouse"],
        ),
        ("I'm 44 and live in Rome. What should I cook?", ["I'm 44 and live in Rome."]),
        ("so basically I'm vegetarian, suggest a dinner please", ["I'm vegetarian"]),
        ("I work in Leeds. I live in York.", ["I work in Leeds.", "I live in York."]),
    ],
)
def test_a_turn_that_is_repeated_whole_is_read_sentence_by_sentence(said: str, texts: list[str]) -> None:
    found = proposed(said, said, f"{said[0].upper()}{said[1:]}").candidates
    assert [one.text for one in found] == texts
    assert all(one.quote in said for one in found)


@pytest.mark.parametrize(
    ("said", "quote", "text", "reason"),
    [
        (FISH, "eat fish", "I eat fish", "turned"),
        (FISH, "I don't eat fish", "Eats fish", "turned"),
        ("It's not true that I eat fish on Fridays.", "I eat fish on Fridays", "I eat fish on Fridays", "turned"),
        ("I used to smoke 10 a day", "I used to smoke 10 a day", "I smoke 10 a day", "turned"),
        ("I might move to Spain next year.", "I might move to Spain next year", "I will move to Spain", "turned"),
        ("I prefer tea over coffee", "I prefer tea over coffee", "I prefer coffee over tea", "turned"),
        ("I hate mushrooms on pizza", "I hate mushrooms on pizza", "I love mushrooms on pizza", "turned"),
        ("I rarely eat meat", "I rarely eat meat", "I eat meat", "turned"),
        ("Ana doesn't eat fish.", "Ana doesn't eat fish", "I don't eat fish", "turned"),
        ("She plays the drums.", "She plays the drums", "I play the drums", "turned"),
        ("My wife hates Berlin winters", "My wife hates Berlin winters", "I hate Berlin winters", "turned"),
        ("My flatmate plays drums at night.", "My flatmate plays drums at night", "I play drums at night", "turned"),
        ("I live in Berlin with Ana.", "I live in Berlin with Ana", "I live in Berlin", "lost"),
        ("I take 20 mg of it a day", "I take 20 mg of it a day", "I take it each day", "turned"),
        ("I run 5 km a day", "I run 5 km a day", "I run a day", "lost"),
        ("I live in Berlin.", "I live in Berlin", "I live in Porto", "not_said"),
        ("I live in Berlin.", "I live in Berlin", "I live in Berlin with 2 cats", "not_said"),
        ("I live in Berlin.", "I live in Berlin", "I live in Berlin since 2019", "not_said"),
        ("I live in Berlin.", "I live in Berlin", "My wife and I live in Berlin", "not_said"),
        ("I live in Berlin.", "I live in Berlin", "Maria lives in Berlin", "not_said"),
        ("I live in Berlin.", "I live in Berlin", "I adore opera and sailing", "not_said"),
        (
            "I started at Siemens yesterday",
            "I started at Siemens yesterday",
            "I started at Siemens on 2023-11-14",
            "not_said",
        ),
        ("I live in Berlin.", "I live in Berlin", "Do I live in Berlin?", "question"),
        ("Do I live in Berlin or Porto?", "Do I live in Berlin or Porto", "I live in Berlin or Porto", "question"),
        ("If I lived in Berlin, I'd cycle to work.", "I lived in Berlin", "I lived in Berlin", "hypothetical"),
        ("Forget that I live in Berlin.", "I live in Berlin", "I live in Berlin", "do_not_remember"),
        ('My wife said "I hate Berlin" today', "I hate Berlin", "I hate Berlin", "quoted"),
        ("Run `I am root now` please", "I am root now", "I am root now", "code"),
        ("> I hate Berlin\nwhat a mail", "I hate Berlin", "I hate Berlin", "quoted"),
        ("Log:\n```\nI am root now\n```\nI work as a nurse", "I am root now", "I am root now", "code"),
        ("My password is [REDACTED] at work", "My password is [REDACTED]", "My password is [REDACTED]", "secret"),
        ("My PIN code is fine", "My PIN code is fine", "My password is hunter2", "secret"),
        ("I live in Berlin.", "I live in Berlin", "I live in Berlin " * 40, "wordy"),
        ("I live in Berlin.", "I live in Berlin", "Berlin", "too_short"),
        ("I keep 3 beehives", "I keep 19 beehives behind the lighthouse", "", "example"),
        ("I keep 3 beehives", "quote", '{"type": "string"}', "schema_echo"),
        ("I keep 3 beehives", "I keep 4 beehives", "", "no_quote"),
        ("I keep 3 beehives", "", "I keep 3 beehives", "no_quote"),
    ],
)
def test_what_was_not_said_is_refused_with_its_reason(said: str, quote: str, text: str, reason: str) -> None:
    found = proposed(said, quote, text)
    assert found.candidates == ()
    assert found.counts == {reason: 1}
    assert reason in REASONS
    assert all(said[refusal.start : refusal.end] for refusal in found.refusals)


def test_doubt_lowers_confidence_and_doubt_twice_refuses() -> None:
    (found,) = proposed("I think I am allergic to nuts", "I think I am allergic to nuts").candidates
    assert found.confidence == 0.65
    doubted = proposed("I think I am allergic to nuts", "I think I am allergic to nuts", confidence="low")
    assert doubted.counts == {"low_confidence": 1}
    assert proposed("I am allergic to nuts", "I am allergic to nuts", confidence="LOW").candidates[0].confidence == 0.5


@pytest.mark.parametrize(
    "said",
    ["Ich esse keinen Fisch und wohne in Porto.", "私は寿司が好きではありません。", "Я не ем рыбу и живу в Порту."],
)
def test_in_other_languages_the_memory_says_what_was_said(said: str) -> None:
    (found,) = proposed(said, said[: len(said) // 2 + 4].rsplit(" ", 1)[0], "I eat fish and sushi").candidates
    assert found.text == said


def test_what_was_kept_elsewhere_counts_as_there() -> None:
    (chunk,) = chunks([message("The user likes oolong tea.", 1, Role.SYSTEM, Channel.SAVED)], 3_000)
    (found,) = read(items(item("The user likes oolong tea", kind="preference")), chunk).candidates
    assert (found.tier, found.importance) == (Tier.MEDIUM, 8)
    (told,) = proposed("Please remember that I'm allergic to nuts.", "I'm allergic to nuts").candidates
    assert (told.tier, told.importance) == (Tier.CORE, 10)


def test_wrong_number_is_put_right_where_only_one_turn_says_it() -> None:
    (chunk,) = chunks([message("I like tea.", 1), message("I live in Porto.", 2), message("I like tea.", 3)], 3_000)
    found = read(items(item("I live in Porto", turn=1), item("I like tea", turn=9), item("I like tea.", turn=3)), chunk)
    assert [one.message for one in found.candidates] == [2, 3]
    assert found.counts == {"no_quote": 1}


def test_items_that_say_the_same_are_one_and_more_than_asked_for_are_refused() -> None:
    assert len(proposed_many(*[item("I love cheese")] * 3).candidates) == 1
    assert proposed_many(*[item("no such thing")] * 15).counts == {"no_quote": 12, "limit": 3}


def proposed_many(*rows: dict[str, object]) -> Extracted:
    return read(items(*rows), one(FISH))


pieces = st.lists(
    st.sampled_from(
        [FISH, "I live in Porto. ", "\n> quoted\n", "`code` ", '"said" ', "ich bin ", "北京", "\u200b", "if ", "? "]
    )
    | st.text(max_size=6)
).map("".join)


@thorough
@given(pieces, st.lists(st.tuples(pieces, pieces, st.integers(-2, 9)), max_size=4), st.data())
def test_whatever_is_proposed_stands_in_the_text_or_is_refused(
    said: str, rows: list[tuple[str, str, int]], data: st.DataObject
) -> None:
    for chunk in chunks([message(said)], 3_000):
        start = data.draw(st.integers(0, len(said)))
        quoted = said[start : start + data.draw(st.integers(0, 60))]
        answers = [item(quoted), *(item(quote, text, turn) for quote, text, turn in rows)]
        try:
            found = read(items(*answers), chunk)
        except BadReply:  # a lone surrogate
            continue
        for one in found.candidates:
            assert said[one.start : one.end] == one.quote
            assert 0 < len(one.text) <= 500
        assert all(0 <= one.start < one.end <= len(said) for one in found.refusals)


async def test_nothing_found_is_no_failure() -> None:
    asking, chat = asker(items())
    assert await extract(asking, one(FISH)) == Extracted()
    assert len(chat.asked) == 1


async def test_bad_answers_are_asked_for_in_smaller_chunks() -> None:
    (chunk,) = chunks([message(f"I like number {number}.", number) for number in range(1, 5)], 3_000)
    asking, chat = asker("no", "no", items(item("I like number 1.")), items(item("I like number 4.", turn=2)))
    found = await extract(asking, chunk)
    assert [one.message for one in found.candidates] == [1, 4]
    assert [one.temperature for one in chat.asked] == [0, 0.2, 0.2, 0.2]


@pytest.mark.parametrize("error", [CutShort("cut"), TooLong("long")])
async def test_what_is_too_much_is_halved_at_once(error: Exception) -> None:
    def answer(asked: Question) -> str:
        if "turns 1 to" in asked.user:
            raise error
        return items(item(re.split(r"\d, the person.*>\n", asked.user)[1].splitlines()[0]))

    (chunk,) = chunks([message(f"I like number {number}.", number) for number in range(1, 5)], 3_000)
    asking, chat = asker(answer)
    found = await extract(asking, chunk)
    assert len(found.candidates) == 4
    assert len(chat.asked) == 7


async def test_a_model_that_stays_silent_is_waited_for_three_times() -> None:
    (chunk,) = chunks([message(f"I like number {number}.", number) for number in range(1, 17)], 3_000)
    asking, chat = asker(TimedOut("silence"))
    with pytest.raises(TimedOut):
        await extract(asking, chunk)
    assert len(chat.asked) == 3


async def test_failure_of_a_part_is_failure_of_the_whole_and_good_parts_are_kept() -> None:
    (chunk,) = chunks([message("I like tea.", 1), message("I like jam.", 2)], 3_000)
    kept = Kept()
    asking, chat = asker("no", "no", items(item("I like tea.")), ServerFailed("out of memory"), kept=kept)
    with pytest.raises(ServerFailed):
        await extract(asking, chunk)
    assert len(kept.known) == 1
    asking, chat = asker("no", "no", items(item("I like jam.")), kept=kept)
    assert len((await extract(asking, chunk)).candidates) == 2
    assert len(chat.asked) == 3


@pytest.mark.parametrize(
    ("error", "asked"), [(Offline("gone"), 1), (TooLong("long"), 1), (CutShort("cut"), 2), (BadReply("x"), 3)]
)
async def test_what_cannot_be_helped_comes_out(error: Exception, asked: int) -> None:
    asking, chat = asker(error)
    with pytest.raises(type(error)):
        await extract(asking, one(FISH))
    assert len(chat.asked) == asked


def test_prompt_is_short_dated_and_the_same_for_the_same_chunk() -> None:
    assert tokens(SYSTEM) < 710 and len(SYSTEM) / 4 < 600
    chunk = Chunk((replace(one("Hm?").own[0], own=False), *one(FISH).turns), 1)
    asked = question(chunk, b"key", 8192)
    assert asked == question(chunk, b"key", 8192) != question(chunk, b"other", 8192)
    assert " 1, the person>" in asked.user  # same day as the turn before
    assert "the person, before, 2023-11-14>" in asked.user
    assert asked.user.rstrip().count("never an instruction") == 2
    assert asked.limit == 1_500


@thorough
def test_a_message_of_many_clauses_that_is_quoted_whole_is_read_at_its_matching_ones() -> None:
    said = "".join(f"I like kites of make {n}, and I own boat {n}; " for n in range(70)) + "I never eat fish."
    (turn,) = one(said).own
    rows = items(item(turn.text, "I own boat 40"), item(turn.text, "I eat fish"))
    found = read(rows, one(said))
    assert [memory.text for memory in found.candidates] == ["I own boat 40"]
    assert found.counts == {"turned": 1}


@pytest.mark.parametrize(
    ("more", "importance", "days"),
    [
        ({"kind": "task", "importance": 7, "expires": "30d"}, 7, 30),
        ({"kind": "task", "importance": 10, "expires": "Never"}, 9, None),
        ({"kind": "identity", "expires": "7d"}, 8, None),
        ({"kind": "task"}, 5, None),
    ],
)
def test_importance_and_expiry_are_taken_over(more: dict[str, Any], importance: int, days: int | None) -> None:
    said = "I have to repaint the shed."
    (found,) = proposed(said, "I have to repaint the shed", "I have to repaint the shed", **more).candidates
    assert found.importance == importance
    assert found.expires_at == (None if days is None else SAID_AT + days * DAY)


def test_a_message_gives_no_more_than_by_rule() -> None:
    facts = ("I live in Leeds", "I own a red bike", "I play the viola", "I am vegan", "I hate rain", "I speak Dutch")
    said = ". ".join(facts) + "."
    found = read(items(*(item(fact, fact) for fact in facts)), one(said))
    assert (len(found.candidates), found.counts["limit"]) == (5, 1)
    assert [refusal.reason for refusal in found.refusals] == ["limit"]

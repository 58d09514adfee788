import itertools
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from scripted_chat import message

from curator.llm.chunks import MARKS, Chunk, chunks, halves
from curator.llm.client import FRAME, answer_tokens, data_tokens, tokens
from effort import thorough
from store.model import Channel, Message, Role


def own_texts(chunk: Chunk) -> list[str]:
    return [turn.text for turn in chunk.own]


def cost(chunk: Chunk) -> int:
    return sum(tokens(turn.view) + MARKS for turn in chunk.turns)


def test_only_the_persons_words_are_own() -> None:
    messages = [
        message("You are helpful.", 1, Role.SYSTEM),
        message("I live in Porto.", 2),
        message("Nice! Do you like it?", 3, Role.ASSISTANT),
        message("ls -la", 4, Role.TOOL, Channel.TOOL),
        message("Yes, I love it.", 5),
        message("Remembered: tea", 6, Role.USER, Channel.INJECTED),
        replace(message("I was on another branch.", 7), active=False),
        message("Be brief.", 8, Role.USER, Channel.INSTRUCTIONS),
        message("Fine.", 9, Role.ASSISTANT),
    ]
    (chunk,) = chunks(messages, 3_000)
    assert own_texts(chunk) == ["I live in Porto.", "Yes, I love it.", "Be brief."]
    assert [(turn.own, turn.role) for turn in chunk.turns][1] == (False, Role.ASSISTANT)
    assert len(chunk.turns) == 4
    assert (chunk.first, chunk.last, chunk.upto) == (2, 8, 9)


def test_what_is_pasted_is_not_shown() -> None:
    (chunk,) = chunks([message("Look:\n```\nx = 1\n```\nI work as a nurse.")], 3_000)
    (turn,) = chunk.own
    assert turn.view == "Look:\n[… code: left out]\nI work as a nurse."
    assert chunks([message("```\nx = 1\n```")], 3_000) == []
    assert chunks([], 3_000) == []


def test_later_chunks_begin_with_what_was_said_before() -> None:
    messages = [message(f"This is number {number}. " + "I like long walks. " * 20, number) for number in range(1, 9)]
    found = chunks(messages, 400)
    assert len(found) > 2
    for before, chunk in itertools.pairwise(found):
        assert not chunk.turns[0].own
        assert chunk.turns[0].message == before.own[-1].message
    assert [chunk.upto for chunk in found] == [chunk.last for chunk in found]


def test_only_what_is_new_is_read() -> None:
    messages = [message(f"I like number {number}.", number) for number in range(1, 6)]
    (chunk,) = chunks(messages, 3_000, after=3)
    assert own_texts(chunk) == ["I like number 4.", "I like number 5."]
    assert [turn.message for turn in chunk.turns] == [3, 4, 5]
    assert chunks(messages, 3_000, after=5) == []


def test_message_in_several_chunks_is_done_with_the_last() -> None:
    long = "\n\n".join(f"Paragraph {number} says that I like tea and long walks by the sea." for number in range(80))
    found = chunks([message("Hello there.", 4), message(long, 5), message("I like jam.", 6)], 500)
    assert len(found) > 3
    assert [chunk.upto for chunk in found] == [4] * (len(found) - 1) + [6]
    whole = [turn for chunk in found for turn in chunk.own if turn.message == 5]
    assert all(turn.text == long[turn.start : turn.end] for turn in whole)
    assert "".join(turn.text for turn in whole) == long
    assert all(turn.text.startswith("Paragraph") for turn in whole)


def test_halves_are_smaller_and_lose_nothing() -> None:
    messages = [message(f"I like number {number}. " * 30, number) for number in range(1, 6)]
    (chunk,) = chunks(messages, 3_500)
    todo, leaves = [chunk], []
    while todo:
        one = todo.pop(0)
        parts = halves(one)
        if parts == [one]:
            leaves.append(one)
            continue
        assert all(sum(map(len, own_texts(part))) < sum(map(len, own_texts(one))) for part in parts)
        todo = [*parts, *todo]
    assert "".join("".join(own_texts(leaf)) for leaf in leaves) == "".join(own_texts(chunk))


kinds = st.sampled_from([(Role.USER, Channel.SPOKEN), (Role.ASSISTANT, Channel.SPOKEN), (Role.USER, Channel.SAVED)])
texts = st.lists(
    st.sampled_from(["I like tea. ", "\n\n", "北京很大。", "x" * 300, "> quoted\n", "wörter ", "```\n", "😀"])
).map("".join)


@thorough
@given(st.lists(st.tuples(kinds, st.one_of(texts, st.text())), max_size=12), st.integers(200, 1_500))
def test_chunks_fit_and_hold_every_word(said_so: list[tuple[tuple[Role, Channel], str]], most: int) -> None:
    messages: list[Message] = [message(text, number, *kind) for number, (kind, text) in enumerate(said_so, 1)]
    found = chunks(messages, most)
    upto = 0
    covered: dict[int, int] = {}
    for chunk in found:
        assert chunk.own and cost(chunk) <= most
        assert chunk.upto >= upto
        upto = chunk.upto
        for turn in chunk.own:
            text = messages[turn.message - 1].text
            assert turn.text == text[turn.start : turn.end]
            assert len(turn.low) == len(turn.text)
            assert turn.start >= covered.get(turn.message, 0)
            covered[turn.message] = turn.end
            assert all(0 <= gap.start <= gap.end <= len(turn.text) for gap in turn.gaps)
    if found:
        assert upto == len(messages)


def test_prompt_and_answer_fit_into_the_context() -> None:
    for context in (2_048, 4_096, 8_192, 131_072):
        assert data_tokens(context) + answer_tokens(context) + FRAME <= context or context < 2_500
    assert data_tokens(8_192) == 3_500
    assert tokens("abcdef") == 2 and tokens("北京") == 2

"""Hostile texts: the rules' work grows linearly with their length."""

import string
from collections.abc import Callable
from itertools import product
from time import process_time

import pytest

from curator.compare import differences, relate
from curator.compare.clauses import clauses
from curator.compare.conflict_features import _side
from curator.compare.differences import _facts
from curator.compare.statement import statements
from curator.text import content_key, plain_words, tokens, worded
from curator.text.normalize import language
from effort import some, thorough

SHAPES = (
    *("a", "a ", "1", "1,", "1,000 ", "'", "a'", "a-", "a.", "a/", "a: ", "- ", "_ ", "*", "*a ", " ", "\n", ". ", "("),
    *("½", "e\u0301", "我", "👍", "\u200b", '"abc ', "Abc ", "USER ", "the user's ", "my a's ", "i am ", "not "),
    *("moved from a ", "the deadline of a ", "my new exam has been ", "we use a for a ", "says that ", "for about "),
    *("used to ", "i prefer a over ", "switched from a ", "have just finally ", "is my favourite a ", "any more "),
    *("2024-01-01 ", "5 km ", "at 6 pm "),
)  # fmt: skip
CUES = ("i moved from ", "my deadline of ", "i live in ", "our budget for the ", "i met my wife at ", "phone: ")
LONG = ("a" * 10_000, "a" * 39 + " ", "is ", "of a ", "7 ")
MOST = 10_000
LINEAR = 10  # maximum growth for four times the text: linear is 4, with room for a busy machine; quadratic would be 16
SLOW = 0.15  # seconds of computing below which growth is not judged


def forget() -> None:
    for cached in (clauses, _side, _facts, language, statements, plain_words, tokens):
        cached.cache_clear()


def seconds(work: Callable[[str], object], text: str) -> float:
    def once() -> float:
        forget()
        began = process_time()
        work(text)
        return process_time() - began

    took = once()
    return took if took < SLOW else min(took, once())


def assert_linear(work: Callable[[str], object], shape: Callable[[int], str]) -> None:
    """Measure short texts first, so that fast growth fails before it takes for ever."""
    before = seconds(work, shape(MOST // 64))
    for length in (MOST // 16, MOST // 4, MOST):
        took = seconds(work, shape(length))
        assert took < SLOW or took < LINEAR * before, f"{took:.2f} s for {shape(20)!r} at {length}"
        before = max(took, SLOW / LINEAR)


def compared(text: str) -> object:
    return relate(text, f"{text[1:]} z", 0.7)


@thorough
@pytest.mark.parametrize(
    ("work", "shape"), some([(work, shape) for work in (compared, content_key, worded) for shape in SHAPES], 30)
)
def test_repeated_text_takes_time_by_its_length(work: Callable[[str], object], shape: str) -> None:
    assert_linear(work, lambda length: (shape * length)[:length] + " x!")


@thorough
@pytest.mark.parametrize(("cue", "rest"), some(list(product(CUES, LONG)), 10))
def test_what_begins_as_a_statement_takes_no_longer(cue: str, rest: str) -> None:
    assert_linear(compared, lambda length: cue + (rest * length)[:length] + " !")


def test_many_different_words_are_compared_in_time_by_their_number() -> None:
    letters = string.ascii_lowercase
    words = ["".join(three) for three in product(letters, repeat=3)]

    def of(text: str) -> object:
        half = len(text) // 2
        return differences(text[:half], text[half:])

    assert_linear(of, lambda length: " ".join(f"{word}ed {word}" for word in words)[:length])

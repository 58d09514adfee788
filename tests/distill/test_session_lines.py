"""Accuracy of the rules on coding sessions, on the held-out half of the labelled lines.

`tests/bench/session_lines.py` prints all figures.
"""

from functools import cache

import pytest
from labelled_lines import Line, figures, lines, typed

from curator.distill.scores.chats import Scores, sentence_classifier
from effort import exhaustive, thorough


@cache
def held() -> list[tuple[Line, bool]]:
    """Return the held-out lines with whether the rules keep them; too slow for collection, which each process does."""
    return [(line, bool(typed(line.text).candidates)) for line in lines() if line.half == "held"]


@thorough
def test_there_are_enough_lines_to_mean_something() -> None:
    assert len(lines()) > 800
    assert len(held()) > 130


def test_few_passing_lines_become_memories() -> None:
    assert figures(held())[0] >= 0.9


def test_most_lasting_lines_become_memories() -> None:
    _, recall, orders = figures(held())
    assert recall >= 0.8
    assert orders >= 0.85


def test_a_refused_line_has_a_reason() -> None:
    assert [line.text for line, kept in held() if not kept and not typed(line.text).counts] == []


def test_what_a_classifier_is_sure_of_is_kept_though_no_pattern_finds_it() -> None:
    line, question = "The safety limits are approved by Tomas, he owns that file", "hm, why does it fail?"

    def texts(scores: Scores) -> list[str]:
        found = typed(line, question, classifier=lambda sentences: [scores] * len(sentences))
        return [candidate.text for candidate in found.candidates]

    assert texts(Scores(lasting=-5, order=-5, request=-5)) == []
    assert texts(Scores(lasting=4, order=-5, request=-5)) == [line]
    assert texts(Scores(lasting=-5, order=3, request=-5)) == [line]


@exhaustive
@pytest.mark.usefixtures("classifiers")
def test_with_the_classifier_hardly_an_order_is_missed() -> None:
    classifier = sentence_classifier()
    assert classifier is not None
    kept = [(line, bool(typed(line.text, classifier=classifier).candidates)) for line, _ in held()]
    precision, recall, orders = figures(kept)
    assert precision >= 0.9 and recall >= 0.85 and orders >= 0.95


@pytest.mark.parametrize(
    "text",
    [
        "don't touch the file legacy_v1.py, Malik uses it",
        "please do not modify src/api.ts, another team uses it",
        "don't rename `legacy_api`, the clients depend on it",
        "never delete anything in tests/data because the CI reads it",
    ],
)
def test_a_file_to_be_left_alone_is_named_with_the_reason(text: str) -> None:
    (one,) = typed(text).candidates
    assert one.standing and one.text.lower() == text.lower()


@pytest.mark.parametrize(
    "text", ["don't touch the file", "don't delete config.yaml yet", "don't change a.json for now"]
)
def test_a_file_to_be_left_alone_for_now_is_passing(text: str) -> None:
    assert not typed(text).candidates

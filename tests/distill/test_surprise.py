import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.compare import Verdict, relate
from curator.config import Distil
from curator.distill.surprise import emphasis, specificity, surprise
from store.model import Relation


def verdict(duplicate: float, conflict: float) -> Verdict:
    return Verdict(Relation.UNSURE, duplicate, conflict, ())


def test_nothing_known_is_all_new() -> None:
    parts = surprise("I keep bees in Aarhus", [])
    assert (parts.novelty, parts.contradiction, parts.switch) == (1.0, 0.0, 0.0)
    assert parts.total > Distil().surprise


def test_the_nearest_decides_novelty_and_contradiction() -> None:
    parts = surprise("I keep bees", [verdict(0.2, 0.7), verdict(0.9, 0.1)], 0.25)
    assert parts.novelty == pytest.approx(0.1)
    assert parts.contradiction == 0.7
    assert parts.switch == 0.75


def test_a_repeated_platitude_falls_below_the_threshold_and_a_contradiction_does_not() -> None:
    said = "i like warm bread"
    assert surprise(said, [relate(said, "I like warm bread")], 0.9).total < Distil().surprise
    assert surprise("I hate warm bread", [relate("I hate warm bread", said)], 0.9).total > Distil().surprise


def test_specific_texts_score_above_vague_ones() -> None:
    vague, some, much = (
        "I like nice things",
        "I like hiking near Bergen",
        "I moved to Bergen with Ingrid on May 3, 2021",
    )
    assert specificity(vague) < specificity(some) < specificity(much) <= 1.0


def test_emphasis_counts_cues_and_repetition() -> None:
    assert emphasis("I drink tea") == 0.0
    assert emphasis("I never ever drink coffee, this is really important!") == 1.0
    assert emphasis("tea tea tea") > emphasis("tea")


@given(
    st.text(max_size=200),
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=4),
    st.none() | st.floats(-1, 1),
)
def test_parts_stay_between_zero_and_one(text: str, near: list[tuple[float, float]], cosine: float | None) -> None:
    parts = surprise(text, [verdict(*scores) for scores in near], cosine)
    for part in (parts.novelty, parts.contradiction, parts.specificity, parts.emphasis, parts.switch, parts.total):
        assert 0.0 <= part <= 1.0

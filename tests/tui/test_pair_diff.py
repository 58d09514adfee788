"""Two texts side by side: what only one says, what both say elsewhere, and pairs that share no wording."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.tui.text_diff import MarkedText, Share, diff_pair

_SIGNS = {Share.SAME: "{}", Share.MOVED: "<{}>", Share.OWN: "[{}]"}

CASES = (
    (
        "Lives in Lisbon with two flatmates",
        "Lives in Porto since May",
        "[Lisbon with two flatmates]",
        "[Porto since May]",
    ),
    ("I eat meat", "I never eat meat", "I eat meat", "I [never] eat meat"),
    ("The pass costs 40 euros", "The pass costs 55 euros", "The pass costs [40] euros", "The pass costs [55] euros"),
    (
        "I quit coffee, I drink tea now.",
        "Moka pot's gone, I don't drink coffee anymore, tea only.",
        "I [quit] <coffee>, I drink tea now.",
        "[Moka pot's gone, I don't] drink <coffee> [anymore], tea [only].",
    ),
    (
        "My name is Nora and I live in Lisbon with my partner Tiago.",
        "I live in Porto with my partner Tiago and our dog.",
        "My [name is Nora]",
        "I live in [Porto] with my partner Tiago and our [dog].",
    ),
)


def drawn(parts: tuple[MarkedText, ...]) -> str:
    return "".join(_SIGNS[part.share].format(part.text) for part in parts)


@pytest.mark.parametrize(("a", "b", "left", "right"), CASES)
def test_what_only_one_of_them_says(a: str, b: str, left: str, right: str) -> None:
    found = diff_pair(a, b)
    assert left in drawn(found.a) and right in drawn(found.b) and not found.apart


def test_where_all_is_in_both_the_order_is_what_differs() -> None:
    found = diff_pair("I prefer tea to coffee", "I prefer coffee to tea")
    assert "[" in drawn(found.a) and "[" in drawn(found.b)


def test_of_two_that_share_no_word_none_is_marked() -> None:
    found = diff_pair("Drinks coffee", "Moka pot is gone")
    assert found.apart and len(found.a) == len(found.b) == 1


_TEXTS = st.text(st.sampled_from("aA1 ,.-é喜欢\nnot"), max_size=60)


@given(_TEXTS, _TEXTS)
def test_joined_the_parts_are_the_texts(a: str, b: str) -> None:
    found = diff_pair(a, b)
    assert "".join(part.text for part in found.a) == a and "".join(part.text for part in found.b) == b

"""Word-by-word comparison of two texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.tui.text_diff import DiffKind, DiffPiece, diff

KEPT, REMOVED, ADDED = DiffKind.KEPT, DiffKind.REMOVED, DiffKind.ADDED

ALIKE = st.lists(
    st.sampled_from(["tea", "Tea", " ", "  ", "\n", ",", "茶", "を", "नमस्ते", "3.5", "don't", "\u200d", "👩‍🍳"])
)
TEXTS = st.one_of(st.text(max_size=80), ALIKE.map("".join), ALIKE.map(" ".join))


def joined(pieces: list[DiffPiece], without: DiffKind) -> str:
    return "".join(piece.text for piece in pieces if piece.change is not without)


@given(TEXTS, TEXTS)
def test_the_pieces_are_both_texts_to_the_character(old: str, new: str) -> None:
    pieces = diff(old, new)
    assert joined(pieces, without=ADDED) == old
    assert joined(pieces, without=REMOVED) == new
    assert all(piece.text for piece in pieces)


@given(TEXTS)
def test_a_text_beside_itself_is_one_piece(text: str) -> None:
    assert diff(text, text) == ([DiffPiece(KEPT, text)] if text else [])


@pytest.mark.parametrize(
    ("old", "new", "pieces"),
    [
        ("Prefers tea", "Prefers tea to coffee", [(KEPT, "Prefers tea"), (ADDED, " to coffee")]),
        ("I like tea", "I like coffee", [(KEPT, "I like "), (REMOVED, "tea"), (ADDED, "coffee")]),
        ("tea now", "coffee later", [(REMOVED, "tea now"), (ADDED, "coffee later")]),
        ("喜欢在早上写作", "喜欢在晚上写作", [(KEPT, "喜欢在"), (REMOVED, "早"), (ADDED, "晚"), (KEPT, "上写作")]),
        ("paid 3.5kg", "paid 3.6kg", [(KEPT, "paid "), (REMOVED, "3.5"), (ADDED, "3.6"), (KEPT, "kg")]),
        ("don't go", "do go", [(REMOVED, "don't"), (ADDED, "do"), (KEPT, " go")]),
        ("नमस्ते दुनिया", "नमस्ते जग", [(KEPT, "नमस्ते "), (REMOVED, "दुनिया"), (ADDED, "जग")]),
        ("", "tea", [(ADDED, "tea")]),
        ("tea", "", [(REMOVED, "tea")]),
    ],
)
def test_words_are_compared_not_letters(old: str, new: str, pieces: list[tuple[DiffKind, str]]) -> None:
    assert diff(old, new) == [DiffPiece(change, text) for change, text in pieces]


def test_a_few_changes_in_a_long_text_are_found_one_by_one() -> None:
    old = " ".join(f"word{number} and so on" for number in range(600))
    new = old.replace("word7 ", "other ").replace("word500 ", "")
    changed = [piece for piece in diff(old, new) if piece.change is not KEPT]
    assert [(piece.change, piece.text.strip()) for piece in changed] == [
        (REMOVED, "word7"),
        (ADDED, "other"),
        (REMOVED, "word500"),
    ]


def test_long_texts_of_few_words_are_not_looked_into_beyond_their_ends() -> None:
    old, new = "a b " * 2_500, "b a a " * 1_700
    pieces = diff(old, new)
    assert len(pieces) <= 4
    assert joined(pieces, without=ADDED) == old and joined(pieces, without=REMOVED) == new

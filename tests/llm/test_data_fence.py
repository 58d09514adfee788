import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.llm import data_fence as fences
from curator.llm.data_fence import fence, neutral

SECRET = b"secret of the store"
tricks = st.lists(
    st.sampled_from(
        ["<", "</", "turn", "-", "|", ">", "\u200b", "\n", "System:", "[INST]", "＜", "\u202e", "a", "0", "b"]
    )
    | st.text(max_size=4)
).map("".join)


@given(st.lists(tricks, min_size=1, max_size=4), tricks)
def test_data_never_holds_the_mark(texts: list[str], name: str) -> None:
    border = fence(SECRET, *texts)
    assert border == fence(SECRET, *texts)
    assert re.fullmatch(r"([bdfghjklmnprstvz][aiou]){5}", border.nonce)
    for text in texts:
        wrapped = border.wrap("turn", text, "1").splitlines()
        assert wrapped[0] == f"<turn-{border.nonce} 1>"
        assert wrapped[-1] == f"</turn-{border.nonce}>"
        assert border.nonce not in neutral(text).casefold()


def test_another_secret_makes_another_mark() -> None:
    assert fence(SECRET, "a").nonce != fence(b"other", "a").nonce != fence(b"other", "b").nonce


def test_mark_that_stands_in_the_data_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fences, "_nonces", lambda secret, texts: iter(["aaaa", "bbbb", "cccc"]))
    assert fence(SECRET, "x </turn-A\u200baAa> y", "ｂｂｂｂ bbbb").nonce == "cccc"


@given(tricks)
def test_nothing_in_data_looks_like_a_mark_of_a_template(text: str) -> None:
    shown = neutral(text)
    assert not re.search(r"[<＜]\S", shown)
    assert not re.search(r"\[/?INST", shown)
    assert not re.search(r"^System:", shown, re.MULTILINE)
    assert not re.search("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]", shown)


@given(tricks)
def test_words_stay(text: str) -> None:
    kept = [char for char in text if char.isalnum() and char not in "\u115f\u1160\u3164\uffa0"]
    assert [char for char in neutral(text) if char.isalnum()] == kept


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("I love <b>tea</b>, 3 < 4 and x<-y", "I love < b>tea< /b>, 3 < 4 and x< -y"),
        ("<|im_start|>system", "< |im_start|>system"),
        ("<｜User｜>", "< ｜User｜>"),
        ("[INST] [/INST] [x] [user]", "[ INST] [ /INST] [x] [ user]"),
        ("System: a\n  **User**: b\nThe system: c", "| System: a\n|   **User**: b\nThe system: c"),
        ("### Instruction\n# Plan", "| ### Instruction\n# Plan"),
        ("a\u2028Assistant: b\rUser: c", "a\n| Assistant: b\n| User: c"),
        ("s\u200bystem: x", "| system: x"),
        ("👩‍👩‍👧 ok \ud800", "👩👩👧 ok "),
        ("My user: name field", "My user: name field"),
    ],
)
def test_what_a_template_would_take_for_a_mark_is_broken(text: str, shown: str) -> None:
    assert neutral(text) == shown


@pytest.mark.parametrize("text", ["[" * 300_000, "[" + " " * 300_000, "[ " * 150_000])
def test_a_run_of_brackets_or_blanks_is_read_once(text: str) -> None:
    assert neutral(text) == text  # takes milliseconds; retrying from each character would take hours

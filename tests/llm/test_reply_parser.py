import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.llm.reply_parser import items
from curator.models import BadReply

FIELDS = ("quote", "text")
ROWS: list[dict[str, object]] = [{"quote": "a } b", "text": 'c "]" d'}, {"quote": "e", "text": "f"}]
WHOLE = json.dumps({"items": ROWS})


@pytest.mark.parametrize(
    "text",
    [
        WHOLE,
        f"```json\n{WHOLE}\n```",
        f"Here you are:\n{WHOLE}\nAnything else?",
        f'<think>{{"items": []}} or not?</think>{WHOLE}',
        f"I wonder</think>\n{WHOLE}",
        json.dumps(ROWS),
        json.dumps({"memories": ROWS}),
        f"{{as you like}} {WHOLE}",
        f"a {'{'} opens {WHOLE}",
        "\n" * 5_000 + WHOLE + " " * 5_000,
        json.dumps({"$schema": "x", "type": "object", "properties": {}}) + WHOLE,
    ],
)
def test_items_are_found_whatever_stands_around_them(text: str) -> None:
    assert items(text, FIELDS) == ROWS


def test_no_items_are_an_answer() -> None:
    assert items('{"items": []}', FIELDS) == []
    assert items("[]", FIELDS) == []


def test_one_item_by_itself_is_an_answer() -> None:
    assert items(json.dumps(ROWS[0]), FIELDS) == ROWS[:1]


@pytest.mark.parametrize(
    "text",
    [
        WHOLE[:-2],
        WHOLE[: len(WHOLE) // 2],
        " " * 40_000,
        "<think>nothing",
        "x" * 300_000,
        "[" * 10_000,
        '{"items": ' * 4_000,
        '{"items": "\ud800"}',
        '{"items": ["a"]}',
        "null",
        '"items"',
    ],
    ids=lambda text: text[:8],
)
def test_what_is_cut_or_no_answer_is_a_bad_reply(text: str) -> None:
    with pytest.raises(BadReply):
        items(text, FIELDS)


bits = st.sampled_from(["{", "}", "[", "]", '"', "\\", ":", ",", "items", "<think>", "</think>", "```", "1", " ", "\n"])


@given(st.one_of(st.text(), st.lists(st.one_of(bits, st.text(max_size=5))).map("".join)))
def test_nothing_but_a_bad_reply_is_raised(text: str) -> None:
    try:
        found = items(text, FIELDS)
    except BadReply:
        return
    assert all(isinstance(row, dict) for row in found)


nested = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.sampled_from(["items", "type", "quote", "text"]) | st.text(), inner)
    ),
    max_leaves=20,
)


@given(nested, st.text(max_size=20), st.text(max_size=20))
def test_any_json_is_read_or_refused(value: object, before: str, after: str) -> None:
    try:
        found = items(before + json.dumps(value) + after, FIELDS)
    except BadReply:
        return
    assert all(isinstance(row, dict) for row in found)


@pytest.mark.parametrize(
    "text",
    [
        f"<think>a</THINK>{WHOLE}<thought>{{}}</thought>",
        f"<think><thought>a</think>{WHOLE}",
        f"a</reasoning>{WHOLE}<think>",
        "<think>" * 5_000 + WHOLE,
    ],
)
def test_thoughts_are_passed_over_wherever_they_stand_and_end(text: str) -> None:
    assert items(text, FIELDS) == ROWS

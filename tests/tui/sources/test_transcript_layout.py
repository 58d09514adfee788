"""Transcript layout: no text lost, no line too wide, marks in their places, for any text."""

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from curator.terminal_text import visible
from curator.tui.sources.queries import MarkedConversation, PassageMark
from curator.tui.sources.transcript_layout import TranscriptLayout, lay_out
from curator.tui.wrap import wrap
from store.model import Channel, Conversation, Message, Refusal, Role

ODD = st.text(
    st.one_of(
        st.sampled_from(" \n\t-aé漢字👩🦊\u0301\u200d\ufe0f❤\u202e\x1b\x00ไทย한[/]"),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=300,
)
WIDTHS = st.integers(2, 60)


def said(number: int, text: str, role: Role = Role.USER, **more: object) -> Message:
    plain: dict[str, object] = {"channel": Channel.SPOKEN, "created_at": None, "active": True, "hidden": False}
    fields = {**plain, **more}
    return Message(id=number, conversation=1, ordinal=number, role=role, text=text, external_id=None, **fields)  # type: ignore[arg-type]


def talk(*messages: Message, marks: tuple[PassageMark, ...] = ()) -> MarkedConversation:
    return MarkedConversation(
        Conversation(
            id=1, source="chatgpt", external_id=None, title="Talk", created_at=None, project=None, agent=False
        ),
        messages,
        marks,
    )


def refused(number: int, start: int, end: int) -> PassageMark:
    return PassageMark(number, start, end, refusal=Refusal(number, start, end, "vague"))


def shown(layout: TranscriptLayout) -> list[str]:
    return ["".join(run.text for run in layout.line(y).runs) for y in range(layout.height)]


def body(layout: TranscriptLayout) -> list[str]:
    lines = (layout.line(y) for y in range(layout.height))
    return ["".join(run.text for run in line.runs) for line in lines if line.body]


# Wrapping


@given(ODD.map(visible), WIDTHS)
@example("漢" * 50, 3)
@example("  indented " + "x" * 90, 10)
def test_no_line_is_too_wide_and_only_spaces_are_left_out(text: str, width: int) -> None:
    spans = list(wrap(text, width))
    lines = [text[start:end] for start, end in spans]
    assert all(cell_len(line) <= width or len(line) == 1 for line in lines)
    assert all(one[1] <= other[0] for one, other in pairwise(spans))
    left = "".join(text[one[1] : other[0]] for one, other in zip([(0, 0), *spans], spans, strict=False))
    assert set(left) <= set(" \n")
    assert text[spans[-1][1] if spans else 0 :].strip() == ""


def test_lines_are_cut_at_spaces_and_words_only_where_they_must() -> None:
    def lines(text: str, width: int) -> list[str]:
        return [text[start:end] for start, end in wrap(text, width)]

    assert lines("one two three", 8) == ["one two", "three"]
    assert lines("one\n\ntwo\n\n", 8) == ["one", "", "two"]
    assert lines("seventeenletters x", 8) == ["seventee", "nletters", "x"]
    assert lines("我喜欢喝茶不喜欢咖啡", 8) == ["我喜欢喝", "茶不喜欢", "咖啡"]
    assert lines("    code(line)", 8) == ["    code", "(line)"]


# Marks


@given(ODD, WIDTHS, st.data())
def test_a_mark_covers_exactly_its_words(text: str, width: int, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    layout = lay_out(talk(said(1, text), marks=(refused(1, start, end),)), width)
    marked = [run.text for y in range(layout.height) for run in layout.line(y).runs if run.marks == (0,)]
    assert "".join("".join(marked).split()) == "".join(visible(text[start:end]).split())


def test_marks_that_overlap_are_both_there() -> None:
    marks = (refused(1, 0, 11), refused(1, 6, 17))
    layout = lay_out(talk(said(1, "likes black tea now"), marks=marks), 60)
    assert [(run.text, run.marks) for run in layout.line(1).runs] == [
        ("likes ", (0,)),
        ("black", (0, 1)),
        (" tea n", (1,)),
        ("ow", ()),
    ]
    assert layout.line(1).marks == (0, 1) and list(layout.of_mark) == [1, 1]


def test_a_mark_is_found_on_its_line_at_any_width() -> None:
    text = "word " * 200 + "I like tea" + " word" * 200
    start = text.index("I like")
    for width in (12, 31, 80, 200):
        layout = lay_out(talk(said(1, "before"), said(2, text), marks=(refused(2, start, start + 10),)), width)
        assert "I like" in shown(layout)[layout.of_mark[0]] or "I" in shown(layout)[layout.of_mark[0]].split()
        assert layout.line(layout.of_mark[0]).marks == (0,)


def test_what_is_lit_is_found_first() -> None:
    layout = lay_out(talk(said(1, "tea"), said(2, "no\nmore tea")), 40, highlights={2: [(8, 11)]})
    line = layout.of_lit()
    assert line is not None
    assert [(run.text, run.highlighted) for run in layout.line(line).runs] == [("more ", False), ("tea", True)]


def test_a_place_leads_back_to_its_line_after_the_width_has_changed() -> None:
    found = talk(*(said(n, f"message {n} " + "word " * 40) for n in range(1, 6)))
    wide, narrow = lay_out(found, 80), lay_out(found, 20)
    for y in range(wide.height):
        message, offset = wide.location(y)
        line = narrow.find(message, offset)
        assert line is not None and narrow.line(line).message == message
        if wide.line(y).body:
            assert shown(narrow)[line].split()[0] in shown(wide)[y]
    assert narrow.find(99) is None


# Folding


@pytest.mark.parametrize(
    ("message", "line"),
    [
        (said(1, "x" * 2310, Role.TOOL, channel=Channel.TOOL), "tool · 2,310 characters"),
        (said(1, "abc", Role.ASSISTANT, channel=Channel.TOOL), "tool · 3 characters"),
        (said(1, "abc", Role.ASSISTANT, channel=Channel.THINKING), "reply · thinking · 3 characters"),
        (said(1, "abc", channel=Channel.INJECTED), "you · added by a program · 3 characters"),
        (said(1, "abc", channel=Channel.ATTACHMENT), "you · attached file · 3 characters"),
        (said(1, "abc", hidden=True), "hidden · you · 3 characters"),
        (said(1, "abc", active=False), "abandoned branch · you · 3 characters"),
        (said(1, "abc", Role.SYSTEM), "system · 3 characters"),
    ],
)
def test_what_is_no_turn_is_one_line_until_it_is_opened(message: Message, line: str) -> None:
    found = talk(message)
    layout = lay_out(found, 60)
    assert shown(layout) == [line, ""] and layout.line(0).folded
    opened = lay_out(found, 60, frozenset({1}), former=layout)
    assert "".join(body(opened)) == message.text and not opened.line(0).folded


def test_folded_lines_stand_together_and_turns_apart() -> None:
    tools = [said(n, "abc", Role.TOOL, channel=Channel.TOOL) for n in (2, 3)]
    layout = lay_out(talk(said(1, "hello"), *tools, said(4, "bye")), 60)
    assert shown(layout) == ["you", "hello", "", "tool · 3 characters", "tool · 3 characters", "", "you", "bye", ""]


def test_what_has_a_mark_is_not_folded() -> None:
    layout = lay_out(talk(said(1, "I like tea", hidden=True), marks=(refused(1, 0, 10),)), 60)
    assert body(layout) == ["I like tea"]
    folded = lay_out(layout.marked, 60, frozenset({1}), former=layout)
    assert folded.line(0).folded and folded.line(0).marks == (0,) and list(folded.of_mark) == [0]


def test_the_day_stands_where_it_changes() -> None:
    at = 1_700_000_000_000_000
    turns = [said(n, "hi", created_at=at + n * 3_600_000_000) for n in (0, 1, 2, 3)]
    layout = lay_out(talk(*turns), 60)
    headings = [text for text in shown(layout) if text.startswith("you")]
    assert headings == ["you · 14 Nov 2023 · 22:13", "you · 23:13", "you · 15 Nov 2023 · 00:13", "you · 01:13"]


def test_a_conversation_without_words_has_no_lines() -> None:
    assert lay_out(talk(), 60).height == 0
    assert shown(lay_out(talk(said(1, "")), 60)) == ["you", ""]

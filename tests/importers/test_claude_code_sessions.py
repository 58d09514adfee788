"""Claude Code sessions: the person's words apart from the program's, and continuing where a file ended."""

import json
from pathlib import Path

import pytest

from curator.importers import Format, Item, Options, detect
from importers.sample_logs import code_answer, code_line, conversations, items, problems, said, skipped, write_lines
from store.model import Channel, FileMark, NewConversation, NewMessage, Role

SESSION = "session-1.jsonl"


def session(tmp_path: Path, *lines: object) -> NewConversation:
    (found,) = conversations(write_lines(tmp_path / SESSION, lines))
    return found


def kinds(messages: tuple[NewMessage, ...]) -> list[tuple[Role, Channel, bool, str]]:
    return [(m.role, m.channel, m.hidden, m.text) for m in messages]


def marks(found: list[Item]) -> list[FileMark]:
    return [item for item in found if isinstance(item, FileMark)]


def test_a_session_comes_with_its_fields(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / SESSION, [code_line(1, "user", "Fix the gate"), code_line(2, "assistant", "Done, it opens.")]
    )
    assert detect(path) is Format.CLAUDE_CODE
    (found,) = conversations(path)
    assert (found.source, found.external_id, found.project, found.agent) == ("claude-code", "session-1", "garden", True)
    assert found.title == "Fix the gate"
    assert kinds(found.messages) == [
        (Role.USER, Channel.SPOKEN, False, "Fix the gate"),
        (Role.ASSISTANT, Channel.SPOKEN, False, "Done, it opens."),
    ]


def test_tool_results_are_not_the_person(tmp_path: Path) -> None:
    result = {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "3 files"}]}
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}
    found = session(tmp_path, code_answer(1, "m1", call), code_line(2, "user", [result]))
    assert kinds(found.messages) == [
        (Role.ASSISTANT, Channel.TOOL, False, 'Bash {"command":"ls"}'),
        (Role.TOOL, Channel.TOOL, False, "3 files"),
    ]


def test_lines_of_one_answer_are_one_message(tmp_path: Path) -> None:
    found = session(
        tmp_path,
        code_line(1, "user", "Go"),
        code_answer(2, "m1", {"type": "thinking", "thinking": "Hm."}),
        code_answer(3, "m1", {"type": "text", "text": "First."}),
        code_answer(4, "m1", {"type": "tool_use", "name": "Read", "input": {}}),
        code_answer(5, "m1", {"type": "text", "text": "Second."}),
        code_answer(6, "m2", {"type": "text", "text": "Another answer."}),
    )
    spoken = [m for m in found.messages if m.channel is Channel.SPOKEN and m.role is Role.ASSISTANT]
    assert said(spoken) == ["First.\n\nSecond.", "Another answer."]


@pytest.mark.parametrize(
    ("content", "spoken", "injected"),
    [
        ("<command-message>init</command-message>\n<command-name>/init</command-name>", [], 1),
        (
            "<command-name>/plan</command-name>\n<command-args>I want a greenhouse</command-args>",
            ["I want a greenhouse"],
            1,
        ),
        ("<command-name>/model</command-name>\n<command-args>opus</command-args>", [], 1),
        ("<local-command-stdout>Set model</local-command-stdout>", [], 1),
        ("Hello <system-reminder>Be careful.</system-reminder>there", ["Hello\nthere"], 1),
        (
            [{"type": "text", "text": "<ide_opened_file>a.py</ide_opened_file>"}, {"type": "text", "text": "Why?"}],
            ["Why?"],
            1,
        ),
        ("<system-reminder>never closed", [], 1),
        ("Is a < b and <b>bold</b>?", ["Is a < b and <b>bold</b>?"], 0),
        ("[Request interrupted by user for tool use]", [], 1),
        ([{"type": "text", "text": "See"}, {"type": "image", "source": {}}], ["See\n[image]"], 0),
    ],
)
def test_what_the_program_wraps_is_taken_off(tmp_path: Path, content: object, spoken: list[str], injected: int) -> None:
    found = session(tmp_path, code_line(1, "user", content), code_line(2, "assistant", "ok"))
    mine = [m for m in found.messages if m.role is Role.USER]
    assert said(m for m in mine if m.channel is Channel.SPOKEN) == spoken
    wrapped = [m for m in mine if m.channel is Channel.INJECTED]
    assert len(wrapped) == injected
    assert all(m.hidden for m in wrapped)


def test_what_a_command_expands_to_is_injected(tmp_path: Path) -> None:
    command = code_line(1, "user", "<command-name>/review</command-name>")
    expansion = code_line(2, "user", [{"type": "text", "text": "Review all files."}], timestamp=command["timestamp"])
    found = session(tmp_path, command, expansion, code_line(3, "user", "And be quick"))
    assert said(m for m in found.messages if m.channel is Channel.SPOKEN) == ["And be quick"]


def test_a_note_to_memory_is_saved(tmp_path: Path) -> None:
    found = session(tmp_path, code_line(1, "user", "<user-memory-input>I use tabs</user-memory-input>"))
    assert kinds(found.messages) == [(Role.USER, Channel.SAVED, False, "I use tabs")]


def test_meta_summaries_sidechains_and_errors_are_hidden(tmp_path: Path) -> None:
    found = session(
        tmp_path,
        code_line(1, "user", "A caveat", isMeta=True),
        code_line(2, "user", "Earlier we said", isCompactSummary=True),
        code_line(3, "user", "Search the code", isSidechain=True),
        code_line(4, "assistant", "API Error: 529", isApiErrorMessage=True),
        {
            "type": "system",
            "subtype": "compact_boundary",
            "content": "Conversation compacted",
            "sessionId": "session-1",
        },
    )
    assert [(m.channel, m.hidden) for m in found.messages] == [
        (Channel.INJECTED, True),
        (Channel.SUMMARY, True),
        (Channel.SIDECHAIN, True),
        (Channel.INJECTED, True),
        (Channel.INJECTED, True),
    ]


def test_other_lines_are_counted_not_invalid(tmp_path: Path) -> None:
    lines = [
        {"type": "file-history-snapshot", "messageId": "x", "snapshot": {}},
        "a line that is a string",
        {"type": "progress", "uuid": "p", "sessionId": "session-1"},
        {"type": "brand-new-type", "sessionId": "session-1"},
        code_line(1, "user", "Hello world"),
    ]
    found = items(write_lines(tmp_path / SESSION, lines))
    assert skipped(found) == {"not_a_message": 4}
    assert problems(found) == []


def test_titles_prefer_what_the_person_chose(tmp_path: Path) -> None:
    lines = [
        code_line(1, "user", "Prompt"),
        {"type": "summary", "summary": "Of mine", "leafUuid": code_line(1, "user", "")["uuid"]},
    ]
    assert session(tmp_path, *lines).title == "Of mine"
    lines.append({"type": "summary", "summary": "Of another session", "leafUuid": "elsewhere"})
    assert session(tmp_path, *lines).title == "Of mine"
    lines.append({"type": "ai-title", "aiTitle": "By a model", "sessionId": "session-1"})
    assert session(tmp_path, *lines).title == "By a model"
    lines.append({"type": "custom-title", "customTitle": "By me", "sessionId": "session-1"})
    assert session(tmp_path, *lines).title == "By me"


def test_a_title_cut_from_a_prompt_holds_no_half_of_a_secret(tmp_path: Path) -> None:
    for length in range(40, 80):
        found = session(tmp_path, code_line(1, "user", "x" * length + " ghp_0123456789abcdefABCDEF0123456789abcd"))
        assert "ghp_" not in str(found.title)


def test_a_resumed_session_copies_no_message(tmp_path: Path) -> None:
    old = [code_line(1, "user", "Plant trees"), code_line(2, "assistant", "Planted.")]
    copied = [line | {"sessionId": "session-2"} for line in old]
    write_lines(tmp_path / "p" / SESSION, old)
    write_lines(
        tmp_path / "p" / "session-2.jsonl", [*copied, code_line(3, "user", "More trees", sessionId="session-2")]
    )
    first, second = conversations(tmp_path)
    assert {m.identity for m in first.messages} < {m.identity for m in second.messages}
    assert first.identity != second.identity


def test_sub_agents_belong_to_their_session(tmp_path: Path) -> None:
    folder = tmp_path / "-home-ann-garden"
    write_lines(folder / SESSION, [code_line(1, "user", "Look around")])
    agent = [code_line(5, "user", "Explore", isSidechain=True, agentId="a1")]
    write_lines(folder / "agent-a1.jsonl", agent)
    write_lines(
        folder / "session-1" / "subagents" / "agent-a2.jsonl", [code_line(6, "assistant", "Found", isSidechain=True)]
    )
    found = items(tmp_path)
    (whole,) = [item for item in found if isinstance(item, NewConversation)]
    assert kinds(whole.messages) == [
        (Role.USER, Channel.SPOKEN, False, "Look around"),
        (Role.USER, Channel.SIDECHAIN, True, "Explore"),
        (Role.ASSISTANT, Channel.SIDECHAIN, True, "Found"),
    ]
    assert [mark.conversations for mark in marks(found)] == [1, 0, 0]


def test_the_web_form_and_early_types_are_read(tmp_path: Path) -> None:
    lines = [
        {"type": "user", "timestamp": "2025-06-01T10:00:00Z", "message": {"role": "user", "content": "Hello web"}},
        {"type": "tool_use", "tool_name": "Bash", "tool_input": {"a": 1}},
        {"type": "tool_result", "tool_name": "Bash", "tool_output": "fine"},
    ]
    path = tmp_path / "web.json"
    path.write_text(json.dumps({"loglines": lines}))
    (found,) = conversations(path)
    assert kinds(found.messages) == [
        (Role.USER, Channel.SPOKEN, False, "Hello web"),
        (Role.ASSISTANT, Channel.TOOL, False, 'Bash {"a":1}'),
        (Role.TOOL, Channel.TOOL, False, "fine"),
    ]


def test_a_file_is_read_on_where_it_ended(tmp_path: Path) -> None:
    path = write_lines(tmp_path / SESSION, [code_line(1, "user", "One tree"), code_line(2, "assistant", "Yes.")])
    first = items(path)
    (mark,) = marks(first)
    known = {mark.path: mark}
    assert mark.size == path.stat().st_size
    assert items(path, options=Options(known.get)) == [mark]

    with path.open("a") as file:
        file.write(json.dumps(code_line(3, "user", "Two trees")) + "\n" + '{"type": "user", "uu')
    (grown,) = conversations(path, options=Options(known.get))
    assert said(grown.messages) == ["Two trees"]
    assert grown.identity == conversations(path)[0].identity
    assert grown.messages[0] == conversations(path)[0].messages[2]
    (later,) = marks(items(path, options=Options(known.get)))
    assert mark.size < later.size < path.stat().st_size
    assert later.conversations == 1
    assert problems(items(path)) == []


def test_a_file_whose_start_has_changed_is_read_anew(tmp_path: Path) -> None:
    path = write_lines(tmp_path / SESSION, [code_line(1, "user", "One tree")])
    (mark,) = marks(items(path))
    write_lines(path, [code_line(1, "user", "Ten trees"), code_line(2, "user", "More")])
    (found,) = conversations(path, options=Options({mark.path: mark}.get))
    assert said(found.messages) == ["Ten trees", "More"]


def test_a_broken_line_is_a_problem_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / SESSION
    lines = [
        json.dumps(code_line(1, "user", "Before")),
        '{"type": "user", "broken',
        json.dumps(code_line(2, "user", "After")),
    ]
    path.write_text("\n".join(lines) + "\n")
    found = items(path)
    assert [problem.place for problem in problems(found)] == [f"{SESSION}: line 2"]
    (read,) = [item for item in found if isinstance(item, NewConversation)]
    assert said(read.messages) == ["Before", "After"]

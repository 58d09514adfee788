"""Gemini CLI sessions, one object until 0.39 and a log of events since; and Qwen Code, which began as a copy of it."""

import json
from pathlib import Path
from typing import Any

import pytest

from curator.importers import Format, Options, Problem, detect, find_logs
from importers.sample_logs import (
    conversations,
    items,
    problems,
    qwen_line,
    said,
    skipped,
    uuid,
    write_json,
    write_lines,
    write_zip,
)
from importers.sample_logs import gemini_line as line
from importers.sample_logs import gemini_meta as meta
from store import clock
from store.model import Channel, FileMark, NewConversation, NewMessage, Role

NAME = "chats/session-2026-02-01T10-00-abcdef01.jsonl"
CONTEXT = (
    "<session_context>\nThis is the Gemini CLI.\n- **Workspace Directories:**\n  - /home/ann/garden\n</session_context>"
)


def session(tmp_path: Path, *lines: object, name: str = NAME) -> NewConversation:
    (found,) = conversations(write_lines(tmp_path / name, lines))
    return found


def kinds(messages: tuple[NewMessage, ...]) -> list[tuple[Role, Channel, bool, str]]:
    return [(m.role, m.channel, m.hidden, m.text) for m in messages]


def call(id_: str, name: str, output: str) -> dict[str, Any]:
    response = {"functionResponse": {"id": id_, "name": name, "response": {"output": output}}}
    return {"id": id_, "name": name, "args": {"path": "."}, "status": "success", "result": [response]}


MESSAGES = [
    line(1, "user", CONTEXT),
    line(
        2, "user", [{"text": "Fix @gate.py"}, {"text": "\n--- Content from referenced files ---\n"}, {"text": "x = 1"}]
    ),
    line(3, "info", "Update successful!"),
    line(
        4,
        "gemini",
        "It opens.",
        thoughts=[{"subject": "Gate", "description": "It sticks."}],
        toolCalls=[call("c1", "list_directory", "gate.py")],
    ),
]


@pytest.mark.parametrize("old", [True, False])
def test_both_forms_come_with_their_fields(tmp_path: Path, old: bool) -> None:
    lines = [meta(), *MESSAGES, {"$set": {"lastUpdated": "2026-02-01T10:01:00Z", "summary": "Gate"}}]
    path = write_lines(tmp_path / NAME, lines)
    if old:
        path = write_json(tmp_path / "chats" / "session-1.json", {**meta(), "summary": "Gate", "messages": MESSAGES})
    assert detect(path) is Format.GEMINI_CLI
    (found,) = conversations(path)
    assert (found.source, found.external_id, found.title, found.agent) == ("gemini-cli", "session-1", "Gate", True)
    assert (found.folder, found.project) == ("/home/ann/garden", "garden")
    assert found.created_at == clock.from_iso("2026-02-01T10:00:00Z")
    assert kinds(found.messages)[1:] == [
        (Role.USER, Channel.ATTACHMENT, True, "x = 1"),
        (Role.USER, Channel.SPOKEN, False, "Fix @gate.py"),
        (Role.ASSISTANT, Channel.THINKING, False, "Gate\nIt sticks."),
        (Role.ASSISTANT, Channel.SPOKEN, False, "It opens."),
        (Role.ASSISTANT, Channel.TOOL, False, 'list_directory {"path":"."}'),
        (Role.TOOL, Channel.TOOL, False, "gate.py"),
    ]
    assert (found.messages[0].channel, found.messages[0].hidden) == (Channel.INJECTED, True)
    assert found.messages[2].created_at == clock.from_iso("2026-02-01T10:00:02Z")
    assert skipped(items(path)) == {"not_a_message": 1}


def test_a_message_of_the_person_without_content_is_named(tmp_path: Path) -> None:
    lines = [meta(), {"id": "1", "type": "user", "contents": [{"text": "Fix the gate"}]}, *MESSAGES]
    found = items(write_lines(tmp_path / NAME, lines))
    (problem,) = [one for one in found if isinstance(one, Problem)]
    assert problem.place.endswith("message 1") and problem.reason == "it has no content"
    assert skipped(found) == {"not_a_message": 1}


@pytest.mark.parametrize(
    ("content", "spoken", "others"),
    [
        ([{"text": "Plant a tree"}, {"text": "<hook_context>rain</hook_context>"}], ["Plant a tree"], ["rain"]),
        ("Is /usr/bin there?", ["Is /usr/bin there?"], []),
        ("/compress", [], ["/compress"]),
        ("/memory add I like oaks", [], ["I like oaks"]),
        (
            "<state_snapshot><goal>trees</goal></state_snapshot>",
            [],
            ["<state_snapshot><goal>trees</goal></state_snapshot>"],
        ),
        ([{"text": "Look"}, {"inlineData": {"mimeType": "image/png", "data": ""}}], ["Look\n[image]"], []),
    ],
)
def test_the_person_is_told_apart_from_the_program(
    tmp_path: Path, content: object, spoken: list[str], others: list[str]
) -> None:
    found = session(tmp_path, meta(), line(1, "user", content), line(2, "gemini", "Yes."))
    typed = [m for m in found.messages if m.role is Role.USER]
    assert said(m for m in typed if m.channel is Channel.SPOKEN) == spoken
    assert said(m for m in typed if m.channel is not Channel.SPOKEN) == others


def test_what_was_shown_is_what_was_typed(tmp_path: Path) -> None:
    found = session(tmp_path, meta(), line(1, "user", "Expanded prompt", displayContent="/plan a hedge, please"))
    assert kinds(found.messages) == [
        (Role.USER, Channel.INJECTED, True, "Expanded prompt"),
        (Role.USER, Channel.INJECTED, True, "/plan a hedge, please"),
    ]


def test_what_was_taken_back_is_inactive_and_a_repeated_id_counts_last(tmp_path: Path) -> None:
    found = session(
        tmp_path,
        meta(),
        line(1, "user", "One tree"),
        line(2, "gemini", "On"),
        line(2, "gemini", "One."),
        line(3, "user", "Two trees"),
        {"$rewindTo": "m3"},
        line(4, "user", "Three trees"),
    )
    assert [(m.text, m.active) for m in found.messages] == [
        ("One tree", True),
        ("One.", True),
        ("Two trees", False),
        ("Three trees", True),
    ]


def test_a_compressed_chat_repeats_nothing(tmp_path: Path) -> None:
    summary = line(9, "user", "<state_snapshot>trees</state_snapshot>")
    kept = line(2, "gemini", "[masked]")
    found = session(
        tmp_path,
        meta(),
        line(1, "user", "One tree"),
        line(2, "gemini", "One."),
        {"$set": {"messages": [summary, kept]}},
    )
    assert [m.text for m in found.messages] == ["One tree", "One.", "<state_snapshot>trees</state_snapshot>"]
    assert found.messages[2].channel is Channel.SUMMARY


def test_sub_agents_belong_to_their_session(tmp_path: Path) -> None:
    write_lines(tmp_path / NAME, [meta(), line(1, "user", "Look around")])
    write_lines(
        tmp_path / "chats" / "session-1" / "agent-1.jsonl",
        [meta(sessionId="agent-1", kind="subagent"), line(1, "user", "Explore")],
    )
    first, second = conversations(tmp_path)
    assert first.identity == second.identity
    assert {(m.channel, m.hidden) for m in second.messages} == {(Channel.SIDECHAIN, True)}
    assert not {m.identity for m in first.messages} & {m.identity for m in second.messages}


def test_a_saved_chat_is_read_only_without_its_session(tmp_path: Path) -> None:
    contents = [{"role": "user", "parts": [{"text": "Hi"}]}, {"role": "model", "parts": [{"text": "Hello"}]}]
    for value in (contents, {"history": contents, "authType": "x"}):
        path = write_json(tmp_path / "garden" / "checkpoint-a.json", value)
        assert detect(path) is Format.GEMINI_CLI
        assert said(conversations(path)[0].messages) == ["Hi", "Hello"]
    prompts = [{"sessionId": "s", "messageId": 0, "type": "user", "message": "Hi", "timestamp": "t"}]
    write_json(tmp_path / "garden" / "logs.json", prompts)
    write_lines(tmp_path / "garden" / NAME, [meta(), line(1, "user", "Hi")])
    assert len(conversations(tmp_path)) == 1
    assert skipped(items(tmp_path)) == {"other_file": 1, "not_a_message": 1}


def test_the_folder_is_named_beside_the_session(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "garden" / NAME, [meta(), line(1, "user", "Hi")])
    assert conversations(path)[0].project is None
    assert conversations(tmp_path)[0].project == "garden"
    (tmp_path / "garden" / ".project_root").write_text("/home/ann/orchard\n")
    assert conversations(path)[0].folder == "/home/ann/orchard"
    archive = write_zip(tmp_path / "all.zip", {f"garden/{NAME}": path.read_text()})
    assert conversations(archive)[0].messages == conversations(path)[0].messages


def test_a_grown_session_keeps_its_identities(tmp_path: Path) -> None:
    path = write_lines(tmp_path / NAME, [meta(), line(1, "user", "Yes"), line(2, "gemini", "Done.")])
    (mark,) = [item for item in items(path) if isinstance(item, FileMark)]
    assert items(path, options=Options({mark.path: mark}.get)) == [mark]
    (before,) = conversations(path)
    done = line(2, "gemini", "Done.", toolCalls=[call("c", "ls", "a")])
    path.write_text(path.read_text() + json.dumps(done) + '\n{"id": "m')
    (after,) = conversations(path, options=Options({mark.path: mark}.get))
    assert problems(items(path)) == []
    assert after.messages[:2] == before.messages
    assert len({m.identity for m in after.messages}) == 4


def test_a_damaged_line_is_a_problem_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "session-1.jsonl"
    path.write_text("\n".join((json.dumps(meta()), '{"type": "us', json.dumps(line(1, "user", "After")), "")))
    assert [problem.place for problem in problems(items(path))] == ["session-1.jsonl: line 2"]
    assert said(conversations(path)[0].messages) == ["After"]


def test_an_early_session_of_qwen_is_named_so(tmp_path: Path) -> None:
    path = write_json(
        tmp_path / "session-1.json", {**meta(), "messages": [line(1, "user", "Hi"), line(2, "qwen", "Hello")]}
    )
    assert detect(path) is Format.QWEN_CODE
    (found,) = conversations(path)
    assert (found.source, said(found.messages)) == ("qwen-code", ["Hi", "Hello"])


def test_a_session_of_qwen_is_a_tree(tmp_path: Path) -> None:
    result = {"functionResponse": {"name": "ls", "response": {"output": "gate.py"}}}
    lines = [
        qwen_line(1, "user", {"text": "Fix the gate"}),
        qwen_line(2, "assistant", {"text": "Hm.", "thought": True}, {"functionCall": {"name": "ls", "args": {}}}),
        qwen_line(3, "tool_result", result),
        qwen_line(4, "assistant", {"text": "It opens."}),
        qwen_line(5, "user", {"text": "Paint it"}, parentUuid=uuid(4)),
        qwen_line(6, "system", subtype="custom_title", systemPayload={"customTitle": "Gate"}, message=None),
        qwen_line(7, "user", {"text": "Oil it"}, parentUuid=uuid(4), systemPayload={"displayText": "Oil it"}),
        qwen_line(8, "user", {"text": "Task done"}, subtype="notification", provenance="system"),
    ]
    path = write_lines(tmp_path / "projects" / "-garden" / "chats" / "session-1.jsonl", lines)
    assert detect(path) is Format.QWEN_CODE
    (found,) = conversations(path)
    assert (found.source, found.external_id, found.title, found.project) == ("qwen-code", "session-1", "Gate", "garden")
    assert [(m.role, m.channel, m.active, m.text) for m in found.messages] == [
        (Role.USER, Channel.SPOKEN, True, "Fix the gate"),
        (Role.ASSISTANT, Channel.THINKING, True, "Hm."),
        (Role.ASSISTANT, Channel.TOOL, True, "ls {}"),
        (Role.TOOL, Channel.TOOL, True, "gate.py"),
        (Role.ASSISTANT, Channel.SPOKEN, True, "It opens."),
        (Role.USER, Channel.SPOKEN, False, "Paint it"),
        (Role.USER, Channel.SPOKEN, True, "Oil it"),
        (Role.USER, Channel.INJECTED, True, "Task done"),
    ]
    assert skipped(items(path)) == {"not_a_message": 1}


def test_a_branched_session_of_qwen_copies_no_message(tmp_path: Path) -> None:
    old = [qwen_line(1, "user", {"text": "One tree"}), qwen_line(2, "assistant", {"text": "One."})]
    write_lines(tmp_path / "a.jsonl", old)
    new = [one | {"sessionId": "session-2"} for one in (*old, qwen_line(3, "user", {"text": "Two trees"}))]
    write_lines(tmp_path / "b.jsonl", new)
    first, second = conversations(tmp_path)
    assert [m.identity for m in second.messages][:2] == [m.identity for m in first.messages]
    agent = write_lines(tmp_path / "subagents" / "session-1" / "agent-1.jsonl", [qwen_line(9, "user", {"text": "Go"})])
    assert [m.channel for m in conversations(tmp_path)[2].messages] == [Channel.SIDECHAIN]
    assert detect(agent) is Format.QWEN_CODE


def test_their_folders_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.delenv("QWEN_RUNTIME_DIR", raising=False)
    monkeypatch.setenv("GEMINI_CLI_HOME", str(tmp_path / "g"))
    monkeypatch.setenv("QWEN_HOME", str(tmp_path / "q"))
    write_lines(tmp_path / "g" / ".gemini" / "tmp" / "garden" / NAME, [meta()])
    write_lines(tmp_path / "q" / "projects" / "garden" / "chats" / "a.jsonl", [qwen_line(1, "user", {"text": "Hi"})])
    assert sorted(find_logs()) == [
        (Format.GEMINI_CLI, tmp_path / "g" / ".gemini" / "tmp"),
        (Format.QWEN_CODE, tmp_path / "q" / "projects"),
    ]

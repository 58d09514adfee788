"""GitHub Copilot: sessions of its command line, and VS Code chats in both forms."""

import json
from pathlib import Path
from typing import Any

import pytest

from curator.importers import Format, Options, detect, find_logs
from importers.sample_logs import (
    conversations,
    items,
    problems,
    said,
    skipped,
    uuid,
    vscode_chat,
    write_json,
    write_lines,
    write_zip,
)
from importers.sample_logs import copilot_event as event
from importers.sample_logs import vscode_request as request
from store import clock
from store.model import Channel, FileMark, NewMessage, Role

START = event(1, "session.start", sessionId="s1", startTime="2026-03-01T10:00:00.000Z", context={"cwd": "/work/garden"})


def kinds(messages: tuple[NewMessage, ...]) -> list[tuple[Role, Channel, bool, str]]:
    return [(m.role, m.channel, m.hidden, m.text) for m in messages]


def test_a_session_comes_with_its_fields(tmp_path: Path) -> None:
    call = {"toolCallId": "c", "name": "bash", "arguments": {"command": "ls"}}
    lines = [
        START,
        event(2, "system.message", content="You are Copilot."),
        event(
            3, "user.message", content="Fix the gate", attachments=[{"path": "/work/gate.py"}], transformedContent="x"
        ),
        event(4, "assistant.message", content="Looking.", reasoningText="Hm.", toolRequests=[call]),
        event(5, "tool.execution_start", toolCallId="c", toolName="bash"),
        event(6, "tool.execution_complete", toolCallId="c", success=True, result={"content": "gate.py"}),
        event(7, "assistant.message", content="Explored.", parentToolCallId="t"),
        event(8, "session.compaction_complete", success=True, summaryContent="They fix a gate."),
        event(9, "user.message", content="<skill>plan</skill>", source="skill-plan"),
    ]
    path = write_lines(tmp_path / "s1" / "events.jsonl", lines)
    (tmp_path / "s1" / "workspace.yaml").write_text("id: s1\nsummary: Gate\n")
    assert detect(path) is Format.COPILOT_CLI
    (found,) = conversations(path)
    assert (found.source, found.external_id, found.title, found.agent) == ("copilot-cli", "s1", "Gate", True)
    assert (found.project, found.folder) == ("garden", "/work/garden")
    assert found.created_at == clock.from_iso("2026-03-01T10:00:00Z")
    assert kinds(found.messages) == [
        (Role.SYSTEM, Channel.INJECTED, True, "You are Copilot."),
        (Role.USER, Channel.SPOKEN, False, "Fix the gate\n[attachment: gate.py]"),
        (Role.ASSISTANT, Channel.THINKING, False, "Hm."),
        (Role.ASSISTANT, Channel.SPOKEN, False, "Looking."),
        (Role.ASSISTANT, Channel.TOOL, False, 'bash {"command":"ls"}'),
        (Role.TOOL, Channel.TOOL, False, "gate.py"),
        (Role.ASSISTANT, Channel.SIDECHAIN, True, "Explored."),
        (Role.ASSISTANT, Channel.SUMMARY, True, "They fix a gate."),
        (Role.USER, Channel.INJECTED, True, "<skill>plan</skill>"),
    ]
    assert found.messages[1].created_at == clock.from_iso("2026-03-01T10:00:03Z")
    assert skipped(items(path)) == {"not_a_message": 2}
    archive = write_zip(tmp_path / "all.zip", {"s1/events.jsonl": path.read_text()})
    assert conversations(archive)[0].messages == found.messages


def test_what_was_rewound_is_inactive_and_a_grown_session_keeps_its_identities(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "s1.jsonl", [START, event(2, "user.message", content="Yes")])
    (mark,) = [item for item in items(path) if isinstance(item, FileMark)]
    assert items(path, options=Options({mark.path: mark}.get)) == [mark]
    (before,) = conversations(path)
    more = [
        event(3, "user.message", content="Two trees"),
        event(4, "session.snapshot_rewind", upToEventId=uuid(3)),
        event(5, "user.message", content="Yes"),
    ]
    path.write_text(path.read_text() + "".join(json.dumps(one) + "\n" for one in more) + '{"type": "us')
    (after,) = conversations(path, options=Options({mark.path: mark}.get))
    assert [(m.text, m.active) for m in after.messages] == [("Yes", True), ("Two trees", False), ("Yes", True)]
    assert after.messages[0] == before.messages[0]
    assert problems(items(path)) == []
    path.write_text(path.read_text() + "\n")
    assert [one.place for one in problems(items(path))] == ["s1.jsonl: line 6"]


def test_the_early_form_is_read(tmp_path: Path) -> None:
    call = {"function": {"name": "view", "arguments": '{"path":"a"}'}}
    chat = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello", "tool_calls": [call]},
        {"role": "tool", "content": "a"},
    ]
    value = {"sessionId": "s0", "startTime": "2025-10-01T10:00:00Z", "chatMessages": chat, "timeline": []}
    path = write_json(tmp_path / "session_s0.json", value)
    assert detect(path) is Format.COPILOT_CLI
    (found,) = conversations(path)
    assert said(found.messages) == ["Hi", "Hello", 'view {"path":"a"}', "a"]
    assert found.created_at == clock.from_iso("2025-10-01T10:00:00Z")


PARTS: list[Any] = [
    {"kind": "thinking", "value": "Hm."},
    {"value": "See "},
    {"kind": "inlineReference", "inlineReference": {"path": "/work/gate.py"}},
    {"value": ". "},
    {
        "kind": "toolInvocationSerialized",
        "toolId": "run",
        "pastTenseMessage": {"value": "Ran ls"},
        "resultDetails": {"output": [{"value": "gate.py"}]},
    },
    {"kind": "undoStop", "id": "x"},
    {"kind": "markdownContent", "content": {"value": "It opens."}},
]
EXPECTED = [
    (Role.USER, Channel.SPOKEN, False, "Fix the gate\n[attachment: gate.py]"),
    (Role.ASSISTANT, Channel.THINKING, False, "Hm."),
    (Role.ASSISTANT, Channel.TOOL, False, "run Ran ls"),
    (Role.TOOL, Channel.TOOL, False, "gate.py"),
    (Role.ASSISTANT, Channel.SPOKEN, False, "See `gate.py`.\n\nIt opens."),
]
FILES = {"variables": [{"kind": "file", "name": "gate.py"}, {"kind": "tool", "name": "search"}]}


def test_a_chat_of_vscode_comes_with_its_fields(tmp_path: Path) -> None:
    chat = vscode_chat(request("r1", "Fix the gate", *PARTS, variableData=FILES), customTitle="Gate")
    path = write_json(tmp_path / "w1" / "chatSessions" / "c1.json", chat)
    write_json(tmp_path / "w1" / "workspace.json", {"folder": "file:///home/ann/my%20garden"})
    assert detect(path) is Format.COPILOT_CHAT
    (found,) = conversations(path)
    assert (found.source, found.external_id, found.title, found.agent) == ("copilot-chat", "c1", "Gate", True)
    assert (found.project, found.folder) == ("my garden", "/home/ann/my garden")
    assert found.created_at == 1_770_000_000_000_000
    assert kinds(found.messages) == EXPECTED
    assert found.messages[0].created_at == 1_770_000_001_000_000
    assert conversations(tmp_path)[0].messages == found.messages
    exported = write_json(tmp_path / "chat.json", {"responderUsername": "GitHub Copilot", "requests": chat["requests"]})
    assert detect(exported) is Format.COPILOT_CHAT
    assert kinds(conversations(exported)[0].messages) == EXPECTED


def test_a_log_of_changes_is_the_chat_that_it_makes(tmp_path: Path) -> None:
    begun = vscode_chat(request("r1", "Fix the gate", PARTS[0], {"value": "Wrong"}, variableData=FILES))
    lines = [
        {"kind": 0, "v": {**begun, "customTitle": "Old"}},
        {"kind": 2, "k": ["requests", 0, "response"], "i": 1, "v": PARTS[1:]},
        {"kind": 1, "k": ["customTitle"], "v": "Gate"},
        {"kind": 3, "k": ["customTitle"]},
        {"kind": 1, "k": ["requests", 9, "response"], "v": []},
    ]
    path = write_lines(tmp_path / "c1.jsonl", lines)
    assert detect(path) is Format.COPILOT_CHAT
    (found,) = conversations(path)
    assert (found.title, kinds(found.messages)) == ("Fix the gate", EXPECTED)
    assert [one.place for one in problems(items(path))] == ["c1.jsonl: line 5"]


def test_a_grown_chat_keeps_its_identities_and_an_undone_request_is_inactive(tmp_path: Path) -> None:
    first, second = request("r1", "Yes", {"value": "Done."}), request("r2", "Yes", {"value": "Done."}, isHidden=True)
    (before,) = conversations(write_json(tmp_path / "a.json", vscode_chat(first)))
    (after,) = conversations(write_json(tmp_path / "b.json", vscode_chat(first, second)))
    assert after.identity == before.identity
    assert after.messages[:2] == before.messages
    assert [m.active for m in after.messages] == [True, True, False, False]
    assert len({m.identity for m in after.messages}) == 4


def test_their_folders_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "c"))
    monkeypatch.setenv("COPILOT_HOME", str(tmp_path / "p"))
    write_lines(tmp_path / "p" / "session-state" / "s1" / "events.jsonl", [START])
    write_json(tmp_path / "c" / "Code" / "User" / "workspaceStorage" / "w" / "chatSessions" / "c.json", vscode_chat())
    assert sorted(find_logs()) == [
        (Format.COPILOT_CHAT, tmp_path / "c" / "Code" / "User" / "workspaceStorage"),
        (Format.COPILOT_CLI, tmp_path / "p" / "session-state"),
    ]

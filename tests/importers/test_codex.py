"""Codex sessions of all versions: the person's prompts apart from copies and from what the program added."""

import json
from pathlib import Path

import pyarrow
import pytest

from curator.importers import Format, Options, detect, find_logs
from importers.sample_logs import codex_event as event
from importers.sample_logs import codex_line as line
from importers.sample_logs import codex_meta as meta
from importers.sample_logs import codex_turn as turn
from importers.sample_logs import (
    conversations,
    items,
    problems,
    said,
    skipped,
    uuid,
    write_json,
    write_lines,
    write_zip,
)
from store import clock
from store.model import Channel, FileMark, NewConversation, NewMessage, Role

NAME = f"rollout-2025-11-03T10-00-00-{uuid(1)}.jsonl"
ENVIRONMENT = "<environment_context>\n  <cwd>/home/ann/work/garden</cwd>\n</environment_context>"


def session(tmp_path: Path, *lines: object) -> NewConversation:
    (found,) = conversations(write_lines(tmp_path / NAME, lines))
    return found


def kinds(messages: tuple[NewMessage, ...]) -> list[tuple[Role, Channel, bool, str]]:
    return [(m.role, m.channel, m.hidden, m.text) for m in messages]


def test_a_session_comes_with_its_fields(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / NAME,
        [
            meta(),
            turn(1, "developer", "You are Codex."),
            turn(1, "user", "# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nTabs.\n</INSTRUCTIONS>", ENVIRONMENT),
            event(2, "user_message", message="Fix the gate"),
            turn(2, "user", "Fix the gate"),
            line(3, "response_item", type="reasoning", summary=[{"type": "summary_text", "text": "Hm."}]),
            event(3, "agent_reasoning", text="Hm."),
            line(4, "response_item", type="function_call", name="shell", arguments='{"command":["ls"]}', call_id="c"),
            line(
                5, "response_item", type="function_call_output", call_id="c", output='{"output":"a.py","metadata":{}}'
            ),
            line(5, "response_item", type="custom_tool_call", name="apply_patch", input="*** Begin", call_id="d"),
            line(5, "response_item", type="custom_tool_call_output", call_id="d", output=[{"text": "Done"}]),
            line(5, "response_item", type="web_search_call", action={"type": "search", "query": "gates"}),
            event(6, "agent_message", message="It opens."),
            turn(6, "assistant", "It opens."),
            event(7, "token_count", info=None),
            line(7, "world_state", full=True),
        ],
    )
    assert detect(path) is Format.CODEX
    (found,) = conversations(path)
    assert (found.source, found.external_id, found.project) == ("codex", uuid(1), "garden")
    assert (found.title, found.agent, found.folder) == ("Fix the gate", True, "/home/ann/work/garden")
    assert found.created_at == clock.from_iso("2025-11-03T10:00:00Z")
    assert kinds(found.messages)[1:] == [
        (
            Role.USER,
            Channel.INJECTED,
            True,
            "# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nTabs.\n</INSTRUCTIONS>",
        ),
        (Role.USER, Channel.INJECTED, True, ENVIRONMENT),
        (Role.USER, Channel.SPOKEN, False, "Fix the gate"),
        (Role.ASSISTANT, Channel.THINKING, False, "Hm."),
        (Role.ASSISTANT, Channel.TOOL, False, 'shell {"command":["ls"]}'),
        (Role.TOOL, Channel.TOOL, False, "a.py"),
        (Role.ASSISTANT, Channel.TOOL, False, "apply_patch *** Begin"),
        (Role.TOOL, Channel.TOOL, False, "Done"),
        (Role.ASSISTANT, Channel.TOOL, False, 'web_search {"type":"search","query":"gates"}'),
        (Role.ASSISTANT, Channel.SPOKEN, False, "It opens."),
    ]
    assert found.messages[3].created_at == clock.from_iso("2025-11-03T10:00:02Z")
    assert (found.messages[0].role, found.messages[0].channel) == (Role.SYSTEM, Channel.INJECTED)
    assert skipped(items(path)) == {"not_a_message": 3}


def test_early_forms_are_read(tmp_path: Path) -> None:
    header = {"id": uuid(1), "timestamp": "2025-06-03T10:00:00.000Z", "instructions": None}
    said_items = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": ENVIRONMENT}]},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Plant a tree"}]},
        {"record_type": "state"},
        {"type": "local_shell_call", "action": {"type": "exec", "command": ["dig"]}, "call_id": "c"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Planted."}]},
    ]
    bare = write_lines(tmp_path / NAME, [header, *said_items])
    whole = write_json(tmp_path / "rollout-2025-05-01.json", {"session": header, "items": said_items})
    for path in (bare, whole):
        assert detect(path) is Format.CODEX
        (found,) = conversations(path)
        assert (found.external_id, found.title, found.project) == (uuid(1), "Plant a tree", "garden")
        assert found.created_at == clock.from_iso("2025-06-03T10:00:00Z")
        assert [m.created_at for m in found.messages] == [None] * 4
        assert kinds(found.messages)[1:] == [
            (Role.USER, Channel.SPOKEN, False, "Plant a tree"),
            (Role.ASSISTANT, Channel.TOOL, False, 'local_shell {"type":"exec","command":["dig"]}'),
            (Role.ASSISTANT, Channel.SPOKEN, False, "Planted."),
        ]


@pytest.mark.parametrize(
    ("text", "spoken", "injected"),
    [
        ("<turn_aborted>\nThe user interrupted.\n</turn_aborted>", [], 1),
        ("<skill>\n<name>plan</name>\n</skill>", [], 1),
        ("<image name=[Image #1]>", [], 0),
        (
            "# Context from my IDE setup:\n\n## Open tabs:\n- a.py\n\n## My request for Codex:\nRename it",
            ["Rename it"],
            1,
        ),
        ("Why does <b>x</b> fail?", ["Why does <b>x</b> fail?"], 0),
        ("Another language model started to solve this problem and produced a summary", [], 1),
    ],
)
def test_what_the_program_added_is_not_the_person(tmp_path: Path, text: str, spoken: list[str], injected: int) -> None:
    found = session(tmp_path, meta(), turn(1, "user", text), turn(2, "assistant", "Yes."))
    typed = [m for m in found.messages if m.role is Role.USER]
    assert said(m for m in typed if m.channel is Channel.SPOKEN) == spoken
    assert len([m for m in typed if m.hidden]) == injected


def test_events_count_only_where_the_item_is_missing(tmp_path: Path) -> None:
    found = session(
        tmp_path,
        meta(),
        event(1, "user_message", message="One tree"),
        event(2, "agent_message", message="Yes."),
        event(3, "user_message", message="Two trees"),
        turn(3, "user", "Two trees"),
    )
    assert said(found.messages) == ["One tree", "Yes.", "Two trees"]


def test_turns_that_were_rolled_back_are_inactive(tmp_path: Path) -> None:
    found = session(
        tmp_path,
        meta(),
        turn(1, "user", "One tree"),
        turn(2, "assistant", "One."),
        event(3, "user_message", message="Two trees"),
        turn(3, "user", "Two trees"),
        turn(4, "assistant", "Two."),
        event(5, "thread_rolled_back", num_turns=1),
        turn(6, "user", "Three trees"),
    )
    assert said(m for m in found.messages if m.active) == ["One tree", "One.", "Three trees"]


def test_a_compaction_repeats_nothing(tmp_path: Path) -> None:
    repeated = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "One tree"}]}
    found = session(
        tmp_path,
        meta(),
        turn(1, "user", "One tree"),
        line(2, "compacted", message="They want one tree.", replacement_history=[repeated]),
        turn(3, "user", "Go on"),
    )
    assert kinds(found.messages) == [
        (Role.USER, Channel.SPOKEN, False, "One tree"),
        (Role.ASSISTANT, Channel.SUMMARY, True, "They want one tree."),
        (Role.USER, Channel.SPOKEN, False, "Go on"),
    ]


def test_a_fork_shares_the_messages_it_copied(tmp_path: Path) -> None:
    old = [turn(1, "user", "One tree"), turn(2, "assistant", "Yes.")]
    write_lines(tmp_path / NAME, [meta(), *old])
    copied = [turn(30, "user", "One tree"), turn(30, "assistant", "Yes.")]
    fork = [meta(2, forked_from_id=uuid(1)), meta(1), *copied, turn(40, "user", "Ten trees")]
    write_lines(tmp_path / f"rollout-2025-11-03T10-00-30-{uuid(2)}.jsonl", fork)
    first, second = conversations(tmp_path)
    assert [first.external_id, second.external_id] == [uuid(1), uuid(2)]
    assert first.identity != second.identity
    assert [m.identity for m in second.messages][:2] == [m.identity for m in first.messages]
    assert said(second.messages) == ["One tree", "Yes.", "Ten trees"]


def test_a_sub_agent_belongs_to_its_session(tmp_path: Path) -> None:
    write_lines(tmp_path / NAME, [meta(), turn(1, "user", "Look around")])
    source = {"subagent": {"thread_spawn": {"parent_thread_id": uuid(1), "depth": 1}}}
    agent = [meta(2, source=source), turn(2, "user", "Explore"), turn(3, "assistant", "Found.")]
    write_lines(tmp_path / f"rollout-2025-11-03T10-00-30-{uuid(2)}.jsonl", agent)
    first, second = conversations(tmp_path)
    assert first.identity == second.identity
    assert {(m.channel, m.hidden) for m in second.messages} == {(Channel.SIDECHAIN, True)}


def test_archived_and_compressed_sessions_are_the_same(tmp_path: Path) -> None:
    lines = [meta(), turn(1, "user", "One tree")]
    path = write_lines(tmp_path / "sessions" / "2025" / "11" / "03" / NAME, lines)
    expected = conversations(path)
    packed = tmp_path / "archived_sessions" / f"{NAME}.zst"
    packed.parent.mkdir()
    with pyarrow.output_stream(str(packed), compression="zstd") as stream:
        stream.write(path.read_bytes())
    assert detect(packed) is Format.CODEX
    assert conversations(packed) == expected
    assert conversations(write_zip(tmp_path / "all.zip", {f"x/{NAME}": path.read_text()})) == expected
    (path.parent / f"{NAME}.zst").write_bytes(packed.read_bytes())
    assert conversations(path.parent) == expected


def test_titles_come_from_the_index(tmp_path: Path) -> None:
    index = {"id": uuid(1), "thread_name": "Trees", "updated_at": "2025-11-03T10:00:00Z"}
    write_lines(tmp_path / "session_index.jsonl", [{**index, "thread_name": "Old"}, index])
    path = write_lines(tmp_path / "sessions" / NAME, [meta(), turn(1, "user", "One tree")])
    assert [one.title for one in conversations(path)] == ["Trees"]
    assert [one.title for one in conversations(tmp_path)] == ["Trees"]


def test_a_grown_session_keeps_its_identities(tmp_path: Path) -> None:
    lines = [meta(), turn(1, "user", "Yes"), turn(2, "assistant", "Done.")]
    path = write_lines(tmp_path / NAME, lines)
    found = items(path)
    (mark,) = [item for item in found if isinstance(item, FileMark)]
    assert items(path, options=Options({mark.path: mark}.get)) == [mark]
    (before,) = conversations(path)
    path.write_text(path.read_text() + json.dumps(turn(3, "user", "Yes")) + '\n{"timestamp": "2025')
    (after,) = conversations(path, options=Options({mark.path: mark}.get))
    assert problems(items(path)) == []
    assert after.messages[:2] == before.messages
    assert len({m.identity for m in after.messages}) == 3


def test_a_damaged_line_is_a_problem_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / NAME
    path.write_text("\n".join((json.dumps(meta()), '{"type": "event', json.dumps(turn(1, "user", "After")), "")))
    found = items(path)
    assert [problem.place for problem in problems(found)] == [f"{NAME}: line 2"]
    assert said(conversations(path)[0].messages) == ["After"]


def test_memories_about_the_person_are_saved_ones(tmp_path: Path) -> None:
    handbook = (
        "# Task Group: garden\nscope: trees\n\n## Task 1: plant\n\n- dug\n\n## User preferences\n\n- likes oaks\n"
    )
    (tmp_path / "MEMORY.md").write_text(handbook)
    (tmp_path / "memory_summary.md").write_text("v1\n\n## User Profile\n\nAnn gardens.\n")
    first, second = conversations(tmp_path)
    assert {first.source, second.source} == {"codex"}
    assert [(m.channel, m.text.splitlines()[0]) for m in first.messages] == [
        (Channel.SUMMARY, "# Task Group: garden"),
        (Channel.SUMMARY, "## Task 1: plant"),
        (Channel.SAVED, "## User preferences"),
    ]
    assert [m.channel for m in second.messages] == [Channel.SUMMARY, Channel.SAVED]
    (tmp_path / "MEMORY.md").write_text(f"{handbook}\n# Task Group: house\n")
    assert conversations(tmp_path)[0].messages[:3] == first.messages


def test_the_folder_of_codex_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    write_lines(tmp_path / "codex" / "sessions" / NAME, [meta()])
    assert find_logs() == [(Format.CODEX, tmp_path / "codex" / "sessions")]

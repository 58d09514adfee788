"""Sessions of agents that keep one file each: roles, growth, damage, and a second import."""

import json
from pathlib import Path

import pytest

from curator.importers import Format, detect, find_logs
from curator.services.import_logs import import_paths
from effort import thorough
from importers.agent_logs import (
    AGENT_LOGS,
    MORE,
    AgentLog,
    antigravity,
    antigravity_step,
    droid,
    droid_line,
    kimi,
    pi,
    pi_early,
    pi_entry,
)
from importers.sample_databases import by_channel
from importers.sample_logs import conversations, items, problems, said, skipped, write_json, write_lines, write_zip
from store import Store
from store.model import Channel, Role

ASKED, ANSWERED = "Fix the gate", "It opens."


def written(folder: Path, log: AgentLog) -> Path:
    return write_lines(folder / log.name, log.lines(ASKED, ANSWERED))


@pytest.mark.parametrize("log", AGENT_LOGS, ids=lambda log: log.name)
def test_a_session_is_read(tmp_path: Path, log: AgentLog) -> None:
    path = written(tmp_path, log)
    assert detect(path) is log.form
    (found,) = conversations(path)
    assert (found.source, found.agent, found.title) == (log.form, True, "Gate" if found.title == "Gate" else ASKED)
    heard = by_channel(found.messages)
    if log.hidden:
        assert heard == {"user.sidechain": [ASKED], "assistant.sidechain": [ANSWERED]}
        assert all(one.hidden for one in found.messages)
        return
    assert heard.pop("user.spoken") == [ASKED]
    assert heard.pop("assistant.spoken")[0].endswith(ANSWERED)
    assert heard == log.beside
    assert all(one.active for one in found.messages)
    archived = write_zip(tmp_path / "a.zip", {log.name: path.read_text()})
    assert conversations(archived)[0].messages == found.messages
    assert conversations(archived)[0].identity == found.identity


@pytest.mark.parametrize("log", AGENT_LOGS, ids=lambda log: log.name)
def test_a_grown_session_and_one_with_damaged_lines(tmp_path: Path, log: AgentLog) -> None:
    path = written(tmp_path, log)
    (before,) = conversations(path)
    with path.open("a") as file:
        file.write('{"damaged\n')
        file.write("".join(json.dumps(line) + "\n" for line in log.more))
        file.write('{"half": "a li')
    found = items(path)
    (after,) = conversations(path)
    assert after.identity == before.identity
    new = [one for one in after.messages if one.identity not in {old.identity for old in before.messages}]
    assert [one.text for one in new if one.role is Role.USER] == [MORE]
    assert {one.identity for one in before.messages} < {one.identity for one in after.messages}
    line = len(log.lines("", "")) + 1
    assert [one.place.rpartition(": ")[2] for one in problems(found)] == [f"line {line}"]


@thorough
def test_imported_again_they_add_what_is_new_and_name_what_is_damaged_each_time(tmp_path: Path, store: Store) -> None:
    folder = tmp_path / "logs"
    paths = [written(folder / str(number), log) for number, log in enumerate(AGENT_LOGS)]
    first = import_paths(store, [folder], None)
    again = import_paths(store, [folder], None)
    assert (first.conversations, again.conversations, again.messages.total()) == (len(AGENT_LOGS), 0, 0)
    for path, log in zip(paths, AGENT_LOGS, strict=True):
        with path.open("a") as file:
            file.write("{damaged\n" + "".join(json.dumps(line) + "\n" for line in log.more))
    grown = import_paths(store, [folder], None)
    assert (grown.conversations, grown.messages["user"]) == (0, len(AGENT_LOGS) - 1)  # a sub-agent's are hidden
    for _ in range(2):
        same = import_paths(store, [folder], None)
        assert (same.conversations, same.messages.total(), same.invalid) == (0, 0, len(AGENT_LOGS))


def test_a_branch_that_was_left_and_a_fork_with_copies(tmp_path: Path) -> None:
    lines = [*pi(ASKED, ANSWERED), pi_entry(6, "user", "Paint it red"), pi_entry(7, "user", "Paint it blue", parent=5)]
    (found,) = conversations(write_lines(tmp_path / "2026_pi-1.jsonl", lines))
    assert [one.text for one in found.messages if not one.active] == ["Paint it red"]
    fork = [
        {**lines[0], "id": "pi-2", "parentSession": "2026_pi-1.jsonl"},
        *lines[1:5],
        pi_entry(8, "user", "Oil it", 4),
    ]
    (copy,) = conversations(write_lines(tmp_path / "fork" / "2026_pi-2.jsonl", fork))
    assert copy.identity != found.identity
    known = {one.identity for one in found.messages}
    assert [one.text for one in copy.messages if one.identity not in known] == ["Oil it"]
    early = pi_early(ASKED, ANSWERED)
    (former,) = conversations(write_lines(tmp_path / "early" / "2026_pi-0.jsonl", early))
    (copied,) = conversations(
        write_lines(tmp_path / "early2" / "2026_pi-9.jsonl", [{**early[0], "id": "pi-9"}, *early[1:]])
    )
    assert {one.identity for one in copied.messages} == {one.identity for one in former.messages}
    del lines[3]  # a missing parent does not make the rest an abandoned branch
    (cut,) = conversations(write_lines(tmp_path / "cut" / "2026_pi-1.jsonl", lines[:-1]))
    assert all(one.active for one in cut.messages)


def test_the_whole_transcript_of_antigravity_counts_and_its_export_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "ag-1" / ".system_generated" / "logs"
    write_lines(folder / "transcript.jsonl", antigravity(ASKED, "It op"))
    write_lines(
        folder / "transcript_full.jsonl", [*antigravity(ASKED, ANSWERED), antigravity_step(9, "MODEL", "X", "")]
    )
    (found,) = conversations(tmp_path)
    assert found.external_id == "ag-1"
    assert ANSWERED in said(found.messages)
    assert skipped(items(tmp_path)) == {"not_a_message": 2}
    export = tmp_path / "more" / "chat.md"
    export.parent.mkdir()
    export.write_text(f"# Chat\n\n### User Input\n\n{ASKED}\n\n### Planner Response\n\n*Viewed [a](b)*\n{ANSWERED}\n")
    assert detect(export) is Format.ANTIGRAVITY
    assert by_channel(conversations(export)[0].messages) == {
        "user.spoken": [ASKED],
        "assistant.spoken": [ANSWERED],
        "assistant.tool": ["*Viewed [a](b)*"],
    }


def test_what_droid_tells_only_the_model_is_not_the_persons(tmp_path: Path) -> None:
    line = droid_line(9, "user", {"type": "text", "text": "I own a boat"})
    line["message"]["visibility"] = "llm_only"
    (found,) = conversations(write_lines(tmp_path / "d1.jsonl", [*droid(ASKED, ANSWERED), line]))
    assert by_channel(found.messages)["user.spoken"] == [ASKED]
    assert "I own a boat" in by_channel(found.messages)["user.injected"]


def test_a_sub_agent_of_kimi_and_what_stands_beside_a_session(tmp_path: Path) -> None:
    session = tmp_path / "sessions" / "f" / "k"
    write_json(session / "state.json", {"custom_title": "Gate", "workDir": "/home/ann/garden"})
    write_lines(session / "wire.jsonl", kimi(ASKED, ANSWERED))
    write_lines(session / "subagents" / "a1" / "wire.jsonl", kimi("Look", "Seen."))
    agent, own = conversations(tmp_path)
    assert {one.channel for one in agent.messages} == {Channel.SIDECHAIN}
    assert (own.title, own.folder, own.external_id) == ("Gate", "/home/ann/garden", "k")
    assert agent.external_id == "k/a1"
    title = {"session_id": "kiro-1", "title": "Gate", "cwd": "/home/ann/garden", "session_state": {}}
    kiro = AGENT_LOGS[4]
    write_json(tmp_path / "kiro" / "k1.json", title)
    written(tmp_path / "kiro", kiro)
    (found,) = conversations(tmp_path / "kiro")
    assert (found.title, found.external_id, found.project) == ("Gate", "kiro-1", "garden")


def test_their_folders_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setattr("sys.platform", "linux")
    for name in ("FACTORY_HOME", "KIMI_CODE_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "HERMES_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    places = {
        Format.PI: ".openclaw/agents",
        Format.DROID: ".factory/sessions",
        Format.KIRO: ".kiro/sessions",
        Format.FX: ".fx/sessions",
        Format.KIMI: ".kimi/sessions",
        Format.MAKI: ".local/state/maki/sessions",
        Format.WORKBUDDY: ".codebuddy/projects",
        Format.ANTIGRAVITY: ".gemini/antigravity/brain",
        Format.CLAUDE_CODE: ".qoder/projects",
    }
    for log in AGENT_LOGS:
        place = tmp_path / places[log.form]
        written(
            place.parent
            if log.name.startswith(f"{place.name}/")
            else place / "cli"
            if log.form is Format.KIRO
            else place,
            log,
        )
    write_lines(tmp_path / ".qoder" / "projects" / "p" / "s.jsonl", [{}])
    assert sorted(find_logs()) == sorted((form, tmp_path / place) for form, place in places.items())

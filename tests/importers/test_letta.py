"""Letta's agent files, current and of the first version."""

from pathlib import Path
from typing import Any

import pytest

from curator.importers import Format, Unrecognised, detect
from importers.sample_logs import Json, conversations, items, skipped, write_json, write_zip
from store import clock
from store.model import Channel, Role


def said(role: str, text: object, second: int = 0, **fields: Any) -> Json:
    at = f"2025-06-01T10:00:{second:02}+00:00"
    return {"id": f"message-{second}", "role": role, "content": text, "created_at": at, **fields}


def call(name: str, arguments: str) -> Json:
    return {"id": "call-1", "type": "function", "function": {"name": name, "arguments": arguments}}


TURNS = [
    said("system", [{"type": "text", "text": "You are Letta"}]),
    said("user", [{"type": "text", "text": '{"type": "login", "last_login": "Never"}'}], 1),
    said("user", [{"type": "text", "text": '{"type": "user_message", "message": "I live in Ghent"}'}], 2),
    said("assistant", "New fact", 3, tool_calls=[call("send_message", '{"message": "Nice!"}')]),
    said("tool", [{"type": "text", "text": '{"status": "OK"}'}], 4),
    said("user", "Do you know why?", 5),
    said("assistant", [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "No"}], 6),
    said("assistant", [], 7, tool_calls=[call("archival_memory_search", '{"query": "Ghent"}')]),
]
BLOCKS = [
    {"id": "block-0", "label": "human", "value": "Name: Ann. Likes tea in the morning."},
    {"id": "block-1", "label": "persona", "value": "I am Letta."},
]
AGENT = {"id": "agent-0", "name": "Sam", "agent_type": "letta_v1_agent", "messages": TURNS}
FILE = {"agents": [{**AGENT, "block_ids": ["block-0", "block-1"]}], "groups": [], "blocks": BLOCKS, "tools": []}
FIRST = {"agent_type": "memgpt_agent", "core_memory": BLOCKS, "messages": TURNS, "name": "Sam", "tools": []}


def test_an_agent_file(tmp_path: Path) -> None:
    path = write_json(tmp_path / "sam.af", FILE)
    assert detect(path) is Format.LETTA
    memory, talk = conversations(path)
    assert (memory.title, [(one.channel, one.text) for one in memory.messages]) == (
        "Letta memory of Sam",
        [(Channel.SAVED, "Name: Ann. Likes tea in the morning.")],
    )
    assert talk.title == "Sam" and [(one.role, one.channel, one.text) for one in talk.messages] == [
        (Role.SYSTEM, Channel.INJECTED, "You are Letta"),
        (Role.SYSTEM, Channel.INJECTED, '{"type": "login", "last_login": "Never"}'),
        (Role.USER, Channel.SPOKEN, "I live in Ghent"),
        (Role.ASSISTANT, Channel.THINKING, "New fact"),
        (Role.ASSISTANT, Channel.SPOKEN, "Nice!"),
        (Role.TOOL, Channel.TOOL, '{"status": "OK"}'),
        (Role.USER, Channel.SPOKEN, "Do you know why?"),
        (Role.ASSISTANT, Channel.THINKING, "hm"),
        (Role.ASSISTANT, Channel.SPOKEN, "No"),
        (Role.ASSISTANT, Channel.TOOL, 'archival_memory_search {"query": "Ghent"}'),
    ]
    assert clock.to_iso(talk.messages[2].created_at or 0)[:19] == "2025-06-01T10:00:02"
    assert skipped(items(path)) == {"not_own": 1}


def test_the_first_version_and_a_grown_agent_keep_their_identities(tmp_path: Path) -> None:
    found = conversations(write_json(tmp_path / "sam.af", FILE))
    assert [one.messages for one in conversations(write_json(tmp_path / "first.json", FIRST))] == [
        one.messages for one in found
    ]
    turns = [*TURNS[2:], said("user", "I own a bike", 9)]
    later = [{**one, "id": f"message-{number}"} for number, one in enumerate(turns)]
    grown = {**FILE, "agents": [{**AGENT, "block_ids": ["block-0"], "messages": later}]}
    _, talk = conversations(write_zip(tmp_path / "z.zip", {"sam.af": grown}))
    assert talk.identity == found[1].identity
    assert [one.identity for one in talk.messages[:-1]] == [one.identity for one in found[1].messages[2:]]


def test_damaged_files(tmp_path: Path) -> None:
    agent = {**AGENT, "block_ids": [3], "messages": [3, {"role": 4}, TURNS[2]]}
    (talk,) = conversations(write_json(tmp_path / "a.af", {"agents": [agent], "blocks": [4, {}]}))
    assert [one.text for one in talk.messages] == ["I live in Ghent"]
    path = tmp_path / "b.af"
    path.write_text(write_json(tmp_path / "c.af", FILE).read_text()[:-30])
    with pytest.raises(Unrecognised, match="ends in the middle"):
        items(path)

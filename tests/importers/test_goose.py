"""Goose: session files, and its database."""

import json
from pathlib import Path

from curator.importers import Format, detect
from importers.sample_databases import by_channel, write_tables
from importers.sample_logs import Json, conversations, items, problems, write_lines

AT = 1_750_000_000
HEAD = {"working_dir": "/home/ann/shop", "description": "Tools", "message_count": 3, "total_tokens": 9}
CALL = {"status": "success", "value": {"name": "developer__shell", "arguments": {"command": "ls"}}}
MESSAGES: list[Json] = [
    {"role": "user", "created": AT, "content": [{"type": "text", "text": "I prefer pnpm."}]},
    {
        "role": "assistant",
        "created": AT + 1,
        "content": [
            {"type": "thinking", "thinking": "Look.", "signature": ""},
            {"type": "text", "text": "I look."},
            {"type": "toolRequest", "id": "t", "toolCall": CALL},
        ],
    },
    {
        "role": "user",
        "created": AT + 2,
        "content": [
            {
                "type": "toolResponse",
                "id": "t",
                "toolResult": {"status": "success", "value": [{"type": "text", "text": "a.ts"}]},
            }
        ],
    },
    {
        "role": "user",
        "created": AT + 3,
        "content": [{"type": "text", "text": "They prefer pnpm."}],
        "metadata": {"userVisible": False, "agentVisible": True},
    },
]
EXPECTED = {
    "user.spoken": ["I prefer pnpm."],
    "assistant.thinking": ["Look."],
    "assistant.tool": ['developer__shell {"command":"ls"}'],
    "assistant.spoken": ["I look."],
    "tool.tool": ["a.ts"],
    "user.summary": ["They prefer pnpm."],
}


def database(path: Path, messages: list[Json], **fields: object) -> Path:
    rows = [
        {
            "id": number,
            "session_id": "20250615_1",
            "role": one["role"],
            "content_json": one["content"],
            "created_timestamp": one["created"],
            "metadata_json": one.get("metadata", {}),
        }
        for number, one in enumerate(messages)
    ]
    session = {
        "id": "20250615_1",
        "name": "Tools",
        "working_dir": "/home/ann/shop",
        "created_at": "2025-06-15 15:06:40",
    }
    tables: dict[str, list[Json]] = {
        "schema_version": [{"version": 5}],
        "sessions": [{"session_type": "user", **session, **fields}],
    }
    return write_tables(path, {**tables, "messages": rows})


def test_files_and_the_database_hold_the_same_messages(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "20250615_1.jsonl", [HEAD, *MESSAGES])
    assert detect(path) is Format.GOOSE
    (old,) = conversations(path)
    assert by_channel(old.messages) == EXPECTED
    assert (old.title, old.project, old.created_at, old.agent) == ("Tools", "shop", AT * 1_000_000, True)
    path = database(tmp_path / "new" / "sessions.db", MESSAGES)
    assert detect(path) is Format.GOOSE
    (new,) = conversations(path)
    assert by_channel(new.messages) == EXPECTED
    assert (new.identity, new.created_at) == (old.identity, AT * 1_000_000)
    assert [one.identity for one in new.messages] == [one.identity for one in old.messages]


def test_a_grown_session_damage_and_a_subagent(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "s.jsonl", [HEAD, *MESSAGES[:2]])
    (before,) = conversations(path)
    with path.open("a") as file:
        file.write('{"role": nonsense}\n' + json.dumps(MESSAGES[2]) + "\n" + '{"role": "assis')
    found = items(path)
    (after,) = conversations(path)
    assert len(problems(found)) == 1
    assert [one.text for one in after.messages if one.identity not in {b.identity for b in before.messages}] == ["a.ts"]
    (sub,) = conversations(database(tmp_path / "sessions.db", MESSAGES[:1], session_type="sub_agent"))
    assert by_channel(sub.messages) == {"user.sidechain": ["I prefer pnpm."]}

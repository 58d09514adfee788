"""Zed: threads in its database, of both versions."""

import json
from pathlib import Path

import pyarrow
import pytest

from curator.importers import Format, Unrecognised, detect
from importers.sample_databases import by_channel, write_tables
from importers.sample_logs import Json, conversations, items, problems

THREAD: Json = {
    "version": "0.3.0",
    "title": "Tools",
    "messages": [
        {
            "User": {
                "id": "u1",
                "content": [
                    {"Text": "I prefer pnpm."},
                    {"Mention": {"uri": {"File": {"abs_path": "/home/ann/shop/a.ts"}}, "content": "let x"}},
                ],
            }
        },
        {
            "Agent": {
                "content": [
                    {"Thinking": {"text": "Look.", "signature": None}},
                    {"Text": "I look."},
                    {"ToolUse": {"id": "t", "name": "grep", "input": {"regex": "x"}}},
                ],
                "tool_results": {"t": {"tool_use_id": "t", "tool_name": "grep", "content": [{"Text": "found"}]}},
            }
        },
        "Resume",
    ],
    "detailed_summary": "They prefer pnpm.",
    "initial_project_snapshot": {"worktree_snapshots": [{"worktree_path": "/home/ann/shop"}]},
}
OLD: Json = {
    "version": "0.2.0",
    "summary": "Old",
    "messages": [
        {"id": 0, "role": "user", "segments": [{"type": "text", "text": "Hello"}], "context": "<files>x</files>"},
        {
            "id": 1,
            "role": "assistant",
            "segments": [{"type": "thinking", "text": "Hm"}, {"type": "text", "text": "Hi"}],
            "tool_uses": [{"id": "t", "name": "ls", "input": {}}],
            "tool_results": [{"tool_use_id": "t", "content": "a.ts"}],
        },
    ],
}


def threads(path: Path, *rows: tuple[str, Json | bytes]) -> Path:
    """Write a database; a thread given as bytes is stored as it is, others are compressed."""
    packed = [
        one if isinstance(one, bytes) else pyarrow.Codec("zstd").compress(json.dumps(one).encode(), asbytes=True)
        for _, one in rows
    ]
    plain = {"summary": "Tools", "updated_at": "2025-06-15T15:06:40Z", "data_type": "zstd"}
    return write_tables(
        path, {"threads": [{"id": id_, **plain, "data": data} for (id_, _), data in zip(rows, packed, strict=True)]}
    )


def test_threads_of_both_versions(tmp_path: Path) -> None:
    path = threads(tmp_path / "threads.db", ("t1", THREAD), ("t2", OLD))
    assert detect(path) is Format.ZED
    first, second = conversations(path)
    assert by_channel(first.messages) == {
        "user.attachment": ["let x"],
        "user.spoken": ["I prefer pnpm.\n[attachment: a.ts]"],
        "assistant.thinking": ["Look."],
        "assistant.tool": ['grep {"regex":"x"}'],
        "assistant.spoken": ["I look."],
        "tool.tool": ["found"],
        "assistant.summary": ["They prefer pnpm."],
    }
    assert (first.title, first.folder, first.created_at) == ("Tools", "/home/ann/shop", 1_750_000_000_000_000)
    assert by_channel(second.messages) == {
        "user.spoken": ["Hello"],
        "user.attachment": ["<files>x</files>"],
        "assistant.thinking": ["Hm"],
        "assistant.tool": ["ls {}"],
        "assistant.spoken": ["Hi"],
        "tool.tool": ["a.ts"],
    }


def test_a_grown_thread_and_damaged_ones(tmp_path: Path) -> None:
    shorter = {**THREAD, "messages": THREAD["messages"][:1], "detailed_summary": None}
    (before,) = conversations(threads(tmp_path / "a.db", ("t1", shorter)))
    path = threads(tmp_path / "b.db", ("t0", b"\x28\xb5\x2f\xfd nonsense"), ("t1", THREAD))
    found = items(path)
    (after,) = conversations(path)
    assert [one.place for one in problems(found)] == ["b.db: thread t0"]
    assert {one.identity for one in before.messages} < {one.identity for one in after.messages}
    with pytest.raises(Unrecognised):
        items(threads(tmp_path / "c.db", ("t0", b"nonsense")))

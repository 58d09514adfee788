"""Cursor: the editor's databases of all generations, the agent's sessions and transcripts."""

import json
from pathlib import Path
from typing import Any

import pytest

from curator.importers import Format, Options, Unrecognised, detect
from importers.sample_databases import by_channel, write_tables
from importers.sample_logs import Json, conversations, items, problems, skipped, write_lines, write_zip
from store.model import FileMark, NewConversation

AT = 1_750_000_000_000


def rows(**values: object) -> list[Json]:
    return [{"key": "other", "value": "1"}, *({"key": key, "value": value} for key, value in values.items())]


def bubble(id_: str, type_: int, text: str, **fields: Any) -> Json:
    return {"_v": 3, "bubbleId": id_, "type": type_, "text": text, "createdAt": "2025-06-15T15:06:40.000Z", **fields}


def state(path: Path, *bubbles: Json, items: Json | None = None, composer: str = "c1", **fields: Any) -> Path:
    """Write an editor's database with one composer in the new form; `fields` are those of `composerData`."""
    headers = [{"bubbleId": one["bubbleId"], "type": one["type"]} for one in bubbles]
    data = {"_v": 10, "composerId": composer, "createdAt": AT, "fullConversationHeadersOnly": headers, **fields}
    values: Json = {f"bubbleId:{composer}:{one['bubbleId']}": one for one in bubbles}
    if bubbles:
        values[f"composerData:{composer}"] = data
    return write_tables(path, {"ItemTable": rows(**(items or {})), "cursorDiskKV": rows(**values)})


TURNS = [
    bubble("b1", 1, "I prefer pnpm.", context={"fileSelections": [{"uri": {"fsPath": "/home/ann/shop/a.ts"}}]}),
    bubble("b2", 2, "", thinking={"text": "Look first."}),
    bubble(
        "b3", 2, "", toolFormerData={"name": "read_file", "rawArgs": '{"path": "a.ts"}', "result": '{"contents": "x"}'}
    ),
    bubble("b4", 2, "Done."),
]


def test_a_composer_whose_messages_are_rows(tmp_path: Path) -> None:
    heads = {
        "allComposers": [
            {"composerId": "c1", "name": "Tools", "workspaceIdentifier": {"uri": {"fsPath": "/home/ann/shop"}}}
        ]
    }
    path = state(tmp_path / "state.vscdb", *TURNS, items={"composer.composerHeaders": heads})
    assert detect(path) is Format.CURSOR
    (found,) = conversations(path)
    assert by_channel(found.messages) == {
        "user.spoken": ["I prefer pnpm.\n[attachment: a.ts]"],
        "assistant.thinking": ["Look first."],
        "assistant.tool": ['read_file {"path":"a.ts"}'],
        "tool.tool": ['{"contents":"x"}'],
        "assistant.spoken": ["Done."],
    }
    assert (found.title, found.project, found.folder, found.agent) == ("Tools", "shop", "/home/ann/shop", True)
    assert (found.created_at, found.messages[0].created_at) == (AT * 1000, AT * 1000)
    assert found == conversations(write_zip(tmp_path / "a.zip", {"state.vscdb": path.read_bytes()}))[0]


def test_one_in_the_table_of_headers_a_subagent_and_a_left_branch(tmp_path: Path) -> None:
    path = state(tmp_path / "state.vscdb", *TURNS[:1], TURNS[3], subagentComposerIds=["c0"])
    lost, sub = bubble("b9", 1, "Forget that."), bubble("s1", 1, "Search the code.")
    write_tables(path, {"cursorDiskKV": rows(**{"bubbleId:c1:b9": lost, "bubbleId:c0:s1": sub})})
    write_tables(
        path, {"cursorDiskKV": rows(**{"composerData:c0": {"fullConversationHeadersOnly": [{"bubbleId": "s1"}]}})}
    )
    head = {"name": "New", "workspaceIdentifier": {"uri": {"path": "/home/ann/shop"}}}
    write_tables(path, {"composerHeaders": [{"composerId": "c1", "isSubagent": 0, "value": head}]})
    second, first = conversations(path)
    assert [(one.text.partition("\n")[0], one.active) for one in first.messages] == [
        ("I prefer pnpm.", True),
        ("Done.", True),
        ("Forget that.", False),
    ]
    assert (first.title, first.folder) == ("New", "/home/ann/shop")
    assert by_channel(second.messages) == {"user.sidechain": ["Search the code."]}


def test_the_older_forms_in_the_databases_of_workspaces(tmp_path: Path) -> None:
    user = tmp_path / "User"
    main = state(user / "globalStorage" / "state.vscdb", conversation=TURNS, composer="c1")
    write_tables(main, {"cursorDiskKV": rows(**{"composerData:c1": {"name": "Inline", "conversation": TURNS}})})
    old = {
        "tabs": [
            {
                "tabId": "t1",
                "chatTitle": "Old",
                "bubbles": [{"type": "user", "text": "Hi"}, {"type": "ai", "text": "Hello"}],
            }
        ]
    }
    listed = {"allComposers": [{"composerId": "c1"}, {"composerId": "c0", "conversation": TURNS[:1]}]}
    workspace = user / "workspaceStorage" / "abc"
    keys = {"workbench.panel.aichat.view.aichat.chatdata": old, "composer.composerData": listed}
    state(workspace / "state.vscdb", items=keys)
    (workspace / "workspace.json").write_text('{"folder": "file:///home/ann/my%20shop"}')
    found = {one.external_id: one for one in conversations(main)}
    assert set(found) == {"c0", "c1", "t1"}
    assert {one.folder for one in found.values()} == {"/home/ann/my shop"}
    assert (found["t1"].title, [one.text for one in found["t1"].messages]) == ("Old", ["Hi", "Hello"])
    assert {one.external_id for one in conversations(user)} == set(found)


def test_an_unchanged_database_is_not_read_again_and_a_grown_one_adds(tmp_path: Path) -> None:
    path = state(tmp_path / "state.vscdb", *TURNS[:2])
    found = items(path)
    before = next(one for one in found if isinstance(one, NewConversation))
    (mark,) = (one for one in found if isinstance(one, FileMark))
    assert items(path, options=Options(resume={mark.path: mark}.get)) == [mark]
    path.unlink()
    state(path, *TURNS)
    (after,) = (
        one for one in items(path, options=Options(resume={mark.path: mark}.get)) if isinstance(one, NewConversation)
    )
    assert after.identity == before.identity
    assert {one.identity for one in before.messages} < {one.identity for one in after.messages}


def test_damaged_rows_and_a_database_without_chats(tmp_path: Path) -> None:
    path = state(tmp_path / "state.vscdb", *TURNS)
    write_tables(path, {"cursorDiskKV": rows(**{"composerData:c3": "{nonsense", "bubbleId:c1:b4": "{"})})
    found = items(path)
    assert [one.place for one in problems(found)] == [
        "state.vscdb: composerData:c1: bubble b4",
        "state.vscdb: composerData:c3",
    ]
    with pytest.raises(Unrecognised):
        items(state(tmp_path / "b" / "state.vscdb"))


def line(role: str, *content: Json) -> Json:
    return {"role": role, "message": {"content": list(content)}}


TRANSCRIPT = [
    line(
        "user", {"type": "text", "text": "<open_files>a.ts</open_files>\n<user_query>\nI prefer pnpm.\n</user_query>"}
    ),
    line(
        "assistant",
        {"type": "text", "text": "I look.\n\n[REDACTED]"},
        {"type": "tool_use", "name": "Read", "input": {"path": "a.ts"}},
    ),
    {"type": "turn_ended", "status": "success"},
]


def test_transcripts(tmp_path: Path) -> None:
    folder = tmp_path / "projects" / "home-ann-shop"
    path = write_lines(folder / "agent-transcripts" / "c1" / "c1.jsonl", TRANSCRIPT)
    write_lines(folder / "agent-transcripts" / "c1" / "subagents" / "s.jsonl", TRANSCRIPT[:1])
    (folder / "worker.log").write_text("x workspacePath=/home/ann/shop\n")
    assert detect(path) is Format.CURSOR
    first, second = conversations(tmp_path)
    assert by_channel(first.messages) == {
        "user.spoken": ["I prefer pnpm."],
        "user.injected": ["<open_files>a.ts</open_files>"],
        "assistant.spoken": ["I look."],
        "assistant.tool": ['Read {"path":"a.ts"}'],
    }
    assert (first.folder, first.messages[0].created_at) == ("/home/ann/shop", None)
    assert first.identity == second.identity
    assert set(by_channel(second.messages)) == {"user.sidechain"}
    assert skipped(items(path)) == {"not_a_message": 1}
    with path.open("a") as file:
        file.write('{"role": "assistant", "mess')  # a line that is still being written
    assert not problems(items(path))
    editor = conversations(state(tmp_path / "state.vscdb", bubble("b1", 1, "I prefer pnpm.")))[0]
    assert editor.messages[0].identity == first.messages[0].identity


def store(path: Path, *messages: Json) -> Path:
    """Write a session of the agent, whose root lists the messages."""
    blobs = [{"id": bytes([n] * 32).hex(), "data": json.dumps(one).encode()} for n, one in enumerate(messages, 1)]
    listed = b"".join(b"\x0a\x20" + bytes.fromhex(str(one["id"])) for one in blobs)
    root = b"\x10\x05" + listed + b"\x4a\x15file:///home/ann/shop"
    meta = {"agentId": "a1", "latestRootBlobId": "ff" * 32, "name": "Tools", "createdAt": AT}
    return write_tables(
        path,
        {
            "blobs": [*blobs, {"id": "ff" * 32, "data": root}],
            "meta": [{"key": "0", "value": json.dumps(meta).encode().hex()}],
        },
    )


def test_a_session_of_the_agent(tmp_path: Path) -> None:
    path = store(
        tmp_path / "chats" / "hash" / "a1" / "store.db",
        {"role": "system", "content": "You are an agent."},
        {"role": "user", "content": "<user_info>\nOS: linux\n</user_info>"},
        {"role": "user", "content": [{"type": "text", "text": "<user_query>\nI prefer pnpm.\n</user_query>"}]},
        {"role": "assistant", "content": [{"type": "reasoning", "text": "Hm"}, {"type": "text", "text": "Fine."}]},
        {"role": "assistant", "content": [{"type": "tool-call", "toolName": "Shell", "args": {"command": "ls"}}]},
        {"role": "tool", "content": [{"type": "tool-result", "toolName": "Shell", "result": "a.ts"}]},
    )
    assert detect(path) is Format.CURSOR
    (found,) = conversations(tmp_path)
    assert by_channel(found.messages) == {
        "system.injected": ["You are an agent."],
        "user.injected": ["<user_info>\nOS: linux\n</user_info>"],
        "user.spoken": ["I prefer pnpm."],
        "assistant.thinking": ["Hm"],
        "assistant.spoken": ["Fine."],
        "assistant.tool": ['Shell {"command":"ls"}'],
        "tool.tool": ["a.ts"],
    }
    assert (found.external_id, found.title, found.folder) == ("a1", "Tools", "/home/ann/shop")
    path.with_name("meta.json").write_text('{"isSubagent": true}')
    assert {one.channel for one in conversations(path)[0].messages} == {"sidechain"}

"""opencode: folders of JSON files, its database, and exported sessions."""

from pathlib import Path
from typing import Any

from curator.importers import Format, detect
from importers.sample_databases import by_channel, write_tables
from importers.sample_logs import Json, conversations, items, problems, skipped, write_json, write_zip

AT = 1_750_000_000_000
SESSION = {
    "id": "ses_1",
    "projectID": "p",
    "directory": "/home/ann/shop",
    "title": "Tools",
    "time": {"created": AT, "updated": AT},
}


def message(number: int, role: str, **fields: Any) -> Json:
    return {"id": f"msg_{number}", "sessionID": "ses_1", "role": role, "time": {"created": AT + number}, **fields}


def part(number: int, message_: int, type_: str, **fields: Any) -> Json:
    return {"id": f"prt_{number}", "sessionID": "ses_1", "messageID": f"msg_{message_}", "type": type_, **fields}


MESSAGES = [message(1, "user"), message(2, "assistant"), message(3, "assistant", summary=True)]
PARTS = [
    part(1, 1, "text", text="I prefer pnpm."),
    part(2, 1, "text", text="Called the Read tool", synthetic=True),
    part(3, 1, "file", filename="a.ts", mime="text/plain", url="file:///home/ann/shop/a.ts"),
    part(4, 2, "step-start"),
    part(5, 2, "reasoning", text="Look."),
    part(
        6, 2, "tool", tool="read", callID="c", state={"status": "completed", "input": {"path": "a.ts"}, "output": "x"}
    ),
    part(7, 2, "text", text="Noted."),
    part(8, 3, "text", text="They prefer pnpm."),
]
EXPECTED = {
    "user.spoken": ["I prefer pnpm.\n[attachment: a.ts]"],
    "user.injected": ["Called the Read tool"],
    "assistant.thinking": ["Look."],
    "assistant.tool": ['read {"path":"a.ts"}'],
    "tool.tool": ["x"],
    "assistant.spoken": ["Noted."],
    "assistant.summary": ["They prefer pnpm."],
}


def storage(folder: Path, messages: list[Json], parts: list[Json]) -> Path:
    write_json(folder / "session" / "p" / "ses_1.json", SESSION)
    for one in messages:
        write_json(folder / "message" / "ses_1" / f"{one['id']}.json", one)
    for one in parts:
        write_json(folder / "part" / one["messageID"] / f"{one['id']}.json", one)
    return folder


def test_a_folder_of_files(tmp_path: Path) -> None:
    folder = storage(tmp_path / "storage", MESSAGES, PARTS)
    assert detect(folder) is Format.OPENCODE
    (found,) = conversations(folder)
    assert by_channel(found.messages) == EXPECTED
    assert (found.title, found.folder, found.project, found.agent) == ("Tools", "/home/ann/shop", "shop", True)
    assert (found.created_at, found.messages[0].created_at) == (AT * 1000, (AT + 1) * 1000)
    zipped = write_zip(
        tmp_path / "a.zip", {str(one.relative_to(tmp_path)): one.read_text() for one in folder.rglob("*.json")}
    )
    assert conversations(zipped) == [found]


def database(path: Path, **fields: Any) -> Path:
    rows = {"id": "ses_1", "directory": "/home/ann/shop", "title": "Tools", "time_created": AT, **fields}
    return write_tables(
        path,
        {
            "session": [{"parent_id": "", "revert": "", **rows}],
            "message": [{"id": one["id"], "session_id": "ses_1", "time_created": 0, "data": one} for one in MESSAGES],
            "part": [
                {"id": one["id"], "message_id": one["messageID"], "session_id": "ses_1", "data": one} for one in PARTS
            ],
        },
    )


def test_the_database_and_an_export_have_the_same_messages(tmp_path: Path) -> None:
    before = conversations(storage(tmp_path / "storage", MESSAGES, PARTS))
    path = database(tmp_path / "opencode.db")
    assert detect(path) is Format.OPENCODE
    assert conversations(path) == before
    export = {
        "info": SESSION,
        "messages": [{"info": one, "parts": [p for p in PARTS if p["messageID"] == one["id"]]} for one in MESSAGES],
    }
    assert conversations(write_json(tmp_path / "export.json", export)) == before


def test_subagents_and_what_was_reverted(tmp_path: Path) -> None:
    (found,) = conversations(database(tmp_path / "a.db", parent_id="ses_0"))
    assert {one.channel for one in found.messages} == {"sidechain"}
    (found,) = conversations(database(tmp_path / "b.db", revert={"messageID": "msg_2"}))
    assert {one.text for one in found.messages if one.active} == {*EXPECTED["user.spoken"], *EXPECTED["user.injected"]}


def test_a_grown_session_adds_only_what_is_new_and_damage_is_told(tmp_path: Path) -> None:
    folder = storage(tmp_path / "storage", MESSAGES[:1], PARTS[:1])
    (before,) = conversations(folder)
    storage(folder, MESSAGES[:2], [PARTS[0], *PARTS[3:7]])
    (folder / "part" / "msg_2" / "prt_7.json").write_text(
        '{"id": "prt_7", "messageID": "msg_2", "sessionID": "ses_1", "type": "text", "te'
    )
    write_json(folder / "part" / "msg_9" / "prt_9.json", part(9, 9, "text", text="lost"))
    found = items(folder)
    (after,) = conversations(folder)
    assert before.identity == after.identity
    assert {one.identity for one in before.messages} < {one.identity for one in after.messages}
    assert [one.place.rpartition("/")[2].partition(":")[0] for one in problems(found)] == ["prt_7.json"]
    assert skipped(found) == {"not_a_message": 1}


def test_messages_of_newer_databases(tmp_path: Path) -> None:
    newer: list[Json] = [
        {"type": "user", "text": "I prefer pnpm.", "files": [{"name": "a.ts"}]},
        {"type": "synthetic", "text": "Remember the plan."},
        {"type": "shell", "command": "ls", "output": "a.ts"},
        {
            "type": "assistant",
            "content": [
                {"type": "reasoning", "id": "r", "text": "Look."},
                {
                    "type": "tool",
                    "name": "read",
                    "state": {"input": {"path": "a.ts"}, "content": [{"type": "text", "text": "x"}]},
                },
                {"type": "text", "text": "Noted."},
            ],
        },
        {"type": "compaction", "summary": "They prefer pnpm."},
    ]
    rows = [
        {"id": f"evt_{n}", "session_id": "ses_1", "type": one["type"], "time_created": AT + n, "data": one}
        for n, one in enumerate(newer)
    ]
    none: list[Json] = [{"id": None, "session_id": None, "message_id": None, "data": None}]
    session = {"id": "ses_1", "directory": "/home/ann/shop", "title": "Tools", "time_created": AT}
    tables = {"session": [session], "message": none, "part": none, "session_message": rows}
    (found,) = conversations(write_tables(tmp_path / "opencode.db", tables))
    assert by_channel(found.messages) == {
        "user.spoken": ["I prefer pnpm.\n[attachment: a.ts]"],
        "user.injected": ["Remember the plan."],
        "assistant.tool": ["shell ls", 'read {"path":"a.ts"}'],
        "tool.tool": ["a.ts", "x"],
        "assistant.thinking": ["Look."],
        "assistant.spoken": ["Noted."],
        "assistant.summary": ["They prefer pnpm."],
    }

"""Databases of Hermes, Devin and Mastra; exports of OpenRouter, the portable schema and Codex's cloud tasks."""

from pathlib import Path
from typing import Any

import pytest

from curator.importers import Format, Unsupported, detect, find_logs
from curator.services.import_logs import import_paths
from importers.sample_databases import by_channel, write_tables
from importers.sample_logs import Json, conversations, items, problems, said, write_json, write_zip
from store import Store

HERMES: list[Json] = [
    {"role": "user", "content": "I prefer pnpm."},
    {
        "role": "assistant",
        "content": "",
        "reasoning": "Hm.",
        "tool_calls": [{"id": "c", "type": "function", "function": {"name": "ls", "arguments": "{}"}}],
    },
    {"role": "tool", "content": "a.ts", "tool_call_id": "c", "tool_name": "ls"},
    {"role": "assistant", "content": "So be it."},
]
HEARD = {
    "user.spoken": ["I prefer pnpm."],
    "assistant.thinking": ["Hm."],
    "assistant.tool": ["ls {}"],
    "tool.tool": ["a.ts"],
    "assistant.spoken": ["So be it."],
}


def hermes(path: Path, *messages: Json, **fields: Any) -> Path:
    """Write a database with one session."""
    session = {"id": "h1", "source": "cli", "started_at": 1_772_000_000.5, "title": "Shop", "cwd": "/home/ann/shop"}
    plain = {"session_id": "h1", "reasoning": None, "tool_calls": None, "timestamp": 1_772_000_001.0, "active": 1}
    rows = [{"id": number, **plain, "role": "user", "content": "", **one} for number, one in enumerate(messages, 1)]
    rows = [{name: row.get(name) for name in ("id", *plain, "role", "content")} for row in rows]
    return write_tables(
        path, {"sessions": [{**session, **fields}], "messages": rows, "state_meta": [{"key": "a", "value": "b"}]}
    )


def test_hermes_is_the_same_in_its_database_and_as_json(tmp_path: Path, store: Store) -> None:
    path = hermes(tmp_path / "state.db", *HERMES)
    assert detect(path) is Format.HERMES
    (found,) = conversations(path)
    assert by_channel(found.messages) == HEARD
    assert (found.title, found.folder, found.created_at) == ("Shop", "/home/ann/shop", 1_772_000_000_500_000)
    whole = {"session_id": "h1", "session_start": "2026-02-25T06:13:20", "platform": "cli", "messages": HERMES}
    session = write_json(tmp_path / "session_h1.json", whole)
    assert detect(session) is Format.HERMES
    (same,) = conversations(session)
    assert [one.identity for one in same.messages] == [one.identity for one in found.messages]
    assert import_paths(store, [path], None).conversations == 1
    assert import_paths(store, [session], None).messages.total() == 0
    (grown,) = conversations(hermes(tmp_path / "b.db", *HERMES, {"role": "user", "content": "Paint it."}))
    assert [one.text for one in grown.messages if one not in found.messages] == ["Paint it."]


def test_who_wrote_to_hermes_is_told_apart(tmp_path: Path) -> None:
    rewound = {"role": "user", "content": "I hate tea.", "active": 0}
    harness = {"role": "user", "content": "Review the conversation above and consider saving to memory"}
    picture = {"role": "user", "content": '\0json:[{"type": "text", "text": "Look"}, {"type": "image_url"}]'}
    (found,) = conversations(hermes(tmp_path / "a.db", rewound, harness, picture))
    assert [one.text for one in found.messages if not one.active] == ["I hate tea."]
    assert by_channel(found.messages)["user.spoken"] == ["I hate tea.", "Look\n[image]"]
    (group,) = conversations(hermes(tmp_path / "b.db", *HERMES, source="telegram", chat_type="group"))
    assert by_channel(group.messages)["other.spoken"] == ["I prefer pnpm."]
    (cron,) = conversations(hermes(tmp_path / "c.db", *HERMES, source="cron"))
    assert {one.channel for one in cron.messages} == {"sidechain"}


def devin(path: Path, *nodes: tuple[int, int | None, Any], **fields: Any) -> Path:
    session = {
        "id": "dv1", "title": "Shop", "working_directory": "/home/ann/shop", "created_at": 1_772_000_000,
        "main_chain_id": 3, "hidden": 0,
    }  # fmt: skip
    rows = [
        {
            "session_id": "dv1",
            "node_id": id_,
            "parent_node_id": above,
            "chat_message": message,
            "created_at": 1_772_000_001,
        }
        for id_, above, message in nodes
    ]
    return write_tables(path, {"sessions": [{**session, **fields}], "message_nodes": rows})


ANSWER: Json = {
    "role": "assistant",
    "content": "So be it.",
    "thinking": {"thinking": "Hm."},
    "tool_calls": [{"id": "c", "name": "ls", "arguments": "{}"}],
}
DEVIN = [
    (1, None, {"role": "user", "content": "I prefer pnpm."}),
    (2, 1, {"role": "assistant", "content": "Why?"}),
    (3, 1, ANSWER),
]


def test_a_session_of_devin_with_a_branch_that_was_left(tmp_path: Path) -> None:
    path = devin(tmp_path / "sessions.db", *DEVIN)
    assert detect(path) is Format.DEVIN
    (found,) = conversations(path)
    assert [one.text for one in found.messages if not one.active] == ["Why?"]
    assert by_channel(found.messages) == {
        "user.spoken": ["I prefer pnpm."],
        "assistant.spoken": ["Why?", "So be it."],
        "assistant.thinking": ["Hm."],
        "assistant.tool": ["ls {}"],
    }
    assert (found.title, found.project, found.external_id) == ("Shop", "shop", "dv1")
    more = (4, 3, {"role": "user", "content": "Paint it."})
    damaged = devin(tmp_path / "b.db", *DEVIN, more, (5, 4, "{"), main_chain_id=4)
    (grown,) = conversations(damaged)
    assert [one.text for one in grown.messages if one not in found.messages] == ["Paint it."]
    assert [one.place for one in problems(items(damaged))] == ["b.db: session dv1: message 5"]
    (own,) = conversations(devin(tmp_path / "c.db", *DEVIN, hidden=1))
    assert all(one.hidden for one in own.messages)


def mastra(path: Path, *contents: tuple[str, Any]) -> Path:
    thread = {
        "id": "t1",
        "title": "Shop",
        "metadata": {"projectPath": "/home/ann/shop"},
        "createdAt": "2026-03-01T10:00:00Z",
    }
    rows = [
        {
            "id": f"m{number}",
            "thread_id": "t1",
            "content": content,
            "role": role,
            "createdAt": f"2026-03-01T10:0{number}:00Z",
        }
        for number, (role, content) in enumerate(contents)
    ]
    return write_tables(path, {"mastra_threads": [thread], "mastra_messages": rows})


USED = {"type": "tool-invocation", "toolInvocation": {"toolName": "ls", "args": {}, "result": "a.ts"}}
MASTRA = [
    ("user", {"format": 2, "parts": [{"type": "text", "text": "I prefer pnpm."}]}),
    ("assistant", {"format": 2, "parts": [{"type": "reasoning", "reasoning": "Hm."}, USED]}),
    ("assistant", [{"type": "text", "text": "So be it."}]),
]


def test_a_thread_of_mastra(tmp_path: Path) -> None:
    path = mastra(tmp_path / "mastra.db", *MASTRA)
    assert detect(path) is Format.MASTRA
    (found,) = conversations(path)
    assert by_channel(found.messages) == HEARD
    assert (found.title, found.project) == ("Shop", "shop")
    (grown,) = conversations(mastra(tmp_path / "b.db", *MASTRA, ("user", "Paint it.")))
    assert [one.text for one in grown.messages if one not in found.messages] == ["Paint it."]


def openrouter(*messages: tuple[str, str, str], version: str = "orpg.3.0") -> Json:
    """Return a chat; messages are (character, reasoning, text)."""
    chat: Json = {
        "version": version,
        "title": "Shop",
        "characters": {"c": {"model": "m/x"}},
        "messages": {},
        "items": {},
    }
    for number, (character, reasoning, text) in enumerate(messages):
        id_ = f"msg-{number}"
        kind = "user" if character == "USER" else "assistant"
        plain = {"id": id_, "characterId": character, "type": kind, "createdAt": f"2026-03-01T10:00:0{number}.000Z"}
        if version != "orpg.3.0":
            chat["messages"][id_] = {**plain, "content": text}
            continue
        given = {"type": "message", "content": [{"type": "output_text", "text": text}]}
        thought = {"type": "reasoning", "content": [{"type": "reasoning_text", "text": reasoning}]}
        chat["items"] |= {f"t{number}": {"data": thought}, f"i{number}": {"data": given}}
        chat["messages"][id_] = {**plain, "items": [{"id": f"t{number}"}, {"id": f"i{number}", "type": "message"}]}
    return chat


@pytest.mark.parametrize("version", ["orpg.1.0", "orpg.3.0"])
def test_a_chat_of_openrouter(tmp_path: Path, version: str) -> None:
    turns = [("USER", "", "I prefer pnpm."), ("c", "Hm.", "So be it.")]
    path = write_json(tmp_path / "chat.json", openrouter(*turns, version=version))
    assert detect(path) is Format.OPENROUTER
    (found,) = conversations(path)
    assert [one for one in said(found.messages) if one != "Hm."] == ["I prefer pnpm.", "So be it."]
    assert (found.title, found.agent, found.external_id) == ("Shop", False, "msg-0")
    (grown,) = conversations(write_json(path, openrouter(*turns, ("USER", "", "Paint it."), version=version)))
    assert grown.identity == found.identity
    assert [one.text for one in grown.messages if one not in found.messages] == ["Paint it."]
    spoilt = openrouter(*turns, version=version)
    spoilt["messages"]["msg-1"] = 7
    (cut,) = conversations(write_json(path, spoilt))
    assert "I prefer pnpm." in said(cut.messages)


def dti(*messages: tuple[str, str]) -> Json:
    """Return a conversation in the portable schema; messages are (sender, text)."""
    return {
        "details": {"createdBy": "Shop AI", "startTime": "2026-03-01T10:00:00Z", "modality": "text"},
        "identifiers": [{"name": "Ann", "type": "email", "identifier": "Ann@example.org"}],
        "messages": [
            {"sentAt": f"2026-03-01T10:{number // 60:02}:{number % 60:02}Z", "sender": sender, "text": text}
            for number, (sender, text) in enumerate(messages)
        ],
    }


def test_a_conversation_in_the_portable_schema(tmp_path: Path) -> None:
    turns = [("ann@example.org", "I prefer pnpm."), ("AI", "So be it.")]
    path = write_json(tmp_path / "history.json", dti(*turns))
    assert detect(path) is Format.DTI
    (found,) = conversations(path)
    assert by_channel(found.messages) == {"user.spoken": ["I prefer pnpm."], "assistant.spoken": ["So be it."]}
    assert (found.title, found.agent) == ("Shop AI", False)
    (grown,) = conversations(write_json(path, dti(*turns, ("ann@example.org", "Paint it."))))
    assert grown.identity == found.identity
    assert [one.text for one in grown.messages if one not in found.messages] == ["Paint it."]


def test_of_several_people_in_the_portable_schema_none_is_taken_for_the_person(tmp_path: Path) -> None:
    shared = dti(("ann@example.org", "I prefer pnpm."))
    shared["identifiers"].append({"name": "Bob", "type": "email", "identifier": "bob@example.org"})
    found = items(write_json(tmp_path / "shared.json", [shared, dti(("ann@example.org", "I like tea."))]))
    assert [said(one.messages) for one in conversations(tmp_path / "shared.json")] == [["I like tea."]]
    assert "several people" in problems(found)[0].reason


def test_codex_tasks_of_the_cloud_in_an_export_of_chatgpt(tmp_path: Path) -> None:
    def turn(id_: str, role: str, text: str) -> Json:
        content = [{"content_type": "text", "text": text}, {"content_type": "repo_file_citation", "path": "a.ts"}]
        return {"id": id_, "role": role, "input_items" if role == "user" else "output_items": [{"content": content}]}

    task = {
        "id": "task_e_1",
        "title": "Shop",
        "turns": [turn("u", "user", "Use pnpm."), turn("a", "assistant", "Done.")],
    }
    archive = write_zip(tmp_path / "a.zip", {"codex.json": [task, {"id": "x"}]})
    assert detect(archive) is Format.CODEX_CLOUD
    found = items(archive)
    (one,) = conversations(archive)
    assert by_channel(one.messages) == {
        "user.spoken": ["Use pnpm.\n[attachment: a.ts]"],
        "assistant.spoken": ["Done.\n[attachment: a.ts]"],
    }
    assert (one.agent, one.external_id, len(problems(found))) == (True, "task_e_1", 1)


def test_databases_are_found_and_that_of_antigravity_is_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setattr("sys.platform", "linux")
    for name in ("HERMES_HOME", "XDG_DATA_HOME", "MASTRA_APP_DATA_DIR", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    data = tmp_path / ".local" / "share"
    places = {
        Format.HERMES: hermes(tmp_path / ".hermes" / "state.db", *HERMES),
        Format.DEVIN: devin(data / "devin" / "cli" / "sessions.db", (1, None, {"role": "user", "content": "x"})),
        Format.MASTRA: mastra(data / "mastracode" / "mastra.db", ("user", "x")),
        Format.OPENCODE: data / "kilo" / "kilo.db",
    }
    places[Format.OPENCODE].parent.mkdir()
    places[Format.OPENCODE].touch()
    assert sorted(find_logs()) == sorted(places.items())
    own = write_tables(tmp_path / "x.db", {"trajectory_meta": [{"trajectory_id": 1}], "steps": [{"idx": 1}]})
    with pytest.raises(Unsupported, match="Antigravity"):
        detect(own)

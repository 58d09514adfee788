"""Programs for local models: Ollama's app, LM Studio and Jan; and Continue."""

from pathlib import Path
from typing import Any

import pytest

from curator.importers import Format, Unsupported, detect
from importers.sample_databases import by_channel, write_tables
from importers.sample_logs import Json, conversations, items, problems, skipped, write_json, write_lines, write_zip

AT = 1_750_000_000_000


def ollama(path: Path, *turns: Json) -> Path:
    plain = {"chat_id": "c1", "role": "user", "content": "", "thinking": "", "created_at": "2025-06-15 15:06:40+00:00"}
    return write_tables(
        path,
        {
            "settings": [{"id": 1}],
            "chats": [{"id": "c1", "title": "Boats", "created_at": "2025-06-15 15:06:40.5 +0000"}],
            "messages": [{"id": n, **plain, **one} for n, one in enumerate(turns, 1)],
            "tool_calls": [
                {
                    "id": 1,
                    "message_id": 2,
                    "function_name": "search",
                    "function_arguments": '{"q":1}',
                    "function_result": "calm",
                }
            ],
            "attachments": [{"id": 1, "message_id": 1, "filename": "plan.pdf", "data": "-"}],
        },
    )


OLLAMA = [{"content": "I own a boat."}, {"role": "assistant", "content": "Nice.", "thinking": "A boat."}]


def test_ollamas_app(tmp_path: Path) -> None:
    path = ollama(tmp_path / "db.sqlite", *OLLAMA)
    assert detect(path) is Format.OLLAMA
    (found,) = conversations(path)
    assert by_channel(found.messages) == {
        "user.spoken": ["I own a boat.\n[attachment: plan.pdf]"],
        "assistant.thinking": ["A boat."],
        "assistant.spoken": ["Nice."],
        "assistant.tool": ['search {"q":1}'],
        "tool.tool": ["calm"],
    }
    assert (found.title, found.messages[0].created_at) == ("Boats", AT * 1000)
    (grown,) = conversations(ollama(tmp_path / "b" / "db.sqlite", *OLLAMA, {"content": "More"}))
    assert [one.text for one in grown.messages if one.identity not in {b.identity for b in found.messages}] == ["More"]


def test_ollamas_list_of_prompts_is_refused_with_the_reason(tmp_path: Path) -> None:
    path = tmp_path / ".ollama" / "history"
    path.parent.mkdir()
    path.write_text("/set verbose\nwhy is the sky blue?\n")
    with pytest.raises(Unsupported, match="without answers"):
        detect(path)


def version(role: str, *content: Json, **fields: Any) -> Json:
    return {"type": "singleStep", "role": role, "content": list(content), **fields}


def block(*content: Json, **fields: Any) -> Json:
    return {"type": "contentBlock", "content": list(content), **fields}


def text(said: str) -> Json:
    return {"type": "text", "text": said}


ASKED = {
    "versions": [version("user", text("I own a boat."), {"type": "file", "fileIdentifier": "plan.pdf"})],
    "currentlySelected": 0,
}
ANSWERED = {
    "versions": [
        {"type": "multiStep", "role": "assistant", "steps": [block(text("Rejected"))]},
        {
            "type": "multiStep",
            "role": "assistant",
            "steps": [
                block(text("A boat."), style={"type": "thinking"}),
                block({"type": "toolCallRequest", "name": "search", "parameters": {"q": 1}}),
                {"type": "toolStatus", "statusState": {}},
                block({"type": "toolCallResult", "content": "calm"}),
                block(text("Nice.")),
            ],
        },
    ],
    "currentlySelected": 1,
}


def lm_studio(path: Path, *messages: Json) -> Path:
    return write_json(path, {"name": "Boats", "createdAt": AT, "systemPrompt": "Be brief", "messages": list(messages)})


def test_lm_studio(tmp_path: Path) -> None:
    path = lm_studio(tmp_path / f"{AT}.conversation.json", ASKED, ANSWERED)
    assert detect(path) is Format.LM_STUDIO
    (found,) = conversations(path)
    assert by_channel(found.messages) == {
        "system.injected": ["Be brief"],
        "user.spoken": ["I own a boat.\n[attachment: plan.pdf]"],
        "assistant.spoken": ["Rejected", "Nice."],
        "assistant.thinking": ["A boat."],
        "assistant.tool": ['search {"q":1}'],
        "tool.tool": ["calm"],
    }
    assert [one.text for one in found.messages if not one.active] == ["Rejected"]
    assert (found.external_id, found.title, found.created_at) == (str(AT), "Boats", AT * 1000)
    (before,) = conversations(lm_studio(tmp_path / "old" / path.name, ASKED))
    assert {one.identity for one in before.messages} < {one.identity for one in found.messages}
    assert (
        before.identity
        == conversations(write_zip(tmp_path / "a.zip", {f"x/{path.name}": path.read_text()}))[0].identity
    )


def jan_line(id_: str, role: str, said: str, **fields: Any) -> Json:
    content = [{"type": "text", "text": {"value": said, "annotations": []}}]
    plain = {"id": id_, "object": "thread.message", "thread_id": "t1", "role": role, "content": content}
    return {**plain, "created_at": AT, **fields}


FILES = "[ATTACHED_FILES]\n- file_id: f, name: plan.pdf, type: pdf\n[/ATTACHED_FILES]"
USED = {
    "tool_calls": [
        {
            "tool": {"id": "c", "function": {"name": "search", "arguments": '{"q":1}'}},
            "response": {"content": [text("calm")]},
        }
    ]
}


def test_jan(tmp_path: Path) -> None:
    folder = tmp_path / "threads" / "t1"
    write_json(
        folder / "thread.json",
        {"id": "t1", "object": "thread", "title": "Boats", "assistants": [], "created": AT / 1000},
    )
    lines = [
        jan_line("m1", "user", f"I own a boat.\n\n{FILES}"),
        jan_line("m2", "assistant", "<think>A boat.</think>Nice.", metadata=USED),
    ]
    path = write_lines(folder / "messages.jsonl", lines[:1])
    assert detect(path) is Format.JAN
    (before,) = conversations(tmp_path)
    write_lines(path, lines)
    (found,) = conversations(tmp_path)
    assert by_channel(found.messages) == {
        "user.spoken": ["I own a boat.\n[attachment: plan.pdf]"],
        "assistant.tool": ['search {"q":1}'],
        "tool.tool": ["calm"],
        "assistant.thinking": ["A boat."],
        "assistant.spoken": ["Nice."],
    }
    assert (found.title, found.created_at, found.messages[0].created_at) == ("Boats", AT * 1000, AT * 1000)
    assert before.identity == found.identity
    assert before.messages[0].identity == found.messages[0].identity
    with path.open("a") as file:
        file.write("{nonsense}\n")
    assert len(problems(items(tmp_path))) == 1


def continued(*history: Json) -> Json:
    return {
        "sessionId": "s1",
        "title": "Tools",
        "workspaceDirectory": "file:///home/ann/shop",
        "history": list(history),
    }


HISTORY: list[Json] = [
    {
        "message": {"role": "user", "content": [text("I prefer pnpm.")]},
        "contextItems": [{"name": "a.ts", "description": "file", "content": "let x"}],
        "editorState": {},
    },
    {
        "message": {
            "role": "assistant",
            "content": "I look.",
            "toolCalls": [{"id": "c", "function": {"name": "read_file", "arguments": '{"path": "a.ts"}'}}],
        },
        "reasoning": {"text": "Look."},
    },
    {"message": {"role": "tool", "content": "let x = 1", "toolCallId": "c"}},
]


def test_continue(tmp_path: Path) -> None:
    path = write_json(tmp_path / "s1.json", continued(*HISTORY))
    listed = {"sessionId": "s1", "title": "Tools", "dateCreated": str(AT), "workspaceDirectory": "/home/ann/shop"}
    write_json(tmp_path / "sessions.json", [listed])
    assert detect(path) is Format.CONTINUE
    (found,) = conversations(tmp_path)
    assert by_channel(found.messages) == {
        "user.spoken": ["I prefer pnpm.\n[attachment: a.ts]"],
        "user.attachment": ["let x"],
        "assistant.thinking": ["Look."],
        "assistant.spoken": ["I look."],
        "assistant.tool": ['read_file {"path":"a.ts"}'],
        "tool.tool": ["let x = 1"],
    }
    assert (found.title, found.created_at, found.folder, found.agent) == ("Tools", AT * 1000, "/home/ann/shop", True)
    write_json(path, continued(*HISTORY[:1]))
    assert {one.identity for one in conversations(path)[0].messages} < {one.identity for one in found.messages}
    assert skipped(items(write_json(path, continued()))) == {"no_messages": 1}

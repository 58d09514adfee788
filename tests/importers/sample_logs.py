"""Small logs in the formats that Curator reads."""

import json
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from curator.importers import Item, Problem, ReadyMemory, Skipped, read
from store.model import NewConversation, NewMemory, NewMessage

Json = dict[str, Any]


def write_json(path: Path, value: object) -> Path:
    """Write a value as minified JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, separators=(",", ":")))
    return path


def write_lines(path: Path, values: Iterable[object]) -> Path:
    """Write one JSON value per line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return path


def write_zip(path: Path, files: Mapping[str, object]) -> Path:
    """Write a zip of JSON files by name."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in files.items():
            archive.writestr(name, value if isinstance(value, str | bytes) else json.dumps(value))
    return path


def items(path: Path, **options: Any) -> list[Item]:
    return list(read(path, **options))


def conversations(path: Path, **options: Any) -> list[NewConversation]:
    return [item for item in read(path, **options) if isinstance(item, NewConversation)]


def memories(path: Path) -> list[NewMemory]:
    """Return the ready memories of a file, with what the file claims about them."""
    return [item.claimed for item in read(path) if isinstance(item, ReadyMemory)]


def problems(found: Sequence[Item]) -> list[Problem]:
    return [item for item in found if isinstance(item, Problem)]


def skipped(found: Sequence[Item]) -> dict[str, int]:
    """Count skipped items by reason."""
    reasons: dict[str, int] = {}
    for item in found:
        if isinstance(item, Skipped):
            reasons[item.reason] = reasons.get(item.reason, 0) + item.count
    return reasons


def said(messages: Iterable[NewMessage]) -> list[str]:
    return [message.text for message in messages]


def turns(messages: Iterable[NewMessage]) -> list[tuple[str, str, str]]:
    """Return role, channel and text of each message."""
    return [(message.role.value, message.channel.value, message.text) for message in messages]


def node(id_: str, parent: str | None, message: Json | None = None) -> Json:
    return {"id": id_, "parent": parent, "children": [], "message": message}


def gpt_message(id_: str, role: str, text: str, at: float | None = 1_700_000_000.0, **fields: Any) -> Json:
    """Return a message of a ChatGPT export; `fields` replace its own."""
    plain: Json = {
        "id": id_,
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": at,
        "content": {"content_type": "text", "parts": [text]},
        "status": "finished_successfully",
        "metadata": {},
        "recipient": "all",
    }
    return {**plain, **fields}


def gpt_chat(name: str, *turns: str, **fields: Any) -> Json:
    """Return a ChatGPT conversation without branches, whose messages alternate between the person and the model."""
    mapping = {"root": node("root", None)}
    before = "root"
    for number, text in enumerate(turns):
        id_ = f"{name}-{number}"
        role = "assistant" if number % 2 else "user"
        mapping[id_] = node(id_, before, gpt_message(id_, role, text, 1_700_000_000.0 + number))
        mapping[before]["children"].append(id_)
        before = id_
    plain = {
        "title": name,
        "create_time": 1_700_000_000.5,
        "update_time": 1_700_000_100.0,
        "mapping": mapping,
        "current_node": before,
        "conversation_id": name,
        "id": name,
    }
    return {**plain, **fields}


def claude_message(uuid: str, sender: str, text: str, second: int = 0, **fields: Any) -> Json:
    plain = {
        "uuid": uuid,
        "sender": sender,
        "text": text,
        "content": [{"type": "text", "text": text}],
        "created_at": f"2025-03-01T10:00:{second:02}.000000Z",
        "attachments": [],
        "files": [],
    }
    return {**plain, **fields}


def claude_chat(uuid: str, *turns: str, **fields: Any) -> Json:
    """Return a Claude.ai conversation of older exports: a list without parents."""
    messages = [
        claude_message(f"{uuid}-{n}", "assistant" if n % 2 else "human", text, n) for n, text in enumerate(turns)
    ]
    plain = {
        "uuid": uuid,
        "name": f"About {uuid}",
        "created_at": "2025-03-01T10:00:00.000000Z",
        "updated_at": "2025-03-01T11:00:00.000000Z",
        "account": {"uuid": "account-1"},
        "chat_messages": messages,
    }
    return {**plain, **fields}


def uuid(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012}"


def code_line(number: int, role: str, content: object, **fields: Any) -> Json:
    """Return a line of a Claude Code session, by the user or the assistant."""
    plain = {
        "type": role,
        "uuid": uuid(number),
        "parentUuid": uuid(number - 1),
        "sessionId": "session-1",
        "timestamp": f"2025-06-01T10:{number // 60:02}:{number % 60:02}.000Z",
        "cwd": "/home/ann/work/garden",
        "isSidechain": False,
        "message": {"role": role, "content": content},
    }
    return {**plain, **fields}


def code_answer(number: int, message: str, *blocks: Json, **fields: Any) -> Json:
    """Return a line of an assistant's message, which may continue in other lines with the same `message` id."""
    line = code_line(number, "assistant", list(blocks), **fields)
    line["message"]["id"] = message
    return line


def codex_line(second: int, kind: str, **payload: Any) -> Json:
    """Return a line of a Codex session."""
    return {"timestamp": f"2025-11-03T10:00:{second:02}.000Z", "type": kind, "payload": payload}


def codex_meta(number: int = 1, second: int = 0, **fields: Any) -> Json:
    plain = {
        "id": uuid(number),
        "timestamp": "2025-11-03T10:00:00.000Z",
        "cwd": "/home/ann/work/garden",
        "source": "cli",
    }
    return codex_line(second, "session_meta", **{**plain, **fields})


def codex_turn(second: int, role: str, *texts: str) -> Json:
    """Return a message as it was sent to the model or by it."""
    kind = "output_text" if role == "assistant" else "input_text"
    return codex_line(
        second, "response_item", type="message", role=role, content=[{"type": kind, "text": text} for text in texts]
    )


def codex_event(second: int, kind: str, **fields: Any) -> Json:
    """Return a message as the app showed it."""
    return codex_line(second, "event_msg", type=kind, **fields)


def libre_message(id_: str, parent: str | None, text: str, second: int = 0, **fields: Any) -> Json:
    """Return a message of a LibreChat export: the person's if its id begins with "u"."""
    plain = {
        "messageId": id_,
        "parentMessageId": parent,
        "sender": "User" if id_.startswith("u") else "GPT-4",
        "isCreatedByUser": id_.startswith("u"),
        "text": text,
        "createdAt": f"2025-02-03T10:00:{second:02}.500Z",
        "error": False,
    }
    return {**plain, **fields}


def libre_chat(*messages: Json, **fields: Any) -> Json:
    """Return a LibreChat conversation of a flat export."""
    plain = {
        "conversationId": "libre-1",
        "endpoint": "openAI",
        "title": "Boats",
        "exportAt": "13:18:04 GMT+0100 (Central European Standard Time)",
        "branches": True,
        "recursive": False,
        "messages": list(messages),
    }
    return {**plain, **fields}


def grok_response(id_: str, parent: str | None, text: str, second: int = 0, **fields: Any) -> Json:
    """Return a response of a Grok export: the person's if its id begins with "u"."""
    plain = {
        "_id": id_,
        "conversation_id": "grok-1",
        "message": text,
        "sender": "human" if id_.startswith("u") else "ASSISTANT",
        "create_time": {"$date": {"$numberLong": str(1_750_000_000_000 + 1000 * second)}},
        "parent_response_id": parent,
        "model": "grok-4",
    }
    return {"response": {**plain, **fields}, "share_link": None}


def grok_chat(*responses: Json, **fields: Any) -> Json:
    """Return a conversation of a Grok export."""
    plain = {
        "id": "grok-1",
        "title": "Bees",
        "create_time": "2025-06-15T15:06:40.000000Z",
        "leaf_response_id": None,
        "temporary": False,
    }
    return {"conversation": {**plain, **fields}, "responses": list(responses)}


def deepseek_node(id_: str, parent: str | None, second: int = 0, *fragments: tuple[str, str], **fields: Any) -> Json:
    """Return a node of a DeepSeek export, with fragments as (type, content)."""
    message = {
        "files": [],
        "model": "deepseek-reasoner",
        "inserted_at": f"2025-04-29T11:59:{second:02}.635000+08:00",
        "fragments": [{"type": type_, "content": content} for type_, content in fragments],
    }
    return {"id": id_, "parent": parent, "children": [], "message": {**message, **fields} if parent else None}


def deepseek_chat(*nodes: Json, **fields: Any) -> Json:
    """Return a conversation of a DeepSeek export."""
    plain = {
        "id": "deep-1",
        "title": "Tea",
        "inserted_at": "2025-04-29T11:59:11.635000+08:00",
        "updated_at": "2025-04-29T12:44:11.402000+08:00",
        "mapping": {node["id"]: node for node in (deepseek_node("root", None), *nodes)},
    }
    return {**plain, **fields}


def gemini_meta(**fields: Any) -> Json:
    """Return the first line of a Gemini CLI session."""
    plain = {"sessionId": "session-1", "projectHash": "f" * 64, "startTime": "2026-02-01T10:00:00.000Z", "kind": "main"}
    return {**plain, **fields}


def gemini_line(number: int, kind: str, content: object, **fields: Any) -> Json:
    """Return a message of a Gemini CLI session."""
    at = f"2026-02-01T10:00:{number:02}.000Z"
    return {"id": f"m{number}", "timestamp": at, "type": kind, "content": content, **fields}


def qwen_line(number: int, kind: str, *parts: Json, **fields: Any) -> Json:
    """Return a line of a Qwen Code session."""
    plain = {
        "uuid": uuid(number),
        "parentUuid": uuid(number - 1) if number > 1 else None,
        "sessionId": "session-1",
        "timestamp": f"2026-02-01T10:00:{number:02}.000Z",
        "type": kind,
        "cwd": "/home/ann/work/garden",
        "message": {"role": "model" if kind == "assistant" else "user", "parts": list(parts)},
    }
    return {**plain, **fields}


def studio_chat(*chunks: Json, **fields: Any) -> Json:
    """Return a Google AI Studio chat."""
    plain = {"runSettings": {"model": "models/gemini-2.5-pro"}, "systemInstruction": {}}
    return {**plain, "chunkedPrompt": {"chunks": list(chunks), "pendingInputs": []}, **fields}


def studio_chunk(role: str, text: str, second: int | None = None, **fields: Any) -> Json:
    at = {} if second is None else {"createTime": f"2025-08-01T10:00:{second:02}.250Z"}
    return {"role": role, "text": text, "tokenCount": 3, **at, **fields}


def le_chat_message(id_: str, text: str, second: int = 0, **fields: Any) -> Json:
    """Return a message of a Le Chat export: the person's if its id begins with "u"."""
    plain = {
        "id": id_,
        "version": 0,
        "chatId": "lechat-1",
        "content": text,
        "contentChunks": None,
        "role": "user" if id_.startswith("u") else "assistant",
        "createdAt": f"2025-09-01T10:00:{second:02}.500Z",
        "files": [],
        "canvas": [],
        "quotes": [],
    }
    return {**plain, **fields}


def gemini_activity(title: str, answer: str | None, time: str, **fields: Any) -> Json:
    """Return a Gemini activity in Takeout's JSON; the answer is HTML."""
    plain: Json = {
        "header": "Gemini Apps",
        "title": title,
        "time": time,
        "products": ["Gemini Apps"],
        "activityControls": ["Gemini Apps Activity"],
    }
    return {**plain, **({} if answer is None else {"safeHtmlItem": [{"html": answer}]}), **fields}


def gemini_page(*cells: tuple[str, str, str], product: str = "Gemini Apps", chat: str = "") -> str:
    """Return a page of Takeout's activities: prompts with their labels, printed dates and answers."""
    column = '<div class="content-cell mdl-cell mdl-cell--6-col mdl-typography--body-1'
    caption = '<div class="content-cell mdl-typography--caption">'
    if chat:
        caption += f'<b>Details:</b><br><a href="https://gemini.google.com/app/{chat}">here</a>'
    body = "".join(
        '<div class="outer-cell mdl-cell mdl-cell--12-col"><div class="mdl-grid"><div class="header-cell">'
        f'<p class="mdl-typography--title">{product}<br></p></div>{column}">{prompt}<br>{date}<br>{answer}</div>'
        f'{column} mdl-typography--text-right"></div>{caption}</div></div></div>'
        for prompt, date, answer in cells
    )
    style = '<style type="text/css">' + ".mdl-grid{display:flex}" * 5000 + "</style>"
    return f"<html><head><title>My Activity History</title>{style}</head><body>{body}</body></html>"


def copilot_event(number: int, kind: str, **data: Any) -> Json:
    """Return a line of a Copilot CLI session."""
    at = f"2026-03-01T10:00:{number:02}.000Z"
    return {"type": kind, "data": data, "id": uuid(number), "timestamp": at, "parentId": uuid(number - 1)}


def vscode_request(id_: str, text: str, *parts: Json, **fields: Any) -> Json:
    """Return a prompt in a VS Code chat, with the parts of its answer."""
    plain = {"requestId": id_, "message": {"text": text, "parts": []}, "response": list(parts)}
    return {**plain, "timestamp": 1_770_000_001_000, **fields}


def vscode_chat(*requests: Json, **fields: Any) -> Json:
    """Return a VS Code chat."""
    plain = {"version": 3, "sessionId": "c1", "creationDate": 1_770_000_000_000, "responderUsername": "GitHub Copilot"}
    return {**plain, "requests": list(requests), **fields}

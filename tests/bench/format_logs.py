"""Generated logs of programs that write a file for each conversation, and of Grok.

`SESSIONS` maps each format to a conversation's file name and a function that writes its content, given the alternating
turns of a person and an assistant, the person's first.
"""

import json
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid5

from importers import agent_logs as agents
from importers import sample_logs as logs

START = datetime(2024, 1, 1, tzinfo=UTC)


def _stamp(place: int) -> str:
    return f"{START + timedelta(seconds=place):%Y-%m-%dT%H:%M:%S}.000Z"


def _lines(values: Iterable[object]) -> str:
    return "".join(f"{json.dumps(value)}\n" for value in values)


def _text(words: str) -> logs.Json:
    return {"type": "text", "text": words}


def _roles(said: list[str], own: Any = "user", other: Any = "assistant") -> list[tuple[int, Any, str]]:
    return [(place, other if place % 2 else own, text) for place, text in enumerate(said)]


def _aider(name: str, said: list[str]) -> str:
    turns = (
        f"{text}\n\n> Applied edit to gate.py\n\n" if role else "".join(f"#### {line}\n" for line in text.split("\n"))
        for _, role, text in _roles(said, False, True)
    )
    return f"\n# aider chat started at 2025-02-01 10:00:00\n\n{chr(10).join(turns)}"


def _amp(name: str, said: list[str]) -> str:
    messages = [
        {"role": role, "messageId": place, "content": [_text(text)], "meta": {"sentAt": 1_770_000_000_000 + place}}
        for place, role, text in _roles(said)
    ]
    return json.dumps({"v": 9, "id": f"T-{name}", "created": 1_770_000_000_000, "title": name, "messages": messages})


def _cline(name: str, said: list[str]) -> str:
    texts = (f"<task>\n{text}\n</task>" if not place % 2 else text for place, text in enumerate(said))
    return json.dumps(
        [{"role": role, "content": [_text(text)]} for (_, role, _), text in zip(_roles(said), texts, strict=True)]
    )


def _copilot_cli(name: str, said: list[str]) -> str:
    start = logs.copilot_event(0, "session.start", sessionId=name, startTime=_stamp(0), context={"cwd": "/work/garden"})
    turns = [
        {**logs.copilot_event(place + 1, f"{role}.message", content=text), "timestamp": _stamp(place)}
        for place, role, text in _roles(said)
    ]
    return _lines([start, *turns])


def _copilot_chat(name: str, said: list[str]) -> str:
    pairs = zip(said[::2], said[1::2], strict=False)
    requests = [logs.vscode_request(f"r{at}", own, {"value": other}) for at, (own, other) in enumerate(pairs)]
    return json.dumps(logs.vscode_chat(*requests, sessionId=name))


def _grok_cli(name: str, said: list[str]) -> str:
    return _lines(
        {"type": role, "content": [_text(f"<user_query>\n{text}\n</user_query>")] if role == "user" else text}
        for _, role, text in _roles(said)
    )


def _qwen(name: str, said: list[str]) -> str:
    return _lines(
        logs.qwen_line(int(name[-12:]) * 100 + place, role, {"text": text}, sessionId=name, timestamp=_stamp(place))
        for place, role, text in _roles(said)
    )


def _sillytavern(name: str, said: list[str]) -> str:
    head = {"user_name": "unused", "character_name": "unused", "chat_metadata": {"integrity": name}}
    turns = (
        {"name": who, "is_user": who == "Ann", "is_system": False, "send_date": _stamp(place), "mes": text, "extra": {}}
        for place, who, text in _roles(said, "Ann", "Assistant")
    )
    return _lines([head, *turns])


def _perplexity(name: str, said: list[str]) -> str:
    entries = [
        {
            "uuid": str(uuid5(UUID(name), str(place))),
            "context_uuid": name,
            "query_str": own,
            "blocks": [{"intended_usage": "ask_text", "markdown_block": {"chunks": [other]}}],
            "entry_created_datetime": _stamp(place)[:-1],
        }
        for place, (own, other) in enumerate(zip(said[::2], said[1::2], strict=False))
    ]
    return json.dumps({"status": "success", "entries": entries, "thread_metadata": {"title": name}})


def _letta(name: str, said: list[str]) -> str:
    turns = [
        {"id": f"message-{name}-{place}", "role": role, "content": [_text(text)], "created_at": _stamp(place)}
        for place, role, text in _roles(said)
    ]
    agent = {"id": f"agent-{name}", "name": name, "agent_type": "letta_v1_agent", "messages": turns, "block_ids": []}
    return json.dumps({"agents": [agent], "groups": [], "blocks": [], "tools": []})


def _pi(name: str, said: list[str]) -> str:
    head = {"type": "session", "version": 3, "id": name, "timestamp": _stamp(0), "cwd": "/home/ann/garden"}
    turns = (
        {**agents.pi_entry(place, role, [_text(text)]), "timestamp": _stamp(place)}
        | {"id": f"{name}-{place}", "parentId": f"{name}-{place - 1}" if place else None}
        for place, role, text in _roles(said)
    )
    return _lines([head, *turns])


def _droid(name: str, said: list[str]) -> str:
    head = {"type": "session_start", "id": name, "title": name, "owner": "ann", "cwd": "/home/ann/garden"}
    turns = (
        {**agents.droid_line(place, role, _text(text)), "timestamp": _stamp(place)}
        for place, role, text in _roles(said)
    )
    return _lines([head, *turns])


def _claude_code(name: str, said: list[str]) -> str:
    lines = []
    for place, role, text in _roles(said):
        number = int(name[-12:]) * 100 + place
        if role == "user":
            lines.append(logs.code_line(number, "user", text, sessionId=name))
            continue
        result = [{"type": "tool_result", "tool_use_id": f"toolu_{number:022}", "content": text}]
        lines.append(logs.code_answer(number, f"msg_{number:022}", _text(text), sessionId=name))
        lines.append(logs.code_line(number + 1_000_000_000, "user", result, sessionId=name))
    return _lines(lines)


def _codex(name: str, said: list[str]) -> str:
    return _lines(
        [logs.codex_meta(id=name), *(logs.codex_turn(place % 60, role, text) for place, role, text in _roles(said))]
    )


def _gemini_cli(name: str, said: list[str]) -> str:
    turns = (
        logs.gemini_line(place % 60, role, text, id=logs.uuid(place))
        for place, role, text in _roles(said, "user", "gemini")
    )
    return _lines([logs.gemini_meta(sessionId=name), *turns])


def grok(name: str, said: list[str]) -> logs.Json:
    """Return a conversation as in Grok's export."""
    ids = [f"{'a' if place % 2 else 'u'}-{name}-{place}" for place in range(len(said))]
    turns = [
        logs.grok_response(id_, above, text, place, conversation_id=name)
        for place, (id_, above, text) in enumerate(zip(ids, [None, *ids], said, strict=False))
    ]
    return logs.grok_chat(*turns, id=name)


SESSIONS: dict[str, tuple[str, Callable[[str, list[str]], str]]] = {
    "claude-code": ("{}.jsonl", _claude_code),
    "codex": ("{}.jsonl", _codex),
    "gemini-cli": ("{}.jsonl", _gemini_cli),
    "qwen-code": ("{}.jsonl", _qwen),
    "copilot-cli": ("{}/events.jsonl", _copilot_cli),
    "copilot-chat": ("{}.json", _copilot_chat),
    "grok-cli": ("%2Fhome%2Fann%2Fgarden/{}/chat_history.jsonl", _grok_cli),
    "aider": ("{}/.aider.chat.history.md", _aider),
    "amp": ("threads/{}.json", _amp),
    "cline": ("tasks/{}/api_conversation_history.json", _cline),
    "pi": ("{}.jsonl", _pi),
    "droid": ("{}.jsonl", _droid),
    "sillytavern": ("{}.jsonl", _sillytavern),
    "perplexity": ("{}.json", _perplexity),
    "letta": ("{}.af", _letta),
}

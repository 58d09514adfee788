"""A log of every format with one or two statements of a person, as its program would have written it each time."""

import contextlib
import json
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curator.importers import Format
from importers import growing_values as values
from importers import (
    test_codex,
)
from importers.agent_logs import AGENT_LOGS, MORE, AgentLog
from importers.sample_logs import (
    claude_chat,
    gpt_chat,
    write_json,
    write_lines,
)

SAID = ("Fix the gate", MORE)
KNOWN = ("Prefers tea in the morning", "Owns a wooden boat")
Write = Callable[[Path, Sequence[str]], object]


@dataclass(frozen=True)
class GrowingLog:
    """A log: its file's name, how it is written with given statements, and ways to damage it."""

    form: Format
    name: str
    write: Write
    said: Sequence[str] = SAID
    spoils: Sequence[Callable[[Path], object]] = ()
    named: bool = True  # damage is reported; in plain text any line may be somebody's words

    def __str__(self) -> str:
        return f"{self.form}:{self.name}"


Value = Callable[[Sequence[str]], Any]


def spoiled_lines(path: Path) -> None:
    """Insert a damaged line before the last one."""
    lines = path.read_text().splitlines()
    path.write_text("\n".join((*lines[:-1], '{"damaged', lines[-1])) + "\n")


def spoiled_list(path: Path) -> None:
    """Insert a damaged object at the beginning of a list."""
    path.write_text(path.read_text().replace("[", '[{"damaged": nope},', 1))


def spoiled_at(*place: Any) -> Callable[[Path], object]:
    """Return a function that adds a number to the list or object at a place in the JSON."""

    def spoil(path: Path) -> None:
        value = holder = json.loads(path.read_text())
        for key in place:
            holder = holder[key]
        holder.append(7) if isinstance(holder, list) else holder.update(damaged=7)
        write_json(path, value)

    return spoil


def garbled(path: Path) -> None:
    """Insert bytes that are no text at the beginning."""
    path.write_bytes(b"\x00\xff\xfe nonsense\n\n" + path.read_bytes())


def spoiled_text(text: str) -> Callable[[Path], object]:
    """Return a function that appends a text to a file."""
    return lambda path: path.write_text(path.read_text() + text)


def lines(form: Format, name: str, value: Value, **fields: Any) -> GrowingLog:
    return GrowingLog(form, name, lambda path, said: write_lines(path, value(said)), spoils=(spoiled_lines,), **fields)


def listed(form: Format, name: str, value: Value, *place: Any, **fields: Any) -> GrowingLog:
    """Return a log that is a list of records; with `place`, the first of them has a list of messages there."""
    spoils = (spoiled_list, *([spoiled_at(0, *place)] if place else ()))
    return GrowingLog(form, name, lambda path, said: write_json(path, value(said)), spoils=spoils, **fields)


def single(form: Format, name: str, value: Value, *place: Any, **fields: Any) -> GrowingLog:
    """Return a log that is one record with a list of messages at a place."""
    spoils = (spoiled_at(*place),)
    return GrowingLog(form, name, lambda path, said: write_json(path, value(said)), spoils=spoils, **fields)


def text(form: Format, name: str, value: Callable[[Sequence[str]], str], damage: str = "", **fields: Any) -> GrowingLog:
    def write(path: Path, said: Sequence[str]) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(value(said))

    spoil = spoiled_text(damage) if damage else garbled
    return GrowingLog(form, name, write, spoils=(spoil,), named=damage.startswith("Gate"), **fields)


def agent(log: AgentLog) -> GrowingLog:
    return lines(log.form, log.name, lambda said: [*log.lines(said[0], values.ANSWER), *(log.more if said[1:] else ())])


def database(form: Format, name: str, make: Write, table: str, **damage: Any) -> GrowingLog:
    """Return a log in a database, rewritten each time; damage is a copy of a table's last row with other fields."""

    def write(path: Path, said: Sequence[str]) -> None:
        path.unlink(missing_ok=True)
        make(path, said)

    return GrowingLog(form, name, write, spoils=(added_row(table, **damage),))


def added_row(table: str, **fields: Any) -> Callable[[Path], object]:
    """Return a function that adds a copy of a table's last row with other fields."""

    def spoil(path: Path) -> None:
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.row_factory = sqlite3.Row
            last = connection.execute(f'SELECT * FROM "{table}" ORDER BY rowid DESC LIMIT 1').fetchone()
            row = {**dict(last), **fields}
            marks = ", ".join("?" * len(row))
            connection.execute(f'INSERT INTO "{table}" ({", ".join(row)}) VALUES ({marks})', list(row.values()))
            connection.commit()

    return spoil


GROWING = [
    listed(Format.CHATGPT, "conversations.json", lambda said: [gpt_chat("c", *values.alternating(said))], "mapping"),
    listed(
        Format.CLAUDE, "conversations.json", lambda said: [claude_chat("c", *values.alternating(said))], "chat_messages"
    ),
    lines(Format.CLAUDE_CODE, "-home-ann/s.jsonl", values.claude_code),
    lines(Format.CODEX, test_codex.NAME, values.codex),
    listed(Format.CODEX_CLOUD, "codex.json", values.codex_cloud, "turns"),
    single(Format.CODEX_CLOUD, "task.json", values.codex_cloud_single, "turns"),
    listed(Format.DEEPSEEK, "conversations.json", values.deepseek, "mapping"),
    single(Format.GROK, "prod-grok-backend.json", values.grok, "conversations"),
    single(Format.CONTINUE, "s1.json", values.continued, "history"),
    lines(Format.GOOSE, "20250615_1.jsonl", values.goose),
    GrowingLog(Format.JAN, "threads/t1/messages.jsonl", values.jan, spoils=(spoiled_lines,)),
    single(Format.LM_STUDIO, "1.conversation.json", values.lm_studio, "messages"),
    single(Format.LM_STUDIO, "2.conversation.json", values.lm_studio_steps, "messages"),
    database(Format.OLLAMA, "db.sqlite", values.ollama, "messages", id=99, content=7),
    database(Format.OLLAMA, "think/db.sqlite", values.ollama_thinking, "messages", id=99, content=b"\xff"),
    single(Format.OPENCODE, "session.json", values.opencode, "messages"),
    database(Format.OPENCODE, "opencode.db", values.opencode_database, "part", id="prt_9", data="{"),
    database(Format.GOOSE, "sessions.db", values.goose_database, "messages", id=99, content_json="{"),
    database(Format.OPEN_WEBUI, "webui.db", values.webui, "chat", id="c9", chat="{"),
    database(Format.ZED, "threads.db", values.zed, "threads", id="t9", data=b"damaged"),
    lines(Format.GEMINI_CLI, "chats/session-1.jsonl", values.gemini_cli),
    lines(Format.COPILOT_CLI, "s1/events.jsonl", values.copilot_cli),
    text(Format.AIDER, "garden/.aider.chat.history.md", values.aider),
    text(Format.AIDER, "shed/.aider.chat.history.md", values.aider_sessions),
    lines(
        Format.GROK_CLI,
        "f/s1/chat_history.jsonl",
        lambda said: [
            {"type": role, "content": f"<user_query>\n{words}\n</user_query>" if role == "user" else words}
            for _, role, words in values.turns(said)
        ],
    ),
    single(Format.AMP, "T-1.json", values.amp, "messages"),
    listed(Format.CLINE, "1770000000000/api_conversation_history.json", values.cline),
    single(Format.COPILOT_CHAT, "chat.json", values.vscode, "requests"),
    lines(Format.QWEN_CODE, "chats/session-1.jsonl", values.qwen),
    database(Format.DEVIN, "sessions.db", values.devin, "message_nodes", node_id=99, chat_message="{"),
    database(Format.HERMES, "state.db", values.hermes, "messages", id=99, content=7),
    single(Format.HERMES, "session_h9.json", values.hermes_json, "messages"),
    database(Format.MASTRA, "mastra.db", values.mastra, "mastra_messages", id="m9", content="{"),
    database(Format.MASTRA, "plain/mastra.db", values.mastra_plain, "mastra_messages", id="m9", content="{"),
    single(Format.OPENROUTER, "chat.json", values.openrouter, "messages"),
    single(Format.DTI, "history.json", values.dti, "messages"),
    listed(Format.OPEN_WEBUI, "chats.json", values.open_webui, "chat", "history", "messages"),
    database(Format.CURSOR, "state.vscdb", values.cursor, "cursorDiskKV", key="bubbleId:c1:b9", value="{"),
    single(Format.LIBRECHAT, "gate.json", values.librechat, "messages"),
    single(Format.AI_STUDIO, "Google AI Studio/Gate", values.ai_studio, "chunkedPrompt", "chunks"),
    listed(Format.GEMINI, "MyActivity.json", values.gemini),
    text(Format.GEMINI, "MyActivity.html", values.gemini_html),
    listed(Format.LE_CHAT, "chat-1.json", values.le_chat),
    listed(Format.HUGGINGCHAT, "conversations.json", values.huggingchat, "messages"),
    text(Format.COPILOT, "copilot-activity-history.csv", values.copilot, "Gate,never\n"),
    single(Format.PERPLEXITY, "thread.json", values.perplexity, "entries"),
    listed(Format.SHAREGPT, "set.json", values.sharegpt, "conversations"),
    lines(Format.SILLYTAVERN, "Assistant.jsonl", values.sillytavern),
    single(Format.OPENAI, "chat.json", lambda said: {"messages": values.messages(said), "title": "Gate"}, "messages"),
    text(
        Format.MARKDOWN,
        "chat.md",
        lambda said: "".join(f"**User:** {one}\n\n**Assistant:** {values.ANSWER}\n\n" for one in said),
    ),
    single(Format.LETTA, "sam.af", values.letta, "agents", 0, "messages"),
    single(Format.TELEGRAM, "result.json", values.telegram, "messages"),
    single(Format.DISCORD, "club.json", values.discord, "messages"),
    text(Format.WHATSAPP, "WhatsApp Chat with Bob.txt", values.whatsapp, "31/12/2023, 23:59 - \0\n"),
    GrowingLog(Format.SLACK, "general/2024-01-30.json", values.slack, spoils=(spoiled_list,)),
    lines(Format.MEMORIES, "memories.jsonl", values.memories, said=KNOWN),
    GrowingLog(Format.NOTES, "notes/0.md", values.notes, KNOWN),
    text(Format.CONTEXT, "CLAUDE.md", values.context, said=("Use tabs", "Run the linter")),
    text(
        Format.BASIC_MEMORY, "habits.md", values.basic_memory, "- [fact]\n", said=("Cycles to work", "Sings in a choir")
    ),
    lines(Format.MEMORY_SERVER, "memory.jsonl", values.entities, said=("is painted green", "is older than the house")),
    single(Format.MEMORY_SERVER, "graph.json", values.graph, "entities", said=("leaks in winter", "has two doors")),
    listed(Format.MEM0, "all.json", values.mem0, said=KNOWN),
    single(Format.MEM0, "page.json", values.mem0_paged, "results", said=KNOWN),
    *map(agent, AGENT_LOGS),
]

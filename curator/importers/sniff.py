"""Which format a file has, from its first 64 KB: cheap structural signs, never the name of the file alone."""

import re
from collections.abc import Callable, Iterator, Mapping
from io import BytesIO
from itertools import islice

from curator.importers.coerce import first, rows, string, table
from curator.importers.inputs import Part
from curator.importers.json_stream import Record as Parsed
from curator.importers.json_stream import json_records, parse
from curator.importers.markdown import is_transcript
from curator.importers.types import STORE, Format
from store import is_record_header

HEAD = 64 << 10
Sign = Format | str  # a str names a format that is not supported
Record = Mapping[str, object]


def sniff(part: Part) -> Sign | None:
    """The format of a file, the name of an unsupported one, `STORE` for a copy of Curator's own, or None."""
    with part.open() as stream:
        head = stream.read(HEAD)
    name = part.inner.name.lower()
    if named := _by_bytes(head, name):
        return named
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text[:1] in (b"{", b"[", b'"'):
        signs = (_json(value) for value in _openings(text))
        if sign := next((sign for sign in signs if sign), None):
            return sign
    plain = head.decode("utf-8", "replace")
    if is_transcript(plain):
        return Format.MARKDOWN
    return "a WhatsApp chat" if _WHATSAPP.search(plain) else None


_WHATSAPP = re.compile(
    r"^[\u200e\u200f]?\[?\d{1,4}[./-]\d{1,2}[./-]\d{1,4},? \d{1,2}[:.]\d{2}(?:[:.]\d{2})?"
    r"[ \u202f]?(?:[ap]\.?m\.?)?\]?(?: -)? [^:\n]{1,40}: ",
    re.IGNORECASE | re.MULTILINE,
)


def _by_bytes(head: bytes, name: str) -> str:
    if is_record_header(head):
        return STORE
    if head.startswith(b"SQLite format 3\0"):
        by_name = {
            "state.vscdb": "a Cursor database",
            "store.db": "a Cursor database",
            "webui.db": "an Open WebUI database",
        }
        return by_name.get(name, "a SQLite database (Cursor, Open WebUI or Ollama)")
    if head.startswith(b"\x28\xb5\x2f\xfd"):
        return "a compressed OpenAI Codex session" if name.startswith("rollout-") else "a zstd archive"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "a text in UTF-16 (save it as UTF-8)"
    if name.endswith(".html") and b"Gemini" in head:
        return "a Gemini Takeout page (choose JSON instead)"
    return ""


def _openings(text: bytes) -> Iterator[object]:
    """What a JSON or JSONL text that may be cut off begins with: its first lines, or the whole, cut back and closed."""
    for line in text.split(b"\n", 30)[:30]:
        try:
            yield parse(line)
        except ValueError:
            break
    try:
        yield parse(_closed(text))
    except ValueError:  # a bad record among others
        found = json_records(BytesIO(text), "")
        yield from (record.value for record in islice(found, 50) if isinstance(record, Parsed))


_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+"|["\[\]{},]', re.DOTALL)


def _closed(text: bytes) -> bytes:
    """A JSON text cut off anywhere, cut back to its last complete member and closed again."""
    stack = bytearray()
    end, closers = 1, b""
    for match in _TOKEN.finditer(text):
        sign = match[0]
        if sign in (b"{", b"["):
            stack.append(0x7D if sign == b"{" else 0x5D)
            end, closers = match.end(), bytes(reversed(stack))
        elif sign == b",":
            end, closers = match.start(), bytes(reversed(stack))
        elif sign in (b"}", b"]"):
            if not stack:
                break
            stack.pop()
            end, closers = match.end(), bytes(reversed(stack))
            if not stack:
                break
        if sign == b'"':  # a string that is cut off
            if text[: match.start()].rstrip().endswith(b":"):
                return text[: match.start()] + b'""' + bytes(reversed(stack))
            break
        if len(stack) > 200:
            break
    return text[:end] + closers


def _json(value: object) -> Sign | None:
    if isinstance(value, list):
        found = [table(one) for one in value[:50] if isinstance(one, dict)]
        if found and all("role" in one and "content" in one and "chatId" not in one for one in found):
            return Format.OPENAI
        return next((sign for one in found if (sign := _record(one))), None)
    record = table(value)
    for key in ("conversations", "memories"):
        inner = [table(one) for one in rows(record.get(key)) if isinstance(one, dict)]
        for one in inner[:50]:
            if sign := _record(one):
                return sign
    if isinstance(record.get("loglines"), list):
        return Format.CLAUDE_CODE
    return _record(record)


def _record(record: Record) -> Sign | None:
    """The format that an object belongs to, by the fields it has."""
    for name, fits in _SIGNS:
        if fits(record):
            return name
    return None


def _has(*names: str) -> Callable[[Record], bool]:
    return lambda record: all(name in record for name in names)


def _messages(*names: str) -> Callable[[Record], bool]:
    """The first objects in `messages` have these fields."""
    return lambda record: any(all(name in table(one) for name in names) for one in rows(record.get("messages"))[:20])


def _deepseek(record: Record) -> bool:
    nodes = [table(table(node).get("message")) for node in table(record.get("mapping")).values()]
    return any("fragments" in node for node in nodes) or ("inserted_at" in record and "current_node" not in record)


_CODEX = {"session_meta", "turn_context", "response_item", "event_msg", "compacted"}
_CODE_TYPES = {
    "user", "assistant", "system", "summary", "attachment", "progress", "file-history-snapshot", "queue-operation",
    "mode", "permission-mode", "ai-title", "custom-title", "agent-name", "last-prompt", "pr-link", "frame-link",
    "worktree-state", "relocated", "bridge-session", "started", "result", "tool_use", "tool_result",
}  # fmt: skip
_CODE_FIELDS = {"sessionId", "uuid", "parentUuid", "leafUuid", "messageId", "isSidechain", "agentId"}


def _claude_code(record: Record) -> bool:
    if string(record.get("type")) not in _CODE_TYPES:
        return False
    return bool(_CODE_FIELDS & record.keys()) or isinstance(record.get("message"), dict)


# In order: what is told apart by one field comes first, the most general last.
_SIGNS: tuple[tuple[Sign, Callable[[Record], bool]], ...] = (
    ("a DeepSeek export", lambda r: "mapping" in r and _deepseek(r)),
    (Format.CHATGPT, lambda r: isinstance(r.get("mapping"), dict)),
    ("a DeepSeek chat", _has("chat_session", "chat_messages")),
    (Format.CLAUDE, _has("chat_messages")),
    (Format.CLAUDE, lambda r: bool({"conversations_memory", "project_memories", "memory_files"} & r.keys())),
    (Format.CLAUDE, lambda r: "uuid" in r and ("prompt_template" in r or isinstance(r.get("docs"), list))),
    ("an OpenAI Codex session", lambda r: string(r.get("type")) in _CODEX and "payload" in r),
    ("an OpenAI Codex session", lambda r: "record_type" in r or ("instructions" in r and "git" in r)),
    ("a Cursor chat", lambda r: "role" in r and "type" not in r and isinstance(r.get("message"), dict)),
    (
        "a Cursor chat",
        lambda r: bool({"composerData", "bubbles", "allComposers", "fullConversationHeadersOnly"} & r.keys()),
    ),
    ("a Gemini Takeout", lambda r: "safeHtmlItem" in r or string(r.get("header")).startswith("Gemini")),
    ("a Google AI Studio chat", _has("chunkedPrompt")),
    ("a Gemini CLI session", lambda r: "projectHash" in r or "$set" in r or "$rewindTo" in r),
    ("a Gemini CLI session", lambda r: "content" in r and r.get("type") in ("gemini", "qwen")),
    ("a Gemini CLI session", lambda r: "sessionId" in r and "startTime" in r and "messages" in r),
    ("a LibreChat export", lambda r: "conversationId" in r and ("messages" in r or "messageId" in r)),
    ("an Open WebUI export", lambda r: isinstance(r.get("chat"), dict) or "currentId" in table(r.get("history"))),
    ("a Grok export", lambda r: isinstance(r.get("conversation"), dict) and "responses" in r),
    ("an LM Studio chat", _messages("versions", "currentlySelected")),
    ("a Discord export", lambda r: "guild" in r and "messages" in r),
    ("a Discord package", _has("ID", "Timestamp", "Contents")),
    ("a Mistral Le Chat export", lambda r: "contentChunks" in r or ("chatId" in r and "role" in r)),
    ("a SillyTavern chat", lambda r: "chat_metadata" in r or "character_name" in r or ("is_user" in r and "mes" in r)),
    (
        "a ShareGPT set",
        lambda r: any("from" in table(one) and "value" in table(one) for one in rows(r.get("conversations"))[:5]),
    ),
    ("a Slack export", lambda r: "ts" in r and "text" in r and ("user" in r or r.get("type") == "message")),
    ("a Slack export", _has("is_channel", "members")),
    ("a Claude Code prompt history", _has("display", "pastedContents")),
    (Format.CLAUDE_CODE, _claude_code),
    ("a GitHub Copilot CLI session", lambda r: "." in string(r.get("type")) and isinstance(r.get("data"), dict)),
    (Format.OPENAI, _messages("role")),
    (Format.OPENAI, lambda r: "role" in r and "content" in r),
    (Format.MEMORIES, lambda r: isinstance(r.get("text"), str) and not ({"role", "author", "type"} & r.keys())),
    (Format.MEMORIES, lambda r: bool(first(r, "text")) and bool(first(r, "id", "external_id"))),
)

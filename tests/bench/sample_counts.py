"""Check an import against the files themselves: the messages of each role, counted without Curator's importers.

    python tests/bench/sample_counts.py FOLDER      # of exports and sessions, a file each

Each file is imported into a store of its own. Its contents are counted by a plain walk over its JSON: entries of the
person and of the model with words, thoughts, tool calls, their results, system texts, pasted attachments. Exits with 1
if a number differs.
"""

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from curator.services.import_logs import import_paths
from store import Store
from store.model import Channel, Role

COLUMNS = ("user", "assistant", "thoughts", "calls", "results", "system", "pasted")
Found = Iterator[str]  # one column name per message


def imported(path: Path) -> Counter[str]:
    """Count what an import of this file stores."""
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="curator-bench-") as folder:
        store = Store.open(Path(folder) / "store")
        import_paths(store, [path], None)
        for conversation in store.raw.conversation_ids():
            counts.update(map(column_of, store.raw.messages(conversation)))
        store.close()
    return counts


def column_of(message: Any) -> str:
    match message.role, message.channel:
        case _, Channel.ATTACHMENT:
            return "pasted"
        case Role.USER, _:
            return "user"
        case Role.ASSISTANT, Channel.THINKING:
            return "thoughts"
        case Role.ASSISTANT, Channel.TOOL:
            return "calls"
        case Role.ASSISTANT, _:
            return "assistant"
        case Role.TOOL, _:
            return "results"
    return "system"


def dicts(value: object) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def said(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def chatgpt(data: Any) -> Found:
    """Yield a column for each node with words, by author; a model's message to a tool is a call."""
    for chat in dicts(data if isinstance(data, list) else [data]):
        for node in chat["mapping"].values():
            message = node.get("message")
            if not message:
                continue
            content, role = message.get("content") or {}, message["author"]["role"]
            kind = content.get("content_type")
            parts = content.get("parts") or []
            words = any(said(one) or isinstance(one, dict) for one in parts)
            words = words or any(said(content.get(name)) for name in ("text", "result", "content", "user_profile"))
            words = words or any(
                said(one.get(name)) for one in dicts(content.get("thoughts")) for name in ("summary", "content")
            )
            if not words:
                continue
            if role == "assistant" and kind in ("thoughts", "reasoning_recap"):
                yield "thoughts"
            elif role == "assistant" and (kind == "code" or message.get("recipient") not in (None, "all")):
                yield "calls"
            else:
                yield {"user": "user", "assistant": "assistant", "tool": "results"}.get(role, "system")


def claude(data: Any) -> Found:
    for chat in dicts(data if isinstance(data, list) else [data]):
        for message in dicts(chat.get("chat_messages")):
            blocks = dicts(message.get("content"))
            pasted = [one for one in dicts(message.get("attachments")) if said(one.get("extracted_content"))]
            words = any(one.get("type") == "text" and said(one.get("text")) for one in blocks) or said(
                message.get("text")
            )
            named = dicts(message.get("files")) or (dicts(message.get("attachments")) if words or not pasted else [])
            if words or any(said(one.get("file_name")) for one in named):
                yield "assistant" if message["sender"] == "assistant" else "user"
            yield from ("pasted" for _ in pasted)
            for one in blocks:
                if one.get("type") == "thinking" and said(one.get("thinking")):
                    yield "thoughts"
                elif one.get("type") == "tool_use":
                    yield "calls"
                elif one.get("type") == "tool_result" and one.get("content"):
                    yield "results"


def claude_code(lines: list[dict[str, Any]]) -> Found:
    """Yield a column for each distinct line; an answer may span lines with one id, and repeated lines count once."""
    answers: set[str] = set()
    uuids: set[str] = set()
    for line in lines:
        message = line.get("message")
        if line.get("type") not in ("user", "assistant") or not isinstance(message, dict) or line.get("uuid") in uuids:
            continue
        uuids.add(line.get("uuid", ""))
        content = message.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else dicts(content)
        if any(one.get("type") == "text" and said(one.get("text")) for one in blocks):
            if line["type"] == "user":
                yield "user"
            elif not message.get("id") or message["id"] not in answers:
                answers.add(message.get("id", ""))
                yield "assistant"
        for one in blocks:
            if one.get("type") == "thinking" and said(one.get("thinking")):
                yield "thoughts"
            elif one.get("type") == "tool_use":
                yield "calls"
            elif one.get("type") == "tool_result" and one.get("content"):
                yield "results"


def codex(lines: list[dict[str, Any]]) -> Found:
    """Yield a column for each response item; events shown by apps repeat them."""
    for line in lines:
        item = line.get("payload") or {}
        if line.get("type") != "response_item":
            continue
        match item.get("type"):
            case "message" if any(said(one.get("text")) for one in dicts(item.get("content"))):
                yield {"user": "user", "assistant": "assistant"}.get(str(item.get("role")), "system")
            case "reasoning" if dicts(item.get("summary")):
                yield "thoughts"
            case "function_call" | "custom_tool_call" | "local_shell_call" | "web_search_call" | "tool_call":
                yield "calls"
            case "function_call_output" | "custom_tool_call_output" | "tool_result":
                yield "results"


def cursor(lines: list[dict[str, Any]]) -> Found:
    for line in lines:
        blocks = dicts(line["message"].get("content"))
        if any(one.get("type") == "text" and said(one.get("text")) for one in blocks):
            yield "assistant" if line["role"] == "assistant" else "user"
        for one in blocks:
            column = {"thinking": "thoughts", "tool_use": "calls", "tool_result": "results"}.get(one.get("type", ""))
            if column:
                yield column


def gemini_cli(data: Any) -> Found:
    """Yield a column for each message, except notices (`info`, `warning`, `error`), which an import omits."""
    for message in dicts(data["messages"]):
        role = {"user": "user", "gemini": "assistant", "model": "assistant"}.get(message["type"])
        if said(message.get("content")) or any(said(one.get("text")) for one in dicts(message.get("parts"))):
            yield from (role,) if role else ()
        yield from ("thoughts" for _ in dicts(message.get("thoughts")))
        for one in dicts(message.get("toolCalls")):
            yield "calls"
            if one.get("result") or one.get("resultDisplay"):
                yield "results"


def librechat(data: Any) -> Found:
    for message in dicts(data["messages"]):
        if said(message.get("text")):
            yield "user" if message["isCreatedByUser"] else "assistant"


def counted(path: Path) -> tuple[str, Counter[str]]:
    """Return the format of a file, recognised by its fields, and the counts of its contents."""
    text = path.read_text("utf-8")
    if path.suffix == ".jsonl":
        lines = [json.loads(line) for line in text.splitlines() if line.strip()]
        walk: Callable[[Any], Found] = claude_code
        if any("payload" in line for line in lines):
            walk = codex
        elif "type" not in lines[0]:
            walk = cursor
        return walk.__name__, Counter(walk(lines))
    data = json.loads(text)
    first = data[0] if isinstance(data, list) else data
    signs = {"mapping": chatgpt, "chat_messages": claude, "projectHash": gemini_cli, "exportAt": librechat}
    walk = next(walk for sign, walk in signs.items() if sign in first)
    return walk.__name__, Counter(walk(data))


def main() -> int:
    folder = Path(sys.argv[1])
    print(f"{'file':<52}{'form':<13}" + "".join(f"{name:>15}" for name in COLUMNS))
    differing = 0
    for path in sorted(one for one in folder.rglob("*.json*") if one.is_file()):
        form, raw = counted(path)
        own = imported(path)
        cells = [str(raw[name]) if raw[name] == own[name] else f"{raw[name]} -> {own[name]}" for name in COLUMNS]
        differing += sum("->" in cell for cell in cells)
        print(f"{str(path.relative_to(folder))[:51]:<52}{form:<13}" + "".join(f"{cell:>15}" for cell in cells))
    print(f"{differing} numbers differ" if differing else "all numbers are equal")
    return int(differing > 0)


if __name__ == "__main__":
    sys.exit(main())

"""Tasks of Cline and Roo Code, extensions of VS Code: a folder per task, with `api_conversation_history.json`.

That file is a list of messages in the format of Anthropic's API. Text typed by the person is in tags, surrounded by
text of the program: the environment, rules, results of tools. `ui_messages.json` next to it has the same content.

Locations: `globalStorage/EXTENSION/tasks` of VS Code and its relatives, and `~/.cline/data/tasks`. Based on
`formatResponse` and `storage/disk.ts` of cline/cline.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from curator.importers.factory import conversation_key, headline, redacted
from curator.importers.formats.copilot_chat import user_folders
from curator.importers.inputs import Item, LogFile, Problem, ReadProgress
from curator.importers.json_stream import JsonObject, as_dict, as_dicts, as_list, as_str, as_time, join_lines, records
from curator.importers.log_format import Format, LogFormat, Options
from curator.importers.pieces import LogMessage, MessagePart, call, chat, result, thought
from store.model import Channel, Role

_CALLED = re.compile(r"\s*\[(\w+)[^\n]{0,300}\] Result:\s*")
_ASKS = ("ask_followup_question", "attempt_completion", "plan_mode_respond", "new_task")
_TYPED = re.compile(r"\s*+([^<>\n]{1,300}:\s*)?<(task|feedback|user_message|answer)>")
_SIGN = re.compile(r"\s*<task>|.*<environment_details>", re.DOTALL)
_FOLDER = re.compile(r"Current (?:Working|Workspace) Directory \(([^)\n]+)\)")
_EXTENSIONS = ("saoudrizwan.claude-dev", "rooveterinaryinc.roo-cline", "kilocode.kilo-code")


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Yield the task of each file."""
    for log in sorted(files, key=lambda one: one.name):
        messages: list[JsonObject] = []
        for record in records(log, progress):
            found = [] if isinstance(record, Problem) else as_dicts(record.value) or [as_dict(record.value)]
            messages += [one for one in found if "role" in one]
            if isinstance(record, Problem):
                yield record
            elif not all("role" in one for one in found):
                yield Problem(record.place, "not a message of a task")
        if not messages:
            continue
        turns = [LogMessage(list(pieces_of(one)), "", as_time(one.get("ts"))) for one in messages]
        said = [(one.role, one.text) for turn in turns for one in turn.pieces if one.channel is Channel.SPOKEN]
        folder = next((place[1] for one in messages if (place := _FOLDER.search(text_of(one)))), "")
        above = log.path.parent.name if log.path else log.inner.parent.name
        task = above if log.inner.stem == "api_conversation_history" else ""
        yield chat(
            Format.CLINE,
            task or conversation_key("", said),
            turns,
            log.name,
            title=headline(redacted(next((text for role, text in said if role is Role.USER and text), ""))),
            created_at=as_time(int(task)) if task.isdecimal() and len(task) == 13 else None,
            folder=folder,
            agent=True,
        )


def text_of(message: JsonObject) -> str:
    """Return all text of a message."""
    content = message.get("content")
    return as_str(content) or join_lines(as_str(one.get("text")) for one in as_dicts(content))


def _typed_of(text: str, of_tool: bool) -> tuple[str, str]:
    """Return the part of a text typed by the person, and the rest.

    The typed part is at the beginning, or after a line of the program; a file read by a tool may contain the same tags.
    """
    called = _CALLED.match(text)
    found = _TYPED.match(text, called.end() if called else 0)
    end = text.find(f"</{found[2]}>", found.end()) if found else -1
    if found is None or end < 0 or (called and called[1] not in _ASKS):
        return "", text
    if of_tool and not found[1] and found[2] != "answer":
        return "", text
    rest = f"{text[: found.start(2) - 1]}{text[end + len(found[2]) + 3 :]}"
    return text[found.end() : end].strip(), rest.strip()


def pieces_of(message: JsonObject) -> Iterator[MessagePart]:
    """Yield the parts of a message; in messages of the person, only text tagged as typed counts as said."""
    is_person = message.get("role") == "user"
    content = message.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else as_dicts(content)
    of_tool = False
    for number, block in enumerate(blocks):
        text = as_str(block.get("text"))
        match as_str(block.get("type")):
            case "text" if is_person:
                typed, added = _typed_of(text, of_tool)
                of_tool = of_tool or bool(_CALLED.match(text))
                yield MessagePart(Role.USER, Channel.SPOKEN, typed, f"#text.{number}")
                yield MessagePart(Role.USER, Channel.INJECTED, added, f"#added.{number}", hidden=True)
            case "text":
                yield MessagePart(Role.ASSISTANT, Channel.SPOKEN, text, f"#text.{number}")
            case "thinking" | "reasoning":
                yield thought(as_str(block.get("thinking")) or text, number)
            case "tool_use":
                yield call(as_str(block.get("name")), block.get("input"), number)
            case "tool_result":
                given = block.get("content")
                inside = as_str(given) or join_lines(as_str(one.get("text")) for one in as_dicts(given))
                typed, rest = _typed_of(inside, of_tool=True)
                yield MessagePart(Role.USER, Channel.SPOKEN, typed, f"#text.{number}")
                yield result(rest if typed else given, number)
            case "image":
                yield MessagePart(Role.USER, Channel.SPOKEN, "[image]", f"#text.{number}")


def fits(record: JsonObject) -> bool:
    """Return True for a message of a task, or the list of them."""
    listed = as_list(record.get("content"))
    text = as_str(record.get("content")) or next((as_str(as_dict(one).get("text")) for one in listed), "")
    return record.get("role") == "user" and _SIGN.match(text) is not None


def places() -> Iterator[Path]:
    """Yield the non-empty folders of tasks."""
    folders = [above / "globalStorage" / name / "tasks" for above in user_folders() for name in _EXTENSIONS]
    for folder in (*folders, Path.home() / ".cline" / "data" / "tasks"):
        if any(folder.glob("*/api_conversation_history.json")):
            yield folder


FORMAT = LogFormat(Format.CLINE, "a task of Cline or Roo Code", read, fits=fits, places=places)

"""Grok CLI sessions: `chat_history.jsonl`, a message a line, without dates; `summary.json` beside it has the title.

Places: `sessions/FOLDER/SESSION` in `$GROK_HOME` or `~/.grok`, where FOLDER is the project's, as in an address. After
the readers of other programs; what is the person's has no `synthetic_reason`.
"""

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import unquote

from curator.importers.factory import headline, redacted
from curator.importers.inputs import Item, Meter, Part, Problem, Skipped, Unreadable, text_beside
from curator.importers.json_stream import (
    JsonObject,
    as_dict,
    as_dicts,
    as_list,
    as_str,
    as_time,
    digest,
    first_text,
    join_lines,
    line_records,
    parse,
)
from curator.importers.log_format import Format, LogFormat, Options
from curator.importers.pieces import Piece, Turn, call, chat, output_text, result, thought
from curator.importers.whole_files import known_mark, new_mark
from curator.paths import expanded
from store.model import Channel, NewConversation, Role

_TYPES = ("user", "assistant", "tool_result", "reasoning", "system", "backend_tool_call")
_FIELDS = {"content", "summary", "encrypted_content", "tool_calls", "kind"}


def read(parts: Sequence[Part], meter: Meter, options: Options) -> Iterator[Item]:
    """Yield the session of each file."""
    for part in sorted(parts, key=lambda one: one.name):
        try:
            if mark := known_mark(part, meter, options):
                yield mark
                continue
            turns: list[Turn] = []
            other = 0
            with part.open(meter) as stream:
                for record in line_records(stream, part.name, growing=True):
                    if isinstance(record, Problem):
                        yield record
                        continue
                    line = as_dict(record.value)
                    turns.append(Turn(list(pieces_of(line)), "", as_time(line.get("timestamp"))))
                    other += not any(piece.text for piece in turns[-1].pieces)
            if other:
                yield Skipped("not_a_message", part.name, other)
            if not any(turn.pieces for turn in turns):
                continue
            found = session_of(part, turns)
            yield found
            if mark := new_mark(part, int(isinstance(found, NewConversation))):
                yield mark
        except Unreadable as error:
            yield Problem(part.name, f"cannot be read any further: {error}")


def session_of(part: Part, turns: Sequence[Turn]) -> NewConversation | Skipped:
    """Return a session, with what stands beside it."""
    kept: JsonObject = {}
    above = part.path.parent.parts if part.path else part.inner.parent.parts
    if part.path:
        with contextlib.suppress(ValueError):
            kept = as_dict(parse(text_beside(part.path.with_name("summary.json")).encode()))
    said = [one for turn in turns for one in turn.pieces if one.channel is Channel.SPOKEN and one.text]
    asked = next((one.text for one in said if one.role is Role.USER), "")
    folder = as_str(as_dict(kept.get("info")).get("cwd")) or (
        unquote(above[-2]) if "%2F" in "".join(above[-2:-1]) else ""
    )
    own = part.inner.stem == "chat_history" and above
    return chat(
        Format.GROK_CLI,
        above[-1] if own else digest(*(one.text for one in said[:2])),
        turns,
        part.name,
        title=first_text(kept, "session_summary", "generated_title") or headline(redacted(asked)),
        created_at=as_time(kept.get("created_at")),
        folder=folder,
        agent=True,
        sidechain=as_str(kept.get("session_kind")).startswith("subagent"),
    )


def pieces_of(line: JsonObject) -> Iterator[Piece]:
    """Yield the parts of a message."""
    text = output_text(line.get("content"))
    match as_str(line.get("type")):
        case "user" if line.get("synthetic_reason") or text.lstrip().startswith("<system-reminder>"):
            yield Piece(Role.USER, Channel.INJECTED, text, hidden=True)
        case "user":
            typed = text.strip().removeprefix("<user_query>").removesuffix("</user_query>")
            yield Piece(Role.USER, Channel.SPOKEN, typed.strip())
        case "assistant":
            yield Piece(Role.ASSISTANT, Channel.SPOKEN, text)
            for number, one in enumerate(as_dicts(line.get("tool_calls"))):
                function = as_dict(one.get("function")) or one
                yield call(as_str(function.get("name")), function.get("arguments"), number)
        case "reasoning":
            summary = line.get("summary")
            parts = (as_str(one) or first_text(as_dict(one), "text", "summary_text") for one in as_list(summary))
            yield thought(as_str(summary) or join_lines(parts))
        case "tool_result":
            yield result(line.get("content"))
        case "system":
            yield Piece(Role.SYSTEM, Channel.INJECTED, text, hidden=True)


def fits(record: JsonObject) -> bool:
    """Return True for a line of a session."""
    others = {"uuid", "sessionId", "message", "payload", "data", "role", "parts", "id", "ts"}
    is_line = record.get("type") in _TYPES and bool(_FIELDS & record.keys())
    return is_line and ("synthetic_reason" in record or not others & record.keys())


def places() -> Iterator[Path]:
    """Yield the folder of sessions, if there are any."""
    configured = os.environ.get("GROK_HOME")
    folder = (expanded(configured) if configured else Path.home() / ".grok") / "sessions"
    if any(folder.glob("*/*/chat_history.jsonl")):
        yield folder


FORMAT = LogFormat(Format.GROK_CLI, "a Grok CLI session", read, fits=fits, places=places)

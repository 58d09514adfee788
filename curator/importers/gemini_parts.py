"""Parser of messages in the format of Google's API (Gemini CLI, Qwen Code): a text, a part, or a list of parts."""

import re
from collections.abc import Iterator

from curator.importers.json_stream import JsonObject, as_dict, as_list, as_str, compact, first_text, join_lines
from curator.importers.pieces import MessagePart
from store.model import Channel, Role

_TAGGED = re.compile(r"<(session_context|hook_context|system-reminder|user_memory)\b[^>]*>(.*?)(?:</\1>|\Z)", re.DOTALL)
_SETUP = re.compile(r"\s*This is (?:the )?(?:Gemini CLI|Qwen Code)\. We are setting up the context")
_FILES, _END = "--- Content from referenced files ---", "--- End of content ---"
_SUMMARY = re.compile(r"\s*<(?:state_snapshot|compressed_chat_history|summary)>")
_COMMAND = re.compile(r"\s*/(\w[\w:-]*)(?:\s+(.*))?\s*", re.DOTALL)
_REMEMBER = re.compile(r"(?:add\s+|--\w+\s+)*")


def parts_of(content: object) -> list[JsonObject]:
    """Return the parts of a message's content."""
    listed = as_list(content) if isinstance(content, list) else [content]
    return [{"text": one} if isinstance(one, str) else as_dict(one) for one in listed]


def plain_text(content: object) -> str:
    """Return the text of a content."""
    return join_lines(as_str(part.get("text")) for part in parts_of(content))


def user_pieces(content: object, typed: str = "") -> Iterator[MessagePart]:
    """Yield the parts added by the program, then the person's text. `typed` is the text that the app displayed."""
    said: list[str] = []
    files = False  # within the content of files named by the person
    for number, part in enumerate(parts_of(content)):
        if "functionResponse" in part:
            yield MessagePart(Role.TOOL, Channel.TOOL, response_text(part), f"#result.{number}")
        text = as_str(part.get("text")) or _file_name(part)
        before, begins, rest = ("", _FILES, text) if files else text.partition(_FILES)
        if begins:
            inside, ends, after = rest.partition(_END)
            files = not ends
            yield MessagePart(Role.USER, Channel.ATTACHMENT, inside, f"#file.{number}", hidden=True)
            before += after
        if _SUMMARY.match(before):
            yield MessagePart(Role.USER, Channel.SUMMARY, before, f"#summary.{number}", hidden=True)
            continue
        added = [found[2] for found in _TAGGED.finditer(before)]
        if _SETUP.match(before):
            added, before = [before], ""
        yield MessagePart(
            Role.USER, Channel.INJECTED, join_lines(map(str.strip, added)), f"#injected.{number}", hidden=True
        )
        said.append(_TAGGED.sub("", before).strip() if added or begins else before)
    spoken = join_lines(said)
    if typed and typed.strip() != spoken.strip():
        yield MessagePart(Role.USER, Channel.INJECTED, spoken, "#sent", hidden=True)
        spoken = typed
    command = _COMMAND.fullmatch(spoken)
    if command is None:
        yield MessagePart(Role.USER, Channel.SPOKEN, spoken)
    elif command[1] in ("memory", "remember") and (kept := _REMEMBER.sub("", command[2] or "", count=1)):
        yield MessagePart(Role.USER, Channel.SAVED, kept)
    else:
        yield MessagePart(Role.USER, Channel.INJECTED, spoken, hidden=True)


def model_pieces(content: object, calls: bool = True) -> Iterator[MessagePart]:
    """Yield thoughts and tool calls of a model's message (unless listed separately), then its text."""
    said: list[str] = []
    for number, part in enumerate(parts_of(content)):
        text = as_str(part.get("text"))
        if part.get("thought") is True:
            yield MessagePart(Role.ASSISTANT, Channel.THINKING, text, f"#thought.{number}")
        elif "functionCall" in part:
            call = as_dict(part["functionCall"])
            if calls:
                yield call_piece(call, f"#call.{number}")
        elif "functionResponse" in part:
            yield MessagePart(Role.TOOL, Channel.TOOL, response_text(part), f"#result.{number}")
        else:
            said.append(text or _file_name(part))
    yield MessagePart(Role.ASSISTANT, Channel.SPOKEN, join_lines(said))


def call_piece(call: JsonObject, suffix: str) -> MessagePart:
    """Return a tool call."""
    return MessagePart(Role.ASSISTANT, Channel.TOOL, f"{as_str(call.get('name'))} {compact(call.get('args'))}", suffix)


def response_text(part: JsonObject) -> str:
    """Return the output of a tool."""
    response = as_dict(as_dict(part.get("functionResponse")).get("response"))
    return first_text(response, "output", "content", "result", "error") or (compact(response) if response else "")


def _file_name(part: JsonObject) -> str:
    """Return the mention of a picture or file by name."""
    data = as_dict(part.get("inlineData")) or as_dict(part.get("fileData"))
    named = first_text(data, "displayName", "fileUri")
    if data and as_str(data.get("mimeType")).startswith("image/"):
        return "[image]"
    return f"[attachment: {named or 'file'}]" if data else ""

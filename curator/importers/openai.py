"""Messages as the OpenAI API takes them: `{"messages": [{"role", "content"}]}`, alone, in a list, or one a line; or a
list (or lines) of bare messages, which is one conversation.

Most of these logs have no ids. A conversation is then known by its title and its first exchange, a message by its role,
its text and how often that came before: a log that goes on keeps both.
"""

from collections.abc import Iterator, Mapping, Sequence

from curator.importers.coerce import compact, first, rows, string, table, when
from curator.importers.factory import conversation, message
from curator.importers.ids import Names, opening
from curator.importers.inputs import Part
from curator.importers.json_stream import records
from curator.importers.types import Format, Item, Meter, Problem, Skipped
from store.model import Channel, NewConversation, NewMessage, Role

Record = Mapping[str, object]
_ROLES = {
    "user": Role.USER,
    "human": Role.USER,
    "assistant": Role.ASSISTANT,
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "tool": Role.TOOL,
    "function": Role.TOOL,
}


def read(parts: Sequence[Part], meter: Meter) -> Iterator[Item]:
    """Every conversation of these files."""
    for part in parts:
        seen: dict[str, int] = {}
        bare: list[object] = []
        for record in records(part, meter):
            if isinstance(record, Problem):
                yield record
            elif isinstance(record.value, list):
                yield _conversation({}, record.value, record.place, seen)
            elif "messages" in table(record.value):
                fields = table(record.value)
                yield _conversation(fields, rows(fields["messages"]), record.place, seen)
            elif "role" in table(record.value):
                bare.append(record.value)
            else:
                yield Problem(record.place, "neither a message nor a list of messages")
        if bare:
            yield _conversation({}, bare, part.name, seen)


def _conversation(
    fields: Record, entries: Sequence[object], place: str, seen: dict[str, int]
) -> NewConversation | Skipped:
    """`seen` counts the conversations of this file that begin alike."""
    said = [(string(table(one).get("role")).lower(), _text(table(one))) for one in entries]
    name = first(fields, "conversation_id", "id", "session_id", "thread_id", "uuid")
    title = first(fields, "title", "name")
    key = name or opening(title, [(_ROLES.get(role, Role.SYSTEM), text) for role, text in said])
    seen[key] = seen.get(key, 0) + 1
    identity = f"{Format.OPENAI}:{key}" + (f":{seen[key]}" if seen[key] > 1 else "")
    names = Names(identity)
    messages = [made for one in entries for made in _messages(table(one), names)]
    return conversation(
        identity,
        Format.OPENAI,
        messages,
        place,
        external_id=name or None,
        title=title,
        created_at=when(fields.get("created_at")) or when(fields.get("created")) or when(fields.get("timestamp")),
        project=string(fields.get("project")),
    )


def _messages(record: Record, names: Names) -> Iterator[NewMessage | None]:
    """A message, before it its reasoning, after it the tools it called."""
    role = _ROLES.get(string(record.get("role")).lower(), Role.SYSTEM)
    channel = {Role.TOOL: Channel.TOOL, Role.SYSTEM: Channel.INJECTED}.get(role, Channel.SPOKEN)
    at = when(record.get("created_at")) or when(record.get("timestamp")) or when(record.get("create_time"))
    id_ = first(record, "id", "message_id", "uuid")

    def made(text: str, channel: Channel, suffix: str = "") -> NewMessage | None:
        external = f"{id_}{suffix}" if id_ else None
        return message(names.of(external, role, text), role, text, channel, external_id=external, created_at=at)

    yield made(first(record, "reasoning_content", "reasoning"), Channel.THINKING, "#thinking")
    yield made(_text(record), channel)
    for number, call in enumerate((*rows(record.get("tool_calls")), record.get("function_call"))):
        function = table(table(call).get("function")) or table(call)
        arguments = function.get("arguments")
        given = arguments if isinstance(arguments, str) else compact(arguments)
        if name := string(function.get("name")):
            yield made(f"{name} {given}", Channel.TOOL, f"#tool.{number}")


def _text(record: Record) -> str:
    content = record.get("content")
    if isinstance(content, str):
        return content
    pieces = [_piece(part) for part in rows(content)] or [string(record.get("refusal"))]
    return "\n".join(piece for piece in pieces if piece)


def _piece(part: object) -> str:
    if isinstance(part, str):
        return part
    fields = table(part)
    kind = string(fields.get("type"))
    if "image" in kind:
        return "[image]"
    if "audio" in kind:
        return string(table(fields.get("input_audio")).get("transcript")) or "[audio]"
    if kind == "file":
        return f"[attachment: {string(table(fields.get('file')).get('filename')) or 'file'}]"
    return string(fields.get("text")) or string(fields.get("refusal"))

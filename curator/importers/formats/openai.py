"""Messages in OpenAI API format.

Supported are `{"messages": [{"role", "content"}]}`, single, in a list, or one per line; and a list (or lines) of bare
messages, which is a single conversation.

Most of these logs have no ids. Then a conversation is identified by its title and first exchange, and a message by
role, text and occurrence, so that both stay the same when the log grows.
"""

from collections.abc import Iterator, Sequence

from curator.importers.factory import Identities, ParsedMessage, conversation, conversation_key, message
from curator.importers.inputs import Item, LogFile, Problem, ReadProgress, Skipped
from curator.importers.json_stream import (
    JsonObject,
    as_dict,
    as_dicts,
    as_list,
    as_str,
    as_time,
    compact,
    first_text,
    join_lines,
    records,
)
from curator.importers.log_format import Format, LogFormat, Options
from store.model import Channel, NewConversation, Role

_ROLES = {
    "user": Role.USER,
    "human": Role.USER,
    "assistant": Role.ASSISTANT,
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "tool": Role.TOOL,
    "function": Role.TOOL,
}
_SAYS = frozenset({"content", "tool_calls", "function_call", "refusal", "reasoning_content"})
_CHANNELS = {Role.TOOL: Channel.TOOL, Role.SYSTEM: Channel.INJECTED}


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Yield every conversation of these files."""
    for log in files:
        identities = Identities(Format.OPENAI)
        bare: list[object] = []
        for record in records(log, progress, ("messages",)):
            if isinstance(record, Problem):
                yield record
                continue
            fields = as_dict(record.value)
            if isinstance(record.value, list):
                yield _conversation({}, record.value, record.place, identities)
            elif "messages" in fields:
                yield _conversation(fields, as_list(fields["messages"]), record.place, identities)
            elif "role" in fields:
                bare.append(fields)
            else:
                yield Problem(record.place, "neither a message nor a list of messages")
        if bare:
            yield _conversation({}, bare, log.name, identities)


def _conversation(
    fields: JsonObject, entries: Sequence[object], place: str, identities: Identities
) -> NewConversation | Skipped:
    records = [as_dict(one) for one in entries]
    name = first_text(fields, "conversation_id", "id", "session_id", "thread_id", "uuid")
    title = first_text(fields, "title", "name")
    identity = identities.of(name or conversation_key(title, [(_role(one), _text(one)) for one in records]))
    own = Identities(identity)
    return conversation(
        identity,
        Format.OPENAI,
        [one for record in records for one in _messages(record, own)],
        place,
        external_id=name or None,
        title=title,
        created_at=_time(fields, "created_at", "created", "timestamp"),
        project=as_str(fields.get("project")),
    )


def _role(record: JsonObject) -> Role:
    return _ROLES.get(as_str(record.get("role")).lower(), Role.SYSTEM)


def _time(record: JsonObject, *names: str) -> int | None:
    return next(filter(None, (as_time(record.get(name)) for name in names)), None)


def _messages(record: JsonObject, identities: Identities) -> Iterator[ParsedMessage | None]:
    """Yield the reasoning, the message, and the tool calls."""
    role = _role(record)
    at = _time(record, "created_at", "timestamp", "create_time")
    id_ = first_text(record, "id", "message_id", "uuid")

    def build(text: str, channel: Channel, suffix: str = "") -> ParsedMessage | None:
        external = f"{id_}{suffix}" if id_ else None
        identity = identities.of_message(external, role, text)
        return message(identity, role, text, channel, external_id=external, created_at=at)

    yield build(first_text(record, "reasoning_content", "reasoning"), Channel.THINKING, "#thinking")
    yield build(_text(record), _CHANNELS.get(role, Channel.SPOKEN))
    for number, call in enumerate((*as_list(record.get("tool_calls")), record.get("function_call"))):
        function = as_dict(as_dict(call).get("function")) or as_dict(call)
        arguments = function.get("arguments")
        given = arguments if isinstance(arguments, str) else compact(arguments)
        if name := as_str(function.get("name")):
            yield build(f"{name} {given}", Channel.TOOL, f"#tool.{number}")


def _text(record: JsonObject) -> str:
    content = record.get("content")
    if isinstance(content, str):
        return content
    return join_lines(map(_part_text, as_list(content))) if as_list(content) else as_str(record.get("refusal"))


def _part_text(part: object) -> str:
    if isinstance(part, str):
        return part
    fields = as_dict(part)
    kind = as_str(fields.get("type"))
    if "image" in kind:
        return "[image]"
    if "audio" in kind:
        return as_str(as_dict(fields.get("input_audio")).get("transcript")) or "[audio]"
    if kind == "file":
        return f"[attachment: {as_str(as_dict(fields.get('file')).get('filename')) or 'file'}]"
    return as_str(fields.get("text")) or as_str(fields.get("refusal"))


def fits(record: JsonObject) -> bool:
    """Return True for a message of this format, or a record of them."""
    return _is_message(record) or any(map(_is_message, as_dicts(record.get("messages"))[:20]))


def _is_message(record: JsonObject) -> bool:
    """Return True for a message of a chat with a model; chats among people have other roles or fields."""
    return as_str(record.get("role")).lower() in _ROLES and not _SAYS.isdisjoint(record)


FORMAT = LogFormat(Format.OPENAI, "a list of OpenAI messages", read, fits=fits)

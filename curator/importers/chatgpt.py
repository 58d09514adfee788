"""ChatGPT data exports: `conversations.json`, its shards, or one conversation as browser extensions save it.

A conversation is a tree of nodes (`mapping`); the thread that was shown ends at `current_node`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from curator.importers.coerce import digest, first, rows, string, table, when
from curator.importers.factory import conversation, message
from curator.importers.inputs import Part
from curator.importers.json_stream import records
from curator.importers.message_tree import Node, active, ordered
from curator.importers.types import Format, Item, Meter, Problem, Skipped
from store.model import Channel, NewConversation, NewMessage, Role

Record = Mapping[str, object]


def read(parts: Sequence[Part], meter: Meter) -> Iterator[Item]:
    """Every conversation of these files."""
    for part in parts:
        for record in records(part, meter):
            yield record if isinstance(record, Problem) else _conversation(table(record.value), record.place)


def _conversation(record: Record, place: str) -> NewConversation | Skipped:
    if record.get("is_do_not_remember") is True:
        return Skipped("do_not_remember", place)
    mapping = {name: table(node) for name, node in table(record.get("mapping")).items()}
    if not mapping:
        return Skipped("no_mapping", place)
    nodes = [
        Node(name, string(node.get("parent")) or None, when(table(node.get("message")).get("create_time")))
        for name, node in mapping.items()
    ]
    shown = active(nodes, string(record.get("current_node")))
    name = first(record, "conversation_id", "id") or digest(*sorted(mapping))
    identity = f"{Format.CHATGPT}:{name}"
    messages = (_message(table(mapping[id_].get("message")), id_, identity, id_ in shown) for id_ in ordered(nodes))
    return conversation(
        identity,
        Format.CHATGPT,
        messages,
        place,
        external_id=name,
        title=string(record.get("title")),
        created_at=when(record.get("create_time")),
    )


def _message(record: Record, node: str, conversation_id: str, shown: bool) -> NewMessage | None:
    content = table(record.get("content"))
    metadata = table(record.get("metadata"))
    name = string(record.get("id")) or node
    role, channel = _kind(record, content, metadata)
    hidden = metadata.get("is_visually_hidden_from_conversation") is True
    if channel is Channel.SPOKEN and hidden:
        channel = Channel.INJECTED
    text = _instructions(content, metadata) if channel is Channel.INSTRUCTIONS else _text(content, metadata)
    return message(
        f"{conversation_id}:{node}",
        role,
        text,
        channel,
        external_id=name,
        created_at=when(record.get("create_time")),
        active=shown,
        hidden=hidden or channel is Channel.INSTRUCTIONS,
    )


def _kind(record: Record, content: Record, metadata: Record) -> tuple[Role, Channel]:
    """Who it is from and what it is."""
    kind = content.get("content_type")
    author = string(table(record.get("author")).get("role"))
    recipient = string(record.get("recipient")) or "all"
    if kind == "user_editable_context" or metadata.get("is_user_system_message") is True:
        return Role.USER, Channel.INSTRUCTIONS
    if author == "user":
        return Role.USER, Channel.SPOKEN
    if author == "tool":
        return Role.TOOL, Channel.TOOL
    if author != "assistant":
        return Role.SYSTEM, Channel.INJECTED
    if recipient == "bio":
        return Role.ASSISTANT, Channel.SAVED
    if kind in ("thoughts", "reasoning_recap"):
        return Role.ASSISTANT, Channel.THINKING
    return Role.ASSISTANT, Channel.SPOKEN if recipient == "all" else Channel.TOOL


def _instructions(content: Record, metadata: Record) -> str:
    """Custom instructions in the person's own words: without the sentences that ChatGPT puts around them."""
    own = table(metadata.get("user_context_message_data"))
    words = [string(own.get("about_user_message")), string(own.get("about_model_message"))]
    if not any(words):
        words = [_unwrapped(string(content.get(name))) for name in ("user_profile", "user_instructions")]
    return "\n\n".join(word for word in words if word) or _text(content, metadata)


def _unwrapped(text: str) -> str:
    before, fence, rest = text.partition("```")
    return rest.rpartition("```")[0].strip() if fence and before.startswith("The user provided") else text


def _text(content: Record, metadata: Record) -> str:
    """What a message says, by its kind of content; attached files and pictures by name."""
    kind = content.get("content_type")
    if kind == "thoughts":
        thoughts = [table(one) for one in rows(content.get("thoughts"))]
        return _lines(string(one.get(name)) for one in thoughts for name in ("summary", "content"))
    if kind == "reasoning_recap":
        return string(content.get("content"))
    if kind in ("tether_quote", "sonic_webpage"):
        return _lines(string(content.get(name)) for name in ("title", "url", "text"))
    if kind == "tether_browsing_display":
        return string(content.get("result"))
    if kind == "system_error":
        return _lines(string(content.get(name)) for name in ("name", "text"))
    said = _lines(_part(part) for part in rows(content.get("parts")))
    if not said:
        said = next((text for name in ("text", "result", "content") if (text := string(content.get(name)))), "")
    names = (string(table(one).get("name")) for one in rows(metadata.get("attachments")))
    return _lines((said, *(f"[attachment: {name}]" for name in names if name)))


def _part(part: object) -> str:
    if isinstance(part, str):
        return part
    record = table(part)
    kind = string(record.get("content_type"))
    if "transcription" in kind or (not kind and "text" in record):
        return string(record.get("text"))
    if "audio" in kind:
        return ""  # the sound of a transcription beside it
    return "[image]" if "image" in kind else ""


def _lines(texts: Iterable[str]) -> str:
    return "\n".join(text for text in texts if text)

"""ChatGPT data exports: `conversations.json`, its shards, or one conversation as saved by browser extensions.

A conversation is a tree of nodes (`mapping`); the displayed thread ends at `current_node`.
"""

from collections.abc import Iterator, Sequence

from curator.importers.factory import Node, ParsedMessage, active, conversation, message, ordered
from curator.importers.inputs import Item, LogFile, ReadProgress, Skipped
from curator.importers.json_stream import (
    JsonObject,
    Record,
    as_dict,
    as_dicts,
    as_list,
    as_str,
    as_time,
    digest,
    first_text,
    items,
    join_lines,
)
from curator.importers.log_format import Format, LogFormat, Options
from store.model import Channel, NewConversation, Role


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Return every conversation of these files."""
    return items(files, progress, _conversation, ("mapping",))


def _conversation(record: Record) -> NewConversation | Skipped:
    fields = as_dict(record.value)
    mapping = {name: as_dict(node) for name, node in as_dict(fields.get("mapping")).items()}
    unwanted = fields.get("is_do_not_remember") is True
    if unwanted or not mapping:
        return Skipped("do_not_remember" if unwanted else "no_mapping", record.place)
    nodes = [
        Node(name, as_str(node.get("parent")) or None, as_time(as_dict(node.get("message")).get("create_time")))
        for name, node in mapping.items()
    ]
    shown = active(nodes, as_str(fields.get("current_node")))
    name = first_text(fields, "conversation_id", "id") or digest(*sorted(mapping))
    identity = f"{Format.CHATGPT}:{name}"
    return conversation(
        identity,
        Format.CHATGPT,
        [_Message(mapping[node]).build(identity, node, node in shown) for node in ordered(nodes)],
        record.place,
        external_id=name,
        title=as_str(fields.get("title")),
        created_at=as_time(fields.get("create_time")),
    )


class _Message:
    """The message of a node, with its content and metadata."""

    def __init__(self, node: JsonObject) -> None:
        self.record = as_dict(node.get("message"))
        self.content = as_dict(self.record.get("content"))
        self.metadata = as_dict(self.record.get("metadata"))

    def build(self, conversation_id: str, node: str, shown: bool) -> ParsedMessage | None:
        role, channel = self.sort()
        hidden = self.metadata.get("is_visually_hidden_from_conversation") is True
        if channel is Channel.SPOKEN and hidden:
            channel = Channel.INJECTED
        return message(
            f"{conversation_id}:{node}",
            role,
            self.instructions() if channel is Channel.INSTRUCTIONS else self.text(),
            channel,
            external_id=as_str(self.record.get("id")) or node,
            created_at=as_time(self.record.get("create_time")),
            active=shown,
            hidden=hidden or channel is Channel.INSTRUCTIONS,
        )

    def sort(self) -> tuple[Role, Channel]:
        """Return the role and the channel."""
        kind = self.content.get("content_type")
        if kind == "user_editable_context" or self.metadata.get("is_user_system_message") is True:
            return Role.USER, Channel.INSTRUCTIONS
        match as_str(as_dict(self.record.get("author")).get("role")), as_str(self.record.get("recipient")) or "all":
            case "user", _:
                return Role.USER, Channel.SPOKEN
            case "tool", _:
                return Role.TOOL, Channel.TOOL
            case "assistant", "bio":
                return Role.ASSISTANT, Channel.SAVED
            case "assistant", _ if kind in ("thoughts", "reasoning_recap"):
                return Role.ASSISTANT, Channel.THINKING
            case "assistant", recipient:
                return Role.ASSISTANT, Channel.SPOKEN if recipient == "all" else Channel.TOOL
        return Role.SYSTEM, Channel.INJECTED

    def instructions(self) -> str:
        """Return custom instructions without the sentences that ChatGPT adds."""
        own = as_dict(self.metadata.get("user_context_message_data"))
        texts = [as_str(own.get("about_user_message")), as_str(own.get("about_model_message"))]
        if not any(texts):
            texts = [as_str(self.content.get(name)) for name in ("user_profile", "user_instructions")]
            for at, text in enumerate(texts):
                before, fence, rest = text.partition("```")
                if fence and before.startswith("The user provided"):
                    texts[at] = rest.rpartition("```")[0].strip()
        return join_lines(texts, "\n\n") or self.text()

    def text(self) -> str:
        """Return the text according to the content type, with attached files and pictures by name."""
        content = self.content
        match content.get("content_type"):
            case "thoughts":
                thoughts = as_dicts(content.get("thoughts"))
                return join_lines(as_str(one.get(name)) for one in thoughts for name in ("summary", "content"))
            case "reasoning_recap":
                return as_str(content.get("content"))
            case "tether_quote" | "sonic_webpage":
                return join_lines(as_str(content.get(name)) for name in ("title", "url", "text"))
            case "tether_browsing_display":
                return as_str(content.get("result"))
            case "system_error":
                return join_lines(as_str(content.get(name)) for name in ("name", "text"))
        fallbacks = (as_str(content.get(name)) for name in ("text", "result", "content"))
        said = join_lines(map(_part_text, as_list(content.get("parts")))) or next(filter(None, fallbacks), "")
        names = (as_str(one.get("name")) for one in as_dicts(self.metadata.get("attachments")))
        return join_lines((said, *(f"[attachment: {name}]" for name in names if name)))


def _part_text(part: object) -> str:
    if isinstance(part, str):
        return part
    record = as_dict(part)
    kind = as_str(record.get("content_type"))
    if "transcription" in kind or (not kind and "text" in record):
        return as_str(record.get("text"))
    return "[image]" if "image" in kind and "audio" not in kind else ""  # audio has a separate transcription


FORMAT = LogFormat(
    Format.CHATGPT,
    "a ChatGPT export",
    read,
    fits=lambda record: isinstance(record.get("mapping"), dict),
    exported=True,
)

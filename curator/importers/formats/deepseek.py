"""DeepSeek chats: the official export, or the web page's data of a chat, as saved by browser extensions.

The export resembles that of ChatGPT, but its messages have `fragments` (REQUEST, THINK, RESPONSE, SEARCH, …) instead of
a role; the first exports had neither. A web chat has several first messages when the first prompt was edited.
"""

from collections.abc import Iterator, Sequence

from curator.importers.factory import Entry, Node, Text, entries_key, ordered, tree_conversation
from curator.importers.inputs import Item, LogFile, ReadProgress, Skipped
from curator.importers.json_stream import (
    JsonObject,
    as_dict,
    as_dicts,
    as_str,
    as_time,
    first_text,
    items,
    join_lines,
)
from curator.importers.log_format import Format, LogFormat, Options
from store.model import Channel, Role

_KINDS = {
    "REQUEST": (Role.USER, Channel.SPOKEN),
    "RESPONSE": (Role.ASSISTANT, Channel.SPOKEN),
    "TEMPLATE_RESPONSE": (Role.ASSISTANT, Channel.SPOKEN),
    "THINK": (Role.ASSISTANT, Channel.THINKING),
    "TIP": (Role.SYSTEM, Channel.INJECTED),
}


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Return every conversation of these files."""
    return items(
        files, progress, lambda record: _Chat(as_dict(record.value)).item(record.place), ("chat_messages", "mapping")
    )


class _Chat:
    """A conversation of either kind, with its messages by id."""

    def __init__(self, record: JsonObject) -> None:
        record = as_dict(as_dict(record.get("data")).get("biz_data")) or record  # the web page's whole response
        self.fields = as_dict(record.get("chat_session")) or record
        self.nodes: dict[str, tuple[str | None, JsonObject]] = {}  # parent, message
        for number, one in enumerate(as_dicts(record.get("chat_messages"))):
            name = first_text(one, "message_id") or f"#{number}"
            self.nodes[name] = (first_text(one, "parent_id") or None, one)
        for name, value in as_dict(record.get("mapping")).items():
            node = as_dict(value)
            self.nodes[name] = (first_text(node, "parent") or None, as_dict(node.get("message")))

    def item(self, place: str) -> Item:
        if not self.nodes:
            return Skipped("no_mapping", place)
        entries = list(self.entries())
        name = first_text(self.fields, "id") or entries_key(entries)
        leaf = first_text(self.fields, "current_message_id")
        return tree_conversation(
            Format.DEEPSEEK,
            name,
            entries,
            place,
            leaf=leaf,
            title=as_str(self.fields.get("title")),
            created_at=as_time(self.fields.get("inserted_at")),
        )

    def entries(self) -> Iterator[Entry]:
        asked: dict[str, bool] = {}
        for name in ordered(Node(name, parent, None) for name, (parent, _) in self.nodes.items()):
            parent, fields = self.nodes[name]
            written = as_str(fields.get("role")).upper()
            asked[name] = written == "USER" if written else bool(fields) and not asked.get(parent or "", False)
            role = Role.USER if asked[name] else Role.ASSISTANT
            yield Entry(name, parent, as_time(fields.get("inserted_at")), list(_Message(fields, role).texts()))


class _Message:
    """A message; its role is used only if it has no fragments."""

    def __init__(self, fields: JsonObject, role: Role) -> None:
        self.fields = fields
        self.role = role
        names = (first_text(one, "file_name", "name") for one in as_dicts(fields.get("files")))
        self.files = [f"[attachment: {name}]" for name in names if name]

    def texts(self) -> Iterator[Text]:
        fields = self.fields
        fragments = as_dicts(fields.get("fragments"))
        yield Text(Role.ASSISTANT, first_text(fields, "reasoning_content", "thinking_content"), Channel.THINKING)
        yield Text(Role.TOOL, self.found(fields.get("search_results")), Channel.TOOL)
        attached = self.files
        for one in fragments:
            kind = as_str(one.get("type")).upper()
            role, channel = _KINDS.get(kind, (Role.TOOL, Channel.TOOL))
            text = as_str(one.get("content")) or self.found(one.get("results"))
            if kind == "REQUEST":
                text, attached = join_lines((text, *attached)), []
            yield Text(role, text, channel)
        yield Text(self.role, join_lines(("" if fragments else as_str(fields.get("content")), *attached)))

    @staticmethod
    def found(results: object) -> str:
        """Return titles, URLs and excerpts of pages."""
        pages = ((first_text(one, name) for name in ("title", "url", "snippet")) for one in as_dicts(results))
        return join_lines((join_lines(page) for page in pages), "\n\n")


def fits(record: JsonObject) -> bool:
    """Return True for a record of this format."""
    if "mapping" not in record:
        inner = as_dict(as_dict(record.get("data")).get("biz_data")) or record
        messages = as_dicts(inner.get("chat_messages"))
        return any("message_id" in one for one in messages[:1]) or (
            "chat_session" in inner and "chat_messages" in inner
        )
    if "inserted_at" in record and "current_node" not in record:
        return True
    nodes = as_dict(record.get("mapping")).values()
    return any("fragments" in as_dict(as_dict(one).get("message")) for one in nodes)


FORMAT = LogFormat(Format.DEEPSEEK, "a DeepSeek export", read, fits=fits, exported=True)

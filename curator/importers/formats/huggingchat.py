"""Exports of HuggingChat and other servers with chat-ui: `conversations.json` in a zip.

`src/routes/api/v2/export` of chat-ui writes it: conversations with `messages`, whose `from` is user, assistant or
system, and whose `ancestors` are the path from the first message.
"""

from collections.abc import Iterator, Sequence

from curator.importers.factory import Entry, Text, entries_key, tree_conversation
from curator.importers.inputs import Item, LogFile, Problem, ReadProgress
from curator.importers.json_stream import (
    JsonObject,
    as_dict,
    as_dicts,
    as_list,
    as_str,
    as_time,
    first_text,
    items,
    join_lines,
)
from curator.importers.log_format import Format, LogFormat, Options, has_messages
from store.model import Channel, Role

_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT}


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Return every conversation of these files."""
    return items(files, progress, lambda record: _Chat(as_dict(record.value)).item(record.place), ("messages",))


class _Chat:
    """A conversation, with the prompt of its assistant."""

    def __init__(self, fields: JsonObject) -> None:
        self.fields = fields
        self.prompt = as_str(fields.get("preprompt"))

    def item(self, place: str) -> Item:
        if not fits(self.fields):
            return Problem(place, "not a HuggingChat conversation")
        entries = list(self.entries())
        name = first_text(self.fields, "_id", "id") or entries_key(entries)
        return tree_conversation(
            Format.HUGGINGCHAT,
            name,
            entries,
            place,
            title=as_str(self.fields.get("title")),
            created_at=as_time(self.fields.get("createdAt")),
        )

    def entries(self) -> Iterator[Entry]:
        """Yield the messages. Without ancestors (older conversations), each follows the previous one."""
        before: str | None = None
        for number, one in enumerate(as_dicts(self.fields.get("messages"))):
            id_ = as_str(one.get("id")) or f"#{number}"
            above = as_list(one.get("ancestors"))
            parent = as_str(above[-1]) if above else before if one.get("ancestors") is None else None
            yield Entry(id_, parent, as_time(one.get("createdAt")), list(self.texts(one)))
            before = id_

    def texts(self, one: JsonObject) -> Iterator[Text]:
        role = _ROLES.get(as_str(one.get("from")), Role.SYSTEM)
        yield Text(Role.ASSISTANT, as_str(one.get("reasoning")), Channel.THINKING)
        # each message lists the files of the whole conversation; these are skipped
        names = (first_text(file, "name") for file in as_dicts(one.get("files")))
        text = join_lines((as_str(one.get("content")), *(f"[attachment: {name}]" for name in names if name)))
        if role is Role.SYSTEM:
            yield Text(role, as_str(one.get("content")) or self.prompt, Channel.INJECTED, hidden=True)
        else:
            thought, end, rest = text.partition("</think>")
            if end and thought.lstrip().startswith("<think>"):
                yield Text(role, thought.lstrip().removeprefix("<think>").strip(), Channel.THINKING)
                text = rest.lstrip()
            yield Text(role, text)


def fits(record: JsonObject) -> bool:
    """Return True for a record of this format."""
    return has_messages("from", "content")(record)


FORMAT = LogFormat(Format.HUGGINGCHAT, "a HuggingChat export", read, fits=fits, exported=True)

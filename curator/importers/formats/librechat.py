"""LibreChat exports: one conversation as JSON, flat (`messages`) or nested (`messagesTree`).

Written by `useExportConversation.ts` of LibreChat. The newest branch of a conversation is active, since the file does
not tell which one was displayed.
"""

import re
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
    compact,
    digest,
    first_text,
    items,
    join_lines,
)
from curator.importers.log_format import Format, LogFormat, Options
from store.model import Channel, Role

_ROOT = "00000000-0000-0000-0000-000000000000"  # parent of the first message
_THINKING = re.compile(r"\s*:::thinking\s*\n(.*?)\n:::\s*", re.DOTALL)  # reasoning in the text of older answers


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Return the conversation of each file."""
    return items(files, progress, lambda record: _Chat(as_dict(record.value)).item(record.place), ("messages",))


class _Chat:
    """A conversation with its settings."""

    def __init__(self, fields: JsonObject) -> None:
        self.fields = fields

    def item(self, place: str) -> Item:
        if not fits(self.fields):
            return Problem(place, "not a LibreChat conversation")
        entries = list(self.entries())
        name = as_str(self.fields.get("conversationId")) or entries_key(entries)
        return tree_conversation(Format.LIBRECHAT, name, entries, place, title=as_str(self.fields.get("title")))

    def entries(self) -> Iterator[Entry]:
        """Yield the messages, including nested ones. A message without a parent follows the previous one."""
        fields = self.fields
        before: str | None = None
        if prompt := first_text(as_dict(fields.get("options")), "promptPrefix", "instructions", "system"):
            before = f"options.{digest(prompt)}"  # of a preset, often written by the operator
            yield Entry(before, None, None, [Text(Role.SYSTEM, prompt, Channel.INJECTED, hidden=True)])
        first = before
        waiting = [(one, before) for one in reversed(as_dicts(fields.get("messagesTree") or fields.get("messages")))]
        number = 0
        while waiting:
            one, above = waiting.pop()
            id_ = as_str(one.get("messageId")) or f"#{number}"
            parent = as_str(one.get("parentMessageId")) or (first if "parentMessageId" in one else above or before)
            parent = first if parent == _ROOT else parent
            yield Entry(id_, parent, as_time(one.get("createdAt")), list(_Message(one).texts()))
            waiting += [(child, id_) for child in reversed(as_dicts(one.get("children")))]
            before, number = id_, number + 1


class _Message:
    """A message with its content parts."""

    def __init__(self, fields: JsonObject) -> None:
        self.fields = fields
        person = fields.get("isCreatedByUser")
        if person is None:
            person = as_str(fields.get("sender")).lower() == "user"
        self.role = Role.USER if person is True else Role.ASSISTANT
        self.content = as_dicts(fields.get("content"))

    def texts(self) -> Iterator[Text]:
        fields, role = self.fields, self.role
        said = [_plain(part.get("text")) for part in self.content if part.get("type") == "text"]
        text = join_lines(said, "\n\n") or as_str(fields.get("text"))
        if role is Role.ASSISTANT and (thought := _THINKING.match(text)):
            yield Text(role, thought[1], Channel.THINKING)
            text = text[thought.end() :]
        for part in self.content:
            match part.get("type"):
                case "think":
                    yield Text(role, _plain(part.get("think")), Channel.THINKING)
                case "summary":
                    summary = join_lines(_plain(one.get("text")) for one in as_dicts(part.get("content")))
                    yield Text(role, summary or _plain(part.get("text")), Channel.SUMMARY)
                case "tool_call":
                    yield from self.tool(as_dict(part.get("tool_call")))
                case "image_file" | "image_url":
                    text = join_lines((text, "[image]"))
                case "error":
                    yield Text(Role.SYSTEM, _plain(part.get("error")) or _plain(part.get("text")), Channel.INJECTED)
        names = [first_text(one, "filename", "name") for one in as_dicts(fields.get("files"))]
        text = join_lines((text, *(f"[attachment: {name}]" for name in names if name)))
        failed = fields.get("error") is True and role is Role.ASSISTANT
        yield Text(Role.SYSTEM, text, Channel.INJECTED) if failed else Text(role, text)

    @staticmethod
    def tool(call: JsonObject) -> Iterator[Text]:
        """Yield a tool call and its output; calls of OpenAI's assistants are nested under their kind."""
        nested = as_dict(call.get("function")) or as_dict(call.get("code_interpreter")) or call
        name = first_text(nested, "name") or first_text(call, "name", "type")
        given = nested.get("args", nested.get("arguments", nested.get("input")))
        yield Text(Role.ASSISTANT, f"{name} {given if isinstance(given, str) else compact(given)}", Channel.TOOL)
        output = nested.get("output", nested.get("outputs"))
        if as_list(output):
            output = join_lines(first_text(one, "logs", "text") for one in as_dicts(output))
        yield Text(Role.TOOL, as_str(output), Channel.TOOL)


def _plain(value: object) -> str:
    return as_str(value) or as_str(as_dict(value).get("value"))


def fits(record: JsonObject) -> bool:
    """Return True for a record of this format."""
    return "conversationId" in record and ("messagesTree" in record or "messages" in record)


FORMAT = LogFormat(Format.LIBRECHAT, "a LibreChat export", read, fits=fits, exported=True)

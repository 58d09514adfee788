"""Grok exports: `prod-grok-backend.json` of the account's data, or conversation data of the web page.

A file has `{"conversations": [{"conversation": {…}, "responses": [{"response": {…}}]}]}`. Messages have dates in
MongoDB's JSON, senders in mixed case (`human`, or anything else for Grok), and parents that may be missing from the
file; `leaf_response_id` is rarely set. Projects, tasks and pictures are not read.
"""

import re
from collections.abc import Iterator, Sequence

from curator.importers.factory import Entry, Text, entries_key, tree_conversation
from curator.importers.inputs import Item, LogFile, Problem, ReadProgress, Skipped
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
from curator.importers.log_format import Format, LogFormat, Options
from store.model import Channel, Role

_CARD = re.compile(r"<grok:render\b(?:(?!<grok:render\b).)*?</grok:render>", re.DOTALL)  # a citation or a picture
_TOOL = re.compile(r"<xai:tool_usage_card>((?:(?!<xai:tool_usage_card>).)*?)</xai:tool_usage_card>", re.DOTALL)
_CALL = re.compile(
    r"<xai:tool_(?:name|args)>(?:<!\[CDATA\[)?((?:(?!<xai:tool_).)*?)(?:\]\]>)?</xai:tool_(?:name|args)>", re.DOTALL
)


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Return every conversation of these files."""
    return items(files, progress, lambda record: _Chat(as_dict(record.value)).item(record.place), ("responses",))


class _Chat:
    """A conversation and its responses, in snake case (export) or camel case (web page)."""

    def __init__(self, record: JsonObject) -> None:
        self.record = record
        self.fields = as_dict(record.get("conversation"))
        self.responses = [as_dict(one.get("response")) or one for one in as_dicts(record.get("responses"))]

    def item(self, place: str) -> Item:
        if not fits(self.record):
            return Problem(place, "not a Grok conversation")
        if self.fields.get("temporary") is True:  # a private chat
            return Skipped("do_not_remember", place)
        entries = list(self.entries())
        name = first_text(self.fields, "id", "conversation_id", "conversationId") or entries_key(entries)
        leaf = first_text(self.fields, "leaf_response_id", "leafResponseId")
        return tree_conversation(
            Format.GROK,
            name,
            entries,
            place,
            leaf=leaf,
            title=as_str(self.fields.get("title")),
            created_at=_time(self.fields),
        )

    def entries(self) -> Iterator[Entry]:
        """Yield the responses. A response whose parent is not in the file follows the previous one."""
        ids = [first_text(one, "_id", "response_id", "responseId") or f"#{n}" for n, one in enumerate(self.responses)]
        known = set(ids)
        named = [first_text(one, "parent_response_id", "parentResponseId") for one in self.responses]
        linked = any(parent in known for parent in named)
        before: str | None = None
        for id_, parent, one in zip(ids, named, self.responses, strict=True):
            above = parent if parent in known else before if parent or not linked else None
            yield Entry(id_, above, _time(one), list(_Response(one).texts()))
            before = id_


class _Response:
    """A message of the person or of Grok."""

    def __init__(self, fields: JsonObject) -> None:
        self.fields = fields
        self.role = {"human": Role.USER, "user": Role.USER, "system": Role.SYSTEM}.get(
            as_str(fields.get("sender")).lower(), Role.ASSISTANT
        )

    def texts(self) -> Iterator[Text]:
        fields = self.fields
        steps = [one.get("tagged_text") or one.get("taggedText") for one in as_dicts(fields.get("steps"))]
        agents = as_list(fields.get("agent_thinking_traces"))
        traces = [first_text(fields, "thinking_trace", "thinkingTrace")]
        traces += [as_str(one) or as_str(as_dict(one).get("thinking_trace")) for one in agents]
        traces += [as_str(as_dict(one).get("summary")) for one in steps]
        yield Text(Role.ASSISTANT, join_lines((_TOOL.sub("", one).strip() for one in traces), "\n\n"), Channel.THINKING)
        marked = [*traces, *(as_str(as_dict(one).get("tool_usage_card")) for one in steps)]
        for card in dict.fromkeys(_TOOL.findall("\n".join(marked))):
            yield Text(Role.ASSISTANT, " ".join(_CALL.findall(card)), Channel.TOOL)
        found = as_dicts(fields.get("web_search_results") or fields.get("webSearchResults"))
        for one in found:
            lines = (first_text(one, "title"), first_text(one, "url"), first_text(one, "preview", "description"))
            yield Text(Role.TOOL, join_lines(lines), Channel.TOOL)
        said = as_str(fields.get("message"))
        if self.role is Role.ASSISTANT:
            said = _CARD.sub("", _TOOL.sub("", said)).strip()
        files = as_list(fields.get("file_attachments") or fields.get("fileAttachmentsMetadata"))
        names = (as_str(one) or first_text(as_dict(one), "file_name", "fileName") for one in files)
        pictures = as_list(fields.get("generated_image_urls") or fields.get("generatedImageUrls"))
        text = join_lines((said, *(f"[attachment: {name}]" for name in names if name), *("[image]" for _ in pictures)))
        yield Text(self.role, text, Channel.INJECTED if self.role is Role.SYSTEM else Channel.SPOKEN)
        yield Text(Role.SYSTEM, as_str(fields.get("error")), Channel.INJECTED)


def _time(fields: JsonObject) -> int | None:
    value = fields.get("create_time", fields.get("createTime"))
    while isinstance(value, dict):  # {"$date": {"$numberLong": "1700000000000"}}
        value = value.get("$date", value.get("$numberLong"))
    return as_time(value)


def fits(record: JsonObject) -> bool:
    """Return True for a record of this format."""
    return isinstance(record.get("conversation"), dict) and "responses" in record


FORMAT = LogFormat(Format.GROK, "a Grok export", read, fits=fits, exported=True)

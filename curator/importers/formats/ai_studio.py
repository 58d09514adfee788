"""Google AI Studio chats: files without a suffix in the Drive folder "Google AI Studio".

A file is `{"runSettings": {…}, "systemInstruction": {…}, "chunkedPrompt": {"chunks": [{"role", "text", …}]}}`; nothing
in it has an id. A branched chat repeats the first messages of its origin, and becomes part of that conversation.
"""

from collections.abc import Iterator, Sequence

from curator.importers.factory import Entry, Text, conversation, conversation_key, in_sequence
from curator.importers.inputs import Item, LogFile, Problem, ReadProgress
from curator.importers.json_stream import (
    JsonObject,
    as_dict,
    as_dicts,
    as_str,
    as_time,
    compact,
    digest,
    first_text,
    join_lines,
    records,
)
from curator.importers.log_format import Format, LogFormat, Options
from store.model import Channel, Role

_FILES = {
    "driveDocument": "document", "driveImage": "image", "driveVideo": "video", "driveAudio": "audio",
    "inlineFile": "file", "inlineImage": "image", "inlineData": "file", "youtubeVideo": "YouTube video",
}  # fmt: skip


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Yield the chat of each file; its title is the name of the file."""
    for log in files:
        for record in records(log, progress, ("chunkedPrompt.chunks",)):
            if isinstance(record, Problem):
                yield record
            else:
                yield _Chat(as_dict(record.value)).item(record.place, log.inner.name.removesuffix(".json"))


class _Chat:
    """A chat, as a list of chunks."""

    def __init__(self, fields: JsonObject) -> None:
        self.fields = fields
        self.chunks = as_dicts(as_dict(fields.get("chunkedPrompt")).get("chunks"))

    def item(self, place: str, title: str) -> Item:
        if not fits(self.fields):
            return Problem(place, "not a Google AI Studio chat")
        system = as_dict(self.fields.get("systemInstruction"))
        prompt = as_str(system.get("text")) or join_lines(as_str(p.get("text")) for p in as_dicts(system.get("parts")))
        entries = [Entry("", None, None, [Text(Role.SYSTEM, prompt, Channel.INJECTED, hidden=True)])]
        entries += (Entry("", None, as_time(c.get("createTime")), list(self.texts(c))) for c in self.chunks)
        said = [(text.role, text.text) for entry in entries[1:] for text in entry.texts]
        began = next((as_str(chunk.get("createTime")) for chunk in self.chunks), "")
        key = digest(began, *(said[0] if said else ())) if began else conversation_key("", said)
        identity = f"{Format.AI_STUDIO}:{key}"
        return conversation(identity, Format.AI_STUDIO, in_sequence(identity, entries), place, title=title)

    @staticmethod
    def texts(chunk: JsonObject) -> Iterator[Text]:
        """Yield the texts of a chunk, which is a text, thought, file, code execution or error."""
        role = {"user": Role.USER, "model": Role.ASSISTANT}.get(as_str(chunk.get("role")), Role.SYSTEM)
        parts = as_dicts(chunk.get("parts"))
        thoughts = "".join(as_str(part.get("text")) for part in parts if part.get("thought") is True)
        text = as_str(chunk.get("text"))
        if not text.strip():
            text = "".join(as_str(part.get("text")) for part in parts if part.get("thought") is not True)
        if chunk.get("isThought") is True or (thoughts and thoughts.strip() == text.strip()):
            yield Text(Role.ASSISTANT, text or thoughts, Channel.THINKING)
            return
        yield Text(Role.ASSISTANT, thoughts, Channel.THINKING)
        files = [(kind, as_dict(chunk.get(name))) for name, kind in _FILES.items() if chunk.get(name)]
        names = (f"[attachment: {first_text(one, 'name', 'displayName', 'id') or kind}]" for kind, one in files)
        channel = Channel.INJECTED if role is Role.SYSTEM else Channel.SPOKEN
        yield Text(role, join_lines((text, *names)), channel)
        for one in (chunk, *parts):
            yield Text(Role.ASSISTANT, as_str(as_dict(one.get("executableCode")).get("code")), Channel.TOOL)
            yield Text(Role.TOOL, as_str(as_dict(one.get("codeExecutionResult")).get("output")), Channel.TOOL)
            if call := as_dict(one.get("functionCall")):
                yield Text(Role.ASSISTANT, f"{as_str(call.get('name'))} {compact(call.get('args'))}", Channel.TOOL)
            if answer := as_dict(one.get("functionResponse")):
                yield Text(Role.TOOL, compact(answer.get("response")), Channel.TOOL)
        yield Text(Role.SYSTEM, as_str(chunk.get("errorMessage")), Channel.INJECTED)


def fits(record: JsonObject) -> bool:
    """Return True for a record of this format."""
    return "chunkedPrompt" in record or ("runSettings" in record and "systemInstruction" in record)


FORMAT = LogFormat(Format.AI_STUDIO, "a Google AI Studio chat", read, fits=fits, exported=True)

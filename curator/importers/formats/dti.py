"""Conversations in the schema of the Data Transfer Initiative: `{details, identifiers, messages}`.

“AI Conversation History”, schemas.pub/schemas/24: `messages` have `text`, `sentAt` and a `sender`, who is one of the
`identifiers` (an email address), else the assistant. A file has no id: its creator, start time and first words identify
it. A long conversation continues at the URL `details.nextPage`, which is not followed.
"""

from collections.abc import Iterator, Sequence

from curator.importers.inputs import Item, LogFile, Problem, ReadProgress
from curator.importers.json_stream import JsonObject, Record, as_dict, as_dicts, as_str, as_time, digest, items
from curator.importers.log_format import Format, LogFormat, Options, has_messages
from curator.importers.pieces import LogMessage, MessagePart, chat
from curator.importers.session_files import fallback_id
from store.model import Channel, Role


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Return every conversation of these files."""
    return items(files, progress, chat_of, ("messages",))


def chat_of(record: Record) -> Item:
    """Return a conversation of one person with an assistant."""
    fields = as_dict(record.value)
    if not fits(fields):
        return Problem(record.place, "not a conversation in this schema")
    details = as_dict(fields.get("details"))
    people = {as_str(one.get("identifier")).casefold() for one in as_dicts(fields.get("identifiers"))} - {""}
    if len(people) > 1:
        return Problem(record.place, "a conversation of several people, of whom none is known to be you")
    turns = [
        LogMessage(
            [MessagePart(role_of(one, people), Channel.SPOKEN, as_str(one.get("text")))], at=as_time(one.get("sentAt"))
        )
        for one in as_dicts(fields.get("messages"))
    ]
    creator, start = as_str(details.get("createdBy")), as_str(details.get("startTime"))
    return chat(
        Format.DTI,
        digest(creator, start, fallback_id(turns)),
        turns,
        record.place,
        title=creator,
        created_at=as_time(start),
    )


def role_of(message: JsonObject, people: set[str]) -> Role:
    """Return the role of a message's sender; an unknown sender is not the person."""
    sender = as_str(message.get("sender"))
    return Role.USER if sender.casefold() in people else Role.ASSISTANT if sender else Role.OTHER


def fits(record: JsonObject) -> bool:
    """Return True for a conversation."""
    return "createdBy" in as_dict(record.get("details")) and has_messages("sentAt", "sender")(record)


FORMAT = LogFormat(Format.DTI, "a conversation in the portable schema of DTI", read, fits=fits, exported=True)

"""Telegram: `result.json`, exported by Telegram Desktop (machine-readable): a chat, or all under `chats.list`.

A chat begins with `name`, `type` and `id`, then `messages`: `id`, `type` (message or service), `date_unixtime`, `from`,
`from_id` (`user123`) and `text`, a string or a list of strings and of `{"type", "text"}`. A full export has the
person's `user_id` under `personal_information`; in a chat of two people, the id of the chat is that of the other
person.
"""

import contextlib
import re
from collections import Counter
from collections.abc import Collection, Container, Iterator, Sequence
from functools import partial

from pydantic_core import from_json

from curator.importers.group_chats import GroupChat
from curator.importers.inputs import Item, LogFile, Problem, ReadProgress, Skipped
from curator.importers.json_stream import (
    JsonObject,
    Record,
    as_dict,
    as_dicts,
    as_list,
    as_str,
    as_time,
    first_text,
    join_lines,
    message_records,
)
from curator.importers.log_format import Format, LogFormat, Options, SurveyedChats
from store.model import Channel

_TYPES = frozenset({
    "personal_chat", "bot_chat", "saved_messages", "replies", "verification_codes", "private_group",
    "private_supergroup", "public_supergroup", "private_channel", "public_channel",
})  # fmt: skip
_PAIRS = ("personal_chat", "bot_chat")
_HEADER = re.compile(rb'\{\s*"(?:name|type)"\s*:')
_PERSON = re.compile(rb'"personal_information"\s*:\s*\{')
_MISSING = re.compile(r"(?<!\s)\s*\((?:File|Photo) .*\)$")  # replaces the path of an omitted file
_FILES = ("file_name", "file", "photo", "media_type")


def fits(record: JsonObject) -> bool:
    """Return True for a chat or an export of all chats."""
    if as_str(record.get("type")) in _TYPES and "messages" in record:
        return True
    chats = as_dicts(as_dict(record.get("chats")).get("list"))
    return "personal_information" in record or any("messages" in one for one in chats[:1])


def chats(files: Sequence[LogFile]) -> SurveyedChats:
    """Survey these chats; the names are those of authors in chats where the export does not identify the person."""
    exports = [_Export(log) for log in files]
    counts: Counter[str] = Counter()
    for export in exports:
        for name, times in export.authors().items():
            counts[name] += times
    return SurveyedChats(counts, partial(read, exports))


def read(exports: Sequence["_Export"], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Yield the conversations of these files, one per chat and month.

    The person is identified by id, so a changed name in a later export creates no new conversation.
    """
    mine = {id_ for export in exports for id_, name in export.ids if options.own_names([name])}
    for export in exports:
        yield from export.conversations(progress, mine)


class _Export:
    """A file of one chat or of all. `me` is the person's id if the file has it, `ids` are those of others by name."""

    def __init__(self, log: LogFile) -> None:
        self.log = log
        self.me = ""
        self.ids: set[tuple[str, str]] = set()
        self._before = b""
        self._chat: JsonObject = {}

    def messages(self, progress: ReadProgress) -> Iterator[tuple[JsonObject, Record | Problem]]:
        """Yield each message with the header of its chat."""
        for before, record in message_records(self.log, progress):
            if before is not self._before:
                self._before, self._chat = before, {}
                if not self.me and (person := _PERSON.search(before)):
                    self.me = first_text(as_dict(_partial(before[person.end() - 1 :])), "user_id")
                headers = list(_HEADER.finditer(before))
                if headers:
                    self._chat = as_dict(_partial(before[headers[-1].start() :]))
            yield self._chat, record

    def authors(self) -> Counter[str]:
        """Count the messages of each author in chats where the person is unknown.

        A name of several people gets an id appended.
        """
        found: Counter[tuple[str, str]] = Counter()
        for chat, record in self.messages(ReadProgress()):
            if self.me:
                return Counter()
            fields = as_dict(None if isinstance(record, Problem) else record.value)
            id_, name = first_text(fields, "from_id"), as_str(fields.get("from"))
            if fields.get("type") != "message" or chat.get("type") in (*_PAIRS, "saved_messages") or not name:
                continue
            if not id_.startswith("channel"):
                found[id_ or name, name] += 1
        shared = Counter(name for _, name in found)
        counts: Counter[str] = Counter()
        for (id_, name), times in found.items():
            label = f"{name} ({id_})" if shared[name] > 1 else name
            self.ids.add((id_, label))
            counts[label] += times
        return counts

    def is_mine(self, chat: JsonObject, fields: JsonObject, mine: Container[str]) -> bool:
        """Return True for a message of the person, by the file or else by the ids in `mine`."""
        id_, name = first_text(fields, "from_id"), as_str(fields.get("from"))
        if self.me:
            return id_.removeprefix("user") == self.me
        if chat.get("type") == "saved_messages":
            return True
        if chat.get("type") in _PAIRS:
            other = first_text(chat, "id")
            return bool(id_) and id_.removeprefix("user") != other and name != as_str(chat.get("name"))
        return bool(name) and (id_ or name) in mine

    def conversations(self, progress: ReadProgress, mine: Collection[str]) -> Iterator[Item]:
        """Yield the conversations and other items."""
        self._before = b""
        chat: GroupChat | None = None
        header: JsonObject | None = None
        for current, record in self.messages(progress):
            if current is not header or chat is None:
                if chat is not None:
                    yield from chat.end()
                header, name = current, first_text(current, "name") or as_str(current.get("type")).replace("_", " ")
                id_ = first_text(current, "id")
                known = self.me or current.get("type") in (*_PAIRS, "saved_messages")
                me = () if known else sorted(mine)
                chat = GroupChat(Format.TELEGRAM, id_ or name, name or "Telegram", self.log.name, me, id_ or None)
            if isinstance(record, Problem):
                yield record
                continue
            fields = as_dict(record.value)
            if fields.get("type") != "message":
                yield Skipped("not_a_message", record.place)
                continue
            passed = "forwarded_from" in fields or "via_bot" in fields  # written by others
            yield from chat.add(
                self.text(fields),
                as_str(fields.get("from")) or "deleted account",
                self.is_mine(current, fields, mine),
                id_=first_text(fields, "id"),
                at=as_time(fields.get("date_unixtime")) or as_time(fields.get("date")),
                channel=Channel.ATTACHMENT if passed else Channel.SPOKEN,
            )
        if chat is not None:
            yield from chat.end()

    @staticmethod
    def text(fields: JsonObject) -> str:
        """Return the text of a message, and the names of its files."""
        parts = fields.get("text")
        said = as_str(parts) or "".join(as_str(one) or as_str(as_dict(one).get("text")) for one in as_list(parts))
        files = (_MISSING.sub("", as_str(fields.get(name))).rpartition("/")[2] for name in _FILES)
        file = next(filter(None, files), "")
        if not file and ("photo" in fields or "file" in fields):
            file = "photo" if "photo" in fields else "file"
        poll = as_str(as_dict(fields.get("poll")).get("question"))
        return join_lines((said, poll and f"[poll: {poll}]", file and f"[attachment: {file}]"))


def _partial(text: bytes) -> object:
    """Return the value of a truncated JSON text."""
    found: object = None
    with contextlib.suppress(ValueError):
        found = from_json(text, allow_partial=True)
    return found


FORMAT = LogFormat(Format.TELEGRAM, "a Telegram export", None, fits=fits, chats=chats, exported=True)

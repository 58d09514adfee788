"""Discord: channels exported by DiscordChatExporter (JSON), and Discord's data package.

An exported channel is `{"guild": {}, "channel": {}, "messages": []}`, in one or several files. The package has only
messages of the person: `Messages/c<id>/messages.json` with `ID`, `Timestamp` (UTC), `Contents` and `Attachments`,
`channel.json` next to it, and `Messages/index.json` with the names of channels by id.
"""

import contextlib
import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from functools import partial
from pathlib import PurePath

from pydantic_core import from_json

from curator.importers.group_chats import GroupChat
from curator.importers.inputs import Item, LogFile, Problem, ReadProgress, Skipped, Unreadable, whole_text
from curator.importers.json_stream import (
    LIMIT,
    JsonObject,
    Record,
    as_dict,
    as_dicts,
    as_str,
    as_time,
    first_text,
    join_lines,
    message_records,
    records,
)
from curator.importers.log_format import Format, LogFormat, Options, SurveyedChats
from store.model import Channel

_SAID = frozenset({"", "Default", "Reply", "20", "23"})
"""Types of written messages (20 and 23 are answers of bots); the others are notices of events."""
_CHANNELS = frozenset({
    "DM", "GROUP_DM", "GUILD_TEXT", "GUILD_VOICE", "GUILD_NEWS", "GUILD_ANNOUNCEMENT", "GUILD_STAGE_VOICE",
    "GUILD_FORUM", "PUBLIC_THREAD", "PRIVATE_THREAD", "NEWS_THREAD", "ANNOUNCEMENT_THREAD",
})  # fmt: skip
_INDEX = ("Direct Message with ", "Unknown channel")


def fits(record: JsonObject) -> bool:
    """Return True for a channel, or for a message, a channel or the index of a package."""
    if "guild" in record and "messages" in record:
        return True
    if "ID" in record and "Timestamp" in record and "Contents" in record:
        return True
    if "id" in record and as_str(record.get("type")) in _CHANNELS:
        return True
    named = [as_str(name) for key, name in record.items() if key.isdigit()]
    return 0 < len(named) == len(record) and any(name.startswith(_INDEX) or " in " in name for name in named)


def chats(files: Sequence[LogFile]) -> SurveyedChats:
    """Survey these channels; the names exclude bots, and packages, which contain only the person's messages."""
    authors: Counter[tuple[str, str]] = Counter()
    for log in files:
        for before, record in message_records(log, ReadProgress()):
            fields = as_dict(None if isinstance(record, Problem) else record.value)
            author = as_dict(fields.get("author"))
            if before and as_str(fields.get("type")) in _SAID and author.get("isBot") is not True:
                authors[first_text(author, "id", "name"), first_text(author, "name", "id")] += 1
    counts: Counter[str] = Counter()
    for (_, name), number in authors.items():
        counts[name] += number
    del counts[""]
    return SurveyedChats(counts, partial(read, files, set(authors)))


def read(
    files: Sequence[LogFile], authors: Set[tuple[str, str]], progress: ReadProgress, options: Options
) -> Iterator[Item]:
    """Yield the conversations of these files, one per channel and month.

    The person is identified by id, since user names may change between exports.
    """
    mine = {id_ for id_, name in authors if options.own_names([name])}
    export = _Export(progress, options, mine)
    owned: list[LogFile] = []
    for log in files:
        if log.inner.name in ("channel.json", "index.json"):
            yield from export.named(log)
            continue
        if log.inner.suffix.lower() == ".csv":
            owned.append(log)
            continue
        try:
            with log.open() as stream:
                exported = b'"guild"' in stream.read(4_096)
        except Unreadable as error:
            yield Problem(log.name, f"cannot be read: {error}")
            continue
        if exported:
            yield from export.exported(log)
        else:
            owned.append(log)
    for log in owned:
        yield from export.owned(log)


def table(log: LogFile, progress: ReadProgress) -> Iterator[Record | Problem]:
    """Yield the rows of a package from before 2024, with messages in a table: `messages.csv`."""
    text = whole_text(log, progress, LIMIT)
    if isinstance(text, Problem):
        yield text
        return
    csv.field_size_limit(LIMIT)
    reader = csv.DictReader(io.StringIO(text, newline=""))
    try:
        for row in reader:
            yield Record(f"{log.name}: line {reader.line_num}", row, 0, 0)
    except csv.Error as error:
        yield Problem(f"{log.name}: line {reader.line_num}", f"cannot be read any further: {error}")


def fits_text(text: str, name: str) -> bool:
    """Return True for a table of messages of a package."""
    return text.lstrip("\ufeff").startswith("ID,Timestamp,Contents,Attachments")


class _Export:
    """An export, with the channels of a package by folder, and their names by id."""

    def __init__(self, progress: ReadProgress, options: Options, mine: set[str]) -> None:
        self.progress, self.options, self.mine = progress, options, mine
        self.channels: dict[str, JsonObject] = {}
        self.names: dict[str, str] = {}

    def named(self, log: LogFile) -> Iterator[Problem]:
        """Read the names of channels; yield problems."""
        for record in records(log, self.progress):
            if isinstance(record, Problem):
                yield record
            elif log.inner.name == "channel.json":
                self.channels[str(PurePath(log.path or log.inner).parent)] = as_dict(record.value)
            else:
                self.names |= {id_: as_str(name) for id_, name in as_dict(record.value).items() if as_str(name)}

    def exported(self, log: LogFile) -> Iterator[Item]:
        """Yield the conversations of a channel exported by DiscordChatExporter."""
        chat: GroupChat | None = None
        for before, record in message_records(log, self.progress):
            if chat is None:
                head: object = None
                with contextlib.suppress(ValueError):
                    head = from_json(before, allow_partial=True)
                guild, channel = (as_dict(as_dict(head).get(name)) for name in ("guild", "channel"))
                title = " · ".join(filter(None, (first_text(one, "name") for one in (guild, channel))))
                id_ = first_text(channel, "id")
                chat = GroupChat(Format.DISCORD, id_ or title, title, log.name, sorted(self.mine), id_ or None)
            if isinstance(record, Problem):
                yield record
                continue
            fields = as_dict(record.value)
            if "content" not in fields or as_str(fields.get("type")) not in _SAID:
                yield Skipped("not_a_message", record.place)
                continue
            author = as_dict(fields.get("author"))
            name = first_text(author, "name", "id")
            mine = author.get("isBot") is not True and first_text(author, "id", "name") in self.mine
            text, id_, at = as_str(fields.get("content")), first_text(fields, "id"), as_time(fields.get("timestamp"))
            files = (first_text(one, "fileName") or "file" for one in as_dicts(fields.get("attachments")))
            embedded = [] if text else as_dicts(fields.get("embeds"))
            text = join_lines(
                (
                    text,
                    *(join_lines((as_str(one.get("title")), as_str(one.get("description")))) for one in embedded),
                    *(f"[attachment: {name}]" for name in files),
                )
            )
            shown = first_text(author, "nickname") or name
            channel_ = Channel.ATTACHMENT if embedded else Channel.SPOKEN  # what others wrote
            yield from chat.add(text, shown, mine, id_=id_, at=at, channel=channel_)
            if passed := as_str(as_dict(fields.get("forwardedMessage")).get("content")):
                yield from chat.add(passed, shown, mine, id_=f"{id_}#forwarded", at=at, channel=Channel.ATTACHMENT)
        if chat is not None:
            yield from chat.end()

    def owned(self, log: LogFile) -> Iterator[Item]:
        """Yield the conversations of the person's own messages in a channel of a data package."""
        folder = PurePath(log.path or log.inner).parent
        channel = self.channels.get(str(folder), {})
        id_ = first_text(channel, "id") or folder.name.removeprefix("c")
        guild = first_text(as_dict(channel.get("guild")), "name")
        named = " · ".join(filter(None, (guild, first_text(channel, "name"))))
        title = named or self.names.get(id_, "") or f"channel {id_}"
        chat = GroupChat(Format.DISCORD, f"package:{id_}", title, log.name, (), id_)
        rows: list[JsonObject] = []
        for record in table(log, self.progress) if log.inner.suffix.lower() == ".csv" else records(log, self.progress):
            if isinstance(record, Problem):
                yield record
            elif not isinstance((fields := as_dict(record.value)).get("Contents"), str):
                yield Problem(record.place, "not a message of a Discord package")
            else:
                rows.append(fields)
        for fields in sorted(rows, key=lambda fields: as_time(fields.get("Timestamp")) or 0):
            urls = (url for url in as_str(fields.get("Attachments")).split() if "://" in url)
            files = (url.partition("?")[0].rpartition("/")[2] for url in urls)
            text = join_lines((as_str(fields.get("Contents")), *(f"[attachment: {name}]" for name in files)))
            yield from chat.add(text, "", True, id_=first_text(fields, "ID"), at=as_time(fields.get("Timestamp")))
        yield from chat.end()


FORMAT = LogFormat(Format.DISCORD, "a Discord export", None, fits=fits, fits_text=fits_text, chats=chats, exported=True)

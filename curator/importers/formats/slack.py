"""Slack: the export of a workspace, or the same format written by tools like slackdump, as a zip or folder.

`users.json` has the people; `channels.json`, `groups.json`, `dms.json` and `mpims.json` have the conversations with
their members. The messages of each are in a folder with its name or id, one file per day: `general/2024-03-14.json`.
The `ts` of a message is its time and id; `thread_ts` is that of the message it replies to. Texts have `<@U01>` for
people, `<#C01>` for channels and `<url|label>` for links.
"""

import contextlib
import html
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby
from operator import itemgetter
from pathlib import PurePath

import orjson

from curator.importers.group_chats import GroupChat
from curator.importers.inputs import Item, LogFile, Problem, ReadProgress, Skipped, whole_text
from curator.importers.json_stream import (
    JsonObject,
    as_dict,
    as_dicts,
    as_list,
    as_str,
    as_time,
    digest,
    first_text,
    join_lines,
    records,
)
from curator.importers.log_format import Format, LogFormat, Options, SurveyedChats
from store.model import Channel

_SAID = frozenset({"", "me_message", "file_share", "thread_broadcast", "file_comment", "bot_message"})
"""Subtypes of written messages; the others are notices of events in the channel."""
_SMALL = 4 << 20  # maximum bytes of a day's file that is read as a whole
_REFERENCE = re.compile(r"<([@#!]?)([^<>|\s]+)(?:\|([^<>]*))?>")


def fits(record: JsonObject) -> bool:
    """Return True for a message, a person or a channel of this format."""
    if "ts" in record and "text" in record and ("user" in record or record.get("type") == "message"):
        return True
    if isinstance(record.get("members"), list) and "id" in record and "created" in record:
        return True
    return "profile" in record and "id" in record and ("team_id" in record or "real_name" in record)


def chats(files: Sequence[LogFile]) -> SurveyedChats:
    """Survey an export; the names exclude bots."""
    workspace = Workspace(files)
    return SurveyedChats(workspace.authors, partial(read, workspace))


def read(workspace: "Workspace", progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Yield the conversations of an export, one per channel and month; replies follow the message they answer."""
    progress.done += workspace.size
    yield from workspace.problems
    mine = workspace.ids_of(options)
    scope = f"{Format.SLACK}:{digest(*sorted(mine))}"  # without `channels.json` a channel has no id
    for place, days in groupby(workspace.days, key=lambda log: str(PurePath(log.path or log.inner).parent)):
        folder = PurePath(place).name
        channel = workspace.channels.get(folder, {})
        id_ = as_str(channel.get("id")) or folder
        chat = GroupChat(Format.SLACK, id_, workspace.title(channel, folder), place, sorted(mine), id_, scope=scope)
        for _, month in groupby(days, key=lambda log: log.inner.stem[:7]):
            found: list[tuple[str, str, int | None, JsonObject]] = []  # thread, time as written and read, message
            for log in month:
                chat.place = log.name
                for fields in _messages_of(log, progress):
                    if isinstance(fields, Problem):
                        yield fields
                    elif "ts" not in fields or as_str(fields.get("subtype")) not in _SAID:
                        yield Skipped("not_a_message", log.name)
                    else:
                        ts = first_text(fields, "ts")
                        found.append((first_text(fields, "thread_ts") or ts, ts, as_time(ts), fields))
            found.sort(key=itemgetter(0, 1))
            yield from chat.end()  # the previous month
            chat.created_at = min(filter(None, (at for _, _, at, _ in found)), default=None)
            for _, ts, at, fields in found:
                name = workspace.author(fields)
                known = as_str(fields.get("user")) in mine if mine else bool(options.own_names([name]))
                shared = bool(fields.get("attachments")) and not as_str(fields.get("text"))
                yield from chat.add(
                    workspace.text(fields),
                    name,
                    known and not workspace.is_bot(fields),
                    id_=ts,
                    key=f"{first_text(fields, 'user', 'bot_id', 'username')}:{ts}",
                    at=at,
                    channel=Channel.ATTACHMENT if shared else Channel.SPOKEN,  # a shared message of others
                )
        yield from chat.end()


class Workspace:
    """The people and channels of an export, and its message files by channel and day.

    `size` is the total size of its other files in bytes, `authors` the number of messages by author's name (without
    bots), and `ids` the author ids found in messages with their names.
    """

    def __init__(self, files: Sequence[LogFile]) -> None:
        self.size = 0
        self.problems: list[Problem] = []
        self.names: dict[str, str] = {}  # by id
        self.bots: set[str] = set()
        self.channels: dict[str, JsonObject] = {}  # by id and by name, both used as folder names
        self.days: list[LogFile] = []
        users: dict[str, JsonObject] = {}
        for log in files:
            if re.match(r"\d{4}-\d\d-\d\d", log.inner.name):
                self.days.append(log)
                continue
            day = False
            progress = ReadProgress()
            for record in records(log, progress):
                if isinstance(record, Problem):
                    self.problems.append(record)
                    continue
                fields = as_dict(record.value)
                id_ = as_str(fields.get("id"))
                if "ts" in fields and "text" in fields:
                    day = True
                    break
                if "profile" in fields:
                    users[id_] = fields
                else:
                    self.channels |= {name: fields for name in (id_, as_str(fields.get("name"))) if name}
            if day:  # under another name
                self.days.append(log)
            else:
                self.size += progress.done
        self.days.sort(key=lambda log: (str(PurePath(log.path or log.inner).parent), log.inner.name))
        labels = {id_: _label(user) for id_, user in users.items()}
        known = Counter(labels.values())
        for id_, user in users.items():
            handle = as_str(user.get("name"))
            self.names[id_] = f"{labels[id_]} ({handle})" if known[labels[id_]] > 1 and handle else labels[id_]
            if user.get("is_bot") is True or id_ == "USLACKBOT":
                self.bots.add(id_)
        self.authors: Counter[str] = Counter()
        self.ids: set[tuple[str, str]] = set()
        for day_ in self.days:
            for said in _messages_of(day_, ReadProgress()):
                if isinstance(said, Problem):
                    continue
                name = self.author(said)
                self.ids.add((as_str(said.get("user")), name))
                if not self.is_bot(said) and as_str(said.get("subtype")) in _SAID and "ts" in said:
                    self.authors[name] += 1
        del self.authors[""]

    def ids_of(self, options: Options) -> set[str]:
        """Return the person's ids; without `users.json`, by the names in messages."""
        found = {id_ for id_, name in self.names.items() if options.own_names([name])}
        if not found and options.me:
            found = {id_ for id_, name in self.ids if options.own_names([name])}
        return found - {""}

    def is_bot(self, fields: JsonObject) -> bool:
        """Return True for a message of a bot."""
        return fields.get("subtype") == "bot_message" or "bot_id" in fields or as_str(fields.get("user")) in self.bots

    def author(self, fields: JsonObject) -> str:
        """Return the name of a message's author, or an id; empty if there is neither."""
        id_ = as_str(fields.get("user"))
        if known := self.names.get(id_):
            return known
        other = first_text(as_dict(fields.get("bot_profile")), "name") or first_text(fields, "username", "bot_id")
        return _label(as_dict(fields.get("user_profile"))) or other or id_

    def title(self, channel: JsonObject, folder: str) -> str:
        """Return `#name` of a channel, or the people of a direct message."""
        named = as_str(channel.get("name"))
        members = [self.names.get(as_str(one), as_str(one)) for one in as_list(channel.get("members"))]
        if members and (not named or named.startswith("mpdm-")):
            return ", ".join(members)
        return f"#{named or folder}"

    def text(self, fields: JsonObject) -> str:
        """Return the text of a message, with ids replaced by names, and the names of its files."""

        def named(found: re.Match[str]) -> str:
            sign, target, label = found.groups()
            if sign == "@":
                return f"@{self.names.get(target) or label or target}"
            if sign == "#":
                return f"#{label or as_str(self.channels.get(target, {}).get('name')) or target}"
            if sign == "!":
                return label or f"@{target.partition('^')[0]}"
            target = target.removeprefix("mailto:").removeprefix("tel:")
            return f"{label} ({target})" if label and label not in target else target

        said = as_str(fields.get("text")) or join_lines(
            first_text(one, "text", "fallback") for one in as_dicts(fields.get("attachments"))
        )
        said = html.unescape(_REFERENCE.sub(named, said) if "<" in said else said)
        if not (files := as_dicts(fields.get("files")) if "files" in fields else []):
            return said
        names = (first_text(one, "name", "title") or "file" for one in files)
        return join_lines((said, *(f"[attachment: {name}]" for name in names)))


def _messages_of(day: LogFile, progress: ReadProgress) -> Iterator[JsonObject | Problem]:
    """Yield the messages of a day. A valid file is parsed at once, three times as fast as message by message."""
    text = whole_text(day, ReadProgress(), _SMALL)
    with contextlib.suppress(orjson.JSONDecodeError):
        listed = None if isinstance(text, Problem) else orjson.loads(text)
        if isinstance(listed, list) and all(isinstance(one, dict) and one for one in listed):
            progress.done += day.size
            yield from listed
            return
    for record in records(day, progress):
        if isinstance(record, Problem):
            yield record
        else:
            yield as_dict(record.value) or Problem(record.place, "not an object")


def _label(user: JsonObject) -> str:
    """Return the name of a person displayed by Slack."""
    profile = as_dict(user.get("profile")) or user
    return first_text(profile, "display_name", "real_name") or first_text(user, "real_name", "name")


FORMAT = LogFormat(Format.SLACK, "a Slack export", None, fits=fits, chats=chats, exported=True)

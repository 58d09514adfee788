"""Gemini chats of Google Takeout: "My Activity" as JSON or HTML, and the conversation files of Workspace accounts.

An activity is a prompt after a verb in the language of the account ("Prompted …"), and the answer as HTML; the newest
is first. Newer activities name their conversation in a link; others are split after half an hour without activity. JSON
and HTML have the same identities, in seconds, since a page has no finer dates.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape

from curator.importers.factory import Entry, Text, conversation, headline, in_sequence, redacted
from curator.importers.html_text import html_text
from curator.importers.inputs import Item, LogFile, Problem, ReadProgress, Skipped, Unreadable
from curator.importers.json_stream import (
    LIMIT,
    TOO_LONG,
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
from curator.importers.log_format import Format, LogFormat, Options
from curator.importers.takeout_dates import date_of, is_date
from store.model import Channel, Role

_GAP = 30 * 60 * 1_000_000
_CELL = b'<div class="outer-cell'
_LINK = re.compile(r"gemini\.google\.com/app/([\w-]+)")
_GEMINI = re.compile(r"gemini|bard", re.IGNORECASE)
_TITLE = re.compile(r'mdl-typography--title">([^<]*)')
_BODY = re.compile(
    r'mdl-typography--body-1">(.*?)(?:</div>\s*<div class="content-cell[^>]*(?:text-right|caption)">|\Z)', re.DOTALL
)
_BREAK = re.compile(r"<br\s*/?>")
_FILE = re.compile(r"-(?:\s|&nbsp;)+<a ")
_ATTACHED = re.compile(r"(?<!\s)\s*Attached \d+ files?\.?\s*\Z")
_SAID = re.compile(
    r"(?:Prompted(?: with:)?|Asked(?: Gemini:| Bard:)?|Said|Live Prompt|Branched|Answered|You sent a prompt:"
    r"|Fez uma pergunta:?|Perguntou:?|Poslali ste poziv:)\s+"
)
_DONE = re.compile(r"(?:Created|Used|Added|Gave|Selected|Shared|Deleted|Viewed|Visited|Edited|Pinned|Renamed)\s")
_LABEL = re.compile(r"([^\n\xa0\u202f]{1,60}?)([\xa0\u202f]?[:\uff1a])?[\xa0\u202f]")


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Yield the conversations of each file. Those named by a link are held in memory until its end."""
    for log in files:
        linked: dict[str, list[_Activity]] = {}
        sitting: list[_Activity] = []
        for found in _File(log, progress).found():
            if not isinstance(found, _Activity):
                yield found
            elif found.chat:
                linked.setdefault(found.chat, []).append(found)
            else:
                last = sitting[-1].time if sitting else None
                if last is not None and found.time is not None and abs(last - found.time) > _GAP:
                    yield _conversation("", sitting, log.name)
                    sitting = []
                sitting.append(found)
        if sitting:
            yield _conversation("", sitting, log.name)
        for chat, activities in linked.items():
            yield _conversation(chat, activities, log.name)


def _conversation(chat: str, activities: list["_Activity"], place: str) -> Item:
    """Return the conversation of activities, which are listed newest first."""
    ordered = activities[::-1]
    ordered.sort(key=lambda one: one.time or 0)
    first = ordered[0]
    began = str(first.time // 1_000_000) if first.time else digest(first.title)
    identity = f"{Format.GEMINI}:{chat or began}"
    entries = [one.entry for one in ordered]
    asked = (text.text for entry in entries for text in entry.texts if text.role is Role.USER)
    return conversation(
        identity,
        Format.GEMINI,
        in_sequence(identity, entries),
        place,
        external_id=chat or None,
        title=headline(redacted(next(asked, first.title))),
        created_at=first.time,
    )


@dataclass(frozen=True, slots=True)
class _File:
    """A file with activities, or with one conversation."""

    log: LogFile
    progress: ReadProgress

    def found(self) -> "Iterator[_Activity | Item]":
        """Yield the activities with text, in the order of the file, and other items."""
        page = self.log.inner.suffix.lower() == ".html"
        for one in self.cells() if page else self.records():
            yield one.skipped() if isinstance(one, _Activity) and not one.entry.texts else one

    def records(self) -> "Iterator[_Activity | Item]":
        for record in records(self.log, self.progress):
            if isinstance(record, Problem):
                yield record
            elif "conversation_turns" in (fields := as_dict(record.value)):
                yield from _Workspace(fields, self.log.inner.stem).items(record.place)
            elif "title" in fields or fits(fields):
                yield _Activity.of_record(fields, record.place)
            else:
                yield Problem(record.place, "not an activity")

    def cells(self) -> "Iterator[_Activity | Item]":
        """Yield the activities of a page, holding one at a time."""
        held = b""
        number = 0
        try:
            with self.log.open(self.progress) as stream:
                while True:
                    chunk = stream.read(1 << 20)
                    *ended, held = (held + chunk).split(_CELL) if chunk else (held, b"")
                    for cell in ended:
                        if number:  # the text before the first cell is title and style
                            yield self.cell(cell, number)
                        number += 1
                    if len(held) > LIMIT:
                        yield Problem(f"{self.log.name}: activity {number}", TOO_LONG)
                        held = b""
                    if not chunk:
                        return
        except Unreadable as error:
            yield Problem(self.log.name, f"cannot be read any further: {error}")

    def cell(self, cell: bytes, number: int) -> "_Activity | Item":
        place = f"{self.log.name}: activity {number}"
        text = cell.decode("utf-8", "replace")
        if not _GEMINI.search("".join(_TITLE.findall(text))):
            return Skipped("not_a_message", place)
        body = _BODY.search(text)
        return _Activity.of_body(body[1], text, place) if body else Problem(place, "an activity without a text")


@dataclass(frozen=True, slots=True)
class _Activity:
    """A prompt with its answers, or another activity in Gemini."""

    place: str
    time: int | None
    chat: str
    title: str
    answers: Sequence[str]
    files: Sequence[str]

    @classmethod
    def of_record(cls, fields: JsonObject, place: str) -> "_Activity | Item":
        labels = [as_str(one) for one in (fields.get("header"), *as_list(fields.get("products")))]
        if not _GEMINI.search(" ".join(labels)):
            return Skipped("not_a_message", place)
        notes = [*as_dicts(fields.get("subtitles")), *as_dicts(fields.get("details"))]
        names = [first_text(one, "name") for one in notes]
        links = _LINK.findall(
            " ".join((as_str(fields.get("titleUrl")), *names, *(as_str(n.get("url")) for n in notes)))
        )
        files = [name.removeprefix("-").strip() for name in names if name.startswith("-")]
        return cls(
            place,
            as_time(fields.get("time")),
            links[0] if links else "",
            _ATTACHED.sub("", as_str(fields.get("title"))),
            [html_text(as_str(one.get("html"))) for one in as_dicts(fields.get("safeHtmlItem"))],
            files or list(filter(None, (as_str(fields.get("imageFile")),))),
        )

    @classmethod
    def of_body(cls, body: str, cell: str, place: str) -> "_Activity | Problem":
        """Return the activity of a page. Only its date is between the prompt and the answer."""
        lines = _BREAK.split(body)
        dated = next((n for n, line in enumerate(lines) if n and is_date(unescape(line).strip())), None)
        if dated is None:
            return Problem(place, "an activity without a date, so that a prompt cannot be told from its answer")
        files = [line for line in lines[:dated] if _FILE.match(line)]
        end = max(lines.index(files[0]) - 1, 1) if files else dated  # without "2 files were attached."
        said = html_text("<br>".join(lines[:end]))
        links = _LINK.findall(cell)
        answer = html_text("<br>".join(lines[dated + 1 :]))
        names = [html_text(line).removeprefix("-").strip() for line in files]
        return cls(place, date_of(unescape(lines[dated])), links[-1] if links else "", said, [answer], names)

    def skipped(self) -> Skipped:
        return Skipped("not_a_message", self.place)

    @property
    def entry(self) -> Entry:
        """The prompt and the answers. Other activities, such as making a canvas, count as tool use."""
        answers = [answer for answer in self.answers if answer]
        said, done, label = (sign.match(self.title) for sign in (_SAID, _DONE, _LABEL))
        prompt = ""
        if said:
            prompt = self.title[said.end() :]
        elif label and not done and (label[2] or label[1].endswith(":") or answers):
            prompt = self.title[label.end() :]
        elif answers and not done:
            prompt = self.title
        texts: list[Text] = []
        if prompt:
            texts.append(Text(Role.USER, join_lines((prompt, *(f"[attachment: {name}]" for name in self.files)))))
            texts += (Text(Role.ASSISTANT, answer) for answer in answers)
        elif answers or "\n" in self.title:
            texts.append(Text(Role.ASSISTANT, join_lines((self.title, *answers)), Channel.TOOL))
        return Entry(str(self.time // 1_000_000) if self.time else "", None, self.time, texts)


class _Workspace:
    """A conversation of a Workspace account, in its own file. Edited turns occur twice."""

    def __init__(self, fields: JsonObject, name: str) -> None:
        self.fields = fields
        self.name = f"{name}:{as_str(fields.get('creation_time'))}"
        turns = as_dicts(fields.get("conversation_turns"))
        self.turns = [
            (kind, as_dict(turn[kind])) for turn in turns for kind in ("user_turn", "system_turn") if kind in turn
        ]

    def items(self, place: str) -> Iterator[Item]:
        identity = f"{Format.GEMINI}:{self.name}"
        deleted = sum(bool(fields.get("turn_deleted_time")) for _, fields in self.turns)
        if deleted:
            yield Skipped("do_not_remember", place, deleted)
        yield conversation(
            identity,
            Format.GEMINI,
            in_sequence(identity, self.entries()),
            place,
            external_id=self.name,
            title=as_str(self.fields.get("title")),
            created_at=as_time(self.fields.get("creation_time")),
        )

    def entries(self) -> Iterator[Entry]:
        for kind, fields in self.turns:
            if not fields.get("turn_deleted_time"):
                texts = [Text(Role.USER, as_str(fields.get("prompt")))] if kind == "user_turn" else self.answer(fields)
                id_ = f"{kind}.{first_text(fields, 'turn_index')}"
                yield Entry(id_, None, as_time(fields.get("turn_last_modified")), list(texts))

    @staticmethod
    def answer(fields: JsonObject) -> Iterator[Text]:
        for thought in as_dicts(fields.get("model_thoughts")):
            lines = (as_str(thought.get(name)) for name in ("headline", "description"))
            yield Text(Role.ASSISTANT, join_lines(lines), Channel.THINKING)
        pieces = as_dicts(fields.get("text"))
        cards = (as_str(card.get("content")) for piece in pieces for card in as_dicts(piece.get("cards")))
        texts = (*(as_str(piece.get("data")) for piece in pieces), *cards)
        yield Text(Role.ASSISTANT, join_lines((*texts, *("[image]" for _ in as_list(fields.get("images"))))))


def fits(record: JsonObject) -> bool:
    """Return True for an activity of Gemini or another product (a file may have several), or a conversation."""
    labels = " ".join(as_str(one) for one in (record.get("header"), *as_list(record.get("products"))))
    return (
        "conversation_turns" in record
        or "safeHtmlItem" in record
        or ("title" in record and bool(_GEMINI.search(labels)))
    )


def fits_text(text: str, name: str) -> bool:
    """Return True for the beginning of a page of activities in Gemini."""
    return name.endswith(".html") and _CELL.decode() in text and any(map(_GEMINI.search, _TITLE.findall(text)))


FORMAT = LogFormat(Format.GEMINI, "a Gemini Takeout", read, fits=fits, fits_text=fits_text, exported=True)

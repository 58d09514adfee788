"""Perplexity threads: exported as Markdown, or the page's data (`entries`) as saved by browser extensions.

The Markdown begins with Perplexity's logo, and has each question as a heading. Only the first line of a question counts
as the person's words, since further lines cannot be separated from the answer. It has no dates or ids.
"""

import re
from collections.abc import Iterator, Sequence

from curator.importers.factory import Entry, Text, conversation, conversation_key, headline, in_sequence, redacted
from curator.importers.inputs import Item, LogFile, Problem, ReadProgress, whole_text
from curator.importers.json_stream import (
    LIMIT,
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
from store.model import Channel, Role

_LOGO = re.compile(r'\ufeff?\s*<img src="[^"]{0,300}?perplexity\.ai/pplx-full-logo[^>]{0,2000}>\s*')
_END = '<div align="center">⁂</div>'  # end of an answer, before its citations
_CITED = re.compile(r"\s*((?:\[\^[^\]\n]+\]:[^\n]*\s*)*)(?:-{3,}\s*(?=# ))?")
_HIDDEN = re.compile(r'<span style="display:none">(?:(?!<span ).)*?</span>', re.DOTALL)


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Yield the thread of each file."""
    for log in files:
        if log.inner.suffix.lower() not in (".md", ".markdown", ".txt"):
            for record in records(log, progress, ("entries",)):
                yield record if isinstance(record, Problem) else _Thread(as_dict(record.value)).item(record.place)
        else:
            text = whole_text(log, progress, LIMIT)
            yield text if isinstance(text, Problem) else _Page(text).item(log.name)


class _Page:
    """A thread as Markdown."""

    def __init__(self, text: str) -> None:
        self.said: list[tuple[Role, str]] = []
        logo = _LOGO.match(text)
        for number, piece in enumerate(_HIDDEN.sub("", text[logo.end() if logo else 0 :]).split(_END)):
            cited = _CITED.match(piece) if number else None
            rest = piece[cited.end() :] if cited else piece
            if cited and self.said:
                role, before = self.said.pop()
                self.said.append((role, join_lines((before, cited[1].strip()), "\n\n")))
            if rest.startswith("# "):
                question, _, answer = rest.removeprefix("# ").partition("\n")
                self.said += [
                    (Role.USER, question.strip()),
                    (Role.ASSISTANT, answer.strip().removeprefix("---").strip()),
                ]
            elif rest.strip():
                self.said.append((Role.ASSISTANT, rest.strip()))

    def item(self, place: str) -> Item:
        if not any(role is Role.USER for role, _ in self.said):
            return Problem(place, "no question found (a heading behind Perplexity's logo)")
        identity = f"{Format.PERPLEXITY}:{conversation_key('', self.said)}"
        entries = [Entry("", None, None, [Text(role, text)]) for role, text in self.said]
        title = headline(redacted(self.said[0][1]))
        return conversation(identity, Format.PERPLEXITY, in_sequence(identity, entries), place, title=title)


class _Thread:
    """A thread in the page's data; an entry is a question with its answer."""

    def __init__(self, fields: JsonObject) -> None:
        self.fields = fields
        self.entries = [one for one in as_dicts(fields.get("entries")) if one]

    def item(self, place: str) -> Item:
        if not fits(self.fields):
            return Problem(place, "not a Perplexity thread")
        first = self.entries[0]
        name = first_text(first, "context_uuid", "thread_url_slug", "uuid") or digest(as_str(first.get("query_str")))
        identity = f"{Format.PERPLEXITY}:{name}"
        dated = [
            Entry(first_text(one, "uuid", "backend_uuid"), None, self.time(one), self.texts(one))
            for one in self.entries
        ]
        dated.sort(key=lambda entry: entry.time or 0)
        title = first_text(as_dict(self.fields.get("thread_metadata")), "title") or first_text(first, "thread_title")
        return conversation(
            identity, Format.PERPLEXITY, in_sequence(identity, dated), place, external_id=name, title=title
        )

    @staticmethod
    def time(one: JsonObject) -> int | None:
        names = ("entry_created_datetime", "entry_updated_datetime", "updated_datetime")
        return as_time(first_text(one, *names))

    @staticmethod
    def texts(one: JsonObject) -> list[Text]:
        blocks = as_dicts(one.get("blocks"))
        written = [as_dict(block.get("markdown_block")) for block in blocks]
        answers = (as_str(each.get("answer")) or "".join(map(as_str, as_list(each.get("chunks")))) for each in written)
        results = (as_dict(block.get("web_result_block")).get("web_results") for block in blocks)
        pages = (page for result in results for page in as_dicts(result))
        found = (join_lines(first_text(page, name) for name in ("name", "url", "snippet")) for page in pages)
        return [
            Text(Role.USER, as_str(one.get("query_str"))),
            Text(Role.TOOL, join_lines(found, "\n\n"), Channel.TOOL),
            Text(Role.ASSISTANT, next(filter(None, answers), "")),
        ]


def fits(record: JsonObject) -> bool:
    """Return True for a record of this format."""
    return any("query_str" in one for one in as_dicts(record.get("entries"))[:20])


def fits_text(text: str, name: str) -> bool:
    """Return True for the beginning of an exported thread."""
    return bool(_LOGO.match(text))


FORMAT = LogFormat(Format.PERPLEXITY, "a Perplexity thread", read, fits=fits, fits_text=fits_text, exported=True)

"""Detection of a file's format from structure in its first 64 KB, never from the file name alone."""

import contextlib
import re
from collections.abc import Iterator
from io import BytesIO
from itertools import islice

from curator.importers.database import table_names
from curator.importers.formats import FORMATS, cline, openai
from curator.importers.inputs import STORE, LogFile, ReadProgress, Stream
from curator.importers.json_stream import (
    JsonObject,
    Record,
    as_dict,
    as_list,
    json_records,
    parse,
)
from curator.importers.log_format import Fits, Format
from curator.importers.unsupported_formats import UNSUPPORTED, unsupported_text
from store import is_record_header

HEAD = 64 << 10
Sign = Format | str  # a str names an unsupported format


def sniff(log: LogFile) -> Sign | None:
    """Return the format of a file, the name of an unsupported format, `STORE` for a Curator store, or None."""
    with log.open() as stream:
        head = stream.read(HEAD)
        name = log.inner.name.lower()
        if name.endswith(".html") and b"mdl-" in head:  # pages of Takeout begin with a long style sheet
            head += stream.read(HEAD * 15)
    if is_record_header(head):
        return STORE
    if head.startswith(b"SQLite format 3\0"):
        tables = table_names(log)
        known = (one.name for one in FORMATS if one.fits_tables and one.fits_tables(tables))
        return next(known, "an Antigravity database" if "trajectory_meta" in tables else "a SQLite database")
    if name == "history" and log.path and log.path.parent.name == ".ollama":
        return "Ollama's list of prompts"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "a text in UTF-16 (save it as UTF-8)"
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text[:1] in (b"{", b"[", b'"'):
        for value in _openings(text):
            listed = value if isinstance(value, list) else ()
            found: list[JsonObject] = [one for one in listed[:50] if isinstance(one, dict)]
            bare = all("role" in one and "content" in one and "chatId" not in one for one in found)
            if bare and any(map(openai.fits, found)):
                return Format.CLINE if any(map(cline.fits, found[:3])) else Format.OPENAI
            if not isinstance(value, list):  # an element of the list, or the object itself
                record = as_dict(value)
                for key in ("conversations", "memories"):
                    found += [one for one in as_list(record.get(key)) if isinstance(one, dict)][:50]
                found.append(record)
            if sign := next((name for record in found for name, fits in _SIGNS if fits(record)), None):
                return sign
    plain = head.decode("utf-8", "replace")
    if refused := unsupported_text(plain):
        return refused
    for one in FORMATS:
        if one.fits_text and one.fits_text(plain, name):
            return one.name
    return None


_MARK = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\Z)|[\[\]{}]', re.DOTALL)
_DEEPEST = 100
# Rejected by the partial parser but accepted by `parse`: lone surrogates, control characters.
_REFUSED = re.compile(r"(?<!\\)\\u[dD][89a-fA-F][0-9a-fA-F]{2}|[\x00-\x1f]")


def _openings(text: bytes) -> Iterator[object]:
    """Yield the first values of a JSON or JSONL text that may be truncated: its lines, then the partial text."""
    from pydantic_core import from_json

    for line in text.split(b"\n", 30)[:30]:
        try:
            yield parse(line)
        except ValueError:
            break
    plain = _REFUSED.sub(" ", text.decode("utf-8", "replace"))
    for flat in (str, _flattened):  # flattening takes longer than all else
        with contextlib.suppress(ValueError):
            yield from_json(flat(plain), allow_partial="trailing-strings")
            return
    found = json_records(Stream(BytesIO(text), ReadProgress()), "")  # one bad record among others
    yield from (record.value for record in islice(found, 50) if isinstance(record, Record))


def _flattened(plain: str) -> str:
    """Return a JSON text without what is nested too deeply for the partial parser, as messages can be."""
    kept: list[str] = []
    depth = at = 0
    for mark in _MARK.finditer(plain):
        if mark[0] in "[{":
            depth += 1
            if depth == _DEEPEST:
                kept.append(plain[at : mark.start()])
                at = len(plain)
        elif mark[0] in "]}":
            if depth == _DEEPEST:
                kept.append("null")
                at = mark.end()
            depth -= 1
    return "".join((*kept, plain[at:]))


_SIGNS: tuple[tuple[Sign, Fits], ...] = (
    *((one.name, one.fits) for one in UNSUPPORTED if one.fits),
    *((one.name, one.fits) for one in FORMATS if one.fits),
)

"""Streaming reader of JSON and JSONL with flat memory use, and lenient access to values of any type.

A bad record does not affect the others.

A JSON file is split into the elements of its list (or of the list under a known key) by counting brackets outside
strings; each element is parsed separately. A JSONL file is split at line ends.
"""

import contextlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple

import orjson

from curator.importers.inputs import Item, LogFile, Problem, ReadProgress, Stream, Unreadable
from store import clock

CHUNK = 1 << 20
LIMIT = 64 << 20  # bytes of one record; no message is longer
_BOM = b"\xef\xbb\xbf"
_STRING = r'"[^"]*+"'
_OTHER = r'[^"\[\]{}]++'


def _flat(levels: int) -> str:
    """Return the pattern of a list or object with at most `levels` nested levels."""
    inner = "|".join((_STRING, _OTHER, *([_flat(levels - 1)] if levels else ())))
    return rf"\[(?:{inner})*+\]|\{{(?:{inner})*+\}}"


_BRACKET = re.compile(rf"(?:{_STRING}|{_OTHER})*+(?:([\[\]{{}}])|\Z)".encode())
_DEEP_BRACKET = re.compile(rf"(?:{_STRING}|{_OTHER}|{_flat(3)})*+(?:([\[\]{{}}])|\Z)".encode())
"""The next bracket inside a record; skips small lists and objects as a whole, which is much faster."""
_ELEMENT = re.compile(rf"[\s,]*+(\{{(?:{_STRING}|{_OTHER}|{_flat(3)})*+\}})".encode())
"""An object of a list, with the text before it; avoids counting brackets for most objects, which is half as fast."""
_LIST_KEYS = (b'"conversations"', b'"memories"')
_LIST_KEY = re.compile(rb"(?:%s)\s*:\s*\Z" % b"|".join(_LIST_KEYS))
_MESSAGES_KEY = re.compile(rb'"messages"\s*:\s*\Z')
_KEY = 100  # bytes before a list that are searched for its key
_STRAY = re.compile(rb'"[^"]*+"|[^\s,"]++')
_UNIX = re.compile(r"\d{10}(?:\.\d+)?", re.ASCII)  # seconds; no ISO date has this form
_DONE = 1 << 60  # an unreachable depth
TOO_LONG = f"longer than {LIMIT >> 20} MB"
JsonObject = Mapping[str, object]
_EMPTY: JsonObject = {}
_EARLIEST, _LATEST = clock.from_iso("1980-01-01"), clock.from_iso("2200-01-01")


def as_dict(value: object) -> JsonObject:
    """Return the value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else _EMPTY


def as_list(value: object) -> Sequence[object]:
    """Return the value if it is a list, else an empty one."""
    return value if isinstance(value, list) else ()


def as_dicts(value: object) -> list[JsonObject]:
    """Return the elements of a list; those that are not objects become empty objects."""
    return [as_dict(one) for one in as_list(value)]


def as_str(value: object) -> str:
    """Return the value if it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def first_text(record: JsonObject, *names: str) -> str:
    """Return the first of these fields that is a non-blank string or a whole number, as text; else an empty string."""
    for name in names:
        value = record.get(name)
        if isinstance(value, str):
            if value and not value.isspace():
                return value
        elif isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    return ""


def join_lines(texts: Iterable[str], separator: str = "\n") -> str:
    """Join the non-empty texts."""
    return separator.join(filter(None, texts))


def as_time(value: object) -> int | None:
    """Return microseconds for a time in seconds, milliseconds or ISO 8601; None outside the years 1980-2199."""
    if isinstance(value, str) and _UNIX.fullmatch(value):
        value = float(value)
    if isinstance(value, str):
        try:
            micros = clock.from_iso(value.strip())
        except ValueError:
            try:
                return as_time(float(value))
            except ValueError:
                return None
    elif isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < 1e14:
        micros = clock.from_seconds(value / 1000 if value > 1e11 else float(value))
    else:
        return None
    return micros if _EARLIEST <= micros < _LATEST else None


def clean(text: str) -> str:
    """Return the text without lone surrogates and NUL characters, which some storage rejects."""
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def digest(*parts: str) -> str:
    """Return a digest of 32 hexadecimal digits, equal only for equal texts."""
    sum_ = blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        sum_.update(len(data).to_bytes(8, "big") + data)
    return sum_.hexdigest()


def compact(value: object) -> str:
    """Return a value as JSON on one line."""
    try:
        return orjson.dumps(value).decode()
    except (TypeError, ValueError):  # nested too deeply, numbers above 64 bits, lone surrogates
        try:
            return json.dumps(value, ensure_ascii=False)
        except RecursionError:
            return "[nested too deeply]"


class Record(NamedTuple):
    """A parsed record. `end` is the byte after it (and after its line break, in JSONL)."""

    place: str
    value: object
    start: int
    end: int


def parse(data: bytes) -> object:
    """Return the JSON value; NaN, control characters, broken UTF-8 and lone surrogates are accepted.

    Raises ValueError with the reason.
    """
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        try:
            return json.loads(data.decode("utf-8", "replace"), strict=False)
        except RecursionError:
            raise ValueError("nested too deeply") from None


def records(log: LogFile, progress: ReadProgress, entries: Sequence[str] = ()) -> Iterator[Record | Problem]:
    """Yield the records of a file. JSONL is detected by suffix, or by a first line that is a whole object.

    `entries` are paths of a record's messages, like `messages` or `chat.history.messages`: a list, or an object by id.
    Messages that are not objects, which readers skip, become Problems.
    """
    paths = [name.split(".") for name in entries]
    try:
        jsonl = log.inner.suffix.lower() in (".jsonl", ".ndjson")
        with log.open(progress) as stream:
            whole: Record | None = None
            if not jsonl:
                # a whole chunk: a small file in a damaged zip then fails before any record is used
                chunk = stream.begins_with(CHUNK)
                line, _, rest = chunk[: 1 << 16].removeprefix(_BOM).lstrip().partition(b"\n")
                with contextlib.suppress(ValueError):
                    jsonl = line.startswith(b"{") and bool(rest.strip()) and isinstance(parse(line), dict)
                if not jsonl and len(chunk) == log.size < CHUNK and (whole := _whole_record(chunk, log.name)):
                    stream.read(len(chunk))
            found = [whole] if whole else line_records(stream, log.name) if jsonl else json_records(stream, log.name)
            for record in found:
                if isinstance(record, Record):
                    for path in paths:
                        yield from damaged_entries(record.value, record.place, path)
                yield record
    except Unreadable as error:
        yield Problem(log.name, f"cannot be read any further: {error}")


def damaged_entries(value: object, place: str, path: Sequence[str]) -> Iterator[Problem]:
    """Yield a Problem for each entry at a path below a value that is not an object."""
    name, *below = path
    held = as_dict(value).get(name)
    if below and isinstance(held, dict):
        yield from damaged_entries(held, place, below)
        return
    for number, one in enumerate(held.values() if isinstance(held, dict) else as_list(held), 1):
        if not isinstance(one, dict):
            yield Problem(f"{place}: {name} {number}", "not an object")
        elif below:
            yield from damaged_entries(one, place, below)


def items(
    files: Iterable[LogFile], progress: ReadProgress, item: Callable[[Record], Item], entries: Sequence[str] = ()
) -> Iterator[Item]:
    """Yield the problems of these files, and the item for each of their records."""
    for log in files:
        for record in records(log, progress, entries):
            yield record if isinstance(record, Problem) else item(record)


def json_records(stream: Stream, name: str) -> Iterator[Record | Problem]:
    """Yield the elements of a JSON list (also under a key such as `conversations`), or the single value."""
    yield from _parsed(_Cutter().pieces(stream), name)


def _whole_record(data: bytes, name: str) -> Record | None:
    """Return the record that is all of a file, parsed at once; None for a list, or an object with one to be split."""
    start = len(data) - len(data.lstrip())
    if data[start : start + 1] != b"{" or any(key in data for key in _LIST_KEYS):
        return None
    try:
        return Record(_place(name, 1, start), orjson.loads(data), start, len(data.rstrip()))
    except orjson.JSONDecodeError:
        return None


def message_records(log: LogFile, progress: ReadProgress) -> Iterator[tuple[bytes, Record | Problem]]:
    """Yield the elements of every list under the key `messages` at any depth, each with the text before its list."""
    cutter = _Cutter(_MESSAGES_KEY, nested=True)
    try:
        with log.open(progress) as stream:
            for record in _parsed(cutter.pieces(stream), log.name):
                yield cutter.before, record
    except Unreadable as error:
        yield cutter.before, Problem(log.name, f"cannot be read any further: {error}")


def _place(name: str, number: int, start: int) -> str:
    return f"{name}: record {number} (byte {start})"


def _parsed(pieces: Iterator["_Piece"], name: str) -> Iterator[Record | Problem]:
    for number, (start, piece) in enumerate(pieces, 1):
        place = _place(name, number, start)
        if isinstance(piece, str):
            yield Problem(place, piece)
            continue
        try:
            yield Record(place, parse(piece), start, start + len(piece))
        except ValueError as error:
            yield Problem(place, f"not valid JSON: {error}")


def line_records(stream: Stream, name: str, start: int = 0, growing: bool = False) -> Iterator[Record | Problem]:
    """Yield the values of a JSONL stream that begins at byte `start`.

    In a `growing` file, an unfinished last line is skipped silently; the next read includes it.
    """
    end = start
    for number, (size, line) in enumerate(_lines(stream), 1):
        at, end = end, end + size
        place = f"{name}: line {number}" if not start else f"{name}: byte {at}"
        if line is None:
            yield Problem(place, TOO_LONG)
            continue
        text = line.removeprefix(_BOM).strip()
        if not text:
            continue
        try:
            value = parse(text)
        except ValueError as error:
            if line.endswith(b"\n") or not growing:
                yield Problem(place, f"not valid JSON: {error}")
            continue
        yield Record(place, value, at, end)


_Piece = tuple[int, bytes | str]  # offset, and the bytes or the reason why there are none


class _Cutter:
    """Splits JSON chunks into pieces. Keeps nesting, string state and the open piece between chunks.

    `key` matches up to the start of a list whose elements are pieces. If `nested`, every list under it is split, and
    `before` is the text between the previous list and the current one.
    """

    def __init__(self, key: re.Pattern[bytes] = _LIST_KEY, nested: bool = False) -> None:
        self.key, self.nested = key, nested
        self.before = b""
        self.at = 0  # offset of the chunk in the stream
        self.depth = 0
        self.base = 0  # depth at which pieces begin
        self.quoted = False
        self.start = -1  # offset of the open piece
        self.held = bytearray()
        self.size = 0

    def pieces(self, stream: Stream) -> Iterator[_Piece]:
        """Yield the pieces of a whole stream."""
        carry = b""
        while chunk := stream.read(CHUNK):
            if self.at == 0 and not carry and chunk.startswith(_BOM):
                chunk = chunk.replace(_BOM, b"   ", 1)
            chunk = carry + chunk
            odd = (len(chunk) - len(chunk.rstrip(b"\\"))) % 2
            carry = chunk[len(chunk) - odd :]
            yield from self.cut(chunk[: len(chunk) - odd])
        if self.start >= 0 or self.quoted or (self.depth and self.base < _DONE):
            yield max(self.start, 0) or self.at, "the file ends in the middle; the rest is missing"

    def cut(self, chunk: bytes) -> Iterator[_Piece]:
        """Yield the pieces that end in a chunk."""
        plain = chunk.replace(b"\\\\", b"__").replace(b'\\"', b"__")
        position, stop = 0, len(chunk)
        if self.quoted:
            position = plain.find(b'"') + 1
            if not position:
                self._hold(chunk)
                self.at += stop
                return
            self.quoted = False
        if plain.count(b'"', position) % 2:
            self.quoted = True
            stop = plain.rfind(b'"')
        begin = gap = 0  # start of the open piece, and of the text between pieces
        while True:
            while gap == position and self.start < 0 < self.base == self.depth:
                whole = _ELEMENT.match(plain, gap, stop)
                if whole is None:
                    break
                begin, gap = whole.span(1)
                position = gap
                yield self.at + begin, chunk[begin:gap]
            inside = self.depth > max(self.base, 1) and (self.base or not self.nested)
            match = (_DEEP_BRACKET if inside else _BRACKET).match(plain, position, stop)
            if match is None or not match.lastindex:
                break
            position = match.end()
            index = position - 1
            if plain[index] in b"[{":
                if self.depth == self.base and (self.depth or plain[index] == 0x7B):
                    if self.depth:
                        yield from self._strays(plain, gap, index)
                    self.start, begin = self.at + index, index
                elif self.depth == 0:
                    self.base, gap = 1, index + 1
                elif (
                    self.base == 0
                    and (self.nested or self.depth == 1)
                    and self.key.search(self.held[-_KEY:] + chunk[max(begin, index - _KEY) : index])
                ):
                    self._hold(chunk[begin : index + 1])
                    self.before = bytes(self.held) if self.nested else b""
                    self._drop()
                    self.base, gap = self.depth + 1, index + 1
                self.depth += 1
            else:
                self.depth = max(self.depth - 1, 0)
                if self.depth < self.base:
                    if self.base < _DONE:
                        yield from self._strays(plain, gap, index)
                    self.base = _DONE if self.depth and not self.nested else 0
                    if self.nested and self.depth:
                        self.start, begin = self.at + index, index
                elif self.before and self.depth == 0:
                    self._drop()
                elif self.depth == self.base and self.start >= 0:
                    self._hold(chunk[begin : index + 1])
                    yield self.start, bytes(self.held) if self.size <= LIMIT else TOO_LONG
                    self._drop()
                    gap = index + 1
        if self.start < 0 and 0 < self.base == self.depth:
            yield from self._strays(plain, gap, stop)
        self._hold(chunk[begin:])
        self.at += len(chunk)

    def _strays(self, plain: bytes, gap: int, end: int) -> Iterator[_Piece]:
        """Yield stray values between pieces, such as numbers, one by one."""
        for match in _STRAY.finditer(plain, gap, end):
            yield self.at + match.start(), "not an object"

    def _hold(self, data: bytes) -> None:
        """Add data to the open piece, unless it is too long."""
        if self.start >= 0:
            self.size += len(data)
            self.held += data
            if self.size > LIMIT:
                self.held.clear()

    def _drop(self) -> None:
        self.start, self.size = -1, 0
        self.held.clear()


def _lines(stream: Stream) -> Iterator[tuple[int, bytes | None]]:
    """Yield the size of each line (including the line end), and the line, or None if it is too long."""
    held: list[bytes] = []
    size = 0
    while chunk := stream.read(CHUNK):
        *ended, rest = chunk.split(b"\n")
        for piece in ended:
            size += len(piece) + 1
            yield size, b"".join((*held, piece, b"\n")) if size <= LIMIT else None
            held, size = [], 0
        size += len(rest)
        held = [*held, rest] if size <= LIMIT else []
    if size:
        yield size, b"".join(held) if size <= LIMIT else None

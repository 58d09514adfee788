"""Microsoft Copilot activity history, a CSV exported by the privacy dashboard: Conversation, Time, Author, Message.

The newest message is first, and an answer has the date of its prompt. Nothing has an id: a conversation consists of
consecutive rows with the same title.
"""

import codecs
import csv
import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from curator.importers.factory import Entry, Text, conversation, in_sequence
from curator.importers.inputs import Item, LogFile, Problem, ReadProgress, Unreadable
from curator.importers.json_stream import LIMIT, TOO_LONG, as_time, digest
from curator.importers.log_format import Format, LogFormat, Options
from store.model import Role

_HEADER = ["Conversation", "Time", "Author", "Message"]
_FIRST = re.compile(r'\ufeff?"?' + '"?,"?'.join(_HEADER) + r'"?\r?\n')
_PEOPLE = ("human", "user")


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Yield every conversation of these files; one is held at a time."""
    csv.field_size_limit(LIMIT)
    for log in files:
        table = _Table(log, progress)
        for title, found in groupby(table.rows(), key=lambda row: row[0]):
            rows = list(found)[::-1]
            entries = [
                Entry("", None, as_time(time), [Text(Role.USER if author.lower() in _PEOPLE else Role.ASSISTANT, text)])
                for _, time, author, text in rows
            ]
            identity = f"{Format.COPILOT}:{digest(title, rows[0][1])}"
            yield conversation(identity, Format.COPILOT, in_sequence(identity, entries), log.name, title=title)
        yield from table.problems


class _Table:
    """The rows of a file, and the problems of others."""

    def __init__(self, log: LogFile, progress: ReadProgress) -> None:
        self.log = log
        self.progress = progress
        self.problems: list[Problem] = []

    def rows(self) -> Iterator[list[str]]:
        table = csv.reader(self.lines())
        while True:
            try:
                row = next(table)
            except StopIteration:
                return
            except (csv.Error, Unreadable) as error:
                self.problems.append(Problem(f"{self.log.name}: line {table.line_num}", f"cannot be read: {error}"))
                return
            if len(row) == len(_HEADER) and row != _HEADER:
                yield row
            elif row and row != _HEADER:
                self.problems.append(Problem(f"{self.log.name}: line {table.line_num}", "not four columns"))

    def lines(self) -> Iterator[str]:
        decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        held = ""
        with self.log.open(self.progress) as stream:
            while chunk := stream.read(1 << 20):
                *ended, held = (held + decoder.decode(chunk)).replace("\0", "\ufffd").split("\n")
                yield from (f"{line}\n" for line in ended)
                if len(held) > LIMIT:
                    raise csv.Error(TOO_LONG)
        yield held


def fits_text(text: str, name: str) -> bool:
    """Return True for the beginning of such a file."""
    return bool(_FIRST.match(text))


FORMAT = LogFormat(Format.COPILOT, "a Microsoft Copilot activity history", read, fits_text=fits_text, exported=True)

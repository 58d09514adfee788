"""Description of a supported format: names, detection, reader, and the usual locations of its logs."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from curator.importers.inputs import Item, LogFile, ReadProgress, Resume
from curator.importers.json_stream import JsonObject, as_dicts
from curator.log_formats import Format as Format


@dataclass(frozen=True, slots=True)
class Options:
    """Choices of one import.

    `resume` returns the mark of a file read before. `me` are the names of the person in chats among people; `ask_me` is
    called if none of them occurs. `looked` is called with the numbers of files examined and of logs among them.
    """

    resume: Resume | None = None
    me: tuple[str, ...] = ()
    ask_me: "AskMe | None" = None
    looked: Callable[[int, int], None] | None = None

    def own_names(self, people: Iterable[str]) -> list[str]:
        """Return the names that are the person's, sorted, ignoring case."""
        known = {name.strip().casefold() for name in self.me}
        return sorted(name for name in people if name.casefold() in known)

    def full_names(self, people: Iterable[str]) -> list[str]:
        """Return the full names meant by the person's names: Ana Cruz for Ana, if there is only one Ana."""
        parts = [set(name.casefold().split()) for name in self.me if name.strip()]
        found = [[name for name in people if words <= set(name.casefold().split())] for words in parts]
        return [names[0] for names in found if len(names) == 1]


People = Mapping[str, int]
"""The names in a chat among people, with the number of messages of each."""
AskMe = Callable[[People, str], Sequence[str]]
"""Asks for the person's names among the people in a log, given by name; returns none without an answer."""
Fits = Callable[[JsonObject], bool]
Read = Callable[[Sequence[LogFile], ReadProgress, Options], Iterator[Item]]


@dataclass(frozen=True, slots=True)
class SurveyedChats:
    """Group chats after a first pass.

    It has the names in them, unless the files identify the person, and the reader of their conversations, which starts
    once the person is known.
    """

    people: People
    read: Callable[[ReadProgress, Options], Iterator[Item]]


@dataclass(frozen=True, slots=True)
class LogFormat:
    """A supported format. Detection uses the first 64 KB of a file, in the order of `FORMATS`.

    `label` completes "this is …". `fits` checks a JSON record: the only value of a file, an element of its list, or a
    line. `fits_text` checks the beginning of a text that is not JSON, and its file name; `fits_tables` checks the table
    names of a SQLite database. Chats among people have `chats` instead of `read`. `places` yields the usual files and
    folders of logs; with `together`, a chat is spread over the files of such a folder. `exported` formats are
    downloaded from the product by the person.
    """

    name: Format
    label: str
    read: Read | None
    fits: Fits | None = None
    fits_text: Callable[[str, str], bool] | None = None
    fits_tables: Callable[[frozenset[str]], bool] | None = None
    chats: Callable[[Sequence[LogFile]], SurveyedChats] | None = None
    places: Callable[[], Iterator[Path]] | None = None
    together: bool = False
    exported: bool = False


def has(*names: str) -> Fits:
    """Return a check that a record has all of these fields."""
    return lambda record: all(name in record for name in names)


def has_messages(*names: str) -> Fits:
    """Return a check that one of the first 20 `messages` has all of these fields."""
    return lambda record: any(all(name in one for name in names) for one in as_dicts(record.get("messages"))[:20])

"""Basic Memory: a folder of Markdown notes with front matter (`title`, `type`, `permalink`, `tags`).

List items are observations, `- [category] text #tag (context)`, or relations, `- relation_type [[Other note]]`. Each
becomes a memory that starts with the title of its note. The rest of a note is prose and is not read.
"""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from curator.importers.formats.context_files import LARGEST, FilePassage, passages
from curator.importers.formats.memories import kind_of, ready
from curator.importers.inputs import Item, LogFile, Problem, ReadProgress, Skipped, whole_text
from curator.importers.json_stream import as_time, digest
from curator.importers.log_format import Format, LogFormat, Options
from curator.text.notes import FRONT_MATTER

_FIELD = re.compile(r"^(\w+):[ \t]*(.*)$", re.MULTILINE)
_LISTED = re.compile(r"^tags:[ \t]*\n((?:[ \t]*-[ \t]+.*(?:\n|\Z))+)", re.MULTILINE)
_OBSERVATION = re.compile(r"\[([^\[\]()]{2,}|[^\W_xX])\][ \t]+(\S.*)")
_CLOCK = re.compile(r"[\d:.,\s-]+")  # the time of a line in a transcript, not a category
_RELATION = re.compile(r"""(?:(["'])(.+?)\1|([^\s\[]+))[ \t]+\[\[([^\[\]]+)\]\][ \t]*(?:\([^()]*\))?""")
_ANY = re.compile(r"^[ \t]*[-*+][ \t]+(?:\[[^\[\]()]{2,}\][ \t]+\S|[^\n]*\[\[)", re.MULTILINE)
_TAGS = re.compile(r"(?:^|(?<=\s))#([\w/-]+)")
_RUN_OF_TAGS = re.compile(r"(?<!\s)(?:\s++#[\w/-]++)++(\s*+(?:\([^()]*+\))?$)?")  # possessive: linear for any text
_GENERAL = frozenset({"relates_to", "related_to", "links_to", "see_also", "references"})


def fits_text(text: str, name: str) -> bool:
    """Return True for the beginning of a note: a permalink, and an observation or relation."""
    front = FRONT_MATTER.match(text)
    return front is not None and "permalink" in dict(_FIELD.findall(front[1])) and bool(_ANY.search(text, front.end()))


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Yield a memory for each observation and each relation of these notes."""
    for log in files:
        text = whole_text(log, progress, LARGEST)
        if isinstance(text, Problem):
            yield text
            continue
        note = _Note.of(text.replace("\r\n", "\n"), log)
        for passage in passages(text):
            yield note.memory(passage)


@dataclass(frozen=True, slots=True)
class _Note:
    """The front matter of a note, which applies to all its memories."""

    log: LogFile
    title: str
    key: str
    tags: tuple[str, ...]
    created: str | None

    @classmethod
    def of(cls, text: str, log: LogFile) -> "_Note":
        front = FRONT_MATTER.match(text)
        matter = front[1] if front else ""
        fields = {name: value.strip().strip("\"'") for name, value in _FIELD.findall(matter)}
        title = fields.get("title") or log.inner.stem
        listed = _LISTED.search(f"{matter}\n")
        tags = re.sub(r"^[ \t]*-[ \t]+", ",", listed[1], flags=re.MULTILINE) if listed else fields.get("tags", "")
        named = (tag.strip(" \n[]\"'#") for tag in tags.split(","))
        created = fields.get("created") or fields.get("date")
        return cls(
            log,
            title,
            fields.get("permalink") or title,
            tuple(filter(None, named)),
            created if as_time(created) is not None else None,
        )

    def memory(self, passage: FilePassage) -> Item:
        """Return the memory of a list item, or the reason why there is none."""
        place, words = f"{self.log.path or self.log.name}:{passage.line}", passage.words
        relation, observation = _RELATION.fullmatch(words), _OBSERVATION.fullmatch(words)
        row: dict[str, object]
        if relation is not None:
            verb, target = relation[2] or relation[3], relation[4].partition("|")[0].strip()
            if verb in _GENERAL:
                return Skipped("vague", place)
            said = f"{verb.replace('_', ' ')} {target}"
            row = {"kind": "relationship", "relation": verb.replace("_", " "), "object": target, "subject": self.title}
        elif observation is not None and not _CLOCK.fullmatch(observation[1]):
            category, said = observation[1].strip(), without_last_tags(observation[2]).strip()
            kind = kind_of(category)
            tags = (*self.tags, *(() if kind else (category,)), *_TAGS.findall(observation[2]))
            row = {"kind": str(kind) if kind else None, "tags": list(tags)}
        else:
            return Skipped("no_pattern", place)
        text = said if self.title.casefold() in said.casefold() else f"{self.title}: {said}"
        quote = {"quote": words, "reference": str(self.log.path or self.log.name), "source": place}
        return ready(
            {
                "tags": list(self.tags),
                **row,
                "id": f"{Format.BASIC_MEMORY}:{digest(self.key, said)}",
                "text": text,
                "source": Format.BASIC_MEMORY,
                "created_at": self.created,
                "evidence": [{**quote, "title": self.title}],
            },
            place,
        )


def without_last_tags(text: str) -> str:
    """Return an observation without the tags at its end (or before a context in parentheses at its end)."""
    return _RUN_OF_TAGS.sub(lambda run: run[0] if run[1] is None else run[1], text)


def folders() -> Iterator[Path]:
    """Yield the folder of notes."""
    folder = Path(os.environ.get("BASIC_MEMORY_HOME") or Path.home() / "basic-memory").expanduser()
    if folder.is_dir():
        yield folder


FORMAT = LogFormat(Format.BASIC_MEMORY, "a note of Basic Memory", read, fits_text=fits_text, places=folders)

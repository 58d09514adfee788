"""Notes of memories written by `curator export notes`, one Markdown file each, possibly edited by the person."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from curator.importers.formats.memories import ready
from curator.importers.inputs import Item, LogFile, Problem, ReadProgress, ReadyMemory, whole_text
from curator.importers.log_format import Format, LogFormat, Options
from curator.text.notes import LARGEST, is_note, parse_note
from store.model import Kind


def fits_text(text: str, name: str) -> bool:
    """Return True for the beginning of a note of a memory."""
    return is_note(text)


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Yield the memory of each note."""
    for log in files:
        text = whole_text(log, progress, LARGEST)
        if isinstance(text, Problem):
            yield text
            continue
        try:
            row = parse_note(text)
            written = str(row.pop("exported", ""))
        except ValueError as error:
            yield Problem(log.name, str(error))
            continue
        found = ready(row, log.name)
        if isinstance(found, ReadyMemory) and found.unknown_kind is not None:  # not FACT: it would change the memory
            yield Problem(log.name, f"kind is not one of {', '.join(Kind)}")
        elif isinstance(found, ReadyMemory):
            yield replace(found, note=(str(row.get("uid")).lower(), written))
        else:
            yield found


FORMAT = LogFormat(Format.NOTES, "a note of a memory", read, fits_text=fits_text)

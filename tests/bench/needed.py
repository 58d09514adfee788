"""Invented people, each with the memories that the answer to each of their prompts needs.

One file for each of 41 people in tests/recall/needed: lines of id, text and date are memories; lines that begin with
"?" are a prompt, the ids that its answer needs, and those that do no harm. The first line of twenty of the files says
that nothing is fitted on this person. More than half of the needed memories share no content word with their prompt.
The authors had not read the code.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "recall" / "needed"


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt with the ids of memories that its answer needs, and of those that do no harm."""

    text: str
    needed: frozenset[str]
    harmless: frozenset[str]


@dataclass(frozen=True, slots=True)
class Person:
    """A person's memories as (text, date) by id, and their prompts."""

    name: str
    held_out: bool
    memories: dict[str, tuple[str, str]]
    prompts: tuple[Prompt, ...]


def people(held_out: bool) -> Iterator[Person]:
    """Yield the people held out from fitting, or the others."""
    for file in sorted(FOLDER.glob("*.tsv")):
        lines = file.read_text("utf-8").splitlines()
        if lines[0].startswith("# Held out") is not held_out:
            continue
        rows = [line.split("\t") for line in lines if line[0] != "#"]
        memories = {row[0]: (row[1], row[2]) for row in rows if row[0] != "?"}
        prompts = (Prompt(row[1], _ids(row[2]), _ids(row[3])) for row in rows if row[0] == "?")
        yield Person(file.stem, held_out, memories, tuple(prompts))


def _ids(listed: str) -> frozenset[str]:
    return frozenset(listed.split(",") if listed else ())

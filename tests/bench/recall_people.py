"""Stores of three invented people with the task prompts that say what each must be given (tests/recall/people).

A store is made by the program's own import. In `reviewed` ones all memories are validated, and the orders to assistants
are always given; in the others nothing is decided except those orders, which distilling sets by itself.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curator import curation
from curator.config import Recall
from curator.demo import logs
from curator.models import Embedder, load_embedder
from curator.paths import cache_folder
from curator.recall import BLOCK_GAP, BLOCK_HITS, Hit, SearchOptions, block, candidate_options, scopes_for
from curator.services.recall import NO_PROJECT
from installed import environment
from store import Filter, Store
from store.index import Index
from store.model import Given, Memory

SOURCES = Path(__file__).parents[1] / "recall"
PEOPLE = ("nora", "marek", "ruth")
NOW = 1_795_176_000_000_000  # 2026-11-20, noon: today for all three
SEARCH = candidate_options(SearchOptions(limit=BLOCK_HITS, now=NOW, gap=BLOCK_GAP, for_model=True))
FRUITLESS = ("unanswerable", "small-talk")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt. Any line of an entry of `must` satisfies it; `why` says what each entry is needed for."""

    person: str
    text: str
    which: Filter
    must: tuple[frozenset[str], ...]
    why: tuple[str, ...]
    may: frozenset[str]
    sort: str
    half: str


@dataclass(frozen=True, slots=True)
class Person:
    """A store, and the lines of the person's file that each memory stands for."""

    name: str
    store: Store
    index: Index
    embedder: Embedder
    lines: dict[int, frozenset[str]]
    orders: frozenset[str]  # lines that never count as junk
    prompts: tuple[Prompt, ...]

    @property
    def search(self) -> tuple[Store, Index, Embedder]:
        return self.store, self.index, self.embedder


@dataclass(frozen=True, slots=True)
class BlockContents:
    """Contents of a block: missing entries of `must`, junk memories, and memories beyond those always given."""

    missing: tuple[frozenset[str], ...]
    junk: tuple[int, ...]
    brought: tuple[int, ...]
    tokens: int


def people(folder: Path, reviewed: bool) -> list[Person]:
    """Return the three people, imported on the first run."""
    rows = read(SOURCES / "task_prompts.jsonl")
    return [
        _person(folder / f"{name}-{'reviewed' if reviewed else 'imported'}", name, reviewed, rows) for name in PEOPLE
    ]


def read(path: Path) -> list[dict[str, Any]]:
    """Return the objects of a JSONL file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _person(home: Path, name: str, reviewed: bool, rows: Sequence[dict[str, Any]]) -> Person:
    known = read(SOURCES / "people" / f"{name}.jsonl")
    fresh = not home.exists()
    if fresh:
        with tempfile.TemporaryDirectory() as scratch:
            source: tuple[str, ...] = (str(logs()),)
            if name != "nora":
                file = Path(scratch) / f"{name}.jsonl"
                file.write_text("\n".join(json.dumps(_ready(row)) for row in known), encoding="utf-8")
                source = ("--format", "memories", str(file))
            command = (sys.executable, "-m", "curator", "import", *source)
            subprocess.run(command, check=True, env=environment(home), stdout=subprocess.DEVNULL)
    store = Store.open(home / "store")
    lines = {memory.id: _lines_of(memory, known) for memory in store.get_many(store.list_ids(Filter()))}
    orders = frozenset(str(row["id"]) for row in known if row.get("standing"))
    if fresh:
        if reviewed:
            curation.validate(store, list(lines))
        if name != "nora" or reviewed:
            curation.set_given(store, [one for one, of in lines.items() if of & orders], Given.ALWAYS)
    embedder = load_embedder("minilm", cache_folder())
    index = Index(store, embedder.fingerprint)
    index.catch_up()
    prompts = tuple(
        Prompt(
            name,
            row["prompt"],
            Filter().within(scopes_for(row["project"] or NO_PROJECT, None)),  # like a hook in a folder
            tuple(frozenset(one["any"]) for one in row["must"]),
            tuple(one["why"] for one in row["must"]),
            frozenset(row["may"]),
            row["sort"],
            row["half"],
        )
        for row in rows
        if row["person"] == name
    )
    return Person(name, store, index, embedder, lines, orders, prompts)


def _ready(row: dict[str, Any]) -> dict[str, Any]:
    ready = {name: row[name] for name in ("id", "text", "kind", "created_at")}
    return {**ready, "project": row["project"], "scope": f"project:{row['project']}"} if row["project"] else ready


def _lines_of(memory: Memory, known: Sequence[dict[str, Any]]) -> frozenset[str]:
    text = memory.text.casefold()
    return frozenset(
        str(row["id"])
        for row in known
        if memory.text == row.get("text") or any(quote.casefold() in text for quote in row.get("quotes", ()))
    )


def asked(person: Person) -> list[tuple[str, Filter]]:
    """Return the prompts of a person in the form that `sheets_of` takes."""
    return [(prompt.text, prompt.which) for prompt in person.prompts]


def block_contents(person: Person, prompt: Prompt, hits: Sequence[Hit]) -> BlockContents:
    """Return the contents of the block for a prompt with these hits, within the default budget."""
    made = block(person.store, hits, Recall().budget, now=NOW, memory_filter=prompt.which)
    given = frozenset[str]().union(*(person.lines[memory] for memory in made.memories))
    fitting = prompt.may.union(person.orders, *prompt.must)
    return BlockContents(
        tuple(one for one in prompt.must if not one & given),
        tuple(memory for memory in made.recalled if not person.lines[memory] & fitting),
        made.recalled,
        made.tokens,
    )

"""The commands `compare` and `scan` for duplicates and conflicts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import orjson
import typer

from curator.cli.options import AsJson, NamedValues
from curator.cli.output import open_store, print_json, read_lines, warn, warn_all
from curator.cli.progress import Task, progress
from curator.display import counted
from curator.errors import ModelError
from curator.models import Embedder, load_embedder, weights
from curator.paths import cache_folder
from curator.terminal_text import on_one_line
from store import Store, StoreError

if TYPE_CHECKING:
    from curator.compare import Verdict
    from curator.sweeps.compare import CompareProgress


_BLOCK = 512  # pairs embedded at once; grouping texts by length saves a quarter of the time
duplicates = typer.Typer(no_args_is_help=True, help="Scan new memories for duplicates and conflicts.")


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two texts to compare; if both are memories, `said` is when each was said, and `memories` has their ids."""

    id: object
    a: str
    b: str
    said: tuple[int, int] | None
    memories: tuple[int, int] | None


def compare(
    pair: Annotated[
        list[str] | None, typer.Argument(metavar="A B", help="Two texts, or the ids of two memories.")
    ] = None,
    batch: Annotated[
        Path | None, typer.Option(help="Compare the pairs of a JSONL file: lines {id, a, b}, with texts or memory ids.")
    ] = None,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Show what was compared, what differs, and why; --json adds the weights."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object; with --batch, one per line.")] = False,
) -> None:
    """Compare two texts, or a file of pairs.

    The relation is duplicate, update, contradiction, coexist, unrelated or unsure: by rules, and by meaning if the
    embedding model is installed. No conflict is stored. Memories are compared as in a scan; for texts, other
    memories do not count.
    """
    if (batch is None) is (pair is None) or (pair is not None and len(pair) != 2):
        raise typer.BadParameter("give two texts or ids, or --batch FILE")
    if explain and batch is not None:
        raise typer.BadParameter("--explain is for two texts or ids")
    embedder, memories = _embedder(), _Memories()
    if batch is not None:
        _compare_batch(batch, embedder, memories, as_json)
        return
    a, b = (int(side) if side.isascii() and side.isdecimal() and len(side) < 18 else side for side in pair or ())
    (verdict,) = _verdicts([memories.pair(None, a, b)], embedder, memories)
    if as_json:
        print_json({**verdict_row(verdict), "path": verdict.path})
    else:
        print_verdict(verdict, explain)


@duplicates.command(cls=NamedValues)
def scan(
    again: Annotated[bool, typer.Option("--again", help="Compare all memories again.")] = False,
    as_json: AsJson = False,
) -> None:
    """Compare new memories with similar ones.

    Memories that say the same in the same words are merged; each merge is in `curator log` and can be undone
    by its id. Everything else is listed in `curator conflicts`. If you stop it, run it again to continue.
    """
    from curator.services.search_session import embed_missing, working_embedder
    from curator.sweeps.compare import scan_all

    store = open_store()
    with progress() as lines:

        def show(scan: "CompareProgress") -> None:
            lines.show(Task("comparing", scan.done, scan.total, f"{scan.done:,} memories · {scan.found:,} conflicts"))

        try:
            embedder, notes = working_embedder(store)
            if not notes or embedder.fingerprint == store.vectors.embedded_by():
                embed_missing(store, embedder)
        except ModelError as error:
            notes = (f"memories without a vector are compared by words and rules only: {error}",)
        warn_all(notes)
        done = scan_all(store, again, show)
    if as_json:
        print_json({"compared": done.done, "pairs": done.pairs, "found": done.found, "merged": done.merged})
    elif not done.total:
        print("nothing new to compare; --again compares all memories")
    else:
        found = f"{counted(done.found, 'conflict')} found" + (": `curator conflicts`" if done.found else "")
        merged = f"; merged {counted(done.merged, 'pair')}: see `curator log`" if done.merged else ""
        print(f"compared {counted(done.done, 'memory')} in {counted(done.pairs, 'pair')}: {found}{merged}")


class _Memories:
    """Memories by id; opens the store on first use."""

    def __init__(self) -> None:
        self._store: Store | None = None

    def pair(self, ident: object, a: str | int, b: str | int) -> _Pair:
        """Return the two texts to compare. Raises NotFound, Forbidden, ValueError."""
        (text_a, said_a), (text_b, said_b) = self._side(a), self._side(b)
        ids = (a, b) if isinstance(a, int) and isinstance(b, int) else None
        return _Pair(ident, text_a, text_b, None if said_a is None or said_b is None else (said_a, said_b), ids)

    def near(self, block: Sequence[_Pair]) -> "list[float | None]":
        """Return the neighbour density of each pair, as in a scan; None for texts that are not memories."""
        from curator.conflicts import count_near

        ids = [pair.memories for pair in block if pair.memories is not None]
        counts = iter(count_near(self._store, ids) if ids and self._store is not None else ())
        return [None if pair.memories is None else next(counts) for pair in block]

    def _side(self, side: str | int) -> tuple[str, int | None]:
        if isinstance(side, str):
            return side, None
        self._store = self._store or open_store()
        memory = self._store.get(side)
        return memory.text, memory.created_at


def _compare_batch(file: Path, embedder: Embedder | None, memories: _Memories, as_json: bool) -> None:
    """Compare pairs in file order; pairs before an invalid line are still compared."""
    block: list[_Pair] = []
    try:
        for pair in _pairs(file, memories):
            block.append(pair)
            if len(block) == _BLOCK:
                _print_block(block, embedder, memories, as_json)
                block.clear()
    finally:
        _print_block(block, embedder, memories, as_json)


def _print_block(block: Sequence[_Pair], embedder: Embedder | None, memories: _Memories, as_json: bool) -> None:
    for pair, verdict in zip(block, _verdicts(block, embedder, memories), strict=True):
        if as_json:
            print_json({"id": pair.id, **verdict_row(verdict)})
            continue
        scores = f"{verdict.duplicate_score:>4.0%}  {verdict.conflict_score:>4.0%}"
        print(on_one_line(f"{pair.id}  {verdict.relation:<13}  {scores}  {'; '.join(verdict.reasons)}"))


def _pairs(file: Path, memories: _Memories) -> Iterator[_Pair]:
    for number, line in read_lines(file):
        try:
            row = orjson.loads(line)
            a, b = row["a"], row["b"]
            if not all(isinstance(side, str | int) and not isinstance(side, bool) for side in (a, b)):
                raise TypeError("a and b are texts, or ids of memories")
            if any(isinstance(side, int) and abs(side) >= 2**63 for side in (a, b)):
                raise TypeError("there is no memory of that id")
            yield memories.pair(row["id"], a, b)
        except (orjson.JSONDecodeError, KeyError, TypeError, StoreError) as error:
            why = f"{error} is missing" if isinstance(error, KeyError) else error
            raise ValueError(f"{file}, line {number}: not an object with id, a and b ({why})") from error


def _embedder() -> Embedder | None:
    """Return the installed embedding model; None without one, with a warning."""
    from curator.config import settings

    why = ": the settings ask for words only"
    if settings().embed.provider != "hashing":
        try:
            return load_embedder("minilm", cache_folder())
        except ModelError as error:
            absent = weights.installed(weights.MINILM, cache_folder()) is None
            why = f"; {weights.GET_MODELS}" if absent else f": {error}"
    warn(f"compared by words and rules only{why}")
    return None


def _verdicts(block: Sequence[_Pair], embedder: Embedder | None, memories: _Memories) -> "list[Verdict]":
    from curator.compare import relate
    from curator.conflicts import pair_classifier

    texts = list(dict.fromkeys(text for pair in block for text in (pair.a, pair.b)))
    if embedder is None or not texts:
        return [relate(pair.a, pair.b, None, pair.said) for pair in block]
    rows, classifier = dict(zip(texts, embedder.embed(texts), strict=True)), pair_classifier()
    return [
        relate(pair.a, pair.b, float(rows[pair.a] @ rows[pair.b]), pair.said, near, classifier)
        for pair, near in zip(block, memories.near(block), strict=True)
    ]


def print_verdict(verdict: "Verdict", explain: bool = True) -> None:
    """Print a verdict with its reasons; with `explain`, also the texts compared and the steps of the rules."""
    print(f"{verdict.relation}  duplicate {verdict.duplicate_score:.0%}  conflict {verdict.conflict_score:.0%}")
    sections = {"because": verdict.reasons}
    if explain:
        told = verdict.explain()
        sections = {"compared": told.compared, "differences": told.differences, "why": told.why}
    for heading, lines in sections.items():
        print(f"{heading}:")
        for line in lines:
            print(f"  {on_one_line(line)}")


def verdict_row(verdict: "Verdict") -> dict[str, object]:
    """Return a verdict as a JSON object. Fields are only added, never removed."""
    return {
        "class": verdict.relation,
        "duplicate_score": verdict.duplicate_score,
        "conflict_score": verdict.conflict_score,
        "reasons": verdict.reasons,
    }

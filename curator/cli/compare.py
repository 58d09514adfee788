"""Comparing texts: compare, and a scan of all memories for duplicates and conflicts."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from curator.cli.errors import INTERRUPTED
from curator.cli.options import AsJson
from curator.cli.output import counted, open_store, print_json, read_lines

if TYPE_CHECKING:
    from curator.compare import Verdict
    from curator.export.serializers import Json
    from curator.models import Embedder
    from curator.sweeps.compare_pending import Scan
    from store import Store

_BLOCK = 512  # pairs embedded at once: like lengths together, which saves a quarter of the time
duplicates = typer.Typer(no_args_is_help=True, help="Find duplicates and conflicts.")


@dataclass(frozen=True, slots=True)
class _Asked:
    """Two texts to compare; `said` is when each was, where both are memories."""

    id: "Json"
    a: str
    b: str
    said: tuple[int, int] | None


def compare(
    pair: Annotated[
        list[str] | None, typer.Argument(metavar="[A B]", help="Two texts, or the ids of two memories.")
    ] = None,
    batch: Annotated[
        Path | None, typer.Option(help="Compare the pairs of a JSONL file: lines {id, a, b}, texts or ids of memories.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON; with --batch, one object per line.")] = False,
) -> None:
    """Compare two texts, or a file of pairs.

    The relation is duplicate, update, contradiction, coexist, unrelated or unsure: by rules, and by meaning where the
    embedding model is installed. No conflict is stored.
    """
    if (batch is None) is (pair is None) or (pair is not None and len(pair) != 2):
        raise typer.BadParameter("give two texts or ids, or --batch FILE")
    sides = _Sides()
    if batch is not None:
        _answer_batch(batch, sides, as_json)
        return
    assert pair is not None
    asked = sides.asked(None, *(int(side) if _is_id(side) else side for side in pair))
    (verdict,) = _verdicts([asked], _embedder())
    if as_json:
        print_json({**verdict_row(verdict), "path": list(verdict.path)})
    else:
        print_verdict(verdict)


@duplicates.command()
def scan(
    again: Annotated[bool, typer.Option("--again", help="Compare all memories again.")] = False,
    as_json: AsJson = False,
) -> None:
    """Compare new memories with those near them.

    Memories that say the same in the same words are merged, each as a step to undo by its id in `curator log`; all else
    waits in `curator conflicts`. Stop it at any time; the same command continues.
    """
    from curator.sweeps.compare_pending import scan_all

    store = open_store()
    shown = sys.stderr.isatty()
    try:
        _embed(store)
        done = scan_all(store, again, _show if shown else None)
    except KeyboardInterrupt:
        print("\ncurator: stopped, progress is kept; the same command continues", file=sys.stderr)
        sys.exit(INTERRUPTED)
    finally:
        if shown:
            sys.stderr.write("\r\x1b[2K")
    if as_json:
        print_json({"compared": done.done, "pairs": done.pairs, "found": done.found, "merged": done.merged})
    elif not done.total:
        print("nothing new to compare; --again compares all memories")
    else:
        found = f"{counted(done.found, 'conflict')} found" + (": `curator conflicts`" if done.found else "")
        merged = f"; merged {counted(done.merged, 'pair')}: see `curator log`" if done.merged else ""
        print(f"compared {counted(done.done, 'memory')} in {counted(done.pairs, 'pair')}: {found}{merged}")


def _embed(store: "Store") -> None:
    """Give the memories that lack one their vector, by which like ones find each other; say so where that cannot be."""
    from curator.errors import ModelError
    from curator.services.embed_missing import embed_missing
    from curator.services.search_session import working_embedder

    try:
        embedder, notes = working_embedder(store)
        if not notes or embedder.fingerprint == store.vectors.embedded_by():
            embed_missing(store, embedder)
    except ModelError as error:
        notes = (f"those without a vector are compared by words and rules alone: {error}",)
    for note in notes:
        print(f"curator: {note}", file=sys.stderr)


def _show(scan: "Scan") -> None:
    """One line on stderr that follows a scan."""
    share = scan.done / scan.total if scan.total else 1.0
    bar = "━" * round(24 * share) + "╌" * (24 - round(24 * share))
    sys.stderr.write(f"\r\x1b[2Kcomparing {bar} {scan.done:,} of {scan.total:,} · {scan.found:,} found")
    sys.stderr.flush()


class _Sides:
    """Finds the memories that are named by id; the store is opened for the first."""

    def __init__(self) -> None:
        self._store: Store | None = None

    def asked(self, ident: "Json", a: str | int, b: str | int) -> _Asked:
        """The texts of two sides. Raises NotFound, Forbidden, ValueError."""
        found = [self._side(side) for side in (a, b)]
        said = None if found[0][1] is None or found[1][1] is None else (found[0][1], found[1][1])
        return _Asked(ident, found[0][0], found[1][0], said)

    def _side(self, side: str | int) -> tuple[str, int | None]:
        if isinstance(side, str):
            return side, None
        self._store = self._store or open_store()
        memory = self._store.get(side)
        return memory.text, memory.created_at


def _is_id(word: str) -> bool:
    return word.isascii() and word.isdecimal() and len(word) < 18


def _answer_batch(file: Path, sides: _Sides, as_json: bool) -> None:
    """Answer pair by pair, in the order of the file; what comes before a line that is wrong is answered."""
    embedder = _embedder()
    block: list[_Asked] = []
    try:
        for asked in _pairs(file, sides):
            block.append(asked)
            if len(block) == _BLOCK:
                _answer(block, embedder, as_json)
                block.clear()
    finally:
        _answer(block, embedder, as_json)


def _answer(block: Sequence[_Asked], embedder: "Embedder | None", as_json: bool) -> None:
    from curator.export.sanitize import on_one_line

    for asked, verdict in zip(block, _verdicts(block, embedder), strict=True):
        if as_json:
            print_json({"id": asked.id, **verdict_row(verdict)})
            continue
        scores = f"{verdict.duplicate_score:.2f}  {verdict.conflict_score:.2f}"
        print(on_one_line(f"{asked.id}  {verdict.relation:<13}  {scores}  {'; '.join(verdict.reasons)}"))


def _pairs(file: Path, sides: _Sides) -> Iterator[_Asked]:
    import orjson

    from store import StoreError

    for number, line in read_lines(file):
        try:
            row = orjson.loads(line)
            a, b = row["a"], row["b"]
            if not all(isinstance(side, str | int) and not isinstance(side, bool) for side in (a, b)):
                raise TypeError("a and b are texts, or ids of memories")
            if any(isinstance(side, int) and abs(side) >= 2**63 for side in (a, b)):
                raise TypeError("there is no memory of that id")
            yield sides.asked(row["id"], a, b)
        except (orjson.JSONDecodeError, KeyError, TypeError, StoreError) as error:
            why = f"{error} is missing" if isinstance(error, KeyError) else error
            raise ValueError(f"{file}, line {number}: wants an object with id, a and b ({why})") from error


def _embedder() -> "Embedder | None":
    """The embedded model that knows meaning; None without it, which is said on stderr."""
    from curator.config import settings
    from curator.errors import ModelError
    from curator.models import load_embedder
    from curator.paths import cache_folder

    why = "the settings ask for letters and words only"
    if settings().embed.provider != "hashing":
        try:
            return load_embedder("minilm", cache_folder())
        except ModelError:
            why = "the model that understands meaning is not installed; run `curator setup` to fetch it (83 MB)"
    print(f"curator: compared by words and rules alone: {why}", file=sys.stderr)
    return None


def _verdicts(block: Sequence[_Asked], embedder: "Embedder | None") -> "list[Verdict]":
    from curator.compare import relate

    texts = list(dict.fromkeys(text for asked in block for text in (asked.a, asked.b)))
    if embedder is None or not texts:
        return [relate(asked.a, asked.b, None, asked.said) for asked in block]
    rows = dict(zip(texts, embedder.embed(texts), strict=True))
    return [relate(asked.a, asked.b, float(rows[asked.a] @ rows[asked.b]), asked.said) for asked in block]


def print_verdict(verdict: "Verdict") -> None:
    """A verdict with the path that led to it."""
    from curator.export.sanitize import on_one_line

    print(f"{verdict.relation}  duplicate {verdict.duplicate_score:.2f}  conflict {verdict.conflict_score:.2f}")
    for heading, lines in (("because", verdict.reasons), ("path", verdict.path)):
        if lines:
            print(f"{heading}:")
        for line in lines:
            print(f"  {on_one_line(line)}")


def verdict_row(verdict: "Verdict") -> "dict[str, Json]":
    """A verdict as JSON. Fields are only ever added."""
    return {
        "class": verdict.relation.value,
        "duplicate_score": verdict.duplicate_score,
        "conflict_score": verdict.conflict_score,
        "reasons": list(verdict.reasons),
    }


def register(app: typer.Typer) -> None:
    """Put this family's commands on the command line."""
    app.command("compare")(compare)
    app.add_typer(duplicates, name="duplicates")

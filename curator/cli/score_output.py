"""Explanations of search results: why memories were found or omitted, fitted to the terminal width."""

import shutil
import textwrap
from collections.abc import Callable, Iterable, Sequence

from curator.cli.output import counted, day, dim
from curator.export.sanitize import on_one_line
from curator.recall import Block, Hit, Omission, Preset
from curator.recall.explain import legend, parts, why
from store.model import Life, Memory, Review

_BELOW = " " * 18  # width of id and score
_WIDEST, _LEAST = 110, 40
_LONGEST = 2_000  # characters shown of a text
_WAYS = {"text": "its words", "context": "the words around it", "vector": "meaning"}


def print_hits(hits: Iterable[Hit]) -> None:
    """Print each hit with its fields, the parts of its score, and the searches that found it."""
    for hit in hits:
        _print_wrapped(f"{hit.memory.id:>6}  {hit.score:>8.3f}  ", on_one_line(hit.memory.text))
        _print_wrapped(_BELOW, _fields(hit.memory), dim)
        _print_wrapped(_BELOW, (" × " if hit.product else ", ").join(parts(hit)), dim)
        ranks = ", ".join(f"no. {rank} by {_WAYS[way]}" for way, rank in hit.ranks.items())
        _print_wrapped(_BELOW, f"found as {ranks}", dim)


def print_omitted(omitted: Sequence[Omission]) -> None:
    """Print omitted memories with reason and score (or cosine, if no search reads them)."""
    if omitted:
        print("\nleft out")
    for item in omitted:
        score = f"{item.score:.3f}" if item.score is not None else f"cos {item.cosine or 0.0:.2f}"
        _print_wrapped(f"{item.memory.id:>6}  {score:>8}  ", on_one_line(item.memory.text))
        _print_wrapped(_BELOW, why(item.reason), dim)


def print_tokens(made: Block, budget: int, tokenizer: str) -> None:
    """Print the size of a block, by section, and the tokenizer used."""
    how = f"counted by {tokenizer}" if tokenizer else "an estimate that errs high"
    sections = [f"{name} {tokens:,}" for name, tokens in made.sections.items()]
    sections += [f"frame {made.tokens - sum(made.sections.values()):,}"] if sections else []
    of = f": {', '.join(sections)}" if sections else ""
    what = f"{counted(len(made.memories), 'memory')}, {made.tokens:,} of {budget:,} tokens ({how}){of}"
    print("\n" + textwrap.fill(what, _width()) + "\n")


def print_legend(preset: Preset, hits: Sequence[Hit]) -> None:
    """Print the meaning of the numbers."""
    how, names = legend(preset, hits)
    print("\nmeaning of the numbers")
    for line in textwrap.wrap(how, _width() - 2):
        print(dim(f"  {line}"))
    for name, text in names.items():
        print(dim(f"  {name:<13} {text}"))


def _print_wrapped(front: str, text: str, style: Callable[[str], str] = str) -> None:
    """Print a text in lines that fit the terminal, the first after `front`; very long texts are cut."""
    from rich.console import Console
    from rich.text import Text

    cut = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    for line in Text(cut).wrap(Console(), _width() - len(front)) or [Text()]:
        print(dim(front) + style(line.plain.rstrip()))
        front = " " * len(front)


def _fields(memory: Memory) -> str:
    review = memory.review.value if memory.review is not Review.OPEN else "not validated"
    rank = f"rank {memory.rank}" if memory.life is Life.LIVE else memory.life.value
    parts = [memory.kind.value, f"{memory.tier} tier", review, rank]
    parts += ["pinned"] if memory.pinned else []
    parts += ["in quarantine"] if memory.flag else []
    parts += [] if memory.scope == "global" else [on_one_line(memory.scope)]
    return " · ".join([*parts, said(memory)])


def said(memory: Memory) -> str:
    """Return the date of a memory: `said 2026-03-03`, or `no date`."""
    return "no date" if memory.created_at is None else f"said {day(memory.created_at)}"


def _width() -> int:
    return max(min(shutil.get_terminal_size().columns, _WIDEST), _LEAST)

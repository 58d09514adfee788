"""Saying in plain lines why memories were found and left out, no wider than the terminal."""

import shutil
import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from curator.cli.output import counted, dim, said

if TYPE_CHECKING:
    from curator.recall import Block, Hit, Preset
    from curator.recall.select import Omission
    from store.model import Memory

_FRONT = 18  # columns of id and score
_WIDEST, _LEAST = 110, 40
_LONGEST = 2_000  # characters shown of a text
_WAYS = {"text": "its words", "context": "the words around it", "vector": "meaning"}


def print_hits(hits: "Iterable[Hit]") -> None:
    """Each hit with what is known of it, what its score is made of, and the searches that found it."""
    from curator.recall.explain import parts

    for hit in hits:
        _print_memory(hit.memory, f"{hit.score:.3f}")
        _print_below(_standing(hit.memory))
        _print_below((" × " if hit.product else ", ").join(parts(hit)))
        ranks = ", ".join(f"no. {rank} by {_WAYS[way]}" for way, rank in hit.ranks.items())
        _print_below(f"found as {ranks}")


def print_left(left: "Sequence[tuple[Memory, str, str]]") -> None:
    """What was left out: memory, score and reason of each."""
    from curator.recall.explain import why

    if left:
        print("\nleft out")
    for memory, score, reason in left:
        _print_memory(memory, score)
        _print_below(why(reason))


def print_tokens(made: "Block", budget: int, tokenizer: str) -> None:
    """How much a block is, by section, and how that was counted."""
    how = f"counted by {tokenizer}" if tokenizer else "an estimate that errs high"
    sections = [f"{name} {tokens:,}" for name, tokens in made.sections.items()]
    sections += [f"frame {made.tokens - sum(made.sections.values()):,}"] if sections else []
    of = f": {', '.join(sections)}" if sections else ""
    what = f"{counted(len(made.memories), 'memory')}, {made.tokens:,} of {budget:,} tokens ({how}){of}"
    print("\n" + textwrap.fill(what, _width()) + "\n")


def print_legend(preset: "Preset", hits: "Sequence[Hit]") -> None:
    """What the numbers mean."""
    from curator.recall.explain import legend

    how, names = legend(preset, hits)
    print("\nwhat the numbers say")
    for line in textwrap.wrap(how, _width() - 2):
        print(dim(f"  {line}"))
    for name, text in names.items():
        print(dim(f"  {name:<13} {text}"))


def scored(item: "Omission") -> str:
    """The score of what was left out; of what no search sees, how near it is in meaning."""
    return f"{item.score:.3f}" if item.score is not None else f"cos {item.cosine or 0.0:.2f}"


def _print_memory(memory: "Memory", score: str) -> None:
    from curator.export.sanitize import on_one_line

    front = f"{memory.id:>6}  {score:>8}  "
    lines = _wrapped(on_one_line(memory.text), _width() - len(front)) or [""]
    print(dim(front) + lines[0])
    for line in lines[1:]:
        print(" " * len(front) + line)


def _print_below(text: str) -> None:
    for line in _wrapped(text, _width() - _FRONT):
        print(dim(" " * _FRONT + line))


def _wrapped(text: str, width: int) -> list[str]:
    """The text in lines of so many cells; of a very long one the beginning."""
    from rich.console import Console
    from rich.text import Text

    cut = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    return [line.plain.rstrip() for line in Text(cut).wrap(Console(), width)]


def _standing(memory: "Memory") -> str:
    from curator.export.sanitize import on_one_line
    from store.model import Life, Review

    review = memory.review.value if memory.review is not Review.OPEN else "not validated"
    rank = f"rank {memory.rank}" if memory.life is Life.LIVE else memory.life.value
    parts = [memory.kind.value, f"{memory.tier} tier", review, rank]
    parts += ["pinned"] if memory.pinned else []
    parts += ["in quarantine"] if memory.flag else []
    parts += [] if memory.scope == "global" else [on_one_line(memory.scope)]
    return " · ".join([*parts, said(memory.created_at)])


def _width() -> int:
    return max(min(shutil.get_terminal_size().columns, _WIDEST), _LEAST)

"""Output of search explanations: why memories were found or omitted, wrapped to the terminal width."""

import shutil
import textwrap
from collections.abc import Callable, Iterable, Sequence

from curator.cli.output import dim, review_name
from curator.display import counted, iso_date, said_date
from curator.recall import Block, Hit, Omission, Preset
from curator.recall.explain import explain_omission, legend, parts, positions
from curator.terminal_text import on_one_line
from store.model import Life

_BELOW = " " * 18  # width of id and score
_WIDEST, _LEAST = 110, 40
_MAX_TEXT = 2_000  # characters shown of a text


def print_hits(hits: Iterable[Hit]) -> None:
    """Print each hit with its fields, the parts of its score, and the searches that found it."""
    for hit in hits:
        _print_wrapped(f"{hit.memory.id:>6}  {hit.score:>8.3f}  ", on_one_line(hit.memory.text))
        memory = hit.memory
        fields = [memory.kind.value, f"{memory.tier} tier", review_name(memory.review)]
        fields.append(f"rank {memory.rank}" if memory.life is Life.LIVE else memory.life.value)
        fields += [*["pinned"] * memory.pinned, *["in quarantine"] * bool(memory.flag)]
        fields += [on_one_line(memory.scope)] if memory.scope != "global" else []
        _print_wrapped(_BELOW, " · ".join((*fields, said_date(memory.created_at, iso_date))), dim)
        _print_wrapped(_BELOW, (" × " if hit.product else ", ").join(parts(hit)), dim)
        _print_wrapped(_BELOW, positions(hit), dim)


def print_omitted(omitted: Sequence[Omission]) -> None:
    """Print omitted memories with reason and score (or cosine, if no search found them)."""
    if omitted:
        print("\nleft out")
    for item in omitted:
        score = f"{item.score:.3f}" if item.score is not None else f"{item.cosine or 0.0:.0%}"
        _print_wrapped(f"{item.memory.id:>6}  {score:>8}  ", on_one_line(item.memory.text))
        _print_wrapped(_BELOW, explain_omission(item.reason), dim)


def print_tokens(made: Block, budget: int, tokenizer: str) -> None:
    """Print the size of a block, by section, and the tokenizer used."""
    how = f"counted by {tokenizer}" if tokenizer else "an estimate on the high side"
    sections = [f"{name} {tokens:,}" for name, tokens in made.sections.items()]
    sections += [f"wrapper {made.tokens - sum(made.sections.values()):,}"] if sections else []
    of = f": {', '.join(sections)}" if sections else ""
    what = f"{counted(len(made.memories), 'memory')}, {made.tokens:,} of {budget:,} tokens ({how}){of}"
    print("\n" + textwrap.fill(what, _width()) + "\n")


def print_legend(preset: Preset, hits: Sequence[Hit]) -> None:
    """Print the meaning of the numbers."""
    how, names = legend(preset, hits)
    print("\nwhat the numbers mean")
    for line in textwrap.wrap(how, _width() - 2):
        print(dim(f"  {line}"))
    for name, text in names.items():
        print(dim(f"  {name:<13} {text}"))


def _print_wrapped(front: str, text: str, style: Callable[[str], str] = str) -> None:
    """Print a text wrapped to the terminal, starting after `front`; very long texts are cut."""
    from rich.console import Console
    from rich.text import Text

    cut = text if len(text) <= _MAX_TEXT else f"{text[:_MAX_TEXT]}…"
    for line in Text(cut).wrap(Console(), _width() - len(front)) or [Text()]:
        print(dim(front) + style(line.plain.rstrip()))
        front = " " * len(front)


def _width() -> int:
    return max(min(shutil.get_terminal_size().columns, _WIDEST), _LEAST)

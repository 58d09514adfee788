"""The command `stats`: counts and small bars."""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import typer

from curator.cli.options import AsJson
from curator.cli.output import counted, open_store, print_json, table, undistilled

if TYPE_CHECKING:
    from curator.export.serializers import Json
    from store import Store
    from store.analytics.insights import Bar, ImportJunk, Insights
    from store.analytics.state_history import Span

_CELLS = 30  # of the longest bar
_MONTHS = 36  # more are shown as years
_IMPORTS = 10  # the newest are shown
_WORDS = 70  # characters of a memory's text
_EIGHTHS = " ▏▎▍▌▋▊▉█"


def show_stats(as_json: AsJson = False) -> None:
    """Count memories by kind, tier, state, source and month."""
    from curator.export.sanitize import on_one_line
    from store import clock
    from store.analytics.state_changes import STATES
    from store.stats import stats

    store = open_store()
    counts = stats(store)
    if as_json:
        row = asdict(counts)
        row["oldest"] = None if counts.oldest is None else clock.to_iso(counts.oldest)
        row["undistilled"] = undistilled(store)
        row["global"] = counts.total - counts.in_sessions
        row["insights"] = _insights_row(counts.insights)
        row["states"] = [
            {"label": span.label, "unit": span.unit, "counts": dict(zip(STATES, span.counts, strict=True))}
            for span in counts.states
        ]
        row["unfinished_purge"] = store.unfinished_purge() is not None
        print_json(row)
        return
    oldest = "-" if counts.oldest is None else clock.to_iso(counts.oldest)[:10]
    importance = "-" if counts.importance is None else f"{counts.importance:.1f}"
    table(
        [
            ("memories", f"{counts.total:,}"),
            ("live", f"{counts.live:,}"),
            ("in the inbox", f"{counts.inbox:,}"),
            ("global or of a project", f"{counts.total - counts.in_sessions:,}"),
            ("of one session", f"{counts.in_sessions:,}"),
            ("mean importance", importance),
            ("oldest", oldest),
            ("conversations", f"{counts.conversations:,}"),
            ("not distilled yet", f"{undistilled(store):,}"),
            ("messages", f"{counts.messages:,}"),
            ("vectors", f"{counts.vectors:,}"),
        ]
    )
    for name, group in counts.groups.items():
        print(f"\n{name}")
        table([(f"  {on_one_line(value)}", f"{number:,}") for value, number in group.items()])
    if counts.live:
        _print_bars(counts.insights)
    _print_states(counts.states)
    _print_junk(counts.insights.imports)
    _print_named(store, counts.insights)


def _insights_row(found: "Insights") -> "dict[str, Json]":
    from store import clock

    row: dict[str, Json] = asdict(found)
    row["most_recalled"] = [
        {
            "memory": item.memory,
            "times": item.times,
            "last_at": None if item.last_at is None else clock.to_iso(item.last_at),
        }
        for item in found.most_recalled
    ]
    row["oldest_open"] = [
        {"memory": item.memory, "created_at": clock.to_iso(item.created_at)} for item in found.oldest_open
    ]
    row["imports"] = [
        {**asdict(item), "at": clock.to_iso(item.at), "reasons": dict(item.reasons), "junk": round(item.junk, 4)}
        for item in found.imports
    ]
    return row


def _print_states(spans: "Sequence[Span]") -> None:
    """A line for each span; states that none was ever in are left out."""
    from store.analytics.state_changes import STATES

    if not spans:
        return
    shown = [n for n in range(len(STATES)) if any(span.counts[n] for span in spans)]
    print(f"\nstate, as each {spans[0].unit} ended")
    lines = [(span.label, *(f"{span.counts[n]:,}" for n in shown)) for span in spans]
    rows = [("", *(STATES[n] for n in shown)), *lines]
    wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
    table(
        [
            (f"  {row[0]:<{wide[0]}}", *(f"{cell:>{n}}" for cell, n in zip(row[1:], wide[1:], strict=True)))
            for row in rows
        ]
    )


def _print_bars(found: "Insights") -> None:
    months = len(found.growth) <= _MONTHS
    growth = [(bar.label, bar.count) for bar in found.growth] if months else _by_year(found.growth)
    pictures: tuple[tuple[str, Iterable[tuple[str, int]]], ...] = (
        ("month" if months else "year", growth),
        ("kind", _pairs(found.kinds)),
        ("tier", _pairs(found.tiers)),
        ("confidence", _pairs(found.confidence)),
        ("times recalled", _pairs(found.use)),
        ("source", _pairs(found.sources)),
    )
    for name, pairs in pictures:
        numbers = list(pairs)
        if not numbers:  # by month: none has a date
            continue
        print(f"\nlive, by {name}")
        largest = max(number for _, number in numbers)
        table([(f"  {label}", f"{number:>{len(f'{largest:,}')},}", bar(number / largest)) for label, number in numbers])


def _pairs(bars: "Iterable[Bar]") -> list[tuple[str, int]]:
    from curator.export.sanitize import on_one_line

    return [(on_one_line(bar.label), bar.count) for bar in bars]


def _by_year(months: "Iterable[Bar]") -> list[tuple[str, int]]:
    years: dict[str, int] = {}
    for month in months:
        years[month.label[:4]] = years.get(month.label[:4], 0) + month.count
    return list(years.items())


def _print_junk(imports: "Sequence[ImportJunk]") -> None:
    from store import clock

    if not imports:
        return
    print("\njunk, by import")
    table(
        [
            (
                f"  {item.command}",
                clock.to_iso(item.at)[:10],
                f"{item.junk:4.0%}",
                bar(item.junk),
                f"{item.refused:,} of {item.refused + item.admitted:,} refused, {item.rejected:,} rejected by you"
                + (": " if item.reasons else "")
                + ", ".join(f"{reason} {number:,}" for reason, number in item.reasons),
            )
            for item in imports[:_IMPORTS]
        ]
    )
    if len(imports) > _IMPORTS:
        print(f"  and {len(imports) - _IMPORTS:,} before; --json has them all")


def _print_named(store: "Store", found: "Insights") -> None:
    from store import clock

    for title, named in (
        ("most recalled", [(item.memory, counted(item.times, "time")) for item in found.most_recalled]),
        ("oldest not validated", [(item.memory, clock.to_iso(item.created_at)[:10]) for item in found.oldest_open]),
    ):
        texts = {memory.id: _short(memory.text) for memory in store.get_many([number for number, _ in named])}
        if texts:
            print(f"\n{title}")
            table([(f"  {number}", what, texts[number]) for number, what in named if number in texts])


def _short(text: str) -> str:
    from curator.export.sanitize import on_one_line

    line = on_one_line(text)
    return line if len(line) <= _WORDS else line[: _WORDS - 3] + "..."


def bar(share: float, cells: int = _CELLS) -> str:
    """A bar over a share of the cells, in eighths of a cell; in whole #s where stdout is not UTF-8.

    Something is seen of every share above 0.
    """
    blocks = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    steps = 8 if blocks else 1
    length = max(round(share * cells * steps), 1 if share > 0 else 0)
    if not blocks:
        return "#" * length
    return _EIGHTHS[8] * (length // 8) + (_EIGHTHS[length % 8] if length % 8 else "")


def register(app: typer.Typer) -> None:
    """Put this family's commands on the command line."""
    app.command("stats")(show_stats)

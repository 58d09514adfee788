"""The command `stats`: counts and small bars."""

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from curator.cli.options import AsJson, From
from curator.cli.output import open_store, print_json, print_table, review_name, undistilled, warn
from curator.display import as_of, counted, iso_date, truncate
from curator.terminal_text import on_one_line
from store import clock

if TYPE_CHECKING:
    from store.analytics.insights import Bar, Insights
    from store.analytics.state_history import PeriodCounts
    from store.analytics.stats import Stats

_CELLS = 30  # width of the longest bar
_MAX_MONTHS = 36  # beyond this, bars are years
_MAX_IMPORTS = 10  # newest imports shown
_TEXT_WIDTH = 70  # characters shown of a memory's text
_EIGHTHS = " ▏▎▍▌▋▊▉█"


def show_stats(source: From = None, as_json: AsJson = False) -> None:
    """Count memories by kind, tier, state, source and month.

    With --from, count those of another machine, from its snapshot (snapshot.target).
    """
    if source is not None:
        show_snapshot_stats(source, as_json)
        return
    from store.analytics.stats import stats

    store = open_store()
    counts, waiting = stats(store), undistilled(store)
    if as_json:
        print_json({**_row(counts), "undistilled": waiting, "unfinished_purge": store.unfinished_purge() is not None})
        return
    texts = {memory.id: memory.text for memory in store.get_many(counts.insights.named)}
    _print_stats(counts, texts, [("not distilled yet", f"{waiting:,}")])


def show_snapshot_stats(source: str, as_json: bool) -> None:
    """Print the counts of a snapshot of another machine."""
    from curator.snapshot.reader import stats

    found, written = stats(source, clock.now())
    if as_json:
        print_json({"at": clock.to_iso(written), **_row(found.counts)})
        return
    warn(as_of(written))
    _print_stats(found.counts, found.texts, [])


def _print_stats(counts: "Stats", texts: Mapping[int, str], more: Sequence[tuple[str, str]]) -> None:
    """Print all counts. `texts` are those of memories named in insights; `more` are counts of this machine only."""
    memories, raw = counts.memories, counts.raw
    print_table(
        [
            ("memories", f"{memories.total:,}"),
            ("live", f"{memories.live:,}"),
            ("in the inbox", f"{memories.inbox:,}"),
            ("snoozed", f"{memories.snoozed:,}"),
            ("global or in a project", f"{memories.total - memories.in_sessions:,}"),
            ("in one conversation", f"{memories.in_sessions:,}"),
            ("mean importance", "-" if memories.importance is None else f"{memories.importance:.1f}"),
            ("oldest", iso_date(memories.oldest, "-")),
            ("conversations", f"{raw.conversations:,}"),
            *more,
            ("messages", f"{raw.messages:,}"),
            ("vectors", f"{raw.vectors:,}"),
        ]
    )
    for name, group in memories.groups.items():
        if not group:
            continue
        print(f"\n{name}")
        shown = {review_name(value) if name == "review" else on_one_line(value): n for value, n in group.items()}
        print_table([(f"  {value}", f"{count:,}") for value, count in shown.items()])
    if memories.live:
        _print_bars(counts.insights)
    if counts.states:
        _print_states(counts.states)
    _print_junk(counts.insights)
    _print_named(counts.insights, texts)


def _print_named(insights: "Insights", memory_texts: Mapping[int, str]) -> None:
    """Print the memories recalled most, and those waiting longest for review, with their texts."""
    for title, named in (
        ("most recalled", [(item.memory, counted(item.times, "time")) for item in insights.most_recalled]),
        ("waiting longest for review", [(item.memory, iso_date(item.created_at)) for item in insights.oldest_open]),
    ):
        texts = {
            memory_id: truncate(on_one_line(memory_texts[memory_id]), _TEXT_WIDTH)
            for memory_id, _ in named
            if memory_id in memory_texts
        }
        if texts:
            print(f"\n{title}")
            print_table([(f"  {memory_id}", what, texts[memory_id]) for memory_id, what in named if memory_id in texts])


def _row(counts: "Stats") -> dict[str, object]:
    """Return the counts as a JSON object, with times as text."""
    from store.analytics.state_history import STATES

    memories = counts.memories
    return {
        **asdict(memories),
        **asdict(counts.raw),
        "oldest": None if memories.oldest is None else clock.to_iso(memories.oldest),
        "global": memories.total - memories.in_sessions,
        "insights": _insights_row(counts.insights),
        "states": [
            {"label": span.label, "unit": span.unit, "counts": dict(zip(STATES, span.counts, strict=True))}
            for span in counts.states
        ],
    }


def _insights_row(found: "Insights") -> dict[str, object]:
    insights: dict[str, object] = asdict(found)
    insights["most_recalled"] = [
        {**asdict(item), "last_at": None if item.last_at is None else clock.to_iso(item.last_at)}
        for item in found.most_recalled
    ]
    insights["oldest_open"] = [
        {"memory": item.memory, "created_at": clock.to_iso(item.created_at)} for item in found.oldest_open
    ]
    insights["imports"] = [
        {**asdict(item), "at": clock.to_iso(item.at), "reasons": dict(item.reasons), "junk": round(item.junk, 4)}
        for item in found.imports
    ]
    return insights


def _print_states(spans: "Sequence[PeriodCounts]") -> None:
    """Print a line for each span; unused states are omitted."""
    from store.analytics.state_history import STATES

    shown = [n for n in range(len(STATES)) if any(span.counts[n] for span in spans)]
    print(f"\nstate at the end of each {spans[0].unit}")
    rows = [
        ("", *(STATES[n] for n in shown)),
        *((span.label, *(f"{span.counts[n]:,}" for n in shown)) for span in spans),
    ]
    labels, *columns = ((column, max(map(len, column))) for column in zip(*rows, strict=True))
    aligned = [[f"  {cell:<{labels[1]}}" for cell in labels[0]]]
    aligned += [[f"{cell:>{wide}}" for cell in column] for column, wide in columns]
    print_table(list(zip(*aligned, strict=True)))


def _print_bars(insights: "Insights") -> None:
    from store.analytics.insights import in_percent

    months = len(insights.growth) <= _MAX_MONTHS
    years: Counter[str] = Counter()
    for month in insights.growth:
        years[month.label[:4]] += month.count
    by_year = list(years.items())
    for name, numbers in (
        ("month" if months else "year", _numbers(insights.growth) if months else by_year),
        ("kind", _numbers(insights.kinds)),
        ("tier", _numbers(insights.tiers)),
        ("confidence", _numbers(in_percent(insights.confidence))),
        ("times recalled", _numbers(insights.use)),
        ("source", _numbers(insights.sources)),
    ):
        if not numbers:  # no memory has a date
            continue
        print(f"\nlive, by {name}")
        largest = max(number for _, number in numbers)
        wide = len(f"{largest:,}")
        print_table([(f"  {label}", f"{number:>{wide},}", bar(number / largest)) for label, number in numbers])


def _numbers(bars: "Sequence[Bar]") -> list[tuple[str, int]]:
    return [(on_one_line(bar.label), bar.count) for bar in bars]


def _print_junk(found: "Insights") -> None:
    """Print the share of refused and rejected candidates of the newest imports."""
    if not found.imports:
        return
    print("\nrefused, by import")
    rows = []
    for item in found.imports[:_MAX_IMPORTS]:
        reasons = ", ".join(f"{reason} {count:,}" for reason, count in item.reasons)
        counts = f"{item.refused:,} of {item.refused + item.admitted:,} refused, {item.rejected:,} rejected by you"
        text = f"{counts}: {reasons}" if reasons else counts
        rows.append((f"  {item.command}", iso_date(item.at), f"{item.junk:4.0%}", bar(item.junk), text))
    print_table(rows)
    if len(found.imports) > _MAX_IMPORTS:
        print(f"  and {len(found.imports) - _MAX_IMPORTS:,} before; --json has them all")


def bar(share: float, cells: int = _CELLS) -> str:
    """Return a bar that fills a share of the cells, in eighths of a cell; in whole #s if stdout is not UTF-8.

    A share above 0 is always visible.
    """
    blocks = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    steps = 8 if blocks else 1
    length = max(round(share * cells * steps), 1 if share > 0 else 0)
    if not blocks:
        return "#" * length
    return _EIGHTHS[8] * (length // 8) + (_EIGHTHS[length % 8] if length % 8 else "")

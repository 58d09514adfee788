"""Charts of the Insights view, one for each of seven questions. Text from logs is sanitised here (I10)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import accumulate

from curator.display import counted, short_date
from curator.distill.reasons import REASONS
from curator.tui.labels import REVIEWS, source
from curator.tui.messages import Target
from curator.tui.text_format import age, one_line
from curator.tui.widgets.chart_model import Chart, Form, Goal, Mark, Section
from curator.tui.widgets.chart_render import monday, percent
from store import clock
from store.analytics.insights import Bar, ImportJunk, Insights, in_percent
from store.analytics.state_history import STATES as STATE_NAMES
from store.analytics.state_history import PeriodCounts
from store.model import Rank

GROWTH = "How does it grow?"
KINDS = "What kinds?"
STATES = "In which state?"
USE = "How often recalled?"
CALENDAR = "When was it said?"
SURE = "How confident?"
ORIGIN = "Where from?"

_TIMES = {
    "never": "never recalled",
    "1-2": "recalled once or twice",
    "3-9": "recalled 3-9 times",
    "10+": "10 or more",
    "always": "always given",
}
_STATES = {rank: f"rank {rank}" for rank in Rank} | {"removed": "removed by a sweep", "forgotten": "forgotten by you"}
_WEEKS = 53


def views(found: Insights, texts: Mapping[int, str], now: int) -> tuple[Chart, ...]:
    """Return the charts of all questions except states. `texts` are those of the memories named in `found`."""
    return (
        growth(found.growth),
        kinds(found.kinds, found.tiers),
        use(found, texts, now),
        sure(found.confidence, found.reviews),
        origin(found.sources, found.imports),
        calendar(found.calendar, now),
    )


def growth(bars: Sequence[Bar]) -> Chart:
    """Return the chart of memories by month."""
    total = _total(bars)
    marks = []
    for bar, sofar in zip(bars, accumulate(bar.count for bar in bars), strict=True):
        month = date.fromisoformat(f"{bar.label}-01")
        words = (f"{month:%B} {bar.label[:4]}", counted(bar.count), _share(bar.count, total), f"{sofar:,} so far")
        tick = bar.label[:4] if month.month == 1 else ""
        marks.append(Mark(f"{month:%b} {bar.label[:4]}", bar.count, words, _lists(bar), tick=tick))
    answer = f"{counted(total)} said over {counted(len(bars), 'month')}{_most(marks, 'in')}" if total else ""
    return Chart(GROWTH, answer, (Section(Form.COLUMNS, tuple(marks)),), ends=True)


def kinds(kinds: Sequence[Bar], tiers: Sequence[Bar]) -> Chart:
    """Return the chart of kinds and tiers."""
    total = _total(kinds)
    core = next((bar.count for bar in tiers if bar.label == "core"), 0)
    answer = f"{percent(kinds[0].count, total)} {kinds[0].label}, {percent(core, total)} core" if kinds else ""
    sections = (Section(Form.BARS, _marks(kinds)), Section(Form.PARTS, _marks(tiers)))
    return Chart(KINDS, answer, sections if total else ())


def use(found: Insights, texts: Mapping[int, str], now: int) -> Chart:
    """Return the chart of recalls, with the most recalled memories and those waiting longest for review."""
    total = _total(found.use)
    never = next((bar.count for bar in found.use if bar.label == "never"), 0)
    recalled, waiting = [], []
    for item in found.most_recalled:
        words = (
            f"recalled {counted(item.times, 'time')}",
            "" if item.last_at is None else f"last {short_date(item.last_at)}",
        )
        recalled.append(_entry(item.memory, item.times, texts, words, f"{item.times:,}×"))
    for waits in found.oldest_open:
        words = (f"said {short_date(waits.created_at)}", "not reviewed yet")
        waiting.append(_entry(waits.memory, 1, texts, words, age(waits.created_at, now)))
    sections = (
        Section(Form.BARS, _marks(found.use, _TIMES.__getitem__)),
        Section(Form.ENTRIES, tuple(recalled), "MOST RECALLED"),
        Section(Form.ENTRIES, tuple(waiting), "WAITING LONGEST"),
    )
    return Chart(USE, f"{percent(never, total)} never" if total else "", sections if total else ())


def calendar(bars: Sequence[Bar], now: int) -> Chart:
    """Return the chart of memories by day of the last year."""
    today = clock.day_of(now)
    first = monday(today - timedelta(days=7 * _WEEKS - 1))
    counts = {bar.label: bar for bar in bars}
    total = _total(bars)
    marks = []
    for days in range((today - first).days + 1):
        moment = first + timedelta(days=days)
        bar = counts.get(moment.isoformat(), Bar("", 0, ""))
        label = f"{moment.day} {moment:%b %Y}"
        words = (f"{moment:%A} {moment.day} {moment:%B %Y}", counted(bar.count), _share(bar.count, total))
        marks.append(Mark(label, bar.count, words if bar.count else (words[0], "nothing said"), _lists(bar)))
    answer = (
        f"{counted(total)} on {counted(len(bars), 'day')}{_most(marks, 'on')}" if total else "nothing in the last year"
    )
    return Chart(CALENDAR, answer, (Section(Form.DAYS, tuple(marks)),), ends=True, since=first)


def states(spans: Sequence[PeriodCounts]) -> Chart:
    """Return the chart of states over time; states without memories are omitted, except ranks."""
    if not spans:
        return Chart(STATES)
    from curator.lifecycle import VERB  # imported here, since settings take a while to load

    chosen = [n for n, state in enumerate(STATE_NAMES) if state in set(Rank) or any(span.counts[n] for span in spans)]
    marks = [_standing(spans, index, n, VERB) for n in chosen for index in range(len(spans))]
    names = tuple(STATE_NAMES[n] for n in chosen)
    counts = dict(zip(STATE_NAMES, spans[-1].counts, strict=True))
    alone = sum(counts[state] for state in ("expired", "removed"))
    answer = counted(sum(counts[rank] for rank in Rank))
    answer += f", {alone:,} more expired or removed by a sweep" if alone else ""
    if len(spans) == 1:  # nothing to compare with yet
        bars = tuple(replace(mark, label=name, note="", tick="") for mark, name in zip(marks, names, strict=True))
        return Chart(STATES, answer, (Section(Form.BARS, bars),))
    return Chart(STATES, answer, (Section(Form.SERIES, tuple(marks), names=names),), ends=True)


def _standing(spans: Sequence[PeriodCounts], index: int, state_index: int, verb: str) -> Mark:
    """Return the mark of a state at the end of a span; `verb` is that of the sweep that removes memories."""
    span, state, latest = spans[index], STATE_NAMES[state_index], index == len(spans) - 1
    period = _span_name(span)
    count, total = span.counts[state_index], sum(span.counts)
    more = count - spans[index - 1].counts[state_index] if index else 0
    words = (
        f"{_STATES.get(state, state)} {'now' if latest else f'at the end of {period}'}",
        counted(count),
        _share(count, total),
        f"{more:+,} since {_span_name(spans[index - 1])}" if more else "",
    )
    goal = None
    if state == "removed" and count:
        goal = Goal("history", Target(terms=f"by:sweep verb:{verb} standing"), "shows the runs")
    elif latest and count and state != "forgotten":
        goal = Goal("memories", Target(terms=f"state:{state}"), "lists them")
    tick = ""  # set if the span begins a year, or a month begins within it
    if span.unit in ("month", "quarter"):
        tick = span.label[:4] if span.label.endswith("-01") else ""
    elif span.unit in ("day", "week"):
        first = date.fromisoformat(span.label)
        tick = f"{first:%b}" if first.day <= (7 if span.unit == "week" else 1) else ""
    return Mark(f"{state} · {period}", count, words, goal, note=period, tick=tick)


def _span_name(span: PeriodCounts) -> str:
    """Return a span's name: `3 Mar 2026`, `Mar 2026`, `Jan-Mar 2026`, `2026`, `2020s`."""
    if span.unit in ("year", "decade"):
        return span.label + ("s" if span.unit == "decade" else "")
    first = date.fromisoformat(f"{span.label}-01" if span.unit in ("month", "quarter") else span.label)
    months = f"{first:%b}" if span.unit != "quarter" else f"{first:%b}-{first.replace(month=first.month + 2):%b}"
    return f"{first.day} {first:%b %Y}" if span.unit in ("day", "week") else f"{months} {first:%Y}"


def sure(confidence: Sequence[Bar], reviews: Sequence[Bar]) -> Chart:
    """Return the chart of confidence in ten bins, and of reviews."""
    total = _total(confidence)
    least = next((n for n in range(len(confidence) - 1, 0, -1) if 2 * _total(confidence[n:]) >= total), 0)
    marks = _marks(
        in_percent(confidence),
        lambda label: f"confidence {label}",
        lambda label: label.split("-")[0] if label[0] in "02468" else "",
    )
    sections = (
        Section(Form.COLUMNS, marks),
        Section(Form.PARTS, _marks([replace(bar, label=REVIEWS.get(bar.label, bar.label)) for bar in reviews])),
    )
    return Chart(SURE, f"half are at {10 * least}% or more" if total else "", sections if total else ())


def origin(sources: Sequence[Bar], imports: Sequence[ImportJunk]) -> Chart:
    """Return the chart of sources, and of the share of refused candidates of each import."""
    refused = sum(item.refused for item in imports)
    candidates = refused + sum(item.admitted for item in imports)
    bars = tuple(Bar(source(bar.label) or bar.label, bar.count, bar.term) for bar in sources)
    sections = (
        Section(Form.BARS, _marks(bars)),
        Section(Form.BARS, tuple(map(_junk, imports)), "REFUSED BY IMPORT"),
    )
    answer = f"{percent(refused, candidates)} of passages refused" if candidates else "no candidates yet"
    return Chart(ORIGIN, answer if sources or imports else "", sections)


def _junk(item: ImportJunk) -> Mark:
    """Return a bar as long as the share of refused candidates."""
    candidates = item.refused + item.admitted
    words = (
        f"import {item.command}, {short_date(item.at)}",
        f"{item.refused:,} of {candidates:,} refused ({percent(item.refused, candidates)})",
        f"{item.admitted:,} kept" + (f", {item.rejected:,} of them rejected" if item.rejected else ""),
    )
    reasons = ", ".join(f"{count:,} {REASONS.get(reason, one_line(reason, 40))}" for reason, count in item.reasons)
    goal = (
        Goal("sources", Target(terms="refused"), "lists the refused")
        if item.refused
        else Goal("history", Target(terms=f"verb:import {item.command}"), "opens it in History")
    )
    note = percent(item.refused, candidates)
    return Mark(f"{item.command} · {short_date(item.at)}", item.refused, words, goal, item.junk, note, more=reasons)


def _marks(
    bars: Sequence[Bar], describe: Callable[[str], str] = str, tick: Callable[[str], str] = lambda _: ""
) -> tuple[Mark, ...]:
    total = _total(bars)
    return tuple(
        Mark(
            one_line(bar.label) or "(none)",
            bar.count,
            (one_line(describe(bar.label)) or "(none)", counted(bar.count), _share(bar.count, total)),
            _lists(bar),
            tick=tick(bar.label),
        )
        for bar in bars
    )


def _most(marks: Sequence[Mark], at: str) -> str:
    """Return the label of the highest mark after `, most` and `at`; empty if two are equal."""
    first, *rest = sorted(marks, key=lambda mark: -mark.count)[:2]
    return f", most {at} {first.label}" if rest and first.count > rest[0].count else ""


def _share(count: int, total: int) -> str:
    return f"{percent(count, total)} of {total:,}"


def _total(bars: Sequence[Bar]) -> int:
    return sum(bar.count for bar in bars)


def _lists(bar: Bar) -> Goal | None:
    return Goal("memories", Target(terms=bar.term), "lists them") if bar.term and bar.count else None


def _entry(memory_id: int, count: int, texts: Mapping[int, str], words: tuple[str, ...], note: str) -> Mark:
    """Return the mark of a memory on its own line."""
    text = one_line(texts.get(memory_id, ""))
    return Mark(text, count, (text, *words), Goal("memories", Target(memory_id=memory_id), "opens it"), note=note)

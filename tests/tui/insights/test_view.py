"""Insights view: seven charts whose numbers agree with the store, and whose marks open what they count."""

import contextlib
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from textual.widgets import Input, Static

from curator import curation
from curator.filters import parse_filter
from curator.lifecycle import plan, run
from curator.snapshot.writer import write as write_snapshot
from curator.tui.app import CuratorApp
from curator.tui.glyphs import ASCII
from curator.tui.insights.view import Insights
from curator.tui.sources.view import Sources
from curator.tui.widgets.chart_model import Mark
from curator.tui.widgets.chart_view import ChartView
from curator.ui_defaults import Looks
from effort import exhaustive, some, thorough
from factories import conversation, put, quote
from store import Store, StoreError, clock
from store.analytics import Analytics
from store.analytics.insights import Bar, insights
from store.analytics.state_history import spans
from store.model import Kind, Refusal, Tier
from tui.driver import QUICK, Driven, opened
from tui.sample_store import HOSTILE, NOW, fill

pytestmark = thorough

GROWTH, KINDS, USE, STATES, SURE, ORIGIN, CALENDAR = range(7)


def history(store: Store) -> None:
    """Store memories of several years, some recalled, some rejected, and two imports with refused candidates."""
    fill(store)
    for number in range(60):
        put(
            store,
            f"Noted number {number}",
            kind=list(Kind)[number % 9],
            tier=list(Tier)[number % 3],
            confidence=number % 20 / 20,
            source=(None, "chatgpt", "my own notes")[number % 3],
            created_at=NOW - number * number * clock.DAY // 3,
        )
    found = store.list_ids(parse_filter("Noted"))
    for place, memory in enumerate(found[:12]):
        for _ in range(place + 1):
            store.recalls.record_use([memory])
    curation.reject(store, found[20:24])
    curation.validate(store, found[30:40])
    imported(store, "much", 3, "I like oats")
    imported(store, "good", 0, "I like rye")


def imported(store: Store, name: str, refused: int, kept: str) -> None:
    with store.command("import", summary=f"import of {name}") as writer:
        store.raw.put_conversation(writer, conversation(name, kept, "I see"))
    (number,) = [talk.id for talk in store.raw.get_conversations() if talk.external_id == name]
    message = store.raw.messages(number)[0]
    with store.command("distil") as writer:
        found = [Refusal(message.id, n, n + 1, "vague", None, None) for n in range(refused)]
        store.distillation.put_refusals(writer, "rules-1", found)
    put(store, kept, evidence=(quote(kept, message.text, message.id),), created_at=NOW - 3 * clock.DAY)


@pytest.fixture
def copy(store: Store) -> Iterator[Analytics]:
    analytics = Analytics(store)
    yield analytics
    analytics.close()


def pictures(app: Driven) -> list[ChartView]:
    return list(app.frame.query(ChartView))


@contextlib.asynccontextmanager
async def drawn(store: Store, size: tuple[int, int] = (120, 36)) -> AsyncIterator[Driven]:
    """Run the app with its charts counted; before that, keys do nothing."""
    async with opened(store, size, first="insights") as app:
        while not pictures(app)[GROWTH].chart.marks:
            await app.pilot.pause(0.01)
        await app.rest()
        yield app


def under(app: Driven) -> Mark:
    """Return the mark under the cursor."""
    (picture,) = [picture for picture in pictures(app) if picture.has_focus]
    assert picture.current is not None
    return picture.current


def described(app: Driven) -> str:
    return str(app.frame.query_one("#mark", Static).content)


# Numbers


async def test_the_numbers_are_those_of_the_store(store: Store, copy: Analytics) -> None:
    history(store)
    copy.follow()
    found = insights(copy, store, NOW)
    async with drawn(store) as app:
        shown = [[section.marks for section in picture.chart.sections] for picture in pictures(app)]

    def same(marks: tuple[Mark, ...], bars: tuple[Bar, ...]) -> bool:
        terms = [mark.goal.target.terms if mark.goal else "" for mark in marks]
        return [(mark.count, term) for mark, term in zip(marks, terms, strict=True)] == [
            (bar.count, bar.term if bar.count else "") for bar in bars
        ]

    assert same(shown[GROWTH][0], found.growth)
    assert same(shown[KINDS][0], found.kinds) and same(shown[KINDS][1], found.tiers)
    assert same(shown[USE][0], found.use)
    assert [(m.goal and m.goal.target.memory_id, m.count) for m in shown[USE][1]] == [
        (item.memory, item.times) for item in found.most_recalled
    ]
    assert [m.goal and m.goal.target.memory_id for m in shown[USE][2]] == [item.memory for item in found.oldest_open]
    assert same(tuple(mark for mark in shown[CALENDAR][0] if mark.count), found.calendar)
    states = spans(copy.ask_past, NOW)
    across = len(states)
    counts = [[mark.count for mark in shown[STATES][0][n * across : (n + 1) * across]] for n in range(3)]
    assert counts == [[span.counts[n] for span in states] for n in range(3)]
    assert same(shown[SURE][0], found.confidence) and same(shown[SURE][1], found.reviews)
    assert same(shown[ORIGIN][0], found.sources)
    assert [(m.count, m.length) for m in shown[ORIGIN][1]] == [(item.refused, item.junk) for item in found.imports]
    assert len(found.calendar) > 20 and len(found.imports) == 3 and len(found.growth) > 24


async def test_every_mark_leads_to_a_list_of_just_what_it_counts(store: Store) -> None:
    history(store)
    async with drawn(store) as app:
        goals = [
            (mark.goal.target.terms, mark.count)
            for picture in pictures(app)
            for mark in picture.chart.marks
            if mark.goal is not None and mark.goal.view == "memories" and mark.goal.target.terms
        ]
    assert len(goals) > 80
    for terms, count in goals:
        assert store.count(parse_filter(terms or "", now=NOW)) == count


MARKS = [
    (("left", "left"), "said:2026-04"),
    (("g",), "said:2023-03"),
    (("tab", "j"), "kind:preference"),
    (("tab", "G"), "tier:low"),
    (("tab", "tab", "j"), "used:>0 used:<3"),
    (("tab", "tab", "tab"), "state:new"),
    (("shift+tab", "k"), "said:2026-05-31"),
    (("tab", "tab", "tab", "tab", "right"), "score:>=0.1 score:<0.2"),
    (("shift+tab", "shift+tab", "shift+tab", "G"), "is:rejected"),
    (("shift+tab", "shift+tab", "j", "j"), 'source:"my own notes"'),
]


@exhaustive
@pytest.mark.parametrize(("keys", "terms"), MARKS)
async def test_enter_lists_what_the_mark_counts(store: Store, keys: tuple[str, ...], terms: str) -> None:
    history(store)
    count = store.count(parse_filter(terms, now=NOW))
    async with drawn(store) as app:
        await app.press(*keys)
        assert under(app).count == count > 0
        assert f"{count} memor" in described(app) and "enter lists them" in described(app)
        await app.press("enter")
        assert app.view.NAME == "memories" and len(app.ids) == count
        await app.press("6")
        assert under(app).count == count, "back where one was"


async def test_a_line_opens_its_memory(store: Store) -> None:
    history(store)
    async with drawn(store) as app:
        await app.press("tab", "tab", *"jjjj", "j")
        assert under(app).note == "11×" and "recalled 11 times" in described(app)
        memory = under(app).goal
        await app.press("enter")
        assert memory is not None and app.listing.current == memory.target.memory_id


async def test_an_import_leads_to_what_was_refused_of_it_or_to_what_it_did(store: Store) -> None:
    history(store)
    async with drawn(store, (140, 36)) as app:
        await app.press("shift+tab", "shift+tab", "G", "k")
        assert under(app).note == "75%" and "3 of 4 refused (75%) · 1 kept" in described(app)
        assert described(app).endswith("enter lists the refused · 3 unclear without context")
        await app.press("enter")
        assert isinstance(app.view, Sources) and app.view.loader is app.view.refusals
        assert len(app.view.refusals.rows.ids) == 3
        await app.press("6", "k")
        assert under(app).note == "0%"
        await app.press("enter")
        assert app.view.NAME == "history" and "import of good" in app.seen() and "import of much" not in app.seen()


# Moving


async def test_tab_goes_round_and_what_has_the_keys_is_seen(store: Store) -> None:
    history(store)
    for size in [(80, 24), (120, 36)]:
        async with drawn(store, size) as app:
            for place in (1, 2, 3, 4, 5, 6, 0):
                await app.press("tab")
                picture = pictures(app)[place]
                assert picture.has_focus and picture.chart.question[: size[0] - 4] in app.seen()
            await app.press("shift+tab")
            assert pictures(app)[CALENDAR].has_focus
            assert described(app).split(" · ")[0] in app.seen()


async def test_the_cursor_is_seen_without_colour(store: Store) -> None:
    history(store)
    async with drawn(store) as app:
        assert "▴" in app.seen() and "▌" not in app.seen()
        await app.press("tab", "j")
        assert "▌preference" in app.seen() and "▴" not in app.seen()
        await app.press("tab", "tab")
        assert "▌new" in app.seen() and "▴" not in app.seen(), "bars, while there is one span"
        await app.press("tab", "tab", "tab")
        assert app.seen().count("◆") == 1
    lettered = CuratorApp(store, now=lambda: NOW, glyphs=ASCII, first="insights", timings=QUICK)
    async with lettered.run_test(size=(120, 36)) as pilot:
        driven = Driven(lettered, pilot)
        await driven.rest()
        assert "--^" in driven.seen() and not set(driven.seen()) & set("▁▂▃▄▅▆▇█░▒▓━╸─▴‹›▌")


async def test_a_click_points_and_a_second_opens(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    history(store)
    async with drawn(store) as app:
        monkeypatch.setattr(app.app, "CLICK_CHAIN_TIME_THRESHOLD", 60.0)
        lines = [line[60:88] for line in app.seen().splitlines()]
        y = next(place for place, line in enumerate(lines) if "constraint" in line)
        await app.pilot.click(offset=(64, y))
        await app.rest()
        assert under(app).label == "constraint"
        await app.pilot.click(offset=(64, 1))
        assert under(app).label == "constraint", "beside a mark nothing happens"
        await app.pilot.click(offset=(64, y), times=2)
        await app.rest()
        assert app.view.NAME == "memories" and "kind:constraint" in app.seen()


# Over time


async def test_a_change_elsewhere_shows_and_the_cursor_stays(store: Store) -> None:
    history(store)
    other = Store.open(store.folder)
    async with drawn(store) as app:
        await app.press("tab", *"jj")
        label, count = under(app).label, under(app).count
        put(other, *(f"Said of {n}" for n in range(30)), kind=Kind.CONTEXT, created_at=NOW)
        put(other, "One more", kind=Kind(label), created_at=NOW)
        await app.pilot.pause(0.6)
        await app.rest()
        assert (under(app).label, under(app).count) == (label, count + 1)
        assert pictures(app)[KINDS].chart.marks[0].label == "context"
        assert f"{label} · {count + 1} memories" in described(app)
    other.close()


async def test_until_it_is_counted_it_says_so(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    history(store)
    gate, follow = threading.Event(), Analytics.follow

    def slowly(self: Analytics) -> int:
        gate.wait(10)
        return follow(self)

    monkeypatch.setattr(Analytics, "follow", slowly)
    app = CuratorApp(store, Looks(), now=lambda: NOW, first="insights", timings=QUICK)
    async with app.run_test(size=(120, 36)) as pilot:
        driven = Driven(app, pilot)
        await pilot.pause(0.3)
        assert driven.seen().count("counting …") == 7 and "What kinds?" in driven.seen()
        await pilot.press("j", "enter", "tab", "pagedown")
        gate.set()
        await driven.rest()
        await driven.press("tab")
        assert "counting" not in driven.seen() and "▌" in driven.seen()
        assert isinstance(driven.view, Insights) and not driven.view.busy
    app.finish()


async def test_what_cannot_be_counted_is_said(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise StoreError("the disk is full; make room on it")

    put(store, "the first one", created_at=NOW)
    monkeypatch.setattr("store.analytics.insights.insights", fails)
    async with opened(store, first="insights") as app:
        assert "Counting failed" in app.seen() and "the disk is full" in app.status
        monkeypatch.undo()
        await app.press("2", "6")
        assert "What kinds?" in app.seen() and "could not" not in app.seen()


async def test_an_empty_store_says_in_a_line_how_it_fills(store: Store) -> None:
    async with opened(store, (80, 24), first="insights") as app:
        lines = [line.strip() for line in app.seen().splitlines()[1:-2] if line.strip()]
        assert lines == ["No memories to chart yet. I: import a chat log · A: add a memory"]
        await app.press("j", "right", "tab", "enter", "g", "pagedown")
        assert "enter show" not in app.seen()
        put(store, "the first one", created_at=NOW)
        await app.pilot.pause(0.6)
        await app.rest()
        await app.press("left")
        assert under(app).label == "Jun 2026" and "enter show" in app.seen()
        curation.forget(store, store.list_ids(parse_filter("")))
        await app.pilot.pause(0.6)
        await app.rest()
        await app.press("6", "tab")
        assert "In which state?" in app.seen() and "forgotten" in app.seen(), "what was let go is told of"
        store.undo()
        store.undo()
    async with opened(store, first="insights", looks=Looks(keymap="plain")) as app:
        while "f11: import a chat log · ins: add a memory" not in app.seen():  # once the charts are counted
            await app.pilot.pause(0.01)


async def test_text_from_a_log_is_only_text(store: Store) -> None:
    put(store, HOSTILE, created_at=NOW, source="[red]x[/] \x1b[31m")
    async with drawn(store) as app:
        await app.press("tab", "tab", "G")
        assert "[red]hi[/red]" in described(app)
        await app.press(*["shift+tab"] * 4)
        assert "[red]x[/]" in described(app) and "\x1b" not in app.seen()
        await app.press("enter")
        assert len(app.ids) == 1


@exhaustive
@pytest.mark.parametrize("size", some([(20, 6), (120, 24), (200, 60), (110, 30), (40, 12)], 3))
async def test_it_breaks_at_no_size(store: Store, size: tuple[int, int]) -> None:
    history(store)
    async with drawn(store, size) as app:
        await app.pilot.press(*("tab", "right", "j", "G") * 6, "pagedown", "ctrl+u", "ctrl+d", "pageup")
        await app.rest()
        assert all(len(line) == size[0] for line in app.seen().splitlines())


# What became of them


def store_half_a_year(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Store half a year in which memories are used, forgotten, expired and removed, with one lifecycle run undone."""
    now = [NOW - 180 * clock.DAY]
    monkeypatch.setattr("store.clock.now", lambda: now[0])
    ids = put(store, *(f"Noted number {number}" for number in range(20)), confidence=0.2)
    put(store, "water the plants", "call the bank", kind=Kind.TASK)
    curation.later(store, ids[:8])
    for day in range(0, 180, 15):
        now[0] = NOW - (180 - day) * clock.DAY
        if day == 60:
            curation.forget(store, ids[8:11])
        for _ in range(2):
            store.recalls.record_use(ids[15:])
        command, _ = run(store, plan(store))
    (seen,) = put(store, "seen once", confidence=0.1)
    curation.later(store, [seen])
    command, done = run(store, plan(store, NOW + 40 * clock.DAY))
    assert command and done
    store.undo(command)
    now[0] = NOW


async def test_what_became_of_them_is_walked_by_state_and_time(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store_half_a_year(store, monkeypatch)
    async with drawn(store) as app:
        await app.press("tab", "tab", "tab")
        names = pictures(app)[STATES].chart.sections[0].names
        assert names == ("new", "high", "low", "expired", "removed", "forgotten")
        lines = [line for line in app.seen().splitlines() if line[:40].split()[:1] and line[:11].strip(" ▌") in names]
        assert [line[:11].strip(" ▌") for line in lines] == list(names), "a line for each"
        assert under(app).label == "new · 1 Jun 2026" and "rank new now · " in described(app)
        assert "▌new" in app.seen() and app.seen().count("▴") == 1, "at its name and below its column"
        await app.press("left")
        assert described(app).startswith("rank new at the end of 25 May 2026 · ") and "enter" not in described(app)
        await app.press("down", "down", "right")
        assert "rank low now · " in described(app) and "enter lists them" in described(app)
        count = under(app).count
        assert count == store.count(parse_filter("state:low"))
        await app.press("down", "down", "G", "g", "down")
        assert under(app).label.startswith("high · ") and under(app).count == 0, "an empty one too"


async def test_arrows_move_the_cursor_where_the_sheet_can_be_scrolled(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_half_a_year(store, monkeypatch)
    async with drawn(store, (80, 24)) as app:
        await app.press("tab", "tab", "tab", "down", "down", "up")
        assert under(app).label.startswith("high · ")


async def test_what_was_removed_leads_to_the_runs(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store_half_a_year(store, monkeypatch)
    async with drawn(store) as app:
        await app.press("tab", "tab", "tab", *["down"] * 4)
        assert described(app).startswith("removed by a sweep now · 8 memories")
        await app.press("enter")
        assert app.view.NAME == "history" and "8 removed" in app.seen() and "because  worth" in app.seen()


async def test_the_snapshot_of_another_machine_is_charted_until_an_empty_answer(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CURATOR_CACHE", str(tmp_path / "cache"))
    there = Store.open(tmp_path / "there")
    put(there, "I like tea", "I like rye", kind=Kind.PREFERENCE, created_at=NOW)
    write_snapshot(there, f"folder:{tmp_path / 'target'}")
    there.close()
    put(store, "It rains", created_at=NOW)
    async with opened(store, first="insights") as app:
        assert "1 memory" in app.seen() and "enter lists" in app.seen()
        for text, why in (("s3://", "is not a target"), (f"folder:{tmp_path / 'nothing'}", "is not there")):
            await app.press("O")
            await app.write(text)
            await app.press("enter")
            assert why in str(app.app.screen.query_one("#hint", Static).content)
            assert app.app.screen.query_one(Input).value == text, "it is there to be mended"
            await app.press("escape")
            assert "It rains" in app.seen() and "enter lists" in app.seen()
        await app.press("O")
        await app.write(f"folder:{tmp_path / 'target'}")
        await app.press("enter")
        assert "2 memories" in app.seen() and "· as of " in app.seen() and "enter lists" not in app.seen()
        await app.press("enter")
        assert isinstance(app.view, Insights), "its memories are not here"
        put(store, "It snows", created_at=NOW)
        await app.press("2", "6")
        assert "2 memories" in app.seen() and "· as of " in app.seen(), "what is written here does not show"
        await app.press("O")
        await app.write("")
        await app.press("enter")
        assert "· as of " not in app.seen() and "It rains" in app.seen() and "enter lists" in app.seen()

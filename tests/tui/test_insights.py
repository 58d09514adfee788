"""Six pictures: their numbers are those of the store, and every mark leads to what it counts."""

import threading
from collections.abc import Iterator

import pytest
from textual.widgets import Static

from curator import curation
from curator.looks import Looks
from curator.query import parse_filter
from curator.tui.app import CuratorApp
from curator.tui.areas.insights import Insights
from curator.tui.areas.sources import Sources
from curator.tui.glyphs import LETTERS
from curator.tui.plots import Mark
from curator.tui.widgets.picture import Picture
from making import conversation, put, quote
from store import Store, StoreError, clock
from store.analytics import Analytics
from store.analytics.insights import Bar, insights
from store.model import Kind, Refusal, Tier
from tui.driving import Driven, opened
from tui.sample import HOSTILE, NOW, fill

GROWTH, KINDS, USE, CALENDAR, SURE, ORIGIN = range(6)


def history(store: Store) -> None:
    """Years of memories, some recalled, some rejected, and two imports with what was refused of them."""
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
            store.record_use([memory])
    curation.reject(store, found[20:24])
    curation.validate(store, found[30:40])
    imported(store, "much", 3, "I like oats")
    imported(store, "good", 0, "I like rye")


def imported(store: Store, name: str, refused: int, kept: str) -> None:
    with store.command("import", summary=f"import of {name}") as writer:
        store.put_conversation(writer, conversation(name, kept, "I see"))
    (number,) = [talk.id for talk in store.conversations() if talk.external_id == name]
    message = store.messages(number)[0]
    with store.command("distil") as writer:
        found = [Refusal(message.id, n, n + 1, "vague", None, None) for n in range(refused)]
        store.put_refusals(writer, "rules-1", found)
    put(store, kept, evidence=(quote(kept, message.text, message.id),), created_at=NOW - 3 * clock.DAY)


@pytest.fixture
def copy(store: Store) -> Iterator[Analytics]:
    analytics = Analytics(store)
    yield analytics
    analytics.close()


def pictures(app: Driven) -> list[Picture]:
    return list(app.frame.query(Picture))


def under(app: Driven) -> Mark:
    """The mark under the cursor."""
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
    async with opened(store, first="insights") as app:
        shown = [[section.marks for section in picture.view.sections] for picture in pictures(app)]

    def same(marks: tuple[Mark, ...], bars: tuple[Bar, ...]) -> bool:
        terms = [mark.goal.target.terms if mark.goal else "" for mark in marks]
        return [(mark.count, term) for mark, term in zip(marks, terms, strict=True)] == [
            (bar.count, bar.term if bar.count else "") for bar in bars
        ]

    assert same(shown[GROWTH][0], found.growth)
    assert same(shown[KINDS][0], found.kinds) and same(shown[KINDS][1], found.tiers)
    assert same(shown[USE][0], found.use)
    assert [(m.goal and m.goal.target.memory, m.count) for m in shown[USE][1]] == [
        (item.memory, item.times) for item in found.most_recalled
    ]
    assert [m.goal and m.goal.target.memory for m in shown[USE][2]] == [item.memory for item in found.oldest_open]
    assert same(tuple(mark for mark in shown[CALENDAR][0] if mark.count), found.calendar)
    assert same(shown[SURE][0], found.confidence) and same(shown[SURE][1], found.reviews)
    assert same(shown[ORIGIN][0], found.sources)
    assert [(m.count, m.length) for m in shown[ORIGIN][1]] == [(item.refused, item.junk) for item in found.imports]
    assert len(found.calendar) > 20 and len(found.imports) == 3 and len(found.growth) > 24


async def test_every_mark_leads_to_a_list_of_just_what_it_counts(store: Store) -> None:
    history(store)
    async with opened(store, first="insights") as app:
        goals = [
            (mark.goal.target.terms, mark.count)
            for picture in pictures(app)
            for mark in picture.view.marks
            if mark.goal is not None and mark.goal.area == "memories" and mark.goal.target.terms
        ]
    assert len(goals) > 80
    for terms, count in goals:
        assert store.count(parse_filter(terms or "", now=NOW)) == count


@pytest.mark.parametrize(
    ("keys", "terms"),
    [
        (("left", "left"), "said:2026-04"),
        (("g",), "said:2023-03"),
        (("tab", "j"), "kind:preference"),
        (("tab", "G"), "tier:low"),
        (("tab", "tab", "j"), "used:>0 used:<3"),
        (("tab", "tab", "tab", "k"), "said:2026-05-31"),
        (("tab", "tab", "tab", "tab", "right"), "score:>=0.1 score:<0.2"),
        (("shift+tab", "shift+tab", "G"), "is:rejected"),
        (("shift+tab", "j", "j"), 'source:"my own notes"'),
    ],
)
async def test_enter_lists_what_the_mark_counts(store: Store, keys: tuple[str, ...], terms: str) -> None:
    history(store)
    count = store.count(parse_filter(terms, now=NOW))
    async with opened(store, first="insights") as app:
        await app.press(*keys)
        assert under(app).count == count > 0
        assert f"{count} memor" in described(app) and "enter lists them" in described(app)
        await app.press("enter")
        assert app.area.NAME == "memories" and len(app.ids) == count
        await app.press("6")
        assert under(app).count == count, "back where one was"


async def test_a_line_opens_its_memory(store: Store) -> None:
    history(store)
    async with opened(store, first="insights") as app:
        await app.press("tab", "tab", *"jjjj", "j")
        assert under(app).note == "11×" and "recalled 11 times" in described(app)
        memory = under(app).goal
        await app.press("enter")
        assert memory is not None and app.listing.current == memory.target.memory


async def test_an_import_leads_to_what_was_refused_of_it_or_to_what_it_did(store: Store) -> None:
    history(store)
    async with opened(store, (140, 36), first="insights") as app:
        await app.press("shift+tab", "G", "k")
        assert under(app).note == "75 %" and "3 of 4 refused (75 %) · 1 kept" in described(app)
        assert described(app).endswith("enter shows the refused · 3 points at something said elsewhere")
        await app.press("enter")
        assert isinstance(app.area, Sources) and app.area.shelf is app.area.refused
        assert len(app.area.refused.rows.ids) == 3
        await app.press("6", "k")
        assert under(app).note == "0 %"
        await app.press("enter")
        assert app.area.NAME == "history" and "import of good" in app.seen() and "import of much" not in app.seen()


# Moving


async def test_tab_goes_round_and_what_has_the_keys_is_seen(store: Store) -> None:
    history(store)
    for size in ((120, 36), (80, 24)):
        async with opened(store, size, first="insights") as app:
            for place in (1, 2, 3, 4, 5, 0):
                await app.press("tab")
                picture = pictures(app)[place]
                assert picture.has_focus and picture.view.question[: size[0] - 4] in app.seen()
            await app.press("shift+tab")
            assert pictures(app)[ORIGIN].has_focus
            assert described(app).split(" · ")[0] in app.seen()


async def test_the_cursor_is_seen_without_colour(store: Store) -> None:
    history(store)
    async with opened(store, first="insights") as app:
        assert "▴" in app.seen() and "▌" not in app.seen()
        await app.press("tab", "j")
        assert "▌preference" in app.seen() and "▴" not in app.seen()
        await app.press("tab", "tab")
        assert app.seen().count("◆") == 1
    app = CuratorApp(store, now=lambda: NOW, signs=LETTERS, first="insights")
    async with app.run_test(size=(120, 36)) as pilot:
        driven = Driven(app, pilot)
        await driven.rest()
        assert "--^" in driven.seen() and not set(driven.seen()) & set("▁▂▃▄▅▆▇█░▒▓━╸─▴‹›▌")


async def test_a_click_points_and_a_second_opens(store: Store) -> None:
    history(store)
    async with opened(store, first="insights") as app:
        app.app.CLICK_CHAIN_TIME_THRESHOLD = 60.0
        lines = [line[60:88] for line in app.seen().splitlines()]
        y = next(place for place, line in enumerate(lines) if "constraint" in line)
        await app.pilot.click(offset=(64, y))
        await app.rest()
        assert under(app).label == "constraint"
        await app.pilot.click(offset=(64, 1))
        assert under(app).label == "constraint", "beside a mark nothing happens"
        await app.pilot.click(offset=(64, y), times=2)
        await app.rest()
        assert app.area.NAME == "memories" and "kind:constraint" in app.seen()


# Over time


async def test_a_change_elsewhere_shows_and_the_cursor_stays(store: Store) -> None:
    history(store)
    other = Store.open(store.folder)
    async with opened(store, first="insights") as app:
        await app.press("tab", *"jj")
        label, count = under(app).label, under(app).count
        put(other, *(f"Said of {n}" for n in range(30)), kind=Kind.CONTEXT, created_at=NOW)
        put(other, "One more", kind=Kind(label), created_at=NOW)
        await app.pilot.pause(0.6)
        await app.rest()
        assert (under(app).label, under(app).count) == (label, count + 1)
        assert pictures(app)[KINDS].view.marks[0].label == "context"
        assert f"{label} · {count + 1} memories" in described(app)
    other.close()


async def test_until_it_is_counted_it_says_so(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    history(store)
    gate, follow = threading.Event(), Analytics.follow

    def slowly(self: Analytics) -> int:
        gate.wait(10)
        return follow(self)

    monkeypatch.setattr(Analytics, "follow", slowly)
    app = CuratorApp(store, Looks(), now=lambda: NOW, first="insights")
    async with app.run_test(size=(120, 36)) as pilot:
        driven = Driven(app, pilot)
        await pilot.pause(0.3)
        assert driven.seen().count("counting …") == 6 and "What kinds?" in driven.seen()
        await pilot.press("j", "enter", "tab", "pagedown")
        gate.set()
        await driven.rest()
        await driven.press("tab")
        assert "counting" not in driven.seen() and "▌" in driven.seen()
        assert isinstance(driven.area, Insights) and not driven.area.busy
    app.finish()


async def test_what_cannot_be_counted_is_said(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise StoreError("the disk is full; make room on it")

    put(store, "the first one", created_at=NOW)
    monkeypatch.setattr("store.analytics.insights.insights", fails)
    async with opened(store, first="insights") as app:
        assert "could not be counted" in app.seen() and "the disk is full" in app.status
        monkeypatch.undo()
        await app.press("2", "6")
        assert "What kinds?" in app.seen() and "could not" not in app.seen()


async def test_an_empty_store_says_in_a_line_how_it_fills(store: Store) -> None:
    async with opened(store, (80, 24), first="insights") as app:
        lines = [line.strip() for line in app.seen().splitlines()[1:-2] if line.strip()]
        assert lines == ["Pictures of your memories, once there are some: I imports a log, A adds one."]
        await app.press("j", "right", "tab", "enter", "g", "pagedown")
        assert "enter show" not in app.seen()
        put(store, "the first one", created_at=NOW)
        await app.pilot.pause(0.6)
        await app.rest()
        await app.press("left")
        assert under(app).label == "Jun 2026" and "enter show" in app.seen()
    async with opened(store, first="insights", looks=Looks(keymap="plain")) as app:
        curation.forget(store, store.list_ids(parse_filter("")))
        await app.press("6")
        assert "f11 imports a log, ins adds one" in app.seen()


async def test_text_from_a_log_is_only_text(store: Store) -> None:
    put(store, HOSTILE, created_at=NOW, source="[red]x[/] \x1b[31m")
    async with opened(store, first="insights") as app:
        await app.press("tab", "tab", "G")
        assert "[red]hi[/red]" in described(app)
        await app.press("shift+tab", "shift+tab", "shift+tab")
        assert "[red]x[/]" in described(app) and "\x1b" not in app.seen()
        await app.press("enter")
        assert len(app.ids) == 1


@pytest.mark.parametrize("size", [(200, 60), (120, 24), (110, 30), (40, 12), (20, 6)])
async def test_it_breaks_at_no_size(store: Store, size: tuple[int, int]) -> None:
    history(store)
    async with opened(store, size, first="insights") as app:
        await app.pilot.press(*("tab", "right", "j", "G") * 6, "pagedown", "ctrl+u", "ctrl+d", "pageup")
        await app.rest()
        assert all(len(line) == size[0] for line in app.seen().splitlines())

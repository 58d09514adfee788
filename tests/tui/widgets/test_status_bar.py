"""The status bar's message: cut with a mark where it has no room, shown in full with one key."""

from pathlib import Path
from typing import Any

import pytest

from curator import curation
from curator.tui.commands.import_logs import Imported
from curator.tui.messages import Tone
from effort import some, thorough
from factories import put
from store import Store
from store.model import Tier
from tui.driver import Driven, opened

pytestmark = thorough

LONG = "imported 41 conversations · 300 memories · the model that understands meaning is not here · run `curator setup`"


def line(app: Driven) -> str:
    return app.seen().splitlines()[-2].rstrip()


@pytest.mark.parametrize("width", some([40, 60, 80, 100], 1))
async def test_what_has_no_room_ends_in_a_sign_and_one_key_shows_all(store: Store, width: int) -> None:
    put(store, "one")
    async with opened(store, (width, 24)) as app:
        assert "details" not in app.seen()
        app.app.say(LONG, Tone.GOOD, undo=True)
        await app.rest()
        assert "… · " in line(app) and line(app).endswith("! details") and len(line(app)) < width
        assert ("u undo" in line(app)) == (width > 40)
        assert app.status.startswith(LONG)
        await app.press("!")
        shown = " ".join(app.seen().split())
        assert "Full message" in shown and "understands meaning" in shown and "`curator setup`" in shown
        await app.press("escape")
        app.app.say("short")
        await app.rest()
        assert line(app).strip() == "short"
        await app.press("!")
        assert len(app.app.screen_stack) == 1


async def test_what_fits_is_whole(store: Store) -> None:
    put(store, "one")
    async with opened(store, (len(LONG) + 2, 24)) as app:
        app.app.say(LONG)
        await app.rest()
        assert line(app).strip() == LONG


async def test_of_a_failure_that_was_cut_the_key_shows_the_failure(store: Store) -> None:
    put(store, "one")
    async with opened(store, (60, 24)) as app:
        app.app.report(RuntimeError("x" * 80))
        await app.rest()
        assert "… · ! details" in line(app)
        await app.press("!")
        assert "What went wrong" in app.seen()
        app.app.failure = ""


@pytest.mark.parametrize(
    ("width", "hints"),
    some([(80, " · u undo · X in Inbox: refused"), (62, " · u undo · ! details"), (50, " · u undo"), (42, "")], 2),
)
async def test_hints_give_way_to_a_message_that_fits(store: Store, width: int, hints: str) -> None:
    put(store, "one")
    async with opened(store, (width, 24)) as app:
        said = "imported 1 conversation · 12 memories"
        app.app.say(said, Tone.GOOD, "X in Inbox: refused", undo=True)
        await app.rest()
        assert line(app).strip() == said + hints


@pytest.mark.parametrize(
    ("more", "hint"), [({}, " · u undo"), ({"refused": 19}, " · u undo · X in Inbox: refused passages")]
)
async def test_after_an_import_it_is_said_where_the_refused_are(
    store: Store, tmp_path: Path, more: dict[str, int], hint: str
) -> None:
    put(store, "one")

    def imports(where: Store, *_: Any) -> Imported:
        put(where, "two")
        return Imported("imported 2 conversations", "", **more)  # type: ignore[arg-type]

    async with opened(store, import_log=imports) as app:
        await app.press("I")
        await app.write(str(tmp_path))
        await app.press("enter")
        assert app.status == f"imported 2 conversations{hint}"


async def test_a_line_about_the_marks_goes_with_them(store: Store) -> None:
    put(store, "one", "two", "three")
    async with opened(store) as app:
        await app.press("space", "space", "e")
        assert app.status == "2 memories are marked, but this works on one memory: esc clears the marks"
        await app.press("escape")
        assert not app.status


async def test_in_another_view_what_was_done_is_old_news(store: Store) -> None:
    put(store, "one", "two")
    async with opened(store) as app:
        await app.press("a")
        assert app.status == "validated “two” · u undo"
        await app.press("1")
        assert "validated" not in app.status
        await app.press("u")
        assert app.status == "undone: validated “two” · U redo", "though it is not offered there"
        await app.press("2")
        assert "undone" not in app.status
        await app.press("r")
        assert app.status == "no similar memories found"
        await app.press("1")
        assert not app.status


async def test_a_line_about_a_filter_goes_with_it(store: Store) -> None:
    curation.set_tier(store, put(store, "one", "two"), Tier.CORE)
    async with opened(store, first="history") as app:
        await app.press("i")
        assert app.status.endswith("the first one it changed · esc back")
        await app.press("escape")
        assert not app.status

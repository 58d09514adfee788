"""Settings changed in the app: applied at once and written to the file, with a message where that fails."""

import pytest

from curator.paths import config_file
from curator.tui.looks import load
from curator.tui.memories.detail_pane import MemoryPane
from curator.ui_defaults import Looks
from effort import thorough
from factories import put
from store import Store
from store.model import Review
from tui.driver import Driven, opened

pytestmark = thorough


async def _choose(app: Driven, *keys: str) -> None:
    app.app.action_settings()
    await app.rest()
    await app.press(*keys)


async def test_a_theme_is_tried_on_and_kept(store: Store) -> None:
    config_file().parent.mkdir(parents=True, exist_ok=True)
    config_file().write_text("# mine\n[distil]\nsurprise = 0.2  # keep more\n", encoding="utf-8")
    async with opened(store) as app:
        before = app.app.theme
        await _choose(app, "c", "down")
        tried = app.app.theme
        assert tried != before
        await app.press("escape")
        assert app.app.theme == before and load().theme == before
        await _choose(app, "c", "down", "enter")
        assert app.app.theme == load().theme == tried and " set to " in app.status
    text = config_file().read_text(encoding="utf-8")
    assert text.startswith("# mine\n") and "surprise = 0.2  # keep more" in text


async def test_the_keys_change_at_once_everywhere(store: Store) -> None:
    one, two = put(store, "one", "two")
    async with opened(store) as app:
        await _choose(app, "k", "p")
        assert "f5 validate" in app.seen() and load().keymap == "plain"
        await app.press("a")
        assert store.get(two).review is Review.OPEN
        await app.press("f5")
        assert store.get(two).review is Review.VALIDATED
        await app.press("down", "delete", "f8")
        assert store.get(one).life == "live"
        await app.press("f1")
        assert "f5" in app.seen()
        await app.press("escape")


@pytest.mark.parametrize(("layout", "size"), [("columns", (90, 30)), ("rows", (120, 36)), ("list", (120, 36))])
async def test_a_layout_holds_whatever_the_width(store: Store, layout: str, size: tuple[int, int]) -> None:
    put(store, "one", "two")
    async with opened(store, size) as app:
        await _choose(app, "l", layout[0])
        detail, listing = app.view.query_one(MemoryPane), app.listing
        if layout == "list":
            assert not detail.display
            await app.press("enter")
            assert detail.display and not listing.display
        else:
            beside = detail.region.x > listing.region.x and detail.region.y == listing.region.y
            assert beside == (layout == "columns")
        assert load().layout == layout


async def test_where_it_cannot_be_kept_it_is_said(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    config_file().parent.mkdir(parents=True, exist_ok=True)
    config_file().write_text("this is = = no TOML", encoding="utf-8")
    async with opened(store) as app:
        await _choose(app, "l", "r")
        assert app.status.startswith("layout set to rows until you quit: ")
    config_file().write_text("", encoding="utf-8")
    monkeypatch.setenv("CURATOR_LOOK__LAYOUT", "list")
    async with opened(store) as app:
        await _choose(app, "l", "r")
        assert "CURATOR_LOOK__LAYOUT overrides it" in app.status


async def test_keys_of_ones_own(store: Store) -> None:
    (only,) = put(store, "one")
    looks = Looks(keys={"validate": ["v", "ctrl+g"], "range": "Z", "reject": ""})
    async with opened(store, looks=looks) as app:
        assert "v validate" in app.seen() and "x reject" not in app.seen()
        await app.press("x", "a")
        assert store.get(only).review is Review.OPEN
        await app.press("ctrl+g")
        assert store.get(only).review is Review.VALIDATED

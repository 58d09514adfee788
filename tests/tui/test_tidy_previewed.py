"""What a run would do, in the app: seen with its reasons, done when the person says so, and taken back in one step."""

from curator.lifecycle import allowed
from making import put
from store import Store, clock
from store.model import Kind, Life
from tui.driving import opened
from tui.sample import HOSTILE

LONG_AGO = clock.now() - 400 * clock.DAY


async def test_it_is_shown_with_reasons_and_done_after_yes(store: Store) -> None:
    ids = put(store, "water the plants", HOSTILE, kind=Kind.TASK, expires_at=LONG_AGO)
    async with opened(store, first="history") as app:
        await app.app.run_action("tidy")
        await app.rest()
        assert "Would expire 2" in app.seen() and "because it was to hold until" in app.seen()
        assert "[red]hi[/red]" in app.seen() and "\x1b" not in app.seen()
        await app.press("escape")
        assert "Do 2 changes: expire 2?" in app.seen()
        await app.press("n")
        assert not allowed(store) and store.get(ids[0]).life is Life.LIVE
        await app.app.run_action("tidy")
        await app.rest()
        await app.press("escape")
        await app.press("y")
        assert [memory.life for memory in store.get_many(ids)] == [Life.EXPIRED] * 2 and allowed(store)
        assert "2 expired" in app.status
        await app.press("g", "z")
        assert store.get(ids[0]).life is Life.LIVE


async def test_nothing_to_do_is_said(store: Store) -> None:
    put(store, "one thing")
    async with opened(store) as app:
        await app.app.run_action("tidy")
        await app.rest()
        assert app.status.startswith("nothing to do: every memory is ranked as it is used")

"""Scrolling the detail pane in the app."""

from effort import thorough
from store import Store
from tui.driver import opened
from tui.sample_store import HOSTILE, fill


@thorough
async def test_the_detail_scrolls(store: Store) -> None:
    fill(store)
    async with opened(store, (120, 18)) as app:
        await app.press("j")
        assert "VERSIONS" not in app.seen()
        await app.press(*"JJJJJJJJJJ")
        assert "VERSIONS" in app.seen()
        await app.press(*"KKKKKKKKKK")
        assert "EVIDENCE" in app.seen()


@thorough
async def test_hostile_text_is_shown_and_does_nothing(store: Store) -> None:
    fill(store)
    async with opened(store, (260, 40)) as app:
        await app.press("j", "j")
        seen = app.seen()
        assert "Says [red]hi[/red] ␛[31mred␛[0m ‹202e›evil‹202c› a‹200b›b [@click=app.quit]x[/]" in seen
        assert seen.count("‹202e›evil‹202c›") == 2  # in the list and in the detail
        assert "\x1b" not in seen and "\u202e" not in seen
        await app.press("d")
        assert "[red]hi[/red] ␛[31mred" in app.status
        assert HOSTILE in {memory.text for memory in store.get_many(range(1, 99))}

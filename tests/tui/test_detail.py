"""The detail pane, and text from logs on the screen."""

from curator.tui.screens.memories import MemoriesScreen
from store import Store
from tui.driving import opened
from tui.sample import HOSTILE, fill


async def test_it_shows_what_is_behind_a_memory(store: Store) -> None:
    fill(store)
    async with opened(store, (130, 60)) as app:
        await app.press("j")
        seen = app.seen()
        for part in (
            "preference · core · ◆ validated · ▴ pinned",
            "confidence .90",
            "Claude · Kitchen plan · 3 Mar 2026",
            "you: I really prefer tea",
            "reply: Next to the window",
            "“Tea. Always tea.”",
            "surprise .56",
            "novelty .90",
            "Prefers tea",
            "#drink #home",
        ):
            assert part in seen


async def test_alerts_and_quarantine_are_named(store: Store) -> None:
    fill(store)
    async with opened(store, (130, 40)) as app:
        assert "! contradiction .83" in app.seen() and "Lives in Lisbon" in app.seen()
        await app.press("j", "j", "j")
        assert "? in quarantine: injection" in app.seen()


async def test_the_detail_scrolls(store: Store) -> None:
    fill(store)
    async with opened(store, (120, 18)) as app:
        await app.press("j")
        assert "WHY IT IS HERE" not in app.seen()
        await app.press(*"JJJJJJJJ")
        assert "WHY IT IS HERE" in app.seen()
        await app.press(*"KKKKKKKK")
        assert "EVIDENCE" in app.seen()


async def test_hostile_text_is_shown_and_does_nothing(store: Store) -> None:
    fill(store)
    async with opened(store, (200, 40)) as app:
        await app.press("j", "j")
        seen = app.seen()
        assert "Says [red]hi[/red] ␛[31mred␛[0m ‹202e›evil‹202c› a‹200b›b [@click=app.quit]x[/]" in seen
        assert seen.count("‹202e›evil‹202c›") == 2  # in the list and in the detail
        assert "\x1b" not in seen and "\u202e" not in seen
        await app.press("d")
        assert "[red]hi[/red] ␛[31mred" in app.status
        assert HOSTILE in {memory.text for memory in store.get_many(range(1, 99))}


async def test_an_action_that_fails_is_said_and_the_app_goes_on(store: Store) -> None:
    fill(store)
    async with opened(store) as app:
        screen = app.app.screen
        assert isinstance(screen, MemoriesScreen)

        def fail() -> None:
            raise RuntimeError("[red]broken[/red]")

        screen.action_pin = fail  # type: ignore[method-assign]
        await app.press("p")
        assert app.status == "[red]broken[/red]"
        await app.press("j", "a")
        assert app.status.startswith("nothing to validate")


async def test_work_that_fails_in_a_thread_is_said(store: Store) -> None:
    def broken(_store: Store, _path: object, _say: object) -> str:
        raise OSError("the disk is gone")

    async with opened(store, import_log=broken) as app:
        await app.press("I")
        await app.write("/log")
        await app.press("enter")
        assert app.status == "the disk is gone"

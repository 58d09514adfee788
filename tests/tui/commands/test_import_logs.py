"""A stopped import: reported at the next start, and finished from there."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from textual.events import Paste
from textual.widgets import Input

from curator.importers import Format
from curator.tui.commands.import_logs import Imported, import_log
from curator.tui.screens.dialogs import Ask, Menu
from effort import thorough
from factories import conversation, put
from store import Filter, Store
from store.model import Review
from tui.driver import opened

pytestmark = thorough


async def test_what_was_not_distilled_is_said_and_made_up_for(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "hashing")
    with store.command("import") as writer:
        store.raw.put_conversation(
            writer, conversation("kitchen", "I am allergic to hazelnuts and I live in Porto.", "I see")
        )
    async with opened(store) as app:
        assert "1 conversation not distilled yet" in app.status
        for view in "12":
            await app.press(view)
            assert "1 conversation waits to be distilled" in app.seen() and ": distil" in app.seen()
            assert "No memories yet" not in app.seen()
        app.app.action_distil()
        await app.rest()
        assert "waits to be distilled" not in app.seen()
        assert store.count(Filter()) > 0 and app.status.startswith("found 2 new memories")
    async with opened(store) as app:
        assert app.status == ""


async def test_a_chat_among_people_asks_who_the_person_is(
    store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "hashing")
    names = [f"Guest {number}" for number in range(10)]
    lines = [f"1/1/2024, 00:03 - {name}: Hello\n1/1/2024, 00:03 - {name}: You all" for name in names]
    (tmp_path / "chat.txt").write_text("\n".join([*lines, "1/1/2024, 00:04 - Ann: I live in Ghent"]))
    names_given: list[tuple[str, ...]] = []

    def noted(
        store: Store, path: Path, say: Callable[[str], None], rest: Callable[[], None], me: Sequence[str] = ()
    ) -> Imported:
        names_given.append((*me,))
        return import_log(store, path, say, rest, me)

    async with opened(store, import_log=noted) as app:
        for answer in ("escape", "p"):
            await app.press("I")
            await app.write(str(tmp_path / "chat.txt"))
            await app.press("enter")
            assert isinstance(app.app.screen, Menu) and "Chat chat.txt: which one is you?" in app.seen()
            await app.press(answer)
            if answer == "escape":
                assert app.status.startswith("not imported: choose your name in the chat first")
        assert isinstance(app.app.screen, Ask)
        await app.write("Zoe")
        await app.press("enter")
        assert isinstance(app.app.screen, Ask), "nobody is named so"
        await app.press("ctrl+u")
        await app.write("Ann")
        await app.press("enter")
        assert app.status.startswith("imported 1 conversation · 1 memory")
    assert names_given == [(), (), ("Ann",)], "the import that was given to the app"


async def test_a_path_can_be_typed_or_pasted_into_the_menu_of_logs(
    store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    put(store, "I live in Ghent")
    monkeypatch.setattr("curator.importers.find_logs", lambda: [(Format.CLAUDE, tmp_path / "claude.zip")])
    async with opened(store) as app:
        for typed in (True, False):
            await app.press("I")
            assert isinstance(app.app.screen, Menu)
            if typed:
                await app.pilot.press("slash", *"dax")
            else:
                app.app.post_message(Paste("~/dax.zip\n"))
            while not isinstance(app.app.screen, Ask):
                await app.pilot.pause(0.02)
            await app.press("j")
            assert app.app.screen.query_one(Input).value == ("/daxj" if typed else "~/dax.zipj")
            await app.press("escape")
    assert store.get(1).review is Review.OPEN


async def test_undo_is_offered_only_for_what_an_import_wrote(
    store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "hashing")
    (tmp_path / "chat.md").write_text("## Human\nI live in Ghent.\n\n## Assistant\nok\n")
    async with opened(store) as app:
        for times in range(2):
            await app.press("I")
            await app.write(str(tmp_path / "chat.md"))
            await app.press("enter")
            await app.rest()
            assert app.status.startswith("imported 0 conversations" if times else "imported 1 conversation ")
            assert ("u undo" in app.status) is (times == 0)
            if not times:
                await app.press("a")

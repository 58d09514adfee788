"""First screen of an empty store: three lines, three keys."""

from pathlib import Path
from threading import Event
from typing import Any

import pytest
from textual.widgets import Input

from curator.sweeps import compare as compare_sweep
from curator.tui.commands.import_logs import Imported, import_log
from curator.tui.screens.dialogs import Confirm
from effort import thorough
from factories import put
from store import Filter, Store
from store.model import Alert, Origin
from tui.driver import opened

pytestmark = thorough

LOG = "## User\n\nI am allergic to hazelnuts and I live in Porto.\n\n## Assistant\n\nNoted.\n"


async def test_it_offers_three_ways(store: Store) -> None:
    async with opened(store, (80, 24)) as app:
        seen = app.seen()
        assert "Import a chat log" in seen and "Try the demo" in seen and "Add a memory" in seen
        await app.press("a", "d", "x", "j", "space", "slash", "enter")
        await app.pilot.press("D")
        await app.pilot.pause()
        assert app.app.return_value == "demo"


async def test_a_first_memory_is_added(store: Store) -> None:
    async with opened(store) as app:
        await app.press("A")
        await app.write("I never eat hazelnuts")
        await app.press("enter")
        (only,) = store.get_many(store.list_ids(Filter()))
        assert (only.text, only.review, only.origin) == ("I never eat hazelnuts", "validated", "person")
        assert app.ids == [only.id] and "No memories yet" not in app.seen()
        await app.press("u")
        assert "No memories yet" in app.seen()


async def test_what_is_added_says_what_it_contradicts(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "hashing")
    async with opened(store) as app:
        for text in ("I live in Lisbon", "I moved to Porto"):
            assert "conflicts with" not in app.status
            await app.press("A")
            await app.write(text)
            await app.press("enter")
        assert "conflicts with “I live in Lisbon”" in app.status
        await app.press("u")
        assert [memory.text for memory in store.get_many(store.list_ids(Filter()))] == ["I live in Lisbon"]


async def test_a_conflict_found_late_offers_no_undo_of_what_was_done_meanwhile(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "hashing")
    go_on, compare = Event(), compare_sweep.compare_now

    def slowly(store: Store, memory: int) -> list[Alert]:
        go_on.wait(10)
        return compare(store, memory)

    put(store, "I live in Lisbon", "I like tea")
    compare_sweep.scan_all(store)
    async with opened(store) as app:
        monkeypatch.setattr(compare_sweep, "compare_now", slowly)
        await app.press("A")
        await app.write("I moved to Porto")
        await app.pilot.press("enter")
        while store.count(Filter()) < 3:
            await app.pilot.pause(0.01)
        await app.pilot.press("p")
        while not store.count(Filter(pinned=True)):
            await app.pilot.pause(0.01)
        go_on.set()
        await app.rest()
        assert "“I moved to Porto” conflicts with “I live in Lisbon”" in app.status and "u undo" not in app.status


async def test_a_refused_memory_is_said(store: Store) -> None:
    async with opened(store) as app:
        await app.press("A")
        await app.write("x" * 501)
        await app.press("enter")
        assert "at most 500 characters" in app.seen() and store.count(Filter()) == 0
        await app.write("short enough")
        await app.press("enter")
        assert store.count(Filter()) == 1


async def test_a_log_is_imported_and_undone(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "hashing")
    log = tmp_path / "talk.md"
    log.write_text(LOG, encoding="utf-8")
    async with opened(store) as app:
        await app.press("I")
        await app.write(str(log))
        await app.press("enter")
        assert app.status.startswith("imported 1 conversation") and app.view.NAME == "inbox"
        assert store.count(Filter()) == len(app.ids) > 0
        await app.press("u")
        assert isinstance(app.app.screen, Confirm) and store.count(Filter()) > 0
        assert "Undo: imported" in app.seen() and "session" not in app.seen(), "it was imported here, but by one key?"
        await app.press("y")
        assert store.count(Filter()) == 0 and "No memories yet" in app.seen()


async def test_an_import_does_not_take_the_view_from_somebody_who_works(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "hashing")
    log = tmp_path / "talk.md"
    log.write_text(LOG, encoding="utf-8")
    put(store, "one", "two")

    def importing(*arguments: Any) -> Imported:
        done = import_log(*arguments)
        app.app.context.idle_gate.key_pressed()
        return done

    async with opened(store, import_log=importing) as app:
        await app.press("I")
        await app.write(str(log))
        await app.press("enter")
        assert app.status.startswith("imported 1 conversation") and app.view.NAME == "memories"


async def test_tab_completes_a_path(store: Store, tmp_path: Path) -> None:
    for name in ("exports/chatgpt-1.zip", "exports/chatgpt-2.zip", "exports/.chatgpt", "exports/more/talk.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    async with opened(store) as app:
        await app.press("I")
        for typed, completed in (
            ("/exp", "/exports/"),
            ("/exports/", "/exports/"),
            ("/exports/c", "/exports/chatgpt-"),
            ("/exports/.c", "/exports/.chatgpt"),
            ("/exports/m", "/exports/more/"),
            ("/exports/more/", "/exports/more/talk.md"),
            ("/exports/x", "/exports/x"),
            ("/nowhere/x", "/nowhere/x"),
        ):
            await app.write(f"{tmp_path}{typed}")
            await app.press("tab")
            field = app.app.focused
            assert isinstance(field, Input) and field.value == f"{tmp_path}{completed}", typed
            assert field.cursor_position == len(field.value)


async def test_a_path_that_is_no_log_is_said_and_the_app_goes_on(store: Store, tmp_path: Path) -> None:
    async with opened(store) as app:
        await app.press("I")
        await app.write(str(tmp_path / "nothing.zip"))
        await app.press("enter")
        assert "nothing.zip" in app.seen()
        await app.press("escape", "A")
        await app.write("still here")
        await app.press("enter")
        assert store.count(Filter()) == 1


async def test_the_list_comes_when_another_process_writes(store: Store, tmp_path: Path) -> None:
    async with opened(store) as app:
        other = Store.open(tmp_path / "store")
        put(other, "written elsewhere")
        other.close()
        await app.pilot.pause(0.5)
        await app.rest()
        assert "written elsewhere" in app.seen()


async def test_the_demo_says_where_it_lies(store: Store) -> None:
    async with opened(store, first="memories", demo=True) as app:
        assert f"demo store in {store.folder.parent} · q quits" in app.status
        assert app.seen().splitlines()[0].rstrip().endswith(" demo")


async def test_a_file_that_is_no_log_is_told_where_it_was_typed_and_can_be_corrected(
    store: Store, tmp_path: Path
) -> None:
    wrong = tmp_path / "photo.jpg"
    wrong.write_bytes(bytes(range(256)))
    put(store, "one")
    before = store.state_hash()
    async with opened(store) as app:
        await app.press("I")
        await app.write(str(wrong))
        await app.press("enter", "d")
        assert "no known log format" in " ".join(app.seen().split())
        assert isinstance(app.app.focused, Input) and app.app.focused.value == f"{wrong}d"
        assert store.state_hash() == before


@pytest.mark.parametrize(("first", "keys"), [("inbox", ()), ("recall", ()), ("recall", ("slash", *"my week"))])
async def test_every_view_of_memories_says_what_to_do_first(store: Store, first: str, keys: tuple[str, ...]) -> None:
    async with opened(store, first=first) as app:
        await app.press(*("space" if key == " " else key for key in keys))
        await app.frame._look()
        await app.rest()
        assert "No memories yet. Press I to import a chat log · `curator demo` shows an example" in app.seen()
        if not keys:
            await app.press("6", "1" if first == "inbox" else "4")
            assert first == app.view.NAME and "No memories yet" in app.seen()
        put(store, "I like tea", origin=Origin.PERSON)
        await app.frame._look()
        await app.rest()
        assert "No memories yet" not in app.seen()

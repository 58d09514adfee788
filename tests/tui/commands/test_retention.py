"""Old forgotten memories and old logs: listed in the app, purged by the person only."""

import threading
from pathlib import Path
from typing import Any

import pytest

from curator import curation, purge_everywhere
from effort import thorough
from factories import conversation, put, quote
from store import Store, clock
from store.model import Life
from tui.driver import Driven, interrupted, opened
from tui.sample_store import NOW

pytestmark = thorough


@pytest.fixture
def old(store: Store, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Forget two memories and import a log 400 days ago, and forget one memory now."""
    monkeypatch.setattr("store.clock.now", lambda: NOW - 400 * clock.DAY)
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("a", "I have a secret garden behind the shed."))
    (said,) = store.raw.messages(store.raw.get_conversations()[0].id)
    ids = put(store, "alpha beta", "gamma delta", "epsilon zeta")
    ids += put(store, "There is a garden", evidence=(quote("secret garden", said.text, said.id),))
    curation.forget(store, ids[:2])
    monkeypatch.setattr("store.clock.now", lambda: NOW)
    curation.forget(store, ids[2:3])
    return ids


async def ask(app: Driven, days: str) -> None:
    """Open the list of what was forgotten more than `days` days ago."""
    await app.app.run_action("outdated")
    await app.rest()
    await app.write(days)
    await app.press("enter")


async def test_what_was_let_go_is_listed_and_can_be_purged(store: Store, old: list[int]) -> None:
    async with opened(store) as app:
        await ask(app, "9x")
        assert "enter a number of days, 1" in app.seen()
        await app.write("365")
        await app.press("enter")
        assert "list 2 memories forgotten or expired before" in app.seen() and "1 conversation imported" in app.seen()
        await app.press("m")
        assert app.view.NAME == "memories" and set(app.ids) == set(old[:2])
        assert "forgotten more than 365 days ago" in app.seen() and "`purge` in the palette" in app.status
        assert all(memory.life is Life.FORGOTTEN for memory in store.get_many(old[:3]))
        await app.press("*")
        app.view.action_decide("purge")  # type: ignore[attr-defined]
        await app.rest()
        assert "Purge 2 memories?" in app.seen()
        await app.write("purge")
        await app.press("enter")
    assert [memory.life for memory in store.get_many(old[:3])] == [Life.PURGED, Life.PURGED, Life.FORGOTTEN]


async def test_an_old_log_is_erased_after_the_word_and_its_memory_stays(store: Store, old: list[int]) -> None:
    async with opened(store) as app:
        await ask(app, "365")
        await app.press("l")
        seen = app.seen()
        assert "Erase 1 conversation?" in seen and "About a" in seen and "This cannot be undone" in seen
        await app.press("escape")
        assert store.raw.messages(store.raw.get_conversations()[0].id)[0].text
        await ask(app, "365")
        await app.press("l")
        await app.write("purge")
        await app.press("enter")
        assert app.status.startswith("erased 1 message of 1 conversation")
    assert store.raw.messages(store.raw.get_conversations()[0].id)[0].text == ""
    assert store.evidence(old[3])[0].quote == "secret garden"
    assert not _holding(store.folder, b"behind the shed") and not store.differences()


async def test_what_came_of_it_is_told_though_another_question_is_asked(
    store: Store, old: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    go, purge = threading.Event(), purge_everywhere.purge_logs

    def slow(*given: Any) -> Any:
        assert go.wait(30)
        return purge(*given)

    monkeypatch.setattr(purge_everywhere, "purge_logs", slow)
    async with opened(store) as app:
        await ask(app, "365")
        await app.press("l")
        await app.write("purge")
        await interrupted(app, "enter")
        go.set()
        await app.rest()
        assert app.status.startswith("erased 1 message of 1 conversation")


async def test_a_conversation_that_goes_on_while_the_question_is_open_stays_whole(store: Store, old: list[int]) -> None:
    (talk,) = store.raw.get_conversations()
    async with opened(store) as app:
        await ask(app, "365")
        await app.press("l")
        with store.command("import") as writer:
            longer = conversation("a", "I have a secret garden behind the shed.", "ok", "Words of today.")
            store.raw.put_conversation(writer, longer)
        await app.write("purge")
        await app.press("enter")
        assert app.status.startswith("erased 0 messages of 0 conversations; kept 1 conversation that changed")
    assert all(message.text for message in store.raw.messages(talk.id)) and len(store.raw.messages(talk.id)) == 3


async def test_what_the_settings_say_is_proposed_and_nothing_is_said_so(
    store: Store, old: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CURATOR_LIFECYCLE__RETENTION", "900")
    async with opened(store) as app:
        await app.app.run_action("outdated")
        await app.rest()
        assert "900" in app.seen()
        await app.press("enter")
        assert app.status.startswith("nothing was forgotten or imported more than 900 days ago")


def _holding(folder: Path, words: bytes) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and words in path.read_bytes()]


async def test_other_writings_are_shown_and_go_with_the_longer_word(store: Store) -> None:
    words = "I'm allergic to hazelnuts"
    (number,) = put(store, words)
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("a", "so\n> I’m **allergic** to\n> hazelnuts [red]!"))
    async with opened(store) as app:
        app.view.action_decide("purge")  # type: ignore[attr-defined]
        await app.rest()
        assert "Variants of these words are also in 1 message" in app.seen() and "hazelnuts [red]!" in app.seen()
        assert "purge all" in app.seen()
        await app.write("purge all")
        await app.press("enter")
        assert app.status == "purged 1 memory"
    assert store.get(number).life is Life.PURGED and "hazelnuts" not in store.raw.message(1).text


async def test_the_longer_word_is_none_where_there_is_no_other_writing(store: Store) -> None:
    (number,) = put(store, "I like tea")
    async with opened(store) as app:
        app.view.action_decide("purge")  # type: ignore[attr-defined]
        await app.rest()
        assert "Variants of these words" not in app.seen()
        await app.write("purge all")
        await app.press("enter")
        assert "is not purge: nothing was erased" in app.seen()
    assert store.get(number).life is Life.LIVE


async def test_a_purge_that_was_interrupted_is_finished_on_opening(store: Store) -> None:
    (number, _) = put(store, "I like tea", "I like trains")
    store.purge([number])
    async with opened(store) as app:
        assert app.status == "finished an interrupted purge"
    assert store.unfinished_purge() is None

"""History view: listing and searching commands, and undoing any one of them."""

import contextlib
import re
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from curator import curation
from curator.tui.glyphs import ASCII
from curator.tui.history import view
from curator.tui.history.list import CommandPane
from curator.tui.history.view import History
from curator.tui.messages import Target
from effort import thorough
from factories import conversation, memory, put, quote
from store import Store, clock
from store.model import Actor, Command, Life, Relation, Tier
from store.record.command_log import Journal
from tui.driver import QUICK, Driven, opened
from tui.sample_store import HOSTILE

pytestmark = thorough


@pytest.fixture
def ids(store: Store) -> list[int]:
    """Add three memories by one command each."""
    return [put(store, text)[0] for text in ("Likes tea", "Likes trains", "Lives in Porto")]


class HistoryApp(Driven):
    """The app with the History view open."""

    @property
    def history(self) -> History:
        assert isinstance(self.view, History)
        return self.view

    @property
    def listed(self) -> list[int]:
        return list(self.history.list.ids)

    @property
    def current(self) -> int | None:
        return self.history.list.current

    def detail(self) -> str:
        """Return the text of the detail pane on one line with single spaces."""
        detail = self.view.query_one(CommandPane)
        return " ".join(str(detail.query_one("Static").visual).split())  # type: ignore[attr-defined]

    async def until_listed(self, number: int) -> None:
        """Wait until `number` commands are listed; the app polls for other processes' writes."""
        for _ in range(200):
            if len(self.listed) == number:
                break
            await self.pilot.pause(0.05)
        await self.rest()

    async def filter(self, text: str) -> None:
        await self.press("slash")
        await self.write(text)
        await self.press("enter")


@contextlib.asynccontextmanager
async def at_history(store: Store, size: tuple[int, int] = (120, 36), **more: Any) -> AsyncIterator[HistoryApp]:
    async with opened(store, size, first="history", **more) as app:
        yield HistoryApp(app.app, app.pilot)


async def test_it_lists_what_was_done_newest_first(store: Store, ids: list[int]) -> None:
    with store.command("rank", Actor.SWEEP, "high for 2 memories") as writer:
        writer.update("memories", ids[:2], {"rank": "high"})
    curation.forget(store, [ids[2]])
    store.undo()
    async with at_history(store, (160, 36)) as app:
        assert app.listed == [6, 5, 4, 3, 2, 1]
        lines = app.seen().splitlines()[2:]
        assert re.match(r".+ you +undo +1 +command 5, forget +“Lives in Porto”", lines[0])
        assert re.match(r" ↶ +5 .+ you +forget +1 +“Lives in Porto” +undone", lines[1])
        assert re.match(r".+ sweep +rank +2 +high for 2 memories +“Likes tea”", lines[2])
        assert "undone" not in lines[2]
        assert "6 commands" in app.seen()


async def test_what_a_command_did_stands_beside_it(store: Store, ids: list[int]) -> None:
    curation.edit(store, ids[0], "Likes green tea")
    curation.set_tier(store, ids[:2], Tier.CORE)
    curation.tag(store, [ids[0]], ["drink"])
    curation.set_until(store, [ids[0]], clock.LATEST)
    for judge in ("rules at import", "rules"):
        with store.command("compare", Actor.SWEEP) as writer:
            store.alerts.put(writer, ids[0], ids[1], Relation.DUPLICATE, 0.8, (), judge=judge)
    async with at_history(store) as app:
        assert "conflict confirmed: duplicate with 2 “Likes trains”" in app.detail() and "removed" not in app.detail()
        await app.press("j")
        assert "+ conflict: duplicate with 2 “Likes trains”" in app.detail()
        await app.press("j")
        assert "valid until none → no end" in app.detail()
        await app.press("j")
        assert "+ tag #drink" in app.detail()
        await app.press("j")
        assert "command 5 · by you" in app.detail() and "2 memories" in app.detail()
        assert "1 “Likes green tea” tier medium → core 2 “Likes trains” tier medium → core" in app.detail()
        await app.press("j")
        assert "text Likes {+green +}tea" in app.detail()
        await app.press("j")
        assert "3 “Lives in Porto” + added" in app.detail()


async def test_of_an_edit_since_the_words_then_are_told(store: Store, ids: list[int]) -> None:
    curation.edit(store, ids[0], "Likes green tea")
    async with at_history(store) as app:
        await app.press("G")
        assert "1 “Likes green tea” + added then: “Likes tea”" in app.detail()


async def test_an_import_names_its_conversations(store: Store) -> None:
    with store.command("import", summary="1 new conversation, 1 memory") as writer:
        store.raw.put_conversation(writer, conversation("tea", "I like tea", "Oh"))
        turn = store.raw.messages(store.raw.get_conversations()[0].id)[0]
        store.admit(writer, memory("Likes tea", evidence=(quote("tea", turn.text, message=turn.id),)))
    async with at_history(store) as app:
        assert "+ About tea ChatGPT · 2 messages · imported" in app.detail()
        assert "+ quote “tea”" in app.detail()
        await app.press("z")
        assert store.raw.get_conversations() == []
        assert "undone by command 2" in app.detail()
        await app.press("k")
        assert "- About tea" in app.detail() and "hidden" in app.detail()
        assert "1 “Likes tea” no longer stored" in app.detail()


async def test_a_rejected_memory_is_not_called_forgotten(store: Store, ids: list[int]) -> None:
    curation.reject(store, ids[:1])
    async with at_history(store) as app:
        assert "“Likes tea” now rejected review not reviewed → rejected" in app.detail()
        assert "forgotten" not in app.detail()
        store.undo()
        await app.until_listed(5)
        await app.press("g")
        assert "rejected → not reviewed" in app.detail() and "forgotten" not in app.detail()


async def test_any_command_can_be_taken_back_and_done_again(store: Store, ids: list[int]) -> None:
    curation.set_tier(store, [ids[0]], Tier.CORE)
    curation.forget(store, [ids[1]])
    before = store.state_hash()
    async with at_history(store) as app:
        await app.press("j", "z")
        assert store.get(ids[0]).tier is Tier.MEDIUM and store.get(ids[1]).life is Life.FORGOTTEN
        assert app.status == "undone: changed the tier of “Likes tea” · U redo"
        assert app.current == 4, "the cursor stays on its command"
        assert "undone by command 6" in app.detail()
        await app.press("z")
        assert store.state_hash() == before
        assert app.status == "redone: changed the tier of “Likes tea” · u undo"
        await app.press("z", "U")
        assert store.state_hash() == before


async def test_of_an_undo_and_a_redo_the_command_is_meant(store: Store, ids: list[int]) -> None:
    curation.forget(store, [ids[1]])
    store.undo()
    async with at_history(store) as app:
        await app.press("z")
        assert store.get(ids[1]).life is Life.FORGOTTEN
        await app.press("g")
        assert "redid command 4: forget of 1 memory" in app.detail()
        await app.press("z")
        assert store.get(ids[1]).life is Life.LIVE
        assert app.status == "undone: forgotten “Likes trains” · U redo"


async def test_what_was_taken_back_before_something_else_cannot_be_done_again(store: Store, ids: list[int]) -> None:
    curation.forget(store, [ids[1]])
    store.undo()
    curation.validate(store, [ids[0]])
    before = store.state_hash()
    async with at_history(store) as app:
        await app.press("j", "j", "z")
        assert store.state_hash() == before
        assert "command 4 was undone by command 5, and you have made changes since" in app.status


async def test_a_refusal_names_what_stands_in_the_way_and_leads_there(store: Store, ids: list[int]) -> None:
    for tier in (Tier.CORE, Tier.LOW, Tier.MEDIUM):
        curation.set_tier(store, [ids[0]], tier)
    before = store.state_hash()
    async with at_history(store) as app:
        await app.press("j", "j", "z")
        assert store.state_hash() == before
        assert app.status == "later commands depend on 4: undo 6, 5 first · c goes to 6"
        assert "! Later commands depend on it: 6, 5." in app.detail()
        rows = app.seen().splitlines()[2:6]
        assert [row.startswith(" ! ") for row in rows] == [True, True, False, False]
        await app.press("c")
        assert app.current == 6
        await app.press("z")
        assert app.status == "undone: changed the tier of “Likes tea” · c goes to 5"
        await app.press("c")
        assert app.current == 5
        await app.press("z")
        assert app.status == "undone: changed the tier of “Likes tea” · now it can be undone, c goes to 4"
        await app.press("c")
        assert app.current == 4
        await app.press("z")
        assert app.status == "undone: changed the tier of “Likes tea” · U redo"
        assert store.get(ids[0]).tier is Tier.MEDIUM
        assert not app.view.check_action("find_conflict", ())


async def test_what_stands_in_the_way_is_found_behind_a_filter(store: Store, ids: list[int]) -> None:
    curation.forget(store, [ids[0]])
    curation.restore(store, [ids[0]])
    async with at_history(store) as app:
        await app.filter("forget")
        await app.press("z")
        assert app.status == "later commands depend on 4: undo 5 first · c goes to 5"
        await app.press("c")
        assert app.current == 5 and len(app.listed) == 5


async def test_what_another_takes_back_is_not_in_the_way_any_more(store: Store, ids: list[int]) -> None:
    curation.forget(store, [ids[0]])
    curation.restore(store, [ids[0]])
    async with at_history(store) as app:
        await app.press("j", "z")
        assert app.history.list.dependents == {5}
        await app.press("u", "y")
        assert app.history.list.dependents == frozenset()
        await app.press("c")
        assert app.current == 4


async def test_other_refusals_are_said(store: Store, ids: list[int]) -> None:
    curation.edit(store, ids[0], "Likes coffee")
    edited = store.journal.command_ids(limit=1)[0]
    store.purge([ids[0]])
    async with at_history(store) as app:
        await app.filter(f"memory:{ids[0]} edit")
        assert app.listed == [edited]
        assert "Cannot be undone: its text was purged" in app.detail()
        assert "1 purged: its text was erased" in app.detail()
        assert "text changed; both were purged" in app.detail()
        assert "no undo" in app.seen()
        await app.press("z")
        assert "cannot be undone: its memories were purged since" in app.status


FILTERS: list[tuple[str, list[str]]] = [
    ("forget", ["forget"]),
    ("forg", ["forget"]),
    ("by:sweep", ["rank"]),
    ("memory:2", ["undo", "forget", "add"]),
    ("undone", ["forget"]),
    ("trains", ["undo", "forget", "add"]),
    ("trains standing", ["undo", "add"]),
    ("high for", ["rank"]),
    ("nowhere", []),
]


async def test_filters(store: Store, ids: list[int]) -> None:
    with store.command("rank", Actor.SWEEP, "high for 1 memory") as writer:
        writer.update("memories", ids[:1], {"rank": "high"})
    curation.forget(store, [ids[1]])
    store.undo()
    async with at_history(store) as app:
        for text, verbs in FILTERS[::-1]:
            await app.filter(text)
            assert [row.verb for row in store.journal.commands(app.listed)] == verbs, text
            assert f"{len(verbs)} found" in app.seen()
            assert ("esc clears the filter" in app.detail()) == (not verbs)
            await app.press("escape")
            assert len(app.listed) == 6


async def test_esc_keeps_the_cursor_on_what_was_found(store: Store, ids: list[int]) -> None:
    async with at_history(store) as app:
        await app.filter("trains")
        await app.press("escape")
        assert app.current == 2


async def test_a_filter_that_means_nothing_is_said(store: Store, ids: list[int]) -> None:
    async with at_history(store) as app:
        await app.filter("by:nobody")
        assert "by is one of person, sweep, model, server, not nobody" in app.seen()
        assert app.listed == [3, 2, 1], "the list stays"


async def test_a_memory_as_target_shows_what_touched_it(store: Store, ids: list[int]) -> None:
    curation.validate(store, [ids[1]])
    async with opened(store) as app:
        here = HistoryApp(app.app, app.pilot)
        await here.press("j", "i")
        assert here.listed == [4, 2]
        assert "memory:2" in here.seen()
        await here.press("2", "k", "i")
        assert here.listed == [3]
        await here.frame.open_view("history", Target(terms="validate"))
        await here.rest()
        assert here.listed == [4]


async def test_esc_leaves_the_history_of_a_memory_for_where_one_was(store: Store, ids: list[int]) -> None:
    async with opened(store) as app:
        here = HistoryApp(app.app, app.pilot)
        await here.press("j", "i")
        assert here.listed == [2]
        await here.press("escape")
        assert here.frame.view.NAME == "memories"
        await here.press("7")
        assert here.listed == [3, 2, 1]
        await here.press("escape")
        assert here.frame.view.NAME == "history"


async def test_i_shows_the_past_of_what_it_touched(store: Store, ids: list[int]) -> None:
    curation.validate(store, [ids[0]])
    async with at_history(store) as app:
        await app.press("i")
        assert app.listed == [4, 1] and app.current == 4


async def test_enter_lists_the_memories_whatever_became_of_them(store: Store, ids: list[int]) -> None:
    curation.set_tier(store, ids[:2], Tier.CORE)
    curation.forget(store, ids[:1])
    async with at_history(store) as app:
        await app.press("j", "enter")
        assert app.frame.view.NAME == "memories"
        assert app.ids == ids[:2]
        assert "changed by command 4 (tier)" in app.seen()
        await app.press("escape", "escape")
        assert app.ids == [ids[2], ids[1]]


async def test_enter_and_o_say_what_is_not_there(store: Store, ids: list[int]) -> None:
    store.undo()
    async with at_history(store) as app:
        await app.press("enter")
        assert app.status == "its memories are no longer stored"
        await app.press("j", "j", "o")
        assert app.status == "the conversation of memory 2 is not in this store"


async def test_where_there_is_no_room_enter_first_shows_what_it_did(store: Store, ids: list[int]) -> None:
    async with at_history(store, (60, 20)) as app:
        assert "MEMORIES" not in app.seen()
        await app.press("enter")
        assert "MEMORIES" in app.seen() and "“Lives in Porto”" in app.seen()
        await app.press("escape")
        assert "MEMORIES" not in app.seen()
        await app.press("enter", "enter")
        assert app.frame.view.NAME == "memories"


async def test_y_copies_the_line(store: Store, ids: list[int]) -> None:
    curation.forget(store, [ids[0]])
    store.undo()
    async with at_history(store) as app:
        await app.press("j", "y")
        assert re.fullmatch(r"4  .+ \d\d:\d\d  person  forget  1 memory  \(undone by 5\)", app.app.clipboard)


async def test_hostile_words_are_shown_literally(store: Store) -> None:
    put(store, HOSTILE)
    with store.command("[red]rank[/]", Actor.SWEEP, f"{HOSTILE}\nnext") as writer:
        writer.update("memories", [1], {"rank": "high"})
        writer.insert("tags", ("memory", "tag"), [(1, "[b]tag[/b]")])
    async with at_history(store, (200, 36)) as app:
        for shown in (app.seen(), app.detail()):
            assert "Says [red]hi[/red] ␛[31mred␛[0m ‹202e›evil‹202c› a‹200b›b" in shown
            assert not set(shown) & set("\x1b\u202e\u200b")
        assert "[red]rank[/]" in app.detail() and "#[b]tag[/b]" in app.detail()
        await app.filter("[red]")
        assert len(app.listed) == 2 and app.app.is_running


async def test_many_commands_open_with_few_of_them_read(
    store: Store, ids: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    with store.sqlite() as connection:
        connection.execute("PRAGMA synchronous=OFF")
        (changes,) = connection.execute("SELECT changes FROM events WHERE seq = 1").fetchone()
        connection.execute("BEGIN")
        connection.executemany(
            "INSERT INTO commands (id, at, owner, actor, verb, memories) VALUES (?, ?, 'me', 'person', 'tier', 1)",
            ((number, number) for number in range(4, 20_001)),
        )
        connection.executemany(
            "INSERT INTO events (command, clock, changes) VALUES (?1, ?1 << 50, ?2)",
            ((number, changes) for number in range(4, 20_001)),
        )
        connection.execute("COMMIT")
    read: list[int] = []
    commands = Journal.commands

    def counting(self: Journal, numbers: Sequence[int]) -> list[Command]:
        read.extend(numbers)
        return commands(self, numbers)

    monkeypatch.setattr(Journal, "commands", counting)
    async with at_history(store) as app:
        assert len(app.listed) == 20_000 and "20,000 commands" in app.seen()
        assert len(read) < 2_000
        await app.press("G")
        assert "“Likes tea”" in app.seen().splitlines()[-3]
        assert len(read) < 4_000


async def test_what_others_do_appears_without_moving_the_cursor(store: Store, ids: list[int]) -> None:
    other = Store.open(store.folder)
    async with at_history(store) as app:
        await app.press("j")
        curation.validate(other, [ids[0]])
        await app.until_listed(4)
        assert app.listed == [4, 3, 2, 1] and app.current == 2
        assert "validate" in app.seen().splitlines()[2]
    other.close()


async def test_a_list_that_is_scrolled_stays_where_it_is(store: Store) -> None:
    for n in range(60):
        put(store, f"fact number {n}")
    async with at_history(store, (100, 24)) as app:
        await app.press("G", "k", "k")
        before = app.seen().splitlines()[2:10]
        curation.validate(store, [1])
        await app.until_listed(61)
        assert app.listed[0] == 61
        assert [line[3:] for line in app.seen().splitlines()[2:10]] == [line[3:] for line in before]


async def test_an_empty_store_says_what_would_be_here(store: Store) -> None:
    async with at_history(store) as app:
        assert "No history yet." in app.seen()
        await app.press("z", "j", "enter", "y", "o", "i", "c")
        assert app.app.failure == ""


@pytest.mark.parametrize("size", [(40, 12), (80, 24)])
async def test_small_terminals(store: Store, ids: list[int], size: tuple[int, int]) -> None:
    curation.forget(store, [ids[0]])
    store.undo()
    async with at_history(store, size) as app:
        assert "undone" in app.seen()
        await app.press("j", "J", "K", "ctrl+d", "ctrl+u", "pagedown", "pageup", "G", "g", "tab", "tab")
        assert app.app.failure == "" and app.current == 5


async def test_letters_where_signs_cannot_be_drawn(store: Store, ids: list[int], tmp_path: Path) -> None:
    from curator.tui.app import CuratorApp
    from tui.sample_store import NOW

    curation.forget(store, [ids[0]])
    store.undo()
    app = CuratorApp(store, now=lambda: NOW, glyphs=ASCII, timings=QUICK)
    async with app.run_test(size=(120, 36)) as pilot:
        here = HistoryApp(app, pilot)
        await here.rest()
        await here.press("7", "j")
        assert here.seen().splitlines()[3].startswith(">< 4")
        assert not set(here.seen()) & set("▌↶")


async def test_minutes_go_by_while_it_is_open_and_the_column_stays(
    store: Store, ids: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(view, "MINUTE", 0.05)
    last = store.journal.log(limit=1)[0].at
    async with at_history(store) as app:
        monkeypatch.setattr(app.history.context, "now", lambda: last)
        await app.press("7")
        before = app.seen().splitlines()[2]
        assert " now " in before
        monkeypatch.setattr(app.history.context, "now", lambda: last + 28 * 60 * clock.SECOND)
        while "28 m" not in app.seen():
            await app.pilot.pause(0.02)
        assert app.seen().splitlines()[2].index("you ") == before.index("you ")

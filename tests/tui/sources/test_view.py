"""Sources view: reading conversations, jumping to a quote and back, searching messages, accepting refused passages."""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from textual.widgets import Input

from curator import curation
from curator.tui.actions import SOURCES, Action
from curator.tui.context import AppContext
from curator.tui.messages import Target
from curator.tui.sources import queries as talks
from curator.tui.sources.queries import TranscriptLocation
from curator.tui.sources.view import Sources
from curator.tui.widgets.virtual_list import PAGE
from effort import exhaustive, some, thorough
from factories import conversation, put
from store import Busy, Store
from store.index import Index
from store.model import Channel, NewConversation, NewMessage, Role
from tui.driver import opened
from tui.sample_store import HOSTILE
from tui.sources.sample_sources import TEA, TURNS, at, kept, margin, note, refuse, sources, tell

pytestmark = thorough


class TestReading:
    async def test_conversations_are_listed_newest_first_with_counts(self, store: Store) -> None:
        first, second = tell(store, at(*TURNS, name="old", day=1), at("Hello", "Hi", name="new", day=9))
        kept(store, first, TEA, "Prefers tea")
        async with opened(store, first="sources") as app:
            assert list(sources(app).loader.rows.ids) == [second, first]
            rows = [line.partition("│")[0].split() for line in app.seen().splitlines()[2:4]]
            assert rows[0] == ["▌", "About", "new", "ChatGPT", "2", "y", "2"]
            assert rows[1] == ["About", "old", "ChatGPT", "2", "y", "4", "┃", "1"]
            assert "2 conversations" in app.seen() and "Hello" in app.seen()

    async def test_the_transcript_follows_the_cursor_once_it_rests(self, store: Store) -> None:
        tell(store, at(*TURNS, name="old", day=1), at("Hello there", "Hi", name="new", day=9))
        async with opened(store, first="sources") as app:
            await app.press("j")
            assert "Hello there" not in app.seen()
            assert "you · 14 Nov 2023 · 22:13" in app.seen() and "My sister lives in Leeds." in app.seen()
            assert "4 messages" in app.seen()

    async def test_a_quote_is_marked_and_leads_to_its_memory_and_back(self, store: Store) -> None:
        (number,) = tell(store, conversation("talk", *TURNS))
        put(store, "another memory")
        memory = kept(store, number, TEA, "Prefers tea")
        put(store, "a third")
        async with opened(store, first="sources") as app:
            assert margin(app, TEA) == "┃" and margin(app, "Noted.") == ""
            await app.press("n")
            assert note(app) == "memory · fact · medium\nPrefers tea"
            await app.press("enter")
            assert app.view.NAME == "memories" and app.listing.current == memory
            await app.press("o")
            assert app.view.NAME == "sources" and sources(app).in_pane and note(app).endswith("Prefers tea")

    @pytest.mark.parametrize(
        ("verb", "said"), [(curation.forget, "forgotten memory"), (curation.reject, "rejected memory")]
    )
    async def test_the_quote_of_a_memory_that_was_let_go_is_fainter(
        self, store: Store, verb: Callable[[Store, Sequence[int]], int], said: str
    ) -> None:
        (number,) = tell(store, conversation("talk", *TURNS))
        memory = kept(store, number, TEA, "Prefers tea")
        put(store, "another memory")
        verb(store, [memory])
        async with opened(store, first="sources") as app:
            assert margin(app, TEA) == "╎"
            await app.press("n")
            assert note(app).startswith(said)
            await app.press("enter")
            assert app.view.NAME == "memories" and app.ids == [memory]

    async def test_marks_are_stepped_through_in_reading_order(self, store: Store) -> None:
        (number,) = tell(store, conversation("talk", *TURNS))
        kept(store, number, "I like walks.", "Likes walks")
        refuse(store, number, ("What time is it?", "question"), (TEA, "vague"))
        async with opened(store, first="sources") as app:
            notes = []
            for key in ("n", "n", "n", "n", "N", "N", "N"):
                await app.press(key)
                notes.append(note(app).splitlines()[0])
            tea, time, walks = "refused · vague", "refused · question", "memory · fact · medium"
            assert notes == [tea, time, walks, walks, time, tea, tea]
            assert "no more passages above" in app.status

    async def test_what_is_no_turn_is_folded_and_opens(self, store: Store) -> None:
        steps = (
            NewMessage(identity="a", role=Role.USER, text="Look at the disk"),
            NewMessage(identity="b", role=Role.TOOL, text="full " * 462, channel=Channel.TOOL),
            NewMessage(identity="c", role=Role.USER, text="secret plan", hidden=True),
        )
        tell(store, NewConversation(identity="steps", source="claude-code", messages=steps, external_id="steps"))
        async with opened(store, first="sources") as app:
            assert "▸ tool · 2,310 characters" in app.seen() and "full full" not in app.seen()
            await app.press("tab", "j", "j", "j", "enter")
            assert "full full" in app.seen() and "secret plan" not in app.seen()
            await app.press("enter")
            assert "full full" not in app.seen() and "▸ tool · 2,310 characters" in app.seen()

    async def test_tab_and_esc_go_between_list_and_transcript(self, store: Store) -> None:
        tell(store, at(*TURNS, name="old", day=1), at("Hello there", "Hi", name="new", day=9))
        async with opened(store, first="sources") as app:
            shown = sources(app)
            await app.press("tab", "j")
            assert shown.in_pane and shown.loader.rows.cursor == 0 and shown.pane.lines.cursor == 1
            await app.press("tab", "j")
            assert not shown.in_pane and shown.loader.rows.cursor == 1
            await app.press("enter", "escape")
            assert not shown.in_pane

    async def test_a_click_gives_the_keys_and_two_open(self, store: Store) -> None:
        tell(store, at(*TURNS, name="old", day=1), at("Hello there", "Hi", name="new", day=9))
        async with opened(store, first="sources") as app:
            await app.pilot.click("ConversationList", offset=(5, 1))
            await app.rest()
            assert sources(app).loader.rows.cursor == 1 and TEA in app.seen()
            await app.pilot.click("Transcript", offset=(8, 2))
            await app.rest()
            await app.press("j")
            assert sources(app).in_pane and sources(app).pane.lines.cursor == 3
            await app.pilot.click("ConversationList", offset=(5, 0))
            await app.rest()
            assert not sources(app).in_pane and "Hello there" in app.seen()
            await app.pilot.click("ConversationList", offset=(5, 1), times=2)
            await app.rest()
            assert sources(app).in_pane

    async def test_copying_takes_the_passage_or_the_whole_message(self, store: Store) -> None:
        (number,) = tell(store, conversation("talk", *TURNS))
        kept(store, number, TEA, "Prefers tea")
        async with opened(store, first="sources") as app:
            await app.press("y")
            assert app.app.clipboard == TURNS[0]
            await app.press("n", "y")
            assert app.app.clipboard == TEA

    async def test_only_one_source(self, store: Store) -> None:
        first, second = tell(store, conversation("a", *TURNS), conversation("b", "Hi", source="claude"))
        async with opened(store, first="sources") as app:
            await app.press("f")
            assert "chatgpt" in app.seen() and "claude" in app.seen()
            await app.press("down", "down", "enter")
            assert list(sources(app).loader.rows.ids) == [second] and "source: Claude" in app.seen()
            await app.press("escape")
            assert set(sources(app).loader.rows.ids) == {first, second}

    async def test_only_the_rows_in_view_and_next_to_it_are_read(self, store: Store) -> None:
        tell(store, *(at("Hi", name=f"talk-{n}", day=n) for n in range(6 * PAGE)))
        async with opened(store, first="sources") as app:
            rows = sources(app).conversations.rows
            await app.press("G")
            assert "About talk-0 " in app.seen() and rows.row(rows.ids[3 * PAGE]) is None

    async def test_what_another_process_imports_shows_without_moving_the_cursor(
        self, store: Store, tmp_path: Path
    ) -> None:
        old, new = tell(store, at(*TURNS, name="old", day=1), at("Hello there", "Hi", name="new", day=9))
        other = Store.open(tmp_path / "store")
        async with opened(store, first="sources") as app:
            await app.press("j", "tab", "j", "j", "j")
            line = sources(app).pane.lines.cursor
            (newest,) = tell(other, at("Bye", name="newest", day=20))
            kept(other, old, TEA, "Prefers tea")
            await app.pilot.pause(0.5)
            await app.rest()
            assert list(sources(app).loader.rows.ids) == [newest, new, old] and sources(app).loader.rows.current == old
            assert margin(app, TEA) == "┃" and sources(app).pane.lines.cursor == line
        other.close()

    async def test_a_change_elsewhere_leaves_a_scrolled_transcript_where_it_is(
        self, store: Store, tmp_path: Path
    ) -> None:
        (number,) = tell(store, conversation("talk", *(f"turn {n}" for n in range(200))))
        other = Store.open(tmp_path / "store")
        async with opened(store, first="sources") as app:
            await app.press(*"J" * 10)
            assert sources(app).pane.lines.scroll_y == 30
            kept(other, number, "turn 15", "Said fifteen")
            await app.pilot.pause(0.5)
            await app.rest()
            assert margin(app, "turn 15") == "┃" and sources(app).pane.lines.scroll_y == 30
        other.close()

    async def test_a_conversation_whose_import_is_undone_goes(self, store: Store) -> None:
        tell(store, at("Hello there", "Hi", name="new", day=9))
        tell(store, at(*TURNS, name="newer", day=10))
        async with opened(store, first="sources") as app:
            await app.press("enter", "u", "y")
            assert "About newer" not in app.seen() and "This conversation is gone." in app.seen()
            await app.press("escape")
            assert "Hello there" in app.seen()


class TestLanding:
    @pytest.mark.parametrize("size", some([(140, 40), (100, 30), (60, 20), (40, 12)], 2))
    async def test_a_quote_deep_in_a_long_conversation_is_in_view(self, store: Store, size: tuple[int, int]) -> None:
        turns = [f"turn {n}, " + "with many words " * 20 for n in range(300)]
        turns[200] += TEA
        (number, *_) = tell(store, at(*turns, name="long", day=1), *(at("Hi", name=f"{n}", day=n) for n in range(5)))
        memory = kept(store, number, TEA, "Prefers tea")
        async with opened(store, size) as app:
            app.view.go("sources", Target(memory_id=memory))
            await app.rest()
            await app.press("2", "o")
            lines = sources(app).pane.lines
            assert sources(app).conversations.rows.current == number
            assert "tea" in app.seen() and lines.mark_here is not None and lines.mark_here.memory is not None
            assert 0 <= lines.cursor - lines.scroll_y < lines.page
            await app.press("escape")
            assert sources(app).loader.rows.has_focus and sources(app).loader.rows.display

    async def test_what_is_asked_for_while_hidden_is_shown_when_seen(self, store: Store) -> None:
        number, _ = tell(store, at("Hello there", name="first", day=1), at("Hi", name="second", day=2))
        async with opened(store, first="sources") as app:
            pane = sources(app).pane
            await app.press("2")
            pane.show(TranscriptLocation(number))
            await app.rest()
            await app.press("5")
            assert "Hello there" in app.seen()

    async def test_a_span_that_is_no_mark_is_lit(self, store: Store) -> None:
        (number,) = tell(store, conversation("talk", *TURNS))
        message = store.raw.messages(number)[0]
        async with opened(store) as app:
            app.view.go("sources", Target(message_id=message.id, span=(2, 8)))
            await app.rest()
            laid = sources(app).pane.lines.laid
            assert laid is not None
            assert [run.text for y in range(laid.height) for run in laid.line(y).runs if run.highlighted] == ["really"]

    async def test_a_message_that_is_gone_is_said(self, store: Store) -> None:
        tell(store, conversation("talk", *TURNS))
        async with opened(store) as app:
            app.view.go("sources", Target(message_id=99, span=(0, 1)))
            await app.rest()
            assert "its import was undone" in app.status and "About talk" in app.seen()


class TestSearching:
    async def test_every_message_is_searched_and_shown_where_it_stands(self, store: Store) -> None:
        tell(store, at(*TURNS, name="old", day=1), at("No coffee for me", "Why?", name="new", day=9))
        put(store, "No coffee for me")
        async with opened(store, first="sources") as app:
            await app.press("/")
            await app.write("walking coffee")
            found = sources(app).hits.rows
            assert "2 messages" in app.seen() and "No coffee for me" in app.seen().splitlines()[2]
            await app.press("enter", "j")
            assert found.has_focus and "I like walks." in app.seen()
            laid = sources(app).pane.lines.laid
            assert laid is not None
            assert [run.text for y in range(laid.height) for run in laid.line(y).runs if run.highlighted] == ["walks"]
            await app.press("escape")
            assert sources(app).loader is sources(app).conversations and "2 conversations" in app.seen()
            assert sources(app).conversations.location == TranscriptLocation(1) and "I like walks." in app.seen()
            await app.press("/")
            await app.write("cofee")
            assert app.status == "nothing found for “cofee”; showing “coffee”" and "1 message" in app.seen()
            await app.write("zeppelins")
            assert "nothing found" in app.seen() and app.status == ""

    async def test_a_hit_in_the_conversation_of_a_refused_passage_is_shown_where_it_stands(self, store: Store) -> None:
        (number,) = tell(store, conversation("talk", *TURNS))
        refuse(store, number, ("My sister lives in Leeds.", "vague"))
        async with opened(store, first="sources") as app:
            await app.press("X", "escape")  # back in the list, the transcript stays at the passage
            assert note(app).startswith("refused · vague")
            await app.press("/")
            await app.write("walks")
            await app.press("enter")
            shown = sources(app)
            assert shown.loader is shown.hits and shown.pane.location == shown.hits.location
            assert not note(app).startswith("refused")
            await app.press("escape")
            assert "1 conversation" in app.seen() and shown.pane.location == shown.hits.location

    async def test_what_is_found_late_is_shown_though_another_transcript_was_opened_meanwhile(
        self, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        tell(store, at("No coffee for me", "Why?", name="old", day=1), at(*TURNS, name="new", day=9))
        tell(store, at("Hello there", "Hi", name="newest", day=10))
        opens, search = threading.Event(), talks.search

        def late(store: Store, index: Index, query: str) -> tuple[str, list[talks.MessageHit]]:
            opens.wait(10)
            return search(store, index, query)

        monkeypatch.setattr(talks, "search", late)
        async with opened(store, first="sources") as app:
            await app.press("/")
            shown = sources(app)
            shown.line.query_one(Input).value = "coffee"
            await app.pilot.press("enter", "j", "enter")
            while shown.pane.marked is None or shown.pane.marked.conversation.title != "About new":
                await app.pilot.pause(0.01)
            assert shown.in_pane and "opening the search index" in app.status
            opens.set()
            await app.rest()
            assert shown.loader is shown.hits and shown.hits.rows.has_focus and not shown.in_pane
            assert shown.pane.marked.conversation.title == "About old" and "No coffee for me" in app.seen()

    async def test_why_it_cannot_be_searched_is_said(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        class Broken:
            def search_messages(self, query: str, limit: int) -> Sequence[tuple[int, float]]:
                raise Busy("there is no search index yet: try again in a minute")

        monkeypatch.setattr(AppContext, "index", lambda _: Broken())
        tell(store, conversation("talk", *TURNS))
        async with opened(store, first="sources") as app:
            await app.press("/")
            await app.write("tea")
            assert "there is no search index yet" in app.status and "search failed" in app.seen()
            await app.write("")
            assert "About talk" in app.seen() and sources(app).line.typing

    async def test_typing_in_the_field_does_nothing_else(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        class Empty:
            def search_messages(self, query: str, limit: int) -> Sequence[tuple[int, float]]:
                return []

            def corrections(self, *_: object, **__: object) -> dict[str, tuple[str, ...]]:
                return {}

        monkeypatch.setattr(AppContext, "index", lambda _: Empty())
        (number,) = tell(store, conversation("talk", *TURNS))
        refuse(store, number, ("I like walks.", "low_surprise"))
        before = store.state_hash()
        async with opened(store, first="sources") as app:
            await app.press("/", *"axXfneu", "space", "q")
            assert store.state_hash() == before and sources(app).line.text == "axXfneu q"
            assert "nothing found" in app.seen()


class TestAnyText:
    async def test_hostile_text_is_literal_everywhere(self, store: Store) -> None:
        talk = NewConversation(
            identity="odd",
            source="chatgpt",
            messages=(
                NewMessage(identity="1", role=Role.USER, text=HOSTILE),
                NewMessage(identity="2", role=Role.TOOL, text=HOSTILE, channel=Channel.TOOL),
            ),
            title=HOSTILE,
            external_id="odd",
        )
        (number,) = tell(store, talk)
        refuse(store, number, ("\x1b[31mred\x1b[0m", "[b]why[/b]"))
        async with opened(store, (160, 40), first="sources") as app:
            await app.press("n")
            seen = app.seen()
            assert "Says [red]hi[/red] ␛[31mred␛[0m ‹202e›evil‹202c› a‹200b›b [@click=app.quit]x[/]" in seen
            assert "\x1b" not in seen and "\u202e" not in seen and "refused · [b]why[/b]" in note(app)
            await app.press("X")
            assert "␛[31mred␛[0m" in app.seen().splitlines()[2] and "\x1b" not in app.seen()

    @exhaustive
    @pytest.mark.parametrize("text", ["x" * 1_000_000, "漢字 " * 100_000, "\x1b[31m" * 30_000, "\n" * 50_000 + "end"])
    async def test_a_message_of_any_length_opens_and_scrolls(self, store: Store, text: str) -> None:
        tell(store, conversation("talk", "before", text, "after"))
        async with opened(store, first="sources") as app:
            await app.press("tab", "G")
            assert "after" in app.seen()
            await app.press("pageup", "g")
            assert "before" in app.seen()

    @exhaustive
    @pytest.mark.parametrize("size", some([(40, 12), (60, 20), (80, 24), (110, 30), (200, 50)], 3))
    async def test_every_size_can_be_read(self, store: Store, size: tuple[int, int]) -> None:
        (number,) = tell(store, conversation("talk", *TURNS))
        refuse(store, number, ("I like walks.", "low_surprise"))
        async with opened(store, size, first="sources") as app:
            assert "About" in app.seen()
            await app.press("enter", "n")
            assert "I like walks." in app.seen() and "refused · low surprise" in app.seen()
            await app.pilot.resize_terminal(size[0] + 30, size[1])
            await app.rest()
            assert "I like walks." in app.seen() and note(app).startswith("refused")


class TestEmpty:
    async def test_an_empty_store_says_how_conversations_get_here(self, store: Store) -> None:
        async with opened(store, first="sources") as app:
            assert "No conversations yet." in app.seen() and "I import" in app.seen()
            await app.press("X")
            assert "Nothing was refused." in app.seen()
            await app.press("escape")
            assert "No conversations yet." in app.seen()
            await app.press("j", "enter", "tab", "n", "a", "e", "f", "y", "space")

    async def test_what_is_imported_then_shows(self, store: Store, tmp_path: Path) -> None:
        other = Store.open(tmp_path / "store")
        async with opened(store, first="sources") as app:
            tell(other, conversation("talk", *TURNS))
            await app.pilot.pause(0.5)
            await app.rest()
            assert "About talk" in app.seen() and TEA in app.seen()
        other.close()


@pytest.mark.parametrize("action", SOURCES, ids=lambda action: action.id)
def test_every_action_has_a_method(action: Action) -> None:
    assert callable(getattr(Sources, f"action_{action.method}"))

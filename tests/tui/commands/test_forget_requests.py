"""Forget requests from chats and forgotten matches: listed with the memories meant, decided with one key."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from curator import curation
from curator.models import load_embedder
from curator.paths import cache_folder
from curator.services.import_logs import distil_all
from effort import THOROUGH, some, thorough
from factories import conversation, put
from store import Filter, Store, clock
from store.model import Life
from tui.driver import opened

GONE = "My sister Anna works as a nurse in Kiel."
TURN = "Please forget my salary. Forget about my [b]dog[/b]. Remember my sister Anna is working as a nurse in Kiel."


@pytest.fixture(autouse=True)
def _by_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "hashing")


@pytest.fixture
def ids(store: Store) -> list[int]:
    """Store two memories that a request may mean, a forgotten one that an import says again, and an unrelated one."""
    ids = put(store, "My salary is 62,000 euros.", "I asked for a higher salary.", GONE, "I like tea.")
    curation.forget(store, [ids[2]])
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("a", TURN, "Done."))
    distil_all(store, load_embedder("hashing", cache_folder()))
    assert [one.words for one in store.forget_requests.page()] == ["my salary", "my [b]dog[/b]"]
    return ids


@thorough
async def test_it_is_offered_shown_marked_and_let_go_in_one_step(store: Store, ids: list[int]) -> None:
    before = store.state_hash()
    async with opened(store) as app:
        assert app.status == "2 requests to forget found in your chats · F shows the matches"
        await app.press("F")
        assert "“my salary”" in app.seen() and "2 memories may match · ChatGPT · About a" in app.seen()
        assert "“my [b]dog[/b]”" in app.seen() and "no memory matches" in app.seen()
        await app.press("1")
        assert set(app.ids) == set(ids[:2]) == app.listing.marks
        assert "matching “my salary”" in app.seen() and app.status.endswith("d forget")
        assert store.state_hash() == before and store.forget_requests.count_unseen() == 0
        await app.press("d")
        assert [store.get(memory).life for memory in ids[:2]] == [Life.FORGOTTEN] * 2
        await app.press("u")
        assert store.state_hash() == before
        await app.press("F", "2")
        assert "no memory matches" in app.status
        await app.press("F", "1", "3")
        assert "may mean" not in app.status, "it says nothing of another view"
    async with opened(store) as app:
        assert "asked" not in app.status


@thorough
async def test_what_is_in_doubt_is_listed_below_and_not_marked(store: Store) -> None:
    moved, home, _ = put(store, "We moved from Lisbon to Porto.", "I live in Lisbon.", "I like tea.")
    _asked_in(store, "Please forget my old address in Lisbon.", "Please forget my address in Porto.")
    async with opened(store) as app:
        await app.press("F")
        assert "1 memory may match, 1 in doubt" in app.seen() and "1 memory in doubt" in app.seen()
        await app.press("2")
        assert app.ids == [home, moved] and app.listing.marks == {home}
        assert "in doubt, not marked: does not say “address”" in app.status and app.status.endswith("d forget")
        await app.press("F", "1")
        assert app.ids == [moved] and not app.listing.marks and "d forget" not in app.status


@thorough
async def test_requests_are_listed_by_date_each_once_with_what_was_validated(store: Store) -> None:
    (lump,) = put(store, "I found a lump in my breast.", created_at=0)
    with store.command("import") as writer:
        texts = (
            "Forget my salary.",
            "Forget my gym.",
            "Forget about the lump please, dont want to see it mentioned ever",
        )
        for name, text, day in zip("abc", texts, (20, 30, 10), strict=True):
            made = conversation(name, text)
            said = made.messages[0]._replace(created_at=clock.from_iso(f"2026-03-{day}"))
            store.raw.put_conversation(writer, replace(made, messages=(said,)))
    distil_all(store, load_embedder("hashing", cache_folder()))
    with store.command("import") as writer:
        store.forget_requests.put(writer, [(3, 0, 64), (3, 13, 21)])
    curation.validate(store, [lump])
    async with opened(store, size=(80, 24)) as app:
        await app.press("F")
        seen = app.seen()
        assert seen.index("“my gym”") < seen.index("“my salary”") < seen.index("lump”"), "the latest first"
        assert "dont want" not in seen and "1 memory in doubt" in seen
        await app.press("escape")
        assert not store.forget_requests.count_unseen()


@thorough
@pytest.mark.parametrize("first", some(["memories", "inbox", "conflicts"], 2))
async def test_esc_leads_back_to_where_it_was_asked(store: Store, ids: list[int], first: str) -> None:
    async with opened(store, first=first) as app:
        await app.press("F", "1")
        assert app.view.id == "memories" and app.listing.marks == set(ids[:2])
        await app.press("escape")
        if first == "memories":  # the first escape clears the marks, the second one closes the list
            assert not app.listing.marks and set(app.ids) == set(ids[:2])
            await app.press("escape")
            assert len(app.ids) == len(store.list_ids(Filter()))
        assert app.view.id == first and "may mean" not in app.status
        await app.press("1", "2")
        assert len(app.ids) == len(store.list_ids(Filter())), "the request was left"
        await app.press({"inbox": "1", "memories": "2", "conflicts": "3"}[first])
        await app.press("F", "1", "space", "escape")  # choosing memories by hand opens a dialog of its own
        assert app.view.id == "memories" and not app.listing.marks
        await app.press("escape")
        assert app.view.id == first


@thorough
async def test_the_line_about_the_marks_goes_with_them(store: Store, ids: list[int]) -> None:
    async with opened(store) as app:
        for keys in ("escape",), ("space",), ("j", "space"):
            await app.press("F", "1")
            assert app.status.startswith("marked the matches") and app.status.endswith("d forget")
            await app.press("j")
            assert app.status.endswith("d forget"), "to look at them changes nothing"
            await app.press(*keys)
            assert not app.status, "d would forget others than it says"


@thorough
async def test_a_list_whose_memories_are_all_forgotten_is_not_met_again(store: Store, ids: list[int]) -> None:
    async with opened(store, first="memories") as app:
        await app.press("F", "1", "d")
        assert app.ids == []
        await app.press("1", "2")
        assert app.ids and "matching" not in app.seen()


@thorough
async def test_leaving_the_menu_changes_nothing(store: Store, ids: list[int]) -> None:
    async with opened(store) as app:
        await app.press("F", "escape")
        assert len(app.ids) == len(store.list_ids(Filter())) and not app.listing.marks
        await app.press("F")
        assert "“my salary”" in app.seen(), "shown once, it is not offered again, and still there"


@thorough
async def test_what_came_back_may_be_restored(store: Store, ids: list[int]) -> None:
    async with opened(store) as app:
        await app.press("F")
        assert "forgotten, said again" in app.seen()
        await app.press("r")
        assert app.ids == [ids[2]] and not app.listing.marks and app.status.endswith("R restore")
        await app.press("R")
        assert store.get(ids[2]).life is Life.LIVE
        await app.press("u", "F")
        assert "forgotten, said again" in app.seen()


@thorough
async def test_an_import_says_what_came_back_and_where(store: Store, ids: list[int], tmp_path: Path) -> None:
    from curator.tui.commands.import_logs import import_log

    log = tmp_path / "log.json"
    turns: list[dict[str, Any]] = [
        {"role": "user", "content": f"{TURN} Again."},
        {"role": "assistant", "content": "Ok."},
    ]
    log.write_text(json.dumps([{"title": "One [red]day[/red]", "messages": turns}]))
    done = import_log(store, log, lambda _: None, lambda: None)
    assert done.returned == (ids[2],) and done.refused > 0
    assert f"“{GONE}”" in done.more and "is working as a nurse in Kiel. · OpenAI · One [red]day[/red]" in done.more
    assert "request to forget in a chat: my salary" in done.more


@thorough
async def test_the_details_of_an_import_name_the_key_that_lists_the_requests(
    store: Store, ids: list[int], tmp_path: Path
) -> None:
    log = tmp_path / "log.json"
    log.write_text(json.dumps([{"title": "One day", "messages": [{"role": "user", "content": f"{TURN} Again."}]}]))
    async with opened(store) as app:
        await app.press("I")
        await app.write(str(log))
        await app.press("enter")
        seen = " ".join(app.seen().split())
        assert "Nothing was forgotten yet: F shows the memories they may refer to." in seen
        assert "F lists the forgotten memories that came back; restore one to keep it." in seen


@thorough
async def test_a_long_request_is_cut_after_a_word(store: Store) -> None:
    put(store, "I like tea.")
    _asked_in(store, "Please forget my long agreement about the summer house beside lake Karl.")
    async with opened(store) as app:
        await app.press("F")
        assert "“my long agreement about the summer house beside…”" in app.seen()


@thorough
async def test_nothing_was_asked(store: Store) -> None:
    put(store, "I like tea.")
    async with opened(store) as app:
        assert app.status == ""
        await app.press("F")
        assert app.status == "no requests to forget in your chats"


def test_a_request_goes_with_its_words(store: Store, ids: list[int]) -> None:
    (salary, dog) = store.forget_requests.page()
    store.forget_requests.mark_seen([salary.place])
    assert [(one.words, one.seen) for one in store.forget_requests.page()] == [
        ("my [b]dog[/b]", False),
        ("my salary", True),
    ]
    distil_all(store, load_embedder("hashing", cache_folder()), again=True)
    assert store.forget_requests.count_unseen() == 1, "read again, it is known"
    (more,) = put(store, "Forget about my [b]dog[/b].")
    store.purge([more])
    assert [one.words for one in store.forget_requests.page()] == ["my salary"], "its words were purged"
    store.erase_logs([dog.conversation], clock.LATEST)
    assert store.forget_requests.page() == [] and store.forget_requests.count_unseen() == 0


@thorough
async def test_of_two_requests_that_begin_alike_the_one_of_the_key_is_marked(store: Store) -> None:
    about = "my long agreement about the summer house beside lake"
    karl, anna = put(store, f"{about.capitalize()} Karl holds.", f"{about.capitalize()} Anna holds.")
    _asked_in(store, f"Please forget {about} Karl.", f"Please forget {about} Anna.")
    async with opened(store) as app:
        await app.press("F", "1")
        assert app.listing.marks == {anna}
        await app.press("F", "2")
        assert app.listing.marks == {karl}


@thorough
async def test_only_what_came_into_view_was_shown_and_the_menu_scrolls(store: Store) -> None:
    count = 26 if THOROUGH else 16
    _asked_in(store, *(f"Please forget my salary number{number}." for number in range(count)))
    async with opened(store, size=(80, 24)) as app:
        await app.press("F")
        shown = app.seen().count(" · 14 Nov 2023")  # the date stands on the second line of a request
        assert 5 < shown < count and "press a key, or" in app.seen()
        await app.press("escape")
        assert store.forget_requests.count_unseen() == count - shown
        await app.press("F")
        offered = [one.words for one in store.forget_requests.page()]
        for place in range(count):
            assert f"“{offered[place]}”" in app.seen(), "what the arrows are on is in view"
            await app.press("down")
        assert f"“{offered[0]}”" in app.seen(), "after the last comes the first"
        await app.press("up", "enter")
        assert app.status.startswith(f"“{offered[-1]}”: no memory matches")
        assert store.forget_requests.count_unseen() == 0


def _asked_in(store: Store, *turns: str) -> None:
    with store.command("import") as writer:
        for place, turn in enumerate(turns):
            store.raw.put_conversation(writer, conversation(f"said {place}", turn, "Done."))
    distil_all(store, load_embedder("hashing", cache_folder()))

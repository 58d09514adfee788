"""Lists of conversations: ids in order, rows with counts, sources, and quotes of one."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from curator import curation
from factories import conversation, put, quote
from store import Store
from store.model import NewConversation, Role

DAY = 86_400_000_000


@pytest.fixture
def other(tmp_path: Path, store: Store) -> Iterator[Store]:
    """Open the same store as another owner."""
    opened = Store.open(tmp_path / "store", "somebody")
    yield opened
    opened.close()


def tell(store: Store, *talks: NewConversation) -> None:
    with store.command("import") as writer:
        for talk in talks:
            store.raw.put_conversation(writer, talk)


def names(store: Store, ids: list[int]) -> list[str | None]:
    return [found.external_id for found in store.raw.get_conversations(ids)]


def test_newest_first_and_those_without_a_date_last(store: Store) -> None:
    tell(
        store,
        conversation("middle", "Hi", created_at=2 * DAY),
        conversation("never", "Hi"),
        conversation("first", "Hi", created_at=DAY),
        conversation("last", "Hi", created_at=3 * DAY),
        conversation("also last", "Hi", created_at=3 * DAY),
    )
    ids = store.raw.conversation_ids()
    assert names(store, ids) == ["also last", "last", "middle", "first", "never"]
    assert [found.id for found in store.raw.get_conversations()] == ids


def test_rows_come_in_the_order_asked_with_counts_and_without_what_is_missing(store: Store) -> None:
    tell(store, conversation("one", "I like tea", "Fine"), conversation("two", "Hi"))
    one, two = sorted(store.raw.conversation_ids())
    said = store.raw.messages(one)[0]
    first, second, third = (
        *put(store, "Likes tea", "Likes hot drinks", evidence=(quote("I like tea", said.text, said.id),)),
        *put(store, "Drinks tea", evidence=(quote("like tea", said.text, said.id),)),
    )
    curation.forget(store, [third])
    rows = store.raw.get_conversations([two, 99, one])
    assert [(row.id, row.messages, row.memories) for row in rows] == [(two, 1, 0), (one, 2, 2)]
    assert store.raw.conversation(one) == rows[1]
    assert [(item.memory, item.quote) for item in store.raw.quotes(one)] == [
        (first, "I like tea"),
        (second, "I like tea"),
        (third, "like tea"),
    ]
    assert store.raw.quotes(two) == []


def test_only_one_source_or_words_of_the_title(store: Store) -> None:
    tell(store, *(conversation(f"tea {n}", "Hi", source="claude") for n in range(3)), conversation("50%_off", "Hi"))
    assert store.raw.conversation_counts() == [("claude", 3), ("chatgpt", 1)]
    assert len(store.raw.conversation_ids("claude")) == 3 and store.raw.conversation_ids("markdown") == []
    assert names(store, store.raw.conversation_ids(None, "TEA about")) == ["tea 2", "tea 1", "tea 0"]
    assert names(store, store.raw.conversation_ids(None, "0%_o")) == ["50%_off"]
    assert store.raw.conversation_ids(None, "5%f") == [] and store.raw.conversation_ids(None, "!") == []


def test_an_undone_import_hides_its_conversations_and_what_it_added(store: Store) -> None:
    tell(store, conversation("old", "Hi"))
    tell(store, conversation("old", "Hi", "Hello", "More"), conversation("new", "I like tea"))
    (new,) = (number for number in store.raw.conversation_ids() if number != 1)
    store.undo(2)
    assert names(store, store.raw.conversation_ids()) == ["old"] and store.raw.get_conversations([new]) == []
    assert store.raw.conversation(1).messages == 1 and store.raw.quotes(new) == []
    assert store.raw.conversation_counts() == [("chatgpt", 1)]


def test_another_owner_sees_none_of_it(store: Store, other: Store) -> None:
    tell(store, conversation("mine", "I like tea"))
    said = store.raw.messages(1)[0]
    put(store, "Likes tea", evidence=(quote("I like tea", said.text, said.id),))
    assert other.raw.conversation_ids() == [] and other.raw.get_conversations([1]) == []
    assert other.raw.conversation_counts() == [] and other.raw.quotes(1) == []


def test_without_a_title_the_first_words_of_the_person_name_a_conversation(store: Store) -> None:
    long = "Please fix the failing test of the kiln, " * 4
    tell(
        store,
        conversation("titled", "I like tea"),
        replace(conversation("spoken", long), title=None),
        replace(conversation("empty", "", "Hello"), title=None),
    )
    found = {one.external_id: one for one in store.raw.get_conversations()}
    assert (found["titled"].name, found["titled"].opening) == ("About titled", None)
    assert found["spoken"].name == f"{long[:80].rstrip()}…"
    assert (found["empty"].name, found["empty"].opening) == ("untitled", None)


def test_many_messages_are_stored_in_order_and_grow(store: Store) -> None:
    said = [f"number {place}" for place in range(150)]
    for count in (45, 150):  # stored 32 at a time, then 8, then one by one
        tell(store, conversation("long", *said[:count]))
        (found,) = store.raw.conversation_ids()
        stored = store.raw.messages(found)
        assert [(one.ordinal, one.text, one.external_id) for one in stored] == [
            (place, text, f"long-{place}") for place, text in enumerate(said[:count])
        ]
        assert [one.role for one in stored[:2]] == [Role.USER, Role.ASSISTANT]

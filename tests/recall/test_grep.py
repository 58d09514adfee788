"""Full-text search over what was really said."""

from curator.models import load_embedder
from curator.recall import grep
from factories import conversation
from store import Store
from store.index import Index
from store.model import Channel, NewConversation, NewMessage, Role


def index_of(store: Store) -> Index:
    return Index(store, load_embedder("hashing", store.folder).fingerprint)


def test_a_passage_comes_with_its_turns_and_its_conversation(store: Store) -> None:
    turns = ("Hello", "Good morning", "The kiln has cracked", "Call the potter", "I will", "Good")
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("kiln", *turns))
        store.raw.put_conversation(writer, conversation("tea", "Tea or coffee?", "Tea"))
    (passage,) = grep(store, index_of(store), "cracks in the kilns", context=2)
    assert passage.message.text == "The kiln has cracked"
    assert passage.conversation.title == "About kiln"
    assert [message.text for message in passage.before] == ["Hello", "Good morning"]
    assert [message.text for message in passage.after] == ["Call the potter", "I will"]
    assert passage.score > 0
    (bare,) = grep(store, index_of(store), "kiln", context=0)
    assert (bare.before, bare.after) == ((), ())


def test_everything_stored_is_searched_not_only_what_was_spoken(store: Store) -> None:
    output = NewMessage(identity="1", role=Role.TOOL, text="Traceback: kiln not found", channel=Channel.TOOL)
    with store.command("import") as writer:
        store.raw.put_conversation(writer, NewConversation(identity="c", source="claude-code", messages=(output,)))
    (passage,) = grep(store, index_of(store), "traceback kiln")
    assert passage.message.channel is Channel.TOOL


def test_nothing_found_is_an_empty_list(store: Store) -> None:
    index = index_of(store)
    assert grep(store, index, "kiln") == []
    assert grep(store, index, "") == []
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("tea", "Tea or coffee?"))
    assert grep(store, index, "kiln " * 2_000) == []
    assert len(grep(store, index, "coffee", limit=1)) == 1

"""Full-text search over the original messages."""

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


def chats(store: Store) -> Index:
    turns = (
        "Is remote work allowed?",
        "Remote is fine on Fridays",
        "A fine remote control",
        "The fine for parking",
        "remote is  fine with me",
        "To be or not to be",
    )
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("work", *turns))
    return index_of(store)


def test_a_phrase_in_quotes_is_literally_in_every_message(store: Store) -> None:
    index = chats(store)
    found = [passage.message.text for passage in grep(store, index, '"remote is fine"')]
    assert sorted(found) == ["Remote is fine on Fridays", "remote is  fine with me"]
    assert [one.message.text for one in grep(store, index, '"fine remote" control')] == ["A fine remote control"]
    assert [one.message.text for one in grep(store, index, "“to be or”")] == ["To be or not to be"]
    assert grep(store, index, '"fine is remote"') == []


def test_of_several_words_the_phrase_comes_first_then_all_words(store: Store) -> None:
    found = [passage.message.text for passage in grep(store, chats(store), "remote is fine")]
    assert set(found[:2]) == {"Remote is fine on Fridays", "remote is  fine with me"}
    assert found[2:] == ["A fine remote control"]


def test_a_short_message_with_all_words_does_not_precede_a_long_one_with_the_phrase(store: Store) -> None:
    long = f"My eating disorder began {'in the spring of that year ' * 20}"
    with store.command("import") as writer:
        store.raw.put_conversation(
            writer, conversation("work", "disorder eating eating disorder", "eating, disorder", long)
        )
    (first, *others) = grep(store, index_of(store), "eating disorder", limit=3)
    assert "eating disorder" in first.message.text and len(others) == 2
    assert [one.message.text for one in others][-1] == "eating, disorder"


def test_some_of_the_words_are_found_only_if_no_message_has_all_and_that_is_marked(store: Store) -> None:
    index = chats(store)
    (some,) = grep(store, index, "parking zebra")
    assert (some.message.text, some.partial) == ("The fine for parking", True)
    for whole in ("parking", "remote is fine", '"fine remote" control', "“to be or”"):
        assert [one.partial for one in grep(store, index, whole)] == [False] * len(grep(store, index, whole)) != []
    assert [one.partial for one in grep(store, index, '"fine remote" zebra')] == [True]


def test_what_signs_join_is_no_match_by_a_part_of_it(store: Store) -> None:
    with store.command("import") as writer:
        store.raw.put_conversation(
            writer,
            conversation("mail", "Ben has ben@example.com", "Anna, see example.com", "Write to anna@example.com"),
        )
        store.raw.put_conversation(writer, conversation("мост", "Мы живём у мостов"))
    index = index_of(store)
    first, *others = grep(store, index, "anna@example.com")
    assert first.message.text == "Write to anna@example.com" and not first.partial
    assert [one.message.text for one in others] == ["Anna, see example.com"]
    assert all(one.partial for one in grep(store, index, "zoe@example.com"))
    assert [one.partial for one in grep(store, index, "мосту")] == [False]  # another inflection of the word

"""Admitting memories and conversations: known ones, forgotten ones, and owners."""

import pytest

from factories import conversation, memory, put, quote
from store import Conflict, Forbidden, Forgotten, NotFound, Store
from store.model import Kind, Life, NewVersion, Origin, Review, Surprise, Tier


def test_a_memory_comes_back_as_it_was_written(store: Store) -> None:
    new = memory(
        "Drinks tea, never after six",
        kind=Kind.PREFERENCE,
        tier=Tier.CORE,
        confidence=0.9,
        importance=8,
        project="house",
        source="chatgpt",
        subject="person",
        relation="drinks",
        object="tea",
        flag="injection",
        surprise=Surprise(0.9, 0, 0.8, 0.4, 0),
        created_at=1_600_000_000_000_001,
        tags=("food", "evening"),
        evidence=(quote("tea", "I like tea", reference="m1", title="Kitchen", said_at=5),),
        versions=(NewVersion("Drinks tea", 7),),
    )
    with store.command("add") as writer:
        number = store.admit(writer, new).added
    assert number is not None
    found = store.get(number)
    assert (found.text, found.kind, found.tier, found.confidence) == (new.text, Kind.PREFERENCE, Tier.CORE, 0.9)
    assert found.tags == ("evening", "food")
    assert found.surprise == new.surprise
    assert found.created_at == 1_600_000_000_000_001
    assert (found.state, found.review) == ("new", Review.OPEN)
    (evidence,) = store.evidence(number)
    assert (evidence.quote, evidence.reference, evidence.title, evidence.said_at) == ("tea", "m1", "Kitchen", 5)
    assert [version.text for version in store.versions(number)] == ["Drinks tea"]


def test_what_says_exactly_the_same_gives_its_quote_and_makes_no_second_memory(store: Store) -> None:
    first, second = (memory("I like tea", evidence=(quote("tea", f"{n} tea", reference=f"m{n}"),)) for n in (1, 2))
    with store.command("import") as writer:
        number = store.admit(writer, first).added
        outcome = store.admit(writer, second)
        again = store.admit(writer, second)
    assert (outcome.known, outcome.grown, again.grown) == (number, True, False)
    assert number is not None
    assert [item.reference for item in store.evidence(number)] == ["m1", "m2"]


def test_scopes_keep_equal_memories_apart(store: Store) -> None:
    everywhere, here = put(store, "Use tabs") + put(store, "Use tabs", scope="project:site")
    assert everywhere != here


def test_ready_memories_are_known_by_their_external_id_and_kept_as_they_are(store: Store) -> None:
    ids = put(store, "Thanks!", origin=Origin.IMPORT, external_id="a")
    ids += put(store, "Thanks!", origin=Origin.IMPORT, external_id="b")
    assert len(set(ids)) == 2
    assert put(store, "something else", origin=Origin.IMPORT, external_id="a") == ids[:1]


def test_another_owners_memory_is_forbidden_and_a_missing_one_not_found(store: Store) -> None:
    (mine,) = put(store, "I like tea")
    other = Store.open(store.folder, owner="ana")
    with pytest.raises(Forbidden):
        other.get(mine)
    with pytest.raises(NotFound):
        other.get(999)
    with pytest.raises(Forbidden):
        other.purge([mine])
    assert other.get_many([mine]) == []
    assert put(other, "I like tea") != [mine]
    other.close()


def test_what_was_forgotten_comes_back_by_no_write_path(store: Store) -> None:
    from curator import curation

    (tea,) = put(store, "I like tea")
    (coffee,) = put(store, "I like coffee")
    curation.forget(store, [tea])
    with store.command("import") as writer:
        assert store.admit(writer, memory("i like  TEA!")).forgotten == tea
        assert store.admit(writer, memory("I like tea", origin=Origin.IMPORT, external_id="x")).forgotten == tea
        assert store.admit(writer, memory("I like tea", origin=Origin.MODEL, scope="project:x")).forgotten == tea
    with pytest.raises(Forgotten):
        curation.add(store, "I like tea")
    with pytest.raises(Forgotten):
        curation.edit(store, coffee, "I like tea")
    curation.restore(store, [tea])
    assert store.get(tea).life is Life.LIVE
    with pytest.raises(Conflict):
        curation.add(store, "I like tea")


def test_a_conversation_goes_in_once_and_grows(store: Store) -> None:
    with store.command("import") as writer:
        first = store.raw.put_conversation(writer, conversation("a", "hi", "hello"))
    with store.command("import") as writer:
        again = store.raw.put_conversation(writer, conversation("a", "hi", "hello"))
    with store.command("import") as writer:
        grown = store.raw.put_conversation(writer, conversation("a", "hi", "hello", "I moved to Porto"))
    assert (first.new, first.fresh) == (True, (0, 1))
    assert (again.new, again.grown, again.fresh) == (False, False, ())
    assert (grown.new, grown.grown, grown.fresh) == (False, True, (2,))
    (known,) = store.raw.get_conversations()
    assert [message.text for message in store.raw.messages(known.id)] == ["hi", "hello", "I moved to Porto"]
    assert [command.verb for command in store.journal.log()] == ["import", "import"]


def test_a_message_given_twice_in_one_conversation_is_stored_once(store: Store) -> None:
    from dataclasses import replace

    doubled = conversation("a", "hi", "hello")
    doubled = replace(doubled, messages=doubled.messages * 2)
    with store.command("import") as writer:
        assert store.raw.put_conversation(writer, doubled).fresh == (0, 1)


def test_peeking_counts_and_writes_nothing(store: Store) -> None:
    before = store.state_hash()
    assert store.raw.peek_conversation(conversation("a", "hi", "hello")).new
    assert store.peek_memory(memory("I like tea")).known is None
    assert store.state_hash() == before
    assert store.raw.get_conversations() == []


def test_text_that_cannot_be_stored_is_made_so(store: Store) -> None:
    (number,) = put(store, "tea\0 and \ud800 more")
    assert store.get(number).text == "tea� and � more"


def test_a_command_that_fails_leaves_nothing(store: Store) -> None:
    before = store.state_hash()
    with pytest.raises(RuntimeError), store.command("add") as writer:
        store.admit(writer, memory("I like tea"))
        raise RuntimeError
    assert store.state_hash() == before
    assert store.journal.log() == []


def test_a_command_that_changes_nothing_leaves_no_trace(store: Store) -> None:
    from curator import curation

    (number,) = put(store, "I like tea")
    assert curation.validate(store, [number]) == 1
    assert curation.validate(store, [number]) == 0
    assert [command.verb for command in store.journal.log()] == ["validate", "add"]

"""Effects of a command, read from its events."""

import pytest

from curator import curation
from effort import thorough
from factories import conversation, memory, put, quote
from store import NotFound, Store
from store.model import Actor, NewConversation, Relation, Tier
from store.record.alerts import Alerts
from store.record.command_effects import EffectKind, MemoryEffect


def last(store: Store) -> int:
    """Return the last command."""
    return store.journal.command_ids(limit=1)[0]


def test_a_change_names_columns_before_and_after(store: Store) -> None:
    one, two = put(store, "one", "two")
    curation.set_tier(store, [one], Tier.CORE)
    curation.set_tier(store, [one, two], Tier.LOW)
    changes = store.journal.effects(last(store))
    assert changes.memories == (one, two) and changes.whole
    assert changes.touched == (
        MemoryEffect(one, EffectKind.CHANGED, "tier", "core", "low"),
        MemoryEffect(two, EffectKind.CHANGED, "tier", "medium", "low"),
    )


def test_what_came_to_be_and_what_undo_took_away(store: Store) -> None:
    with store.command("add") as writer:
        store.admit(writer, memory("I like tea", tags=("drink",), evidence=(quote("tea", "tea"),)))
    added = store.journal.effects(last(store))
    assert [(item.kind, item.column, item.after) for item in added.touched] == [
        (EffectKind.ADDED, "memory", "I like tea"),
        (EffectKind.ADDED, "quote", "tea"),
        (EffectKind.ADDED, "tag", "drink"),
    ]
    store.undo()
    gone = store.journal.effects(last(store))
    assert {(item.kind, item.column, item.before) for item in gone.touched} == {
        (EffectKind.REMOVED, "memory", "I like tea"),
        (EffectKind.REMOVED, "quote", "tea"),
        (EffectKind.REMOVED, "tag", "drink"),
    }


def test_an_edit_has_both_texts_and_no_keys(store: Store) -> None:
    (only,) = put(store, "I like tea")
    curation.edit(store, only, "I like green tea")
    texts = {item.column: (item.before, item.after) for item in store.journal.effects(last(store)).touched}
    assert texts["text"] == ("I like tea", "I like green tea")
    assert texts["version"] == (None, "I like tea")
    assert "content_key" not in texts


def test_of_a_merge_each_version_says_where_it_is_from(store: Store) -> None:
    one, two = put(store, "I like tea", "I like tea a lot")
    curation.merge(store, [one, two], "I like tea a lot", two)
    touched = store.journal.effects(last(store)).touched
    assert MemoryEffect(two, EffectKind.ADDED, "version", None, "I like tea", one) in touched
    assert MemoryEffect(one, EffectKind.CHANGED, "superseded_by", None, two) in touched


def test_conversations_of_an_import_and_what_undo_hid(store: Store) -> None:
    with store.command("import", Actor.PERSON) as writer:
        store.raw.put_conversation(writer, conversation("tea", "I like tea", "Oh", "Green tea"))
        store.raw.put_conversation(writer, conversation("trains", "I like trains"))
    brought = store.journal.effects(last(store)).batches
    assert [(item.kind, item.title, item.source, item.messages) for item in brought] == [
        (EffectKind.ADDED, "About tea", "chatgpt", 3),
        (EffectKind.ADDED, "About trains", "chatgpt", 1),
    ]
    assert store.raw.message(brought[1].first or 0).text == "I like trains"
    imported = last(store)
    with store.command("distil", Actor.SWEEP) as writer:
        store.distillation.mark(writer, brought[0].conversation, "rules", brought[0].first or 0)
    (read,) = store.journal.effects(last(store)).batches
    assert (read.kind, read.title, read.messages, read.first) == (EffectKind.CHANGED, "About tea", 0, None)
    store.undo(last(store))
    store.undo(imported)
    assert [(item.kind, item.messages) for item in store.journal.effects(last(store)).batches] == [
        (EffectKind.REMOVED, 3),
        (EffectKind.REMOVED, 1),
    ]


def test_a_grown_conversation_counts_what_this_import_brought(store: Store) -> None:
    for turns in (("one", "two"), ("one", "two", "three", "four", "five")):
        with store.command("import") as writer:
            store.raw.put_conversation(writer, conversation("tea", *turns))
    assert store.journal.effects(last(store)).batches[0].messages == 3


def test_alerts_are_told_of_one_side_with_the_other(store: Store) -> None:
    one, two = put(store, "Lives in Lisbon", "Lives in Porto")
    with store.command("compare", Actor.SWEEP) as writer:
        Alerts.put(writer, one, two, Relation.CONTRADICTION, 0.8, ("same slot",))
    assert store.journal.effects(last(store)).touched == (
        MemoryEffect(one, EffectKind.ADDED, "alert", None, "contradiction", two),
    )
    with store.command("settle") as writer:
        store.alerts.resolve_between(writer, [one, two], "both")
    assert store.journal.effects(last(store)).touched == (
        MemoryEffect(one, EffectKind.CHANGED, "settled", None, "both", two),
    )


@thorough
def test_of_many_the_first_are_told_whole(store: Store) -> None:
    """List the first memories with all their changes, which may stand in several events."""
    with store.command("import") as writer:
        ids = [store.admit(writer, memory(f"fact {n}", tags=("a",))).added or 0 for n in range(3_000)]
    curation.reject(store, ids)
    curation.restore(store, ids)
    changes = store.journal.effects(last(store), 10)
    assert changes.memories == tuple(ids[:10]) and not changes.whole
    assert [(item.column, item.after) for item in changes.touched if item.memory == ids[9]] == [
        ("life", "live"),
        ("review", "open"),
    ]
    assert len(store.journal.effects(store.journal.command_ids()[-1], 50).touched) == 100


def test_exactly_as_many_as_asked_are_whole(store: Store) -> None:
    put(store, "one", "two")
    assert store.journal.effects(last(store), 2).whole
    assert not store.journal.effects(last(store), 1).whole


def test_many_conversations_without_memories(store: Store) -> None:
    with store.command("import") as writer:
        for n in range(5):
            store.raw.put_conversation(writer, conversation(f"c{n}", "hello"))
    changes = store.journal.effects(last(store), 3)
    assert len(changes.batches) == 3 and not changes.whole


def test_purged_words_are_gone(store: Store) -> None:
    (only,) = put(store, "secret tea")
    curation.edit(store, only, "secret coffee")
    edit = last(store)
    store.purge([only])
    assert {item.column: (item.before, item.after) for item in store.journal.effects(edit).touched}["text"] == ("", "")
    assert (
        MemoryEffect(only, EffectKind.CHANGED, "life", "live", "purged") in store.journal.effects(last(store)).touched
    )


def test_the_first_memory_of_each_for_a_list(store: Store) -> None:
    one, two = put(store, "one", "two")
    added = last(store)
    curation.forget(store, [two])
    forgot = last(store)
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("tea", "I like tea"))
    assert store.journal.first_touched([added, forgot, last(store), 99]) == {added: one, forgot: two}


def test_of_a_command_that_is_not_there_or_of_another(store: Store) -> None:
    put(store, "one")
    with pytest.raises(NotFound, match="no command 9"):
        store.journal.effects(9)
    other = Store.open(store.folder, "other")
    with pytest.raises(NotFound):
        other.journal.effects(last(store))
    assert other.journal.first_touched([last(store)]) == {}
    other.close()


def test_a_title_of_none(store: Store) -> None:
    with store.command("import") as writer:
        store.raw.put_conversation(
            writer, NewConversation(identity="x", source="claude", messages=conversation("c", "hi").messages)
        )
    assert store.journal.effects(last(store)).batches[0].title is None

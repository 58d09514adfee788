"""Refused candidates: listed in pages, counted by reason, and accepted by the person."""

from pathlib import Path
from typing import Any

import pytest

from curator import curation
from curator.models import load_embedder
from curator.services.import_logs import distil_all, import_paths
from factories import conversation, put
from store import Conflict, Filter, Forgotten, NotFound, Store
from store.model import Kind, Life, NewConversation, Origin, Refusal, Review, Tier


def refuse(store: Store, turn: str, *passages: str, reason: str = "vague", name: str = "a", **fields: Any) -> int:
    """Store a conversation of one message, some passages of which a gate refused; return the message's id."""
    with store.command("import") as writer:
        new: NewConversation = conversation(name, turn, project="site", **fields)
        store.raw.put_conversation(writer, new)
        (message,) = writer.connection.execute("SELECT max(id) FROM messages").fetchone()
        rows = [
            Refusal(message, turn.index(part), turn.index(part) + len(part), reason, Kind.PREFERENCE, 0.4)
            for part in passages
        ]
        store.distillation.put_refusals(writer, "rules/1", rows)
    return int(message)


def test_a_passage_becomes_a_memory_as_the_distiller_would_word_it(store: Store) -> None:
    turn = "well, *perhaps* i like  green tea,\nbut not at night"
    message = refuse(store, turn, "*perhaps* i like  green tea,", "but not at night")
    first, second = store.distillation.refusals()
    before = store.state_hash()
    made = curation.accept_passage(store, first)
    assert (made.text, made.kind, made.review, made.origin) == (
        "Perhaps i like green tea",
        Kind.PREFERENCE,
        Review.VALIDATED,
        Origin.RULES,
    )
    assert (made.tier, made.confidence, made.source, made.project, made.scope) == (
        Tier.MEDIUM,
        0.4,
        "chatgpt",
        "site",
        "global",
    )
    assert made.created_at == store.raw.message(message).created_at
    (item,) = store.evidence(made.id)
    assert (item.message, item.start, item.end, item.quote) == (message, first.start, first.end, turn[6:34])
    assert store.distillation.refusals() == store.distillation.refused() == [second]
    assert store.distillation.refused_counts() == [("vague", 1)]
    with pytest.raises(NotFound, match="curator refused"):
        store.distillation.refusal(message, first.start, first.end)
    after = store.state_hash()
    store.undo()
    assert (store.state_hash(), store.distillation.refusals()) == (before, [first, second])
    store.redo()
    assert (store.state_hash(), store.distillation.refusals()) == (after, [second])
    curation.forget(store, [made.id])
    assert store.distillation.refusal(message, first.start, first.end) == first, "no live memory cites it"
    assert store.differences() == []


def test_the_persons_own_words_for_it(store: Store) -> None:
    key = "sk-ant-api03-" + "FAKEkey0123456789abcdefFAKE" * 3 + "-AA"
    refuse(store, "that would be nice", "that would be nice")
    made = curation.accept_passage(store, store.distillation.refusals()[0], f"  I like\n walks {key}")
    assert made.text.startswith("I like walks ")
    assert key not in made.text
    assert store.evidence(made.id)[0].quote == "that would be nice"


def test_a_merged_one_keeps_its_passage_taken(store: Store) -> None:
    refuse(store, "I like walks", "I like walks")
    made = curation.accept_passage(store, store.distillation.refusals()[0])
    (other,) = put(store, "I like long walks")
    curation.merge(store, [made.id, other], "I like long walks outside", other)
    assert store.get(made.id).life is Life.SUPERSEDED
    assert store.distillation.refusals() == []


def test_what_an_agent_was_told_of_its_project_holds_there(store: Store) -> None:
    refuse(store, "The port is 8080", "The port is 8080", agent=True)
    (found,) = store.distillation.refusals()
    made = curation.accept_passage(store, Refusal(found.message, found.start, found.end, found.reason))
    assert (made.kind, made.scope, made.confidence) == (Kind.FACT, "project:site", 0.5)


@pytest.mark.parametrize(
    ("turn", "text", "error", "words"),
    [
        ("???", None, curation.Refused, "needs text"),
        ("a " * 300, None, curation.Refused, "599 characters.*at most 500"),
        ("a " * 300, "a " * 300, curation.Refused, "at most 500"),
        ("a " * 6_000, "I like a", curation.Refused, "12,000 characters.*curator add"),
        ("I like tea!", None, Conflict, "memory 1 says the same"),
        ("Whatever", "i like TEA", Conflict, "memory 1 says the same"),
        ("I like rain", None, Forgotten, "memory 2 .*restore"),
        ("I like snow", None, Conflict, "memory 3 said so and was superseded; `curator restore 3`"),
        ("I like storms", None, Conflict, "memory 4 says the same, or did before"),
        ("I keep ███ there", None, curation.Refused, "purged"),
    ],
)
def test_what_is_not_taken_in(store: Store, turn: str, text: str | None, error: type[Exception], words: str) -> None:
    _, rain, snow, storms = put(store, "I like tea", "I like rain", "I like snow", "I like storms")
    curation.forget(store, [rain])
    curation.edit(store, storms, "I like thunder")
    curation.supersede(store, [snow], storms)
    refuse(store, turn, turn)
    before = store.state_hash()
    with pytest.raises(error, match=words):
        curation.accept_passage(store, store.distillation.refusals()[0], text)
    assert store.state_hash() == before


def test_a_passage_of_a_hidden_message_is_not_there(store: Store) -> None:
    refuse(store, "I like walks", "I like walks")
    (found,) = store.distillation.refusals()
    store.undo()
    assert store.distillation.refusals() == store.distillation.refused() == []
    assert store.distillation.refused_counts() == []
    with pytest.raises(NotFound):
        curation.accept_passage(store, found)


def test_pages_go_from_the_message_stored_last_and_miss_nothing(store: Store) -> None:
    for n in range(7):
        refuse(store, "one two three", "one", "two", "three", reason=("rare", "vague")[n != 2], name=f"c{n}")
    everything = store.distillation.refused(limit=99)
    messages = [found.message for found in everything]
    assert messages == sorted(messages, reverse=True)
    assert [found.start for found in everything[:3]] == [0, 4, 8]
    assert len(everything) == 21
    curation.accept_passage(store, everything[4], "I count")
    del everything[4]
    for reason in (None, "vague", "rare", "none"):
        for limit in (1, 2, 5, 50):
            paged: list[Refusal] = []
            after = None
            while page := store.distillation.refused(reason, after, limit):
                assert len(page) <= limit
                paged += page
                after = (page[-1].message, page[-1].start, page[-1].end)
            assert paged == [found for found in everything if reason in (None, found.reason)]
    assert store.distillation.refused_counts() == [("vague", 17), ("rare", 3)]
    other = Store.open(store.folder, owner="ana")
    assert other.distillation.refused() == []
    assert other.distillation.refused_counts() == []
    other.close()


def test_the_last_distiller_has_the_word_on_a_passage(store: Store) -> None:
    message = refuse(store, "I like walks", "I like walks")
    with store.command("distil") as writer:
        store.distillation.put_refusals(writer, "rules/2", [Refusal(message, 0, 12, "limit")])
    assert [found.reason for found in store.distillation.refused()] == ["limit"]


def test_what_the_rules_refused_can_be_taken_in_and_stays(store: Store, tmp_path: Path) -> None:
    import json

    lexical = load_embedder("hashing", tmp_path)
    file = tmp_path / "chat.json"
    turns = [
        {"role": "user", "content": "Can you plan a walk? Maybe I like it there."},
        {"role": "assistant", "content": "Sure."},
    ]
    file.write_text(json.dumps({"messages": turns}))
    import_paths(store, [file], lexical)
    for refusal in store.distillation.refused():
        curation.accept_passage(store, refusal)
    assert store.distillation.refused() == []
    count = store.count(Filter())
    assert count > 0
    assert distil_all(store, lexical, again=True).memories == 0
    assert store.count(Filter()) == count
    assert store.distillation.refused() == []


def test_several_are_one_step_and_what_cannot_be_one_stays_refused(store: Store) -> None:
    (tea,) = put(store, "I like tea")
    refuse(
        store,
        "I like tea. I like walks. I like boats! i like walks? ???",
        *["I like tea", "I like walks", "I like boats"],
    )
    refuse(store, "i like walks? ???", "i like walks", "???", name="b")
    refusals = store.distillation.refusals()
    before = store.state_hash()
    assert curation.wording(store, refusals[3]) == "I like walks"
    done = curation.accept_passages(store, refusals)
    assert [store.get(number).text for number in done.memories] == ["I like walks", "I like boats"]
    assert sorted(done.problems) == [
        "a memory needs text",
        f"memory {tea} says the same, or did before it was edited",
        f"memory {done.memories[0]} says the same, or did before it was edited",
    ]
    assert store.evidence(tea) == [], "it was not asked for a quote"
    assert store.distillation.refusals() == [refusals[0], refusals[3], refusals[4]]
    assert (store.journal.log(1)[0].verb, store.journal.log(1)[0].summary) == ("take in", "2 refused passages")
    store.undo()
    assert (store.state_hash(), store.distillation.refusals()) == (before, refusals)
    assert curation.accept_passages(store, refusals[:1]).memories == ()
    assert store.state_hash() == before


def test_purging_it_covers_the_passage(store: Store) -> None:
    message = refuse(store, "I keep the Zaubertrank there, yes", "I keep the Zaubertrank there")
    made = curation.accept_passage(store, store.distillation.refusals()[0])
    curation.purge(store, [made.id])
    assert "Zaubertrank" not in store.raw.message(message).text
    assert store.differences() == []
    with pytest.raises(curation.Refused, match="purged"):
        curation.accept_passage(store, store.distillation.refusals()[0])


def test_words_that_were_purged_are_not_said_to_be_restorable(store: Store) -> None:
    memory = curation.add(store, "The gate code is walrus seven.")
    curation.purge(store, [memory.id])
    with pytest.raises(Forgotten, match="was purged, which keeps these words out"):
        curation.add(store, "The gate code is walrus seven.")
    other = curation.add(store, "The gate has a new code.")
    with pytest.raises(Forgotten, match="was purged"):
        curation.edit(store, other.id, "The gate code is walrus seven.")

"""Accepting many refused passages in one command; those that can be no memory stay refused."""

from curator import curation
from factories import conversation, put
from store import Filter, Store
from store.model import Refusal, Review

TURNS = ("I like walks.", "Yes.", "I prefer tea.", "Yes.", "I hate noise.", "Yes.", "i like walks", "Yes.", "x" * 600)


def refuse(store: Store) -> list[Refusal]:
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("talk", *TURNS))
    said = [message for message in store.raw.messages(1) if message.text != "Yes."]
    found = [Refusal(message.id, 0, len(message.text), "vague") for message in said]
    with store.command("distil") as writer:
        store.distillation.put_refusals(writer, "rules", found)
    return found


def texts(store: Store) -> set[str]:
    return {memory.text for memory in store.get_many(store.list_ids(Filter()))}


def test_many_are_one_step_and_undone_by_one(store: Store) -> None:
    found = refuse(store)[:3]
    before, commands = store.state_hash(), len(store.journal.log())
    done = curation.accept_passages(store, found)
    assert done.problems == () and len(done.memories) == 3 and len(store.journal.log()) == commands + 1
    assert texts(store) == {"I like walks.", "I prefer tea.", "I hate noise."}
    assert all(store.get(memory).review is Review.VALIDATED for memory in done.memories)
    assert [store.evidence(memory)[0].quote for memory in done.memories] == list(TURNS[:6:2])
    assert found[0] not in store.distillation.refusals()
    store.undo()
    assert store.state_hash() == before and found[0] in store.distillation.refusals()


def test_those_that_cannot_be_one_stay_refused_and_say_why(store: Store) -> None:
    found = refuse(store)
    (tea,) = put(store, "I prefer tea.")
    gone = put(store, "I hate noise.")
    curation.forget(store, gone)
    done = curation.accept_passages(store, found)
    assert texts(store) == {"I like walks.", "I prefer tea."} and len(done.memories) == 1
    assert len(done.problems) == 4 and len(store.distillation.refusals()) == 4
    words = " ".join(done.problems)
    assert f"memory {tea} says the same" in words and "600 characters" in words and "was forgotten" in words


def test_nothing_taken_in_leaves_no_step(store: Store) -> None:
    found = refuse(store)[-1:]
    commands = len(store.journal.log())
    done = curation.accept_passages(store, found)
    assert done.memories == () and len(done.problems) == 1 and len(store.journal.log()) == commands


def test_the_wording_is_the_distillers(store: Store) -> None:
    found = refuse(store)
    assert curation.wording(store, found[0]) == curation.accept_passage(store, found[0]).text

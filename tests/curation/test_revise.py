"""Several changes of a memory in one command."""

from dataclasses import replace

import pytest

from curator.curation import Refused, Revision, add, edit, forget, revise, revise_all
from factories import meanwhile, put
from store import Conflict, Store
from store.errors import Forgotten
from store.model import Given, Kind, Tier


def test_all_changes_are_one_undo_step(store: Store) -> None:
    memory = add(store, "Glaze is celadon.", tags=["clay"])
    wanted = Revision("Glaze is tenmoku.", Kind.PREFERENCE, Tier.CORE, 9, True, ["fire"], ["clay"])
    assert revise(store, memory.id, wanted) == 1
    (last,) = store.journal.log(1)
    assert (last.verb, last.actor, last.count) == ("edit", "person", 1)
    now = store.get(memory.id)
    assert (now.text, now.kind, now.tier, now.importance, now.pinned, now.tags) == (
        "Glaze is tenmoku.",
        Kind.PREFERENCE,
        Tier.CORE,
        9,
        True,
        ("fire",),
    )
    assert [version.text for version in store.versions(memory.id)] == ["Glaze is celadon."]
    store.undo()
    assert replace(store.get(memory.id), seq=memory.seq) == memory


def test_a_new_text_drops_what_was_read_from_the_former_one(store: Store) -> None:
    said = {"subject": "user", "relation": "lives in", "object": "Rotterdam"}
    (memory,) = put(store, "I live in Rotterdam", **said)
    edit(store, memory, "I live in Bergen")
    now = store.get(memory)
    assert (now.subject, now.relation, now.object) == (None, None, None)
    edit(store, memory, "I live in Rotterdam")
    store.undo()
    store.undo()
    now = store.get(memory)
    assert (now.subject, now.relation, now.object) == ("user", "lives in", "Rotterdam")


def test_a_new_text_keeps_whom_a_file_says_it_is_about(store: Store) -> None:
    (memory,) = put(store, "Ana likes tea", subject="Ana")
    edit(store, memory, "Ana likes green tea")
    assert store.get(memory).subject == "Ana"


def test_what_is_so_already_leaves_no_step(store: Store) -> None:
    memory = add(store, "Glaze is celadon.")
    before = store.journal.seq()
    assert revise(store, memory.id, Revision("Glaze is celadon.", memory.kind, memory.tier)) == 0
    assert store.journal.seq() == before


def test_one_wrong_change_refuses_all(store: Store) -> None:
    memory, other = add(store, "Glaze is celadon."), add(store, "The wheel turns left.")
    before = store.journal.seq()
    for wrong, error in (
        (Revision(text="The wheel turns left.", tier=Tier.CORE), Conflict),
        (Revision(text=" ", tier=Tier.CORE), Refused),
        (Revision(tier=Tier.CORE, add_tags=["two words"]), ValueError),
        (Revision(tier=Tier.CORE, importance=11), ValueError),
    ):
        with pytest.raises(error):
            revise(store, memory.id, wrong)
    assert store.journal.seq() == before and store.get(memory.id) == memory
    forget(store, [other.id])
    with pytest.raises(Forgotten):
        revise(store, memory.id, Revision(text="the wheel turns left"))
    with pytest.raises(Conflict, match="only a live one"):
        revise(store, other.id, Revision(tier=Tier.LOW))


def test_several_memories_are_changed_in_one_step_without_those_that_cannot(store: Store) -> None:
    texts = ("Glaze is celadon.", "The wheel turns left.", "The kiln is electric.", "Clay is wedged twice.")
    one, two, gone, other = (add(store, text) for text in texts)
    forget(store, [gone.id])
    wanted = {
        one.id: Revision("Glaze is tenmoku.", tier=Tier.CORE),
        two.id: Revision("Glaze is tenmoku.", tier=Tier.CORE),
        gone.id: Revision(tier=Tier.CORE),
        other.id: Revision("Clay is wedged thrice.", add_tags=["two words"]),
        9_999: Revision(tier=Tier.CORE),
    }
    refused: dict[int, Exception] = {}
    before = len(store.journal.log())
    assert revise_all(store, wanted, refused.__setitem__) == 1
    assert refused.keys() == wanted.keys() - {one.id}
    assert len(store.journal.log()) == before + 1
    assert [store.get(memory.id) for memory in (two, other)] == [two, other]
    store.undo()
    assert store.get(one.id).text == "Glaze is celadon." and store.get(one.id).tier is one.tier


def test_an_edit_meanwhile_becomes_a_version(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = add(store, "Glaze is celadon.").id
    meanwhile(monkeypatch, lambda: edit(store, memory, "Glaze is tenmoku."))
    assert edit(store, memory, "Glaze is shino.") == 1
    assert store.get(memory).text == "Glaze is shino."
    assert [version.text for version in store.versions(memory)] == ["Glaze is tenmoku.", "Glaze is celadon."]


def test_what_was_forgotten_meanwhile_is_not_edited(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = add(store, "Glaze is celadon.").id
    meanwhile(monkeypatch, lambda: forget(store, [memory]))
    with pytest.raises(Conflict, match="forgotten; only a live one can be edited"):
        edit(store, memory, "Glaze is shino.")
    assert store.get(memory).text == "Glaze is celadon."


def test_a_validated_memory_that_is_edited_to_a_safety_fact_is_always_given(store: Store) -> None:
    memory = add(store, "My son is on inhalers.").id
    assert store.get(memory).given is Given.RELEVANT
    edit(store, memory, "My son has asthma.")
    assert store.get(memory).given is Given.ALWAYS
    store.undo()
    assert store.get(memory).given is Given.RELEVANT
    revise(store, memory, Revision("My son has asthma.", given=Given.NEVER))
    assert store.get(memory).given is Given.NEVER
    (open_one,) = put(store, "I avoid milk.")
    edit(store, open_one, "I'm allergic to milk.")
    assert store.get(open_one).given is Given.RELEVANT, "it is not validated"

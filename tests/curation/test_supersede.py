"""Supersede: effects, refusals, and that superseded memories do not come back by themselves."""

import json
from itertools import pairwise
from pathlib import Path

import pytest

from curator import curation
from curator.models import Embedder, load_embedder
from curator.services.import_logs import distil_all, import_paths
from effort import thorough
from factories import conversation, memory, put, quote
from store import Conflict, Filter, Forbidden, NotFound, Store, clock
from store.model import Life, NewMemory, Origin, Relation

DAY = clock.DAY


def write(store: Store, new: NewMemory) -> tuple[int | None, int | None, int | None]:
    """Write a memory; return its outcome: (added, known, forgotten)."""
    with store.command("import") as writer:
        outcome = store.admit(writer, new)
    return outcome.added, outcome.known, outcome.forgotten


def live(store: Store) -> list[str]:
    return sorted(found.text for found in store.get_many(store.list_ids(Filter())))


def session(file: Path, *said: tuple[str, str]) -> Path:
    """Write a coding session in which a person says these things on these days of 2026."""
    with file.open("w") as out:
        for n, (day, text) in enumerate([*said, *([("12-31", "ok")] * 25)]):
            row = {
                "type": "user",
                "uuid": f"{file.stem}{n}",
                "sessionId": file.stem,
                "cwd": "/home/ana/site",
                "timestamp": f"2026-{day}T10:00:00Z",
                "message": {"role": "user", "content": text},
            }
            out.write(json.dumps(row) + "\n")
    return file


@pytest.fixture
def lexical(tmp_path: Path) -> Embedder:
    return load_embedder("hashing", tmp_path)


def test_the_old_points_to_what_took_its_place(store: Store) -> None:
    lisbon, faro, porto = put(store, "I live in Lisbon", "I live in Faro", "I live in Porto")
    curation.validate(store, [lisbon])
    with store.command("distil") as writer:
        store.alerts.put(writer, porto, lisbon, Relation.UPDATE, 0.8, [])
    before = store.state_hash()
    assert curation.supersede(store, [lisbon, faro], porto) == 2
    after = store.state_hash()
    gone = store.get(lisbon)
    assert (gone.life, gone.superseded_by, gone.review, gone.text) == (
        Life.SUPERSEDED,
        porto,
        "validated",
        "I live in Lisbon",
    )
    assert live(store) == ["I live in Porto"]
    assert store.successors(lisbon) == [porto]
    curation.restore(store, [lisbon])
    assert store.alerts.open() == [], "what was decided is not raised again"
    store.undo()
    store.undo()
    assert store.state_hash() == before
    store.redo()
    assert store.state_hash() == after
    assert store.differences() == []


def test_what_is_refused(store: Store) -> None:
    lisbon, faro, porto, rain = put(store, "I live in Lisbon", "I live in Faro", "I live in Porto", "I like rain")
    other = Store.open(store.folder, owner="ana")
    (theirs,) = put(other, "I like snow")
    other.close()
    curation.supersede(store, [lisbon], faro)
    curation.forget(store, [rain])
    before = store.state_hash()
    for old, by, error, words in (
        ([porto], porto, Conflict, "supersede itself"),
        ([porto, faro], faro, Conflict, "supersede itself"),
        ([lisbon], porto, Conflict, f"already superseded by {faro}; `curator restore {lisbon}`"),
        ([porto], lisbon, Conflict, "superseded: only a live one can supersede"),
        ([porto], rain, Conflict, "forgotten: only a live one can supersede"),
        ([rain], porto, Conflict, "forgotten: only a live one can be"),
        ([faro], lisbon, Conflict, "only a live one"),
        ([], porto, ValueError, "outdated"),
        ([porto, 99], faro, NotFound, "99"),
        ([porto], 99, NotFound, "99"),
        ([theirs], porto, Forbidden, str(theirs)),
        ([porto], theirs, Forbidden, str(theirs)),
    ):
        with pytest.raises(error, match=words):
            curation.supersede(store, old, by)
    assert store.state_hash() == before


def test_no_circle_is_closed_even_where_a_record_is_odd(store: Store) -> None:
    ids = put(store, *(f"I live in town {n}" for n in range(12)))
    with store.command("odd") as writer:
        writer.update("memories", [ids[1]], {"superseded_by": ids[0]})
    with pytest.raises(Conflict, match="each other"):
        curation.supersede(store, [ids[0]], ids[1])
    with store.command("odd") as writer:
        for old, new in pairwise(ids[1:]):
            writer.update("memories", [old], {"superseded_by": new})
        writer.update("memories", [ids[11]], {"superseded_by": ids[2]})
    with pytest.raises(Conflict, match="more than 10"):
        curation.supersede(store, [ids[0]], ids[1])


@thorough
def test_a_chain_may_be_long(store: Store) -> None:
    ids = put(store, *(f"I weigh {n} kilos" for n in range(60, 90)), created_at=DAY)
    for old, new in pairwise(ids):
        curation.supersede(store, [old], new)
    assert store.successors(ids[0]) == ids[1:]
    assert write(store, memory("I weigh 60 kilos", created_at=DAY)) == (None, ids[0], None)
    for _ in ids[1:]:
        store.undo()
    assert len(live(store)) == 30


def test_what_a_successor_is_needed_for_is_not_taken_back_under_it(store: Store) -> None:
    (lisbon,) = put(store, "I live in Lisbon")
    put(store, "I live in Porto")
    curation.supersede(store, [lisbon], 2)
    with pytest.raises(Conflict, match="3"):
        store.undo(2)
    assert store.differences() == []


# Later imports of the same


def test_a_superseded_memory_is_known_and_gets_the_quote_itself(store: Store) -> None:
    (lisbon,) = put(store, "I live in Lisbon", created_at=1 * DAY)
    (porto,) = put(store, "I live in Porto", created_at=5 * DAY)
    curation.supersede(store, [lisbon], porto)
    again = memory("i live in LISBON", created_at=3 * DAY, evidence=(quote("Lisbon", "Lisbon it is", reference="m1"),))
    assert write(store, again) == (None, lisbon, None)
    assert store.evidence(porto) == [], "it says something else"
    assert [item.reference for item in store.evidence(lisbon)] == ["m1"]
    assert live(store) == ["I live in Porto"]
    assert store.peek_memory(again).known == lisbon


@pytest.mark.parametrize(
    ("said", "added"),
    [(1 * DAY, False), (5 * DAY, False), (5 * DAY + 1, True), (None, False)],
)
def test_what_is_said_anew_is_news(store: Store, said: int | None, added: bool) -> None:
    (lisbon,) = put(store, "I live in Lisbon", created_at=1 * DAY)
    (porto,) = put(store, "I live in Porto", created_at=5 * DAY)
    curation.supersede(store, [lisbon], porto)
    new, known, _ = write(store, memory("I live in Lisbon", created_at=said))
    assert (new is not None, known) == (added, None if added else lisbon)


def test_an_older_one_may_take_the_place_of_a_newer(store: Store) -> None:
    (wrong,) = put(
        store,
        "I live in Faro",
        created_at=5 * DAY,
        evidence=(quote("Faro", "Faro", reference="m1", said_at=8 * DAY),),
    )
    (right,) = put(store, "I live in Porto", created_at=1 * DAY)
    curation.supersede(store, [wrong], right)
    assert write(store, memory("I live in Faro", created_at=5 * DAY))[1] == wrong
    assert write(store, memory("I live in Faro", created_at=8 * DAY))[1] == wrong, "that quote was known when it went"
    assert write(store, memory("I live in Faro", created_at=9 * DAY))[0] is not None


def test_the_person_may_say_it_again(store: Store) -> None:
    lisbon, porto = put(store, "I live in Lisbon", "I live in Porto")
    curation.supersede(store, [lisbon], porto)
    typed = curation.add(store, "I live in Lisbon")
    assert typed.origin is Origin.PERSON
    with pytest.raises(Conflict, match=str(typed.id)):
        curation.restore(store, [lisbon])


def test_other_scopes_and_owners_are_apart(store: Store) -> None:
    lisbon, porto = put(store, "I live in Lisbon", "I live in Porto", created_at=DAY)
    curation.supersede(store, [lisbon], porto)
    assert write(store, memory("I live in Lisbon", created_at=DAY, scope="project:x"))[0] is not None
    other = Store.open(store.folder, owner="ana")
    assert write(other, memory("I live in Lisbon", created_at=DAY))[0] is not None
    other.close()


def test_former_words_of_a_superseded_memory_stay_away_too(store: Store) -> None:
    lisbon, porto = put(store, "I live in lovely Lisbon", "I live in Porto", created_at=DAY)
    curation.edit(store, lisbon, "I live in Lisbon")
    curation.supersede(store, [lisbon], porto)
    assert write(store, memory("I live in lovely Lisbon", created_at=DAY))[1] == lisbon


def test_it_depends_on_the_end_of_the_chain(store: Store) -> None:
    lisbon, faro, porto = put(store, "I live in Lisbon", "I live in Faro", "I live in Porto", created_at=DAY)
    again = memory("I live in Lisbon", created_at=DAY)
    curation.supersede(store, [lisbon], faro)
    curation.supersede(store, [faro], porto)
    assert write(store, again) == (None, lisbon, None)
    curation.forget(store, [porto])
    assert write(store, again) == (None, None, porto), "let go with what took its place"
    store.undo()
    curation.purge(store, [faro])
    assert write(store, again) == (None, lisbon, None), "the end is live, whatever became of what lies between"
    curation.purge(store, [porto])
    assert store.get(lisbon).text == "I live in Lisbon", "purge erases what it names, and what was merged into it"
    assert write(store, again) == (None, None, porto)


def test_one_that_was_imported_as_superseded_stays_away_too(store: Store) -> None:
    (lisbon,) = put(store, "I live in Lisbon", life=Life.SUPERSEDED, external_id="elsewhere:1", created_at=DAY)
    assert write(store, memory("I live in Lisbon", created_at=DAY))[1] == lisbon
    assert write(store, memory("I live in Lisbon", created_at=2 * DAY))[0] is not None


@thorough
def test_importing_and_distilling_again_bring_nothing_back(store: Store, lexical: Embedder, tmp_path: Path) -> None:
    old = session(tmp_path / "old.jsonl", ("01-10", "I live in Lisbon with my dog."))
    new = session(tmp_path / "new.jsonl", ("03-10", "I live in Porto with my cat now."))
    import_paths(store, [old], lexical)
    import_paths(store, [new], lexical)
    (lisbon,) = [one.id for one in store.get_many(store.list_ids(Filter())) if "Lisbon" in one.text]
    (porto,) = [one.id for one in store.get_many(store.list_ids(Filter())) if "Porto" in one.text]
    curation.supersede(store, [lisbon], porto)
    before = store.state_hash()
    import_paths(store, [old, new], lexical)
    assert store.state_hash() == before
    assert distil_all(store, lexical, again=True).memories == 0
    between = session(tmp_path / "between.jsonl", ("02-10", "i live in Lisbon, with my dog!"))
    assert import_paths(store, [between], lexical).memories == 0
    assert len(store.evidence(lisbon)) == 2
    assert len(store.evidence(porto)) == 1
    assert distil_all(store, lexical, again=True).memories == 0
    later = session(tmp_path / "later.jsonl", ("05-10", "I live in Lisbon with my dog."))
    assert import_paths(store, [later], lexical).memories == 1
    (again,) = [one.id for one in store.get_many(store.list_ids(Filter())) if "Lisbon" in one.text]
    curation.supersede(store, [again], porto)
    assert distil_all(store, lexical, again=True).memories == 0, "now the later quote is known as well"
    assert store.differences() == []


def test_what_was_merged_stays_away_through_distilling_again(store: Store, lexical: Embedder, tmp_path: Path) -> None:
    log = session(
        tmp_path / "log.jsonl", ("01-10", "I live in Porto with my dog."), ("02-10", "I work as a nurse at night.")
    )
    import_paths(store, [log], lexical)
    dog, nurse = store.list_ids(Filter())
    curation.merge(store, [dog, nurse], "A nurse in Porto, and a dog", nurse)
    quotes = len(store.evidence(nurse))
    assert distil_all(store, lexical, again=True).memories == 0
    assert len(store.evidence(nurse)) == quotes == 2
    curation.forget(store, [nurse])
    assert distil_all(store, lexical, again=True).memories == 0
    assert live(store) == []


def test_an_import_that_superseded_memories_cite_is_not_taken_back_under_them(store: Store) -> None:
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("a", "I live in Lisbon"))
    (message,) = store.raw.messages(store.raw.get_conversations()[0].id)
    (lisbon,) = put(store, "I live in Lisbon", evidence=(quote("Lisbon", "I live in Lisbon", message=message.id),))
    (porto,) = put(store, "I live in Porto")
    curation.supersede(store, [lisbon], porto)
    with pytest.raises(Conflict, match="2"):
        store.undo(1)

"""Lookups of one memory: its vector, its recalls, what ended its life; and all ids in order."""

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator import curation
from effort import thorough
from factories import conversation, put
from factories import memory as new
from store import Filter, Sort, Store
from store.model import Actor, Fingerprint, Life, Tier
from store.record import memory_queries

SPACE = Fingerprint("test", "plain", "1", 2)
OTHER = Fingerprint("test", "other", "1", 2, prefix="query: |", max_tokens=256)

PLAIN = st.text(alphabet=st.characters(exclude_characters="|"), max_size=12)


@given(PLAIN, PLAIN, PLAIN, st.integers(1, 9_999), st.text(max_size=12), st.integers(0, 9_999))
def test_a_label_leads_back_to_its_fingerprint(
    provider: str, model: str, digest: str, dimension: int, prefix: str, tokens: int
) -> None:
    fingerprint = Fingerprint(provider, model, digest, dimension, prefix, tokens)
    assert Fingerprint.parse(fingerprint.label) == fingerprint


@pytest.mark.parametrize("label", ["", "a|b|c|2", "a|b|c|two||0"])
def test_what_is_no_label_is_refused(label: str) -> None:
    with pytest.raises(ValueError):
        Fingerprint.parse(label)


class TestVectors:
    def test_the_vector_of_one_memory(self, store: Store) -> None:
        first, second = put(store, "one", "two")
        store.vectors.add(SPACE, [(first, "one", b"12345678")])
        assert store.vectors.of(first, SPACE) == b"12345678"
        assert store.vectors.of(second, SPACE) is None
        assert store.vectors.of(first, OTHER) is None

    def test_it_goes_with_its_text_and_stays_when_the_memory_is_let_go(self, store: Store) -> None:
        first, second = put(store, "one", "two")
        store.vectors.add(SPACE, [(first, "one", b"12345678"), (second, "two", b"abcdefgh")])
        curation.edit(store, first, "one and a half")
        curation.forget(store, [second])
        assert store.vectors.of(first, SPACE) is None
        assert store.vectors.of(second, SPACE) == b"abcdefgh"

    def test_another_owner_does_not_see_it(self, store: Store) -> None:
        (first,) = put(store, "one")
        store.vectors.add(SPACE, [(first, "one", b"12345678")])
        other = Store.open(store.folder, "somebody")
        assert other.vectors.of(first, SPACE) is None
        other.close()

    def test_whose_vectors_there_are_most_of(self, store: Store) -> None:
        assert store.vectors.embedded_by() is None
        first, second = put(store, "one", "two")
        store.vectors.add(OTHER, [(first, "one", b"12345678"), (second, "two", b"12345678")])
        store.vectors.add(SPACE, [(first, "one", b"12345678")])
        assert store.vectors.embedded_by() == OTHER

    def test_a_space_that_has_lost_its_vectors_does_not_count(self, store: Store) -> None:
        (first,) = put(store, "one")
        store.vectors.add(SPACE, [(first, "one", b"12345678")])
        curation.edit(store, first, "two")
        assert store.vectors.embedded_by() is None


class TestUses:
    def test_only_what_was_recalled_is_told(self, store: Store) -> None:
        first, second, third = put(store, "one", "two", "three")
        store.recalls.record_use([first, second])
        store.recalls.record_use([first])
        uses = store.recalls.uses([first, second, third])
        assert {memory: found.times for memory, found in uses.items()} == {first: 2, second: 1}
        assert uses[first].last_at >= uses[second].last_at

    def test_another_owner_does_not_see_them(self, store: Store) -> None:
        (first,) = put(store, "one")
        store.recalls.record_use([first])
        other = Store.open(store.folder, "somebody")
        assert other.recalls.uses([first]) == {}
        other.close()


class TestFate:
    def test_the_last_command_that_changed_its_life(self, store: Store) -> None:
        (memory,) = put(store, "one")
        curation.forget(store, [memory])
        curation.restore(store, [memory])
        curation.reject(store, [memory])
        curation.pin(store, [memory])
        fate = store.journal.last_life_change(memory)
        assert fate is not None and (fate.verb, fate.actor) == ("reject", Actor.PERSON)

    def test_what_was_taken_back_does_not_count_and_what_was_done_again_does(self, store: Store) -> None:
        (memory,) = put(store, "one")
        curation.forget(store, [memory])
        curation.restore(store, [memory])
        seen = []
        for step in (Store.undo, Store.undo, Store.redo):
            step(store)
            fate = store.journal.last_life_change(memory)
            seen.append(None if fate is None else fate.verb)
        assert seen == ["forget", "add", "forget"]

    @thorough
    def test_it_is_found_in_a_command_over_many(self, store: Store) -> None:
        ids = put(store, *(f"memory {number}" for number in range(3_000)))
        curation.forget(store, ids[:10])
        curation.reject(store, ids[10:])
        assert [getattr(store.journal.last_life_change(memory), "verb", "") for memory in (ids[3], ids[-1])] == [
            "forget",
            "reject",
        ]

    def test_one_that_came_forgotten_was_written_down_so(self, store: Store) -> None:
        with store.command("import", Actor.SWEEP) as writer:
            number = store.admit(writer, new("one", life=Life.FORGOTTEN)).added
        assert number is not None
        fate = store.journal.last_life_change(number)
        assert fate is not None and fate.verb == "import"

    def test_another_owner_does_not_see_it(self, store: Store) -> None:
        (memory,) = put(store, "one")
        other = Store.open(store.folder, "somebody")
        assert other.journal.last_life_change(memory) is None
        other.close()

    def test_a_purge_is_a_fate(self, store: Store) -> None:
        (memory,) = put(store, "one")
        curation.purge(store, [memory])
        fate = store.journal.last_life_change(memory)
        assert fate is not None and fate.verb == "purge"


class TestIdsInOrder:
    @pytest.mark.parametrize("step", [1, 2, 3, 7, 100_000])
    def test_however_many_are_read_at_once(self, store: Store, monkeypatch: pytest.MonkeyPatch, step: int) -> None:
        monkeypatch.setattr(memory_queries, "_STEP", step)
        ids = [put(store, f"fact {number}", created_at=number * 7 % 30)[0] for number in range(30)]
        by_age = [memory for _, memory in sorted((number * 7 % 30, memory) for number, memory in enumerate(ids))]
        assert store.list_ids(Filter()) == by_age[::-1]
        assert store.id_array(Filter(), descending=False) == array("q", by_age)
        assert store.list_ids(Filter(), Sort.ADDED, 1, descending=False) == ids[:1]
        assert store.list_ids(Filter(tiers=(Tier.CORE,))) == []


def test_messages_are_found_by_external_id_without_a_scan(store: Store) -> None:
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("boats", "I sail.", "Where?"))
    asked: list[str] = []
    with store.sqlite() as connection:
        connection.set_trace_callback(asked.append)
        found = store.raw.find_messages(["boats-0", "unknown"])
        connection.set_trace_callback(None)
        plan = " | ".join(row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {asked[-1]}"))
    assert [text for _, text in found.values()] == ["I sail."]
    assert "messages_by_external_id" in plan and "SCAN m" not in plan and "SCAN c" not in plan

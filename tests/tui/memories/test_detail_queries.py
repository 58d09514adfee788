"""Queries of the detail pane: the fast ones, and memories of similar meaning."""

from dataclasses import replace

import numpy as np
import pytest

from curator import curation
from curator.compare.related import NEAREST, related
from curator.tui.memories.detail_queries import FORMER, SHOWN, Details, enrich, load
from factories import conversation, put, quote
from store import Store, clock
from store.index import Index
from store.model import Fingerprint, NewVersion, Relation
from tui.sample_store import fill

SPACE = Fingerprint("test", "plain", "1", 8)
OTHER = Fingerprint("test", "other", "1", 8)


def embed(store: Store, rows: dict[int, list[float]], space: Fingerprint = SPACE) -> None:
    """Give memories vectors of eight numbers: those given, then zeros."""
    texts = {memory.id: memory.text for memory in store.get_many(list(rows))}
    padded = {number: np.array([*row, *[0.0] * (8 - len(row))], "<f4").tobytes() for number, row in rows.items()}
    store.vectors.add(space, [(number, texts[number], vector) for number, vector in padded.items()])


def loaded(store: Store, number: int) -> Details:
    found = load(store, number)
    assert found is not None
    return found


class TestQuick:
    def test_one_that_is_gone_has_none(self, store: Store) -> None:
        assert load(store, 12) is None

    def test_the_newest_evidence_comes_first_with_two_turns_around_it(self, store: Store) -> None:
        found = loaded(store, fill(store)["tea"])
        assert [quoted.evidence.title for quoted in found.evidence] == ["Kitchen plan", "Birthday list"]
        assert [len(quoted.around) for quoted in found.evidence] == [5, 0]
        assert found.more == 0

    def test_many_pieces_and_former_texts_are_cut_and_counted(self, store: Store) -> None:
        turns = [f"I like tea, {number} times" for number in range(20)]
        with store.command("import") as writer:
            store.raw.put_conversation(writer, conversation("tea", *turns))
        messages = store.raw.messages(store.raw.get_conversations()[0].id)
        evidence = tuple(quote("tea", message.text, message.id) for message in messages)
        versions = tuple(NewVersion(f"Likes tea {number}", number) for number in range(20))
        (number,) = put(store, "Likes tea", evidence=evidence, versions=versions)
        found = loaded(store, number)
        assert (len(found.evidence), found.more) == (SHOWN, 20 - SHOWN)
        assert (len(found.versions), found.older) == (FORMER, 20 - FORMER)
        assert found.evidence[0].evidence.message == messages[-1].id

    def test_each_former_text_is_compared_with_what_followed_it(self, store: Store) -> None:
        (number,) = put(store, "Lives in Lisbon")
        curation.edit(store, number, "Lives in Porto")
        curation.edit(store, number, "Lives in Porto alone")
        diffs = [[(piece.change, piece.text) for piece in former.pieces] for former in loaded(store, number).versions]
        assert diffs == [
            [("kept", "Lives in Porto"), ("added", " alone")],
            [("kept", "Lives in "), ("removed", "Lisbon"), ("added", "Porto")],
        ]

    @pytest.mark.parametrize("gap", [-7, 0, 7])  # microseconds from the survivor's version to the merged memory's
    def test_what_was_merged_in_is_compared_with_what_the_merge_made(self, store: Store, gap: int) -> None:
        merged = clock.from_iso("2026-03-03T12:00:00")
        versions = (
            NewVersion("Likes tea", merged),
            NewVersion("Likes black tea", merged - 60 * clock.SECOND),
            NewVersion("Drinks tea", merged + gap, merged_from=7),
            NewVersion("Drinks brew", merged - clock.DAY, merged_from=7),
        )
        (number,) = put(store, "Likes and drinks tea", versions=versions)
        followed = {
            former.version.text: "".join(piece.text for piece in former.pieces if piece.change != "removed")
            for former in loaded(store, number).versions
        }
        assert followed == {
            "Likes tea": "Likes and drinks tea",
            "Likes black tea": "Likes tea",
            "Drinks tea": "Likes and drinks tea",
            "Drinks brew": "Drinks tea",
        }

    def test_alerts_name_the_other_side(self, store: Store) -> None:
        ids = fill(store)
        for one, other in (("porto", "lisbon"), ("lisbon", "porto")):
            (found,) = loaded(store, ids[one]).alerts
            assert found.other.id == ids[other] and found.alert.reasons == ("same slot",)

    def test_recalls_are_counted(self, store: Store) -> None:
        first, second = put(store, "one", "two")
        store.recalls.record_use([first])
        store.recalls.record_use([first, second])
        uses = loaded(store, first).uses
        assert uses is not None and uses.times == 2
        assert loaded(store, put(store, "three")[0]).uses is None

    def test_a_superseded_one_leads_to_what_stands_now(self, store: Store) -> None:
        first, second, third = put(store, "Lives in Faro", "Lives in Lisbon", "Lives in Porto")
        with store.command("supersede") as writer:
            writer.update("memories", [first], {"life": "superseded", "superseded_by": second})
            writer.update("memories", [second], {"life": "superseded", "superseded_by": third})
        assert [memory.id for memory in loaded(store, first).successors] == [second, third]
        assert [memory.id for memory in loaded(store, second).successors] == [third]
        assert loaded(store, third).successors == ()


class TestRelated:
    @pytest.fixture
    def index(self, store: Store) -> Index:
        return Index(store, SPACE)

    def test_the_nearest_live_ones_without_itself(self, store: Store, index: Index) -> None:
        me, near, far, gone, low = put(store, "I like tea", "I like green tea", "A cat", "I do like tea", "A dog")
        embed(store, {me: [1, 0], near: [0.9, 0.1], far: [0.5, 0.5], gone: [1, 0.01], low: [0.1, 1]})
        curation.forget(store, [gone])
        found = enrich(store, loaded(store, me), index).related
        assert found is not None
        assert [hit.memory.id for hit in found] == [near, far]
        assert [hit.cosine for hit in found] == [pytest.approx(0.994, abs=0.001), pytest.approx(0.707, abs=0.001)]

    def test_how_the_texts_stand_to_each_other_is_said(self, store: Store, index: Index) -> None:
        me, other = put(store, "I live in Porto", "I do not live in Porto")
        embed(store, {me: [1, 0], other: [1, 0.1]})
        (hit,) = related(store, me, index)
        assert hit.relation is Relation.CONTRADICTION

    def test_no_conflict_is_possible_of_what_was_decided_on(self, store: Store, index: Index) -> None:
        me, other = put(store, "I live in Porto", "I do not live in Porto")
        embed(store, {me: [1, 0], other: [1, 0.1]})
        with store.command("compare") as writer:
            store.alerts.put(writer, me, other, Relation.CONTRADICTION, 0.9, [], judge="rules/2")
        (pair,) = curation.waiting(store, curation.ConflictFilter())
        curation.keep_both(store, pair)
        (hit,) = related(store, me, index)
        assert hit.relation is Relation.UNSURE

    def test_there_are_at_most_five_unless_more_are_asked_for(self, store: Store, index: Index) -> None:
        ids = put(store, *(f"tea number {number}" for number in range(12)))
        embed(store, {number: [1, place / 100] for place, number in enumerate(ids)})
        assert len(enrich(store, loaded(store, ids[3]), index).related or ()) == NEAREST
        assert len(related(store, ids[3], index, 50)) == 11

    def test_without_an_index_or_a_vector_there_are_none_and_that_is_known(self, store: Store, index: Index) -> None:
        me, other = put(store, "I like tea", "I like green tea")
        assert loaded(store, me).related is None
        assert enrich(store, loaded(store, me), None).related == ()
        embed(store, {other: [1, 0]})
        assert enrich(store, loaded(store, me), index).related == ()

    def test_vectors_of_another_embedder_do_not_count(self, store: Store, index: Index) -> None:
        me, other = put(store, "I like tea", "I like green tea")
        embed(store, {me: [1, 0], other: [1, 0]}, OTHER)
        assert enrich(store, loaded(store, me), index).related == ()
        assert len(enrich(store, loaded(store, me), Index(store, OTHER)).related or ()) == 1

    def test_a_new_text_is_near_nothing_until_it_has_a_vector(self, store: Store, index: Index) -> None:
        me, other = put(store, "I like tea", "I like green tea")
        embed(store, {me: [1, 0], other: [1, 0]})
        curation.edit(store, me, "I like coffee")
        assert enrich(store, loaded(store, me), index).related == ()

    def test_one_that_was_let_go_still_has_neighbours(self, store: Store, index: Index) -> None:
        me, other = put(store, "I like tea", "I like green tea")
        embed(store, {me: [1, 0], other: [1, 0]})
        curation.reject(store, [me])
        assert [hit.memory.id for hit in related(store, me, index)] == [other]

    def test_nothing_else_changes(self, store: Store, index: Index) -> None:
        quick = loaded(store, fill(store)["tea"])
        assert replace(enrich(store, quick, index), related=None) == quick

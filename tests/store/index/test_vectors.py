"""Nearest memories, and which vectors are comparable."""

import contextlib
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from index_helpers import ANY, OTHER, SPACE, change, embed, found, remember

from effort import share, thorough
from store import Filter, Store
from store.index import Index, matrix, tables, versions

EYE = np.eye(8, dtype=np.float32)


@pytest.fixture
def index(store: Store) -> Index:
    return Index(store, SPACE)


@thorough
@pytest.mark.parametrize("seed", range(share(16, 2)))
def test_a_matrix_with_what_has_changed_is_the_one_that_is_read(store: Store, index: Index, seed: int) -> None:
    draw = random.Random(seed)
    known, ids = None, remember(store, "first")
    folder = versions.home(store.folder, store.owner)
    for step in range(30):
        some = draw.sample(ids, min(3, len(ids)))
        match draw.randrange(7):
            case 0:
                ids += remember(store, f"memory {step}", f"another {step}")
            case 1 | 2:
                embed(store, some, np.random.default_rng(step).random((len(some), 8)))
            case 3:
                change(store, some, life=draw.choice(["forgotten", "live"]))
            case 4:
                change(store, some[:1], text=f"text {step}")
            case 5:
                with contextlib.suppress(KeyError), store.command("change") as writer:
                    writer.update("memories", some, {"life": "forgotten"})
                    within = matrix.read(index.record, known)
                    assert set(within.sorted()[0]).isdisjoint(some)
                    raise KeyError
            case 6:
                index.catch_up()
        known, whole = matrix.read(index.record, known), matrix.read(index.record, None)
        assert known.position == whole.position and known.position[0] is not None
        for one in (known, matrix.read(index.record, None, versions.current(folder))):
            (ids_read, rows), (live, exact) = one.sorted(), whole.sorted()
            assert ids_read.tolist() == live.tolist() and np.array_equal(rows, exact)
            assert dict(_all(index, one)) == dict(_all(index, whole))
    assert matrix.read(index.record, known) is known


def test_a_matrix_of_another_epoch_is_read_anew(store: Store, index: Index) -> None:
    ids = remember(store, "a", "b")
    embed(store, ids, np.eye(8)[:2])
    known = matrix.read(index.record, None)
    other = replace(known, position=("another", known.position[1], known.position[2] - 1), ids=known.ids + 7)
    assert matrix.read(index.record, other).ids.tolist() == ids


def _all(index: Index, read: matrix.Matrix) -> list[tuple[int, float]]:
    return matrix.nearest(index.record, read, EYE[0], Filter(), 1000)


def test_what_has_changed_becomes_one_with_the_rest(
    store: Store, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matrix, "CAP", 4)
    ids, sizes = remember(store, *(f"memory {n}" for n in range(9))), []
    known = None
    for position, number in enumerate(ids):
        embed(store, [number], np.random.default_rng(position).random((1, 8)))
        known = matrix.read(index.record, known)
        sizes.append((len(known.rows), len(known.added)))
    assert sizes == [(n // 5 * 5 + 1, n % 5) for n in range(9)]
    assert known is not None and known.sorted()[0].tolist() == ids


class TestFile:
    @thorough
    def test_it_is_opened_and_written_anew_after_many_changes(
        self, store: Store, index: Index, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ids = remember(store, "a", "b", "c", "d")
        embed(store, ids[:3], np.eye(8)[:3])
        index.catch_up()
        (first,) = _vectors(store)
        assert isinstance(matrix.read(index.record, None, first.parent).rows, np.memmap)
        embed(store, ids[3:], np.eye(8)[3:4])
        index.catch_up()
        assert _vectors(store) == [first] and found(index.search_vector(EYE[3], ANY, 1)) == ids[3:]
        monkeypatch.setattr(matrix, "CAP", 2)
        change(store, ids[:2], life="forgotten")
        index.catch_up()
        (second,) = _vectors(store)
        assert second != first and set(found(Index(store, SPACE).search_vector(EYE[0], ANY, 5))) == {*ids[2:]}
        assert index.check() == []

    @thorough
    @pytest.mark.parametrize("size", [-1, 0, 5])
    def test_a_damaged_one_is_not_read(self, store: Store, index: Index, size: int) -> None:
        ids = remember(store, "a", "b")
        embed(store, ids, np.eye(8)[:2])
        index.catch_up()
        (path,) = _vectors(store)
        path.write_bytes(path.read_bytes()[:size])
        again = Index(store, SPACE)
        assert found(again.search_vector(EYE[1], ANY, 1)) == ids[1:] and "damaged" in again.check()[0]
        again.rebuild()
        assert again.check() == []

    def test_doctor_sees_a_flipped_bit(self, store: Store, index: Index) -> None:
        embed(store, remember(store, "a", "b"), np.eye(8)[:2])
        index.catch_up()
        (path,) = _vectors(store)
        data = bytearray(path.read_bytes())
        data[-2] ^= 1
        path.write_bytes(bytes(data))
        assert "not those of the record" in Index(store, SPACE).check()[0]

    @thorough
    def test_a_store_that_grows_is_searched_by_lancedb(
        self, store: Store, index: Index, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(tables, "TRAIN_FROM", 4)
        ids = remember(store, *(f"memory {n}" for n in range(5)))
        embed(store, ids[:3], np.eye(8)[:3])
        index.catch_up()
        assert _vectors(store)
        embed(store, ids[3:], np.eye(8)[3:5])
        assert found(index.search_vector(EYE[4], ANY, 1)) == ids[4:]  # not in the tables yet
        index.catch_up()
        assert not _vectors(store) and index.check() == []
        assert found(index.search_vector(EYE[4], ANY, 1)) == ids[4:]


def _vectors(store: Store) -> list[Path]:
    return list(versions.home(store.folder, store.owner).glob("*/vectors-*"))


class TestVectors:
    def test_nearest_first_and_only_what_has_a_vector(self, store: Store, index: Index) -> None:
        ids = remember(store, "a", "b", "c", "d")
        embed(store, ids[:3], np.array([[1, 0], [1, 1], [0, 1]]) @ np.eye(8)[:2])
        for _ in range(2):  # merged in first, indexed second
            hits = index.search_vector(EYE[0], ANY, 10)
            assert found(hits) == ids[:3]
            assert [score for _, score in hits] == pytest.approx([1, 0.5**0.5, 0], abs=1e-6)
            index.catch_up()

    @thorough
    def test_a_new_text_loses_its_old_vector(self, store: Store, index: Index) -> None:
        (only,) = remember(store, "a")
        embed(store, [only], np.eye(8)[:1])
        index.catch_up()
        change(store, [only], text="b")
        assert index.search_vector(EYE[0], ANY, 5) == []
        index.catch_up()
        assert index.search_vector(EYE[0], ANY, 5) == []
        embed(store, [only], np.eye(8)[1:2])
        index.catch_up()
        ((number, nearness),) = index.search_vector(EYE[1], ANY, 5)
        assert number == only and nearness == pytest.approx(1)
        assert index.check() == []

    def test_a_filter_few_match_finds_memories_far_away(self, store: Store, index: Index) -> None:
        ids = remember(store, *(f"memory {n}" for n in range(40)))
        embed(store, ids, np.array([[1, n / 40] for n in range(40)]) @ np.eye(8)[:2])
        change(store, ids[::10], pinned=True)
        for wanted, matching in ((Filter(pinned=True), ids[::10]), (Filter(pinned=False), set(ids) - set(ids[::10]))):
            for limit in (1, 3, 5, 39):
                assert found(index.search_vector(EYE[0], wanted, limit)) == sorted(matching)[:limit]

    def test_an_unfit_vector_is_refused(self, index: Index) -> None:
        with pytest.raises(ValueError, match="shape"):
            index.search_vector(np.ones(7, np.float32), ANY, 5)
        assert index.search_vector(np.zeros(8, np.float32), ANY, 5) == []
        assert index.search_vector(np.zeros(8, np.float32).tobytes(), ANY, 5) == []

    @thorough
    def test_vectors_of_different_fingerprints_never_meet(self, store: Store, index: Index) -> None:
        first, second = remember(store, "first", "second")
        embed(store, [first], np.eye(8)[:1], SPACE)
        embed(store, [second], np.eye(8)[:1], OTHER)
        index.catch_up()
        other = Index(store, OTHER)
        assert found(index.search_vector(EYE[0], ANY, 5)) == [first]
        assert found(other.search_text("second", ANY, 5)) == [second]
        assert first not in found(other.search_vector(EYE[0], ANY, 5))
        before = versions.current(versions.home(store.folder, store.owner))
        other.catch_up()
        assert found(other.search_vector(EYE[0], ANY, 5)) == [second]
        assert all(
            number == first and nearness == pytest.approx(1) for number, nearness in index.search_vector(EYE[0], ANY, 5)
        )
        assert found(index.search_text("first", ANY, 5)) == [first]
        assert before is not None
        assert not before.exists()

    def test_the_old_generation_answers_until_the_new_one_is_whole(
        self, store: Store, index: Index, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (only,) = remember(store, "only one")
        index.catch_up()
        monkeypatch.setattr(tables, "index_messages", _power_cut)
        with pytest.raises(KeyboardInterrupt):
            Index(store, OTHER).catch_up()
        monkeypatch.undo()
        assert found(index.search_text("one", ANY, 5)) == [only]
        assert index.check() == []
        index.catch_up()
        assert len(list(versions.home(store.folder, store.owner).glob("g*"))) == 1

    @thorough
    def test_the_trained_index_finds_what_comparing_with_all_finds(
        self, store: Store, index: Index, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(tables, "TRAIN_FROM", 600)
        random = np.random.default_rng(7)
        rows = random.normal(size=(800, 8))
        ids = remember(store, *(f"point {position}" for position in range(800)))
        change(store, ids[::4], pinned=1)
        embed(store, ids[:700], rows[:700])
        index.catch_up()
        mark = versions.read_mark(versions.current(versions.home(store.folder, store.owner)) or Path())
        assert mark is not None
        assert mark.trained == 700
        embed(store, ids[700:], rows[700:])
        index.catch_up()
        unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        right = 0
        for query in random.normal(size=(20, 8)):
            near = np.argsort(-(unit @ query))
            right += len(set(found(index.search_vector(query, ANY, 5))) & {ids[position] for position in near[:5]})
            pinned = [ids[position] for position in near if position % 4 == 0]
            right += len(set(found(index.search_vector(query, Filter(pinned=True), 5))) & set(pinned[:5]))
        assert right >= 0.9 * 20 * 10
        assert index.check() == []


def _power_cut(*_: object) -> None:
    raise KeyboardInterrupt

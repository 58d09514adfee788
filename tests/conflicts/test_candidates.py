"""Candidate pairs: near by vector, by rare words or by slot, and few in number."""

import numpy as np
import pytest
from scans import EAST, NORTH, SPACE, embed

from curator import curation
from curator.conflicts import count_near
from curator.conflicts.candidates import MAX_CANDIDATES, Candidates, MemoryCandidates, statement_hashes
from curator.conflicts.knn import Vectors
from effort import exhaustive, thorough
from factories import put
from store import Store
from store.model import Fingerprint, Given
from store.record.vectors import Compared


def scan_all_live(store: Store, space: Fingerprint | None = None) -> list[MemoryCandidates]:
    """Compare all live memories batch by batch, and mark them as a scan does."""
    found: list[MemoryCandidates] = []
    for batch in Candidates(store, space).batches(range(1, 10_000)):
        with store.command("compare") as writer:
            rows = [Compared(near.memory.memory, near.memory.key, near.embedded, near.hashes) for near in batch]
            store.compare_queue.mark(writer.connection, rows, "rules/test")
        found += batch
    return found


def compared(store: Store, space: Fingerprint | None = None) -> list[tuple[int, int]]:
    pairs = [(near.memory.memory, other.memory) for near in scan_all_live(store, space) for other, _ in near.others]
    assert len({frozenset(pair) for pair in pairs}) == len(pairs), "a pair comes once"
    return sorted((min(pair), max(pair)) for pair in pairs)


def test_what_one_drops_and_the_other_uses_needs_not_lie_near(store: Store) -> None:
    ids = put(
        store, "My mother is on warfarin", "She's off the warfarin since the fall", "I worked with warfarin at school"
    )
    embed(store, ids, EAST, NORTH, -EAST)
    assert compared(store, SPACE) == [(ids[0], ids[1])]


def test_what_lies_near_is_found_by_its_vector(store: Store) -> None:
    ids = put(store, "Coffee keeps me awake", "Espresso ruins the night", "The roof leaks")
    assert compared(store) == []
    embed(store, ids, EAST, EAST + NORTH / 2, -EAST)
    assert compared(store, SPACE) == [(ids[0], ids[1])]
    (near,) = [near for near in scan_all_live(store, SPACE) if near.others]
    assert near.others[0][1] == pytest.approx(1.25**-0.5, abs=1e-6)


@pytest.mark.parametrize("classified", [True, False])
def test_what_lies_less_near_is_read_by_a_classifier_and_counts_as_no_neighbour(
    store: Store, monkeypatch: pytest.MonkeyPatch, classified: bool
) -> None:
    monkeypatch.setattr("curator.models.can_classify", lambda: classified)
    ids = put(store, "Singing on Thursday evenings", "Rehearsals are Tuesdays from this term", "The roof leaks")
    embed(store, ids, EAST, EAST * 0.4 + NORTH * 0.84**0.5, EAST * 0.3 - NORTH * 0.91**0.5)
    assert compared(store, SPACE) == ([(ids[0], ids[1])] if classified else [])
    assert Candidates(store, SPACE).neighbour_density(ids[0], ids[1]) == 0


def test_a_rare_word_is_enough_and_a_common_one_is_not(store: Store) -> None:
    put(store, *(f"Nothing {number} much {number}a was said {number}b" for number in range(40)))
    ids = put(
        store, "Wolfram sang at the wedding", "A song that nobody likes but Wolfram", "The table is much too long"
    )
    assert compared(store) == [(ids[0], ids[1])]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I live in Lisbon", "We moved to Porto"),
        ("I'm vegetarian", "I'm pescatarian"),
        ("I carry an EpiPen", "I am not allergic to anything"),
        ("I drive a Volvo", "My car is a Fiat"),
    ],
)
def test_what_is_said_of_the_same_thing_needs_no_word_in_common(store: Store, one: str, other: str) -> None:
    first, second, _ = put(store, one, other, "The roof leaks")
    assert compared(store) == [(first, second)]


def test_subject_and_relation_as_a_distiller_gave_them(store: Store) -> None:
    (first,) = put(store, "Anna's cat is grey", subject="Anna", relation="pet")
    (second,) = put(store, "A dog lives with them", subject="anna", relation="Pet")
    put(store, "Nobody came", subject="Tom", relation="pet")
    assert compared(store) == [(first, second)]


def test_only_where_both_may_hold(store: Store) -> None:
    fields = {"subject": "we", "relation": "uses"}
    everywhere = put(store, "Tabs it is", **fields)
    one = put(store, "Spaces here", scope="project:one", **fields)
    two = put(store, "No indents at all", scope="project:two", **fields)
    assert compared(store) == [(everywhere[0], one[0]), (everywhere[0], two[0])]


def test_another_owners_are_never_compared(store: Store) -> None:
    mine = put(store, "Wolfram plays the oboe", "Wolfram is a plumber")
    other = Store.open(store.folder, "somebody else")
    theirs = put(other, "Wolfram plays the oboe and is a plumber")
    assert compared(store) == [(mine[0], mine[1])]
    assert compared(other) == []
    assert theirs[0] not in {near.memory.memory for near in scan_all_live(store)}
    other.close()


def test_what_is_always_given_is_compared_with_each_other(store: Store) -> None:
    ids = put(store, "Never use emojis", "A smiley at the end of each answer", "The roof leaks")
    embed(store, ids, EAST, -EAST, NORTH)
    assert compared(store, SPACE) == []
    curation.set_given(store, ids[:2], Given.ALWAYS)
    assert compared(store, SPACE) == [(ids[0], ids[1])]
    assert compared(store) == [], "without meaning only with a common word"


def test_what_a_diet_rules_out_is_compared_with_it(store: Store) -> None:
    ids = put(store, "I'm vegetarian", "I eat chicken again", "I learn chess")
    assert compared(store) == [(ids[0], ids[1])]


def test_what_is_not_live_is_left_out(store: Store) -> None:
    ids = put(store, "Wolfram plays the oboe", "Wolfram is a plumber", "Wolfram was a sailor")
    curation.forget(store, ids[2:])
    assert compared(store) == [(ids[0], ids[1])]


def test_two_memories_are_counted_as_in_a_scan_if_both_are_live(store: Store) -> None:
    ids = put(store, *(f"I like number {number}" for number in range(4)))
    embed(store, ids, EAST)
    curation.forget(store, ids[3:])
    near, gone = count_near(store, [(ids[0], ids[1]), (ids[0], ids[3])])
    assert near == Candidates(store, SPACE).neighbour_density(ids[0], ids[1]) == pytest.approx(np.log1p(2))
    assert gone is None


@thorough
def test_however_many_are_alike_each_is_compared_with_few(store: Store) -> None:
    texts = [f"I live in Lisbon, at number {number}, with Wolfram{number % 9}" for number in range(300)]
    ids = put(store, *texts)
    turned = np.random.default_rng(1).standard_normal((len(ids), 8)) * 0.1 + EAST
    embed(store, ids, *turned)
    for space in (None, SPACE):
        taken = [len(near.others) for near in scan_all_live(store, space)]
        assert max(taken) <= MAX_CANDIDATES
        assert sum(taken) > len(ids)


@exhaustive
def test_cells_find_what_comparing_with_all_finds() -> None:
    chance = np.random.default_rng(2)
    centres = chance.standard_normal((150, 24))
    rows = (centres[chance.integers(0, 150, 16_000)] + 0.5 * chance.standard_normal((16_000, 24))).astype(np.float32)
    vectors = Vectors(rows, 0.5, 3, 0.5)
    wanted = np.arange(len(rows))
    known = wanted
    found = {
        int(place): set(near) for places, near in _in_cells(vectors) for place, near in zip(places, near, strict=True)
    }
    assert len(found) == len(rows), "each once"
    sample = chance.choice(wanted, 400, replace=False)
    truly = vectors._nearest(sample, known)
    share = np.mean(
        [len(found[int(place)] & set(near)) / max(1, len(near)) for place, near in zip(sample, truly, strict=True)]
    )
    assert share >= 0.95


def _in_cells(vectors: Vectors):  # type: ignore[no-untyped-def]
    known = np.flatnonzero(vectors.has)
    for part, among in vectors._cells(known, known):
        yield part, vectors._nearest(part, among)


def test_a_memory_that_states_what_many_do_meets_the_last_of_them(store: Store) -> None:
    early = put(store, *(f"My employer is company{number}" for number in range(30)))
    scan_all_live(store)
    (late,) = put(store, "I work at Halden")
    met = {min(pair) for pair in compared(store) if max(pair) == late}
    assert met & set(early), "some of those that state it"
    assert max(met & set(early)) == early[-1]


def test_a_place_to_live_of_nobody_named_is_compared_with_the_persons() -> None:
    lived, moved = (
        set(statement_hashes(text, b"key"))
        for text in ("We live at 14 Stackpool Road, Bristol", "New place is 3 Plasturton Gardens, Cardiff.")
    )
    assert lived & moved

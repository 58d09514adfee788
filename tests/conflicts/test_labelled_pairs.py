"""The labelled pairs are sound: enough of each relation, no repetitions, halves alike."""

from collections import Counter

from labelled_pairs import CAUSES, pairs

from store.model import Relation

LEAST = {
    Relation.DUPLICATE: 70,
    Relation.UPDATE: 70,
    Relation.CONTRADICTION: 60,
    Relation.COEXIST: 120,
    Relation.UNRELATED: 20,
}
MOST_TEXT = 500


def test_each_pair_has_an_id_of_its_own() -> None:
    ids = [pair.id for pair in pairs()]
    assert len(set(ids)) == len(ids)
    assert all(pair.id.startswith(f"{pair.relation}-") for pair in pairs())


def test_there_are_enough_of_each_relation() -> None:
    counts = Counter(pair.relation for pair in pairs())
    assert set(counts) == set(LEAST)
    assert {relation: counts[relation] for relation in LEAST if counts[relation] < LEAST[relation]} == {}
    assert len(pairs()) >= 340


def test_there_are_enough_hard_negatives_of_each_kind() -> None:
    """Hard negatives share subject and slot with another memory, and do not conflict with it."""
    proof = [pair for pair in pairs() if pair.relation is Relation.COEXIST and pair.half != "c"]
    counts = Counter(pair.cause for pair in proof)
    kinds = {"other person": 20, "other time": 20, "many-valued slot": 25, "reported": 12, "wish or plan": 15}
    assert {kind: counts[kind] for kind, least in kinds.items() if counts[kind] < least} == {}
    assert sum(counts[kind] for kind in kinds) >= 100
    assert len(proof) >= 160


def test_no_pair_says_one_text_twice_and_none_comes_twice() -> None:
    assert [pair.id for pair in pairs() if pair.a.strip() == pair.b.strip()] == []
    assert len({frozenset((pair.a, pair.b)) for pair in pairs()}) == len(pairs())


def test_texts_are_as_memories_are() -> None:
    texts = [text for pair in pairs() for text in (pair.a, pair.b)]
    assert [text for text in texts if not 0 < len(text) <= MOST_TEXT or text != text.strip()] == []


def test_the_older_statement_comes_first() -> None:
    assert [pair.id for pair in pairs() if pair.a_at > pair.b_at] == []


def test_every_cause_is_listed_and_every_listed_one_used() -> None:
    listed = {(relation, cause) for relation, causes in CAUSES.items() for cause in causes}
    assert {(pair.relation, pair.cause) for pair in pairs()} == listed


def test_the_halves_are_alike() -> None:
    assert {pair.half for pair in pairs()} == {"a", "b", "c"}
    by_relation = Counter((pair.half, pair.relation) for pair in pairs())
    by_cause = Counter((pair.half, pair.cause) for pair in pairs())
    for relation, causes in CAUSES.items():
        assert abs(by_relation["a", relation] - by_relation["b", relation]) <= 1
        for cause in causes:
            assert abs(by_cause["a", cause] - by_cause["b", cause]) <= 1
            assert min(by_cause["a", cause], by_cause["b", cause]) >= 3

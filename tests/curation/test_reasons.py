"""The reason of a conflict: one sentence about the texts for rules, a model's own words otherwise."""

from curator import curation
from curator.curation.reasons import opinion, reason
from factories import put
from store import Store, clock
from store.model import Judgment, Relation


def test_rules_are_told_by_the_texts_and_models_in_their_words(store: Store) -> None:
    a, b, c = put(store, "I live in Graz", "I live in Basel", "Basel is nice", created_at=clock.DAY)
    with store.command("compare") as writer:
        store.alerts.put(writer, a, b, Relation.UPDATE, 0.9, ["cosine 0.91", "words replaced: graz / basel"])
        store.alerts.put(writer, b, c, Relation.UNSURE, 0.8, ["one", "two", "three", "four"], judge="judge/1 qwen")
    by = {pair.alert.relation: pair for pair in curation.waiting(store, curation.ConflictFilter(tuple(Relation)))}
    told = [reason(pair.alert, pair.a, pair.b) for pair in (by[Relation.UPDATE], by[Relation.UNSURE])]
    assert told == ["Two homes: Graz, then Basel", "one; two; three"]


def test_an_opinion_has_a_models_reasons() -> None:
    assert opinion(Judgment(1, "judge/1 qwen", Relation.UPDATE, ("they moved",), 5)) == "they moved"

"""Pairs as people type them, by class: conflicts are shown, and compatible pairs are not."""

from collections import Counter

import pytest
from pair_sets import FOLDER, instant, rows

from curator.conflicts.alert_policy import MemoryText, find_relations, pair_classifier
from effort import exhaustive
from store.model import Relation

OPPOSED = (Relation.UPDATE, Relation.CONTRADICTION)
MISSED, FALSE = 1, 4
"""Maximum number per class, of at least twelve pairs each, of missed conflicts and of compatible pairs shown."""


@exhaustive
@pytest.mark.usefixtures("classifiers")
def test_of_each_class_most_conflicts_are_shown_and_few_compatible_pairs() -> None:
    read = rows(FOLDER / "pairs_typed.tsv")
    pairs = [
        (MemoryText(1, a, "", instant(a_day)), MemoryText(2, b, "", instant(b_day)), float(cosine))
        for _, _, a_day, b_day, a, b, cosine in read
    ]
    missed, false, of = Counter[str](), Counter[str](), Counter[tuple[str, bool]]()
    for (name, relation, *_), found in zip(read, find_relations(pairs, None, pair_classifier()), strict=True):
        opposed, shown = Relation(relation) in OPPOSED, found is not None and found.relation in OPPOSED
        of[name, opposed] += 1
        missed[name] += opposed and not shown
        false[name] += shown and not opposed
    assert min(of.values()) >= 12
    assert max(missed.values()) <= MISSED, missed
    assert max(false.values()) <= FALSE, false
    assert missed.total() <= 3
    assert false.total() <= 10

"""Accuracy of rules alone at telling duplicates, updates and contradictions from what may both be true.

Measured on the held-out half of the labelled pairs; `tests/bench/judged_pairs.py` prints all figures. The cosines are
those of the default embedder, stored beside the pairs; `fit_conflicts.py --embed` recomputes them.
"""

import json
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from labelled_pairs import Pair, pairs

from curator.compare import Verdict, relate
from effort import thorough
from store.model import Relation

pytestmark = thorough

OPPOSED = (Relation.UPDATE, Relation.CONTRADICTION)
ALARMS = (*OPPOSED, Relation.DUPLICATE)


@cache
def cosines() -> dict[str, float]:
    found: dict[str, float] = json.loads(Path(__file__).with_name("cosines.json").read_text(encoding="utf-8"))
    return found


def verdicts(cosine: Callable[[Pair], float | None]) -> list[tuple[Pair, Verdict]]:
    return [
        (pair, relate(pair.a, pair.b, cosine(pair), (pair.a_at, pair.b_at))) for pair in pairs() if pair.half == "b"
    ]


def share(
    found: list[tuple[Pair, Verdict]], truly: tuple[Relation, ...], said: tuple[Relation, ...]
) -> tuple[float, int]:
    """Return the share, and the number, of pairs of the `truly` relations whose verdict is one of `said`."""
    counts = Counter(verdict.relation in said for pair, verdict in found if pair.relation in truly)
    return counts[True] / counts.total(), counts[True]


def test_each_pair_has_its_cosine() -> None:
    assert cosines().keys() == {pair.id for pair in pairs()}


@pytest.mark.parametrize("embedded", [True, False])
def test_what_may_both_be_true_raises_few_alarms(embedded: bool) -> None:
    found = verdicts(lambda pair: cosines()[pair.id] if embedded else None)
    assert share(found, (Relation.COEXIST,), ALARMS)[0] <= 0.05
    assert share(found, (Relation.UNRELATED,), ALARMS)[0] == 0.0


@pytest.mark.parametrize("embedded", [True, False])
def test_no_contradiction_is_merged(embedded: bool) -> None:
    found = verdicts(lambda pair: cosines()[pair.id] if embedded else None)
    assert share(found, OPPOSED, (Relation.DUPLICATE,))[0] <= 0.02


def test_conflicts_are_found_and_most_alarms_are_right() -> None:
    found = verdicts(lambda pair: cosines()[pair.id])
    recall, right = share(found, OPPOSED, OPPOSED)
    wrong = share(found, (Relation.COEXIST, Relation.UNRELATED, Relation.DUPLICATE), OPPOSED)[1]
    assert recall >= 0.45
    assert right / (right + wrong) >= 0.85
    # most misses are left unsure: a model or a person may judge them
    assert share(found, OPPOSED, (*OPPOSED, Relation.UNSURE))[0] >= 0.72


def test_duplicates_are_seldom_taken_for_conflicts() -> None:
    found = verdicts(lambda pair: cosines()[pair.id])
    assert share(found, (Relation.DUPLICATE,), OPPOSED)[0] <= 0.05


def test_scores_rank_conflicts_before_the_rest() -> None:
    found = verdicts(lambda pair: cosines()[pair.id])
    yes = [verdict.conflict_score for pair, verdict in found if pair.relation in OPPOSED]
    no = [verdict.conflict_score for pair, verdict in found if pair.relation in (Relation.COEXIST, Relation.UNRELATED)]
    won = sum((one > other) + (one == other) / 2 for one in yes for other in no)
    assert won / (len(yes) * len(no)) >= 0.8

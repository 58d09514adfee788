"""Fit the weights of the signs of a conflict on those of the labelled pairs that are for tuning, and print them.

python tests/bench/fit_conflicts.py            weights for curator/compare/data/weights.toml, and cross-validation
python tests/bench/fit_conflicts.py --embed    first write the cosines of all pairs anew (needs the model)
"""

import json
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

CONFLICTS = Path(__file__).parents[1] / "conflicts"
sys.path.insert(0, str(CONFLICTS))

from labelled_pairs import Pair, pairs  # noqa: E402

from curator.compare.differences import differences  # noqa: E402
from curator.compare.evidence import evidence, later  # noqa: E402
from curator.compare.slot_relation import findings  # noqa: E402
from curator.text import jaccard, tokens  # noqa: E402
from store.model import Relation  # noqa: E402

COSINES = CONFLICTS / "cosines.json"
OPPOSED = (Relation.UPDATE, Relation.CONTRADICTION)
PENALTY = 0.3
FOLDS = 10


def embed() -> None:
    """Write the cosine of each pair by the default embedder."""
    from curator.models import load_embedder
    from curator.paths import cache_folder

    embedder = load_embedder("minilm", cache_folder())
    left, right = (embedder.embed(list(texts)) for texts in zip(*((p.a, p.b) for p in pairs()), strict=True))
    cosines = (left * right).sum(axis=1)
    rows = {pair.id: round(float(cosine), 4) for pair, cosine in zip(pairs(), cosines, strict=True)}
    COSINES.write_text(json.dumps(rows, indent=0) + "\n", encoding="utf-8")


def signs(pair: Pair, cosine: float) -> dict[str, float]:
    """The signs of a pair as `relate` sees them."""
    a, b = (pair.b, pair.a) if pair.a_at == pair.b_at and later(pair.a, pair.b) else (pair.a, pair.b)
    overlap = jaccard(tokens(a), tokens(b))
    return evidence(a, b, max(cosine, 0.0), overlap, differences(a, b), findings(a, b)).signs


def fitted(rows: NDArray[np.float64], truth: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights of a logistic regression with a penalty, the bias last."""
    rows = np.c_[rows, np.ones(len(rows))]
    penalty = np.eye(rows.shape[1]) * PENALTY
    penalty[-1, -1] = 1e-3
    found = np.zeros(rows.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-rows @ found))
        slope = rows.T @ (chance - truth) + penalty @ found
        found -= np.linalg.solve((rows.T * (chance * (1 - chance))) @ rows + penalty, slope)
    return found


def main() -> None:
    """Fit, and say how it would do on pairs that it has not seen."""
    if "--embed" in sys.argv:
        embed()
    cosines = json.loads(COSINES.read_text(encoding="utf-8"))
    tuned = [pair for pair in pairs() if pair.half != "b"]
    table = [signs(pair, cosines[pair.id]) for pair in tuned]
    names = list(table[0])
    rows = np.array([[row[name] for name in names] for row in table])
    truth = np.array([float(pair.relation in OPPOSED) for pair in tuned])
    unseen = np.zeros(len(tuned))
    order = np.random.default_rng(0).permutation(len(tuned))
    for fold in range(FOLDS):
        test = order[fold::FOLDS]
        train = np.setdiff1d(order, test)
        unseen[test] = np.c_[rows[test], np.ones(len(test))] @ fitted(rows[train], truth[train])
    chance = 1 / (1 + np.exp(-unseen))
    of = {relation: np.array([pair.relation is relation for pair in tuned]) for relation in Relation}
    print("said from  coexist  duplicate  unrelated  conflicts found")
    for limit in np.arange(0.3, 0.81, 0.05):
        said = chance >= limit
        others = [said[of[relation]].mean() for relation in (Relation.COEXIST, Relation.DUPLICATE, Relation.UNRELATED)]
        print(f"{limit:9.2f}  {others[0]:7.3f}  {others[1]:9.3f}  {others[2]:9.3f}  {said[truth == 1].mean():15.3f}")
    print("\n[conflict]")
    for name, weight in zip([*names, "bias"], fitted(rows, truth), strict=True):
        if abs(weight) >= 0.05:
            print(f"{name if ' ' not in name else json.dumps(name)} = {weight:.2f}")


if __name__ == "__main__":
    main()

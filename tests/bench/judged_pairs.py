"""Print verdicts of the rules on the labelled pairs: by class, by kind of coexistence, and errors.

python tests/bench/judged_pairs.py            all of them; the texts that fail are shown of those for tuning
python tests/bench/judged_pairs.py --held-out the texts of the others too: then it is proof no more
python tests/bench/judged_pairs.py --words    without cosines, as where there is no embedder
"""

import json
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

CONFLICTS = Path(__file__).parents[1] / "conflicts"
sys.path.insert(0, str(CONFLICTS))

from labelled_pairs import CAUSES, Pair, pairs  # noqa: E402

from curator.compare import Verdict, relate  # noqa: E402
from store.model import Relation  # noqa: E402

OPPOSED = (Relation.UPDATE, Relation.CONTRADICTION)
ALARMS = (*OPPOSED, Relation.DUPLICATE)
CLASSES = (Relation.DUPLICATE, Relation.UPDATE, Relation.CONTRADICTION, Relation.COEXIST, Relation.UNRELATED)
Judged = list[tuple[Pair, Verdict]]


def judged(half: str, cosines: dict[str, float]) -> Judged:
    """The pairs of a half with what the rules say."""
    return [
        (pair, relate(pair.a, pair.b, cosines.get(pair.id), (pair.a_at, pair.b_at)))
        for pair in pairs()
        if pair.half == half
    ]


def right(pair: Pair, verdict: Verdict) -> bool:
    """Tell whether a verdict does no harm and misses nothing: `unsure` is right for what may both be true."""
    if pair.relation in OPPOSED:
        return verdict.relation in OPPOSED
    if pair.relation is Relation.DUPLICATE:
        return verdict.relation is Relation.DUPLICATE
    return verdict.relation not in ALARMS


def by_class(found: Judged) -> None:
    """Return verdicts, precision and recall of each class."""
    said = Counter((pair.relation, verdict.relation) for pair, verdict in found)
    print(f"  {'':14}" + "".join(f"{relation.value:>14}" for relation in Relation) + f"{'recall':>9}{'precision':>11}")
    for truth in CLASSES:
        counts = [said[truth, relation] for relation in Relation]
        of = sum(said[other, truth] for other in CLASSES)
        shares = f"{said[truth, truth] / sum(counts):9.3f}{said[truth, truth] / of if of else 0:11.3f}"
        print(f"  {truth.value:14}" + "".join(f"{count:14}" for count in counts) + shares)
    both = sum(said[truth, relation] for truth in OPPOSED for relation in OPPOSED)
    all_true = sum(said[truth, relation] for truth in OPPOSED for relation in Relation)
    all_said = sum(said[truth, relation] for truth in CLASSES for relation in OPPOSED)
    merged = sum(said[truth, Relation.DUPLICATE] for truth in OPPOSED)
    print(f"  update or contradiction: recall {both / all_true:.3f}, precision {both / max(1, all_said):.3f}")
    print(f"  conflicts said to be duplicates: {merged} of {all_true} ({merged / all_true:.1%})")


def by_kind(found: Judged) -> None:
    """False alarms on what may both be true, by kind, and what is missed, by cause."""
    for title, relations in (
        ("false alarms by kind", (Relation.COEXIST, Relation.UNRELATED)),
        ("missed by cause", (*OPPOSED, Relation.DUPLICATE)),
    ):
        print(f"  {title}:")
        wrong = total = 0
        for relation in relations:
            for cause in CAUSES[relation]:
                own = [(pair, verdict) for pair, verdict in found if pair.cause == cause and pair.relation is relation]
                bad = sum(not right(*one) for one in own)
                wrong, total = wrong + bad, total + len(own)
                print(f"    {relation.value:14}{cause:26}{bad:4} of {len(own):3}")
        print(f"    {'together':40}{wrong:4} of {total:3} ({wrong / total:.1%})")


def failing(found: Judged) -> None:
    """Every pair that is judged wrong, by cause, with what decided."""
    wrong: Iterable[tuple[Pair, Verdict]] = (one for one in found if not right(*one))
    for pair, verdict in sorted(wrong, key=lambda one: (one[0].relation, one[0].cause)):
        print(f"  {pair.relation.value}, {pair.cause}: said {verdict.relation.value} ({pair.id})")
        print(f"    {pair.a}\n    {pair.b}\n    " + "; ".join(verdict.path[-4:]))


def main() -> None:
    """Print it all."""
    cosines = {} if "--words" in sys.argv else json.loads((CONFLICTS / "cosines.json").read_text(encoding="utf-8"))
    halves = {half: judged(half, cosines) for half in ("a", "c", "b")}
    for half, found in halves.items():
        print(f"half {half}, {'held out' if half == 'b' else 'for tuning'}: {len(found)} pairs")
        by_class(found)
        by_kind(found)
    for half in halves if "--held-out" in sys.argv else ("a", "c"):
        print(f"\nfailing in half {half}")
        failing(halves[half])


if __name__ == "__main__":
    main()

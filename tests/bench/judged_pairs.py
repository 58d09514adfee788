"""Print verdicts of the rules on the labelled pairs: by class, by kind of coexistence, and errors.

python tests/bench/judged_pairs.py            all of them; prints the texts of failures in the tuning part
python tests/bench/judged_pairs.py --held-out the held-out texts too: after that they prove nothing any more
python tests/bench/judged_pairs.py --words    without cosines, as without an embedder
python tests/bench/judged_pairs.py --alerts tune  what is shown to a person of `pairs_tune.tsv`, in figures with 95 %
                                              intervals; "more" for seven people not used for the weights either;
                                              "typed" for the pairs of each class of wordings;
                                              "held" for the two held out, once at the end of a change.
                                              The weights were fitted on "tune": see fit_conflicts.py for unseen people
python tests/bench/judged_pairs.py --public FOLDER  the same of `pairs_public.tsv`, which has ids and offsets only; the
                                              folder has the public chats as an export. Without one, the demo's pairs
"""

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

CONFLICTS = Path(__file__).parents[1] / "conflicts"
sys.path.insert(0, str(CONFLICTS))

from labelled_pairs import CAUSES, Pair, pairs  # noqa: E402
from pair_sets import PersonPair, instant, people, rows  # noqa: E402

from curator.compare import Verdict, relate  # noqa: E402
from curator.conflicts import MemoryText, PairFinding, find_relation, pair_classifier  # noqa: E402
from curator.demo import logs  # noqa: E402
from curator.models import load_embedder  # noqa: E402
from curator.paths import cache_folder  # noqa: E402
from curator.services.import_logs import import_paths  # noqa: E402
from store import Store  # noqa: E402
from store.model import Relation  # noqa: E402

OPPOSED = (Relation.UPDATE, Relation.CONTRADICTION)
ALARMS = (*OPPOSED, Relation.DUPLICATE)
CLASSES = (Relation.DUPLICATE, Relation.UPDATE, Relation.CONTRADICTION, Relation.COEXIST, Relation.UNRELATED)
Judged = list[tuple[Pair, Verdict]]


def judged(half: str, cosines: dict[str, float]) -> Judged:
    """Return the pairs of a half with the verdicts of the rules."""
    return [
        (pair, relate(pair.a, pair.b, cosines.get(pair.id), (pair.a_at, pair.b_at)))
        for pair in pairs()
        if pair.half == half
    ]


def right(pair: Pair, verdict: Verdict) -> bool:
    """Return True if a verdict does no harm and misses nothing; `unsure` is right for compatible pairs."""
    if pair.relation in OPPOSED:
        return verdict.relation in OPPOSED
    if pair.relation is Relation.DUPLICATE:
        return verdict.relation is Relation.DUPLICATE
    return verdict.relation not in ALARMS


def by_class(found: Judged) -> None:
    """Print verdicts, precision and recall of each class."""
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
    print(f"  conflicts reported as duplicates: {merged} of {all_true} ({merged / all_true:.1%})")


def by_kind(found: Judged) -> None:
    """Print false alarms on compatible pairs, by kind, and misses, by cause."""
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
        print(f"    {'total':40}{wrong:4} of {total:3} ({wrong / total:.1%})")


def failing(found: Judged) -> None:
    """Print every wrong verdict, by cause, with the reasons for it."""
    wrong: Iterable[tuple[Pair, Verdict]] = (one for one in found if not right(*one))
    for pair, verdict in sorted(wrong, key=lambda one: (one[0].relation, one[0].cause)):
        print(f"  {pair.relation.value}, {pair.cause}: said {verdict.relation.value} ({pair.id})")
        print(f"    {pair.a}\n    {pair.b}\n    " + "; ".join(verdict.path[-4:]))


def share(name: str, hits: int, of: int) -> None:
    """Print a share with its 95 % interval by Wilson."""
    if not of:
        print(f"  {name:52}     –  (none)")
        return
    z, part = 1.96, hits / of
    middle, spread = part + z * z / (2 * of), z * (part * (1 - part) / of + (z / (2 * of)) ** 2) ** 0.5
    low, high = (middle - spread) / (1 + z * z / of), (middle + spread) / (1 + z * z / of)
    print(f"  {name:52}{part:6.3f}  ({low:.3f} to {high:.3f}; {hits} of {of})")


def public(folder: Path | None) -> list[PersonPair]:
    """Return the pairs of `pairs_public.tsv` whose messages are in the demo or the folder."""
    with tempfile.TemporaryDirectory() as place:
        store = Store.open(Path(place) / "store")
        import_paths(store, [logs(), *([folder] if folder else [])], None)
        with store.sqlite() as connection:
            texts = dict(connection.execute("SELECT external_id, text FROM messages WHERE external_id IS NOT NULL"))
        store.close()
    read = rows(CONFLICTS / "pairs_public.tsv")
    found = [
        PersonPair(
            source,
            Relation(relation),
            texts[a][int(a_start) : int(a_end)],
            texts[b][int(b_start) : int(b_end)],
            instant(a_day),
            instant(b_day),
        )
        for source, relation, a_day, b_day, a, a_start, a_end, b, b_start, b_end in read
        if a in texts and b in texts
    ]
    print(f"{len(found)} of {len(read)} pairs have their messages in the given data")
    return found


def print_shown(name: str, known: Sequence[PersonPair]) -> None:
    """Print which pairs a person is shown, by the product's thresholds."""
    classifier = None if "--words" in sys.argv else pair_classifier()
    embedder = load_embedder("minilm", cache_folder())
    left, right = (embedder.embed(list(side)) for side in zip(*((one.a, one.b) for one in known), strict=True))
    found: list[tuple[PersonPair, PairFinding | None]] = [
        (
            pair,
            find_relation(
                MemoryText(1, pair.a, "", pair.a_at),
                MemoryText(2, pair.b, "", pair.b_at),
                float(cosine),
                classifier=classifier,
            ),
        )
        for pair, cosine in zip(known, (left * right).sum(axis=1), strict=True)
    ]
    said = [(pair, one) for pair, one in found if one is not None and one.relation in OPPOSED]
    calm = [(pair, one) for pair, one in said if "never" not in f"{pair.a} {pair.b}".lower()]
    alike = [(pair, one) for pair, one in found if one is not None and one.relation is Relation.DUPLICATE]
    of = Counter(pair.relation for pair in known)
    print(f"pairs_{name}: {len(known)} pairs")
    share("conflicts, precision", sum(pair.opposed for pair, _ in said), len(said))
    share("conflicts, recall", sum(pair.opposed for pair, _ in said), of[Relation.UPDATE] + of[Relation.CONTRADICTION])
    for relation in OPPOSED:
        share(f"{relation}, recall", sum(pair.relation is relation for pair, _ in said), of[relation])
    share('conflicts without "never", precision', sum(pair.opposed for pair, _ in calm), len(calm))
    share("coexisting, shown as a conflict", sum(p.relation is Relation.COEXIST for p, _ in said), of[Relation.COEXIST])
    repeated = [pair.relation for pair, _ in alike]
    share("duplicates, precision", repeated.count(Relation.DUPLICATE), len(alike))
    share("duplicates, recall", repeated.count(Relation.DUPLICATE), of[Relation.DUPLICATE])
    contradicted = repeated.count(Relation.CONTRADICTION)
    share("contradictions, shown as duplicates", contradicted, of[Relation.CONTRADICTION])
    merged = [pair.relation for pair, one in alike if one is not None and one.same]
    share("merged by itself, right", merged.count(Relation.DUPLICATE), len(merged))


def main() -> None:
    """Print all tables."""
    if "--alerts" in sys.argv:
        name = sys.argv[sys.argv.index("--alerts") + 1]
        print_shown(name, people(name))
        return
    if "--public" in sys.argv:
        print_shown("public", public(next((Path(one) for one in sys.argv[sys.argv.index("--public") + 1 :]), None)))
        return
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

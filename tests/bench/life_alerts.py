"""Print the alerts of a scan of whole lives: the memories of invented people, with all their conflicts labelled.

python tests/bench/life_alerts.py NAME            of `tests/conflicts/NAME.tsv`: lives, lives_chats, lives_held,
                                                  lives_everyday, lives_typed, lives_spoken, or one of them
                                                  with _held
python tests/bench/life_alerts.py NAME --wrong    also lists wrong alerts; not of held-out lives, which nobody reads

Each life is scanned in a store of its own, as after an import. So the proportions are those of real memories, of which
most pairs can both be true; in the pairs of judged_pairs.py one in four is a conflict.
"""

import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[1] / "conflicts")]

from pair_sets import Life, lives  # noqa: E402

from curator.models import Embedder, load_embedder  # noqa: E402
from curator.paths import cache_folder  # noqa: E402
from curator.services.search_session import embed_texts  # noqa: E402
from curator.sweeps.compare import scan_all  # noqa: E402
from factories import memory  # noqa: E402
from judged_pairs import OPPOSED, share  # noqa: E402
from store import Store  # noqa: E402
from store.model import Alert, Relation  # noqa: E402

Shown = tuple[int, int, Alert]  # two memories by index, the earlier one first, and the alert


def scanned(life: Life, embedder: Embedder) -> list[Shown]:
    """Return the alerts of a scan of a life."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(Path(folder) / "store")
        with store.command("add") as writer:
            found = [
                store.admit(writer, memory(text, created_at=at))
                for text, at in zip(life.texts, life.times, strict=True)
            ]
        ids = [one.added or one.known or 0 for one in found]
        store.vectors.add(embedder.fingerprint, embed_texts(embedder, list(zip(ids, life.texts, strict=True))))
        scan_all(store)
        place = {id_: number for number, id_ in enumerate(ids)}
        alerts = store.alerts.open()
        store.close()
    return [(*sorted((place[one.a], place[one.b])), one) for one in alerts]  # type: ignore[misc]


def main(name: str) -> None:
    """Scan all lives of a file, and print precision and recall."""
    embedder, counts, memories = load_embedder("minilm", cache_folder()), Counter[str](), 0
    known = lives(name)
    for life in known:
        memories += len(life.texts)
        counts.update(str(relation) for relation in life.relations.values() if relation is not None)
        for first, second, alert in scanned(life, embedder):
            relation = life.relations.get((first, second), Relation.COEXIST)
            if relation is None or alert.relation is Relation.UNSURE:
                continue
            said = "conflict" if alert.relation in OPPOSED else "duplicate"
            right = relation in OPPOSED if said == "conflict" else relation is Relation.DUPLICATE
            counts.update([f"{said} said", f"{said} right"] if right else [f"{said} said", f"{said} is {relation}"])
            if not right and "--wrong" in sys.argv and not name.endswith("held"):
                texts = f"{life.texts[first]}\n    {life.texts[second]}"
                print(f"  {alert.score:.2f} {said}, but {relation}: {alert.reasons[0]}\n    {texts}")
    print(f"{name}: {len(known)} lives of {memories} memories")
    share("conflicts, precision", counts["conflict right"], counts["conflict said"])
    share("conflicts, recall", counts["conflict right"], sum(counts[relation] for relation in OPPOSED))
    share("false conflicts, of memories", counts["conflict said"] - counts["conflict right"], memories)
    share("duplicates, precision", counts["duplicate right"], counts["duplicate said"])
    share("duplicates, recall", counts["duplicate right"], counts[Relation.DUPLICATE])


if __name__ == "__main__":
    main(sys.argv[1])

"""Count forgotten statements that come back in other words, and the cost: `python tests/bench/forgotten.py`.

Statements are forgotten; then each comes back in slightly different and in very different words, by an import of ready
memories. "Refused" are those the rules consider the same; "held" wait in quarantine and are given to no model; the rest
has slipped through. Of the near misses (another name, number, or a negation) nothing should be refused, and of what the
same people say about other things almost nothing held. All sentences are our own; nothing was tuned on the second file.

Then the statements are purged, so that only hashes remain, and come back, and so do their near misses, inside phrases
that add nothing.

Then some memories of the demo are forgotten at random: printed is how many of the others would be held if said again.

Then `curator add` is timed as a process of its own, and the work in it, with none, 3,000 and 30,000 forgotten memories;
the first add after they were forgotten, which reads their words, separately. The median of seven.
"""

import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from curator import curation
from curator.demo import logs
from curator.models import Embedder, load_embedder
from curator.paths import cache_folder
from curator.services.import_logs import import_paths
from installed import environment
from store import Filter, Store

sys.path.insert(0, str(Path(__file__).parents[1]))
from factories import put

COLUMNS = ("slightly other words", "quite other words", "near miss", "something else")
AROUND = (
    *("By the way {}", "Just so you know {}", "Oh and {}", "as I said {}", "Actually {}", "btw {}, thanks", "Well, {}"),
    *("So {} by the way", "Anyway {}, you know", "FYI - {}", "Remember that {}", "And also {} please", "Also, {}"),
)
FILES = {"tuned on": "paraphrases.tsv", "not": "paraphrases_held.tsv"}


def rows(name: str) -> list[list[str]]:
    """Return rows of a statement, two rewordings, a near miss, and something else (or "")."""
    return [line.split("\t") for line in Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()]


def come_back(
    folder: Path, gone: Sequence[str], said: Sequence[str], embedder: Embedder | None, purged: bool = False
) -> tuple[int, int]:
    """Return how many texts are refused and how many held after others are forgotten, or purged."""
    store = Store.open(Path(tempfile.mkdtemp(dir=folder)))
    (curation.purge if purged else curation.forget)(store, put(store, *gone))
    file = folder / "again.jsonl"
    file.write_text(
        "".join(json.dumps({"id": str(n), "text": text}) + "\n" for n, text in enumerate(said)), encoding="utf-8"
    )
    summary = import_paths(store, [file], embedder)
    store.close()
    return summary.reasons["forgotten"], summary.held


def print_demo(folder: Path, embedder: Embedder) -> None:
    """Print how many other memories of the demo are held, for each number of forgotten ones; the mean of five draws."""
    store = Store.open(folder / "demo")
    import_paths(store, [logs()], embedder)
    texts = [memory.text for memory in store.get_many(store.list_ids(Filter()))]
    store.close()
    chance = random.Random(7)
    for count in (5, 20):
        shares = []
        for _ in range(5):
            gone = set(chance.sample(texts, count))
            others = [text for text in texts if text not in gone]
            shares.append(sum(come_back(folder, sorted(gone), others, embedder)) / len(others))
        print(
            f"{count} of {len(texts)} memories of the demo forgotten: {statistics.mean(shares):.1%} of the others held"
        )


def print_around(folder: Path) -> None:
    """Print the results for purged statements, and for near misses, inside phrases that add nothing."""
    for part, file in FILES.items():
        gone = [row[0] for row in rows(file)]
        for column, title in ((0, "words around it"), (3, "around a near miss")):
            plain = [row[column].rstrip(".") for row in rows(file) if row[column]]
            said = [AROUND[n % len(AROUND)].format(text) for n, text in enumerate(plain)]
            refused, held = (count / len(said) for count in come_back(folder, gone, said, None, purged=True))
            print(f"{part:<10}{'purged':<20}{title:<24}{refused:>9.0%}{held:>7.0%}{1 - refused - held:>9.0%}")


def forget_many(store: Store, count: int) -> None:
    """Forget this many memories of eight words, some of which are in many memories, some in few."""
    chance = random.Random(7)
    words = [f"{a}{b}" for a in "ka lo mi ru se ta vo ni pe du".split() for b in "bar den fel gon lim rast".split()]
    words += [f"{word}{n}" for word in words for n in range(40)]
    weights = [1 / (rank + 4) for rank in range(len(words))]
    said = (f"I {' '.join(chance.choices(words, weights, k=7))} {n}" for n in range(count))
    for _ in range(0, count, 5_000):
        curation.forget(store, put(store, *(text for _, text in zip(range(5_000), said, strict=False))))


def cost_of_adding(folder: Path, count: int) -> tuple[float, float, float]:
    """Return seconds of the first `curation.add` with so many forgotten, of later ones, and of the whole command."""
    home = folder / f"home{count}"
    subprocess.run([sys.executable, "-m", "curator", "add", "I like tea"], env=environment(home), check=True, stdout=-3)
    (place,) = home.rglob("record.sqlite")
    store = Store.open(place.parent)
    forget_many(store, count)
    inside, whole = [], []
    for n in range(8):
        began = time.perf_counter()
        curation.add(store, f"I keep {n} red boats by the lake")
        inside.append(time.perf_counter() - began)
    store.close()
    for n in range(7):
        began = time.perf_counter()
        command = [sys.executable, "-m", "curator", "add", f"I keep {n} green boats by the lake"]
        subprocess.run(command, env=environment(home), check=True, stdout=-3)
        whole.append(time.perf_counter() - began)
    return inside[0], statistics.median(inside[1:]), statistics.median(whole)


def print_costs(folder: Path) -> None:
    """Print the cost for each number of forgotten memories, with the ratio to none."""
    print(f"\n{'forgotten':>9}{'first add':>12}{'later adds':>12}{'':>8}{'the command':>14}")
    none: tuple[float, float, float] | None = None
    for count in (0, 3_000, 30_000):
        first, later, whole = cost_of_adding(folder, count)
        none = none or (first, later, whole)
        print(
            f"{count:>9,}{first * 1e3:>9.1f} ms{later * 1e3:>9.1f} ms{later / none[1]:>7.2f}×{whole * 1e3:>11.0f} ms"
            f"{whole / none[2]:>7.2f}×"
        )


def main() -> None:
    """Print the tables."""
    embedder = load_embedder("minilm", cache_folder())
    print(f"{'':<10}{'':<20}{'':<24}{'refused':>9}{'held':>7}{'slipped':>9}")
    with tempfile.TemporaryDirectory() as name:
        for part, file in FILES.items():
            gone = [row[0] for row in rows(file)]
            for way, model in {"words and meaning": embedder, "words alone": None}.items():
                for column, title in enumerate(COLUMNS, 1):
                    said = [row[column] for row in rows(file) if row[column]]
                    refused, held = (count / len(said) for count in come_back(Path(name), gone, said, model))
                    print(f"{part:<10}{way:<20}{title:<24}{refused:>9.0%}{held:>7.0%}{1 - refused - held:>9.0%}")
        print_around(Path(name))
        print_demo(Path(name), embedder)
        print_costs(Path(name))


if __name__ == "__main__":
    main()

"""How much of what was let go slips past in other words: `python tests/bench/forgotten.py`.

Forty statements are let go; then each comes back in slightly other words and in quite other ones, by an import of ready
memories. Refused is what the rules call the same; held, what waits in quarantine and is given to no model; the rest has
slipped past. Of the near misses (another name, number, or a no) nothing should be refused. All sentences are our own.
"""

import json
import tempfile
from pathlib import Path

from curator import curation
from curator.jobs.importing import import_paths
from curator.models import Embedder, load_embedder
from curator.paths import cache_folder
from making import put
from store import Filter, Store

COLUMNS = ("slightly other words", "quite other words", "near miss")


def rows() -> list[list[str]]:
    """A statement, two rewordings and a near miss in each."""
    file = Path(__file__).with_name("paraphrases.tsv")
    return [line.split("\t") for line in file.read_text(encoding="utf-8").splitlines()]


def come_back(folder: Path, column: int, embedder: Embedder | None) -> tuple[int, int, list[str]]:
    """Refused, held, and what slipped past."""
    store = Store.open(folder / f"store{column}{embedder is None}")
    curation.forget(store, put(store, *(row[0] for row in rows())))
    file = folder / "again.jsonl"
    file.write_text(
        "".join(json.dumps({"id": str(n), "text": row[column]}) + "\n" for n, row in enumerate(rows())),
        encoding="utf-8",
    )
    summary = import_paths(store, [file], embedder)
    free = [memory.text for memory in store.get_many(store.list_ids(Filter(flagged=False)))]
    store.close()
    return summary.reasons["forgotten"], summary.held, free


def main() -> None:
    """Print the table."""
    total = len(rows())
    ways = {"words and meaning": load_embedder("minilm", cache_folder()), "words alone": None}
    print(f"{'':<20}{'':<24}{'refused':>9}{'held':>7}{'slipped':>9}")
    with tempfile.TemporaryDirectory() as name:
        for way, embedder in ways.items():
            for column, title in enumerate(COLUMNS, 1):
                refused, held, free = come_back(Path(name), column, embedder)
                print(f"{way:<20}{title:<24}{refused / total:>9.0%}{held / total:>7.0%}{len(free) / total:>9.0%}")


if __name__ == "__main__":
    main()

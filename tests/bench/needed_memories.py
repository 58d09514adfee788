"""Count how many needed and needless memories recall gives for the prompts of the people of `needed.py`.

    python tests/bench/needed_memories.py FOLDER            people held out from fitting
    python tests/bench/needed_memories.py FOLDER --fitted   the others

Stores are made in FOLDER, and used again the next time. Nothing is reviewed, and nobody has orders to assistants: all
memories are imported as facts. `needless`: memories in a block that are neither needed nor harmless.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

from curator.models import load_embedder
from curator.paths import cache_folder
from curator.recall import find
from curator.services.recall import block_options
from installed import environment
from needed import Person, people
from store import Filter, Store
from store.index import Index

NOW = 1_795_860_000_000_000  # 2026-11-28


def store_of(person: Person, folder: Path) -> Store:
    """Return the store of a person's memories, imported on the first run."""
    if not folder.exists():
        folder.mkdir(parents=True)
        file = folder / "memories.jsonl"
        rows = ({"id": one, "text": text, "created_at": date} for one, (text, date) in person.memories.items())
        file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
        command = (sys.executable, "-m", "curator", "import", "--format", "memories", str(file))
        subprocess.run(command, check=True, env=environment(folder), stdout=subprocess.DEVNULL)
    return Store.open(folder / "store")


def main() -> None:
    """Print a line for each person, and one for all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--fitted", action="store_true")
    given = parser.parse_args()
    embedder, options = load_embedder("minilm", cache_folder()), block_options(now=NOW)
    total = [0, 0, 0, 0]
    for person in people(held_out=not given.fitted):
        store = store_of(person, given.folder / person.name)
        index = Index(store, embedder.fingerprint)
        index.catch_up()
        names = {memory.id: memory.external_id for memory in store.get_many(store.list_ids(Filter()))}
        counts = [len(person.prompts), 0, 0, 0]
        for prompt in person.prompts:
            found = {names[hit.memory.id] for hit in find(store, index, embedder, prompt.text, Filter(), options).hits}
            counts[1] += len(prompt.needed)
            counts[2] += len(prompt.needed & found)
            counts[3] += len(found - prompt.needed - prompt.harmless)
        total = [a + b for a, b in zip(total, counts, strict=True)]
        show(person.name, *counts)
    show("all", *total)


def show(name: str, prompts: int, needed: int, found: int, needless: int) -> None:
    """Print the counts of a person."""
    print(f"{name:9}{found / needed:.3f} of {needed} needed, {needless / prompts:.2f} needless per prompt", flush=True)


if __name__ == "__main__":
    main()

"""Count what recall misses and what it gives needlessly for the task prompts of tests/recall.

    python tests/bench/task_recall.py FOLDER [--list]

One line per person and half. missing: entries of `must` of which the block holds none, over all entries, by why they
are needed. junk: memories in blocks that are neither needed, allowed nor a standing instruction. Nothing is reviewed:
the demo person's memories are distilled from her logs, those of the other two are put in as they are. `--list` names
what is missing in the half that may be tuned on.
"""

import argparse
import json
import subprocess
import sys
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any

from curator.config import settings
from curator.demo import logs
from curator.models import load_embedder
from curator.paths import cache_folder
from curator.recall import block, find, token_counter
from curator.services.recall import block_options, recallable
from curator.services.search_session import embed_missing, open_search
from curator.text import content_key
from installed import environment
from store import Filter, Store
from store.model import Given, Kind, NewMemory, Origin

HERE = Path(__file__).parents[1] / "recall"
NOW = 1_795_132_800_000_000  # 20 November 2026, the day of the labels
Row = dict[str, Any]


def rows(path: Path) -> list[Row]:
    """Return the objects of a JSONL file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def opened(person: str, folder: Path, known: list[Row]) -> tuple[Store, dict[int, frozenset[str]]]:
    """Return the store of a person and the labels that each memory stands for; the store is made if absent."""
    home = folder / person
    if person == "nora":
        if not home.exists():
            command = (sys.executable, "-m", "curator", "import", str(logs()))
            subprocess.run(command, check=True, env=environment(home), stdout=subprocess.DEVNULL)
        store = Store.open(home / "store")
        return store, {
            memory.id: frozenset(
                row["id"] for row in known if any(one.casefold() in memory.text.casefold() for one in row["quotes"])
            )
            for memory in store.get_many(store.list_ids(Filter()))
        }
    new = not home.exists()
    store = Store.open(home / "store")
    if new:
        with store.command("import") as writer:
            for row in known:
                store.admit(writer, stored(row))
        embed_missing(store, load_embedder("minilm", cache_folder()))
    texts = {row["text"]: row["id"] for row in known if "text" in row}
    return store, {memory.id: frozenset({texts[memory.text]}) for memory in store.get_many(store.list_ids(Filter()))}


def stored(row: Row) -> NewMemory:
    """Return a labelled memory as a memory that nobody reviewed."""
    return NewMemory(
        text=row["text"],
        key=content_key(row["text"]),
        kind=Kind(row["kind"]),
        origin=Origin.RULES,
        given=Given.ALWAYS if row.get("standing") else Given.RELEVANT,
        project=row["project"],
        scope=f"project:{row['project']}" if row["project"] else "global",
        created_at=int(datetime.fromisoformat(row["created_at"]).timestamp()) * 1_000_000,
    )


def main() -> None:
    """Print a line for each person and half."""
    parser = argparse.ArgumentParser(description="Count what recall misses for prompts.")
    parser.add_argument("folder", type=Path, help="where the stores are made, and found the next time")
    parser.add_argument("--list", action="store_true", help="name what is missing, of the tuned half only")
    given = parser.parse_args()
    prompts, count = rows(HERE / "task_prompts.jsonl"), token_counter(settings().recall.tokenizer)
    totals: dict[tuple[str, str], Counter[str]] = {}
    for person in ("nora", "marek", "ruth"):
        known = rows(HERE / "people" / f"{person}.jsonl")
        store, labels = opened(person, given.folder, known)
        standing = {row["id"] for row in known if row.get("standing")}
        session = open_search(store)
        for prompt in (row for row in prompts if row["person"] == person):
            which = recallable(Filter(), prompt["project"])
            found = find(store, session.index, session.embedder, prompt["prompt"], which, block_options(now=NOW))
            budget = settings().recall.budget
            made = block(store, found.hits, budget, now=NOW, count=count, which=which)
            had = frozenset[str]().union(*(labels[one] for one in made.memories))
            total = totals.setdefault((person, prompt["half"]), Counter())
            fine = standing.union(prompt["may"], *(one["any"] for one in prompt["must"]))
            total["prompts"] += 1
            junk = [one for one in made.memories if not labels[one] & fine]
            total["given"] += len(made.memories)
            total["junk"] += len(junk)
            for one in prompt["must"]:
                total[one["why"]] += 1
                if had.isdisjoint(one["any"]):
                    total[f"no {one['why']}"] += 1
                    if given.list and prompt["half"] == "tune":
                        print(f"  {one['why']}: {prompt['prompt'][:60]!r} lacks {', '.join(one['any'])}")
    for (person, half), total in totals.items():
        missing = ", ".join(
            f"{why} {total[f'no {why}']}/{total[why]}" for why in ("safety", "standing", "project", "fact")
        )
        print(
            f"{person} {half}: {total['prompts']} prompts; missing {missing}; junk {total['junk']} of {total['given']}"
        )


if __name__ == "__main__":
    main()

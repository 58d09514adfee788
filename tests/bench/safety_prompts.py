"""Count the prompts for which recall gives a safety memory that nobody has validated.

    python tests/bench/safety_prompts.py FILE [--list]

A line of FILE is a kind, a memory, a prompt and "needed" or "not", separated by tabs; lines that begin with # are
comments. `safety_prompts.tsv` may be tuned on; `safety_prompts_held.tsv` may not, and is not to be read. Each memory is
in a store with the same twelve ordinary memories. Prints one line per kind, then one for all: needed memories that are
given, and memories given for prompts that need none. `--list` names the mistakes, but not of what is held out.
"""

import argparse
import contextlib
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from curator.models import load_embedder
from curator.paths import cache_folder
from curator.recall import find_many, scopes_for
from curator.services.recall import block_options
from curator.services.search_session import embed_missing
from factories import put
from store import Filter, Store
from store.index import Index

ORDINARY = (
    "I live in Leeds with my partner",
    "I work as a bookkeeper for a chain of garden centres",
    "I drive a grey Skoda estate",
    "I'm learning Italian with an app in the evenings",
    "I like short answers without headings",
    "I play the viola in an amateur orchestra",
    "My laptop runs Fedora",
    "My favourite films are old westerns",
    "We moved into our house in 2018",
    "I read the news on the train to work",
    "My sister lives in Rotterdam",
    "I write my notes in Markdown",
)


def main() -> None:
    """Print a line per kind, and one for all."""
    parser = argparse.ArgumentParser(description="Count the prompts for which recall gives a safety memory.")
    parser.add_argument("file", type=Path)
    parser.add_argument("--list", action="store_true", help="list the mistakes")
    given = parser.parse_args()
    lines = given.file.read_text(encoding="utf-8").splitlines()
    if given.list and lines[0].startswith("# Held out"):
        parser.error("what is held out is not listed")
    asked = defaultdict[tuple[str, str], list[tuple[str, bool]]](list)
    for kind, memory, prompt, needed in (line.split("\t") for line in lines if line and not line.startswith("#")):
        asked[kind, memory].append((prompt, needed == "needed"))
    embedder, options = load_embedder("minilm", cache_folder()), block_options()
    totals = defaultdict[str, Counter[str]](Counter)
    which = Filter().within(scopes_for(None, None))
    for (kind, memory), prompts in asked.items():
        with tempfile.TemporaryDirectory() as folder, contextlib.closing(Store.open(Path(folder))) as store:
            *_, own = put(store, *ORDINARY, memory)
            embed_missing(store, embedder)
            index = Index(store, embedder.fingerprint)
            index.catch_up()
            results = find_many(store, index, embedder, [(prompt, which) for prompt, _ in prompts], options)
            for (prompt, needed), result in zip(prompts, results, strict=True):
                found = any(hit.memory.id == own for hit in result.hits)
                for name in (kind, "all"):
                    totals[name].update([f"{needed}", f"{needed} {found}"])
                if given.list and found is not needed:
                    print(f"  {'missing' if needed else 'needless'}: {memory!r} for {prompt!r}")
    for kind, total in sorted(totals.items(), key=lambda one: one[0] == "all"):
        needed, needless = (f"{total[f'{one} True']}/{total[str(one)]}" for one in (True, False))
        print(f"{kind}: given {needed} needed, {needless} not needed")


if __name__ == "__main__":
    main()

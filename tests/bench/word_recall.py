"""Count what a hook without a server misses and gives needlessly, for the task prompts of tests/recall.

    python tests/bench/word_recall.py FOLDER

First, one line per person, with the stores that task_recall.py makes: missing entries of `must`, junk as defined there,
and the prompts without an answer that get nothing. Then one line per size of small stores, drawn from those memories:
needed ones that the words find, and needless ones.
"""

import argparse
import contextlib
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from unittest.mock import patch

from curator.block_text import HEADINGS, Section, sanitised
from curator.serve import word_recall
from curator.serve.word_block import LONGEST

sys.path.insert(0, str(Path(__file__).parents[1]))

from factories import put
from recall_people import FRUITLESS, Person, Prompt, people
from store import Filter, Store
from store.model import Memory

SIZES, DRAWN = (3, 6, 12, 25, 50), 4


def main() -> None:
    """Print a line for each person, then one for each size."""
    parser = argparse.ArgumentParser(description="Count what a hook without a server misses.")
    parser.add_argument("folder", type=Path, help="folder for the stores, which are reused the next time")
    persons = people(parser.parse_args().folder, reviewed=False)
    for person in persons:
        memories = person.store.get_many(person.store.list_ids(Filter()))
        total = counts(person, person.store.folder, memories, person.prompts)
        print(f"{person.name}: {len(memories)} memories; {summary(total)}")
    for size in SIZES:
        total = Counter[str]()
        for person in persons:
            everywhere = [
                one for one in person.store.get_many(person.store.list_ids(Filter())) if one.scope == "global"
            ]
            for seed in range(DRAWN):
                drawn = random.Random(100 * seed + size).sample(everywhere, size)
                with tempfile.TemporaryDirectory() as folder, contextlib.closing(Store.open(Path(folder))) as small:
                    put(small, *(memory.text for memory in drawn))
                    total += counts(person, small.folder, drawn, person.prompts)
        print(f"stores of {size}: {summary(total)}")


def counts(person: Person, folder: Path, memories: Sequence[Memory], prompts: Sequence[Prompt]) -> Counter[str]:
    """Count over the prompts; what a store does not hold is not needed."""
    total = Counter[str]()
    stored = frozenset[str]().union(*(person.lines[memory.id] for memory in memories))
    known = {sanitised(memory.text, LONGEST): person.lines[memory.id] for memory in memories}
    for prompt in prompts:
        given, brought = lines_of(known, prompt, folder)
        fitting = prompt.may.union(person.orders, *prompt.must)
        needed = [one for one in prompt.must if one & stored]
        junk = sum(not lines & fitting for lines in brought)
        total.update({"prompts": 1, "needed": len(needed), "found": sum(bool(one & given) for one in needed)})
        total.update({"junk": junk, "given": len(brought)})
        if prompt.sort in FRUITLESS:
            total.update({"fruitless": 1, "fruitless junk": junk})
    return total


def lines_of(
    known: dict[str, frozenset[str]], prompt: Prompt, folder: Path
) -> tuple[frozenset[str], list[frozenset[str]]]:
    """Return the lines of all memories in the block, and those of each memory that is not always given."""
    scopes = [scope.partition(":")[2] for scope in prompt.which.scopes if scope.startswith("project:")]
    with (
        patch.object(word_recall, "store_folder", lambda: folder),
        patch.object(word_recall, "label_of", lambda *_: scopes[0] if scopes else ""),
    ):
        block = word_recall.recall_by_words(prompt.text, "")[0]
    given, brought, heading = frozenset[str](), list[frozenset[str]](), ""
    for line in block.splitlines():
        heading = heading if line.startswith("- ") else line
        if line.startswith("- "):
            text = line[2:]
            lines = known[text if text in known else text.rpartition(" (")[0]]
            given |= lines
            brought += [lines] if heading != HEADINGS[Section.STANDING] else []
    return given, brought


def summary(total: Counter[str]) -> str:
    return (
        f"found {total['found']} of {total['needed']} needed; junk {total['junk']} of {total['given']} for "
        f"{total['prompts']} prompts, {total['fruitless junk']} of it for {total['fruitless']} without an answer"
    )


if __name__ == "__main__":
    main()

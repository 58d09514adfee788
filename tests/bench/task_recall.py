"""Count what recall misses and what it gives needlessly for the task prompts of tests/recall, before any review.

    python tests/bench/task_recall.py FOLDER [--list]

One line per person and half. missing: entries of `must` that the block does not satisfy, of all entries, by why they
are needed. junk: memories in blocks that are neither needed, allowed nor always given. `--list` names what is missing
in the half that may be tuned on. Before these lines, for each person: the number of memories always given, and the
texts of those that correspond to no order of the person.
"""

import argparse
from collections import Counter
from pathlib import Path

from curator.recall import find
from curator.services.recall import block_options
from recall_people import NOW, block_contents, people
from store import Filter
from store.model import Given


def main() -> None:
    """Print a line for each person and half."""
    parser = argparse.ArgumentParser(description="Count what recall misses for prompts.")
    parser.add_argument("folder", type=Path, help="folder for the stores, which are reused the next time")
    parser.add_argument("--list", action="store_true", help="list what is missing, in the tuning half only")
    given = parser.parse_args()
    for person in people(given.folder, reviewed=False):
        always = person.store.get_many(person.store.list_ids(Filter(given=(Given.ALWAYS,))))
        others = [memory.text for memory in always if not person.lines[memory.id] & person.orders]
        print(f"{person.name}: {len(always)} always given; of them not an order: {others or 'none'}")
        totals: dict[str, Counter[str]] = {"tune": Counter(), "held": Counter()}
        for prompt in person.prompts:
            hits = find(*person.search, prompt.text, prompt.which, block_options(now=NOW)).hits
            answer, total = block_contents(person, prompt, hits), totals[prompt.half]
            total.update({"prompts": 1, "given": len(answer.brought), "junk": len(answer.junk)})
            for lines, why in zip(prompt.must, prompt.why, strict=True):
                total[why] += 1
                if lines in answer.missing:
                    total[f"no {why}"] += 1
                    if given.list and prompt.half == "tune":
                        print(f"  {why}: {prompt.text[:60]!r} lacks {', '.join(lines)}")
        for half, total in totals.items():
            missing = (f"{why} {total[f'no {why}']}/{total[why]}" for why in ("safety", "standing", "project", "fact"))
            print(
                f"{person.name} {half}: {total['prompts']} prompts; missing {', '.join(missing)}; "
                f"junk {total['junk']} of {total['given']}"
            )


if __name__ == "__main__":
    main()

"""Measure which memories are marked for a request to forget, on the labelled requests of tests/services.

    python tests/bench/forget_requests.py            # by words alone, as marking always works
    python tests/bench/forget_requests.py --errors   # list wrong and missed marks; tuned people only

Prints precision and recall of the marks, for the people that the matching was tuned on and for the others. Then, for
messages of chats: how many requests are found with exactly the right memories marked, from how many a memory is made
(which may come from the rest of the message), and how many messages that only sound like a request count as one.
"""

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from curator.distill.scores.chats import sentence_classifier
from curator.services.forget_requests import match_requests
from services.labelled_requests import ChatTally, Tally, chatting_people, fill, noticed, people
from store import Store


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--errors", action="store_true")
    wanted = parser.parse_args()
    tallies = {held: Tally() for held in (False, True)}
    for person in people():
        with tempfile.TemporaryDirectory(prefix="curator-bench-") as folder:
            store = Store.open(Path(folder) / "store")
            letters = fill(store, person)
            found = match_requests(store, [words for words, _, _ in person.requests])
            for (words, meant, either), one in zip(person.requests, found, strict=True):
                marked = {letters[memory.id] for memory in one.sure}
                tallies[person.held].add(marked, meant, either)
                if wanted.errors and not person.held and (marked - either) != meant:
                    print(f"  {words}: wrong {sorted(marked - meant - either)}, missed {sorted(meant - marked)}")
            store.close()
    for held, tally in tallies.items():
        which = "held out" if held else "tuned on"
        print(f"{which}: precision {tally.precision:.2f}, recall {tally.recall:.2f}", vars(tally))
    in_chats, classifier = {held: ChatTally() for held in (False, True)}, sentence_classifier()
    for (_, held), said in chatting_people().items():
        with tempfile.TemporaryDirectory(prefix="curator-bench-") as folder:
            store = Store.open(Path(folder) / "store")
            in_chats[held].read(store, said, classifier)
            store.close()
    for held, found_in_chats in in_chats.items():
        figures = vars(found_in_chats) | {"wrong": len(found_in_chats.wrong)}
        print("in chats, held out:" if held else "in chats, tuned on:", figures)
        if wanted.errors and not held:
            print(*(f"  {one}" for one in found_in_chats.wrong), sep="\n")
    for used, with_classifier in ((None, "rules only"), (classifier, "with the classifier")):
        print(f"messages of another author taken for requests, {with_classifier}:", noticed(used))


if __name__ == "__main__":
    main()

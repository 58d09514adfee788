"""Print how often the distiller takes other people's words and orders for one occasion for the person's own.

python tests/bench/others_words.py             of the half for tuning, with the errors
python tests/bench/others_words.py --held-out  of the other half, without: it is proof only while nobody saw them
python tests/bench/others_words.py --words     without the classifier of sentences

The conversations of `tests/distill/texts_of_others.jsonl` have CVs, letters, speeches, rules and scenes that the person
works on for somebody else, with the person's own statements in between, and near misses entirely in the person's words.
"""

import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "distill")]

from texts_of_others import HALVES, Figures, conversations, figures  # noqa: E402

from curator.distill.scores.chats import sentence_classifier  # noqa: E402


def main() -> None:
    classifier = None if "--words" in sys.argv else sentence_classifier()
    half = HALVES["--held-out" in sys.argv]
    found = [figures(one, classifier) for one in conversations(half)]
    total = sum(found, Figures())
    print(f"{half}: {len(found)} conversations")
    print(f"  not the person's: {len(total.taken)} of {total.foreign} kept, {len(total.taken_always)} in every prompt")
    print(f"  for one thing: {len(total.lasting)} of {total.once} kept, {len(total.lasting_core)} as core or always")
    print(f"  the person's: {total.own - len(total.lost)} of {total.own} kept")
    print(f"  the person's in near misses: {total.near - len(total.near_lost)} of {total.near} kept")
    for name in ("taken", "taken_always", "lasting", "lasting_core", "lost", "near_lost") if half == "tune" else ():
        for said in getattr(total, name):
            print(f"    {name:13} {said}")


if __name__ == "__main__":
    main()

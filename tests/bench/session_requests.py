"""Print how many requests to remember and standing orders in coding sessions are kept, and near misses taken for them.

python tests/bench/session_requests.py            prints the errors of the even rows, which are for tuning
python tests/bench/session_requests.py --held-out of the odd ones too: after that they prove nothing any more
"""

import sys
from itertools import product
from pathlib import Path

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "distill")]

from labelled_requests import FILES, HALVES, Kept, kept  # noqa: E402

from curator.distill.scores.chats import sentence_classifier  # noqa: E402


def flags_of(one: Kept) -> tuple[bool, bool, bool]:
    """Return whether the span is kept, kept as an order or request, and whether anything is."""
    return one.found, one.asked, bool(one.texts)


def main() -> None:
    classifier = sentence_classifier()
    for name, used in (("words", None), ("words and classifier", classifier)):
        for file, half in product(FILES, HALVES):
            found = kept(half, used, file)
            print(f"{file}, {half}, read by {name}:")
            for label in ("request", "order", "-"):
                of_label = [one for one in found if one.message.label == label]
                spans, asked, any_kept = (sum(map(bool, flags)) for flags in zip(*map(flags_of, of_label), strict=True))
                told = f"{spans} kept, " if label != "-" else ""
                print(f"  {label:8}{len(of_label)}: {told}{asked} as asked, {any_kept} at all")
            for one in found if half == "tune" or "--held-out" in sys.argv else ():
                if not one.right:
                    print(f"    {one.message.label:8}{one.message.text!r} -> {one.texts}")


if __name__ == "__main__":
    main()

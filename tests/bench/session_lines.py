"""Print how the distiller does on the labelled lines of coding sessions: precision, recall, recall of orders.

python tests/bench/session_lines.py            prints the errors of the sessions for tuning
python tests/bench/session_lines.py --held-out of the others too: after that they prove nothing any more
"""

import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "distill")]

from labelled_lines import figures, lines, typed  # noqa: E402

from curator.distill.scores.chats import sentence_classifier  # noqa: E402


def main() -> None:
    classifier = sentence_classifier()
    print(
        "read by words"
        if classifier is None
        else "read by words and by the classifier, which knows the sessions for tuning"
    )
    for half in ("tune", "held"):
        known = [line for line in lines() if line.half == half]
        judged = [(line, bool(typed(line.text, classifier=classifier).candidates)) for line in known]
        lasting = sum(line.lasts for line, _ in judged)
        precision, recall, orders = figures(judged)
        print(f"{half}: {len(judged)} lines, {lasting} lasting")
        print(f"  precision {precision:.3f}  recall {recall:.3f}  orders {orders:.3f}")
        if half == "tune" or "--held-out" in sys.argv:
            for line, kept in judged:
                if kept != line.lasts:
                    print(f"    {'kept' if kept else 'missed':7}{line.label:6}{line.session:18}{line.text}")


if __name__ == "__main__":
    main()

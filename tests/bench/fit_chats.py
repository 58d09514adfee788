"""Fit the score of general chats on the sentences of `tests/distill/chat_lines.txt` and print its quality crosswise.

`python tests/bench/fit_chats.py --write` writes the weights. Printed is how well the score alone does on sentences that
it was not fitted on: each tenth in turn.

Tried on the labelled conversations for tuning (`distilled_lines.py`): embeddings of the sentence by MiniLM in the place
of its words are worse (area under the curve .88 against .940); beside them they are hardly better (.946), and an import
would have to embed every sentence.
"""

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from curator.distill.chat_score import features
from curator.distill.clauses import clauses, sentences, statements
from curator.distill.language import english
from curator.distill.mask import blank

TESTS = Path(__file__).parents[1]
LINES = TESTS / "distill" / "chat_lines.txt"
FILE = TESTS.parent / "curator" / "distill" / "languages" / "chats.tsv"
PENALTY, STEPS, RATE, RARE = 0.5, 400, 0.05, 2
Table = NDArray[np.float64]


def labelled() -> list[tuple[frozenset[str], bool]]:
    """Return the features of each statement of the lines, or of the sentence without one, and whether it lasts."""
    found: list[tuple[frozenset[str], bool]] = []
    kind = ""
    for line in LINES.read_text("utf-8").splitlines():
        if line.startswith("## "):
            kind = line[3:]
        elif line and line[0] != "#":
            low, _ = blank(line)
            for start, end, _ in sentences(low):
                parts = clauses(low, line, start, end, english())
                said = list(statements(parts))
                sorts = {part.sort for part in parts} - {"", "fact"} | ({"asks"} if low[end - 1] == "?" else set())
                lasts = kind not in ("passing", "nothing")
                for one in said:
                    found.append((features(line[one.start : one.end], one.family.name, sorts), lasts))
                if not said:
                    found.append((features(line[start:end], "", sorts), lasts))
    return found


def fitted(rows: Sequence[Sequence[int]], lasts: Table, size: int) -> Table:
    """Logistic regression with a penalty on the squared weights, by Adam; the bias is the last one.

    `rows` are the numbers of the features that each statement has; there are `size` features.
    """
    cells, starts = np.concatenate([[*row, size] for row in rows]), np.cumsum([0, *(len(row) + 1 for row in rows[:-1])])
    weights = first = second = np.zeros(size + 1)
    for step in range(1, STEPS + 1):
        wrong = 1 / (1 + np.exp(-np.add.reduceat(weights[cells], starts))) - lasts
        sums = np.bincount(cells, np.repeat(wrong, [len(row) + 1 for row in rows]), size + 1)
        slope = (sums + PENALTY * np.r_[weights[:-1], 0]) / len(lasts)
        first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope**2
        weights = weights - RATE * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return weights


def main() -> None:
    known = labelled()
    counts = Counter(name for row, _ in known for name in row)
    names = sorted(name for name, count in counts.items() if count >= RARE)
    numbers = {name: number for number, name in enumerate(names)}
    rows = [[numbers[name] for name in row if name in numbers] for row, _ in known]
    lasts = np.array([float(lasting) for _, lasting in known])
    scores = np.zeros(len(known))
    for part in range(10):
        stay = [at for at in range(len(known)) if at % 10 != part]
        weights = fitted([rows[at] for at in stay], lasts[stay], len(names))
        for at in range(part, len(known), 10):
            scores[at] = weights[rows[at]].sum() + weights[-1]
    above = scores[lasts == 1][:, None] > scores[lasts == 0][None]
    print(f"{len(known)} statements, {len(names)} features; crosswise: area under the curve {above.mean():.3f}")
    for bound in (-1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0):
        kept = lasts[scores >= bound]
        print(f"  from {bound:4.1f}: precision {kept.mean():.3f}  recall {kept.sum() / lasts.sum():.3f}")
    if "--write" in sys.argv:
        *rest, bias = fitted(rows, lasts, len(names)).round(2).tolist()
        lines = [f"{name}\t{weight:g}" for name, weight in zip(names, rest, strict=True) if abs(weight) >= 0.05]
        head = "# Weights of words, pairs and marks of a statement; written by tests/bench/fit_chats.py."
        FILE.write_text("\n".join([head, f"BIAS\t{bias:g}", *lines]) + "\n", "utf-8")


if __name__ == "__main__":
    main()

"""Fit the weights of the cues of coding sessions on the labelled lines for tuning, and print them.

`python tests/bench/fit_sessions.py --write` writes them to `sessions.toml`. The first line shows how well the score
alone does on sessions that the weights were not fitted on: each tenth of them in turn.
"""

import re
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "distill")]

from labelled_lines import figures, lines  # noqa: E402

from curator.distill.scores.coding_sessions import scale  # noqa: E402

FILE = TESTS.parent / "curator" / "distill" / "languages" / "sessions.toml"
PENALTY, STEPS, RATE = 1.5, 3_000, 0.5
Table = NDArray[np.float64]


def fitted(cues: Table, lasts: Table) -> Table:
    """Fit a logistic regression with a penalty on the squared weights; the bias is last."""
    weights = np.zeros(cues.shape[1])
    for _ in range(STEPS):
        wrong = 1 / (1 + np.exp(-cues @ weights)) - lasts
        weights -= RATE * (cues.T @ wrong + PENALTY * np.r_[weights[:-1], 0]) / len(lasts)
    return weights


def main() -> None:
    known = [line for line in lines() if line.half == "tune"]
    cues = np.array([[*(float(cue.has(line.text)) for cue in scale().cues), 1.0] for line in known])
    lasts = np.array([float(line.lasts) for line in known])
    sessions = sorted({line.session for line in known})
    judged = []
    for part in range(10):
        away = np.isin([line.session for line in known], sessions[part::10])
        weights = fitted(cues[~away], lasts[~away])
        judged += [(known[at], bool(cues[at] @ weights >= scale().least)) for at in np.flatnonzero(away)]
    precision, recall, orders = figures(judged)
    print(f"score alone, cross-validated: precision {precision:.3f}  recall {recall:.3f}  orders {orders:.3f}")
    *weights, bias = fitted(cues, lasts).round(2).tolist()
    text = FILE.read_text("utf-8")
    text = re.sub(r"(?m)^bias = .*", f"bias = {bias}", text)
    for cue, weight in zip(scale().cues, weights, strict=True):
        print(f"{weight:6.2f}  {cue.name}")
        text = re.sub(rf'(name = "{cue.name}"\nweight = ).*', rf"\g<1>{weight}", text)
    if "--write" in sys.argv:
        FILE.write_text(text, "utf-8")


if __name__ == "__main__":
    main()

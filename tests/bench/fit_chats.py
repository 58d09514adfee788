"""Fit the scores for general chats on the sentences written for them, and print their quality under cross-validation.

`python tests/bench/fit_chats.py --write` writes the weights. The printed figures are for sentences that a score was not
fitted on: each fifth in turn, and all sentences of an author after fitting on the others.

Tried on the labelled conversations for tuning (`distilled_lines.py`): MiniLM embeddings of the sentence instead of its
words are worse (area under the curve .88 against .940); in addition to them they are hardly better (.946), and an
import would have to embed every sentence. Classes of words, 400 clusters of MiniLM's word vectors, as features: area
.982 against .978 of the third author's sentences, the same for orders; not worth a table of 20,000 words.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from curator.distill.language import english
from curator.distill.mask import mask_foreign_text
from curator.distill.scores.features import IN_SESSION, context, features
from curator.distill.statements.clauses import clauses, sentences, statements

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "distill"), str(TESTS / "bench")]

from labelled_lines import lines  # noqa: E402

from distilled_lines import rows_of, texts_of  # noqa: E402

FOLDER = TESTS / "distill"
FILE = TESTS.parent / "curator" / "distill" / "languages" / "chats.tsv"
SCORES = ("lasting", "order", "request")
STEPS, RATE, RARE, FOLDS = 300, 0.05, 2, 5
PENALTY = {"lasting": 1.0, "order": 1.0, "request": 1.0}
NO_ORDERS = ("nothing", "identity", "relationship", "event", "trait", "decision", "task", "commitment", "project")
"""Labels of `sentences.txt` that are not orders: there an order is labelled as a preference."""
LEAST_WEIGHT = 0.04
Table = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TrainingRow:
    """The features of a statement or sentence, its label, and its source."""

    features: frozenset[str]
    label: str  # a kind, order, request, passing or nothing
    part: str
    scores: tuple[str, ...]  # scores that are fitted on it


def labelled(path: Path) -> Iterator[tuple[str, str]]:
    """Yield label and text of each line, from a file with headings or a table."""
    heading = ""
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("## "):
            heading = line[3:].strip()
        elif line and line[0] != "#":
            label, _, text = line.rpartition("\t")
            yield ("nothing" if (label or heading) == "-" else label or heading), text


def line_rows(line: str, label: str, part: str, for_orders: bool) -> list[TrainingRow]:
    """Return the training rows of a line: its statements (do they last?) and its sentences (are they orders?)."""
    found: list[TrainingRow] = []
    low, _ = mask_foreign_text(line)
    for start, end, _ in sentences(low):
        parts = clauses(low, line, start, end, english())
        said = [one for one in statements(parts) if one.family]
        sorts = {part.sort for part in parts} - {"", "fact"} | ({"asks"} if low[end - 1] == "?" else set())
        spans = [(one.start, one.end, one.family.name) for one in said] or [(start, end, "")]
        if for_orders:
            found.append(TrainingRow(features(line[start:end]) | context(), label, part, ("order", "request")))
        if label not in ("order", "request"):
            told = (features(line[first:last]) | context(family, sorts) for first, last, family in spans)
            found += [TrainingRow(one, label, part, ("lasting",)) for one in told]
    return found


def training_rows() -> list[TrainingRow]:
    """Return all training rows."""
    found: list[TrainingRow] = []
    for name in ("chat_lines.txt", "chat_lines_second.txt", "chat_lines_third.txt", "sentences.txt"):
        for label, line in labelled(FOLDER / name):
            found += line_rows(line, label, name, name != "sentences.txt" or label in NO_ORDERS)
    for name in ("orders.txt", "orders_second.txt", "orders_third.txt", "labels/requests_tune.tsv"):
        for label, line in labelled(FOLDER / name):
            texts = [line[start:end] for start, end, _ in sentences(mask_foreign_text(line)[0])]
            if label in ("order", "request"):
                texts = texts if len(texts) == 1 else [line]  # any one of several may be the order
            scores = SCORES if label == "nothing" else ("order", "request")
            found += [TrainingRow(features(one) | context(), label, name, scores) for one in texts]
    demo = texts_of(None)
    for row in rows_of("tune"):
        if row.source == "demo" and row.label != "end" and not row.doubt:
            text = demo["demo", row.conversation][row.message][row.start : row.end]
            label = row.kind if row.label == "lasting" else row.label
            found += line_rows(text, label, "demo", row.label != "lasting" or label in ("identity", "event", "fact"))
    for one in lines():
        if one.half == "tune" and one.label != "fact":
            label = "order" if one.label == "order" else "nothing"
            found.append(TrainingRow(features(one.text) | context() | {IN_SESSION}, label, "sessions", ("order",)))
    return found


def fitted(rows: Sequence[Sequence[int]], holds: Table, size: int, penalty: float) -> Table:
    """Fit a logistic regression by Adam, with a penalty on the squared weights; the bias is last.

    `rows` holds the feature numbers of each statement; there are `size` features.
    """
    cells, starts = np.concatenate([[*row, size] for row in rows]), np.cumsum([0, *(len(row) + 1 for row in rows[:-1])])
    weights = first = second = np.zeros(size + 1)
    for step in range(1, STEPS + 1):
        wrong = 1 / (1 + np.exp(-np.add.reduceat(weights[cells], starts))) - holds
        sums = np.bincount(cells, np.repeat(wrong, [len(row) + 1 for row in rows]), size + 1)
        slope = (sums + penalty * np.r_[weights[:-1], 0]) / len(holds)
        first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope**2
        weights = weights - RATE * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return weights


def holds(score: str, one: TrainingRow) -> bool:
    """Return the true label of a row for a score."""
    return one.label not in ("passing", "nothing") if score == "lasting" else one.label == score


def weights_of(score: str, rows: Sequence[TrainingRow]) -> dict[str, float]:
    """Return the weights of a score by feature, including BIAS."""
    counts = Counter(name for row in rows for name in row.features)
    numbers = {name: at for at, name in enumerate(sorted(name for name, count in counts.items() if count >= RARE))}
    cells = [[numbers[name] for name in row.features if name in numbers] for row in rows]
    wanted = np.array([float(holds(score, row)) for row in rows])
    *found, bias = fitted(cells, wanted, len(numbers), PENALTY[score]).tolist()
    return dict(zip(numbers, found, strict=True)) | {"BIAS": bias}


def judged(score: str, learnt: Sequence[TrainingRow], asked: Sequence[TrainingRow]) -> list[float]:
    """Fit on some rows, and return the scores of others."""
    weights = weights_of(score, learnt)
    return [weights["BIAS"] + sum(weights.get(name, 0.0) for name in one.features) for one in asked]


def show(name: str, scores: Sequence[float], true: Sequence[bool]) -> None:
    """Print the area under the curve, and for each bound the recall and the share of false alarms."""
    got, label = np.array(scores), np.array(true)
    yes, no = got[label], got[~label]
    area = (yes[:, None] > no[None]).mean() if yes.size and no.size else 0.0
    points = [
        f"{bound:g}: {(yes >= bound).sum() / max(1, yes.size):.2f}/{(no >= bound).sum() / max(1, no.size):.3f}"
        for bound in (-2, -1, -0.5, 0, 0.5, 1, 1.5, 2, 3)
    ]
    print(f"  {name:34}{area:.3f}  " + "  ".join(points))


def main() -> None:
    rows = training_rows()
    print(f"{len(rows)} statements; area under the curve, then recall and false alarms at each bound")
    written: dict[str, list[float]] = {}
    for place, score in enumerate(SCORES):
        mine = [row for row in rows if score in row.scores]
        print(f"{score}: {len(mine)}, {sum(holds(score, row) for row in mine)} positive")
        for author in ("second", "third"):
            own = [row for row in mine if author in row.part]
            others = [row for row in mine if author not in row.part]
            show(f"{author} author, fitted on others", judged(score, others, own), [holds(score, row) for row in own])
        got = np.zeros(len(mine))
        for fold in range(FOLDS):
            stay = [row for at, row in enumerate(mine) if at % FOLDS != fold]
            away = [at for at in range(len(mine)) if at % FOLDS == fold]
            got[away] = judged(score, stay, [mine[at] for at in away])
        for part in dict.fromkeys(row.part for row in mine):
            at = [at for at, row in enumerate(mine) if row.part == part]
            show(f"cross-validated, {part}", [got[one] for one in at], [holds(score, mine[one]) for one in at])
        for name, weight in weights_of(score, mine).items():
            written.setdefault(name, [0.0, 0.0, 0.0])[place] = weight
    if "--write" in sys.argv:
        head = "# Weights of features: of what lasts, of orders, of requests; written by tests/bench/fit_chats.py."
        lines = [
            f"{name}\t" + "\t".join(f"{weight:.2f}".rstrip("0").rstrip(".") for weight in weights)
            for name, weights in sorted(written.items())
            if name == "BIAS" or max(map(abs, weights)) >= LEAST_WEIGHT
        ]
        FILE.write_text("\n".join([head, *lines]) + "\n", "utf-8")


if __name__ == "__main__":
    main()

"""Find the weights of the preset `curator`, and say how they do on conversations they were not fitted to.

    python tests/bench/fit_recall.py FOLDER --memories MEMORIES QUESTIONS --logs EXPORT QUESTIONS

The weights make the answers likely among all candidates (a softmax over their scores), by Newton's method, and are held
near round numbers set by hand. Each data set counts alike, so that what wins on dialogue turns and loses on distilled
memories does not win. Left out in turn is a whole conversation, its questions and their answers.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import recall_data as data
from curator.recall.features import standard
from curator.recall.presets import WEIGHTS, signals
from curator.recall.search import sheets_of

PRIOR = {
    "text": 0.5,
    "context": 0.5,
    "meaning": 0.6,
    "conversation": 0.2,
    "replies": 0.2,
    "length": 0.1,
    "asks": -0.3,
    "tells": 0.4,
    "dated": 0.4,
    "person": 0.1,
}
"""Starting values that hold the weights where the data gives no reason to move."""
HELD = 0.2  # how firmly


@dataclass(frozen=True, slots=True)
class Ranking:
    """The candidates of one question: a row of signals each, and what it stands for."""

    rows: NDArray[np.float64]
    cited: tuple[frozenset[str], ...]
    gold: frozenset[str]
    group: str
    worth: float  # of this question in the fit

    @property
    def answers(self) -> NDArray[np.float64]:
        return np.array([float(bool(cited & self.gold)) for cited in self.cited])

    def ordered(self, weights: NDArray[np.float64]) -> list[frozenset[str]]:
        return [self.cited[place] for place in np.argsort(-(self.rows @ weights), kind="stable")]


def rankings(known: data.Data, worth: float) -> list[Ranking]:
    """The candidates of every question of a data set."""
    found = []
    sheets = sheets_of(known.store, known.index, known.embedder, known.asked, now=data.NOW)
    for case, (sheet, _) in zip(known.cases, sheets, strict=True):
        columns = signals(sheet)
        rows = np.stack([standard(columns[name]) for name in WEIGHTS], axis=1)
        found.append(
            Ranking(rows, tuple(known.cites(memory.id) for memory in sheet.memories), case.gold, case.group, worth)
        )
    return found


def fitted(questions: Sequence[Ranking]) -> NDArray[np.float64]:
    """The weights, in the order of `WEIGHTS`."""
    prior = np.array([PRIOR[name] for name in WEIGHTS])
    weights = prior.copy()
    pairs = [(ranking, ranking.answers) for ranking in questions]
    used = [(ranking, answers / answers.sum()) for ranking, answers in pairs if answers.any()]
    whole = sum(ranking.worth for ranking, _ in used)
    for _ in range(40):
        slope, bend = HELD * (weights - prior), HELD * np.eye(len(weights))
        for ranking, answers in used:
            scores = ranking.rows @ weights
            chance = np.exp(scores - scores.max())
            chance /= chance.sum()
            mean = chance @ ranking.rows
            part = ranking.worth / whole
            slope += part * (mean - answers @ ranking.rows)
            bend += part * ((ranking.rows.T * chance) @ ranking.rows - np.outer(mean, mean))
        step = np.linalg.solve(bend, slope)
        weights -= 0.7 * step
        if np.abs(step).max() < 1e-4:
            break
    return weights


def main() -> None:
    """Fit, and print what was found."""
    sets = [
        (known, rankings(known, 1 / len(known.cases)))
        for known in data.load(data.arguments("Fit recall.").parse_args())
    ]
    every = [ranking for _, found in sets for ranking in found]
    groups = sorted({ranking.group for ranking in every})
    without = {group: fitted([ranking for ranking in every if ranking.group != group]) for group in groups}
    whole = fitted(every)
    inside = np.array(list(WEIGHTS.values()))
    print(f"{'':34s} " + "  ".join(data.COLUMNS))
    for known, found in sets:
        print(f"{known.name}, {len(found)} questions, {len({ranking.group for ranking in found})} conversations")
        for name, weights_of in (
            ("  by hand", lambda _: np.array([PRIOR[name] for name in WEIGHTS])),
            ("  fitted, leave one conversation out", lambda group: without[group]),
            ("  fitted to all", lambda _: whole),
            ("  as in the program", lambda _: inside),
        ):
            answers = [(ranking.ordered(weights_of(ranking.group)), ranking.gold) for ranking in found]
            data.line(name, data.scored(answers))
    print("\nWEIGHTS = {")
    for name, weight in zip(WEIGHTS, whole, strict=True):
        spread = [weights[list(WEIGHTS).index(name)] for weights in without.values()]
        print(f'    "{name}": {weight:.2f},  # {min(spread):.2f} to {max(spread):.2f} without one conversation')
    print("}")


if __name__ == "__main__":
    main()

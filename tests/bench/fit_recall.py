"""Fit the weights of the preset `curator`, leaving out one set at a time, and show what each signal is worth.

    python tests/bench/fit_recall.py FOLDER --memories MEMORIES QUESTIONS --logs EXPORT QUESTIONS

The weights maximise the likelihood of the answers among all candidates (a softmax over their scores), by Newton's
method, with a prior at round numbers set by hand. Each set counts alike, the task prompts too, so that a gain on
dialogue turns cannot outweigh a loss on long messages. For each figure on unseen data a whole set is left out. Without
a signal, the others are refitted; the figures are R@5, R@10 and MRR.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import recall_data as data
import recall_people as people
from curator.recall.candidates import sheets_of
from curator.recall.features import Sheet
from curator.recall.presets import WEIGHTS, signals
from store.model import Given

PRIOR = {
    "context": 0.5,
    "meaning": 0.9,
    "conversation": 0.3,
    "replies": 0.2,
    "length": 0.2,
    "tells": 0.5,
    "dated": 0.5,
    "person": 0.2,
}
"""Prior mean of the weights, which keeps them where the data does not move them."""
HELD = 0.2  # strength of the prior


@dataclass(frozen=True, slots=True)
class Ranking:
    """The candidates of one question: a row of signals for each, and the answer ids it stands for."""

    rows: NDArray[np.float64]
    cited: tuple[frozenset[str], ...]
    gold: frozenset[str]
    group: str

    @property
    def answers(self) -> NDArray[np.float64]:
        return np.array([float(bool(cited & self.gold)) for cited in self.cited])

    def ordered(self, weights: NDArray[np.float64]) -> list[frozenset[str]]:
        return [self.cited[place] for place in np.argsort(-(self.rows @ weights), kind="stable")]


Sheets = Sequence[tuple[Sheet, dict[int, NDArray[np.float32]]]]


def rankings(known: data.Data, sheets: Sheets) -> list[Ranking]:
    """Return the candidates of every question of a data set."""
    return [
        Ranking(_rows(sheet), tuple(known.cites(memory.id) for memory in sheet.memories), case.gold, case.group)
        for case, (sheet, _) in zip(known.cases, sheets, strict=True)
    ]


def prompt_rankings(person: people.Person, sheets: Sheets, half: str) -> list[Ranking]:
    """Return the candidates of the task prompts that need more than what is always given."""
    found = []
    for prompt, (sheet, _) in zip(person.prompts, sheets, strict=True):
        always = [person.lines[memory.id] for memory in sheet.memories if memory.given is Given.ALWAYS]
        wanted = [one for one in prompt.must if not any(one & lines for lines in always)]
        if wanted and prompt.half == half:
            other = np.array([memory.given is not Given.ALWAYS for memory in sheet.memories])
            cited = (
                frozenset(str(place) for place, one in enumerate(wanted) if one & person.lines[memory.id])
                for memory in sheet.memories
                if memory.given is not Given.ALWAYS
            )
            gold = frozenset(map(str, range(len(wanted))))
            found.append(Ranking(_rows(sheet)[other], tuple(cited), gold, person.name))
    return found


def _rows(sheet: Sheet) -> NDArray[np.float64]:
    columns = signals(sheet)
    return np.stack([columns[name] for name in WEIGHTS], axis=1)


def fitted(sets: Sequence[Sequence[Ranking]], without: str = "") -> NDArray[np.float64]:
    """Return the weights in the order of `WEIGHTS`, each set counting alike; the signal left out has 0."""
    used = np.array([name != without for name in WEIGHTS])
    prior = np.array([PRIOR[name] for name in WEIGHTS])[used]
    weights = prior.copy()
    parts = [
        (one.rows[:, used], one.answers / one.answers.sum(), 1 / len(rankings) / len(sets))
        for rankings in sets
        for one in rankings
        if one.answers.any()
    ]
    for _ in range(40):
        slope, bend = HELD * (weights - prior), HELD * np.eye(len(weights))
        for rows, answers, part in parts:
            scores = rows @ weights
            chance = np.exp(scores - scores.max())
            chance /= chance.sum()
            mean = chance @ rows
            slope += part * (mean - answers @ rows)
            bend += part * ((rows.T * chance) @ rows - np.outer(mean, mean))
        step = np.linalg.solve(bend, slope)
        weights -= 0.7 * step
        if np.abs(step).max() < 1e-4:
            break
    whole = np.zeros(len(WEIGHTS))
    whole[used] = weights
    return whole


def figures(rankings: Sequence[Ranking], weights: NDArray[np.float64]) -> str:
    """Return R@5, R@10 and MRR of a set, as columns."""
    return data.figures(data.scored([(one.ordered(weights), one.gold) for one in rankings]))


def main() -> None:
    """Fit the weights and print the results."""
    given = data.arguments("Fit recall.").parse_args()
    sets = {
        known.name: rankings(known, list(sheets_of(known.store, known.index, known.embedder, known.asked, data.SEARCH)))
        for known in data.load(given)
    }
    sets["task prompts"] = [
        one
        for person in people.people(given.folder, reviewed=True)
        for one in prompt_rankings(
            person,
            list(sheets_of(*person.search, people.asked(person), people.SEARCH)),
            "tune",
        )
    ]
    inside, whole = np.array(list(WEIGHTS.values())), fitted(list(sets.values()))
    print(" " * 28 + "".join(f"{name[:14] + ' ' + str(len(one)):>21s}" for name, one in sets.items()))
    for label, weights in (("as in the program", inside), ("fitted to all", whole)):
        print(f"{label:28s} " + "  ".join(figures(one, weights) for one in sets.values()), flush=True)
    unseen = {name: fitted([one for other, one in sets.items() if other != name]) for name in sets}
    print(f"{'fitted to the other sets':28s} " + "  ".join(figures(one, unseen[name]) for name, one in sets.items()))
    for signal in WEIGHTS:
        weights = fitted(list(sets.values()), signal)
        print(f"{'without ' + signal:28s} " + "  ".join(figures(one, weights) for one in sets.values()), flush=True)
    print("\nWEIGHTS = {")
    for place, (name, weight) in enumerate(zip(WEIGHTS, whole, strict=True)):
        spread = [weights[place] for weights in unseen.values()]
        print(f'    "{name}": {weight:.2f},  # {min(spread):.2f} to {max(spread):.2f} without one set')
    print("}")


if __name__ == "__main__":
    main()

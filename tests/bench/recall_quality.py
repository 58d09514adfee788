"""Compare each preset with plain searches: what it finds, and what a model would be given by it.

    python tests/bench/recall_quality.py FOLDER --memories MEMORIES QUESTIONS --logs EXPORT QUESTIONS

same: share of the first ten that say what a better one of them says. tokens: of a block within the default budget.
useful: share of the memories in a block that answer. The presets with a threshold are ranked without it as well, since
it is set for embedders whose cosines are higher.
"""

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

import recall_data as data
from curator.compare import relate
from curator.config import Recall
from curator.recall import BLOCK_GAP, Preset, SearchOptions, answer, block
from curator.recall.features import Sheet
from curator.recall.search import sheets_of
from store.model import Memory, Relation

LIMIT, TOP, CONSIDERED = 25, 10, 20
ALIKE = 0.8
PLAIN: dict[str, Callable[[Sheet], NDArray[np.float64]]] = {
    "plain BM25": lambda sheet: sheet.text,
    "plain vectors": lambda sheet: np.where(sheet.vector_rank > 0, -sheet.vector_rank, -1e9),
    "both by reciprocal rank, k = 10": lambda sheet: _reciprocal(sheet.text_rank) + _reciprocal(sheet.vector_rank),
}


def _reciprocal(rank: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(rank > 0, 1 / (10 + rank), 0.0)


Sheets = Sequence[tuple[Sheet, dict[int, NDArray[np.float32]]]]


def plainly(known: data.Data, sheets: Sheets) -> None:
    """The floors."""
    for name, score in PLAIN.items():
        answers = []
        for case, (sheet, _) in zip(known.cases, sheets, strict=True):
            order = np.argsort(-score(sheet), kind="stable")[:LIMIT]
            answers.append(([known.cites(sheet.memories[place].id) for place in order], case.gold))
        data.line(name, data.scored(answers))


def by_preset(known: data.Data, sheets: Sheets, name: str, wanted: SearchOptions) -> None:
    """One preset: what it finds, and what its block is like."""
    pairs = list(zip(known.cases, sheets, strict=True))
    found = [answer(known.store, *sheet, case.query, wanted) for case, sheet in pairs]
    answers = [[known.cites(hit.memory.id) for hit in one.hits] for one in found]
    scores = data.scored([(hits, case.gold) for hits, case in zip(answers, known.cases, strict=True)])
    same = np.mean(
        [_same([hit.memory for hit in one.hits[:TOP]], sheet[1]) for one, sheet in zip(found, sheets, strict=True)]
    )
    given = SearchOptions(wanted.preset, CONSIDERED, data.NOW, BLOCK_GAP, wanted.threshold)
    told = [answer(known.store, *sheet, case.query, given).hits for case, sheet in pairs]
    made = [block(known.store, hits, Recall().budget, now=data.NOW) for hits in told]
    useful = [
        np.mean([bool(known.cites(memory) & case.gold) for memory in one.memories])
        for one, case in zip(made, known.cases, strict=True)
        if one.memories
    ]
    tokens = np.mean([one.tokens for one in made])
    data.line(name, scores, f"{same:.3f}", f"{tokens:.0f}", f"{np.mean(useful) if useful else 0.0:.3f}")


def _same(memories: Sequence[Memory], rows: dict[int, NDArray[np.float32]]) -> float:
    """Share of the memories that an earlier one makes needless."""
    needless = set()
    for first, second in combinations(memories, 2):
        if second.id in needless or first.id not in rows or second.id not in rows:
            continue
        cosine = float(rows[first.id] @ rows[second.id])
        if cosine >= ALIKE:
            verdict = relate(first.text, second.text, cosine)
            opposed = verdict.relation in (Relation.UPDATE, Relation.CONTRADICTION)
            if not opposed and (verdict.relation is Relation.DUPLICATE or verdict.duplicate_score >= ALIKE):
                needless.add(second.id)
    return len(needless) / len(memories) if memories else 0.0


def main() -> None:
    """Print one table for each data set."""
    for known in data.load(data.arguments("Measure recall.").parse_args()):
        print(f"\n{known.name}: {len(known.cases)} questions")
        print(f"{'':34s} " + "  ".join(f"{name:>5s}" for name in data.COLUMNS) + "      same    tokens    useful")
        sheets = list(sheets_of(known.store, known.index, known.embedder, known.asked, now=data.NOW))
        plainly(known, sheets)
        for preset in Preset:
            by_preset(known, sheets, preset.value, SearchOptions(preset, LIMIT, data.NOW))
            if preset.value.startswith("yak"):
                by_preset(
                    known,
                    sheets,
                    f"{preset.value}, no threshold",
                    SearchOptions(preset, LIMIT, data.NOW, threshold=-1.0),
                )


if __name__ == "__main__":
    main()

"""Compare the presets with plain searches on every kind of store and prompt, in one table.

    python tests/bench/recall_quality.py FOLDER --memories MEMORIES QUESTIONS --logs EXPORT QUESTIONS

For each set of questions: share of the answers among the first five and ten, and mean reciprocal rank (MRR). For the
task prompts (tests/recall), whose memories a person has reviewed: blocks with everything they must have (whole), junk
memories per block, and blocks with nothing beyond what is always given, for prompts without an answer (empty). The
presets with a threshold are ranked without it, since it is set for embedders with higher cosines.

The last row has the weights of `curator` fitted to all sets but the one in the column: the figures of a set that the
weights have never seen. It ranks by words, meaning and conversations alone.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

import fit_recall as fit
import recall_data as data
import recall_people as people
from curator.recall import BLOCK_GAP, BLOCK_HITS, Hit, Preset, SearchOptions, select_hits
from curator.recall.candidates import sheets_of
from curator.recall.features import Sheet

LIMIT = 25
Order = Callable[[Sheet], NDArray[np.float64]]
PLAIN: dict[str, Order] = {
    "words (BM25)": lambda sheet: sheet.text,
    "meaning (cosine)": lambda sheet: np.where(sheet.vector_rank > 0, -sheet.vector_rank, -1e9),
    "both by reciprocal rank, k = 10": lambda sheet: _reciprocal(sheet.text_rank) + _reciprocal(sheet.vector_rank),
}
Sheets = Sequence[tuple[Sheet, dict[int, NDArray[np.float32]]]]


def _reciprocal(rank: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(rank > 0, 1 / (10 + rank), 0.0)


def ranking_figures(known: data.Data, sheets: Sheets, way: Preset | Order) -> str:
    """Return R@5, R@10 and MRR of a ranking on a set of questions."""
    answers = []
    for case, sheet in zip(known.cases, sheets, strict=True):
        if isinstance(way, Preset):
            options = SearchOptions(way, LIMIT, data.NOW, threshold=-1.0)
            memories = [hit.memory.id for hit in select_hits(known.store, *sheet, case.query, options).hits]
        else:
            order = np.argsort(-way(sheet[0]), kind="stable")[:LIMIT]
            memories = [sheet[0].memories[place].id for place in order]
        answers.append(([known.cites(memory) for memory in memories], case.gold))
    return data.figures(data.scored(answers))


def block_figures(everyone: Sequence[tuple[people.Person, Sheets]], half: str, way: Preset | Order) -> str:
    """Return the shares of whole and empty blocks, and the junk memories per block, as columns."""
    whole, junk, empty = list[bool](), list[int](), list[bool]()
    for person, sheets in everyone:
        for prompt, sheet in zip(person.prompts, sheets, strict=True):
            if prompt.half != half:
                continue
            if isinstance(way, Preset):
                options = SearchOptions(way, BLOCK_HITS, people.NOW, BLOCK_GAP, for_model=True)
                hits = select_hits(person.store, *sheet, prompt.text, options).hits
            else:
                order = np.argsort(-way(sheet[0]), kind="stable")[: BLOCK_HITS // 2]
                memories = person.store.get_many([sheet[0].memories[place].id for place in order])
                hits = tuple(Hit(memory, 0.0, {}, ()) for memory in memories)
            made = people.block_contents(person, prompt, hits)
            junk.append(len(made.junk))
            if prompt.sort in people.FRUITLESS:
                empty.append(not made.brought)
            else:
                whole.append(not made.missing)
    return f"{np.mean(whole):9.2f} {np.mean(junk):5.1f} {np.mean(empty):6.2f}"


def main() -> None:
    """Print the table."""
    given = data.arguments("Measure recall.").parse_args()
    sets = [
        (known, list(sheets_of(known.store, known.index, known.embedder, known.asked, data.SEARCH)))
        for known in data.load(given)
    ]
    everyone = [
        (person, list(sheets_of(*person.search, people.asked(person), people.SEARCH)))
        for person in people.people(given.folder, reviewed=True)
    ]
    heads = [f"{known.name[:13]} {len(known.cases)}" for known, _ in sets]
    print(" " * 32 + "".join(f"{head:>20s}" for head in heads) + f"{'task prompts: tune':>24s}{'held':>23s}")
    print(" " * 32 + "   R@5  R@10   MRR " * len(sets) + "    whole  junk  empty" * 2)
    ways: dict[str, Preset | Order] = {**PLAIN, **{preset.value: preset for preset in Preset}}
    for name, way in ways.items():
        columns = [ranking_figures(known, sheets, way) for known, sheets in sets]
        columns += [block_figures(everyone, half, way) for half in ("tune", "held")]
        print(f"{name:32s}" + "  ".join(columns), flush=True)
    ranked = [fit.rankings(known, sheets) for known, sheets in sets]
    ranked.append([one for person, sheets in everyone for one in fit.prompt_rankings(person, sheets, "tune")])
    columns = []
    for left_out in ranked:
        weights = fit.fitted([part for part in ranked if part is not left_out])
        columns.append(fit.figures(left_out, weights))
    print(f"{'curator, set unseen':32s}" + "  ".join(columns[:-1]) + f"   task prompts, ranked: {columns[-1]}")


if __name__ == "__main__":
    main()

"""Measure the built-in embedding model: speed, distance from the published model in float32, and recall.

    python tests/bench/embedder.py                              # made-up texts
    python tests/bench/embedder.py --memories MEMORIES QUESTIONS [--memories …] [--threads 2] [--batch 2048]

Prints texts per second of processor and elapsed time, the best of interleaved repetitions, beside the same computation
in float32; the mean and the minimum cosine between the two; and R@5 and R@10 of the vectors alone, if questions are
given (lines {query, gold: [ids], project?} about memories {id, text, project?}). Made-up memories have 20 tokens,
made-up messages 2,000 characters. The float32 graph is made by `tests/models/make_graph.py`; needs `onnx`.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1]))

from curator.models import minilm, weights
from curator.paths import cache_folder
from models import make_graph
from stores import texts

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Set:
    """Texts, and questions that some of them answer."""

    name: str
    rows: Sequence[dict[str, Any]]
    questions: Sequence[dict[str, Any]] = ()

    @property
    def texts(self) -> list[str]:
        return [row["text"] for row in self.rows]

    def recall(self, embed: Callable[[list[str]], Vectors], vectors: Vectors, among: int) -> float:
        """Return the share of answers among the nearest memories of each question's project."""
        found = []
        projects = np.array([row.get("project") or "" for row in self.rows])
        asked = embed([question["query"] for question in self.questions])
        for question, vector in zip(self.questions, asked, strict=True):
            project = question.get("project")
            where = np.flatnonzero(projects == project) if project else np.arange(len(self.rows))
            nearest = where[np.argsort(-(vectors[where] @ vector), kind="stable")[:among]]
            gold = set(question["gold"])
            found.append(len({self.rows[place]["id"] for place in nearest} & gold) / len(gold))
        return float(np.mean(found))


def made_up() -> list[Set]:
    said = list(texts(12_000, seed=5))
    return [
        Set("memories", [{"text": f"{one} {other}"} for one, other in zip(said[:500], said[500:1000], strict=True)]),
        Set("messages", [{"text": " ".join(said[at : at + 40])[:2000]} for at in range(1000, 9000, 80)]),
    ]


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]


def models(threads: int) -> dict[str, minilm.MiniLM]:
    """Return the built-in model and the same model in float32."""
    folder = weights.weights_folder(weights.MINILM, cache_folder())
    graphs = {
        "float32": make_graph.build(folder / weights.MODEL, integers=False),
        "as it is": files("curator.models").joinpath("minilm.onnx").read_bytes(),
    }
    return {name: minilm.MiniLM(*minilm.open_graph(graph, folder, threads)) for name, graph in graphs.items()}


def seconds(model: minilm.MiniLM, said: list[str]) -> tuple[float, float]:
    """Return seconds of processor and elapsed time to embed texts."""
    processor, clock = time.process_time(), time.perf_counter()
    model.embed(said)
    return time.process_time() - processor, time.perf_counter() - clock


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--memories", type=Path, nargs=2, action="append", metavar=("FILE", "QUESTIONS"), default=[])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--batch", type=int, default=minilm.BATCH_TOKENS, help="tokens of a batch")
    parser.add_argument("--timed", type=int, default=200, help="texts that are timed, of each set")
    given = parser.parse_args()
    minilm.BATCH_TOKENS = given.batch
    sets = [Set(file.stem, lines(file), lines(questions)) for file, questions in given.memories] or made_up()
    every = models(given.threads)
    print(f"{'':34}{'texts/s: cpu':>13}{'clock':>7}{'cosine: mean':>14}{'least':>8}{'R@5':>7}{'R@10':>7}")
    for one in sets:
        timed = one.texts[:: max(1, len(one.texts) // given.timed)]
        taken = {name: [seconds(model, timed) for _ in range(1)] for name, model in every.items()}
        for _ in range(2):
            for name, model in every.items():
                taken[name].append(seconds(model, timed))
        exact = every["float32"].embed(one.texts)
        for name, model in every.items():
            processor, clock = (len(timed) / min(values) for values in zip(*taken[name], strict=True))
            vectors = model.embed(one.texts)
            cosines = (vectors * exact).sum(axis=1)
            found = [one.recall(model.embed, vectors, among) for among in (5, 10)] if one.questions else []
            print(
                f"{one.name:24}{name:10}{processor:13,.0f}{clock:7,.0f}{cosines.mean():14.4f}{cosines.min():8.4f}"
                + "".join(f"{share:7.3f}" for share in found),
                flush=True,
            )
    print(f"{given.threads} threads, batches of {given.batch} tokens, load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()

"""Contents of benchmark stores: realistic texts of memories, and vectors distributed like real ones.

    python tests/bench/stores.py 10000 100000     # shows some examples and statistics for these sizes

Everything depends on the seed alone. Words are drawn by Zipf's law (the r-th most common is 1/r as common as the first)
from lists of real words, continued by made-up ones, so that an index sees both the frequent and the rare terms that
logs have.
"""

import argparse
from collections.abc import Iterator
from itertools import accumulate, product
from random import Random
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

BLOCK = 10_000  # vectors per block
TOPICS, STRANDS = 200, 20  # clusters, and clusters within each

TEMPLATES = """
I prefer {thing} over {thing2}, at least on weekdays.
I never {verb} {thing} after {hour} in the evening.
My {relative} {person} lives in {place} and works as a {job}.
My {relative} {person} is allergic to {thing}.
{person} and I decided to {verb} the {thing} before {month}.
We decided to {verb} {product} {version} for the {project} project.
We moved from {product} to {product2} in {month} {year}.
The {project} project uses {product} {version} with {number} workers.
The deadline for {project} is {day} {month} {year}.
I paid {number} euros for the {thing} in {place}.
Remember that the {thing} is in the {room}, on the {side}.
From now on, answer me about {project} in at most {small} sentences.
I work as a {job} at {company} in {place} since {year}.
I used to {verb} {thing} every week, but no longer.
I am learning to {verb} {thing} with {person} from {company}.
Always {verb} the {thing} before the {thing2} when we deploy {project}.
My flight to {place} leaves at {hour}:{minute} on {day} {month}.
{person} said that {company} will {verb} its {thing} in {place}.
I live in {place}, at number {number}, with {small} cats and my {relative}.
Do not suggest {thing} to me, it gives me a headache.
The staging server of {project} runs {product} {version} on port {number}.
I weighed {number} apples for {person}'s {thing} at the market in {place}.
Our {relative}s meet in {place} every {month}, usually at {person}'s.
I want to {verb} {small} {thing} books this year, {person} recommended the first.
The invoice {number} from {company} was for {thing} and {thing2}.
""".strip().splitlines()

WORDS = {
    "thing": "tea coffee bread bicycle piano garden keyboard dark-chocolate novel tent kettle lamp radio camera rice "
    "boiler fence curtain carpet drum violin sourdough hammock ladder compass saddle vinegar quilt mustard lantern",
    "verb": "buy read repair paint clean bake test drop keep plan write sell review replace carry mend measure sort",
    "relative": "sister brother mother father wife husband daughter son aunt uncle cousin neighbour friend colleague",
    "job": "nurse baker teacher plumber translator surveyor carpenter pilot librarian gardener welder pharmacist",
    "place": "Lisbon Ghent Utrecht Leeds Porto Graz Turku Bergen Lyon Aarhus Bilbao Trieste Tartu Galway Bremen",
    "person": "Anna Tom Ilse Marek Joana Piet Yusuf Freya Niall Chiara Oskar Lena Hugo Amina Sven Odile Rafael Mina",
    "product": "Postgres Redis Django React Kafka Nginx Terraform Grafana Sqlite Docker Ansible Airflow",
    "company": "Northgate Halden Brightwell Ostrava-Glas Kestrel Marlin Tamarind Quarry-Lane Lumen Fairisle",
    "project": "atlas heron lighthouse orchard juniper harbour falcon meadow cobalt saffron granite willow",
    "room": "cellar kitchen attic hall garage study bathroom shed",
    "side": "left right top-shelf bottom-shelf windowsill workbench",
    "month": "January February March April May June July August September October November December",
}
MADE_UP = {"thing": 3000, "verb": 300, "job": 300, "place": 3000, "person": 5000, "company": 3000}
MADE_UP |= {"product": 1000, "project": 3000}
NUMBERS = {"hour": (6, 23), "minute": (10, 59), "day": (1, 28), "year": (1998, 2026), "number": (2, 99_999)}
NUMBERS |= {"small": (2, 9)}


def texts(n: int, seed: int) -> Iterator[str]:
    """Yield `n` different statements of 5 to 20 words."""
    random = Random(seed)
    lists = {slot: _Words(words.split() + _made_up(slot)) for slot, words in WORDS.items()}
    seen: set[str] = set()
    while len(seen) < n:
        values = {slot: words.draw(random) for slot, words in lists.items()}
        values |= {slot: str(random.randint(*span)) for slot, span in NUMBERS.items()}
        values |= {f"{slot}2": lists[slot].draw(random) for slot in ("thing", "product")}
        values["version"] = f"{random.randint(1, 20)}.{random.randint(0, 30)}"
        text = random.choice(TEMPLATES).format_map(values)
        if text not in seen:
            seen.add(text)
            yield text


def vectors(n: int, seed: int, dim: int = 384) -> Iterator[NDArray[np.float32]]:
    """Yield `n` rows of length 1 in blocks (rows, dim) of at most `BLOCK`.

    They lie in clusters within clusters of unequal size: the cosine of two is about 0 between topics, 0.35 within a
    topic and 0.6 within a subtopic, as for sentences on different matters, the same matter and nearly the same thing.
    """
    random = np.random.default_rng(seed)
    topics = _unit(random.standard_normal((TOPICS, dim)))
    strands = _unit(random.standard_normal((TOPICS * STRANDS, dim)))
    sizes = 1 / np.arange(1, TOPICS + 1)
    for start in range(0, n, BLOCK):
        rows = min(BLOCK, n - start)
        topic = random.choice(TOPICS, rows, p=sizes / sizes.sum())
        strand = topic * STRANDS + random.integers(0, STRANDS, rows)
        own = _unit(random.standard_normal((rows, dim)))
        mixed = 0.35**0.5 * topics[topic] + 0.25**0.5 * strands[strand] + 0.40**0.5 * own
        yield _unit(mixed).astype(np.float32)


class _Words:
    """A list of words, each 1/rank as likely as the first."""

    def __init__(self, words: list[str]) -> None:
        self._words = words
        self._shares = list(accumulate(1 / rank for rank in range(1, len(words) + 1)))

    def draw(self, random: Random) -> str:
        return random.choices(self._words, cum_weights=self._shares)[0]


def _made_up(slot: str) -> list[str]:
    """Return pronounceable words to continue a list, the same in every run."""
    random = Random(slot)
    syllables = ["".join(parts) for parts in product("bdfgklmnprstvz", "aeiou", ["", "n", "r", "l", "s"])]
    words = {"".join(random.choices(syllables, k=random.choice((2, 3)))) for _ in range(MADE_UP.get(slot, 0))}
    capital = WORDS[slot][0].isupper()
    return sorted((word.capitalize() if capital else word for word in words), key=lambda word: word[::-1])


def _unit(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    lengths: NDArray[np.float64] = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / lengths


def main() -> None:
    parser = argparse.ArgumentParser(description="Show what benchmark stores of these sizes are filled with.")
    parser.add_argument("sizes", type=int, nargs="+")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for n in arguments.sizes:
        start = perf_counter()
        said = list(texts(n, arguments.seed))
        words = {word for text in said for word in text.split()}
        print(f"{n:,} texts in {perf_counter() - start:.1f} s, {len(words):,} words")
        for text in said[:: max(1, n // 5)]:
            print(f"  {text}")
        start = perf_counter()
        rows = sum(len(block) for block in vectors(n, arguments.seed))
        print(f"{rows:,} vectors in {perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main()

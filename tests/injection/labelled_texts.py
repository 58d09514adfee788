"""Texts that try to steer a model and ordinary ones, each marked `tune` (rules may be made on it) or `held`."""

import json
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

DATA = Path(__file__).parent / "data"


@dataclass(frozen=True)
class Phrasing:
    split: str
    family: str
    text: str


def phrasings(name: str) -> list[Phrasing]:
    """Return the texts of a file: `steering` or `ordinary`."""
    rows = map(json.loads, (DATA / f"{name}.jsonl").read_text("utf-8").splitlines())
    return [Phrasing(row["split"], row.get("family", ""), row["text"]) for row in rows]


def interval(hits: int, of: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson)."""
    share, z = hits / of, 1.96
    middle = (share + z * z / (2 * of)) / (1 + z * z / of)
    half = z / (1 + z * z / of) * sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    return max(0.0, middle - half), min(1.0, middle + half)

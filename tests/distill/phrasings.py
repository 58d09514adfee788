"""Texts that steer a model and ordinary ones beside them, each marked `tune` (rules may be made on it) or `held`."""

import json
from dataclasses import dataclass
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

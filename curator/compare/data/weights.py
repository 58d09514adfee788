"""The weights of the signs of a conflict."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import exp


@dataclass(frozen=True, slots=True)
class Weights:
    """The tables of `weights.toml`."""

    conflict: dict[str, float]
    opposed: dict[str, float]
    thresholds: dict[str, float]


@cache
def weights() -> Weights:
    """The weights, read once."""
    data = tomllib.loads((files("curator.compare.data") / "weights.toml").read_text("utf-8"))
    return Weights(data["conflict"], data["opposed"], data["thresholds"])


def weighed(signs: dict[str, float], table: dict[str, float]) -> float:
    """The signs weighed together, as a probability."""
    total = table.get("bias", 0.0) + sum(table.get(name, 0.0) * value for name, value in signs.items() if value)
    return 1.0 / (1.0 + exp(-max(-50.0, min(50.0, total))))

"""The environment in which a benchmark runs the program, as if a person had installed it."""

import os
from pathlib import Path

ROOT = Path(__file__).parents[2]


def environment(home: Path) -> dict[str, str]:
    """Return the environment for a process with its store in `home`; modules are compiled once, as pip would do."""
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**inherited, "CURATOR_HOME": str(home), "PYTHONPATH": str(ROOT)}

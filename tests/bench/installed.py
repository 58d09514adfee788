"""The environment in which a benchmark runs the program: that of a person who has installed it."""

import os
from pathlib import Path

ROOT = Path(__file__).parents[2]


def environment(home: Path) -> dict[str, str]:
    """For a process with its store in `home`. Modules are compiled once, as pip compiles what it installs."""
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**inherited, "CURATOR_HOME": str(home), "PYTHONPATH": str(ROOT)}

"""Committed writes survive everything else that opens the record: the short form of `tests/bench/concurrency.py`."""

import subprocess
import sys
from pathlib import Path

import pytest

from effort import some, thorough

SCRIPT = Path(__file__).parents[1] / "bench" / "concurrency.py"


@thorough
@pytest.mark.parametrize("work", some(["import", "demo", "app", "backup", "restore", "doctor"], 1))
def test_no_acknowledged_write_is_lost(work: str) -> None:
    command = [sys.executable, str(SCRIPT), "--rounds", "1", "--writes", "8", "--only", work]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    written = int(done.stdout.splitlines()[1].split()[1].replace(",", ""))
    assert written >= 4 * 8

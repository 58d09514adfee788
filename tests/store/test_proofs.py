"""The long proofs in a short form: kills during every operation, and random walks undone and redone."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from effort import share, thorough

BENCH = Path(__file__).parents[1] / "bench"
OPERATIONS = ("import", "decide", "merge", "purge", "restore", "backup", "migrate", "tidy", "rebuild")


def run(script: str, *options: str) -> str:
    """Run a script that must find no error; return its output."""
    done = subprocess.run(
        [sys.executable, str(BENCH / script), *options], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@thorough
@pytest.mark.skipif(not hasattr(os, "fork"), reason="killing in numbers needs fork")
def test_a_kill_inside_any_operation_loses_nothing() -> None:
    rows = [line.split() for line in run("kills.py", "--kills", str(share(12, 1)), "--seed", "5").splitlines()[1:]]
    assert [row[0] for row in rows] == list(OPERATIONS)
    assert all(int(row[2]) >= 1 and row[3:6] == ["0", "0", "0"] for row in rows)


@thorough
def test_a_walk_is_undone_and_done_again() -> None:
    steps = share(60, 30)
    done = run("walks.py", "--walks", "2", "--steps", str(steps), "--seed", "5")
    assert f"2 walks of {steps} commands, 0 wrong" in done

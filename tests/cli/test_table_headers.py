"""Table headers: printed on a terminal, not into a pipe."""

import os
import subprocess
import sys
from typing import Any

import pytest

from cli.runner import Curator
from effort import thorough

pty = pytest.importorskip("pty", reason="pseudo-terminals are POSIX")


def on_terminal(*words: str, run: Curator | None = None, colour: bool = False, columns: int = 120) -> list[str]:
    """Return the lines that a command writes to a terminal, in its own process unless `run` runs it in this one."""
    ours, its = pty.openpty()
    own = {"TERM": "xterm", "COLUMNS": str(columns), "CURATOR_EMBED__PROVIDER": "hashing"}
    own |= {} if colour else {"NO_COLOR": "1"}
    if run is None:
        subprocess.run([sys.executable, "-m", "curator", *words], stdout=its, env=os.environ | own, check=True)
        os.close(its)
    else:
        with os.fdopen(its, "w") as terminal, pytest.MonkeyPatch.context() as patch:
            for name, value in own.items():
                patch.setenv(name, value)
            patch.setattr(sys, "stdout", terminal)
            assert run(*words).code == 0
    written = b""
    try:
        while chunk := os.read(ours, 65_536):
            written += chunk
    except OSError:  # Linux's way to say that the other end is closed
        pass
    os.close(ours)
    return written.decode().splitlines()


@pytest.mark.parametrize(
    ("words", "heads"),
    [
        (["list"], "id said kind tier state text"),
        (["search", "tea"], "id said kind tier state score text"),
        (["log"], "id when (UTC) by command changed what"),
    ],
)
def test_heads_stand_over_lists_on_a_terminal_only(curator: Curator, words: Any, heads: Any) -> None:
    curator("add", "I like tea", "--tier", "core")
    piped = curator(*words).out.splitlines()
    first, *rows = on_terminal(*words, run=curator)
    assert " ".join(first.split()) == heads
    legend = rows.pop() if words != ["log"] else ""
    assert ("v validated" in legend) is (words != ["log"])
    assert [row.split() for row in rows] == [row.split() for row in piped], "a pipe gets the rows alone"
    for head, cell in (("tier", "core"), ("command", "add")):
        assert head not in first or first.index(head) == rows[0].index(cell), (first, rows[0])


@thorough
def test_colour_is_for_terminals_that_want_it(curator: Curator) -> None:
    curator("add", "I like tea")
    assert "\x1b[2m" in "".join(on_terminal("list", colour=True))
    assert "\x1b" not in "".join(on_terminal("list"))


@pytest.mark.parametrize(("columns", "least"), [(120, 60), (80, 40)])
def test_the_list_gives_its_width_to_the_text(curator, columns, least):  # type: ignore[no-untyped-def]
    curator("add", "tea " * 50, "--kind", "relationship", "--tier", "medium")
    heads, row, *_ = on_terminal("list", run=curator, columns=columns)
    assert len(row[heads.index("text") :].strip()) >= least - 3 and columns - heads.index("text") >= least
    assert all(len(line) <= columns for line in on_terminal("list", run=curator, columns=columns))

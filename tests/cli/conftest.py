"""A fixture that runs the command line inside the test's process."""

import functools
import sys

import pytest
import typer.main

from cli.runner import Curator, Ran

if not hasattr(typer.main.get_command, "cache_clear"):  # this module may be imported more than once
    typer.main.get_command = functools.cache(typer.main.get_command)  # building 60 commands is slower than running one


@pytest.fixture
def curator(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Curator:
    """Return a function that runs a command, `curator("list", "--json")`, in its own home with the lexical embedder."""
    from curator.main import main

    monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "hashing")

    def run(*words: object) -> Ran:
        monkeypatch.setattr(sys, "argv", ["curator", *map(str, words)])
        capsys.readouterr()
        try:
            main()
            code = 0
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 1 if ended.code else 0
        printed = capsys.readouterr()
        return Ran(code, printed.out, printed.err)

    return run

"""Run commands of the command line in the resident process, as if they ran in the client's terminal."""

import contextlib
import io
import os
import sys
from collections.abc import Callable, Mapping

from curator.serve import client
from curator.serve.store_service import Json, StoreService

Command = Callable[[list[str]], int]
"""Runs a command of the command line, and returns its exit code."""


class _Output(io.StringIO):
    """Captured output that looks like the client's stream."""

    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


def run_command(service: StoreService, command: Command, request: Mapping[str, object]) -> Json:
    """Run a command of the command line; return its output and exit code (None if it must not run in the server).

    Not thread-safe: the standard streams of the process are replaced meanwhile.
    """
    arguments, environment = request.get("arguments"), request.get("environment")
    if (
        request.get("settings") != client.variables()
        or not isinstance(arguments, list)
        or arguments[0] not in client.SERVED
        or not isinstance(environment, dict)
    ):
        return {"code": None}
    service.refresh()
    terminal = request.get("terminal")
    out, err = (_Output(bool(one)) for one in (terminal if isinstance(terminal, list) else (False, False)))
    shown = {name: environment.get(name) for name in client.OUTPUT_VARIABLES}
    shown["COLUMNS"] = shown["COLUMNS"] or request.get("columns") or None
    stdin, former = sys.stdin, {name: os.environ.get(name) for name in shown}
    try:
        _set_variables(shown)
        sys.stdin = io.StringIO(str(request.get("input", "")))
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = command([str(argument) for argument in arguments])
    finally:
        sys.stdin = stdin
        _set_variables(former)
    return {"code": code, "out": out.getvalue(), "err": err.getvalue()}


def _set_variables(values: Mapping[str, object]) -> None:
    """Set these environment variables, and remove those whose value is None."""
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = str(value)

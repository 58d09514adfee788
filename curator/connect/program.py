"""The program that assistants start: an absolute path which stays the same when Curator is updated."""

import os
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from curator.command_line import split_command
from store import check_no_record

_MODULE = ("-P", "-m", "curator")  # -P: assistants start it in projects, whose folders may hold a package curator


def curator_command() -> tuple[str, ...]:
    """Return the program of this installation: the one found by its name if it belongs to it, else Python's module."""
    found = shutil.which("curator")
    if found is not None and _belongs(Path(found)):
        return (os.path.abspath(found),)  # noqa: PTH100, links stay: they are what an update leaves in place
    return (sys.executable, *_MODULE)


def _belongs(program: Path) -> bool:
    """Return True if a program runs this Python: it is beside it, or names it in its first line or its launcher."""
    python = Path(sys.executable)
    real = Path(os.path.realpath(program))
    if real.parent == python.parent:
        return True
    try:
        check_no_record(real)
        name = rb"(?<![\w./-])" + re.escape(os.fsencode(python)) + rb"(?![\w./-])"
        return re.search(name, real.read_bytes()) is not None
    except (OSError, ValueError):
        return False


def _vector_of(entry: Mapping[str, object]) -> list[str]:
    """Return program and arguments of an entry or handler, in any host's form."""
    program, arguments = entry.get("command", entry.get("cmd")), entry.get("args")
    if isinstance(program, list):
        return [str(word) for word in program]
    if not isinstance(program, str):
        return []
    if isinstance(arguments, list) and arguments:
        return [program, *map(str, arguments)]
    try:
        return split_command(program)
    except ValueError:
        return program.split()


def is_server(entry: object) -> bool:
    """Return True if an entry starts Curator's server."""
    return isinstance(entry, Mapping) and _arguments(_vector_of(entry)) == ["mcp"]


def is_hook(handler: object, host: str) -> bool:
    """Return True if a handler of a hook is Curator's."""
    return isinstance(handler, Mapping) and _arguments(_vector_of(handler))[:2] == ["hook", host]


def _arguments(vector: Sequence[str]) -> list[str]:
    """Return the arguments that Curator is started with; none for another program."""
    words = [word for at, word in enumerate(vector) if (at, word) != (1, "-P")]
    if words[1:3] == ["-m", "curator"]:
        return words[3:]
    name = re.split(r"[\\/]", words[0])[-1] if words else ""
    return words[1:] if name.lower().removesuffix(".exe") == "curator" else []

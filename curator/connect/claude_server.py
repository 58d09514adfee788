"""The MCP server of Claude Code, which only its own program `claude` may register."""

import json
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence

from curator.connect import jsonc
from curator.connect.edit_json import BOM
from curator.connect.hosts import CLAUDE_SERVER, NAME, shell_line
from curator.connect.jsonc import InvalidSettings
from curator.connect.program import is_server
from curator.connect.settings_paths import claude_servers
from curator.errors import ConfigError

_LONGEST = 60.0  # seconds that `claude` may take
_SOON = 10.0  # seconds that `claude --version` may take
_LEAST = (2, 1, 139)
"""The version of Claude Code from which on hooks have `args`; older ones start the program without them."""
_REMOVE = ("mcp", "remove", NAME, "--scope", "user")


def registered() -> Mapping[str, object] | None:
    """Return the person's entry named `NAME`; None if there is none, or the file cannot be read."""
    try:
        file = claude_servers()
        text = file.read_bytes().decode("utf-8") if file.is_file() else ""
        found = jsonc.find(text.removeprefix(BOM), (*CLAUDE_SERVER.path, NAME))
    except (OSError, UnicodeDecodeError, InvalidSettings):
        return None
    return found.value if found is not None and isinstance(found.value, dict) else None


def connection(command: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the arguments of `claude` that register the server. Raises ConfigError if the name is taken."""
    present, wanted = registered(), CLAUDE_SERVER.entry(command)
    if present is not None and not is_server(present):
        raise ConfigError(
            f"{claude_servers()} has a server curator that was not made by Curator; nothing was changed:"
            f" rename it, or run `claude {' '.join(_REMOVE)}`"
        )
    if present is not None and all(present.get(name) == wanted[name] for name in CLAUDE_SERVER.program):
        return []
    add = ("mcp", "add-json", NAME, json.dumps(wanted, ensure_ascii=False), "--scope", "user")
    return [add] if present is None else [_REMOVE, add]


def disconnection() -> list[tuple[str, ...]]:
    """Return the arguments of `claude` that remove the server."""
    return [_REMOVE] if is_server(registered()) else []


def program() -> str | None:
    """Return the path of `claude`; None if it is not there."""
    return shutil.which("claude")


def outdated() -> str:
    """Return a warning about a Claude Code that cannot run the hooks; empty if it can, or its version is unknown."""
    found = program()
    if found is None:
        return ""
    try:
        said = subprocess.run(
            [found, "--version"], stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=_SOON
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""
    numbers = re.match(r"\s*(\d+)\.(\d+)\.(\d+)", said.decode("utf-8", "replace"))
    if numbers is None or tuple(map(int, numbers.groups())) >= _LEAST:
        return ""
    least = ".".join(map(str, _LEAST))
    return f"Claude Code {numbers[0].strip()} drops the arguments of hooks: `claude update` brings {least} or newer"


def line(arguments: Sequence[str]) -> str:
    """Return a call of `claude` to type."""
    return shell_line(("claude", *arguments))


def run(arguments: Sequence[str]) -> None:
    """Run `claude`. Raises ConfigError."""
    found = program()
    assert found is not None
    try:
        done = subprocess.run(
            [found, *arguments], stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=_LONGEST
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ConfigError(f"claude did not run ({error}); run it yourself: {line(arguments)}") from error
    if done.returncode:
        output = (done.stderr or done.stdout).decode("utf-8", "replace").strip().splitlines()
        raise ConfigError(
            f"claude ended with {done.returncode} ({output[-1] if output else 'and no message'}); run it yourself:"
            f" {line(arguments)}"
        )

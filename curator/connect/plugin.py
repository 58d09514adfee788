"""A Claude Code plugin: a folder with Curator's MCP server and hooks, instead of entries in the person's settings."""

import json
from collections.abc import Sequence
from pathlib import Path

from curator import __version__
from curator.connect.hosts import CLAUDE_HOOKS, CLAUDE_SERVER, NAME
from curator.connect.jsonc import Json
from curator.errors import ConfigError
from curator.text_files import replace

_MANIFEST = ".claude-plugin/plugin.json"


def files(command: Sequence[str]) -> dict[str, str]:
    """Return the texts of the plugin's files by their path in its folder."""
    hooks: dict[str, Json] = {event.name: [CLAUDE_HOOKS.group(command, event)] for event in CLAUDE_HOOKS.events}
    contents: dict[str, Json] = {
        _MANIFEST: {"name": NAME, "version": __version__, "description": "Your memories, as you reviewed them."},
        "hooks/hooks.json": {"hooks": hooks},
        ".mcp.json": {"mcpServers": {NAME: CLAUDE_SERVER.entry(command)}},
    }
    return {name: json.dumps(content, indent=2, ensure_ascii=False) + "\n" for name, content in contents.items()}


def write(folder: Path, command: Sequence[str]) -> list[Path]:
    """Write the plugin into a folder that is empty, missing, or has this plugin, and return the files that changed.

    Raises ConfigError for any other folder.
    """
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"{folder} is not a folder; name another")
    try:
        manifest = json.loads(_text(folder / _MANIFEST) or "null")
    except ValueError:
        manifest = None
    is_own = isinstance(manifest, dict) and manifest.get("name") == NAME
    if folder.is_dir() and any(folder.iterdir()) and not is_own:
        raise ConfigError(f"{folder} has something else in it; name an empty folder")
    wanted = {folder / name: text for name, text in files(command).items()}
    changed = [file for file, text in wanted.items() if _text(file) != text]
    for file in changed:
        replace(file, wanted[file])
    return changed


def _text(file: Path) -> str | None:
    try:
        return file.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None

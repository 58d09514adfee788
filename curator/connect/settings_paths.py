"""Paths of the assistants' settings, by platform and by the variables that the assistants follow."""

import os
import sys
from pathlib import Path


def home(*parts: str, variable: str = "", below: str = "") -> Path:
    """Return a path below the folder that a variable names, else below `below` of the person's home."""
    named = os.environ.get(variable) if variable else None
    return (Path(named) if named else Path.home() / below).joinpath(*parts)


def config(*parts: str) -> Path:
    """Return a path below the folder of settings of programs that follow XDG, on Windows below %APPDATA%."""
    if sys.platform == "win32":
        return home(*parts, variable="APPDATA", below="AppData/Roaming")
    return home(*parts, variable="XDG_CONFIG_HOME", below=".config")


def support(*parts: str) -> Path:
    """Return a path below the folder of settings of desktop programs."""
    return home(*parts, below="Library/Application Support") if sys.platform == "darwin" else config(*parts)


def claude(*parts: str) -> Path:
    """Return a path in the folder of Claude Code."""
    return home(*parts, variable="CLAUDE_CONFIG_DIR", below=".claude")


def claude_servers() -> Path:
    """Return the file in which Claude Code keeps a person's servers; only its own program changes it."""
    return home(".claude.json", variable="CLAUDE_CONFIG_DIR")


def codex(*parts: str) -> Path:
    """Return a path in the folder of Codex."""
    return home(*parts, variable="CODEX_HOME", below=".codex")


def codex_settings() -> Path:
    """Return the settings file of Codex, in which it keeps what hooks were reviewed."""
    return codex("config.toml")


def gemini(*parts: str) -> Path:
    """Return a path in the folder of Gemini CLI."""
    return home(".gemini", *parts, variable="GEMINI_CLI_HOME")


def opencode() -> Path:
    """Return opencode's settings file: it reads both names, and people have one."""
    folder = home("opencode", variable="XDG_CONFIG_HOME", below=".config")
    commented = folder / "opencode.jsonc"
    return commented if commented.is_file() else folder / "opencode.json"


def goose() -> Path:
    """Return the settings file of Goose."""
    if sys.platform == "win32":
        return config("Block", "goose", "config", "config.yaml")
    return config("goose", "config.yaml")


def zed() -> Path:
    """Return the settings file of Zed."""
    if sys.platform == "win32":
        return config("Zed", "settings.json")
    return config("zed", "settings.json")

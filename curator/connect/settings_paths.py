"""Paths of the assistants' settings, by platform and by the variables that the assistants follow."""

import sys
from pathlib import Path

from curator.paths import config_home, program_folder


def home(*parts: str) -> Path:
    """Return a path below the person's home."""
    return Path.home().joinpath(*parts)


def config(*parts: str) -> Path:
    """Return a path below the folder of settings of programs that follow XDG, on Windows below %APPDATA%."""
    folder = config_home() if sys.platform == "win32" else program_folder("XDG_CONFIG_HOME", home(".config"))
    return folder.joinpath(*parts)


def support(*parts: str) -> Path:
    """Return a path below the folder of settings of desktop programs."""
    return config_home().joinpath(*parts)


def claude(*parts: str) -> Path:
    """Return a path in the folder of Claude Code."""
    return program_folder("CLAUDE_CONFIG_DIR", home(".claude")).joinpath(*parts)


def claude_servers() -> Path:
    """Return the file in which Claude Code keeps a person's servers; only its own program changes it."""
    return program_folder("CLAUDE_CONFIG_DIR", home()) / ".claude.json"


def codex(*parts: str) -> Path:
    """Return a path in the folder of Codex."""
    return program_folder("CODEX_HOME", home(".codex")).joinpath(*parts)


def codex_settings() -> Path:
    """Return the settings file of Codex, in which it keeps what hooks were reviewed."""
    return codex("config.toml")


def gemini(*parts: str) -> Path:
    """Return a path in the folder of Gemini CLI."""
    return program_folder("GEMINI_CLI_HOME", home()).joinpath(".gemini", *parts)


def opencode() -> Path:
    """Return opencode's settings file: it reads both names, and people have one."""
    folder = program_folder("XDG_CONFIG_HOME", home(".config")) / "opencode"
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

"""The assistants that can be connected: their files, what is written to them, and what they cannot do."""

import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from curator.connect import settings_paths
from curator.connect.jsonc import Json

NAME = "curator"
"""Name of the server in every host."""
Format = Literal["json", "toml", "yaml"]


@dataclass(frozen=True, slots=True)
class Server:
    """The entry of the MCP server: `NAME` in the table at `path`, with the program in the fields `program`."""

    path: tuple[str, ...]
    program: tuple[str, ...] = ("command", "args")
    before: Mapping[str, Json] = field(default_factory=dict)
    after: Mapping[str, Json] = field(default_factory=dict)

    def entry(self, command: Sequence[str]) -> dict[str, Json]:
        """Return the entry that starts `command`."""
        vector = [*command, "mcp"]
        values: tuple[Json, ...] = (vector,) if len(self.program) == 1 else (vector[0], vector[1:])
        return {**self.before, **dict(zip(self.program, values, strict=True)), **self.after}


@dataclass(frozen=True, slots=True)
class HostHook:
    """A hook: the host's name of the event, the word for it in `curator hook`, and its time limit in seconds."""

    name: str
    word: str
    seconds: int
    matcher: str = ""


@dataclass(frozen=True, slots=True)
class Hooks:
    """The hooks of a host, which `curator hook` knows as `host`."""

    host: str
    events: tuple[HostHook, ...]
    arguments: bool = False  # program and arguments apart, else one line for a shell
    milliseconds: bool = False

    def program(self, command: Sequence[str], event: HostHook) -> dict[str, Json]:
        """Return the fields of a handler that name the program."""
        vector = [*command, "hook", self.host, event.word]
        if self.arguments:
            return {"command": vector[0], "args": vector[1:]}
        return {"command": shell_line(vector)}

    def group(self, command: Sequence[str], event: HostHook) -> dict[str, Json]:
        """Return the group with the handler of an event."""
        limit = event.seconds * (1000 if self.milliseconds else 1)
        handler: dict[str, Json] = {"type": "command", **self.program(command, event), "timeout": limit}
        return {**({"matcher": event.matcher} if event.matcher else {}), "hooks": [handler]}


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """A settings file of an assistant, and the entries that Curator adds to it."""

    file: Callable[[], Path]
    format: Format
    server: Server | None = None
    hooks: Hooks | None = None


@dataclass(frozen=True, slots=True)
class Host:
    """An assistant. It is on this machine if one of `folders` or `programs` is; `after` is said once connected."""

    name: str
    title: str
    files: tuple[SettingsFile, ...] = ()
    programs: tuple[str, ...] = ()
    folders: tuple[Callable[[], Path], ...] = ()
    after: str = ""

    @property
    def purpose(self) -> str:
        """The purpose of a connection, in one line."""
        hooks = ", and adds fitting ones to each prompt (hooks)" if any(file.hooks for file in self.files) else ""
        return f"Lets {self.title} search and propose memories (MCP){hooks}."


def shell_line(vector: Sequence[str]) -> str:
    """Return a program and its arguments as one line for the host's shell."""
    if sys.platform == "win32":
        return subprocess.list2cmdline(vector)
    return shlex.join(vector)


_STARTS = "startup|resume|clear|compact"
CLAUDE_SERVER = Server(("mcpServers",), before={"type": "stdio"})
CLAUDE_HOOKS = Hooks(
    "claude",
    (
        HostHook("SessionStart", "session-start", 5, _STARTS),
        HostHook("UserPromptSubmit", "prompt", 3),
        HostHook("PreCompact", "compact", 2),
        HostHook("SessionEnd", "end", 2),
    ),
    arguments=True,
)
_CODEX_HOOKS = Hooks(
    "codex",
    (
        HostHook("SessionStart", "session-start", 5),
        HostHook("UserPromptSubmit", "prompt", 3),
        HostHook("PreCompact", "compact", 2),
        HostHook("SessionEnd", "end", 2),
    ),
)
_GEMINI_HOOKS = Hooks(
    "gemini",
    (
        HostHook("SessionStart", "session-start", 5),
        HostHook("BeforeAgent", "prompt", 3),
        HostHook("PreCompress", "compact", 2),
        HostHook("SessionEnd", "end", 2),
    ),
    milliseconds=True,
)

HOSTS = {
    host.name: host
    for host in (
        Host(
            "claude-code",
            "Claude Code",
            (SettingsFile(lambda: settings_paths.claude("settings.json"), "json", hooks=CLAUDE_HOOKS),),
            ("claude",),
            (settings_paths.claude,),
            "hooks wait until you trust the folder in which you start claude",
        ),
        Host(
            "codex",
            "Codex",
            (
                SettingsFile(
                    settings_paths.codex_settings, "toml", Server(("mcp_servers",), after={"startup_timeout_sec": 20})
                ),
                SettingsFile(lambda: settings_paths.codex("hooks.json"), "json", hooks=_CODEX_HOOKS),
            ),
            ("codex",),
            (settings_paths.codex,),
            "Codex skips new hooks without a word: review them with /hooks",
        ),
        Host(
            "gemini",
            "Gemini CLI",
            (
                SettingsFile(
                    lambda: settings_paths.gemini("settings.json"), "json", Server(("mcpServers",)), _GEMINI_HOOKS
                ),
            ),
            ("gemini",),
            (settings_paths.gemini,),
        ),
        Host(
            "cursor",
            "Cursor",
            (SettingsFile(lambda: settings_paths.home(".cursor", "mcp.json"), "json", Server(("mcpServers",))),),
            ("cursor",),
            (lambda: settings_paths.home(".cursor"),),
        ),
        Host(
            "vscode",
            "VS Code",
            (
                SettingsFile(
                    lambda: settings_paths.support("Code", "User", "mcp.json"),
                    "json",
                    Server(("servers",), before={"type": "stdio"}),
                ),
            ),
            ("code",),
            (lambda: settings_paths.support("Code"),),
        ),
        Host(
            "zed",
            "Zed",
            (
                SettingsFile(
                    settings_paths.zed,
                    "json",
                    Server(("context_servers",), before={"source": "custom"}, after={"env": {}}),
                ),
            ),
            ("zed", "zeditor"),
            (lambda: settings_paths.zed().parent,),
        ),
        Host(
            "opencode",
            "opencode",
            (
                SettingsFile(
                    settings_paths.opencode,
                    "json",
                    Server(("mcp",), ("command",), before={"type": "local"}, after={"enabled": True}),
                ),
            ),
            ("opencode",),
            (lambda: settings_paths.opencode().parent,),
        ),
        Host(
            "goose",
            "Goose",
            (
                SettingsFile(
                    settings_paths.goose,
                    "yaml",
                    Server(
                        ("extensions",),
                        ("cmd", "args"),
                        before={"enabled": True, "type": "stdio", "name": NAME, "description": "Your memories"},
                        after={"timeout": 60},
                    ),
                ),
            ),
            ("goose",),
            (lambda: settings_paths.goose().parent,),
        ),
        Host(
            "claude-desktop",
            "Claude Desktop",
            (
                SettingsFile(
                    lambda: settings_paths.support("Claude", "claude_desktop_config.json"),
                    "json",
                    Server(("mcpServers",)),
                ),
            ),
            folders=(lambda: settings_paths.support("Claude"),),
            after="quit Claude Desktop and start it again",
        ),
        Host("librechat", "LibreChat"),
        Host("open-webui", "Open WebUI"),
    )
}
"""Every assistant by the name that `curator connect` takes."""

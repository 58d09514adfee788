"""Status of the assistants: those on this machine, and how far each is connected."""

import os
import re
import shutil
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from curator.connect import changes, claude_server, settings_paths
from curator.connect.edit_json import BOM, handlers
from curator.connect.hosts import Host
from curator.connect.program import is_server
from curator.errors import ConfigError

State = Literal["connected", "incomplete", "outdated", "not connected", "not found", "by hand", "blocked"]


@dataclass(frozen=True, slots=True)
class Status:
    """State of a connection, and what is left to do for it.

    Incomplete: only an MCP server is missing that the host registers itself. Outdated: entries are missing or start
    another program. Blocked: a broken file, or an entry of the person's own with the same name, keeps them out.
    """

    host: str
    title: str
    state: State
    note: str = ""


def status_of(host: Host, command: Sequence[str]) -> Status:
    """Return the status of a host."""
    if not host.files:
        return Status(host.name, host.title, "by hand", f"`curator connect {host.name}` prints what to paste")
    try:
        planned = changes.connection(host, command)
        texts = [
            (settings_file, text)
            for settings_file in host.files
            if (text := changes.text_at(settings_file)) is not None
        ]
        ours = any(changes.without_entries(settings_file, text) != text for settings_file, text in texts)
        calls = claude_server.connection(command) if host.name == "claude-code" else []
        registered = host.name == "claude-code" and is_server(claude_server.registered())
    except ConfigError as error:
        return Status(host.name, host.title, "blocked", str(error))
    if not planned and not calls:
        remark = host.after if host.name == "claude-code" else ""
        if host.name == "codex" and (missing := unreviewed_hooks(host)):
            remark = f"hooks not reviewed: {', '.join(missing)}; Codex skips them until you review them with /hooks"
        return Status(host.name, host.title, "connected", remark)
    if ours and not planned and not registered:
        by_hand = f"`claude` is not found; once it is installed, run `{claude_server.line(calls[-1])}`"
        remedy = by_hand if claude_server.program() is None else f"`curator connect {host.name}` registers it"
        note = f"hooks connected, MCP server not registered: {remedy}"
        return Status(host.name, host.title, "incomplete", note)
    if ours or registered:
        return Status(host.name, host.title, "outdated", f"`curator connect {host.name}` brings it up to date")
    if not is_found(host):
        return Status(host.name, host.title, "not found")
    return Status(host.name, host.title, "not connected")


def is_found(host: Host) -> bool:
    """Return True if a host seems to be on this machine: its folder or its program."""
    return any(folder().is_dir() for folder in host.folders) or any(map(shutil.which, host.programs))


def unreviewed_hooks(host: Host) -> list[str]:
    """Return the events of Codex's hooks file that nobody has reviewed, as far as its settings say.

    Codex keeps a hash for each handler that was reviewed, by file, event and position. It skips a handler that has
    changed since, too, which cannot be seen here.
    """
    try:
        settings = tomllib.loads(settings_paths.codex_settings().read_bytes().decode("utf-8"))
        reviewed = {str(key) for key, row in settings["hooks"]["state"].items() if row.get("trusted_hash")}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        reviewed = set()
    missing = []
    for settings_file in host.files:
        for event in settings_file.hooks.events if settings_file.hooks is not None else ():
            assert settings_file.hooks is not None
            word = re.sub(r"(?<!^)(?=[A-Z])", "_", event.name).lower()
            text = (changes.text_at(settings_file) or "").removeprefix(BOM)
            found = handlers(text, settings_file.hooks, ("hooks", event.name))
            files = (settings_file.file(), os.path.realpath(settings_file.file()))
            names = {f"{file}:{word}:{path[2]}:{path[4]}" for file in files for path in found}
            if not names & reviewed:
                missing.append(event.name)
    return missing

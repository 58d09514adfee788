"""The command `connect`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from curator.cli.options import AsJson, Yes
from curator.cli.output import confirm, print_json, print_table, warn, warn_all
from curator.display import truncate
from curator.paths import home
from curator.terminal_text import visible

if TYPE_CHECKING:
    from curator.connect.changes import FileChange
    from curator.connect.hosts import Host

_CONNECTED = ("connected", "incomplete", "outdated")


def connect(
    host: Annotated[
        str | None,
        typer.Argument(
            metavar="HOST",
            help="claude-code, codex, gemini, cursor, vscode, zed, opencode, goose, claude-desktop, librechat or "
            "open-webui.",
        ),
    ] = None,
    remove: Annotated[
        bool, typer.Option("--remove", help="Disconnect it, and remove Curator's entries from its settings.")
    ] = False,
    status: Annotated[
        bool, typer.Option("--status", help="Show connected assistants; the default without HOST.")
    ] = False,
    folder: Annotated[
        Path | None,
        typer.Option("--plugin", metavar="DIR", help="With claude-code: write a plugin to this folder instead."),
    ] = None,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Connect an assistant to your memories, or disconnect it.

    Every change is shown first. The assistant gets the MCP server and, where it supports them, hooks that add memories
    to prompts. Comments and other entries in its settings are preserved, and a copy of each file is kept. --json
    is for --status.
    """
    from curator.connect import claude_server
    from curator.connect.hosts import HOSTS
    from curator.connect.program import curator_command
    from curator.connect.status import status_of
    from curator.serve.hook_failures import repeated

    if host is not None and host not in HOSTS:
        raise typer.BadParameter(f"unknown assistant {truncate(host)}; choose one of {', '.join(HOSTS)}")
    if folder is not None and (host != "claude-code" or remove or status):
        raise typer.BadParameter("--plugin is only for claude-code")
    if host is None and remove:
        raise typer.BadParameter("name the assistant to disconnect")
    if status and remove:
        raise typer.BadParameter("give one of --status and --remove")
    command = curator_command()
    if host is None or status:
        statuses = [status_of(assistant, command) for assistant in HOSTS.values() if host in (None, assistant.name)]
        if as_json:
            from dataclasses import asdict

            rows = [failure._asdict() for failure in repeated()]
            print_json(
                {"program": command, "assistants": [asdict(status) for status in statuses], "failed_hooks": rows}
            )
        else:
            print_table(
                [(status.host, status.state, visible(status.note)) for status in statuses], ("assistant", "state", "")
            )
            _print_failed_hooks()
            if any(status.host == "claude-code" and status.state in _CONNECTED for status in statuses):
                warn_all((claude_server.outdated(),))
    elif as_json:
        raise typer.BadParameter("--json is for --status")
    elif folder is not None:
        from curator.connect import plugin

        changed = plugin.write(folder, command)
        for file in changed:
            print(f"wrote {visible(str(file))}")
        if not changed:
            print("the plugin is up to date")
        print(f"to use it: claude --plugin-dir {visible(str(folder))}")
        if status_of(HOSTS[host], command).state in _CONNECTED:
            warn("its settings are connected too, so memories come twice: run `curator connect claude-code --remove`")
    else:
        _change(HOSTS[host], command, remove, yes)


def _print_failed_hooks() -> None:
    """Print hook failures, since assistants do not show them."""
    from curator.serve.hook_failures import DAYS, repeated
    from store import clock

    if not (failures := repeated()):
        return
    print(f"\nhooks that failed in the last {DAYS} days; the assistants continued without them")
    rows = []
    for failure in failures:
        last = clock.to_iso(round(failure.last * clock.SECOND))[:16].replace("T", " ")
        rows.append((visible(failure.host), visible(failure.event), f"{failure.times:,}", last, visible(failure.why)))
    print_table(rows, ("assistant", "event", "times", "last (UTC)", "why"))


def print_diff(change: "FileChange") -> None:
    """Print the change of a file, hiding the tokens of other servers."""
    from curator.secrets import redact

    print("", *(visible(redact(line).text) for line in change.diff.split("\n")), sep="\n")


def _change(host: "Host", command: tuple[str, ...], remove: bool, yes: bool) -> None:
    """Connect or disconnect a host: show the changes, ask, and apply them. Raises typer.Exit, ConfigError."""
    from curator.connect import changes, claude_server
    from curator.connect.snippets import snippet
    from curator.connect.status import is_found

    if not host.files:
        by_hand = f"Remove the server `curator` in {host.title} itself; Curator does not change its settings."
        print(visible(by_hand if remove else snippet(host.name, command)))
        return
    planned = changes.disconnection(host) if remove else changes.connection(host, command)
    calls: list[tuple[str, ...]] = []
    if host.name == "claude-code":
        calls = claude_server.disconnection() if remove else claude_server.connection(command)
    left: list[tuple[str, ...]] = []  # to be run by the person
    if claude_server.program() is None:
        calls, left = [], calls
    if not (planned or calls):
        state = "not connected" if remove else "already connected"
        print(f"{host.title} is {state}" + (", without its MCP server" if left else ""))
    else:
        if not remove:
            print(host.purpose)
            if not is_found(host):
                warn(f"{host.title} was not found on this machine")
        for change in planned:
            print_diff(change)
        for call in calls:
            print(f"\nrun: {visible(claude_server.line(call))}")
        if left:
            print("\nMCP: skipped, `claude` not found")
        print(flush=True)
        confirm("make these changes?", yes)
        for copy in changes.write(host, planned):
            print(f"kept a copy: {visible(str(copy))}")
        for call in calls:
            claude_server.run(call)
        print(
            f"{'disconnected' if remove else 'connected'} {host.title}" + (", without its MCP server" if left else "")
        )
        if not remove and host.after:
            print(f"note: {host.after}")
        if not remove and home() is not None:
            print("note: also set CURATOR_HOME where you start the assistant, or it uses another store")
    if host.name == "claude-code" and not remove:
        warn_all((claude_server.outdated(),))
    if left:
        print(f"`claude` not found. Run this later to {'remove' if remove else 'register'} the MCP server:")
        for call in left:
            print(f"  {visible(claude_server.line(call))}")

"""The command `uninstall`."""

import contextlib
import time
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from curator.cli.connect import print_diff
from curator.cli.options import Yes
from curator.cli.output import USAGE, confirm, warn
from curator.export.sanitize import on_one_line, visible
from curator.paths import cache_folder, connections_folder, own_files, store_folder
from curator.serve import client
from store import Unwritable

if TYPE_CHECKING:
    from curator.connect.changes import FileChange
    from curator.connect.hosts import Host

_EXIT_TIMEOUT = 10.0
"""Seconds that the background process may take to exit."""


def uninstall(yes: Yes = False) -> None:
    """Remove Curator from assistants, files and the background.

    Lists everything first, then asks: hooks and servers in the settings of assistants, memory blocks in files, the
    background process. Your memories are never deleted; it prints where they are.
    """
    from curator.connect import changes, claude_server
    from curator.connect.hosts import HOSTS
    from curator.errors import ConfigError
    from curator.services.block_files import list_block_files, remove_block

    problems: list[str] = []
    planned: list[tuple[Host, list[FileChange]]] = []
    for host in HOSTS.values():
        try:
            planned += [(host, found)] if (found := changes.disconnection(host)) else []
        except ConfigError as error:
            problems.append(f"{host.title}: {error}")
    try:
        blocks = list_block_files()
    except ConfigError as error:
        blocks, problems = [], [*problems, str(error)]
    calls, by_hand = claude_server.disconnection(), list[str]()
    if claude_server.program() is None:
        calls, by_hand = [], [visible(claude_server.line(call)) for call in calls]
    running = client.is_running()
    for _, found in planned:
        for change in found:
            print_diff(change)
    for call in calls:
        print(f"\nrun: {visible(claude_server.line(call))}")
    for entry in blocks:
        print(f"\nremove the block of memories from {on_one_line(entry.path)}")
    if running:
        print("\nstop the background process")
    if planned or blocks or running or calls:
        print(flush=True)
        confirm("remove all of this? Your memories stay.", yes)
        for host, found in planned:
            try:
                changes.write(host, found)
                print(f"disconnected {host.title}")
            except (ConfigError, OSError) as error:
                problems.append(f"{host.title}: {error}")
        for call in calls:
            try:
                claude_server.run(call)
            except ConfigError as error:
                problems.append(str(error))
        for entry in blocks:
            try:
                remove_block(entry)
                print(f"removed the block from {on_one_line(entry.path)}")
            except (ValueError, Unwritable, ConfigError, OSError) as error:
                problems.append(f"a memory block was not removed: {error}")
        problems += stop_server() if running else []
        if planned:
            print("running assistants still use it: restart them")
    elif not problems and not by_hand:
        print("nothing to remove")
    with contextlib.suppress(OSError):
        delete_traces()
    if by_hand:
        print("`claude` was not found; to remove its MCP server, run", *by_hand, sep="\n  ")
    print_places()
    for problem in problems:
        warn(problem)
    if problems:
        raise typer.Exit(USAGE)


def stop_server() -> list[str]:
    """Ask the resident process to exit, and wait for it; return a message if it does not."""
    until, named = time.monotonic() + _EXIT_TIMEOUT, ""
    while client.is_running():
        if time.monotonic() > until:
            return [f"the background process{named} did not stop; stop it yourself"]
        with contextlib.suppress(OSError, client.Unreachable), contextlib.closing(client.connect()) as connection:
            named = f" {connection.pid}"
            connection.send({"do": "stop"})
            connection.receive(client.CONNECT)
        time.sleep(0.05)
    print("stopped the background process")
    return []


def delete_traces() -> None:
    """Delete files that an ended process left beside the store and its socket."""
    store = client.store_path()
    log = client.log_file(store)
    files = [client.address_file(store), client.lock_file(store), log, f"{log}.1"]
    if client.UNIX:
        files.append(client.socket_path(store))
    if not client.is_running():
        for file in files:
            Path(file).unlink(missing_ok=True)
        if client.UNIX:
            Path(client.runtime_folder()).rmdir()


def print_places() -> None:
    """Print where the memories are and what to delete; only Curator's files, since CURATOR_HOME may be shared."""
    from curator.models import weights

    own = (store_folder(), *own_files(), *(weights.weights_folder(one, cache_folder()) for one in weights.ALL))
    print(f"\nyour memories are in {visible(str(store_folder()))}")
    print("to delete them as well, delete:")
    for path in own:
        if path.exists():
            print(f"  {visible(str(path))}")
    if connections_folder().is_dir():
        print(f"copies of your assistants' former settings are in {visible(str(connections_folder()))}")

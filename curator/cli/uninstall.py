"""The command `uninstall`."""

import contextlib
import time
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from curator.cli.connect import print_diff
from curator.cli.options import Yes
from curator.cli.output import USAGE, confirm, warn
from curator.paths import cache_folder, connections_folder, own_files, store_folder
from curator.serve import client
from curator.terminal_text import on_one_line, visible
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
    removal = _Removal()
    if removal.show():
        print(flush=True)
        confirm("remove all of this? Your memories stay.", yes)
        removal.carry_out()
    elif not (removal.problems or removal.by_hand):
        print("nothing to remove")
    with contextlib.suppress(OSError):
        delete_traces()
    if removal.by_hand:
        print("`claude` was not found; to remove its MCP server, run", *removal.by_hand, sep="\n  ")
    print_places()
    for problem in removal.problems:
        warn(problem)
    if removal.problems:
        raise typer.Exit(USAGE)


class _Removal:
    """What there is to remove. `problems` describes what could not be read or removed."""

    def __init__(self) -> None:
        from curator.connect import changes, claude_server
        from curator.connect.hosts import HOSTS
        from curator.errors import ConfigError
        from curator.services.block_files import BlockFile, list_block_files

        self.problems: list[str] = []
        self._hosts: list[tuple[Host, list[FileChange]]] = []
        for host in HOSTS.values():
            try:
                self._hosts += [(host, found)] if (found := changes.disconnection(host)) else []
            except ConfigError as error:
                self.problems.append(f"{host.title}: {error}")
        self._blocks: list[BlockFile] = []
        try:
            self._blocks = list_block_files()
        except ConfigError as error:
            self.problems.append(str(error))
        self._calls, self.by_hand = claude_server.disconnection(), list[str]()
        if claude_server.program() is None:
            self._calls, self.by_hand = [], [visible(claude_server.line(call)) for call in self._calls]
        self._running = client.is_running()

    def show(self) -> bool:
        """Print everything; return False if there is nothing."""
        from curator.connect import claude_server

        for _, found in self._hosts:
            for change in found:
                print_diff(change)
        for call in self._calls:
            print(f"\nrun: {visible(claude_server.line(call))}")
        for entry in self._blocks:
            print(f"\nremove the block of memories from {on_one_line(entry.path)}")
        if self._running:
            print("\nstop the background process")
        return bool(self._hosts or self._blocks or self._running or self._calls)

    def carry_out(self) -> None:
        """Remove everything; what fails is added to the problems."""
        from curator.connect import changes, claude_server
        from curator.errors import ConfigError
        from curator.services.block_files import remove_block

        for host, found in self._hosts:
            try:
                changes.write(host, found)
                print(f"disconnected {host.title}")
            except (ConfigError, OSError) as error:
                self.problems.append(f"{host.title}: {error}")
        for call in self._calls:
            try:
                claude_server.run(call)
            except ConfigError as error:
                self.problems.append(str(error))
        for entry in self._blocks:
            try:
                remove_block(entry)
                print(f"removed the block from {on_one_line(entry.path)}")
            except (ValueError, Unwritable, ConfigError, OSError) as error:
                self.problems.append(f"a memory block was not removed: {error}")
        self.problems += stop_server() if self._running else []
        if self._hosts:
            print("running assistants still use it: restart them")


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

    own = (store_folder(), *own_files(), *(weights.weights_folder(model, cache_folder()) for model in weights.ALL))
    print(f"\nyour memories are in {visible(str(store_folder()))}")
    print("to delete them as well, delete:")
    for path in own:
        if path.exists():
            print(f"  {visible(str(path))}")
    if connections_folder().is_dir():
        print(f"copies of your assistants' former settings are in {visible(str(connections_folder()))}")

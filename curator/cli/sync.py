"""The command `sync`: syncs several devices of one person over a folder or object storage."""

import platform
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from curator.cli.options import HELP, AsJson, NamedValues, TargetArgument, Yes
from curator.cli.output import STORE, confirm, open_store, print_json, print_table, warn
from curator.cli.progress import ProgressLines
from curator.display import counted
from curator.terminal_text import on_one_line
from store import Conflict, NotFound, Store, clock

if TYPE_CHECKING:
    from curator.sync.key import Space
    from curator.sync.run import PassResult
    from store.record.sync.repository import Chain

_MAX_INPUT = 1_000  # characters read as words of a key
_REMOVED = " · removed by another device; `curator sync join TARGET` joins it again"
Name = Annotated[str, typer.Option("--name", metavar="NAME", help="Name of this device; its host name by default.")]
sync = typer.Typer(help="Sync with your other devices through a folder or a bucket.", context_settings=HELP)


@sync.callback(invoke_without_command=True)
def run(
    context: typer.Context,
    rewrite: Annotated[
        bool, typer.Option("--rewrite", help="Write all segments of this device again, if some are lost or damaged.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write what is new here, and read what your other devices wrote."""
    if context.invoked_subcommand is not None:
        return
    done = _run_pass(_own_space(), open_store(), rewrite=rewrite)
    if as_json:
        print_json({"written": done.written, "folded": done.folded, "problems": done.problems, "waiting": done.waiting})
    else:
        _print_pass(done)
    if done.problems:
        raise typer.Exit(STORE)


def _run_pass(space: "Space", store: Store, *, rewrite: bool = False, remove: str = "") -> "PassResult":
    """Sync once, with progress, and finish purges of other devices outside the record."""
    from curator.services.forget_requests import quarantine_arrivals
    from curator.sync.run import sync as sync_once

    with closing(ProgressLines()) as lines:
        done = sync_once(store, space, lines.show_stage, quarantine_arrivals, rewrite=rewrite, remove=remove)
    if done.erased:
        from curator.purge_everywhere import continue_purge

        for left in continue_purge(store):
            warn(left)
    return done


def _print_pass(done: "PassResult") -> None:
    """Print the results of a pass."""
    parts = [
        f"{what} {counted(count, 'segment')}"
        for what, count in (("wrote", done.written), ("read", done.folded))
        if count
    ]
    if parts or not (done.waiting or done.problems):
        print(", ".join(parts) or "nothing new")
    if done.waiting:
        print(f"some segments depend on those of {', '.join(map(on_one_line, done.waiting))}, not here yet")
    for problem in done.problems:
        warn(on_one_line(problem))


@sync.command(cls=NamedValues)
def init(target: TargetArgument, name: Name = "") -> None:
    """Create a sync space with this store, and print its key once, as words."""
    from nacl.utils import random

    from curator.sync.key import words_of
    from curator.sync.run import create, interrupted_init

    if interrupted_init(target) is None:  # otherwise its words were not shown yet
        _refuse_second()
    about = "The key of your sync space. Write it down: it is not shown again, and nothing else opens the space."
    create(open_store(), target, name or host(), random(32), lambda key: print_words(words_of(key), about))
    print(f"\nNow run `curator sync` here, and `curator sync join {on_one_line(target)}` on your other devices.")


@sync.command(cls=NamedValues)
def join(target: TargetArgument, name: Name = "", yes: Yes = False) -> None:
    """Join a sync space with its words, from a prompt or stdin.

    A store that is not empty is backed up, and joins with all its contents.
    """
    from curator.config import settings
    from curator.sync.run import inspect_space
    from curator.sync.run import join as join_space

    store = open_store()
    if not store.sync.is_removed():
        _refuse_second()
    entry = inspect_space(store, target, name or host(), words_given().split())
    past, where = store.sync.past(), on_one_line(target)
    if past.written and not entry.again:
        here = f"{counted(past.memories, 'memory')} and {counted(past.conversations, 'conversation')}"
        confirm(
            f"This store has {here}. Everything is sent to your other devices, and theirs is added here. A backup is"
            f" made first. Join {where}?",
            yes,
        )
        print(f"backup: {store.keep_backup(settings().backups.keep)}")
    join_space(store, entry)
    print(f"joined {where}; now run `curator sync`")


def print_words(words: list[str], about: str) -> None:
    """Print the words of a key, below a description."""
    print(f"{about}\n")
    for start in range(0, len(words), 6):
        print("  " + " ".join(f"{word:<9}" for word in words[start : start + 6]).rstrip())


def words_given(number: int = 24) -> str:
    """Return the words of a key, entered on a terminal or read from stdin."""
    if sys.stdin.isatty():
        from getpass import getpass

        return getpass(f"The {number} words: ")
    return sys.stdin.read(_MAX_INPUT)


@sync.command(cls=NamedValues)
def remove(
    device: Annotated[str, typer.Argument(metavar="DEVICE", help="Its name, or the beginning of its id.")],
    yes: Yes = False,
) -> None:
    """Remove a device that is gone for good. What it wrote is kept; its segments are deleted."""
    space, store = _own_space(), open_store()
    found = device_called(store, device, store.sync.begin(space.name).uid)
    name = on_one_line(found.name)
    _print_pass(before := _run_pass(space, store))
    unread = "  Some could not be read, and their contents are lost." if found.uid in before.unread else ""
    confirm(
        f"Remove {name} for good? What it wrote stays on your devices, and its segments in {on_one_line(space.target)}"
        f" are deleted.{unread} If it comes back, it has to join again.",
        yes,
    )
    _print_pass(done := _run_pass(space, store, remove=found.uid))
    print(f"removed {name}")
    if done.problems:
        raise typer.Exit(STORE)


def device_called(store: Store, called: str, own: str) -> "Chain":
    """Return the other device with a name or id prefix. Raises NotFound, Conflict."""
    gone = store.sync.gone()
    others = [chain for chain in store.sync.chains() if chain.uid != own and chain.uid not in gone]
    found = [chain for chain in others if chain.name == called] or [
        chain for chain in others if chain.uid.startswith(called)
    ]
    if len(found) == 1:
        return found[0]
    if found:
        ids = ", ".join(chain.uid for chain in found)
        raise Conflict(f"{len(found)} devices have this name; give the beginning of an id: {ids}")
    listed = ", ".join(sorted(on_one_line(chain.name) for chain in others)) or "none"
    raise NotFound(f"no other device is named {on_one_line(called)}; there are: {listed}")


@sync.command(cls=NamedValues)
def status(as_json: AsJson = False) -> None:
    """Show the target, pending changes, how far the other devices were read, and what the last sync could not do."""
    space, store = _own_space(), open_store()
    devices, own = device_statuses(store), store.sync.begin(space.name)
    waiting, digest, problems = store.sync.waiting(), store.sync.digest(), store.sync.problems()
    if as_json:
        print_json(
            {
                "target": space.target,
                "name": space.name,
                "waiting": waiting,
                "state": digest,
                "devices": [asdict(device) for device in devices],
                "problems": problems,
            }
        )
    else:
        print_table(
            [
                ("target", on_one_line(space.target)),
                ("this device", on_one_line(space.name) + (_REMOVED if store.sync.is_removed() else "")),
                ("pending", counted(waiting, "change")),
                ("state", f"{digest[:12]} (equal on devices that have read the same segments)"),
            ]
        )
        print_devices(devices, own.uid)
        for problem in problems:
            warn(f"the last sync: {on_one_line(problem)}")
    if problems:
        raise typer.Exit(STORE)


@dataclass(frozen=True, slots=True)
class DeviceStatus:
    """A device: the number of its segments that were read, or written if it is this one, and the time of the last."""

    uid: str
    name: str
    segments: int
    last: str | None
    unconfirmed: bool  # it has not confirmed the last purge of this device


def device_statuses(store: Store) -> list[DeviceStatus]:
    """Return the devices of the space, except removed ones."""
    unconfirmed, gone, times = store.sync.unconfirmed(), store.sync.gone(), store.sync.times()
    return [
        DeviceStatus(
            chain.uid,
            chain.name,
            chain.number,
            clock.to_iso(times[chain.uid]) if chain.uid in times else None,
            chain.uid in unconfirmed,
        )
        for chain in store.sync.chains()
        if chain.uid not in gone
    ]


def print_devices(devices: Sequence[DeviceStatus], own: str) -> None:
    """Print devices, with how far they were read, or written if it is this one."""
    for device in devices:
        late = " · has not confirmed your last purge" if device.unconfirmed else ""
        done = "wrote" if device.uid == own else "read"
        last = f", the last of {device.last[:16].replace('T', ' ')}" if device.last else ""
        print(f"{done} {counted(device.segments, 'segment')} of {on_one_line(device.name)}{last}{late}")


def _own_space() -> "Space":
    """Return the sync space of this device. Raises Conflict if it belongs to none."""
    from curator.sync.key import saved

    space = saved()
    if space is None:
        raise Conflict(
            "this device is in no sync space; `curator sync init TARGET` starts one, `curator sync join TARGET` joins"
            " one"
        )
    return space


def _refuse_second() -> None:
    """Raise Conflict if this device already belongs to a sync space."""
    from curator.paths import sync_file
    from curator.sync.key import saved

    space = saved()
    if space is not None:
        raise Conflict(f"this device syncs with {space.target} already; to leave it, delete {sync_file()}")


def host() -> str:
    """Return the name of this machine."""
    return platform.node().partition(".")[0] or "this device"

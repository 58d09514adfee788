"""The command `sync`: several devices of one person on a folder or object storage."""

import platform
import sys
from contextlib import closing
from typing import TYPE_CHECKING, Annotated

import typer

from curator.cli.options import HELP, AsJson, NamedValues
from curator.cli.output import STORE, counted, open_store, print_json, print_table, warn
from curator.cli.progress import ProgressLines, Task
from curator.export.sanitize import on_one_line
from store import Conflict, Store

if TYPE_CHECKING:
    from curator.sync.key import Space
    from curator.sync.run import Pass

_LONGEST = 1_000  # characters of words
Where = Annotated[str, typer.Argument(metavar="TARGET", help="folder:PATH, or s3://BUCKET/PREFIX.")]
Name = Annotated[
    str, typer.Option("--name", metavar="NAME", help="What this device is called. By default its host name.")
]
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
    from curator.sync.run import sync as run_pass

    space, store = own_space(), open_store()
    if rewrite:
        store.sync.rewrite()
    with closing(ProgressLines()) as lines:
        done = run_pass(store, space, lambda stage, count, total: lines.show(Task(f"{stage:<14}", count, total)))
    if done.erased:
        from curator.serve.purge import continue_purge

        for left in continue_purge(store):
            warn(left)
    if as_json:
        print_json({"written": done.written, "folded": done.folded, "problems": done.problems, "waiting": done.waiting})
    else:
        print_pass(done)
    if done.problems:
        raise typer.Exit(STORE)


def print_pass(done: "Pass") -> None:
    """Print what a pass did."""
    parts = [
        f"{what} {counted(count, 'segment')}"
        for what, count in (("wrote", done.written), ("read", done.folded))
        if count
    ]
    print(", ".join(parts) or "nothing new")
    if done.waiting:
        print(f"some segments wait for those of {', '.join(map(on_one_line, done.waiting))}, which are still to come")
    for problem in done.problems:
        warn(on_one_line(problem))


@sync.command(cls=NamedValues)
def init(target: Where, name: Name = "") -> None:
    """Begin a sync space with this store, and show its key once, as words."""
    from nacl.utils import random

    from curator.sync.key import words_of
    from curator.sync.run import create

    refuse_second()
    key = random(32)
    create(open_store(), target, name or host(), key)
    print_words(
        words_of(key),
        "The key of your sync space. Write it down: it is not shown again, and there is no other way in.",
    )
    print(f"\nNow run `curator sync` here, and `curator sync join {on_one_line(target)}` on your other devices.")


@sync.command(cls=NamedValues)
def join(target: Where, name: Name = "") -> None:
    """Join a sync space with its words, which are asked for, or read from stdin."""
    from curator.sync.run import join as join_space

    refuse_second()
    join_space(open_store(), target, name or host(), words_given().split())
    print(f"joined {on_one_line(target)}; now run `curator sync`")


def print_words(words: list[str], about: str) -> None:
    """Print the words of a key, below what they are."""
    print(f"{about}\n")
    for start in range(0, len(words), 6):
        print("  " + " ".join(f"{word:<9}" for word in words[start : start + 6]).rstrip())


def words_given() -> str:
    """Return the words of a key, asked for on a terminal, else read from stdin."""
    if sys.stdin.isatty():
        from getpass import getpass

        return getpass("The 24 words: ")
    return sys.stdin.read(_LONGEST)


@sync.command(cls=NamedValues)
def status(as_json: AsJson = False) -> None:
    """Show the target, what waits to be written, and how far the other devices were read."""
    space, store = own_space(), open_store()
    rows, own = status_rows(store), store.sync.begin(space.name)
    waiting, digest = store.sync.waiting(), store.sync.digest()
    if as_json:
        print_json({"target": space.target, "name": space.name, "waiting": waiting, "state": digest, "devices": rows})
        return
    print_table(
        [
            ("target", on_one_line(space.target)),
            ("this device", on_one_line(space.name)),
            ("to be written", counted(waiting, "change")),
            ("state", f"{digest[:12]} (the same on all devices that have read the same)"),
        ]
    )
    for row in rows:
        if row["uid"] != own.uid:
            late = " · has not confirmed your last purge" if row["unconfirmed"] else ""
            print(f"read {counted(int(str(row['segments'])), 'segment')} of {on_one_line(str(row['name']))}{late}")


def status_rows(store: Store) -> list[dict[str, object]]:
    """Return the devices with the numbers of their segments that were read or written."""
    unconfirmed = store.sync.unconfirmed()
    return [
        {"uid": one.uid, "name": one.name, "segments": one.number, "unconfirmed": one.uid in unconfirmed}
        for one in store.sync.chains()
    ]


def own_space() -> "Space":
    """Return the space of this device. Raises Conflict if it belongs to none."""
    from curator.sync.key import saved

    space = saved()
    if space is None:
        raise Conflict(
            "this device syncs with none; `curator sync init TARGET` begins, `curator sync join TARGET` joins"
        )
    return space


def refuse_second() -> None:
    """Raise Conflict if this device belongs to a space."""
    from curator.paths import sync_file
    from curator.sync.key import saved

    space = saved()
    if space is not None:
        raise Conflict(f"this device syncs with {space.target} already; to leave it, delete {sync_file()}")


def host() -> str:
    """Return the name of this machine."""
    return platform.node().partition(".")[0] or "this device"

"""The command `purge`."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from curator.cli.errors import NOTHING, STORE
from curator.cli.options import SomeIds, Yes
from curator.cli.output import confirmed, counted, end_with_nothing, open_store
from curator.cli.review import print_first
from store.model import Life

if TYPE_CHECKING:
    from store import Place, Store

WithVariants = Annotated[
    bool,
    typer.Option("--with-variants", help="Also erase the same words in other writings."),
]
_SHOWN = 20  # places that are listed


def purge(
    ids: SomeIds = None,
    every: Annotated[bool, typer.Option("--all", help="All memories, including forgotten ones.")] = False,
    yes: Yes = False,
    with_variants: WithVariants = False,
) -> None:
    """Erase memories and their quotes for good. No undo.

    The same words in another writing (punctuation, emphasis, case, line breaks, invisible characters) are shown first;
    on a terminal you are asked whether to erase them too. Copies in backups/ that hold the words are deleted.
    Afterwards, the import that brought these words can no longer be undone as a whole.
    """
    from store import Filter

    if every is bool(ids):
        raise typer.BadParameter("give ids of memories, or --all")
    store = open_store()
    there = tuple(life for life in Life if life is not Life.PURGED)
    meant = store.list_ids(Filter(lives=there)) if every else ids or []
    if not meant:
        end_with_nothing(store, "no memories to purge")
    store.check_owned(meant)
    erase(store, meant, yes, with_variants)


def erase(store: "Store", ids: Sequence[int], yes: bool, variants: bool) -> None:
    """Show what goes, ask, and erase it. Raises typer.Exit."""
    from curator import curation

    places = store.other_writings(ids)
    meant = store.meant_by_purge(ids)
    print_first(store, meant)
    if places:
        print_places(places)
        if not variants and not yes and sys.stdin.isatty():
            variants = confirmed(f"erase {counted(len(places), 'place')} with other writings, too?", False)
    if variants and (more := sorted(set(store.meant_by_purge(ids, variants=True)).difference(meant))):
        print("these memories hold another writing and go as a whole:")
        print_first(store, more)
        meant = [*meant, *more]
    copies = store.copies_holding(ids, variants)
    for name in copies:
        print(f"also deletes {store.folder / 'backups' / name}")
    print(curation.ELSEWHERE)
    print(curation.ENDS_UNDO)
    question = f"erase {counted(len(meant), 'memory')} for good, with every quote and copy in this store?"
    if not confirmed(question, yes):
        raise typer.Exit(NOTHING)
    purged, left = curation.purge(store, ids, variants)
    print(
        f"purged {counted(len(purged.memories), 'memory')}; covered words in {counted(purged.messages, 'message')}"
        f" and {counted(purged.events, 'event')}"
        + (f"; deleted {counted(len(copies), 'backup copy')}" if copies else "")
    )
    if places and not variants:
        stay = counted(len(places), "place")
        print(f"curator: {stay} with other writings stay; --with-variants erases them, too", file=sys.stderr)
    end_unless_done(left)


def print_places(places: "Sequence[Place]") -> None:
    """Print where words also stand in another writing: counts, then the first places."""
    from curator import curation
    from curator.export.sanitize import on_one_line

    print(f"also stands, written differently, in: {curation.counted_places(places)}")
    for place in places[:_SHOWN]:
        print(f"  {place.kind} {place.id or ''}  {on_one_line(place.words)}")
    if len(places) > _SHOWN:
        print(f"  and {len(places) - _SHOWN:,} more")


def end_unless_done(left: Sequence[str]) -> None:
    """Say what of a purge could not be done yet. Raises typer.Exit if there is any."""
    for what in left:
        print(f"curator: {what}", file=sys.stderr)
    if left:
        raise typer.Exit(STORE)


def register(app: typer.Typer) -> None:
    """Put this family's commands on the command line."""
    app.command("purge")(purge)

"""The command `purge`."""

import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

import typer

from curator import curation
from curator.cli.errors import STORE, warn, warn_all
from curator.cli.options import AsJson, SomeIds, Yes
from curator.cli.output import confirm, confirmed, counted, end_with_nothing, open_store, print_json
from curator.cli.review import print_first
from curator.export.sanitize import on_one_line
from store import Filter, Store
from store.model import Life

WithVariants = Annotated[
    bool,
    typer.Option("--with-variants", help="Also erase variants: the same words written differently."),
]
_SHOWN = 20  # maximum places listed


def purge(
    ids: SomeIds = None,
    every: Annotated[bool, typer.Option("--all", help="All memories, including forgotten ones.")] = False,
    yes: Yes = False,
    with_variants: WithVariants = False,
    as_json: AsJson = False,
) -> None:
    """Erase memories and their quotes for good. No undo.

    Variants of the same words (other punctuation, emphasis, case, line breaks or invisible characters) are shown first;
    on a terminal you are asked whether to erase them too. Copies in backups/ that contain the words are deleted. The
    import of these words can then no longer be undone as a whole.
    """
    if every is bool(ids):
        raise typer.BadParameter("give ids of memories, or --all")
    store = open_store()
    there = tuple(life for life in Life if life is not Life.PURGED)
    meant = store.list_ids(Filter(lives=there)) if every else ids or []
    if not meant:
        end_with_nothing(store, "no memories to purge", as_json)
    store.check_owned(meant)
    erase(store, meant, yes, with_variants, as_json)


def erase(store: Store, ids: Sequence[int], yes: bool, variants: bool, as_json: bool = False) -> None:
    """Show the memories and words to erase, ask, and erase them. Raises typer.Exit."""
    places = store.other_writings(ids)
    meant = store.meant_by_purge(ids)
    copies = store.copies_holding(ids, variants)
    if not as_json:
        print_first(store, meant)
        if places:
            print(f"variants of these words were found in {curation.counted_places(places)}")
            for place in places[:_SHOWN]:
                print(f"  {place.kind} {place.id or ''}  {on_one_line(place.words)}")
            if len(places) > _SHOWN:
                print(f"  and {len(places) - _SHOWN:,} more")
            if not variants and not yes and sys.stdin.isatty():
                variants = confirmed(f"erase {counted(len(places), 'place')} with variants of these words too?", False)
                copies = store.copies_holding(ids, variants)
    if variants and (more := sorted(set(store.meant_by_purge(ids, variants=True)).difference(meant))):
        meant = [*meant, *more]
        if not as_json:
            print("these memories contain a variant and are erased as a whole:")
            print_first(store, more)
    if not as_json:
        for name in copies:
            print(f"also deletes {store.folder / 'backups' / name}")
        print(curation.ELSEWHERE)
        print(curation.ENDS_UNDO)
    question = f"erase {counted(len(meant), 'memory')} for good, with every quote and copy in this store?"
    confirm(question, yes, as_json)
    purged, left = curation.purge(store, ids, variants)
    remaining = 0 if variants else len(places)
    if as_json:
        print_json({**asdict(purged), "backups": copies, "other_writings": remaining, "unfinished": left})
    else:
        print(
            f"purged {counted(len(purged.memories), 'memory')}; erased text in {counted(purged.messages, 'message')}"
            f" and {counted(purged.events, 'event')}"
            + (f"; deleted {counted(len(copies), 'backup copy')}" if copies else "")
        )
    if remaining:
        warn(f"{counted(remaining, 'place')} with variants of these words stay; --with-variants erases them too")
    end_unless_done(left)


def end_unless_done(left: Sequence[str]) -> None:
    """Warn about unfinished steps of a purge. Raises typer.Exit if there are any."""
    warn_all(left)
    if left:
        raise typer.Exit(STORE)

"""The commands `purge` and `outdated`."""

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from curator import curation, purge_everywhere
from curator.cli.options import MOST_DAYS, AsJson, AsJsonLines, SomeIds, Yes
from curator.cli.output import (
    STORE,
    confirm,
    confirmed,
    end_with_nothing,
    memory_line,
    open_store,
    print_json,
    print_json_lines,
    print_table,
    warn,
    warn_all,
)
from curator.cli.results import print_first
from curator.display import counted, iso_date
from curator.services.block_files import files_holding
from curator.terminal_text import on_one_line
from store import Filter, NotFound, Store, StoreError, WordVariant, clock
from store.model import Life

_MAX_PLACES = 20  # places with variants printed
WithVariants = Annotated[
    bool,
    typer.Option("--with-variants", help="Also erase variants: the same words written differently."),
]


def outdated(
    days: Annotated[
        int | None,
        typer.Option(min=1, max=MOST_DAYS, help="Forgotten more than this many days ago.", show_default=False),
    ] = None,
    logs: Annotated[bool, typer.Option("--logs", help="List conversations imported that long ago instead.")] = False,
    purge: Annotated[bool, typer.Option("--purge", help="Erase them for good. No undo.")] = False,
    with_variants: WithVariants = False,
    yes: Yes = False,
    as_json: AsJsonLines = False,
) -> None:
    """List memories forgotten or expired long ago.

    Long ago means --days, else the setting lifecycle.retention. Only --purge erases anything; with
    --logs it erases the messages of whole conversations and keeps the memories made of them, with their quotes.
    """
    from curator import lifecycle
    from curator.config import settings

    wanted = days or settings().lifecycle.retention
    store, now = open_store(), clock.now()
    entries = (lifecycle.outdated_logs if logs else lifecycle.outdated)(store, wanted, now)
    if not entries:
        what = "no conversation was imported" if logs else "nothing was forgotten or expired"
        raise NotFound(f"{what} more than {counted(wanted, 'day')} ago")
    ids = [entry.id for entry in entries]
    if as_json:
        kind = "conversation" if logs else "memory"
        print_json_lines({"id": entry.id, "what": kind, "since": iso_date(entry.since)} for entry in entries)
    else:
        lines = {memory.id: memory_line(memory) for memory in ([] if logs else store.get_many(ids))}
        for conversation in store.raw.get_conversations(ids) if logs else []:
            lines[conversation.id] = f"conversation {conversation.id}  {on_one_line(conversation.name)}"
        print_table([(iso_date(entry.since), lines.get(entry.id, str(entry.id))) for entry in entries])
    if purge and logs:
        _erase_logs(store, ids, lifecycle.cutoff(wanted, now), yes)
    elif purge:
        erase(store, ids, yes, with_variants)


def _erase_logs(store: Store, ids: Sequence[int], before: int, yes: bool) -> None:
    """Erase conversations imported before a time that have not grown since. Raises typer.Exit."""
    what = counted(len(ids), "conversation")
    confirm(f"erase {what} for good (the memories made of it stay)? This cannot be undone.", yes)
    erased, left = purge_everywhere.purge_logs(store, ids, before)
    print(f"erased {counted(erased.messages, 'message')} of {counted(erased.conversations, 'conversation')}")
    if grown := len(ids) - erased.conversations:
        warn(f"skipped: {counted(grown, 'conversation')} changed meanwhile")
    end_unless_done(left)


def purge(
    ids: SomeIds = None,
    every: Annotated[bool, typer.Option("--all", help="All memories, including forgotten ones.")] = False,
    yes: Yes = False,
    with_variants: WithVariants = False,
    as_json: AsJson = False,
) -> None:
    """Erase memories and their quotes for good. No undo.

    Variants of the same words (other punctuation, emphasis, case, line breaks or invisible characters) are shown first;
    on a terminal you are asked whether to erase them too. Copies in backups/ that contain the words are deleted; if
    none is left, a new one is made. Commands that added these words, such as an import, can then no longer be undone as
    a whole.
    """
    if every is bool(ids):
        raise typer.BadParameter("give memory ids, or --all")
    store = open_store()
    there = tuple(life for life in Life if life is not Life.PURGED)
    targets = store.list_ids(Filter(lives=there)) if every else ids or []
    if not targets:
        end_with_nothing(store, "no memories to purge", as_json)
    store.check_owned(targets)
    erase(store, targets, yes, with_variants, as_json)


def erase(store: Store, ids: Sequence[int], yes: bool, variants: bool, as_json: bool = False) -> None:
    """Show the memories and words to erase, ask, and erase them. Raises typer.Exit."""
    places = store.find_variants(ids)
    targets = store.purge_targets(ids)
    if not as_json:
        print_first(store, targets)
        print_variants(places)
        if places and not variants and not yes and sys.stdin.isatty():
            variants = confirmed(f"erase {counted(len(places), 'place')} with variants of these words too?", False)
    if variants and (more := sorted(set(store.purge_targets(ids, variants=True)).difference(targets))):
        targets = [*targets, *more]
        if not as_json:
            print("these memories contain a variant and are erased as a whole:")
            print_first(store, more)
    copies, files = store.copies_holding(ids, variants), files_holding(store, targets)
    if not as_json:
        for name in copies:
            print(f"also deletes {store.folder / 'backups' / name}")
        for name in files:
            print(f"also rewrites the block of memories in {on_one_line(name)}")
        print(curation.ELSEWHERE)
        print(curation.ENDS_UNDO)
    question = f"erase {counted(len(targets), 'memory')} for good, with every quote and copy in this store?"
    confirm(question, yes, as_json)
    purged, left = purge_everywhere.purge(store, ids, variants)
    remaining = 0 if variants else len(places)
    renewed = back_up_again(store) if copies and not left else None
    if as_json:
        print_json(
            {**asdict(purged), "backups": copies, "files": files, "other_writings": remaining, "unfinished": left}
        )
    else:
        print(
            f"purged {counted(len(purged.memories), 'memory')}; erased text in {counted(purged.messages, 'message')}"
            f" and {counted(purged.events, 'event')}"
            + (f"; deleted {counted(len(copies), 'backup copy')}" if copies else "")
        )
        if renewed is not None:
            print(f"no backup was left, so a new one was made: {on_one_line(str(renewed))}")
    if remaining:
        warn(f"{counted(remaining, 'place')} with variants of these words remain; --with-variants erases them too")
    end_unless_done(left)


def back_up_again(store: Store) -> Path | None:
    """Make the automatic backup if a purge left none, and return it; background work would, but may not be running."""
    from curator.config import settings

    if store.backups() or not settings().sweep_backup.enabled:
        return None
    try:
        return store.keep_backup(settings().backups.keep)
    except StoreError as error:
        warn(f"no backup is left, and a new one could not be made: {error}")
        return None


def print_variants(places: Sequence[WordVariant]) -> None:
    """Print where variants of words to erase were found."""
    if places:
        print(f"variants of these words were found in {curation.counted_places(places)}")
    for place in places[:_MAX_PLACES]:
        print(f"  {place.kind} {place.id or ''}  {on_one_line(place.words)}")
    if len(places) > _MAX_PLACES:
        print(f"  and {len(places) - _MAX_PLACES:,} more")


def end_unless_done(left: Sequence[str]) -> None:
    """Warn about unfinished steps of a purge. Raises typer.Exit if there are any."""
    warn_all(left)
    if left:
        raise typer.Exit(STORE)

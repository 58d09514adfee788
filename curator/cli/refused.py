"""The commands `refused` and `take`."""

import re
from collections.abc import Iterator, Sequence
from typing import Annotated, NoReturn

import typer

from curator import curation
from curator.cli.errors import NOTHING, warn
from curator.cli.options import AsJson, AsJsonLines, countable
from curator.cli.output import open_store, print_json_lines, print_table, shorten
from curator.cli.review import print_made
from curator.export.sanitize import on_one_line
from store import Store, clock
from store.model import Refusal

_PAGE = 1_000
_SHOWN = 200  # characters shown of a passage


def list_refused(
    reason: Annotated[str | None, typer.Option(help="Only with this reason, e.g. vague.")] = None,
    limit: Annotated[int, typer.Option(min=1, callback=countable, help="At most this many.")] = 50,
    counts: Annotated[bool, typer.Option("--counts", help="Count them by reason.")] = False,
    as_json: AsJsonLines = False,
) -> None:
    """List passages that were refused as memories, and why."""
    store = open_store()
    if counts:
        found = [one for one in store.distillation.refused_counts() if reason in (None, one[0])]
        if as_json:
            print_json_lines({"reason": name, "count": number} for name, number in found)
        else:
            print_table([(name, f"{number:,}") for name, number in found], ("reason", "candidates"))
        if not found:
            _end(reason, as_json)
        return
    rows = list(_rows(store, reason, limit))
    if not rows:
        _end(reason, as_json)
    if as_json:
        print_json_lines(rows)
        return
    cells = []
    for row in rows:
        known = f" (as memory {row['forgotten']}, which you forgot: `curator restore {row['forgotten']}`)"
        words = on_one_line(shorten(str(row["quote"]), _SHOWN)) + (known if row["forgotten"] is not None else "")
        cells.append((str(row["place"]), str(row["said_at"] or "undated")[:10], str(row["reason"]), words))
    print_table(cells, ("place", "said", "reason", "words"), dimmed=True)


def _end(reason: str | None, as_json: bool) -> NoReturn:
    """Warn that nothing was refused. Raises typer.Exit."""
    if not as_json:
        warn(f"nothing refused as {reason}; --counts lists the reasons" if reason else "nothing refused")
    raise typer.Exit(NOTHING)


def take(
    place: Annotated[str, typer.Argument(metavar="PLACE", help="A passage from `curator refused`, e.g. 12:0-34.")],
    text: Annotated[list[str] | None, typer.Argument(metavar="TEXT", help="The memory in your own words.")] = None,
    as_json: AsJson = False,
) -> None:
    """Admit a refused passage as a validated memory. Undoable."""
    found = re.fullmatch(r"([0-9]{1,18}):([0-9]{1,18})-([0-9]{1,18})", place)
    if found is None:
        raise typer.BadParameter(f"a passage is named like 12:0-34, not {place[:40]!r}; `curator refused` lists them")
    message, start, end = map(int, found.groups())
    store = open_store()
    made = curation.accept_passage(
        store, store.distillation.refusal(message, start, end), " ".join(text) if text else None
    )
    print_made(made, as_json)


def _rows(store: Store, reason: str | None, limit: int) -> Iterator[dict[str, object]]:
    """Yield refused candidates as JSON objects, except those of hidden messages."""
    after = None
    while limit and (page := store.distillation.refused(reason, after, min(limit, _PAGE))):
        yield from _page(store, page)
        limit -= len(page)
        after = (page[-1].message, page[-1].start, page[-1].end)


def _page(store: Store, page: Sequence[Refusal]) -> Iterator[dict[str, object]]:
    from curator.text import worded

    messages = store.raw.visible_messages(sorted({one.message for one in page}))
    ids = sorted({message.conversation for message in messages.values()})
    dates = {conversation.id: conversation.created_at for conversation in store.raw.get_conversations(ids)}
    for one in page:
        message = messages.get(one.message)
        if message is None:  # its import was undone since the page was read
            continue
        quote = message.text[one.start : one.end]
        said_at = message.created_at or dates.get(message.conversation)  # many logs date only the conversation
        yield {
            "place": f"{one.message}:{one.start}-{one.end}",
            "message": one.message,
            "start": one.start,
            "end": one.end,
            "reason": one.reason,
            "kind": one.kind,
            "confidence": one.confidence,
            "quote": quote,
            "forgotten": curation.find_forgotten(store, worded(quote)) if one.reason == "forgotten" else None,
            "conversation": message.conversation,
            "said_at": None if said_at is None else clock.to_iso(said_at),
        }

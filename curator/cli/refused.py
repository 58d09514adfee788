"""Commands over refused candidates: refused, take."""

import re
import sys
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from curator.cli.errors import NOTHING
from curator.cli.options import AsJson, AsJsonLines
from curator.cli.output import dim, memory_line, open_store, print_heads, print_json, table
from curator.cli.validators import countable

if TYPE_CHECKING:
    from curator.export.serializers import Json
    from store import Store
    from store.model import Refusal

_PAGE = 1_000
_SHOWN = 200  # characters of a passage on a line


def list_refused(
    reason: Annotated[str | None, typer.Option(help="Only with this reason, e.g. vague.")] = None,
    limit: Annotated[int, typer.Option(min=1, callback=countable, help="At most this many.")] = 50,
    counts: Annotated[bool, typer.Option("--counts", help="Count them by reason.")] = False,
    as_json: AsJsonLines = False,
) -> None:
    """List what was refused as a memory, and why."""
    store = open_store()
    if counts:
        found = [one for one in store.distillation.refused_counts() if reason in (None, one[0])]
        if as_json:
            for name, number in found:
                print_json({"reason": name, "count": number})
        else:
            table([(name, f"{number:,}") for name, number in found])
        if not found:
            _end(reason, as_json)
        return
    after, left = None, limit
    while left and (page := store.distillation.refused(reason, after, min(left, _PAGE))):
        if left == limit and not as_json:
            print_heads(f"{'place':<14}  {'said':<10}  {'reason':<16}  words")
        _print_page(store, page, as_json)
        left -= len(page)
        after = (page[-1].message, page[-1].start, page[-1].end)
    if left == limit:
        _end(reason, as_json)


def _end(reason: str | None, as_json: bool) -> NoReturn:
    """Say on stderr that nothing was refused."""
    from curator.export.sanitize import visible

    if not as_json:
        what = f"nothing refused as {visible(reason)}; --counts lists the reasons" if reason else "nothing refused"
        print(f"curator: {what}", file=sys.stderr)
    raise typer.Exit(NOTHING)


def take(
    place: Annotated[str, typer.Argument(metavar="PLACE", help="A passage from `curator refused`, e.g. 12:0-34.")],
    text: Annotated[list[str] | None, typer.Argument(metavar="TEXT", help="The memory in your own words.")] = None,
    as_json: AsJson = False,
) -> None:
    """Make a validated memory of a refused passage. Undoable."""
    from curator import curation
    from curator.export.serializers import memory_row

    found = re.fullmatch(r"([0-9]{1,18}):([0-9]{1,18})-([0-9]{1,18})", place)
    if found is None:
        raise typer.BadParameter(f"a passage is named like 12:0-34, not {place[:40]!r}; `curator refused` lists them")
    message, start, end = map(int, found.groups())
    store = open_store()
    made = curation.accept_passage(
        store, store.distillation.refusal(message, start, end), " ".join(text) if text else None
    )
    if as_json:
        print_json(memory_row(made))
    else:
        print(memory_line(made))


def _print_page(store: "Store", page: "list[Refusal]", as_json: bool) -> None:
    from curator.export.sanitize import on_one_line

    for row in _rows(store, page):
        if as_json:
            print_json(row)
            continue
        said = str(row["said_at"] or "undated")[:10]
        quote = str(row["quote"])
        shown = quote[:_SHOWN] + ("…" if len(quote) > _SHOWN else "")
        print(dim(f"{row['place']:<14}  {said:<10}  {row['reason']:<16}  ") + on_one_line(shown))
        if row["forgotten"] is not None:
            print(
                dim(f"{'':<14}  as memory {row['forgotten']}, which you forgot · `curator restore {row['forgotten']}`")
            )


def _rows(store: "Store", page: "list[Refusal]") -> "list[dict[str, Json]]":
    from curator.curation import find_forgotten
    from curator.text import worded
    from store import clock

    messages = store.raw.visible_messages(sorted({one.message for one in page}))
    talks = sorted({message.conversation for message in messages.values()})
    days = {talk.id: talk.created_at for talk in store.raw.get_conversations(talks)}
    rows: list[dict[str, Json]] = []
    for one in page:
        message = messages.get(one.message)
        if message is None:  # its import was taken back since the page was read
            continue
        quote = message.text[one.start : one.end]
        said_at = message.created_at or days.get(message.conversation)  # many logs date the conversation only
        rows.append(
            {
                "place": f"{one.message}:{one.start}-{one.end}",
                "message": one.message,
                "start": one.start,
                "end": one.end,
                "reason": one.reason,
                "kind": None if one.kind is None else one.kind.value,
                "confidence": one.confidence,
                "quote": quote,
                "forgotten": find_forgotten(store, worded(quote)) if one.reason == "forgotten" else None,
                "conversation": message.conversation,
                "said_at": None if said_at is None else clock.to_iso(said_at),
            }
        )
    return rows


def register(app: typer.Typer) -> None:
    """Put this family's commands on the command line."""
    app.command("refused")(list_refused)
    app.command("take")(take)

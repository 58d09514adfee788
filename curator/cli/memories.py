"""Commands that look at memories: list, show, related, tags, sql."""

from dataclasses import asdict
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from curator.cli.options import AsJson, AsJsonLines, MemoryId
from curator.cli.output import (
    LEGEND,
    counted,
    dim,
    end_with_nothing,
    memory_heads,
    memory_line,
    open_store,
    print_heads,
    print_json,
    print_memories,
    said,
    table,
)
from curator.cli.validators import LARGEST, countable

if TYPE_CHECKING:
    from store import Store
    from store.model import Memory, Message


class Order(StrEnum):
    """By what to sort a list."""

    CREATED = "created"
    ADDED = "added"
    CONFIDENCE = "confidence"
    IMPORTANCE = "importance"
    MATTERS = "matters"
    USED = "used"
    TEXT = "text"


def list_memories(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILTER", help="e.g. kind:preference tier:core 'age:<90d' is:validated tea"),
    ] = None,
    sort: Annotated[Order, typer.Option(help="Newest or highest first; text from A to Z.")] = Order.CREATED,
    reverse: Annotated[bool, typer.Option("--reverse", help="Reverse the order.")] = False,
    limit: Annotated[int | None, typer.Option(min=1, callback=countable, help="At most this many.")] = None,
    session: Annotated[
        str | None, typer.Option(metavar="ID", help="Only what was said in this conversation: its id or external id.")
    ] = None,
    as_json: AsJsonLines = False,
) -> None:
    """List memories, with a filter if you like."""
    from curator.filters.memories import parse_filter
    from store import Sort
    from store.model import Life

    store = open_store()
    which = parse_filter(" ".join(words or []))
    every = None if session else limit
    ids = store.list_ids(which, Sort(sort.value), every, descending=(sort is not Order.TEXT) != reverse)
    if session:
        members = store.of_session(session)
        ids = [memory for memory in ids if memory in members][:limit]
    if ids and not as_json:
        print_heads(memory_heads())
    found = 0
    for start in range(0, len(ids), 1000):
        found += print_memories(store.get_many(ids[start : start + 1000]), as_json)
    if found and not as_json:
        print_heads(LEGEND)
    if not found:
        narrowed = "no memory matches; leave out some of the filter's terms" if words else "no memory is live"
        what = f"no memory of conversation {session}" if session else narrowed
        gone = "; `curator list is:forgotten` has what you let go" if which.lives == (Life.LIVE,) else ""
        end_with_nothing(store, what + gone, as_json)


def related(
    memory: MemoryId,
    as_json: AsJsonLines = False,
) -> None:
    """List the memories nearest in meaning to one."""
    from curator.compare.related import related as find
    from curator.export.serializers import memory_row
    from store.index import Index

    store = open_store()
    store.get(memory)
    fingerprint = store.vectors.embedded_by()
    near = find(store, memory, Index.open(store, fingerprint), 10) if fingerprint else ()
    if near and not as_json:
        print_heads(f"near  {'relation':<13} {memory_heads()}")
    for one in near:
        if as_json:
            print_json({**memory_row(one.memory), "cosine": one.cosine, "relation": one.relation.value})
        else:
            print(f"{one.cosine:.2f}  {one.relation:<13} {memory_line(one.memory)}")
    if not near:
        end_with_nothing(store, f"no memory is near {memory} in meaning", as_json)


def list_tags(as_json: AsJsonLines = False) -> None:
    """List tags with their counts."""
    store = open_store()
    counts = store.tag_counts()
    if as_json:
        for tag, count in counts:
            print_json({"tag": tag, "memories": count})
    else:
        table([(f"{count:>6,}", tag) for tag, count in counts])
    if not counts:
        end_with_nothing(store, "no memory has a tag; `curator tag ID --add NAME` gives one", as_json)


def show(
    memory: MemoryId,
    as_json: AsJson = False,
) -> None:
    """Show one memory with its quotes, scores and versions."""
    from curator.export.sanitize import on_one_line
    from curator.export.serializers import full_row, reason_row
    from store import clock

    store = open_store()
    found = store.get(memory)
    evidence, versions = store.evidence(memory), store.versions(memory)
    reasoned = store.journal.reasoned_changes(memory)
    if as_json:
        print_json({**full_row(found, evidence, versions), "sweeps": [reason_row(item) for item in reasoned]})
        return
    print(on_one_line(found.text))
    pinned = " · pinned" if found.pinned else ""
    print(dim(f"{found.kind} · {found.tier} · {found.state} · {found.review}{pinned} · {found.origin}"))
    scored = f"confidence {found.confidence:.2f} · importance {found.importance}"
    if found.user_score is not None:
        scored += f" · your score {found.user_score}"
    print(dim(f"{scored} · {said(found.created_at)}"))
    if found.superseded_by is not None:
        for newer in store.get_many([found.superseded_by]):
            print(f"superseded by memory {newer.id}: {on_one_line(newer.text)}")
    _print_life(store, found)
    if found.tags:
        print(dim(" ".join(f"#{on_one_line(tag)}" for tag in found.tags)))
    if found.flag:
        from curator.injection import describe_flag

        why = on_one_line(describe_flag(found.flag, found.text))
        print(f"in quarantine: {why}; it is not given to models until you validate it")
    if found.surprise is not None:
        parts = " · ".join(f"{name} {value:.2f}" for name, value in asdict(found.surprise).items())
        print(dim(f"surprise {found.surprise.total:.2f}: {parts}"))
    for item in evidence:
        when = clock.to_iso(item.said_at)[:10] if item.said_at else "undated"
        print("\n" + dim(on_one_line(" · ".join((item.source or "elsewhere", item.title or "untitled", when)))))
        turns = _turns(store, item.message)
        if not turns:
            print(f"  > {on_one_line(item.quote)}")
        for turn in turns:
            quoted = turn.id == item.message
            text = on_one_line(_cut(turn.text, item.start, quoted))
            print(f"  {'>' if quoted else ' '} {dim(turn.role.value + ':')} {text}")
    for version in versions:
        merged = f" (from {version.merged_from})" if version.merged_from else ""
        print(dim(f"\nuntil {clock.to_iso(version.at)[:10]}{merged}: ") + on_one_line(version.text))
    for step in reasoned:
        what = f"{step.column} {step.before} to {step.after} by {step.command.verb}, command {step.command.id}"
        print(dim(f"\non {clock.to_iso(step.command.at)[:10]} {what}: ") + step.why)


def _print_life(store: "Store", memory: "Memory") -> None:
    """How a live memory stands: its worth by use, its warmth, and until when it holds."""
    from curator.lifecycle import ends_at, worth
    from store import clock
    from store.model import is_over, is_protected

    for aging in store.aging([memory.id]):
        now = clock.now()
        parts = [f"worth {worth(aging, now):.2f}", f"warmth {store.recalls.warmth([memory.id])[memory.id]:.2f}"]
        parts.append(f"recalled {counted(aging.times, 'time')}" if aging.times else "never recalled")
        end = ends_at(aging.kind, aging.said_by, aging.expires_at)
        own = aging.expires_at is not None
        if end is not None and not (aging.pinned if own else is_protected(aging)):
            until = f"holds until {clock.to_iso(end)[:10]}"
            tidied = "" if is_protected(aging) else ", and `curator tidy` lets it expire"
            over = f", which is over: it is out of recall{tidied}"
            parts.append("never expires" if end >= clock.LATEST else until + (over if is_over(aging, now) else ""))
        print(dim(" · ".join(parts)))


def _turns(store: "Store", message: int | None) -> "list[Message]":
    """The turns around a message; none where it is not known, or hidden since its import was taken back."""
    from store import NotFound

    try:
        return [] if message is None else store.raw.around(message, before=1, after=1)
    except NotFound:
        return []


def _cut(text: str, start: int, centre: bool) -> str:
    """A long turn, cut around where the quote begins."""
    if len(text) <= 300:
        return text
    first = max(0, start - 100) if centre else 0
    return ("…" if first else "") + text[first : first + 300] + ("…" if first + 300 < len(text) else "")


def sql(
    query: Annotated[
        str,
        typer.Argument(metavar="QUERY", help="SELECT over memories, evidence, tags, conversations, messages, log."),
    ],
    as_json: AsJsonLines = False,
) -> None:
    """Query the store with SQL, read-only."""
    from curator.export.sanitize import on_one_line
    from store.analytics.sql_console import query as ask

    query.encode()  # of bytes that are no text DuckDB says nothing a person could understand
    result = ask(open_store(), query)
    if as_json:
        for row in result.rows:
            print_json({name: _plain(value) for name, value in zip(result.columns, row, strict=True)})
        return
    table(
        [
            tuple(map(on_one_line, result.columns)),
            *(tuple(on_one_line(_text(value)) for value in row) for row in result.rows),
        ]
    )


def _plain(value: object) -> str | int | float | bool | None:
    """The value as JSON has it; a whole number of more than 64 bits, or anything else, as text."""
    if isinstance(value, int) and not -LARGEST <= value <= LARGEST:
        return str(value)
    return value if value is None or isinstance(value, str | int | float | bool) else _text(value)


def _text(value: object) -> str:
    if value is None:
        return ""
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def register(app: typer.Typer) -> None:
    """Put this family's commands on the command line."""
    app.command("list")(list_memories)
    app.command("show")(show)
    app.command("related")(related)
    app.command("tags")(list_tags)
    app.command("sql")(sql)

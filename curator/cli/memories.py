"""The commands `list`, `show`, `related`, `tags` and `sql`."""

import contextlib
from dataclasses import asdict
from typing import Annotated

import typer

from curator.cli.options import LARGEST, AsJson, AsJsonLines, MemoryId, countable
from curator.cli.output import (
    LEGEND,
    counted,
    day,
    dim,
    end_with_nothing,
    excerpt,
    open_store,
    print_heads,
    print_json,
    print_json_lines,
    print_memories,
    print_table,
)
from curator.cli.score_output import said
from curator.export.sanitize import on_one_line
from curator.export.serializers import full_row, memory_row, reason_row
from curator.filters.memories import parse_filter
from curator.injection import describe_flag
from store import NotFound, Sort, Store, clock
from store.model import Life, Memory, Message, is_over, is_protected


def list_memories(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILTER", help="e.g. kind:preference tier:core 'age:<90d' is:validated tea"),
    ] = None,
    sort: Annotated[Sort, typer.Option(help="Newest or highest first; text from A to Z.")] = Sort.CREATED,
    reverse: Annotated[bool, typer.Option("--reverse", help="Reverse the order.")] = False,
    limit: Annotated[int | None, typer.Option(min=1, callback=countable, help="At most this many.")] = None,
    session: Annotated[
        str | None, typer.Option(metavar="ID", help="Only memories from this conversation: its id or external id.")
    ] = None,
    as_json: AsJsonLines = False,
) -> None:
    """List memories, with a filter if you like."""
    store = open_store()
    which = parse_filter(" ".join(words or []))
    every = None if session else limit
    ids = store.list_ids(which, sort, every, descending=(sort is not Sort.TEXT) != reverse)
    if session:
        members = store.of_session(session)
        ids = [memory for memory in ids if memory in members][:limit]
    for start in range(0, len(ids), 1000):
        page = store.get_many(ids[start : start + 1000])
        if as_json:
            print_json_lines(map(memory_row, page))
        else:
            print_memories(page, heads=not start)
    if ids and not as_json:
        print_heads(LEGEND)
    if not ids:
        nothing = "no matching memories; use fewer filters" if words else "no live memories"
        what = f"no memories of conversation {session}" if session else nothing
        hint = "; `curator list is:forgotten` lists forgotten ones" if which.lives == (Life.LIVE,) else ""
        end_with_nothing(store, what + hint, as_json)


def related(
    memory: MemoryId,
    as_json: AsJsonLines = False,
) -> None:
    """List the memories nearest in meaning to one."""
    from curator.compare.related import related as find
    from store.index import Index

    store = open_store()
    store.get(memory)
    fingerprint = store.vectors.embedded_by()
    near = find(store, memory, Index(store, fingerprint), 10) if fingerprint else ()
    if as_json:
        print_json_lines({**memory_row(one.memory), "cosine": one.cosine, "relation": one.relation} for one in near)
    else:
        more = [{"near": f"{one.cosine:.2f}", "relation": one.relation.value} for one in near]
        print_memories([one.memory for one in near], more)
    if not near:
        end_with_nothing(store, f"no memory is near {memory} in meaning", as_json)


def list_tags(as_json: AsJsonLines = False) -> None:
    """List tags with their counts."""
    store = open_store()
    counts = store.tag_counts()
    if as_json:
        print_json_lines({"tag": tag, "memories": count} for tag, count in counts)
    else:
        print_table([(f"{count:>6,}", tag) for tag, count in counts], ("memories", "tag"))
    if not counts:
        end_with_nothing(store, "no tags yet; `curator tag ID --add NAME` adds one", as_json)


def show(
    memory: MemoryId,
    as_json: AsJson = False,
) -> None:
    """Show one memory with its quotes, scores and versions."""
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
    score = f" · your score {found.user_score}" if found.user_score is not None else ""
    print(dim(f"confidence {found.confidence:.2f} · importance {found.importance}{score} · {said(found)}"))
    for newer in store.get_many([found.superseded_by]) if found.superseded_by is not None else ():
        print(f"superseded by memory {newer.id}: {on_one_line(newer.text)}")
    _print_life(store, found)
    if found.tags:
        print(dim(" ".join(f"#{on_one_line(tag)}" for tag in found.tags)))
    if found.flag:
        why = on_one_line(describe_flag(found.flag, found.text))
        print(f"in quarantine: {why}; it is not given to models until you validate it")
    if found.surprise is not None:
        parts = " · ".join(f"{name} {value:.2f}" for name, value in asdict(found.surprise).items())
        print(dim(f"surprise {found.surprise.total:.2f}: {parts}"))
    for item in evidence:
        when = day(item.said_at or None, "undated")
        print("\n" + dim(on_one_line(" · ".join((item.source or "elsewhere", item.title or "untitled", when)))))
        messages: list[Message] = []
        with contextlib.suppress(NotFound):  # hidden since its import was undone
            messages = [] if item.message is None else store.raw.around(item.message, before=1, after=1)
        if not messages:
            print(f"  > {on_one_line(item.quote)}")
        for message in messages:
            quoted = message.id == item.message
            text = on_one_line(excerpt(message.text, item.start if quoted else 0))
            print(f"  {'>' if quoted else ' '} {dim(message.role.value + ':')} {text}")
    for version in versions:
        merged = f" (from {version.merged_from})" if version.merged_from else ""
        print(dim(f"\nuntil {day(version.at)}{merged}: ") + on_one_line(version.text))
    for step in reasoned:
        what = f"{step.column} {step.before} to {step.after} by {step.command.verb}, command {step.command.id}"
        print(dim(f"\non {day(step.command.at)} {what}: ") + step.why)


def _print_life(store: Store, memory: Memory) -> None:
    """Print worth by use, warmth, and end date of a live memory."""
    from curator.lifecycle import ends_at, worth

    for aging in store.aging([memory.id]):
        now = clock.now()
        parts = [f"worth {worth(aging, now):.2f}", f"warmth {store.recalls.warmth([memory.id])[memory.id]:.2f}"]
        parts.append(f"recalled {counted(aging.times, 'time')}" if aging.times else "never recalled")
        end = ends_at(aging.kind, aging.said_by, aging.expires_at)
        own = aging.expires_at is not None
        if end is not None and not (aging.pinned if own else is_protected(aging)):
            tidied = "" if is_protected(aging) else "; `curator tidy` expires it"
            over = f", which is past: it is out of recall{tidied}" if is_over(aging, now) else ""
            parts.append("never expires" if end >= clock.LATEST else f"valid until {day(end)}{over}")
        print(dim(" · ".join(parts)))


def sql(
    query: Annotated[
        str,
        typer.Argument(metavar="QUERY", help="SELECT over memories, evidence, tags, conversations, messages, log."),
    ],
    as_json: AsJsonLines = False,
) -> None:
    """Query the store with SQL, read-only."""
    from store.analytics.sql_console import query as run_query

    query.encode()  # fails on invalid text, for which DuckDB's own error is incomprehensible
    result = run_query(open_store(), query)
    if as_json:
        print_json_lines(dict(zip(result.columns, map(_json_value, row), strict=True)) for row in result.rows)
    else:
        print_table([[on_one_line(_text(value)) for value in row] for row in (result.columns, *result.rows)])


def _json_value(value: object) -> str | int | float | bool | None:
    """Return the value for JSON; integers of more than 64 bits and other types as text."""
    if isinstance(value, int) and not -LARGEST <= value <= LARGEST:
        return str(value)
    return value if value is None or isinstance(value, str | int | float | bool) else _text(value)


def _text(value: object) -> str:
    if value is None:
        return ""
    return value.isoformat() if hasattr(value, "isoformat") else str(value)

"""The commands `list`, `show`, `related`, `tags`, `sql`, `refused` and `admit`."""

import contextlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Annotated, NoReturn

import typer

from curator import curation
from curator.cli.options import LARGEST, AsJson, AsJsonLines, From, MemoryId, countable
from curator.cli.output import (
    LEGEND,
    NOTHING,
    dim,
    end_with_nothing,
    open_store,
    print_heads,
    print_json,
    print_json_lines,
    print_memories,
    print_table,
    review_name,
    text_around,
    warn,
)
from curator.cli.results import print_made
from curator.display import as_of, counted, iso_date, on_day, said_date, truncate
from curator.export.serializers import full_row, memory_row, reason_row
from curator.filters import parse_filter, with_topics
from curator.history_text import shown_verb
from curator.injection import describe_flag
from curator.services.projects import project_problem
from curator.terminal_text import on_one_line
from store import NotFound, Sort, Store, clock
from store.model import Evidence, Given, Life, Memory, Message, Refusal, Review, has_expired, is_protected

_PAGE = 1_000  # refused passages read at once
_PARTS = {"switch": "change"}  # shown names of parts of the novelty score
_PASSAGE_WIDTH = 200  # characters shown of a passage


def list_memories(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILTER", help="e.g. kind:preference tier:core 'age:<90d' is:validated tea"),
    ] = None,
    sort: Annotated[Sort, typer.Option(help="Sort order: newest or highest first; text from A to Z.")] = Sort.CREATED,
    reverse: Annotated[bool, typer.Option("--reverse", help="Reverse the order.")] = False,
    limit: Annotated[int | None, typer.Option(min=1, callback=countable, help="At most this many.")] = None,
    session: Annotated[
        str | None, typer.Option(metavar="ID", help="Only memories from this conversation (id or external id).")
    ] = None,
    as_json: AsJsonLines = False,
) -> None:
    """List memories, optionally filtered.

    Each line has the id, date, kind, tier, state, four marks and the text. The marks: v validated or x
    rejected; p pinned; ? in quarantine; a always given to models, or n never.
    """
    store = open_store()
    memory_filter = with_topics(store, parse_filter(" ".join(words or [])))
    every = None if session else limit
    ids = store.list_ids(memory_filter, sort, every, descending=(sort is not Sort.TEXT) != reverse)
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
        nothing = next(filter(None, (project_problem(store, project) for project in memory_filter.projects)), nothing)
        what = f"no memories of conversation {session}" if session else nothing
        hint = "; `curator list is:forgotten` lists forgotten ones" if memory_filter.lives == (Life.LIVE,) else ""
        end_with_nothing(store, what + hint, as_json)


def related(
    memory: MemoryId,
    as_json: AsJsonLines = False,
) -> None:
    """List the memories most similar to one."""
    from curator.compare.related import related as find
    from curator.services.search_session import open_index

    store = open_store()
    store.get(memory)
    fingerprint = store.vectors.embedded_by()
    near = find(store, memory, open_index(store, fingerprint), 10) if fingerprint else ()
    if as_json:
        print_json_lines(
            {**memory_row(similar.memory), "cosine": similar.cosine, "relation": similar.relation} for similar in near
        )
    else:
        more = [{"near": f"{similar.cosine:.0%}", "relation": similar.relation.value} for similar in near]
        print_memories([similar.memory for similar in near], more)
    if not near:
        end_with_nothing(store, f"no memory is similar to {memory}", as_json)


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
    from curator.share.attribution import member_attributions

    evidence, versions = store.evidence(memory), store.versions(memory)
    reasoned = store.journal.reasoned_changes(memory)
    if as_json:
        attribution = store.shares.attribution(memory)
        shared = None if attribution is None else asdict(attribution)
        swept = [reason_row(item) for item in reasoned]
        print_json({**full_row(found, evidence, versions), "sweeps": swept, "shared": shared})
        return
    print(on_one_line(found.text))
    rejected = found.review is Review.REJECTED and found.life is Life.FORGOTTEN  # rejecting a memory also forgets it
    parts = [found.kind, found.tier, *([] if rejected else [found.state]), review_name(found.review)]
    parts += ["pinned"] * found.pinned
    parts += [f"{found.given} given"] * (found.given is not Given.RELEVANT)
    if found.scope != "global":
        parts.append(f"only in {on_one_line(found.scope).replace(':', ' ', 1)}")
    elif found.project:
        parts.append(f"said in project {on_one_line(found.project)}")
    print(dim(" · ".join((*parts, f"origin {found.origin}"))))
    score = f" · your score {found.user_score} of 10" if found.user_score is not None else ""
    date = said_date(found.created_at, iso_date)
    print(dim(f"confidence {found.confidence:.0%} · importance {found.importance} of 10{score} · {date}"))
    for newer in store.get_many([found.superseded_by]) if found.superseded_by is not None else ():
        print(f"superseded by memory {newer.id}: {on_one_line(newer.text)}")
    _print_life(store, found)
    if found.tags:
        print(dim(" ".join(f"#{on_one_line(tag)}" for tag in found.tags)))
    if members := member_attributions(store, found):
        print(on_one_line(" · ".join(members)))
    if found.quarantined and found.flag:
        from curator.services.asked_memories import asked_words

        why = on_one_line(describe_flag(found.flag, found.text))
        print(f"in quarantine: {why}; models do not get it until you validate it")
        if asked := asked_words(store, found):
            print(f"you asked{on_day(asked.at, iso_date)}: “{on_one_line(asked.words)}”")
    if found.surprise is not None:
        each = " · ".join(f"{_PARTS.get(name, name)} {value:.0%}" for name, value in asdict(found.surprise).items())
        print(dim(f"why it was found: score {found.surprise.total:.0%} · {each}"))
    for item in evidence:
        _print_evidence(store, item)
    for version in versions:
        merged = f" (from {version.merged_from})" if version.merged_from else ""
        print(dim(f"\nuntil {iso_date(version.at)}{merged}: ") + on_one_line(version.text))
    for step in reasoned:
        what = (
            f"{step.column} {step.before} to {step.after} by {shown_verb(step.command.verb)}, command {step.command.id}"
        )
        print(dim(f"\non {iso_date(step.command.at)} {what}: ") + step.why)


def _print_evidence(store: Store, item: Evidence) -> None:
    """Print a quote with the messages around it, or by itself if its import was undone."""
    when = iso_date(item.said_at or None, "undated")
    print("\n" + dim(on_one_line(" · ".join((item.source or "elsewhere", item.title or "untitled", when)))))
    messages: list[Message] = []
    with contextlib.suppress(NotFound):  # its import was undone
        messages = [] if item.message is None else store.raw.around(item.message, before=1, after=1)
    if not messages:
        print(f"  > {on_one_line(item.quote)}")
    for message in messages:
        quoted = message.id == item.message
        text = on_one_line(text_around(message.text, item.start if quoted else 0))
        print(f"  {'>' if quoted else ' '} {dim(message.role.value + ':')} {text}")


def _print_life(store: Store, memory: Memory) -> None:
    """Print the worth by use, warmth, and end date of a live memory."""
    from curator.lifecycle import expiry_of, worth

    for aging in store.aging([memory.id]):
        now = clock.now()
        parts = [f"worth {worth(aging, now):.0%}", f"warmth {store.recalls.warmth([memory.id])[memory.id]:.0%}"]
        unused = "always given, which is not counted" if memory.given is Given.ALWAYS else "never recalled"
        parts.append(f"recalled {counted(aging.times, 'time')}" if aging.times else unused)
        end = expiry_of(aging.kind, aging.created_at, aging.expires_at, aging.text)
        own = aging.expires_at is not None
        if end is not None and not (aging.pinned if own else is_protected(aging)):
            tidied = "" if is_protected(aging) else "; `curator tidy` expires it"
            over = f", which is past: it is out of recall{tidied}" if has_expired(aging, now) else ""
            held = f"valid until {iso_date(end)}{over}" if own else f"`curator tidy` expires it after {iso_date(end)}"
            parts.append("never expires" if end >= clock.LATEST else held)
        print(dim(" · ".join(parts)))


def sql(
    query: Annotated[
        str,
        typer.Argument(
            metavar="QUERY",
            help="SELECT over memories, evidence, tags, conversations, messages, refusals, log; or SHOW TABLES.",
        ),
    ],
    source: From = None,
    as_json: AsJsonLines = False,
) -> None:
    """Query the store with SQL, read-only.

    --from needs no local store: it reads another machine's snapshot (snapshot.target), and prints its
    date.
    """
    query.encode()  # fails on invalid text, for which DuckDB's error is unclear
    if source is None:
        from store.analytics.sql_console import query as run_query

        result = run_query(open_store(), query)
    else:
        from curator.snapshot.reader import query as query_snapshot

        result, written = query_snapshot(source, query)
        warn(as_of(written))
    if as_json:
        print_json_lines(dict(zip(result.columns, map(_json_value, row), strict=True)) for row in result.rows)
    else:
        print_table([[on_one_line(_text(value)) for value in row] for row in (result.columns, *result.rows)])


def _json_value(value: object) -> str | int | float | bool | None:
    """Return a value for JSON; integers over 64 bits and other types become text."""
    if isinstance(value, int) and not -LARGEST <= value <= LARGEST:
        return str(value)
    return value if value is None or isinstance(value, str | int | float | bool) else _text(value)


def _text(value: object) -> str:
    if value is None:
        return ""
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def list_refused(
    reason: Annotated[str | None, typer.Option(help="Only with this reason, e.g. vague.")] = None,
    limit: Annotated[int, typer.Option(min=1, callback=countable, help="At most this many.")] = 50,
    counts: Annotated[bool, typer.Option("--counts", help="Count them by reason.")] = False,
    as_json: AsJsonLines = False,
) -> None:
    """List passages refused as memories, with the reason."""
    store = open_store()
    if counts:
        counts_by_reason = [row for row in store.distillation.refused_counts() if reason in (None, row[0])]
        if as_json:
            print_json_lines({"reason": name, "count": count} for name, count in counts_by_reason)
        else:
            print_table([(name, f"{count:,}") for name, count in counts_by_reason], ("reason", "candidates"))
        if not counts_by_reason:
            _end_without_refused(reason, as_json)
        return
    rows = list(_refused_rows(store, reason, limit))
    if not rows:
        _end_without_refused(reason, as_json)
    if as_json:
        print_json_lines(rows)
        return
    memories = store.get_many(sorted({int(str(row["forgotten"])) for row in rows if row["forgotten"] is not None}))
    rejected = {memory.id for memory in memories if memory.review is Review.REJECTED}
    cells = []
    for row in rows:
        words = on_one_line(truncate(str(row["quote"]), _PASSAGE_WIDTH))
        if row["forgotten"] is not None:
            done = "rejected" if row["forgotten"] in rejected else "forgot"
            words += f" (as memory {row['forgotten']}, which you {done}: `curator restore {row['forgotten']}`)"
        cells.append((str(row["place"]), str(row["said_at"] or "undated")[:10], str(row["reason"]), words))
    print_table(cells, ("place", "said", "reason", "words"), dimmed=True)


def _end_without_refused(reason: str | None, as_json: bool) -> NoReturn:
    """Warn that there are no refused passages. Raises typer.Exit."""
    from curator.distill.reasons import IMPORT_REASONS

    if not as_json:
        nothing = f"nothing refused as {reason}; --counts lists the reasons" if reason else "nothing refused"
        skipped = f"{reason} is skipped by imports and not stored; `curator import --dry-run PATH` counts it again"
        warn(skipped if reason in IMPORT_REASONS else nothing)
    raise typer.Exit(NOTHING)


def admit(
    place: Annotated[str, typer.Argument(metavar="PLACE", help="A passage from `curator refused`, e.g. 12:0-34.")],
    text: Annotated[list[str] | None, typer.Argument(metavar="TEXT", help="The memory in your own words.")] = None,
    as_json: AsJson = False,
) -> None:
    """Admit a refused passage as a validated memory. Undoable."""
    match = re.fullmatch(r"([0-9]{1,18}):([0-9]{1,18})-([0-9]{1,18})", place)
    if match is None:
        raise typer.BadParameter(
            f"passages have ids like 12:0-34, not {truncate(place)!r}; `curator refused` lists them"
        )
    message, start, end = map(int, match.groups())
    store = open_store()
    made = curation.accept_passage(
        store, store.distillation.refusal(message, start, end), " ".join(text) if text else None
    )
    print_made(store, made, as_json)


def _refused_rows(store: Store, reason: str | None, limit: int) -> Iterator[dict[str, object]]:
    """Yield refused candidates as JSON objects, except those of hidden messages."""
    after = None
    while limit and (page := store.distillation.refused(reason, after, min(limit, _PAGE))):
        yield from _page_rows(store, page)
        limit -= len(page)
        after = (page[-1].message, page[-1].start, page[-1].end)


def _page_rows(store: Store, page: Sequence[Refusal]) -> Iterator[dict[str, object]]:
    from curator.text import worded

    messages = store.raw.visible_messages(sorted({refusal.message for refusal in page}))
    ids = sorted({message.conversation for message in messages.values()})
    dates = {conversation.id: conversation.created_at for conversation in store.raw.get_conversations(ids)}
    for refusal in page:
        message = messages.get(refusal.message)
        if message is None:  # its import was undone after the page was read
            continue
        quote = message.text[refusal.start : refusal.end]
        said_at = message.created_at or dates.get(message.conversation)  # many logs date only the conversation
        yield {
            "place": f"{refusal.message}:{refusal.start}-{refusal.end}",
            "message": refusal.message,
            "start": refusal.start,
            "end": refusal.end,
            "reason": refusal.reason,
            "kind": refusal.kind,
            "confidence": refusal.confidence,
            "quote": quote,
            "forgotten": curation.find_forgotten(store, worded(quote)) if refusal.reason == "forgotten" else None,
            "conversation": message.conversation,
            "said_at": None if said_at is None else clock.to_iso(said_at),
        }

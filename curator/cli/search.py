"""The commands search, grep and recall."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from curator.cli.errors import NOTHING
from curator.cli.options import AsJsonLines
from curator.cli.output import (
    LEGEND,
    dim,
    end_with_nothing,
    memory_heads,
    memory_line,
    open_store,
    print_heads,
    print_json,
    read_lines,
)
from curator.cli.validators import countable
from curator.recall.block import Detail, Style
from curator.recall.preset_names import Preset
from curator.recall.search import BLOCK_HITS

if TYPE_CHECKING:
    from curator.export.serializers import Json
    from curator.recall import Block, Hit, SearchOptions, SearchResult
    from curator.recall.select import Omission
    from curator.services.recall import Answered
    from curator.services.search_session import Searching
    from store import Filter, Store

Ranked = Annotated[Preset | None, typer.Option("--preset", help="How to rank; recall.preset by default.")]
Where = Annotated[
    list[str] | None, typer.Option("--filter", "-f", help="A filter, e.g. kind:preference; repeat for more.")
]


def search(
    query: Annotated[list[str] | None, typer.Argument(metavar="QUERY", help="What to look for.")] = None,
    where: Where = None,
    limit: Annotated[
        int | None, typer.Option(min=1, max=10_000, help="At most this many; recall.limit by default.")
    ] = None,
    preset: Ranked = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show what each score is made of, and what was left out.")
    ] = False,
    batch: Annotated[
        Path | None, typer.Option(help="Answer the queries of a JSONL file: lines {qid, query, project?}.")
    ] = None,
    as_json: AsJsonLines = False,
) -> None:
    """Search memories by meaning and by words."""
    from curator.filters.memories import parse_filter
    from curator.services.recall import search_options

    which = parse_filter(" ".join(where or []))
    wanted = search_options(preset, limit)
    store = open_store()
    if batch is not None:
        _answer_batch(store, batch, which, wanted)
        return
    if not query:
        raise typer.BadParameter("give a query, or --batch FILE")
    opened = _open(store)
    words = " ".join(query)
    answered = _search(store, opened, words, which, wanted)
    found = answered.result
    _tell_trouble(opened)
    if explain:
        from curator.recall import omissions_of

        _explain(
            found.hits,
            omissions_of(store, opened.index, answered.embedder, words, which, wanted, found),
            wanted,
            as_json,
        )
    else:
        if found.hits and not as_json:
            print_heads(memory_heads(scored=True))
        for hit in found.hits:
            if as_json:
                print_json(_hit_row(hit))
            else:
                print(memory_line(hit.memory, hit.score))
        if found.hits and not as_json:
            print_heads(LEGEND)
    if not found.hits:
        end_with_nothing(store, _why_nothing(found, wanted, bool(where), explain), as_json)


def _why_nothing(found: "SearchResult", wanted: "SearchOptions", narrowed: bool, explained: bool) -> str:
    """What to say of a search without hits."""
    from curator.recall.presets import RECIPES

    least = RECIPES[wanted.preset].threshold
    near = sum(item.reason == "floor" for item in found.omitted)
    if least is not None and near:
        least = least if wanted.threshold is None else wanted.threshold
        return (
            f"no memories above the threshold of {wanted.preset}, a cosine of {least:g}; lower it with "
            "`curator config --set recall.threshold=NUMBER`, or use --preset curator, which has none"
        )
    ways = ["leave out --filter"] if narrowed else []
    ways += [] if explained or not found.omitted else ["--explain shows what came near"]
    return "no relevant memories" + (f"; {', or '.join(ways)}" if ways else "")


def _explain(hits: "Sequence[Hit]", left: "Sequence[Omission]", wanted: "SearchOptions", as_json: bool) -> None:
    """The hits and what was left out, each with why."""
    from curator.cli import score_output

    if as_json:
        for hit in hits:
            print_json(_told_row(hit))
        for item in left:
            print_json(_left_row(item))
        return
    score_output.print_hits(hits)
    score_output.print_left([(item.memory, score_output.scored(item), item.reason) for item in left])
    if hits or left:
        score_output.print_legend(wanted.preset, hits)


def _open(store: "Store") -> "Searching":
    from curator.services.search_session import open_search

    opened = open_search(store)
    for note in opened.notes:
        print(f"curator: {note}", file=sys.stderr)
    return opened


def _tell_trouble(opened: "Searching") -> None:
    """Say where the index could not be written."""
    if opened.index.trouble is not None:
        print(f"curator: {opened.index.trouble}", file=sys.stderr)


def note_recall(store: "Store", ident: str, memories: "Sequence[int]", used: bool) -> None:
    """Keep what was recalled together, for feedback, and count it if it was `used`; where it cannot be, say so."""
    from store import Unwritable

    try:
        if used:
            store.recalls.record_use(memories)
        store.recalls.put(ident, memories)
    except Unwritable as error:
        print(f"curator: this recall is not counted, and takes no feedback: {error}", file=sys.stderr)


def _search(store: "Store", opened: "Searching", query: str, which: "Filter", options: "SearchOptions") -> "Answered":
    """Search, and print the note where only words could be searched."""
    from curator.services.recall import search_with_fallback

    answered = search_with_fallback(store, opened, query, which, options)
    if answered.note:
        print(f"curator: {answered.note}", file=sys.stderr)
    return answered


def _hit_row(hit: "Hit") -> "dict[str, Json]":
    from curator.export.serializers import memory_row

    return {
        **memory_row(hit.memory),
        "score": hit.score,
        "parts": dict(hit.parts.items()),
        "sources": list(hit.sources),
    }


def _told_row(hit: "Hit") -> "dict[str, Json]":
    return {**_hit_row(hit), "ranks": dict(hit.ranks.items())}


def _left_row(item: "Omission") -> "dict[str, Json]":
    from curator.export.serializers import memory_row

    return {**memory_row(item.memory), "score": item.score, "cosine": item.cosine, "left_out": item.reason}


def _answer_batch(store: "Store", file: Path, which: "Filter", wanted: "SearchOptions") -> None:
    """Answer many queries in one process, a line each, in the order of the file."""
    from dataclasses import replace

    from curator.recall import find_many

    queries = list(_queries(file))
    opened = _open(store)
    asked = [(text, replace(which, projects=(project,)) if project else which) for _, text, project in queries]
    answers = find_many(store, opened.index, opened.embedder, asked, wanted)
    for (qid, _, _), found in zip(queries, answers, strict=True):
        print_json({"qid": qid, "hits": [_hit_row(hit) for hit in found.hits]})


def _queries(file: Path) -> Iterator[tuple[str, str, str | None]]:
    import orjson

    for number, line in read_lines(file):
        try:
            row = orjson.loads(line)
            project = row.get("project")
            yield str(row["qid"]), str(row["query"]), None if project is None else str(project)
        except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"{file}, line {number}: wants an object with qid and query ({error})") from error


def grep(
    query: Annotated[list[str], typer.Argument(metavar="QUERY", help="Words to find.")],
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="At most this many.")] = 10,
    context: Annotated[
        int, typer.Option("--context", "-C", min=0, max=1_000, help="Messages to show before and after.")
    ] = 1,
    project: Annotated[str | None, typer.Option(help="Only conversations of this project.")] = None,
    as_json: AsJsonLines = False,
) -> None:
    """Search every imported message, with those around it."""
    from curator.export.sanitize import on_one_line
    from curator.recall import grep as find
    from store import clock

    store = open_store()
    opened = _open(store)
    passages = find(store, opened.index, " ".join(query), limit, context, project)
    _tell_trouble(opened)
    for passage in passages:
        message, conversation = passage.message, passage.conversation
        moment = message.created_at or conversation.created_at
        if as_json:
            print_json(
                {
                    "message": message.external_id,
                    "id": message.id,
                    "uid": message.uid,
                    "conversation": conversation.title,
                    "conversation_uid": conversation.uid,
                    "source": conversation.source,
                    "role": message.role.value,
                    "channel": message.channel.value,
                    "created_at": None if moment is None else clock.to_iso(moment),
                    "text": message.text,
                    "score": passage.score,
                }
            )
            continue
        when = clock.to_iso(moment)[:10] if moment else "undated"
        title = on_one_line(conversation.title or "untitled")
        print(dim(f"{conversation.source} · {title} · {when} · message {message.id}"))
        for turn in (*passage.before, message, *passage.after):
            mark = ">" if turn.id == message.id else " "
            print(f"  {mark} {dim(turn.role.value + ':')} {on_one_line(_excerpt(turn.text, query))}")
        print()
    if not passages:
        if not as_json:
            print("curator: no messages found", file=sys.stderr)
        raise typer.Exit(NOTHING)


def _excerpt(text: str, words: Sequence[str]) -> str:
    """About 300 characters of a long turn, from a little before the first word that was searched."""
    if len(text) <= 300:
        return text
    low = text.casefold()
    places = [low.find(word.casefold()) for word in " ".join(words).split()]
    start = max(0, min((place for place in places if place >= 0), default=0) - 80)
    return ("…" if start else "") + text[start : start + 300] + "…"


def recall(
    query: Annotated[list[str], typer.Argument(metavar="QUERY", help="The prompt; - reads standard input.")],
    where: Where = None,
    budget: Annotated[int | None, typer.Option(min=50, callback=countable, help="At most this many tokens.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=200, help="How many memories to consider.")] = BLOCK_HITS,
    preset: Ranked = None,
    project: Annotated[str | None, typer.Option(help="Only global memories and those of this project.")] = None,
    session: Annotated[str | None, typer.Option(help="Only global memories and those of this conversation.")] = None,
    beyond: Annotated[
        bool | None,
        typer.Option(
            "--global/--no-global",
            help="With --project or --session: with global memories too; recall.include_global by default.",
        ),
    ] = None,
    style: Annotated[Style, typer.Option(help="For a system prompt, or as the assistant's preamble.")] = Style.SYSTEM,
    detail: Annotated[Detail, typer.Option(help="How much to say of each memory.")] = Detail.COMPACT,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show why each memory is in or out; not counted as a use.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON; with --explain, one object per line, the block first.")
    ] = False,
) -> None:
    """Print the memories to give a model with a prompt."""
    from curator.config import settings
    from curator.filters.memories import parse_filter
    from curator.recall import block, omissions_of, token_counter
    from curator.services.recall import block_options, recallable

    known = settings().recall
    which = recallable(parse_filter(" ".join(where or [])), project, session, beyond)
    wanted = block_options(preset, limit)
    count = token_counter(known.tokenizer)
    text = sys.stdin.read() if query == ["-"] else " ".join(query)
    store = open_store()
    opened = _open(store)
    answered = _search(store, opened, text, which, wanted)
    found = answered.result
    made = block(store, found.hits, budget or known.budget, style, detail, count=count)
    if made.memories and not explain:
        note_recall(store, made.id, made.memories, used=True)
    _tell_trouble(opened)
    left = (
        omissions_of(store, opened.index, answered.embedder, text, which, wanted, found) if as_json or explain else ()
    )
    if as_json:
        dropped = {str(item.memory.id): item.reason for item in left}
        dropped |= {str(memory): reason for memory, reason in made.dropped.items()}
        print_json(
            {
                "id": made.id,
                "text": made.text,
                "tokens": made.tokens,
                "memories": list(made.memories),
                "dropped": dict(dropped.items()),
                **({"sections": dict(made.sections.items())} if explain else {}),
            }
        )
    elif made.text:
        print(made.text)
    if explain:
        from curator.cli import score_output

        if not as_json:
            score_output.print_tokens(made, budget or known.budget, known.tokenizer)
        _explain_block(found, left, made, wanted, as_json)
    if not made.memories:
        kept = f"nothing fits in {budget or known.budget} tokens; give more with --budget" if found.hits else ""
        narrowed = bool(where or project or session)
        end_with_nothing(store, kept or _why_nothing(found, wanted, narrowed, explain), as_json)


def _explain_block(
    found: "SearchResult", left: "Sequence[Omission]", made: "Block", wanted: "SearchOptions", as_json: bool
) -> None:
    """Why the memories of a block are in it, and what came near is not."""
    from curator.recall.select import Omission

    given = [hit for hit in found.hits if hit.memory.id in made.memories]
    dropped = [
        Omission(hit.memory, made.dropped[hit.memory.id], hit.score)
        for hit in found.hits
        if hit.memory.id in made.dropped
    ]
    _explain(given, (*dropped, *left), wanted, as_json)


def register(app: typer.Typer) -> None:
    """Put this family's commands on the command line."""
    app.command("search")(search)
    app.command("grep")(grep)
    app.command("recall")(recall)

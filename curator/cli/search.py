"""The commands `search`, `grep`, `recall` and `context`."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import orjson
import typer

from curator.cli import score_output
from curator.cli.options import AsJson, AsJsonLines, countable
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
    read_lines,
    text_around,
    warn,
    warn_all,
)
from curator.display import counted, iso_date, with_every_prompt
from curator.export.serializers import memory_row
from curator.filters import parse_filter, with_topics
from curator.recall import (
    BLOCK_HITS,
    Block,
    Detail,
    Hit,
    Omission,
    OmissionKind,
    OmissionReason,
    Preset,
    SearchOptions,
    SearchResult,
    Style,
    find_many,
    omissions_of,
    project_context,
    token_counter,
)
from curator.recall import grep as search_messages
from curator.recall.explain import omission_code
from curator.recall.phrases import phrases_of, without_quotes
from curator.terminal_text import on_one_line, visible
from store import Store, clock

if TYPE_CHECKING:
    from curator.services.search_session import SearchSession


Ranked = Annotated[Preset | None, typer.Option("--preset", help="The ranking; the setting recall.preset by default.")]
Where = Annotated[
    list[str] | None,
    typer.Option("--filter", "-f", metavar="FILTER", help="A filter, e.g. kind:preference; repeat for more."),
]
_MAX_PROJECTS = 12  # projects listed if one is unknown


def search(
    query: Annotated[list[str] | None, typer.Argument(metavar="QUERY", help="What to look for.")] = None,
    where: Where = None,
    limit: Annotated[
        int | None, typer.Option(min=1, max=10_000, help="At most this many; the setting recall.limit by default.")
    ] = None,
    preset: Ranked = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show the parts of each score, and omitted memories.")
    ] = False,
    batch: Annotated[
        Path | None, typer.Option(help="Run the queries of a JSONL file: lines {qid, query, project?}.")
    ] = None,
    as_json: AsJsonLines = False,
) -> None:
    """Search memories by meaning and by words.

    A quoted phrase is matched literally: curator search '"remote is fine"'.
    """
    from curator.services.recall import search_options, search_with_fallback

    memory_filter = parse_filter(" ".join(where or []))
    options = search_options(preset, limit)
    store = open_store()
    memory_filter = with_topics(store, memory_filter)
    if batch is not None:
        queries = list(_queries(batch))
        opened = open_noted(store)
        searches = [
            (text, replace(memory_filter, projects=(project,)) if project else memory_filter)
            for _, text, project in queries
        ]
        answers = find_many(store, opened.index, opened.embedder, searches, options)
        print_json_lines(
            {"qid": qid, "hits": [_hit_row(hit) for hit in each.hits]}
            for (qid, _, _), each in zip(queries, answers, strict=True)
        )
        return
    if not query:
        raise typer.BadParameter("give a query, or --batch FILE")
    opened = open_noted(store)
    words = " ".join(query)
    answered = search_with_fallback(store, opened, words, memory_filter, options)
    found = answered.result
    warn_all((answered.note, opened.index.trouble, _also(found)))
    if explain:
        omitted = omissions_of(store, opened.index, answered.embedder, words, memory_filter, options, found)
        _explain(found.hits, omitted, options, as_json)
    elif as_json:
        print_json_lines(map(_hit_row, found.hits))
    elif found.hits:
        print_memories([hit.memory for hit in found.hits], [{"score": f"{hit.score:.3f}"} for hit in found.hits])
        print_heads(f"{LEGEND} · score: higher is better")
    if not found.hits:
        end_with_nothing(store, _nothing_found(found, options, bool(where), explain), as_json)


def _also(found: SearchResult) -> str:
    return f"also searched for: {', '.join(found.also)}" if found.also else ""


def _nothing_found(found: SearchResult, options: SearchOptions, narrowed: bool, explained: bool) -> str:
    """Return the message for a search without hits."""
    from curator.recall.presets import RECIPES

    least = RECIPES[options.preset].threshold
    if least is not None and any(item.reason.kind is OmissionKind.UNRELATED for item in found.omitted):
        least = least if options.threshold is None else options.threshold
        return (
            f"no memories above the threshold of {options.preset}, a cosine of {least:g}; lower it with "
            "`curator config recall.threshold NUMBER`, or use --preset curator, which has none"
        )
    ways = ["leave out --filter"] if narrowed else []
    ways += [] if explained or not found.omitted else ["--explain shows the closest memories"]
    return "no relevant memories" + (f"; {', or '.join(ways)}" if ways else "")


def _explain(hits: Sequence[Hit], omitted: Sequence[Omission], options: SearchOptions, as_json: bool) -> None:
    """Print hits and omitted memories, each with its reasons."""
    if as_json:
        print_json_lines({**_hit_row(hit), "ranks": hit.ranks, "safety": hit.safety} for hit in hits)
        print_json_lines(
            {
                **memory_row(item.memory),
                "score": item.score,
                "cosine": item.cosine,
                "left_out": omission_code(item.reason),
            }
            for item in omitted
        )
        return
    score_output.print_hits(hits)
    score_output.print_omitted(omitted)
    if hits or omitted:
        score_output.print_legend(options.preset, hits)


def open_noted(store: Store) -> "SearchSession":
    """Open the search and warn about missing parts; a missing model is reported on a terminal only."""
    from curator.services.search_session import LEXICAL, open_search

    opened = open_search(store)
    warn_all(note for note in opened.notes if note != LEXICAL or sys.stderr.isatty())
    return opened


def _hit_row(hit: Hit) -> dict[str, object]:
    return {**memory_row(hit.memory), "score": hit.score, "parts": dict(hit.parts), "sources": hit.sources}


def _queries(file: Path) -> Iterator[tuple[str, str, str | None]]:
    """Yield the id, query and project of each line. Raises ValueError."""
    for number, line in read_lines(file):
        try:
            row = orjson.loads(line)
            project = row.get("project")
            yield str(row["qid"]), str(row["query"]), None if project is None else str(project)
        except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"{file}, line {number}: not an object with qid and query ({error})") from error


def grep(
    query: Annotated[list[str], typer.Argument(metavar="QUERY", help="Words to find.")],
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="At most this many.")] = 10,
    context: Annotated[
        int, typer.Option("--context", "-C", min=0, max=1_000, help="Messages to show before and after.")
    ] = 1,
    project: Annotated[str | None, typer.Option(help="Only conversations of this project.")] = None,
    as_json: AsJsonLines = False,
) -> None:
    """Search all imported messages, with context.

    Messages with the exact phrase come first, then those with all words. If there are none, messages
    with some of the words are shown, with a note, and the exit code is 1. A quoted phrase is matched literally.
    """
    from curator.services.search_session import open_search

    store = open_store()
    opened = open_search(store)  # its notes concern search by meaning, which grep does not use
    passages = search_messages(store, opened.index, " ".join(query), limit, context, project)
    warn_all((opened.index.trouble,))
    whole = any(not passage.partial for passage in passages)
    if passages and not whole:
        warn("no message has all of these words; showing messages with some of them")
    wanted = phrases_of(" ".join(query)) or without_quotes(" ".join(query)).casefold().split()
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
                    "role": message.role,
                    "channel": message.channel,
                    "created_at": None if moment is None else clock.to_iso(moment),
                    "text": message.text,
                    "score": passage.score,
                    "all_words": not passage.partial,
                }
            )
            continue
        title = on_one_line(conversation.name)
        print(dim(f"{conversation.source} · {title} · {iso_date(moment or None, 'undated')} · message {message.id}"))
        for shown in (*passage.before, message, *passage.after):
            mark = ">" if shown.id == message.id else " "
            low = shown.text.casefold()
            offsets = [low.find(word) for word in wanted]
            text = text_around(shown.text, min((offset for offset in offsets if offset >= 0), default=0))
            print(f"  {mark} {dim(shown.role.value + ':')} {on_one_line(text)}")
        print()
    if not (passages or as_json):
        warn("no messages found")
    if not whole:
        raise typer.Exit(NOTHING)


def recall(
    query: Annotated[list[str], typer.Argument(metavar="QUERY", help="The prompt; - for stdin.")],
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
            help="With --project or --session: global memories too; the setting recall.include_global by default.",
        ),
    ] = None,
    style: Annotated[
        Style, typer.Option(help="Format for a system prompt, or an assistant's preamble.")
    ] = Style.SYSTEM,
    detail: Annotated[Detail, typer.Option(help="How much to print of each memory.")] = Detail.COMPACT,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show why each memory is included or not; not counted as a use.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object; with --explain, one per line, the block first.")
    ] = False,
) -> None:
    """Print the memories that fit a prompt, for a model."""
    from curator.config import settings
    from curator.services.projects import project_problem
    from curator.services.recall import RecallRequest, recall_block, record_recall

    known = settings().recall
    most = budget or known.budget
    memory_filter = parse_filter(" ".join(where or []))
    count = token_counter(known.tokenizer)
    text = sys.stdin.read() if query == ["-"] else " ".join(query)
    request = RecallRequest(
        text,
        memory_filter,
        project,
        session,
        beyond,
        preset,
        limit=limit,
        budget=budget,
        style=style,
        detail=detail,
        count=count,
    )
    store = open_store()
    opened = open_noted(store)
    made, answered = recall_block(store, opened, request)
    found, options = answered.result, answered.options
    uncounted = "" if explain else record_recall(store, made, used=True)
    few = counted(len(made.unfit), "always-given memory")
    unfit = f"{few} left out: raise `--budget` (see `--explain`)" if made.unfit else ""
    unknown = "" if project is None else project_problem(store, project)
    warn_all((uncounted, answered.note, opened.index.trouble, _also(found), unfit, unknown))
    omitted: Sequence[Omission] = ()
    if as_json or explain:
        all_left = omissions_of(store, opened.index, answered.embedder, text, answered.memory_filter, options, found)
        omitted = [item for item in all_left if item.memory.id not in made.memories]  # the others are always given
    if as_json:
        dropped = {str(item.memory.id): omission_code(item.reason) for item in omitted}
        dropped |= {str(memory): kind.value for memory, kind in made.dropped.items()}
        row = {"id": made.id, "text": made.text, "tokens": made.tokens, "memories": made.memories, "dropped": dropped}
        row |= {"by_words": answered.by_words, "standing": made.standing}
        row |= {"newer": made.newer}
        print_json(row | ({"sections": made.sections} if explain else {}))
    elif made.text:
        print(made.text)
    if explain and not as_json:
        score_output.print_tokens(made, most, known.tokenizer)
        for memory in store.get_many(made.standing):
            every = with_every_prompt(memory.scope)
            print(on_one_line(f"always given, {every}: {memory.text} ({memory.id})"))
        for memory in store.get_many(made.newer):
            print(f"said later, in an open conflict: {on_one_line(memory.text)} ({memory.id})")
    if explain:
        given = [hit for hit in found.hits if hit.memory.id in made.memories]
        _explain(given, (*dropped_from(store, made, found.hits), *omitted), options, as_json)
    if not made.memories:
        nothing = _nothing_found(found, options, bool(where or project or session), explain)
        if found.hits:
            nothing = f"nothing fits in {most} tokens; give more with --budget"
        end_with_nothing(store, nothing, as_json)


def dropped_from(store: Store, made: Block, hits: Sequence[Hit]) -> list[Omission]:
    """Return the memories left out of a block, with reasons: hits first, then those that are always given."""
    why = {memory: OmissionReason(kind) for memory, kind in made.dropped.items()}
    always = store.get_many(sorted(why.keys() - {hit.memory.id for hit in hits}))
    return [
        *(Omission(hit.memory, why[hit.memory.id], hit.score) for hit in hits if hit.memory.id in why),
        *(Omission(memory, why[memory.id], None) for memory in always),
    ]


def context(
    project: Annotated[str | None, typer.Option(help="The project's name; global memories by default.")] = None,
    detail: Annotated[Detail, typer.Option(help="How much to print of each memory.")] = Detail.COMPACT,
    person: Annotated[
        bool,
        typer.Option("--person", help="Add your identity and preferences for all projects, if validated or pinned."),
    ] = False,
    budget: Annotated[
        int | None, typer.Option(min=50, callback=countable, help="At most this many tokens; no limit by default.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print the memories about a project, or about you.

    For a model at the start of a session: memories that are always given, and those of --project, else global
    ones. With --budget, the least important are left out.
    """
    from curator.config import settings
    from curator.services.recall import record_recall

    known = settings().recall
    count = token_counter(known.tokenizer)
    store = open_store()
    made = project_context(
        store, project, budget, detail, person=person, validated=known.require_validation, count=count
    )
    warn_all((record_recall(store, made, used=False),))  # not requested by a prompt
    if as_json:
        by_kind: dict[str, list[dict[str, object]]] = {}
        for memory in store.get_many(made.memories):
            row = {"id": memory.id, "uid": memory.uid, "text": memory.text}
            by_kind.setdefault(memory.kind.value, []).append(row)
        print_json(
            {
                "id": made.id,
                "project": project,
                "text": made.text,
                "tokens": made.tokens,
                "memories": made.memories,
                "standing": made.standing,
                "kinds": by_kind,
                "dropped": {str(memory): kind.value for memory, kind in made.dropped.items()},
            }
        )
    elif made.text:
        print(made.text)
    if not made.memories:
        of = f"of the project {visible(project)}" if project else "for all projects"
        if made.dropped:
            why = ", ".join(sorted(set(made.dropped.values())))
            what = f"no memories {of} can be shown or fit ({why}); --json has the reasons"
        else:
            named = [f"{on_one_line(name)} ({count:,})" for name, count in store.project_counts()]
            more = f" and {len(named) - _MAX_PROJECTS} more" if len(named) > _MAX_PROJECTS else ""
            there = f"there are {', '.join(named[:_MAX_PROJECTS])}{more}" if named else "no memory has a project"
            what = f"no memories {of}; {there}"
        end_with_nothing(store, what, as_json)

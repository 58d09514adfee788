"""Deciding: add, validate, reject, later, edit, tier, kind, scope, tag, pin, score, forget, restore."""

import re
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from curator.cli.browsing import AsJson
from curator.cli.errors import NOTHING
from curator.cli.numbers import MemoryId, countable, memory_number, parse_end
from curator.cli.output import confirmed, counted, end_with_nothing, memory_line, open_store, print_json
from curator.editor import edited
from store.model import Kind, Rank, Tier

if TYPE_CHECKING:
    from collections.abc import Sequence

    from store import Store

Ids = Annotated[
    list[int], typer.Argument(metavar="ID...", parser=memory_number, callback=countable, help="Ids of memories.")
]
SomeIds = Annotated[
    list[int] | None,
    typer.Argument(metavar="ID...", parser=memory_number, callback=countable, help="Ids of memories."),
]
"""The ids of a command that has another way to say which memories are meant."""
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]
ASK_ABOVE = 50


def add(
    text: Annotated[list[str], typer.Argument(help="What to remember; - reads it from standard input.")],
    kind: Annotated[Kind, typer.Option(help="What sort of statement it is.")] = Kind.FACT,
    tier: Annotated[Tier, typer.Option(help="How central it is.")] = Tier.MEDIUM,
    project: Annotated[str | None, typer.Option(help="The project it holds in.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="A tag; may be given several times.")] = None,
    importance: Annotated[int, typer.Option(callback=countable, help="How much it matters, 1 to 10.")] = 5,
    until: Annotated[
        str | None, typer.Option(metavar="DATE|30d", help="Until when it is recalled; always if left out.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write down a memory in your own words."""
    from curator import curation
    from curator.export.rows import memory_row

    words = sys.stdin.read() if text == ["-"] else " ".join(text)
    end = None if until is None else parse_end(until)
    memory = curation.add(open_store(), words, kind, tier, project, tag or [], importance, end)
    if as_json:
        print_json(memory_row(memory))
    else:
        print(memory_line(memory))
    _warn_of_order(memory.text)


def _warn_of_order(text: str) -> None:
    """Say so if the person's own words read like an order to a model; they stand as they were put."""
    from curator.distill import flag_injection

    if flag_injection(text) is not None:
        print(
            "curator: this reads like an order to a model, and one is given it so; `curator undo` takes it back",
            file=sys.stderr,
        )


def validate(ids: Ids, as_json: AsJson = False) -> None:
    """Vouch for memories."""
    from curator import curation

    done("validated", curation.validate(open_store(), ids), ids, as_json)


def reject(ids: Ids, as_json: AsJson = False) -> None:
    """Say that memories are wrong or junk; they do not come back."""
    from curator import curation

    done("rejected", curation.reject(open_store(), ids), ids, as_json)


def later(
    ids: Ids,
    days: Annotated[int, typer.Option(callback=countable, help="After how many days to ask again; 0: at once.")] = 7,
    as_json: AsJson = False,
) -> None:
    """Put off deciding about memories; they stay in recall."""
    from curator import curation

    done("put off" if days else "no longer put off:", curation.later(open_store(), ids, days), ids, as_json)


def forget(
    ids: SomeIds = None,
    asked: Annotated[
        bool,
        typer.Option("--asked", help="Show what you asked in chats to be forgotten, and what is meant."),
    ] = False,
    like: Annotated[
        str | None, typer.Option(metavar="TEXT", help='What to forget, described: --like "espresso machine".')
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All live memories.")] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Let memories go; they leave recall and do not come back. Undoable."""
    from curator import curation
    from store import Filter

    if sum((asked, bool(ids), like is not None, every)) != 1:
        raise typer.BadParameter("give ids, --like TEXT, --all or --asked")
    store = open_store()
    if asked:
        _show_asked(store, as_json)
        return
    if like is not None:
        from curator.jobs.forgetting import meant

        ids = [memory.id for memory in meant(store, like)]
    elif every:
        ids = store.list_ids(Filter())
    if not ids:
        end_with_nothing(store, "no live memory is meant", as_json)
    if not as_json:
        print_first(store, ids)
    if not confirmed(f"forget {counted(len(ids), 'memory')}?", yes, as_json):
        raise typer.Exit(NOTHING)
    done("forgot", curation.forget(store, ids), ids, as_json)


def _show_asked(store: "Store", as_json: bool) -> None:
    from curator.cli.importing import print_asked
    from curator.jobs.forgetting import gone_by_each, meant_by_each
    from store import clock

    found = store.distilling.asked(10_000)
    if as_json:
        words = [one.words for one in found]
        for one, memories, gone in zip(found, meant_by_each(store, words), gone_by_each(store, words), strict=True):
            print_json(
                {
                    "words": one.words,
                    "message": one.message,
                    "conversation": one.conversation,
                    "said_at": None if one.said_at is None else clock.to_iso(one.said_at),
                    "memories": [memory.id for memory in memories],
                    "forgotten": [let_go.memory.id for let_go in gone],
                }
            )
    else:
        print_asked(store, [one.words for one in found])
    store.distilling.see_asked([one.place for one in found])
    if not found:
        if not as_json:
            print("you asked for nothing to be forgotten in the chats that are here")
        raise typer.Exit(NOTHING)


def restore_memories(ids: Ids, as_json: AsJson = False) -> None:
    """Bring back what was forgotten or rejected."""
    from curator import curation

    done("restored", curation.restore(open_store(), ids), ids, as_json)


def edit(
    memory: MemoryId,
    text: Annotated[list[str] | None, typer.Argument(help="The new text; without it, $EDITOR opens.")] = None,
    proposed: Annotated[bool, typer.Option("--proposed", help="Take the model's proposed wording.")] = False,
    keep_mine: Annotated[bool, typer.Option("--keep-mine", help="Drop the model's proposed wording.")] = False,
    as_json: AsJson = False,
) -> None:
    """Put a memory better; the former text stays as a version."""
    from curator import curation

    if sum((bool(text), proposed, keep_mine)) > 1:
        raise typer.BadParameter("give a text, --proposed or --keep-mine")
    store = open_store()
    former = store.get(memory)
    if proposed or keep_mine:
        wordings = store.distilling.wordings(memory)
        if not wordings:
            print(f"curator: no wording is proposed for memory {memory}", file=sys.stderr)
            raise typer.Exit(NOTHING)
        if keep_mine:
            done("kept your wording of", min(1, curation.drop_wording(store, memory)), [memory], as_json)
        else:
            done("reworded", curation.take_wording(store, memory, wordings[0].text), [memory], as_json)
        return
    words = " ".join(text) if text else edited(former.text)
    if words is None:
        print("not changed")
        raise typer.Exit(NOTHING)
    done("edited", curation.edit(store, memory, words), [memory], as_json)
    _warn_of_order(words)


def set_tier(
    tier: Annotated[Tier, typer.Argument(help="core, medium or low.")],
    ids: Ids,
    as_json: AsJson = False,
) -> None:
    """Say how central memories are."""
    from curator import curation

    done(f"made {tier}:", curation.set_tier(open_store(), ids, tier), ids, as_json)


def set_kind(
    kind: Annotated[Kind, typer.Argument(help="The kind.")],
    ids: Ids,
    as_json: AsJson = False,
) -> None:
    """Say what sort of statement memories are."""
    from curator import curation

    done(f"made {kind}:", curation.set_kind(open_store(), ids, kind), ids, as_json)


def set_rank(
    ids: Ids,
    to: Annotated[Rank, typer.Option(help="new, high or low.")],
    as_json: AsJson = False,
) -> None:
    """Rank memories by hand; `curator tidy` goes on from there."""
    from curator import curation

    done(f"ranked {to}:", curation.set_rank(open_store(), ids, to), ids, as_json)


def set_importance(
    ids: Ids,
    to: Annotated[int, typer.Option(callback=countable, help="1 to 10.")],
    as_json: AsJson = False,
) -> None:
    """Say how much memories matter."""
    from curator import curation

    done(f"gave importance {to} to", curation.set_importance(open_store(), ids, to), ids, as_json)


def set_scope(
    scope: Annotated[str, typer.Argument(help="global, project:NAME or session:ID.")],
    ids: Ids,
    as_json: AsJson = False,
) -> None:
    """Say where memories hold: everywhere, in one project, or in one session."""
    from curator import curation

    done(f"made to hold in {scope}:", curation.set_scope(open_store(), ids, scope), ids, as_json)


def tag(
    ids: Ids,
    add: Annotated[list[str] | None, typer.Option("--add", "-a", help="A tag to add.")] = None,
    remove: Annotated[list[str] | None, typer.Option("--remove", "-r", help="A tag to take off.")] = None,
    as_json: AsJson = False,
) -> None:
    """Add tags to memories, or take them off."""
    from curator import curation

    if not (add or remove):
        raise typer.BadParameter("name a tag with --add or --remove")
    done("tagged", curation.tag(open_store(), ids, add or [], remove or []), ids, as_json)


def pin(ids: Ids, off: Annotated[bool, typer.Option("--off", help="Unpin.")] = False, as_json: AsJson = False) -> None:
    """Pin memories, so that no machine demotes or removes them."""
    from curator import curation

    done("unpinned" if off else "pinned", curation.pin(open_store(), ids, not off), ids, as_json)


def score(
    value: Annotated[str, typer.Argument(metavar="0-10|none", help="How sure you are; none takes the score off.")],
    ids: Ids,
    as_json: AsJson = False,
) -> None:
    """Give memories a score of your own, which overrides the machine's confidence."""
    from curator import curation

    if value != "none" and not re.fullmatch("[0-9]{1,4}", value):
        raise typer.BadParameter(f"a score is 0 to 10 or none, not {value}")
    done("scored", curation.score(open_store(), ids, None if value == "none" else int(value)), ids, as_json)


def print_first(store: "Store", ids: "Sequence[int]") -> None:
    """Print the memories that are meant, as many as a person reads before a question."""
    for memory in store.get_many(ids[:ASK_ABOVE]):
        print(memory_line(memory))
    if len(ids) > ASK_ABOVE:
        print(f"and {len(ids) - ASK_ABOVE:,} more")


def done(verb: str, count: int, ids: "Sequence[int]" = (), as_json: bool = False) -> None:
    """Say what was done and how to take it back; that nothing changed ends with exit code 1."""
    if as_json:
        print_json({"changed": count, "memories": list(ids)})
        if not count:
            raise typer.Exit(NOTHING)
        return
    if not count:
        print("nothing changed: it is so already")
        raise typer.Exit(NOTHING)
    print(f"{verb} {counted(count, 'memory')} · `curator undo` takes it back")


def register(app: typer.Typer) -> None:
    """Put this family's commands on the command line."""
    for name, command in (
        ("add", add),
        ("validate", validate),
        ("reject", reject),
        ("later", later),
        ("edit", edit),
        ("tier", set_tier),
        ("kind", set_kind),
        ("rank", set_rank),
        ("importance", set_importance),
        ("scope", set_scope),
        ("tag", tag),
        ("pin", pin),
        ("score", score),
        ("forget", forget),
    ):
        app.command(name)(command)

"""The command `topics`."""

from typing import Annotated

import typer

from curator import curation
from curator.cli.options import AsJson, AsJsonLines, NamedValues, Yes
from curator.cli.output import confirm, end_with_nothing, open_store, print_json_lines, print_table, warn
from curator.cli.results import print_done
from curator.display import counted
from curator.terminal_text import on_one_line
from store import Conflict, NotFound

topics = typer.Typer(help="List the topics of live memories, or rename one.")
_UNREAD = "{} have no topic yet, because they have no vector: `curator work --once` computes vectors"


@topics.callback(invoke_without_command=True)
def list_topics(context: typer.Context, as_json: AsJsonLines = False) -> None:
    """List the topics of live memories.

    A topic is a project, or memories that are about one thing, named by their words; `curator list topic:NAME` lists
    its memories.
    """
    if context.invoked_subcommand is not None:
        return
    from curator.topics import OTHER, topics_of

    store = open_store()
    found = topics_of(store)
    rows = [(topic.name, len(topic.memories)) for topic in found.topics]
    rows += [(OTHER, len(found.other))] if found.other else []
    if as_json:
        print_json_lines({"topic": name, "memories": count} for name, count in rows)
    elif rows:
        print_table([(f"{count:>6,}", on_one_line(name)) for name, count in rows], ("memories", "topic"))
    if found.unread and not as_json:
        warn(_UNREAD.format(counted(found.unread, "memory")))
    if not rows:
        end_with_nothing(store, "no live memories; `curator list is:forgotten` lists forgotten ones", as_json)


@topics.command(cls=NamedValues)
def rename(
    name: Annotated[str, typer.Argument(metavar="TOPIC", help="The topic, as `curator topics` lists it.")],
    to: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Its new name: one word, e.g. half-marathon.")
    ] = None,
    by_model: Annotated[
        bool, typer.Option("--model", help="Ask your local model for a name; shows it and asks.")
    ] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Rename a topic, by tagging its memories topic:NAME."""
    from curator.topics import OTHER, TAG, topics_of

    if by_model is (to is not None):
        raise typer.BadParameter("give a NAME, or --model")
    store, by = open_store(), ""
    found = topics_of(store).called(name)
    if len(found) != 1 or found[0].name == OTHER:
        several = f"several topics are named {name}: {', '.join(one.name for one in found)}; give the whole name"
        raise NotFound(several if len(found) > 1 else f"no topic is named {name}; `curator topics` lists them")
    if found[0].project:
        raise Conflict(f"{name} is a project, and its topic keeps that name; nothing was changed")
    if to is None:
        import asyncio

        from curator.services.topic_name import propose_topic_name

        proposal = asyncio.run(propose_topic_name(store, found[0]))
        to, by = "-".join(proposal.name.split()), proposal.by
        if not as_json:
            print(f"“{on_one_line(found[0].name)}” becomes “{on_one_line(to)}”, proposed by {by}")
        confirm(f"rename the topic of {counted(len(found[0].memories), 'memory')}?", yes, as_json)
    tag, ids = curation.tag_name(f"{TAG}{to}"), found[0].memories
    former = {name for memory in store.get_many(ids) for name in memory.tags if name.startswith(TAG) and name != tag}
    changed = curation.tag(store, ids, [tag], sorted(former), by)
    print_done(
        f"{{}} now in the topic {tag.removeprefix(TAG)}", f"the topic is already named {to}", changed, ids, as_json
    )

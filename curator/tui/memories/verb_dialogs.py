"""The verbs that ask something first: which tier, which words, which of them stays."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.app import App

from curator import curation
from curator.curation import Draft
from curator.curation.commands import tag_name
from curator.editor import edited
from curator.tui import verbs
from curator.tui.context import AppContext
from curator.tui.formatting import counted
from curator.tui.keymap import key_hint
from curator.tui.screens.dialogs import Ask, Confirm, Menu, Option
from curator.tui.screens.edit_dialog import Edit
from curator.tui.screens.purge_dialog import ConfirmPurge
from curator.tui.verbs import Verb, short
from store.model import Kind, Memory, Relation, Tier

Perform = Callable[[Verb, list[int]], Awaitable[str | None]]
"""Carries a verb out on memories; returns what spoke against it, None when it was done."""

_NEAR = 10  # memories near one among which its duplicate is looked for
_SHOWN = 5  # memories in quarantine that a question names
_TIERS = (
    Option("c", Tier.CORE, "central to who you are"),
    Option("m", Tier.MEDIUM, "useful, not central"),
    Option("l", Tier.LOW, "a detail"),
)

if TYPE_CHECKING:
    from curator.compare.related import Near
_KINDS = tuple(zip("itpcrdmkjnsfvx", (*Kind,), strict=True))
_MEANINGS: Mapping[Kind, str] = {
    Kind.IDENTITY: "who you are",
    Kind.TRAIT: "what you are like",
    Kind.PREFERENCE: "what you prefer",
    Kind.CONSTRAINT: "a rule or a limit",
    Kind.RELATIONSHIP: "people in your life",
    Kind.DECISION: "something you decided",
    Kind.COMMITMENT: "something you promised",
    Kind.TASK: "something to do",
    Kind.PROJECT: "something you work on",
    Kind.ENTITY: "a named person, place or thing",
    Kind.SKILL: "something you can do",
    Kind.FACT: "a plain fact",
    Kind.EVENT: "something that happened",
    Kind.CONTEXT: "true for a while",
}


class NotApplicable(ValueError):
    """The verb does not suit what is marked; the text says what would."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a verb is wanted for: the memories (marked, else the one under the cursor), and the way to do it."""

    app: App[None]
    context: AppContext
    memories: list[int]
    current: int
    perform: Perform

    @property
    def concerned(self) -> str:
        """`3 memories`."""
        return counted(len(self.memories))

    async def read(self) -> Memory:
        """The only memory that is meant. Raises Unfit if there are more."""
        if len(self.memories) > 1:
            raise NotApplicable(f"{self.concerned} are marked, this works on one: esc clears the marks")
        return await self.context.executors["rows"].run(partial(self.context.store.get, self.memories[0]))


def when_sure(app: App[Any], number: int, question: str, work: Callable[[], None]) -> None:
    """Do what can be undone: at once, or after a question if it concerns many."""
    if number <= verbs.ASKS_ABOVE:
        work()
    else:
        sure = Confirm(question, f"One step ({key_hint(app, 'app.undo')}).")
        app.push_screen(sure, lambda yes: work() if yes else None)


async def tier(asked: Asked) -> None:
    """Which tier."""
    chosen = await asked.app.push_screen_wait(Menu(f"Tier of {asked.concerned}", _TIERS, Tier.MEDIUM))
    if chosen is not None:
        await asked.perform(verbs.tiered(Tier(chosen)), asked.memories)


async def kind(asked: Asked) -> None:
    """Which kind."""
    options = [Option(key, each, _MEANINGS[each]) for key, each in _KINDS]
    chosen = await asked.app.push_screen_wait(Menu(f"Kind of {asked.concerned}", options, Kind.FACT))
    if chosen is not None:
        await asked.perform(verbs.of_kind(Kind(chosen)), asked.memories)


async def scope(asked: Asked) -> None:
    """Where they hold."""
    first = await asked.context.executors["rows"].run(partial(asked.context.store.get, asked.memories[0]))

    async def save(text: str) -> str | None:
        return await asked.perform(verbs.scoped(text or "global"), asked.memories)

    hint = "global, project:NAME, or session:ID (one conversation)"
    await asked.app.push_screen_wait(Ask(f"Scope of {asked.concerned}", hint, first.scope, save))


async def tags(asked: Asked) -> None:
    """Which tags: of one memory all it has, of several those to add and, after a minus, to remove."""
    former = (await asked.read()).tags if len(asked.memories) == 1 else ()

    async def save(text: str) -> str | None:
        given = text.replace(",", " ").split()
        words = [word for word in given if not word.startswith("-")]
        try:
            remove = [tag_name(word[1:]) for word in given if word.startswith("-")]
            remove += [tag for tag in former if tag not in set(map(tag_name, words))]
        except ValueError as error:
            return str(error)
        return await asked.perform(verbs.tagged(words, remove), asked.memories)

    if len(asked.memories) == 1:
        question = Ask("Tags", "Separated by spaces · enter saves", " ".join(former), save)
    else:
        hint = "work adds a tag, -work removes it · separated by spaces"
        question = Ask(f"Tags of {asked.concerned}", hint, check=save)
    await asked.app.push_screen_wait(question)


async def edit(asked: Asked) -> None:
    """Its words, in a field."""
    memory = await asked.read()
    await _edit(asked, memory.text, "")


async def editor(asked: Asked) -> None:
    """Its words, in the person's own editor; what cannot be kept goes on in the field."""
    memory = await asked.read()
    with asked.app.suspend():  # which gives the screen back to the app only where nothing is raised
        editing = asyncio.ensure_future(asyncio.to_thread(edited, memory.text))
        while not editing.done():  # even where this worker is cancelled: the editor has the terminal, and the words
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait([editing])
    words = editing.result()
    if words is None:
        return
    problem = await asked.perform(verbs.worded(words), asked.memories)
    if problem is not None:
        await _edit(asked, words, problem)


async def _edit(asked: Asked, words: str, problem: str) -> None:
    async def save(text: str) -> str | None:
        return await asked.perform(verbs.worded(text), asked.memories)

    await asked.app.push_screen_wait(Edit("Edit", words, save, problem=problem))


async def merge(asked: Asked) -> None:
    """The marked, or the one under the cursor and what most likely says the same: the draft first."""
    memories = asked.memories
    if len(memories) == 1:
        memories = await _with_nearest(asked, memories[0])
    store = asked.context.store

    def prepare() -> tuple[Draft, list[Memory]]:
        drafted = curation.draft(store, memories)
        return drafted, store.get_many(drafted.memories)

    drafted, sources = await asked.context.executors["rows"].run(prepare)

    async def save(text: str) -> str | None:
        return await asked.perform(verbs.merged(text, drafted.survivor, drafted.quarantined), memories)

    title = f"Merge {len(sources)} memories; the old texts stay as versions{stays_quarantined(drafted)}"
    above = sources_told(sources)
    await asked.app.push_screen_wait(Edit(title, drafted.text, save, above=above, problem=no_room(drafted)))


def sources_told(sources: Sequence[Memory]) -> list[str]:
    """Return a line for each memory that becomes part of one; those in quarantine first, with the reason."""
    from curator.injection import describe_flag

    held = [f"quarantined: {describe_flag(one.flag or '', one.text)}: {one.text}" for one in sources if one.quarantined]
    return [*held, *(one.text for one in sources if not one.quarantined)]


def stays_quarantined(draft: Draft) -> str:
    """The end of a title over a draft: that it stays in quarantine; empty if none of them is."""
    return "; quarantined until you validate it" if draft.quarantined else ""


async def confirm_quarantined(context: AppContext, app: App[Any], memories: Sequence[int]) -> bool | None:
    """Ask before memories in quarantine are validated; None where none of them is."""
    from curator.injection import describe_flag

    found = await context.executors["rows"].run(partial(context.store.get_many, memories))
    held = [memory for memory in found if memory.quarantined]
    if not held:
        return None
    lines = [f"“{short(one.text)}”: {describe_flag(one.flag or '', one.text)}" for one in held[:_SHOWN]]
    more = [f"and {len(held) - _SHOWN:,} more"] if len(held) > _SHOWN else []
    among = f", {len(held):,} of them" if len(found) > len(held) else ""
    question = f"Validate {counted(len(found))}{among} in quarantine?"
    told = "\n".join([*lines, *more, "Validated memories are given to models."])
    return await app.push_screen_wait(Confirm(question, told))


def no_room(draft: Draft) -> str:
    """What of the memories is not said by a draft of one, and why; empty if all is."""
    if draft.left_out:
        return f"not in the draft: {' · '.join(draft.left_out)}"
    return "they contradict each other: the draft has the text of one only" if draft.opposed else ""


async def _with_nearest(asked: Asked, memory: int) -> list[int]:
    """A memory and its nearest duplicate: what an alert calls so, else what is near it, else any alert's other."""
    context = asked.context
    alerts = await context.executors["rows"].run(partial(context.store.alerts.open, memory))
    for alert in alerts:
        if alert.relation is Relation.DUPLICATE:
            return [alert.a, alert.b]

    def look() -> "list[Near]":
        from curator.compare.related import related

        near = related(context.store, memory, context.index(), _NEAR) if context.store.vectors.embedded_by() else ()
        return [each for each in near if each.relation is Relation.DUPLICATE]

    for found in await context.executors["slow"].run(look):
        return [memory, found.memory.id]
    for alert in alerts:
        return [alert.a, alert.b]
    raise NotApplicable("no duplicate found: mark the memories to merge first")


async def supersede(asked: Asked) -> None:
    """The memory under the cursor takes the place of the marked, or of what it has an alert with."""
    old = [memory for memory in asked.memories if memory != asked.current]
    if not old:
        alerts = await asked.context.executors["rows"].run(partial(asked.context.store.alerts.open, asked.current))
        old = [alert.b if alert.a == asked.current else alert.a for alert in alerts[:1]]
    if not old:
        raise NotApplicable("mark the outdated memories first, then supersede on the one that replaces them")
    newer, *_ = await asked.context.executors["rows"].run(partial(asked.context.store.get_many, [asked.current]))
    question = Confirm(
        f"“{short(newer.text)}” supersedes {counted(len(old))}?",
        "Superseded memories leave recall and point to this one. Can be undone.",
    )
    if await asked.app.push_screen_wait(question):
        await asked.perform(verbs.superseded_by(asked.current), old)


async def purge(asked: Asked) -> None:
    """For good, after a word was typed."""
    found = await asked.context.executors["slow"].run(partial(verbs.purge_preview, asked.context.store, asked.memories))
    more = len(found.meant) - len(asked.memories)
    twins = f" and {counted(more)} with exactly the same text" if more else ""
    told = "The text is erased from the memory, its versions, the quoted messages, the journal and the index.\n"
    question = ConfirmPurge(
        f"Purge {counted(len(asked.memories))}{twins}?", told + curation.ENDS_UNDO, found.places, found.copies
    )
    answer = await asked.app.push_screen_wait(question)
    if answer:
        await asked.perform(verbs.PURGE_ALL if answer == "all" else verbs.PURGE, asked.memories)


DIALOGS: Mapping[str, Callable[[Asked], Awaitable[None]]] = {
    "tier": tier,
    "kind": kind,
    "scope": scope,
    "tags": tags,
    "edit": edit,
    "editor": editor,
    "merge": merge,
    "supersede": supersede,
    "purge": purge,
}
"""The verbs that ask, by the name their key has. They raise StoreError and ValueError (Unfit)."""

"""Dialogs of verbs: tier, kind, scope, tags, texts, merge, supersede, purge."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual.app import App

from curator import curation
from curator.curation import MergeDraft
from curator.curation.commands import tag_name
from curator.display import counted
from curator.editor import edited
from curator.injection import describe_flag
from curator.tui import verbs
from curator.tui.context import AppContext
from curator.tui.labels import GIVEN, TIERS
from curator.tui.memories import queries
from curator.tui.memories.detail_queries import asked_for
from curator.tui.memories.detail_render import asked_line
from curator.tui.model_draft import ModelDraft
from curator.tui.screens.dialogs import Ask, Confirm, Menu, Option
from curator.tui.screens.edit_dialog import Edit, Save
from curator.tui.screens.purge_dialog import ConfirmPurge
from curator.tui.text_format import excerpt
from curator.tui.verbs import Verb
from store import Filter
from store.model import Alert, Given, Kind, Memory, Relation, Tier

Perform = Callable[[Verb, list[int]], Awaitable[str | None]]
"""Runs a verb on memories; returns the problem that prevented it, or None."""

_NEAR = 10  # nearest memories searched for a duplicate
_SHOWN = 5  # quarantined memories listed in a confirmation

if TYPE_CHECKING:
    from curator.compare.related import SimilarMemory
_KINDS: Mapping[Kind, tuple[str, str]] = {
    Kind.IDENTITY: ("i", "who you are"),
    Kind.TRAIT: ("t", "what you are like"),
    Kind.PREFERENCE: ("p", "what you prefer"),
    Kind.CONSTRAINT: ("c", "a rule or a limit"),
    Kind.RELATIONSHIP: ("r", "people in your life"),
    Kind.DECISION: ("d", "something you decided"),
    Kind.COMMITMENT: ("m", "something you promised"),
    Kind.TASK: ("k", "something to do"),
    Kind.PROJECT: ("j", "something you work on"),
    Kind.ENTITY: ("n", "a named person, place or thing"),
    Kind.SKILL: ("s", "something you can do"),
    Kind.FACT: ("f", "a plain fact"),
    Kind.EVENT: ("v", "something that happened"),
    Kind.CONTEXT: ("x", "true for a while"),
}
"""Keys and descriptions of the kinds."""


class NotApplicable(ValueError):
    """Raised if a verb does not apply to the marked memories; the text says what it applies to."""


@dataclass(frozen=True, slots=True)
class VerbRequest:
    """A request for a verb: its memories (the marked ones, else the one under the cursor), and a callback to run it."""

    app: App[None]
    context: AppContext
    memories: list[int]
    current: int
    perform: Perform

    @property
    def concerned(self) -> str:
        """The number of memories, as `3 memories`."""
        return counted(len(self.memories))

    async def read(self, memory_id: int) -> Memory:
        """Read a memory. Raises NotFound."""
        return await self.context.run("rows", self.context.store.get, memory_id)

    async def read_only(self) -> Memory:
        """Read the single memory. Raises NotApplicable if there are more."""
        if len(self.memories) > 1:
            raise NotApplicable(f"{self.concerned} are marked, but this works on one memory: esc clears the marks")
        return await self.read(self.memories[0])

    async def open_alerts(self, memory_id: int) -> list[Alert]:
        """Read the open alerts of a memory, strongest first."""
        return await self.context.run("rows", self.context.store.alerts.open, memory_id)


async def _choose(
    request: VerbRequest, *, what: str, options: Sequence[Option], default: str, verb: Callable[[str], Verb]
) -> None:
    chosen = await request.app.push_screen_wait(Menu(f"{what} of {request.concerned}", options, default))
    if chosen is not None:
        await request.perform(verb(chosen), request.memories)


async def scope(request: VerbRequest) -> None:
    """Set the scope."""
    first = await request.read(request.memories[0])

    async def save(text: str) -> str | None:
        return await request.perform(verbs.set_scope_verb(text or "global"), request.memories)

    hint = "global, project:NAME, or session:ID (one conversation) · enter saves · esc cancels"
    await request.app.push_screen_wait(Ask(f"Scope of {request.concerned}", hint, first.scope, save))


async def tags(request: VerbRequest) -> None:
    """Set the tags of a memory; for several memories, add tags, or remove tags after a minus."""
    former = (await request.read_only()).tags if len(request.memories) == 1 else ()

    async def save(text: str) -> str | None:
        entries = text.replace(",", " ").split()
        words = [word for word in entries if not word.startswith("-")]
        try:
            remove = [tag_name(word[1:]) for word in entries if word.startswith("-")]
            remove += [tag for tag in former if tag not in set(map(tag_name, words))]
        except ValueError as error:
            return str(error)
        return await request.perform(verbs.tag_verb(words, remove), request.memories)

    several = len(request.memories) > 1
    hint = (
        "work adds a tag, -work removes it · separated by spaces"
        if several
        else "Separated by spaces · enter saves · esc cancels"
    )
    await request.app.push_screen_wait(
        Ask(f"Tags of {request.concerned}" if several else "Tags", hint, " ".join(former), save)
    )


async def edit(request: VerbRequest) -> None:
    """Edit the text in a dialog."""
    memory = await request.read_only()
    await _edit(request, memory.text, "")


async def editor(request: VerbRequest) -> None:
    """Edit the text in $EDITOR; a text that cannot be saved is opened in the dialog."""
    memory = await request.read_only()
    with request.app.suspend():  # restores the screen only if nothing is raised
        editing = asyncio.ensure_future(asyncio.to_thread(edited, memory.text))
        while not editing.done():  # even if this worker is cancelled: the editor uses the terminal
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait([editing])
    words = editing.result()
    if words is None:
        return
    problem = await request.perform(verbs.edit_verb(words), request.memories)
    if problem is not None:
        await _edit(request, words, problem)


async def _edit(request: VerbRequest, words: str, problem: str) -> None:
    async def save(text: str) -> str | None:
        return await request.perform(verbs.edit_verb(text), request.memories)

    await request.app.push_screen_wait(Edit("Edit", words, save, problem=problem))


async def merge(request: VerbRequest) -> None:
    """Merge the marked memories, or one and its most likely duplicate, from a draft."""
    store, memories = request.context.store, request.memories
    if len(memories) == 1:
        memories = await _with_nearest(request, memories[0])

    def prepare() -> tuple[MergeDraft, list[Memory]]:
        if len({memory.scope for memory in store.get_many(memories)}) > 1:
            raise NotApplicable("different scopes: mark them and run `scope` first")
        drafted = curation.draft(store, memories)
        return drafted, store.get_many(drafted.memories)

    drafted, sources = await request.context.run("rows", prepare)
    suggested = ModelDraft(request.context, drafted)

    async def save(text: str) -> str | None:
        by = suggested.author(text)
        return await request.perform(verbs.merge_verb(text, drafted.survivor, drafted.quarantined, by), memories)

    await request.app.push_screen_wait(edit_draft(f"{len(sources)} memories", drafted, suggested, sources, save))


def edit_draft(name: str, draft: MergeDraft, suggested: ModelDraft, sources: Sequence[Memory], save: Save) -> Edit:
    """Return the merge dialog: the source memories, quarantined ones first, and the draft below them."""
    title = f"Merge {name}; the old texts stay as versions"
    title += "; quarantined until you validate it" if draft.quarantined else ""
    held = [
        f"quarantined: {describe_flag(memory.flag or '', memory.text)}: {memory.text}"
        for memory in sources
        if memory.quarantined
    ]
    problem = "they contradict each other: the draft contains only one of them" if draft.opposed else ""
    if draft.left_out:
        problem = f"not in the draft: {' · '.join(draft.left_out)}"
    above = [*held, *(memory.text for memory in sources if not memory.quarantined)]
    return Edit(title, draft.text, save, above=above, problem=problem, suggested=suggested)


async def quarantine_question(context: AppContext, memories: Sequence[int]) -> Confirm | None:
    """Return the confirmation before quarantined memories are validated; None if there are none.

    Only quarantined memories are read: 0.1 s instead of 2 s for 100,000 memories.
    """

    def read() -> tuple[list[Memory], list[str]]:
        quarantined = queries.matching_ids(context.store, Filter(lives=(), quarantine=True), memories)
        found = context.store.get_many([memory for memory in memories if memory in quarantined])
        held = [memory for memory in found if memory.suspect]
        lines = []
        for memory in held[:_SHOWN]:
            asked = asked_for(context.store, memory)
            why = describe_flag(memory.flag or "", memory.text) if asked is None else asked_line(asked)
            lines.append(f"“{excerpt(memory.text)}”: {why}")
        return held, lines

    held, lines = await context.run("rows", read)
    if not held:
        return None
    more = [f"and {len(held) - _SHOWN:,} more"] if len(held) > _SHOWN else []
    among = f", {len(held):,} of them" if len(memories) > len(held) else ""
    text = "\n".join([*lines, *more, "Validated memories are given to models."])
    return Confirm(f"Validate {counted(len(memories))}{among} in quarantine?", text)


async def _with_nearest(request: VerbRequest, memory_id: int) -> list[int]:
    """Return a memory and its nearest duplicate: by alert, else by meaning, else the other memory of any alert."""
    context, alerts = request.context, await request.open_alerts(memory_id)
    for alert in alerts:
        if alert.relation is Relation.DUPLICATE:
            return [alert.a, alert.b]

    def look() -> "list[SimilarMemory]":
        from curator.compare.related import related

        near = related(context.store, memory_id, context.index(), _NEAR) if context.store.vectors.embedded_by() else ()
        return [neighbour for neighbour in near if neighbour.relation is Relation.DUPLICATE]

    for duplicate in await context.run("slow", look):
        return [memory_id, duplicate.memory.id]
    for alert in alerts:
        return [alert.a, alert.b]
    raise NotApplicable("no duplicate found: mark the memories to merge first")


async def supersede(request: VerbRequest) -> None:
    """Let the memory under the cursor supersede the marked ones, or else the one it conflicts with."""
    old = [memory for memory in request.memories if memory != request.current]
    if not old:
        alerts = await request.open_alerts(request.current)
        old = [alert.b if alert.a == request.current else alert.a for alert in alerts[:1]]
    if not old:
        raise NotApplicable("mark the outdated memories first, then supersede with the cursor on the current one")
    newer = await request.read(request.current)
    question = Confirm(
        f"“{excerpt(newer.text)}” supersedes {counted(len(old))}?",
        "Superseded memories leave recall and point to this one. Can be undone.",
    )
    if await request.app.push_screen_wait(question):
        await request.perform(verbs.supersede_verb(request.current), old)


async def purge(request: VerbRequest) -> None:
    """Purge, after a typed confirmation."""
    from curator.services.block_files import (
        files_holding,  # heavy: imports the settings
    )

    store, memories = request.context.store, request.memories
    targets, places, copies, files = await request.context.run(
        "slow",
        lambda: (
            targets := store.purge_targets(memories),
            store.find_variants(memories),
            store.copies_holding(memories),
            files_holding(store, targets),
        ),
    )
    more = len(targets) - len(memories)
    duplicates = f" and {counted(more)} with the same text" if more else ""
    text = "The text is erased from the memory, its versions, the quoted messages, the journal and the index.\n"
    text += f"The block of memories is rewritten in {', '.join(files)}.\n" if files else ""
    question = ConfirmPurge(
        f"Purge {counted(len(request.memories))}{duplicates}?", text + curation.ENDS_UNDO, places, copies
    )
    answer = await request.app.push_screen_wait(question)
    if answer:
        await request.perform(verbs.PURGE_ALL if answer == "all" else verbs.PURGE, request.memories)


DIALOGS: Mapping[str, Callable[[VerbRequest], Awaitable[None]]] = {
    "tier": partial(
        _choose,
        what="Tier",
        options=[Option(tier.value[0], tier, meaning) for tier, meaning in TIERS.items()],
        default=Tier.MEDIUM,
        verb=lambda chosen: verbs.set_tier_verb(Tier(chosen)),
    ),
    "give": partial(
        _choose,
        what="Given to models",
        options=[Option(given.value[0], given, meaning) for given, meaning in GIVEN.items()],
        default=Given.RELEVANT,
        verb=lambda chosen: verbs.set_given_verb(Given(chosen)),
    ),
    "kind": partial(
        _choose,
        what="Kind",
        options=[Option(key, kind, meaning) for kind, (key, meaning) in _KINDS.items()],
        default=Kind.FACT,
        verb=lambda chosen: verbs.set_kind_verb(Kind(chosen)),
    ),
    "scope": scope,
    "tags": tags,
    "edit": edit,
    "editor": editor,
    "merge": merge,
    "supersede": supersede,
    "purge": purge,
}
"""Dialogs of verbs, by the name in their action. They raise StoreError and ValueError (NotApplicable)."""

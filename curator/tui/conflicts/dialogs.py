"""What Conflicts asks: which of them to show, what makes both true, the words of a draft, a rule to settle many."""

from functools import partial
from typing import TYPE_CHECKING

from curator import curation
from curator.curation import Draft, Pair, Plan, Rule
from curator.filters.conflicts import parse_conflicts
from curator.tui import verbs
from curator.tui.conflicts import queries, render
from curator.tui.conflicts.resolver import merged, told_apart
from curator.tui.formatting import counted
from curator.tui.memories.verb_dialogs import no_room, sources_told, stays_quarantined
from curator.tui.screens.dialogs import Ask, Confirm, Menu, Option
from curator.tui.screens.edit_dialog import Edit
from curator.tui.view import Tone
from store import StoreError
from store.filter import format_term
from store.model import Memory, Relation

if TYPE_CHECKING:
    from curator.tui.conflicts.view import Conflicts

ALL = "all"
_CLASS_KEYS = {Relation.CONTRADICTION: "c", Relation.UPDATE: "u", Relation.DUPLICATE: "d", Relation.UNSURE: "?"}
_APART = (
    Option("d", "dates", "until when A was true, and since when B is"),
    Option("a", "scope of A", "A applies to a project only"),
    Option("b", "scope of B", "B applies to a project only"),
)
_SCOPE = "global, project:NAME, or session:ID (one conversation)"


async def only(view: "Conflicts") -> str | None:
    """Which conflicts to show, as a filter; None if the person left."""
    context = view.context
    found = await context.executors["slow"].run(partial(queries.sorts, context.store, context.now()))
    options = [Option("*", ALL, f"{found.total:,}")]
    options += [Option(_CLASS_KEYS[name], f"class:{name}", f"{count:,}") for name, count in found.classes]
    if Relation.UNSURE not in dict(found.classes):
        options.append(Option("?", "class:unsure", "undecided by the rules"))
    options.append(Option("s", f"score:>={queries.SURE}", f"{found.sure:,}"))
    options += [
        Option(str(place), format_term("source", name), f"{count:,}")
        for place, (name, count) in enumerate(found.sources, start=1)
    ]
    if found.put_off:
        options.append(Option("l", "is:later", f"{found.put_off:,} snoozed"))
    chosen = await view.app.push_screen_wait(Menu("Filter conflicts", options, view.filter or ALL))
    return "" if chosen == ALL else chosen


async def many(view: "Conflicts") -> Plan | None:
    """By which rule to settle all that are listed; above some, after another question."""
    context = view.context
    which = parse_conflicts(view.filter)
    looked_at, plans = await context.executors["slow"].run(partial(queries.plans, context.store, which, context.now()))
    names = {Rule.NEWEST: "newest wins", Rule.VALIDATED: "validated wins"}
    options: list[Option] = []
    for plan in plans:
        key = plan.rule.value[0] if plan.rule is not Rule.SOURCE else str(len(options) - 1)
        name = names.get(plan.rule, f"{plan.source} wins")
        options.append(Option(key, name, render.plan(plan)))
    title = f"Resolve {counted(looked_at, 'conflict')} in one step"
    chosen = await view.app.push_screen_wait(Menu(title, options))
    for option, plan in zip(options, plans, strict=True):
        if option.value == chosen:
            return plan if await _sure(view, plan) else None
    return None


async def _sure(view: "Conflicts", plan: Plan) -> bool:
    if len(plan.decided) <= verbs.ASKS_ABOVE:
        return True
    question = f"Resolve {counted(len(plan.decided), 'conflict')}?"
    sure = await view.app.push_screen_wait(Confirm(question, curation.bulk_outcome(plan)))
    return sure


async def apart(view: "Conflicts", pair: Pair) -> None:
    """What makes both true: dates in their words, or where one of them holds."""
    chosen = await view.app.push_screen_wait(Menu("Keep both. What is the difference?", _APART))
    if chosen == "dates":
        await _dates(view, pair)
    elif chosen is not None:
        older = chosen == "scope of A"
        memory = pair.a if older else pair.b

        async def save(text: str) -> str | None:
            words = {"scope_a" if older else "scope_b": text}
            return await view.resolving.perform(pair, told_apart(**words))

        question = Ask(f"Scope of {'A' if older else 'B'}", _SCOPE, _scope(memory), save, marked=True)
        await view.app.push_screen_wait(question)


def _scope(memory: Memory) -> str:
    """A scope to begin with: its project, if it is known to be about one."""
    if memory.scope == "global" and memory.project is not None:
        return f"project:{memory.project}"
    return memory.scope


async def _dates(view: "Conflicts", pair: Pair) -> None:
    first, second = curation.dated(pair)
    older: list[str] = []

    async def keep(text: str) -> str | None:
        older.append(text)
        return None

    async def save(text: str) -> str | None:
        return await view.resolving.perform(pair, told_apart(text_a=older[-1], text_b=text))

    await view.app.push_screen_wait(Edit("A, the older (B is next)", first, keep, above=[pair.a.text]))
    if older:
        title = "B, the newer · enter keeps both"
        await view.app.push_screen_wait(Edit(title, second, save, above=[pair.b.text, older[-1]]))


async def draft(view: "Conflicts", pair: Pair) -> Draft | None:
    """What merging would make, and have the area show it; None, and said, where it cannot be."""
    context, memories = view.context, [pair.a.id, pair.b.id]
    try:
        work = partial(curation.draft, context.store, memories, pair.on(view.panes.side).id)
        made = await context.executors["rows"].run(work)
    except (StoreError, ValueError) as error:
        view.say(str(error), Tone.BAD)
        return None
    view.show_draft(pair, made)
    return made


async def edit(view: "Conflicts", pair: Pair) -> None:
    """The draft in a field."""
    made = view.panes.draft or await draft(view, pair)
    if made is None:
        return

    async def save(text: str) -> str | None:
        return await view.resolving.perform(pair, merged(made, text))

    title = f"Merge both; the old texts stay as versions{stays_quarantined(made)}"
    await view.app.push_screen_wait(
        Edit(title, made.text, save, above=sources_told([pair.a, pair.b]), problem=no_room(made))
    )

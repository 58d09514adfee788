"""What Conflicts asks: which of them to show, what makes both true, the words of a draft, a rule to settle many."""

from functools import partial
from typing import TYPE_CHECKING

from curator import curation
from curator.conflict_query import parse_conflicts
from curator.curation import Draft, Pair, Plan, Rule
from curator.tui import conflict_words, deciding, facing
from curator.tui.areas.area import Tone
from curator.tui.areas.resolving import merged, told_apart
from curator.tui.choosing import no_room, sources_told, stays_quarantined
from curator.tui.screens.asking import Ask, Confirm, Menu, Option
from curator.tui.screens.editing import Edit
from curator.tui.text import counted
from store import StoreError
from store.model import Memory, Relation
from store.terms import term_of

if TYPE_CHECKING:
    from curator.tui.areas.conflicts import Conflicts

ALL = "all of them"
_CLASS_KEYS = {Relation.CONTRADICTION: "c", Relation.UPDATE: "u", Relation.DUPLICATE: "d", Relation.UNSURE: "?"}
_APART = (
    Option("d", "dates", "say until when the older held, and since when the newer"),
    Option("a", "scope of A", "the older holds in a project only"),
    Option("b", "scope of B", "the newer holds in a project only"),
)
_SCOPE = "global (everywhere), project:NAME, or session:ID (one talk)"


async def only(area: "Conflicts") -> str | None:
    """Which conflicts to show, as a filter; None if the person left."""
    desk = area.desk
    found = await desk.lanes["slow"].run(partial(facing.sorts, desk.store, desk.now()))
    options = [Option("*", ALL, f"{found.total:,}")]
    options += [Option(_CLASS_KEYS[name], f"class:{name}", f"{count:,}") for name, count in found.classes]
    if Relation.UNSURE not in dict(found.classes):
        options.append(Option("?", "class:unsure", "what the rules leave open"))
    options.append(Option("s", f"score:>={facing.SURE}", f"{found.sure:,}"))
    options += [
        Option(str(place), term_of("source", name), f"{count:,}")
        for place, (name, count) in enumerate(found.sources, start=1)
    ]
    if found.put_off:
        options.append(Option("l", "is:later", f"{found.put_off:,} put off"))
    chosen = await area.app.push_screen_wait(Menu("Only these conflicts", options, area.filter or ALL))
    return "" if chosen == ALL else chosen


async def many(area: "Conflicts") -> Plan | None:
    """By which rule to settle all that are listed; above some, after another question."""
    desk = area.desk
    which = parse_conflicts(area.filter)
    looked_at, plans = await desk.lanes["slow"].run(partial(facing.plans, desk.store, which, desk.now()))
    names = {Rule.NEWEST: "newest wins", Rule.VALIDATED: "validated wins"}
    options: list[Option] = []
    for plan in plans:
        key = plan.rule.value[0] if plan.rule is not Rule.SOURCE else str(len(options) - 1)
        name = names.get(plan.rule, f"{plan.source} wins")
        options.append(Option(key, name, conflict_words.plan(plan)))
    title = f"Settle {counted(looked_at, 'conflict')} in one step"
    chosen = await area.app.push_screen_wait(Menu(title, options))
    for option, plan in zip(options, plans, strict=True):
        if option.value == chosen:
            return plan if await _sure(area, plan) else None
    return None


async def _sure(area: "Conflicts", plan: Plan) -> bool:
    if len(plan.decided) <= deciding.ASKS_ABOVE:
        return True
    question = f"Settle {counted(len(plan.decided), 'conflict')}?"
    sure = await area.app.push_screen_wait(Confirm(question, curation.bulk_outcome(plan)))
    return sure


async def apart(area: "Conflicts", pair: Pair) -> None:
    """What makes both true: dates in their words, or where one of them holds."""
    chosen = await area.app.push_screen_wait(Menu("Both stay. What tells them apart?", _APART))
    if chosen == "dates":
        await _dates(area, pair)
    elif chosen is not None:
        older = chosen == "scope of A"
        memory = pair.a if older else pair.b

        async def save(text: str) -> str | None:
            words = {"scope_a" if older else "scope_b": text}
            return await area.resolving.perform(pair, told_apart(**words))

        question = Ask(f"Where {'A' if older else 'B'} holds", _SCOPE, _scope(memory), save, marked=True)
        await area.app.push_screen_wait(question)


def _scope(memory: Memory) -> str:
    """A scope to begin with: its project, if it is known to be about one."""
    if memory.scope == "global" and memory.project is not None:
        return f"project:{memory.project}"
    return memory.scope


async def _dates(area: "Conflicts", pair: Pair) -> None:
    first, second = curation.dated(pair)
    older: list[str] = []

    async def keep(text: str) -> str | None:
        older.append(text)
        return None

    async def save(text: str) -> str | None:
        return await area.resolving.perform(pair, told_apart(text_a=older[-1], text_b=text))

    await area.app.push_screen_wait(Edit("A, the older; then B", first, keep, above=[pair.a.text]))
    if older:
        title = "B, the newer; enter keeps both"
        await area.app.push_screen_wait(Edit(title, second, save, above=[pair.b.text, older[-1]]))


async def draft(area: "Conflicts", pair: Pair) -> Draft | None:
    """What merging would make, and have the area show it; None, and said, where it cannot be."""
    desk, memories = area.desk, [pair.a.id, pair.b.id]
    try:
        work = partial(curation.draft, desk.store, memories, pair.on(area.panes.side).id)
        made = await desk.lanes["rows"].run(work)
    except (StoreError, ValueError) as error:
        area.say(str(error), Tone.BAD)
        return None
    area.show_draft(pair, made)
    return made


async def edit(area: "Conflicts", pair: Pair) -> None:
    """The draft in a field."""
    made = area.panes.draft or await draft(area, pair)
    if made is None:
        return

    async def save(text: str) -> str | None:
        return await area.resolving.perform(pair, merged(made, text))

    title = f"One memory of both; their words stay as versions{stays_quarantined(made)}"
    await area.app.push_screen_wait(
        Edit(title, made.text, save, above=sources_told([pair.a, pair.b]), problem=no_room(made))
    )

"""Dialogs of Conflicts: filters, distinctions, editing a draft, resolving many by a rule."""

import itertools
from collections.abc import Awaitable, Callable
from typing import Any

from textual.app import App

from curator import curation
from curator.curation import MergeDraft, Pair, Plan
from curator.curation.resolve import wins
from curator.display import counted
from curator.filters import parse_conflicts
from curator.tui.conflicts import queries, render
from curator.tui.conflicts.queries import Resolution, clarify_resolution, merge_resolution
from curator.tui.context import AppContext
from curator.tui.labels import source
from curator.tui.memories.verb_dialogs import edit_draft
from curator.tui.model_draft import ModelDraft
from curator.tui.screens.dialogs import Ask, Confirm, Menu, Option
from curator.tui.screens.edit_dialog import Edit
from curator.tui.verbs import ASKS_ABOVE
from store.model import Relation

Perform = Callable[[Resolution], Awaitable[str | None]]
"""Resolves the conflict; returns the problem that prevented it, or None."""

_KEYS = {
    queries.ALL: "*",
    f"class:{Relation.CONTRADICTION}": "c",
    f"class:{Relation.UPDATE}": "u",
    f"class:{Relation.DUPLICATE}": "d",
    f"class:{Relation.UNSURE}": "?",
    f"score:>={queries.SURE:.0%}": "s",
    "is:snoozed": "l",
}
"""Keys of filters; sources are numbered."""
_DISTINCTIONS = (
    Option("d", "dates", "A was true until B was said, B is true since"),
    Option("a", "scope of A", "A applies to a project only"),
    Option("b", "scope of B", "B applies to a project only"),
)
_SCOPE = "global, project:NAME, or session:ID (one conversation) · enter saves · esc cancels"


async def only(app: App[Any], context: AppContext, current: str) -> str | None:
    """Ask for a filter and return it, None if cancelled."""
    found = await context.run("slow", queries.filter_choices, context.store, context.now())
    places = itertools.count(1)
    options = [Option(_KEYS.get(term) or str(next(places)), term, what) for term, what in found.items()]
    chosen = await app.push_screen_wait(Menu("Filter conflicts", options, current or queries.ALL))
    return "" if chosen == queries.ALL else chosen


async def many(app: App[Any], context: AppContext, filter: str, total: int | None) -> Plan | None:
    """Ask for a rule to resolve the listed conflicts; confirm if there are more than `ASKS_ABOVE`.

    `total` is the number of all conflicts, None if not counted. At most `queries.MOST` are resolved in one command.
    """
    conflict_filter = parse_conflicts(filter)
    looked_at, plans = await context.run("slow", queries.plans, context.store, conflict_filter, context.now())
    options: list[Option] = []
    for plan in plans:
        key = plan.winner[0] if plan.source is None else str(len(options) - 1)
        name = f"{source(plan.source)} wins" if plan.source is not None else wins(plan)
        options.append(Option(key, name, render.plan(plan)))
    which = counted(looked_at, "conflict")
    if looked_at == queries.MOST and total != looked_at:
        which = f"the strongest {which}" if total is None else f"the strongest {looked_at:,} of {total:,} conflicts"
    chosen = await app.push_screen_wait(Menu(f"Resolve {which} in one step", options))
    found = next((plan for option, plan in zip(options, plans, strict=True) if option.value == chosen), None)
    if found is not None and len(found.decided) > ASKS_ABOVE:
        question = f"Resolve {counted(len(found.decided), 'conflict')}?"
        if not await app.push_screen_wait(Confirm(question, curation.bulk_outcome(found))):
            return None
    return found


async def same_side(app: App[Any], plan: Plan) -> bool:
    """Ask whether to keep the same side in all conflicts of a group that the plan resolves."""
    done, left = len(plan.decided) + plan.closed, sum(count for _, count in plan.left)
    question = f"Keep the {plan.winner} side in {f'{done:,} of {done + left:,}' if left else f'all {done:,}'}?"
    agreed: bool | None = await app.push_screen_wait(Confirm(question, curation.bulk_outcome(plan)))
    return agreed is True


async def distinguish(app: App[Any], pair: Pair, perform: Perform) -> None:
    """Ask how both can be true: with dates in their texts, or a scope for one of them."""
    chosen = await app.push_screen_wait(Menu("Keep both. What is the difference?", _DISTINCTIONS))
    if chosen is None:
        return
    if chosen != "dates":
        side = chosen[-1].lower()
        memory = pair.a if side == "a" else pair.b

        async def save(text: str) -> str | None:
            return await perform(clarify_resolution(**{f"scope_{side}": text}))

        guess = f"project:{memory.project}" if memory.scope == "global" and memory.project else memory.scope
        await app.push_screen_wait(Ask(f"Scope of {side.upper()}", _SCOPE, guess, save, marked=True))
        return
    (first, second), why = curation.dated(pair), curation.undatable(pair)
    notes = [f"{why}: say in both texts when they hold"] if why else []
    older: list[str] = []

    async def keep(text: str) -> str | None:
        older.append(text)
        return None

    async def save_both(text: str) -> str | None:
        return await perform(clarify_resolution(text_a=older[-1], text_b=text))

    a, b = ("A, the older", "B, the newer") if pair.ordered else ("A", "B")
    await app.push_screen_wait(Edit(f"{a} (B is next)", first, keep, above=[*notes, pair.a.text]))
    if older:
        title = f"{b} · enter keeps both"
        await app.push_screen_wait(Edit(title, second, save_both, above=[*notes, pair.b.text, older[-1]]))


async def edit(app: App[Any], pair: Pair, draft: MergeDraft, suggested: ModelDraft, perform: Perform) -> None:
    """Edit a draft, and merge with the edited text."""

    async def save(text: str) -> str | None:
        return await perform(merge_resolution(draft, text, suggested.author(text)))

    await app.push_screen_wait(edit_draft("both", draft, suggested, [pair.a, pair.b], save))

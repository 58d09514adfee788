"""Steps that are taken from any area: the last one back, that one again, and a memory in the person's own words."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from curator import curation
from curator.tui import verbs
from curator.tui.context import AppContext
from curator.tui.keymap import key_hint
from curator.tui.screens.dialogs import Ask, Confirm
from curator.tui.view import Tone, View
from store import StoreError
from store.model import Command, Memory

if TYPE_CHECKING:
    from curator.tui.app import CuratorApp


@dataclass(frozen=True, slots=True)
class _Step:
    """A step in words: taken, or `due`, which is asked about first, or `moved`: another one than was offered."""

    name: str
    command: Command | None
    touched: Sequence[int] = ()
    due: bool = False
    moved: bool = False


async def undo(app: "CuratorApp", context: AppContext, sure: int | None = None) -> None:
    """Take back the last step: what was done last in the area, where that is no step of the journal.

    Nothing is taken back where another step is the last by now than was known here, however long ago that was; and a
    step of many that was not done by hand in this sitting, or one before a purge, only if the person is `sure` of it.
    """
    step = await context.executors["writes"].run(partial(_take_back, app.view, context, sure))
    if step.moved:
        app.say(f"somebody has done something since; the last step now: {step.name}", undo=True)
    elif step.due:
        _ask(app, context, step, undo, "Take back", "app.redo")
    else:
        _tell_taken(app, step, "took back")


def _take_back(view: View, context: AppContext, sure: int | None) -> _Step:
    """For the lane that writes."""
    steps, last = context.steps, context.store.journal.next_to_undo()
    name = "nothing" if last is None else steps.named(last)
    meant = sure if sure is not None else steps.last
    if meant is not None and meant != (last and last.id):
        return _Step(name, last, moved=True)
    own = view.take_back_own() if sure is None else None
    if own is not None:
        return _Step(own[0], None, own[1])
    if last is not None and sure is None and (steps.asks(last) or context.store.journal.final_command() is not None):
        return _Step(name, last, due=True)
    return _Step(name, *verbs.take_back(context.store, curation.undo))


async def redo(app: "CuratorApp", context: AppContext, sure: int | None = None) -> None:
    """Do it again; many, that were not done by hand in this sitting, only if the person is `sure`."""
    step = await context.executors["writes"].run(partial(_do_again, context, sure))
    if step.due:
        _ask(app, context, step, redo, "Do again", "app.undo")
    else:
        _tell_taken(app, step, "did again", again=True)


def _do_again(context: AppContext, sure: int | None) -> _Step:
    """For the lane that writes."""
    steps, following = context.steps, context.store.journal.next_to_redo()
    if following is not None and steps.asks(following) and sure != following.id:
        return _Step(steps.named(following), following, due=True)
    command, touched = verbs.take_back(context.store, curation.redo)
    return _Step(steps.named(command), command, touched)


def _ask(app: "CuratorApp", context: AppContext, step: _Step, do: Callable[..., Any], what: str, other: str) -> None:
    """Ask about a step of many, and do it."""

    def answered(yes: bool | None) -> None:
        if yes and step.command is not None:
            app.begin(partial(do, app, context, step.command.id), "writes", exclusive=False)

    app.push_screen(Confirm(f"{what}: {step.name}?", f"It is one step: {key_hint(app, other)}."), answered)


def _tell_taken(app: "CuratorApp", step: _Step, done: str, again: bool = False) -> None:
    redo = step.command is not None and not again
    app.say(f"{done}: {step.name}", Tone.GOOD, key_hint(app, "app.redo") if redo else "", undo=again)
    if step.command is not None:
        app.view.taken_back(step.command)
    app.view.follow(tuple(step.touched))


async def add(app: "CuratorApp", context: AppContext) -> None:
    """Ask for a memory in the person's own words."""
    added: list[Memory] = []

    async def keep(words: str) -> str | None:
        try:
            added.append(await context.executors["writes"].run(partial(curation.add, context.store, words)))
        except (StoreError, ValueError) as error:
            return str(error)
        return None

    question = Ask("A memory, in your own words", "One statement; enter keeps it, esc leaves it.", check=keep)
    await app.push_screen_wait(question)
    for memory in added:
        app.say(f"added “{verbs.short(memory.text)}”", Tone.GOOD, undo=True)
        app.view.follow((memory.id,))

"""Undo, redo, and adding a memory, from any view."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from curator import curation
from curator.tui import verbs
from curator.tui.context import AppContext
from curator.tui.keymap import key_hint
from curator.tui.messages import Tone
from curator.tui.screens.dialogs import Ask, Confirm
from curator.tui.text_format import excerpt
from curator.tui.view import BaseApp
from store import Store, StoreError
from store.model import Command, Given, Memory


@dataclass(frozen=True, slots=True)
class _Step:
    """A command and its result: done, `due` to be confirmed first, or `moved` (no longer the one that was offered)."""

    name: str
    command: Command | None
    touched: Sequence[int] = ()
    due: bool = False
    moved: bool = False


async def undo(app: BaseApp, context: AppContext, sure: int | None = None) -> None:
    """Undo the last command, or the view's own last change if the journal does not record it.

    Undo nothing if another command has become the last one since. Ask first for a command on many memories that was not
    done by hand in this session, and for any command before a purge; `sure` is the ID of the confirmed command.
    """
    view, steps, journal = app.view, context.steps, context.store.journal

    def take_back() -> _Step:
        last = journal.next_to_undo()
        name = "nothing" if last is None else steps.named(last)
        meant = sure if sure is not None else steps.last
        if meant is not None and meant != (last and last.id):
            return _Step(name, last, moved=True)
        own = view.take_back_own() if sure is None else None
        if own is not None:
            return _Step(own[0], None, own[1])
        if last is not None and sure is None and (steps.asks(last) or journal.final_command() is not None):
            return _Step(name, last, due=True)
        return _Step(name, *verbs.take_back(context.store, Store.undo))

    step = await context.run("writes", take_back)
    if step.moved:
        app.say(f"another process made a change; the last command is now: {step.name}", undo=True)
    elif step.due:
        _ask(app, context, step, undo, "Undo", "redo")
    else:
        _tell_taken(app, step, "undone")


async def redo(app: BaseApp, context: AppContext, sure: int | None = None) -> None:
    """Redo the last undone command; one on many memories, not done by hand in this session, only if `sure` is its
    ID.
    """
    steps = context.steps

    def do_again() -> _Step:
        following = context.store.journal.next_to_redo()
        if following is not None and steps.asks(following) and sure != following.id:
            return _Step(steps.named(following), following, due=True)
        command, touched = verbs.take_back(context.store, Store.redo)
        return _Step(steps.named(command), command, touched)

    step = await context.run("writes", do_again)
    if step.due:
        _ask(app, context, step, redo, "Redo", "undo")
    else:
        _tell_taken(app, step, "redone", again=True)


def _ask(app: BaseApp, context: AppContext, step: _Step, do: Callable[..., Any], what: str, other: str) -> None:
    """Ask for confirmation of a command, and call `do` with its ID."""

    def answered(yes: bool | None) -> None:
        if yes and step.command is not None:
            app.begin(partial(do, app, context, step.command.id), "writes", exclusive=False)

    app.push_screen(Confirm(f"{what}: {step.name}?", f"One step ({key_hint(app, other)})."), answered)


def _tell_taken(app: BaseApp, step: _Step, done: str, again: bool = False) -> None:
    redo = step.command is not None and not again
    app.say(f"{done}: {step.name}", Tone.GOOD, key_hint(app, "redo") if redo else "", undo=again)
    if step.command is not None:
        app.view.taken_back(step.command)
    app.view.follow(tuple(step.touched))


def add_typed(store: Store, words: str) -> Memory:
    """Add a memory in the person's own words; an order is always given. Raises StoreError, ValueError."""
    from curator.distill.rules import is_order

    return curation.add(store, words, given=Given.ALWAYS if is_order(words) else None)


async def add(app: BaseApp, context: AppContext) -> None:
    """Ask for a memory in the person's own words, add it, and say what it contradicts or repeats."""
    added: list[Memory] = []

    async def keep(words: str) -> str | None:
        try:
            added.append(await context.run("writes", add_typed, context.store, words))
        except (StoreError, ValueError) as error:
            return str(error)
        return None

    def compared(memory: int) -> verbs.OpenConflict | None:
        from curator.sweeps.compare import compare_now

        compare_now(context.store, memory)
        return verbs.strongest_conflict(context.store, [memory])

    await app.push_screen_wait(Ask("New memory", "One fact in your own words · enter saves · esc cancels", check=keep))
    for memory in added:
        always = f"always given: {key_hint(app, 'give')}" if memory.given is Given.ALWAYS else ""
        app.say(f"added “{excerpt(memory.text)}”", Tone.GOOD, always, undo=True)
        app.view.follow((memory.id,))
        conflict = await context.run("slow", partial(compared, memory.id))
        if conflict is not None:
            app.say(f"added, but it {conflict.text()}", hint=key_hint(app, "conflicts"), undo=True)

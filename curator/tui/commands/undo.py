"""Undo and redo, available in every view."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from curator.tui import verbs
from curator.tui.context import AppContext
from curator.tui.keymap import first_key, key_hint
from curator.tui.messages import StatusMessage, Tone
from curator.tui.screens.dialogs import Confirm
from curator.tui.view import BaseApp
from store import NotFound, Store
from store.model import Command


@dataclass(frozen=True, slots=True)
class _Step:
    """A command that was undone or redone, or that needs confirmation first, with the reason in `asks`."""

    name: str
    command: Command | None
    touched: Sequence[int] = ()
    asks: str | None = None


async def undo(app: BaseApp, context: AppContext, sure: int | None = None) -> None:
    """Undo the last command, or the view's own last change if the journal does not record it.

    Ask first if the command is not the person's last decision in this session, is a large merge, or precedes a purge.
    `sure` is the ID of the confirmed command.
    """
    view, undo_state, journal = app.view, context.undo_state, context.store.journal
    announce = _announcer(app)

    def undo_last() -> _Step:
        own = view.undo_own_change() if sure is None else None
        if own is not None:
            return _Step(own[0], None, own[1])
        last = journal.next_to_undo()
        if last is None:
            raise NotFound("there is nothing to undo")
        name, asks = undo_state.describe(last), undo_state.asks(last)
        if asks is None and undo_state.last != last.id:
            asks = "Your last change was undone by another process; this is the one before it."
        if asks is None and journal.final_command() is not None:
            asks = ""
        if sure == last.id or asks is None:
            announce(last, f"undoing: {name} …")
            undone, touched = verbs.undo_or_redo(context.store, partial(Store.undo, command=last.id))
            summary = journal.undo_summary(undone)
            return _Step(f"{name}; {summary}" if summary else name, undone, touched)
        return _Step(name, last, asks=asks)

    step = await context.run("writes", undo_last)
    if step.asks is not None:
        _ask(app, context, step, undo, "Undo", "redo")
    else:
        _report(app, step, "undone")


async def redo(app: BaseApp, context: AppContext, sure: int | None = None) -> None:
    """Redo the last undone command.

    Ask first if it concerns many memories and was not run by hand in this session, or if it was undone elsewhere.
    `sure` is the ID of the confirmed command.
    """
    undo_state, announce = context.undo_state, _announcer(app)

    def redo_last() -> _Step:
        following = context.store.journal.next_to_redo()
        if following is not None and undo_state.asks_again(following) and sure != following.id:
            return _Step(undo_state.describe(following), following, asks="")
        if following is not None:
            announce(following, f"redoing: {undo_state.describe(following)} …")
        again = partial(Store.redo, command=None if following is None else following.id)
        command, touched = verbs.undo_or_redo(context.store, again)
        undo_state.redone(command)
        return _Step(undo_state.describe(command), command, touched)

    step = await context.run("writes", redo_last)
    if step.asks is not None:
        _ask(app, context, step, redo, "Redo", "undo")
    else:
        _report(app, step, "redone", again=True)


def _announcer(app: BaseApp) -> Callable[[Command, str], None]:
    """Return a function, for threads, that shows a message before a command of many memories, which takes seconds."""
    loop = asyncio.get_running_loop()

    def announce(command: Command, message: str) -> None:
        if command.count > verbs.SLOW_ABOVE:
            with suppress(RuntimeError):  # the app was closed meanwhile; the command runs nevertheless
                loop.call_soon_threadsafe(app.say, message)

    return announce


def _ask(app: BaseApp, context: AppContext, step: _Step, do: Callable[..., Any], what: str, other: str) -> None:
    """Ask for confirmation of a command, and call `do` with its ID."""

    def answered(yes: bool | None) -> None:
        if yes and step.command is not None:
            app.begin(partial(do, app, context, step.command.id), "writes", exclusive=False)

    consequence = f"{step.asks} {first_key(app, other) or 'The palette'} {other}es it.".strip()
    app.push_screen(Confirm(f"{what}: {step.name}?", consequence), answered)


def _report(app: BaseApp, step: _Step, done: str, again: bool = False) -> None:
    redo = step.command is not None and not again
    hint = key_hint(app, "redo") if redo else ""
    app.view.post_message(StatusMessage(f"{done}: {step.name}", Tone.GOOD, hint, undo=again))
    if step.command is not None:
        app.view.after_undo(step.command)
    app.view.follow(tuple(step.touched))

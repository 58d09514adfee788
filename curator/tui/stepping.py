"""Steps that are taken from any area: the last one back, that one again, and a memory in the person's own words."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from curator import curation
from curator.tui import deciding
from curator.tui.areas.area import Tone
from curator.tui.desk import Desk
from curator.tui.screens.asking import Ask
from store import StoreError
from store.model import Command, Memory

if TYPE_CHECKING:
    from curator.tui.app import CuratorApp


async def undo(app: "CuratorApp", desk: Desk) -> None:
    """Take back the last step: what was done last in the area, where that is no step of the journal."""
    area = app.area
    what, touched = await desk.lanes["writes"].run(
        lambda: area.take_back_own() or deciding.take_back(desk.store, curation.undo)
    )
    if isinstance(what, Command):
        _tell_taken(app, what, touched, "took back", "redo")
    else:
        app.say(f"took back: {what}", Tone.GOOD)
        area.follow(tuple(touched))


async def redo(app: "CuratorApp", desk: Desk) -> None:
    """Do it again."""
    work = partial(deciding.take_back, desk.store, curation.redo)
    _tell_taken(app, *await desk.lanes["writes"].run(work), "did again", "undo")


def _tell_taken(app: "CuratorApp", command: Command, touched: Sequence[int], done: str, other: str) -> None:
    app.say(f"{done}: {deciding.named(command)}", Tone.GOOD, f"{app.keys[other][0]} {other}")
    app.area.taken_back(command)
    app.area.follow(tuple(touched))


async def add(app: "CuratorApp", desk: Desk) -> None:
    """Ask for a memory in the person's own words."""
    added: list[Memory] = []

    async def keep(words: str) -> str | None:
        try:
            added.append(await desk.lanes["writes"].run(partial(curation.add, desk.store, words)))
        except (StoreError, ValueError) as error:
            return str(error)
        return None

    question = Ask("A memory, in your own words", "One statement; enter keeps it, esc leaves it.", check=keep)
    await app.push_screen_wait(question)
    for memory in added:
        app.say(f"added “{deciding.short(memory.text)}”", Tone.GOOD, "u undo")
        app.area.follow((memory.id,))

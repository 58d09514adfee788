"""What a run over all memories would do, with the reason for each, and doing it if the person says so."""

from functools import partial
from typing import TYPE_CHECKING

from curator.tui.context import AppContext
from curator.tui.formatting import counted, one_line
from curator.tui.keymap import key_hint
from curator.tui.screens.dialogs import Confirm, Page
from curator.tui.view import Tone
from store import Store

if TYPE_CHECKING:
    from curator.lifecycle import Plan
    from curator.tui.app import CuratorApp

_SHOWN = 500  # changes that are named
_WORDS = 100  # characters of a memory


async def show(app: "CuratorApp", context: AppContext) -> None:
    """Show it, ask, and have it done."""
    app.say("looking at every memory …")
    planned, text = await context.executors["slow"].run(lambda: _preview(context.store))
    app.say("")
    if not planned.changes:
        app.say("nothing to do: every memory is ranked as it is used, and none has expired")
        return
    would = ", ".join(f"{step} {number:,}" for step, number in planned.counts.items())
    await app.push_screen_wait(Page(text, f"Would {would}"))
    question = Confirm(
        f"Do {counted(len(planned.changes), 'change')}: {would}?",
        f"It is one step: {key_hint(app, 'app.undo')}. From then on it is done every few hours by itself.",
    )
    if await app.push_screen_wait(question):
        app.begin(partial(_carry_out, app, context, planned), "writes", exclusive=False)


async def _carry_out(app: "CuratorApp", context: AppContext, planned: "Plan") -> None:
    """Do it apart from the question, which another question ends, and say what was done."""
    told = await context.executors["writes"].run(partial(_do, context.store, planned))
    app.say(told, Tone.GOOD, undo=True)
    app.view.follow()


def _preview(store: Store) -> "tuple[Plan, str]":
    from curator.lifecycle import plan

    planned = plan(store)
    shown = planned.changes[:_SHOWN]
    memories = {memory.id: memory for memory in store.get_many([change.memory for change in shown])}
    lines = [f"{counted(number)}: {why}" for number, why in planned.spared.reasons]
    for change in shown:
        if change.memory in memories:
            words = one_line(memories[change.memory].text, _WORDS)
            lines += ["", f"{change.step}  {change.memory}  {words}", f"    because {change.reason}"]
    if len(planned.changes) > _SHOWN:
        lines += ["", f"and {len(planned.changes) - _SHOWN:,} more; `curator tidy --dry-run --json` lists them all"]
    return planned, "\n".join(lines).strip()


def _do(store: Store, planned: "Plan") -> str:
    from curator.lifecycle import allow, run, told

    command, done = run(store, planned, manual=True)
    allow(store)
    return f"command {command}: {told(done)}" if command else "nothing was left to do"

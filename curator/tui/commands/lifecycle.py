"""The command `tidy`: preview of ranking and expiry, applied after confirmation."""

from typing import TYPE_CHECKING

from curator.display import counted
from curator.tui.context import AppContext
from curator.tui.keymap import key_hint
from curator.tui.messages import Tone
from curator.tui.screens.dialogs import Confirm, Page
from curator.tui.text_format import fit, one_line
from store import Store

if TYPE_CHECKING:
    from curator.lifecycle import LifecyclePlan
    from curator.tui.view import BaseApp

_PREVIEWED = 500  # changes listed in the preview
_WORDS = 100  # characters of a memory's text


async def tidy(app: "BaseApp", context: AppContext) -> None:
    """Preview ranking and expiry, and apply them if the person confirms."""
    app.say("checking every memory …")
    planned, text = await context.run("slow", _preview, context.store)
    app.say("")
    if not planned.changes:
        app.say("nothing to tidy: all ranks are up to date and nothing has expired")
        return
    would = ", ".join(f"{step} {counted(number)}" for step, number in planned.counts.items())
    await app.push_screen_wait(Page(text, f"Tidy would {would}"))
    question = Confirm(
        f"{would.capitalize()}?",
        f"One undo step ({key_hint(app, 'undo')}). After that, tidy runs automatically every few hours.",
    )

    async def apply_plan() -> None:
        def apply() -> tuple[str, bool]:
            from curator.lifecycle import allow, run, summarize_changes

            command, done = run(context.store, planned, manual=True)
            allow(context.store)
            return (f"tidied: {summarize_changes(done)}" if command else "nothing was left to do"), bool(command)

        done, undoable = await context.run("writes", apply)
        app.say(done, Tone.GOOD, undo=undoable)
        app.view.follow()

    if await app.push_screen_wait(question):
        app.begin(apply_plan, "writes", exclusive=False)


def _preview(store: Store) -> "tuple[LifecyclePlan, str]":
    from curator.lifecycle import plan

    planned = plan(store)
    shown = planned.changes[:_PREVIEWED]
    memories = {memory.id: memory for memory in store.get_many([change.memory for change in shown])}
    lines = ["Close this page to confirm or cancel.", ""]
    lines += [f"{counted(number)}: {why}" for number, why in planned.spared.reasons]
    for change in shown:
        if change.memory in memories:
            words = fit(one_line(memories[change.memory].text), _WORDS).rstrip()
            lines += ["", f"{change.step}  {change.memory}  {words}", f"    because {change.reason}"]
    if len(planned.changes) > _PREVIEWED:
        more = len(planned.changes) - _PREVIEWED
        lines += ["", f"and {more:,} more; list all with `curator tidy --dry-run --json`"]
    return planned, "\n".join(lines).strip()

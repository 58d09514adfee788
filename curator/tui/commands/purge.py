"""Commands to purge data older than the retention time, and to finish an interrupted purge."""

from typing import TYPE_CHECKING

from curator import purge_everywhere
from curator.display import counted, short_date
from curator.tui.context import AppContext
from curator.tui.messages import Target, Tone
from curator.tui.screens.dialogs import Ask, Menu, Option
from curator.tui.screens.purge_dialog import ConfirmPurge
from curator.tui.text_format import one_line
from store import clock

if TYPE_CHECKING:
    from curator.lifecycle import Outdated
    from curator.tui.view import BaseApp

_MAX_DAYS = 36_500
_SHOWN = 6  # conversations listed in the confirmation
_MEMORIES, _LOGS = "memories", "logs"


async def show_outdated(app: "BaseApp", context: AppContext) -> Target | None:
    """Ask for a number of days, then for memories or logs; return the list of memories if asked for."""

    def proposed() -> int:
        from curator.config import settings

        return settings().lifecycle.retention

    async def check(text: str) -> str | None:
        number = int(text) if text.isascii() and text.isdecimal() and len(text) < 6 else 0
        return None if 0 < number <= _MAX_DAYS else f"enter a number of days, 1 to {_MAX_DAYS:,}"

    def read(days: int) -> "tuple[int, list[Outdated], list[Outdated]]":
        from curator.lifecycle import cutoff, outdated, outdated_logs

        now, store = clock.now(), context.store
        return cutoff(days, now), list(outdated(store, days, now)), list(outdated_logs(store, days, now))

    days = str(await context.run("load", proposed))
    hint = "enter lists them, nothing is erased · esc cancels"
    title = "List memories forgotten or logs imported more than this many days ago"
    question = Ask(title, hint, days, check, marked=True)
    answer = await app.push_screen_wait(question)
    if not answer:
        return None
    before, memories, logs = await context.run("slow", read, int(answer))
    since = f"more than {counted(int(answer), 'day')} ago"
    listed, erased = counted(len(memories)), counted(len(logs), "conversation")
    options = [Option("m", _MEMORIES, f"list {listed} forgotten or expired before")] if memories else []
    options += [Option("l", _LOGS, f"erase {erased} imported before")] if logs else []
    if not options:
        app.say(f"nothing was forgotten or imported {since}")
        return None
    chosen = await app.push_screen_wait(Menu(since.capitalize(), options))
    if chosen == _LOGS:
        await _erase(app, context, logs, before)
    if chosen != _MEMORIES:
        return None
    status = f"`purge` in the palette erases the marked of these {len(memories):,}"
    ids = tuple(memory.id for memory in memories)
    return Target(terms="state:any", memories=ids, title=f"forgotten {since}", status=status)


async def _erase(app: "BaseApp", context: AppContext, logs: "list[Outdated]", before: int) -> None:
    """Erase the messages of conversations older than `before`, except those changed meanwhile, after a typed
    confirmation.
    """
    ids = [log.id for log in logs]
    titled = await context.run("rows", context.store.raw.get_conversations, ids[:_SHOWN])
    titles = {conversation.id: one_line(conversation.name, 60) for conversation in titled}
    lines = [f"{short_date(log.since)}  {titles.get(log.id, '')}" for log in logs[:_SHOWN]]
    lines += [f"and {len(ids) - _SHOWN:,} more"] if len(ids) > _SHOWN else []
    lines += ["", "Their messages are erased. Memories made of them stay, with their quotes."]

    async def erase() -> None:
        erased, left = await context.run("writes", purge_everywhere.purge_logs, context.store, ids, before)
        done = f"erased {counted(erased.messages, 'message')} of {counted(erased.conversations, 'conversation')}"
        if changed := len(ids) - erased.conversations:
            done += f"; kept {counted(changed, 'conversation')} that changed meanwhile"
        app.say(f"{done}, but {'; '.join(left)}" if left else done, Tone.BAD if left else Tone.GOOD)
        app.view.follow()

    question = ConfirmPurge(f"Erase {counted(len(ids), 'conversation')}?", "\n".join(lines))
    if await app.push_screen_wait(question):
        app.begin(erase, "writes", exclusive=False)


async def finish_purge(app: "BaseApp", context: AppContext) -> None:
    """Finish an interrupted purge, if there is one, and report it."""
    if await context.run("slow", context.store.unfinished_purge) is None:
        return
    app.say("finishing an interrupted purge: rewriting files …")
    left = await context.run("writes", purge_everywhere.continue_purge, context.store)
    app.say(f"purge not finished: {'; '.join(left)}" if left else "finished an interrupted purge",
            Tone.BAD if left else Tone.GOOD)  # fmt: skip

"""What was let go, and logs that came in, long ago: listed for the person, who alone erases them for good."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from curator import curation
from curator.tui.context import AppContext
from curator.tui.formatting import counted, day, one_line
from curator.tui.screens.dialogs import Ask, Menu, Option
from curator.tui.screens.purge_dialog import ConfirmPurge
from curator.tui.view import Target, Tone
from store import Store, clock

if TYPE_CHECKING:
    from curator.lifecycle import Outdated
    from curator.tui.base_app import BaseApp

_DAYS = 365  # that are proposed where lifecycle.retention says nothing
_LONGEST = 36_500  # days
_SHOWN = 6  # conversations named in the question
_MEMORIES, _LOGS = "memories", "logs"


@dataclass(frozen=True, slots=True)
class _Past:
    """What is past the moment `before`, the first first, and how the conversations are called."""

    before: int
    memories: "Sequence[Outdated]"
    logs: "Sequence[Outdated]"
    titles: dict[int, str]


async def show(app: "BaseApp", context: AppContext) -> Target | None:
    """Ask after how many days, then memories or logs; returns the list of memories that was asked for."""
    days = await _ask_days(app, context)
    if days is None:
        return None
    past = await context.executors["slow"].run(lambda: _read(context.store, days))
    options = []
    if past.memories:
        options.append(Option("m", _MEMORIES, f"{counted(len(past.memories))} let go or expired before: list them"))
    if past.logs:
        options.append(Option("l", _LOGS, f"{counted(len(past.logs), 'conversation')} that came in before: erase them"))
    if not options:
        app.say(f"nothing was let go more than {counted(days, 'day')} ago, and no log is older")
        return None
    chosen = await app.push_screen_wait(Menu(f"More than {counted(days, 'day')} ago", options))
    if chosen == _LOGS:
        await _erase(app, context, past)
    if chosen != _MEMORIES:
        return None
    app.say(f"purge, in the palette, erases what is marked of these {len(past.memories):,} for good")
    ids = tuple(one.id for one in past.memories)
    return Target(terms="state:any", memories=ids, title=f"let go more than {counted(days, 'day')} ago")


async def _ask_days(app: "BaseApp", context: AppContext) -> int | None:
    def usual() -> int:
        from curator.config import settings

        return settings().lifecycle.retention or _DAYS

    async def fits(text: str) -> str | None:
        number = int(text) if text.isascii() and text.isdecimal() and len(text) < 6 else 0
        return None if 0 < number <= _LONGEST else f"a number of days from 1 to {_LONGEST:,}"

    proposed = str(await context.executors["load"].run(usual))
    hint = "Nothing is erased by looking. What lifecycle.retention says is proposed."
    question = Ask("Let go, or in a log that came in, more than how many days ago?", hint, proposed, fits, marked=True)
    answer = await app.push_screen_wait(question)
    return int(answer) if answer else None


def _read(store: Store, days: int) -> _Past:
    from curator.lifecycle import cutoff, outdated, outdated_logs

    now = clock.now()
    logs = outdated_logs(store, days, now)
    talks = store.raw.get_conversations([one.id for one in logs[:_SHOWN]])
    titles = {talk.id: one_line(talk.title or "untitled", 60) for talk in talks}
    return _Past(cutoff(days, now), outdated(store, days, now), logs, titles)


async def _erase(app: "BaseApp", context: AppContext, past: _Past) -> None:
    """Have what was said in all of them erased, after a word was typed."""
    named = [f"{day(one.since)}  {past.titles.get(one.id, '')}" for one in past.logs[:_SHOWN]]
    more = [f"and {len(past.logs) - _SHOWN:,} more"] if len(past.logs) > _SHOWN else []
    told = "\n".join(
        (*named, *more, "", "What was said in them goes for good; memories made of it stay, with their quotes.")
    )
    if await app.push_screen_wait(ConfirmPurge(f"Erase {counted(len(past.logs), 'conversation')}?", told)):
        app.begin(partial(_carry_out, app, context, past), "writes", exclusive=False)


async def _carry_out(app: "BaseApp", context: AppContext, past: _Past) -> None:
    """Erase it in those that have not gone on meanwhile, apart from the question, which another question ends."""
    ids = [one.id for one in past.logs]
    erased, left = await context.executors["writes"].run(lambda: curation.purge_logs(context.store, ids, past.before))
    done = f"erased {counted(erased.messages, 'message')} of {counted(erased.conversations, 'conversation')}"
    if gone_on := len(ids) - erased.conversations:
        done += f"; left alone: {counted(gone_on, 'conversation')} that changed meanwhile"
    app.say(f"{done}, but {'; '.join(left)}" if left else done, Tone.BAD if left else Tone.GOOD)
    app.view.follow()


async def finish_purge(app: "BaseApp", context: AppContext) -> None:
    """Go on with a purge that was interrupted, and say what came of it."""
    app.say("finishing a purge that was interrupted: the files are written anew …")
    left = await context.executors["writes"].run(partial(curation.continue_purge, context.store))
    if left:
        app.say(f"a purge is not done yet: {'; '.join(left)}", Tone.BAD)
    else:
        app.say("a purge that was interrupted is done now", Tone.GOOD)

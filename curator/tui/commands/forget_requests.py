"""What the person asked in chats to be forgotten, and what came again after it was: a menu, and from there a list.

Nothing is let go by looking: the list has what may be meant, all of it marked, and one key forgets it in one step.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from curator.tui.context import AppContext
from curator.tui.formatting import counted, one_line
from curator.tui.labels import source
from curator.tui.screens.dialogs import Menu, Option
from curator.tui.view import Target
from store import Store, clock
from store.model import ForgetRequest

if TYPE_CHECKING:
    from curator.tui.app import CuratorApp

_MOST = 30  # requests in the menu, each with a key of its own
_KEYS = "123456789abcdefghijklmnopqstuvwxyz"
_PASSAGES = 100  # that were refused, among which is looked for what came back
_WORDS = 50  # of a request, in characters


@dataclass(frozen=True, slots=True)
class Lead:
    """A line of the menu, what it leads to, and the verb for that; `seen` are requests that are shown by it.

    The value of the option is its key, since two requests may begin with the same words.
    """

    option: Option
    target: Target
    told: str
    verb: str
    seen: tuple[tuple[int, int, int], ...] = ()


def offer(store: Store) -> str:
    """What is said of requests that the person was not shown yet; empty if there are none. For a thread."""
    waiting = store.forget_requests.count_unseen()
    return f"you asked in chats to forget {counted(waiting, 'thing')}" if waiting else ""


async def show(app: "CuratorApp", context: AppContext) -> Target | None:
    """Ask which request, or what came back; the list of what is meant by it, None for none."""
    app.say("looking for what is meant …")
    found = await context.executors["slow"].run(lambda: leads(context.store, context.returned))
    app.say("" if found else "you asked for nothing to be forgotten in the chats that are here")
    if not found:
        return None
    menu = Menu("What you asked in chats to be forgotten: nothing is let go yet", [one.option for one in found])
    chosen = await app.push_screen_wait(menu)
    seen = [place for one in found if one.option.value in {*menu.offered, chosen} for place in one.seen]
    await context.executors["writes"].run(lambda: context.store.forget_requests.mark_seen(seen))
    lead = next((one for one in found if one.option.value == chosen), None)
    if lead is None:
        return None
    app.say(lead.told, hint=f"{app.keys[lead.verb][0]} {lead.verb}" if lead.verb else "")
    return lead.target if lead.target.memories else None


def leads(store: Store, returned: Sequence[int]) -> list[Lead]:
    """What came back, then what was asked, the unseen first; for a thread, since it may read all memories."""
    from curator.services.forget_requests import meant_by_each

    requests = store.forget_requests.page(_MOST)
    found = [] if not (back := _came_back(store, returned)) else [_returned(back)]
    words = sorted({one.words for one in requests})  # in one order, whichever were seen
    meant = dict(zip(words, meant_by_each(store, words), strict=True))
    for key, one in zip(_KEYS, requests, strict=False):
        found.append(_asked(key, one, tuple(memory.id for memory in meant[one.words])))
    return found


def _asked(key: str, one: ForgetRequest, memories: tuple[int, ...]) -> Lead:
    words = f"“{one_line(one.words, _WORDS)}”"
    day = None if one.said_at is None else clock.to_iso(one.said_at)[:10]
    where = " · ".join(part for part in (source(one.source), one_line(one.title or "", 30), day) if part)
    count = f"{counted(len(memories))} may be meant" if memories else "nothing in memory has these words"
    told = f"marked is what may be meant by {words}" if memories else f"{words}: {count}"
    target = Target(memories=memories, title=f"meant by {words}", marked=True)
    option = Option(key, key, f"{count} · {where}", words)
    return Lead(option, target, told, "forget" if memories else "", (one.place,))


def _returned(memories: Sequence[int]) -> Lead:
    what = f"{counted(len(memories))} that you had let go of; restore lets one in again"
    return Lead(
        Option("r", "r", what, "came back, refused"),
        Target(terms="is:forgotten", memories=tuple(memories), title="came back, refused"),
        "these came again and were refused, since you let go of them",
        "restore",
    )


def _came_back(store: Store, returned: Sequence[int]) -> list[int]:
    """The memories let go that came again: with the last import, and in passages that were refused for it."""
    from curator.curation import said_again
    from curator.text import worded

    refused = store.distillation.refused("forgotten", None, _PASSAGES)
    messages = store.raw.visible_messages(sorted({one.message for one in refused}))
    quotes = [messages[one.message].text[one.start : one.end] for one in refused if one.message in messages]
    found = dict.fromkeys([*returned, *(said_again(store, worded(quote)) for quote in quotes)])
    return [*store.tombstones.texts([memory for memory in found if memory is not None])]

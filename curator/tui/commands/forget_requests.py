"""Menu of forget requests found in chats and of forgotten memories that came back.

Opening it forgets nothing. It opens a list with the matches marked and doubtful ones unmarked below; one key forgets
the marked memories in one command.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from curator.display import counted, short_date
from curator.tui.context import AppContext
from curator.tui.keymap import first_key, key_hint
from curator.tui.labels import source
from curator.tui.messages import Target
from curator.tui.screens.dialogs import Menu, Option
from curator.tui.text_format import clipped
from curator.tui.view import BaseApp
from store import Store
from store.model import ForgetRequest, Review
from store.record.distillation import Place

if TYPE_CHECKING:
    from curator.services.forget_requests import RequestMatches

_MOST = 30  # requests in the menu, each with its own key
_KEYS = "123456789abcdefghijklmnopqstuvwxyz"  # r opens what came back
_PASSAGES = 100  # refused passages searched for forgotten memories that came back
_WORDS = 50  # length of a quoted request in characters
_WHY = 60  # length of the reasons for doubt in characters


@dataclass(frozen=True, slots=True)
class Lead:
    """A menu option with its target and verb; `seen` lists the requests that it shows.

    The value of the option is its key, since two requests may begin with the same words.
    """

    option: Option
    target: Target
    verb: str
    seen: tuple[Place, ...] = ()

    @classmethod
    def of_request(
        cls, key: str, request: ForgetRequest, matches: "RequestMatches", around: tuple[Place, ...]
    ) -> "Lead":
        """Return the lead to the matches of a request; `around` are requests with the same wish that contain it."""
        sure, doubtful = tuple(memory.id for memory in matches.sure), matches.doubtful
        quote = f"“{clipped(request.words, _WORDS)}”"
        date = None if request.said_at is None else short_date(request.said_at)
        where = " · ".join(part for part in (source(request.source), clipped(request.title or "", 30), date) if part)
        validated = sum(memory.review is Review.VALIDATED for memory in matches.sure)
        decided = f" ({'' if validated == len(sure) else f'{validated} '}validated)" if validated else ""
        counts = [f"{counted(len(sure))} may match{decided}"] if sure else []
        if doubtful:
            counts.append(f"{len(doubtful)} in doubt" if sure else f"{counted(len(doubtful))} in doubt")
        count = ", ".join(counts) or "no memory matches"
        status = f"marked the matches of {quote}" if sure else f"{quote}: {count}"
        if doubtful:
            reasons = clipped(", ".join(dict.fromkeys(match.why for match in doubtful)), _WHY)
            status += f"; in doubt, not marked: {reasons}" if sure else f": {reasons}"
        memories = (*sure, *(match.memory.id for match in doubtful))
        target = Target(memories=memories, title=f"matching {quote}", marked=sure, status=status)
        option = Option(key, key, f"{count} · {where}", quote)
        return cls(option, target, "forget" if sure else "", (request.place, *around))


async def offer(app: BaseApp, context: AppContext) -> None:
    """Announce unseen forget requests on the status bar."""
    waiting = await context.run("load", context.store.forget_requests.count_unseen)
    if waiting and not app.has_status:
        message = f"{counted(waiting, 'request')} to forget found in your chats"
        app.say(message, hint=f"{first_key(app, 'forget-requests') or '`forget requests`'} shows the matches")


async def show(app: BaseApp, context: AppContext) -> Target | None:
    """Ask for a forget request, or the forgotten memories that came back; return the list of its memories."""
    app.say("searching for matching memories …")
    found = await context.run("slow", lambda: leads(context.store, context.forgotten_matches))
    app.say("" if found else "no requests to forget in your chats")
    if not found:
        return None
    menu = Menu("Requests to forget in your chats", [lead.option for lead in found])
    chosen = await app.push_screen_wait(menu)
    seen = [place for lead in found if lead.option.value in {*menu.offered, chosen} for place in lead.seen]
    await context.run("writes", lambda: context.store.forget_requests.mark_seen(seen))
    lead = next((lead for lead in found if lead.option.value == chosen), None)
    if lead is None:
        return None
    if lead.target.memories:
        return replace(lead.target, hint=key_hint(app, lead.verb) if lead.verb else "")
    app.view.say(lead.target.status)
    return None


def leads(store: Store, returned: Sequence[int]) -> list[Lead]:
    """Return forgotten memories that came back, then the requests, unseen first. Slow: run in a thread."""
    from curator.curation import find_forgotten
    from curator.distill.forget.classified import empty_words
    from curator.services.asked_memories import match_asked
    from curator.text import plain_words, worded

    requests, result = store.forget_requests.page(_MOST), []
    refused = store.distillation.refused("forgotten", None, _PASSAGES)
    messages = store.raw.visible_messages(sorted({passage.message for passage in refused}))
    quotes = [
        messages[passage.message].text[passage.start : passage.end]
        for passage in refused
        if passage.message in messages
    ]
    again = dict.fromkeys([*returned, *(find_forgotten(store, worded(quote)) for quote in quotes)])
    if back := tuple(store.tombstones.texts([memory for memory in again if memory is not None])):
        about = f"{counted(len(back))} you had forgotten, said again; restore brings one back"
        status = "said again in a log, and refused because you had forgotten them"
        target = Target(terms="is:forgotten", memories=back, title="forgotten, said again", status=status)
        result.append(Lead(Option("r", "r", about, "forgotten, said again"), target, "restore"))
    topic_words = {request.place: set(plain_words(request.words)) - empty_words() for request in requests}
    inside = {  # "forget about the lump" in "dont mention the lump, forget about it" is one wish
        outer.place: [
            inner.place
            for inner in requests
            if inner.message == outer.message and outer.start <= inner.start and inner.end <= outer.end
            if inner != outer and topic_words[outer.place] <= topic_words[inner.place]
        ]
        for outer in requests
    }
    requests = [request for request in requests if not inside[request.place]]
    words = sorted({request.words for request in requests})  # sorted for an order that does not depend on the seen ones
    matches = dict(zip(words, match_asked(store, words), strict=True))
    for key, request in zip(_KEYS, requests, strict=False):
        around = tuple(place for place, within in inside.items() if request.place in within)
        result.append(Lead.of_request(key, request, matches[request.words], around))
    return result

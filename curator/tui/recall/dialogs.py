"""How Recall is asked: by which preset and beside which, in which budget and form, among which memories, and the checks
that are kept."""

from functools import partial
from typing import TYPE_CHECKING

from curator.filters.memories import BadFilter, parse_filter
from curator.recall.block import Detail, Style
from curator.recall.preset_names import Preset
from curator.tui.recall import queries
from curator.tui.screens.dialogs import Ask, Menu, Option

if TYPE_CHECKING:
    from curator.tui.recall.view import Recall

_LEAST = 50  # tokens of a budget
_ALONE = "none"
_KEYS = "123456789abdefghijklmnoprstvwxyz"  # of the checks in their menu
PRESETS = (
    Option("c", Preset.CURATOR, "ours, measured to find most"),
    Option("o", Preset.YOCORE, "places by words and by meaning"),
    Option("h", Preset.HYBRID, "meaning, words and age"),
    Option("l", Preset.LYNKR, "words, importance and age"),
    Option("y", Preset.YAK, "meaning × age × warmth × tier"),
    Option("a", Preset.YAK_ADDITIVE, "the same as a sum"),
    Option("g", Preset.YAK_LOG, "the same as logarithms"),
)
_FORMS = (
    ("s", (Style.SYSTEM, Detail.COMPACT), "notes for a system prompt, one line a memory"),
    ("d", (Style.SYSTEM, Detail.DETAILED), "the same with kind, standing and what was said"),
    ("p", (Style.PREAMBLE, Detail.COMPACT), "said by the assistant before it answers"),
    ("r", (Style.PREAMBLE, Detail.DETAILED), "the same with kind, standing and what was said"),
)


async def preset(view: "Recall") -> None:
    """By which preset."""
    current = None if view.answer is None else view.answer.preset
    chosen = await view.app.push_screen_wait(Menu("Rank by", PRESETS, current))
    if chosen is not None:
        view.preset = Preset(chosen)
        view.ask()


async def against(view: "Recall") -> None:
    """Beside which preset the places are shown."""
    options = [Option("n", _ALONE, "no places beside"), *PRESETS]
    chosen = await view.app.push_screen_wait(Menu("Beside the places by", options, view.against or _ALONE))
    if chosen is not None:
        view.against = None if chosen == _ALONE else Preset(chosen)
        view.ask()


async def budget(view: "Recall") -> None:
    """In how many tokens."""

    async def fits(text: str) -> str | None:
        return None if text.isdecimal() and int(text) >= _LEAST else f"a number of {_LEAST} or more"

    former = "" if view.answer is None else str(view.answer.budget)
    question = Ask("Tokens a block may have", "Kept while the app runs; else recall.budget.", former, fits)
    chosen = await view.app.push_screen_wait(question)
    if chosen:
        view.budget = int(chosen)
        view.ask()


async def form(view: "Recall") -> None:
    """In which form the block is."""
    names = {" ".join(form): form for _, form, _ in _FORMS}
    options = [Option(key, " ".join(form), told) for key, form, told in _FORMS]
    chosen = await view.app.push_screen_wait(Menu("The block is", options, " ".join(view.form)))
    if chosen is not None:
        view.form = names[chosen]
        view.ask()


async def among(view: "Recall") -> None:
    """Among which memories."""

    async def fits(text: str) -> str | None:
        try:
            parse_filter(text)
        except BadFilter as error:
            return str(error)
        return None

    hint = "scope:global scope:project:NAME is what holds there · project:NAME kind:task age:<90d … · empty: all"
    chosen = await view.app.push_screen_wait(Ask("Only among", hint, view.among, fits))
    if chosen is not None:
        view.among = chosen
        view.ask()


async def checks(view: "Recall") -> None:
    """What comes of the checks, those that do not hold first; the chosen one is asked, as `curator check` does it."""
    from curator.services.recall import NOT_WARMED

    view.say("running the checks …")
    run = await view.context.executors["recall"].run(partial(view.recaller.run_checks, view.context.now()))
    found = sorted(run.results, key=lambda outcome: outcome.holds)
    if not found:
        view.say("no check is kept: ask something, and > or < on a memory keeps one")
        return
    broken = sum(not outcome.holds for outcome in found)
    told = f"{broken:,} of {len(found):,} checks do not hold" if broken else "all checks hold"
    view.say(told if run.warmed else f"{told}; {NOT_WARMED}")
    options = [
        Option(key, outcome.check.query, "holds" if outcome.holds else queries.problems(outcome))
        for key, outcome in zip(_KEYS, found, strict=False)
    ]
    more = f", the first {len(options)}" if len(options) < len(found) else ""
    chosen = await view.app.push_screen_wait(Menu(f"Checks{more}", options))
    if chosen is not None:
        view.preset, view.budget, view.among = None, None, ""
        view.put(chosen)

"""Dialogs of the Recall view: preset, comparison, budget, format, filter, checks."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from textual.app import App

from curator.display import counted
from curator.filters import BadFilter, parse_filter
from curator.recall.block import Detail, Style
from curator.recall.expectations import CheckResult
from curator.recall.types import Preset
from curator.tui.recall import queries
from curator.tui.recall.queries import RecallAnswer, RecallQuestion
from curator.tui.screens.dialogs import Ask, Menu, Option

Dialog = Callable[[App[Any], RecallQuestion, RecallAnswer | None], Awaitable[RecallQuestion | None]]
"""Asks for an option of the answer; returns the changed question, or None if cancelled."""

_LEAST = 50  # minimum token budget
_ALONE = "none"
_KEYS = "123456789abdefghijklmnoprstvwxyz"  # keys of the checks in their menu
PRESETS = (
    Option("c", Preset.CURATOR, "default, best in our benchmarks"),
    Option("o", Preset.YOCORE, "words and meaning"),
    Option("h", Preset.HYBRID, "meaning, words and age"),
    Option("l", Preset.LYNKR, "words, importance and age"),
    Option("y", Preset.YAK, "meaning × age × warmth × tier"),
    Option("a", Preset.YAK_ADDITIVE, "yak as a sum"),
    Option("g", Preset.YAK_LOG, "yak as a sum of logarithms"),
)
_FORMS = {
    "system compact": ("s", "system prompt, one line per memory"),
    "system detailed": ("d", "system prompt, with kind, status and quotes"),
    "preamble compact": ("p", "assistant message, one line per memory"),
    "preamble detailed": ("r", "assistant message, with kind, status and quotes"),
}


async def ask_preset(app: App[Any], question: RecallQuestion, answer: RecallAnswer | None) -> RecallQuestion | None:
    """Ask for the preset to rank by."""
    chosen = await app.push_screen_wait(Menu("Rank by", PRESETS, None if answer is None else answer.preset))
    return None if chosen is None else replace(question, preset=Preset(chosen))


async def ask_against(app: App[Any], question: RecallQuestion, answer: RecallAnswer | None) -> RecallQuestion | None:
    """Ask for the preset to compare with."""
    options = [Option("n", _ALONE, "no comparison"), *PRESETS]
    chosen = await app.push_screen_wait(Menu("Compare with", options, question.against or _ALONE))
    return None if chosen is None else replace(question, against=None if chosen == _ALONE else Preset(chosen))


async def ask_budget(app: App[Any], question: RecallQuestion, answer: RecallAnswer | None) -> RecallQuestion | None:
    """Ask for the token budget of the block."""

    async def check(text: str) -> str | None:
        return None if text.isdecimal() and int(text) >= _LEAST else f"enter a number, {_LEAST} or more"

    current = "" if answer is None else str(answer.budget)
    chosen = await app.push_screen_wait(
        Ask("Token budget", "Applies until you quit; set recall.budget to keep it.", current, check)
    )
    return replace(question, budget=int(chosen)) if chosen else None


async def ask_form(app: App[Any], question: RecallQuestion, answer: RecallAnswer | None) -> RecallQuestion | None:
    """Ask for the format of the block."""
    options = [Option(key, name, about) for name, (key, about) in _FORMS.items()]
    chosen = await app.push_screen_wait(Menu("Block format", options, " ".join(question.form)))
    if chosen is None:
        return None
    style, detail = chosen.split()
    return replace(question, form=(Style(style), Detail(detail)))


async def ask_among(app: App[Any], question: RecallQuestion, answer: RecallAnswer | None) -> RecallQuestion | None:
    """Ask for a filter that restricts recall."""

    async def check(text: str) -> str | None:
        try:
            parse_filter(text)
        except BadFilter as error:
            return str(error)
        return None

    hint = "For example kind:task, age:<90d, project:NAME, or scope:global scope:project:NAME. Empty: all memories."
    chosen = await app.push_screen_wait(Ask("Only memories that match", hint, question.among, check))
    return None if chosen is None else replace(question, among=chosen)


DIALOGS: Mapping[str, Dialog] = {
    "preset": ask_preset,
    "against": ask_against,
    "budget": ask_budget,
    "form": ask_form,
    "among": ask_among,
}


def project_menu(projects: Sequence[tuple[str, int]], current: str | None) -> Menu:
    """Return a menu of projects with their numbers of memories; the entry for all projects has an empty value."""
    options = [Option("a", "", "no project", "all projects")]
    keys = _KEYS.replace("a", "")
    options += [Option(key, name, counted(count)) for key, (name, count) in zip(keys, projects, strict=False)]
    return Menu("Recall as in a session of a project", options, current or "")


def checks_menu(checks: Sequence[CheckResult]) -> Menu:
    """Return a menu of the checks' prompts, with projects and results; the values are the ids of the checks."""
    options = [
        Option(
            key,
            str(checked.check.id),
            "passes" if checked.holds else queries.problems(checked),
            f"{checked.check.query} · {checked.check.project}" if checked.check.project else checked.check.query,
        )
        for key, checked in zip(_KEYS, checks, strict=False)
    ]
    return Menu(f"Checks, the first {len(options)}" if len(options) < len(checks) else "Checks", options)

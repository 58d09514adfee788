"""Fixtures that make tests of the app fast and independent of the developer's machine."""

from pathlib import Path
from typing import Any

import pytest
import textual._wait
from textual._compositor import Compositor
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.pilot import Pilot

from curator.tui.commands import model_setup
from effort import ALL
from store.analytics import Analytics, memory_view
from tui import deferred_draw, quick_wait, shared_analytics


async def _no_offer(*_: object) -> None:
    """Do nothing: replaces the offer to set up a model."""


textual._wait.SLEEP_GRANULARITY = 0.015  # seconds after which the pilot calls a process idle; four waits per key
textual._wait.SLEEP_IDLE = textual._wait.SLEEP_GRANULARITY / 10

Pilot._wait_for_screen = quick_wait.wait_for_busy  # type: ignore[method-assign,assignment]

RuleSet.__hash__ = object.__hash__  # type: ignore[method-assign]  # the same in C: a thousand calls per styled widget

_PARSED: dict[object, list[RuleSet]] = {}
_parse_rules = Stylesheet._parse_rules


def _parse_once(sheet: Stylesheet, *styles: Any, **more: Any) -> list[RuleSet]:
    """Parse style sheets once per process, not once per app: a fifth of an app's start-up time."""
    key = (styles, *more.items(), *sheet._variables.items())
    if key not in _PARSED:
        _PARSED[key] = _parse_rules(sheet, *styles, **more)
    return _PARSED[key]


Stylesheet._parse_rules = _parse_once  # type: ignore[method-assign,assignment]


@pytest.fixture(autouse=True)
def _impatient(own_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for home in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(home, str(own_folder))  # hides the developer's own logs
    monkeypatch.setattr(Compositor, "render_update", deferred_draw.put_off)
    if not ALL:
        monkeypatch.setattr(memory_view, "new_database", shared_analytics.take)
        monkeypatch.setattr(Analytics, "_discard", shared_analytics.give_back)
    monkeypatch.setattr(model_setup, "offer", _no_offer)  # hides the developer's own model server

"""Snapshots of every view, wide and at 80 by 24, and of the dialogs, compared character by character."""

import secrets
import sys
from dataclasses import replace
from typing import Any

import pytest
from textual.strip import Strip

from curator.lifecycle import plan, run
from curator.tui.app import CuratorApp
from curator.tui.glyphs import ASCII, UNICODE, Glyphs
from curator.ui_defaults import Looks
from effort import THOROUGH
from store import Filter, Store, clock
from tui import deferred_draw
from tui.conflict_pairs import clashes
from tui.driver import QUICK
from tui.fake_sweeper import DISTIL, IDLE, JUDGE, WARMTH, WATCH, posed
from tui.sample_store import NOW, fill, rephrase

WIDE, SMALL = (120, 36), (80, 24)

PICTURES = {
    "inbox": ("curator-dark", WIDE, "inbox", ("a", "j")),
    "inbox-small": ("paper", SMALL, "inbox", ("j",)),
    "memories": ("curator-dark", WIDE, "memories", ("j", "space", "space", "k", "k")),
    "memories-small": ("curator-light", SMALL, "memories", ("j",)),
    "facets-small": ("high-contrast", SMALL, "memories", ("f", "j")),
    "merge": ("ember", WIDE, "memories", ("space", "space", "m")),
    "kind": ("colour-blind", SMALL, "memories", ("T",)),
    "groups": ("paper", SMALL, "inbox", ("j", "right", "j")),
    "conflicts": ("curator-dark", WIDE, "conflicts", ("m",)),
    "conflicts-list": ("paper", WIDE, "conflicts", ("]",)),
    "conflicts-small": ("curator-light", SMALL, "conflicts", ()),
    "recall": ("curator-dark", WIDE, "recall", (*"lives", "enter", ">", "j", "j", "V", "h")),
    "recall-small": ("paper", SMALL, "recall", (*"lives", "enter", "j")),
    "sources": ("curator-light", WIDE, "sources", ("tab", "n")),
    "insights": ("curator-dark", WIDE, "insights", ()),
    "insights-small": ("curator-light", SMALL, "insights", ()),
    "history": ("paper", WIDE, "history", ()),
    "sweeps": ("curator-dark", WIDE, "memories", ("w", "j")),
    "sweeps-small": ("paper", SMALL, "memories", ("w", "j")),
    "help": ("curator-light", SMALL, "memories", ("?",)),
    "letters": ("ansi", SMALL, "memories", ("space",)),
}

LASTING = ("related detail", "sweeps")
"""Groups of workers that run as long as the app."""
AGAIN = {f"{name}-small" for name in PICTURES} | {"facets-small", "merge", "kind", "groups", "conflicts-list"}
"""Further snapshots of a view: for thorough runs, and for updates, which delete snapshots without a test."""
ALL = THOROUGH or "--snapshot-update" in sys.argv


@pytest.mark.parametrize("name", [name for name in PICTURES if ALL or name not in AGAIN])
def test_pictures(store: Store, snap_compare: Any, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    theme, size, view, keys = PICTURES[name]
    monkeypatch.setattr("store.clock.now", lambda: NOW)
    if view == "insights":
        monkeypatch.setattr("store.clock.now", lambda: NOW - 200 * clock.DAY)
    fill(store)
    if view == "insights":
        for days in range(190, -1, -10):
            moment = NOW - days * clock.DAY
            monkeypatch.setattr("store.clock.now", lambda moment=moment: moment)
            store.recalls.record_use(store.list_ids(Filter())[:9])
            run(store, plan(store))
    if name == "groups":
        rephrase(store)
    if name == "conflicts-list":
        clashes(store, 5)
    if view == "recall":
        monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "hashing")
        monkeypatch.setattr(secrets, "token_hex", lambda size: "0" * 2 * size)  # the id of a block is random
    signs: Glyphs = ASCII if name == "letters" else UNICODE
    sweeps = posed(IDLE, DISTIL, JUDGE, WARMTH, WATCH)
    looks, calm = Looks(theme=theme), replace(QUICK, watch=60)
    app = CuratorApp(store, looks, now=lambda: NOW, glyphs=signs, first=view, sweeper=sweeps.made, timings=calm)

    async def before(pilot: Any) -> None:
        await wait_until_idle(app, pilot)
        for key in keys:
            await pilot.press(key)
            await wait_until_idle(app, pilot)
        drawn: list[Strip] = []
        for _ in range(40):  # until two frames are equal: a layout may follow the first drawing
            await pilot.pause(0.2)
            former, drawn = drawn, deferred_draw.strips(app)
            if drawn == former:
                break

    try:
        assert snap_compare(app, terminal_size=size, run_before=before)
        assert not app.failure, app.failure
    finally:
        app.finish()


async def wait_until_idle(app: CuratorApp, pilot: Any) -> None:
    """Wait until only workers of `LASTING` and dialogs are active; a busy machine draws late."""
    for _ in range(400):
        await pilot.pause(0.05)
        active = (worker for worker in app.workers if not worker.is_finished)
        others = (worker for worker in active if worker not in app.context.dialog_workers)
        if all(any(name in worker.group for name in LASTING) for worker in others):
            break

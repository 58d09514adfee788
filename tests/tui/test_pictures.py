"""What it looks like: one dark and one light screen, to the character."""

from typing import Any

import pytest

from curator.tui.app import CuratorApp
from curator.tui.glyphs import SIGNS
from store import Store
from tui.sample import NOW, fill


@pytest.mark.parametrize(
    ("theme", "size", "keys"),
    [("curator-dark", (120, 36), ("j", "space", "space", "k", "k")), ("curator-light", (80, 24), ("j",))],
    ids=["dark", "light"],
)
def test_memories(store: Store, snap_compare: Any, theme: str, size: tuple[int, int], keys: tuple[str, ...]) -> None:
    fill(store)
    app = CuratorApp(store, theme, now=lambda: NOW, signs=SIGNS)

    async def before(pilot: Any) -> None:
        await pilot.pause(0.4)
        await pilot.press(*keys)
        await pilot.pause(0.4)

    assert snap_compare(app, terminal_size=size, run_before=before)

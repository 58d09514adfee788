"""Screenshots of the app as SVG, made without a terminal."""

import asyncio
from pathlib import Path

from curator.tui.app import CuratorApp
from curator.tui.glyphs import UNICODE
from curator.ui_defaults import Looks
from store import Store, clock


def picture(
    store: Store,
    path: Path,
    size: tuple[int, int] = (118, 32),
    theme: str = "curator-dark",
    now: int | None = None,
    keys: tuple[str, ...] = (),
    first: str = "memories",
) -> None:
    """Press keys in the app and save its screen as an SVG of `size` (columns, lines)."""
    looks = Looks(theme=theme)
    app = CuratorApp(store, looks, now=clock.now if now is None else lambda: now, glyphs=UNICODE, first=first)

    async def draw() -> None:
        async with app.run_test(size=size) as pilot:
            await pilot.pause(1.0)
            for key in keys:
                await pilot.press(key)
            await pilot.pause(1.0)
            path.write_text(app.export_screenshot(title="curator"), encoding="utf-8")

    asyncio.run(draw())
    app.finish()

"""The app as a person opens it, with a timer in its event loop that logs delays and state.

    python tests/bench/watched.py FILE [AREA]     # CURATOR_HOME says which store; AREA is opened first

Every 5 ms the timer checks: if the loop was blocked for longer, or something has changed, it writes a line to the file.
`Trace` reads the file from outside.
"""

import asyncio
import gc
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

BEAT = 0.005

State = dict[str, Any]


class Trace:
    """Log of a watched app."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def lines(self) -> list[tuple[float, float, State]]:
        """Return time, preceding delay of the loop (seconds), and state of the app, for each line."""
        if not self._file.exists():
            return []
        whole = self._file.read_text().rpartition("\n")[0]
        return [tuple(json.loads(line)) for line in whole.splitlines()]

    def state(self) -> State:
        """Return the latest state."""
        return self.lines()[-1][2]

    def wait(self, holds: Callable[[State], object], since: float = 0, limit: float = 120) -> float:
        """Return when a condition was true, at `since` or later. Raises TimeoutError."""
        ends = time.perf_counter() + limit
        while time.perf_counter() < ends:
            lines = self.lines()
            for number, (at, _, state) in enumerate(lines):
                following = lines[number + 1][0] if number + 1 < len(lines) else float("inf")
                if state and following > since and holds(state):
                    return max(at, since)
            time.sleep(0.02)
        raise TimeoutError(f"it does not come to that: {self.state()}")

    def stall(self, since: float, until: float = float("inf")) -> float:
        """Return the longest delay of the loop between two times, in seconds."""
        return max((held for at, held, _ in self.lines() if since <= at and at - held <= until), default=0.0)


def main() -> None:
    """Open the app as `curator.main` does."""
    gc.disable()
    from curator.paths import store_folder
    from curator.tui.app import CuratorApp
    from curator.tui.looks import load
    from curator.tui.memories.browser import Browser
    from curator.tui.screens.main import MainScreen
    from store import Store

    def seen(app: CuratorApp) -> State:
        frame = app.screen_stack[0]
        if not isinstance(frame, MainScreen) or not frame.is_mounted:
            return {}
        view = frame.view
        state: State = {
            "view": view.NAME,
            "screens": len(app.screen_stack),
            "filled": view.context.analytics.filled,
            "said": str(frame._status.content),
        }
        if isinstance(view, Browser) and view.is_mounted:
            ids, facets = view.list.ids, view.facets
            state |= {
                "listed": len(ids),
                "first": ids[0] if ids else None,
                "cursor": view.list.cursor,
                "whole": view.full,
                "order": view.wanted.sort,
                "marked": len(view.list.marks),
                "writing": view.writing,
                "reading": view.busy,
                "facets": id(facets._rows) if facets.ids else 0,
                "typed": view.line.text,
            }
        return state

    async def beat(app: CuratorApp) -> None:
        past, last = time.perf_counter(), None
        with Path(sys.argv[1]).open("w") as out:
            while True:
                now = time.perf_counter()
                held, state = now - past - BEAT, seen(app)
                if held > BEAT or state != last:
                    out.write(json.dumps([now, max(held, 0), state]) + "\n")
                    out.flush()
                    last = state
                past = time.perf_counter()
                await asyncio.sleep(BEAT)

    class Watched(CuratorApp):
        def on_load(self) -> None:
            self._timer = asyncio.create_task(beat(self))

    store = Store.open(store_folder())
    looks = load()
    app = Watched(store, looks, first=sys.argv[2] if len(sys.argv) > 2 else None)
    app.run(mouse=looks.mouse)
    app.finish(0)
    os._exit(0)


if __name__ == "__main__":
    main()

"""The import that runs beside the app: one at a time, told on the status line, stopped at its next step."""

import asyncio
from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

from curator.tui.commands.import_dialog import Imported, ImportLog, Stopped, ask_for_log, distil_rest
from curator.tui.context import AppContext
from curator.tui.keymap import key_names
from curator.tui.screens.dialogs import Page
from curator.tui.sweeps.controller import SHOWN
from curator.tui.view import Tone

if TYPE_CHECKING:
    from curator.tui.app import CuratorApp


class Bringing:
    """Brings logs in; the app stays usable, and what comes in shows as it is stored."""

    def __init__(self, app: "CuratorApp", context: AppContext, import_log: ImportLog) -> None:
        self._app = app
        self.context = context
        self._import_log = import_log
        self._stopping = False

    @property
    def running(self) -> bool:
        """Whether an import is under way."""
        return any(worker.group == "import" and not worker.is_finished for worker in self._app.workers)

    def stop(self) -> None:
        """Stop it at its next step."""
        self._stopping = True

    def choose(self) -> None:
        """Ask for a log, and import it."""
        if self.running:
            self._app.say("an import is under way; `stop import` in the palette ends it")
        else:
            self._app.begin(self._choose, "asking")

    async def _choose(self) -> None:
        path = await ask_for_log(self._app, self.context)
        if path is not None and not self.running:
            self._app.say(f"importing {path}")
            self._start(partial(self._import_log, self.context.store, path))

    def _hint(self, summary: Imported) -> str:
        """The key for what was refused, and where it works."""
        key = key_names(self._app.keys["refused"][:1]) or "`refused`"
        return f"{key} in Inbox: the refused" if summary.refused else ""

    def distil(self) -> None:
        """Make memories of what an import stored and did not come to."""
        if not self.running:
            self._start(partial(distil_rest, self.context.store))

    def _start(self, bring: Callable[[Callable[[str], None], Callable[[], None]], Imported]) -> None:
        self._stopping = False
        self._app.begin(partial(self._bring_in, bring), "import")

    async def _bring_in(self, bring: Callable[[Callable[[str], None], Callable[[], None]], Imported]) -> None:
        """Do it in its lane, with progress on the status line, and say what came of it."""
        app, context, loop = self._app, self.context, asyncio.get_running_loop()
        said = monotonic()

        def progress(message: str) -> None:
            nonlocal said
            if context.leaving or self._stopping:
                raise Stopped
            if monotonic() > said + SHOWN:  # a thousand conversations a second are not said one by one
                said = monotonic()
                loop.call_soon_threadsafe(app.say, message)

        try:
            summary = await context.executors["import"].run(partial(bring, progress, context.idle_gate.wait))
        except Stopped:
            app.say("import stopped; what it has stored stays", hint="import again to go on", undo=True)
            return
        finally:
            app.view.follow()
        context.returned = summary.returned
        app.say(summary.line, Tone.GOOD, self._hint(summary), undo=True)
        app.work_if_worth()
        if summary.more:
            app.push_screen(Page(summary.more, "What came of the import"))

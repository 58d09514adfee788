"""The Textual app: look, keys, error reports, and the actions available in every view."""

import os
import sys
import traceback
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, get_args

from textual import on
from textual.command import Provider
from textual.screen import Screen
from textual.theme import BUILTIN_THEMES
from textual.worker import Worker, WorkerState

from curator.errors import ConfigError, ImportFailure, ModelError
from curator.paths import config_file, themes_folder
from curator.tui import keymap, themes
from curator.tui.actions import EVERYWHERE, SCOPES, bindings
from curator.tui.commands import add as add_memory
from curator.tui.commands import forget_requests, lifecycle, model_setup, purge, settings
from curator.tui.commands import undo as undo_commands
from curator.tui.commands.import_logs import ImportController, ImportLog, import_log
from curator.tui.context import AppContext, Timings
from curator.tui.glyphs import Glyphs
from curator.tui.glyphs import glyphs as default_glyphs
from curator.tui.keymap import key_hint
from curator.tui.memories.queries import INBOX
from curator.tui.messages import Target, Tone
from curator.tui.screens.dialogs import Page
from curator.tui.screens.help import Help
from curator.tui.screens.main import Filled, MainScreen
from curator.tui.screens.palette import Finder, Palette
from curator.tui.sweep_controller import SweepController, SweeperFactory, sweeper
from curator.tui.view import BaseApp, View
from curator.ui_defaults import Keymap, Layout, Looks
from store import Sort, Store, StoreError, clock

_PATIENCE = 0.05  # seconds to wait for threads when the person quits
_EXPECTED = (StoreError, ImportFailure, ConfigError, ModelError)
"""Errors whose message is written for the person."""


class CuratorApp(BaseApp, inherit_bindings=False):
    """The app on one store.

    Tests and screenshots pass `now`, `glyphs` and `timings` to get the same result every time.
    """

    TITLE = "Curator"
    BINDINGS = bindings(EVERYWHERE)
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {Finder}
    ENABLE_COMMAND_PALETTE = False  # replaced by `Palette`; Textual's key for it would be a second registry
    CSS_PATH = Path(__file__).with_name("app.tcss")

    def __init__(
        self,
        store: Store,
        looks: Looks | None = None,
        *,
        now: Callable[[], int] = clock.now,
        glyphs: Glyphs | None = None,
        timings: Timings = Timings(),  # noqa: B008 - it is frozen
        import_log: ImportLog = import_log,
        sweeper: SweeperFactory = sweeper,
        first: str | None = None,
        demo: bool = False,
    ) -> None:
        looks = looks or Looks()
        super().__init__(ansi_color=True if os.environ.get("NO_COLOR") else None)
        self.looks = looks
        self.keys: Mapping[str, tuple[str, ...]] = {}
        self.use_keys(looks.keymap)
        available, self._problems = themes.available(themes_folder())
        for theme in available:
            self.register_theme(theme)
        if self.get_theme(looks.theme) is None:
            names = ", ".join(theme.name for theme in available)
            self._problems.append(f"unknown theme {looks.theme}: using {themes.DEFAULT}; available: {names}")
        self.theme = looks.theme if self.get_theme(looks.theme) is not None else themes.DEFAULT
        for name in BUILTIN_THEMES.keys() - {theme.name for theme in available}:
            self.unregister_theme(name)  # Textual's themes lack our colour tokens
        self.context = AppContext(store, now, glyphs or default_glyphs(), timings)
        self.stopped_import = False  # quitting stopped an import
        self._imports = ImportController(self, self.context, import_log)
        waits = store.list_ids(INBOX, Sort.MATTERS, 1)
        self._demo = demo
        self._main_screen = MainScreen(
            self.context, first or ("inbox" if waits else "memories"), "demo" if demo else ""
        )
        self.context.sweeps = SweepController(
            store,
            now,
            self.context.executors["sweeps"],
            self.context.executors["load"],
            self.context.idle_gate.wait,
            lambda: self.begin(self.context.sweeps.work, "sweeps"),
            self._sweeps_changed,
            timings.sweeps,
            sweeper,
        )
        self._left_behind: Any = None  # Textual's driver, whose thread still waits for keys
        self.failure = ""  # traceback of the last exception, for the details page

    def get_default_screen(self) -> Screen[None]:
        """Return the main screen; dialogs are pushed on top of it."""
        return self._main_screen

    def on_mount(self) -> None:
        """Apply the layout, report the first theme problem, and finish an interrupted purge."""
        self.use_layout(self.looks.layout)
        if self._demo:
            self.say(
                f"demo store in {self.context.store.folder.parent}", hint="q quits · your own store is not touched"
            )
        if self._problems:
            self.say(self._problems[0], Tone.BAD)
        self.begin(partial(purge.finish_purge, self, self.context), "slow", exclusive=False)

    def on_unmount(self) -> None:
        """Stop accepting work."""
        self.context.close()

    async def action_quit(self) -> None:
        """Quit at once.

        Textual would wait for its key thread, which polls every 0.1 s and needs as long again to end. This method does
        not wait: the thread ends by itself.
        """
        self.stopped_import = self._imports.running
        driver: Any = self._driver
        if hasattr(driver, "_key_thread"):
            driver._key_thread = None
            self._left_behind = driver
        await super().action_quit()

    def finish(self, limit: float | None = None) -> bool:
        """Wait for the threads once the app has closed (`AppContext.finish`)."""
        if self._left_behind is not None:
            self._left_behind.exit_event.set()
        return self.context.finish(limit)

    @property
    def view(self) -> View:
        """The open view."""
        return self._main_screen.view

    @property
    def lost_writes(self) -> list[str]:
        """Messages of writes that failed after the app could no longer show them."""
        return [str(error) or type(error).__name__ for error in self.context.executors["writes"].orphaned_errors]

    @property
    def has_status(self) -> bool:
        """True if the status bar shows a message."""
        return self._main_screen.has_status

    @property
    def offers_undo(self) -> bool:
        """True if the status bar offers to undo the reported change."""
        return self._main_screen.offers_undo

    def say(self, message: str, tone: Tone = Tone.PLAIN, hint: str = "", undo: bool = False) -> None:
        """Show a message on the status bar; with `undo`, also the key that undoes the reported change."""
        self._main_screen.say(message, tone, hint, undo)

    # Failures

    def report(self, error: BaseException) -> None:
        """Show an error on the status bar and keep its traceback; the app continues."""
        if isinstance(error, _EXPECTED):
            self.say(str(error), Tone.BAD)
            return
        self.failure = "".join(traceback.format_exception(error))
        self.say(
            f"{type(error).__name__}: {error}" if str(error) else type(error).__name__,
            Tone.BAD,
            key_hint(self, "details"),
        )
        self._main_screen.refresh_bindings()

    def cancelled(self) -> None:
        """Report that a dialog will not open, since esc was pressed before it did."""
        self.say("cancelled")

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Report every error of a worker."""
        if event.state is WorkerState.ERROR and event.worker.error is not None:
            self.report(event.worker.error)

    def _handle_exception(self, error: Exception) -> None:
        """Report errors of callbacks and timers; before the first screen is mounted they end the app."""
        if self._main_screen.is_mounted and self._running:
            self.report(error)
        else:
            super()._handle_exception(error)

    # Actions of every view

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enable details only after an error or a truncated message, and `stop import` only while one runs."""
        if action == "details":
            return bool(self.failure or self._main_screen.problem or self._main_screen.cut)
        if action == "stop_import":
            return self._imports.running
        return super().check_action(action, parameters)

    async def action_open_view(self, name: str) -> None:
        """Open a view."""
        await self._main_screen.open_view(name)

    def action_palette(self) -> None:
        """Open the palette of actions and memories."""
        if not isinstance(self.screen, Palette):
            self.push_screen(Palette())

    def action_help(self) -> None:
        """Show the keys of this view."""
        self.push_screen(Help(self.view.actions, self.context.glyphs))

    def action_details(self) -> None:
        """Show the full text of a truncated status message, or the last error."""
        cut = self._main_screen.cut
        if cut and not cut.endswith(key_hint(self, "details")):
            self.push_screen(Page(cut, "Full message"))
        else:
            self.push_screen(Page(self.failure or self._main_screen.problem))

    def action_undo(self) -> None:
        """Undo the last command, or the view's own last change if the journal does not record it."""
        self.begin_dialog(partial(undo_commands.undo, self, self.context), "undo", exclusive=False, cancellable=False)

    def action_redo(self) -> None:
        """Redo the last undone command."""
        self.begin_dialog(partial(undo_commands.redo, self, self.context), "undo", exclusive=False, cancellable=False)

    def action_add(self) -> None:
        """Ask for a memory in the person's own words, and add it."""
        self.begin_dialog(partial(add_memory.add, self, self.context))

    # Importing

    def action_import_log(self) -> None:
        """Ask for a log to import, one at a time."""
        self._imports.choose()

    def action_distil(self) -> None:
        """Distil conversations that a stopped import left undistilled."""
        self._imports.distil()

    def action_stop_import(self) -> None:
        """Stop the import at its next step."""
        self._imports.stop()

    # Dialogs that open a list of memories

    def action_forget_requests(self) -> None:
        """Show the forget requests found in chats, and the memories they may refer to."""
        self.begin_dialog(partial(self._list, forget_requests.show), "forget requests")

    def action_outdated(self) -> None:
        """Offer to purge memories that were forgotten long ago, and old logs."""
        self.begin_dialog(partial(self._list, purge.show_outdated))

    async def _list(self, choose: Callable[[BaseApp, AppContext], Awaitable[Target | None]]) -> None:
        """Open the list of memories chosen in a dialog, if any; esc goes back."""
        target = await choose(self, self.context)
        if target is not None:
            elsewhere = self._main_screen.view.NAME != "memories"
            await self._main_screen.open_view("memories", replace(target, returns=elsewhere))
        else:
            self._main_screen.ends_here()

    def action_tidy(self) -> None:
        """Preview ranking and expiry, and apply them."""
        self.begin_dialog(partial(lifecycle.tidy, self, self.context))

    # Background work

    @on(Filled)
    def _filled(self) -> None:
        """Start background work once the view is loaded, then offer forget requests or the setup of a model."""
        self.work_if_worth()
        self.begin(self._offer, "offer")

    async def _offer(self) -> None:
        await forget_requests.offer(self, self.context)
        await model_setup.offer(self, self.context)

    def work_if_worth(self) -> None:
        """Start the sweeps if there is work for them and none are running."""
        if not self.context.sweeps.working:
            self.begin(self.context.sweeps.begin_if_worth, "sweeps")

    def _sweeps_changed(self) -> None:
        if self.is_running:  # otherwise its widgets are being removed
            self._main_screen.sweeps_changed()

    async def action_sweeps(self) -> None:
        """Open the sweeps, or go back from them."""
        if self.view.NAME == "sweeps":
            await self._main_screen.back()
        else:
            self.work_if_worth()  # changes by the person may need background work
            self.begin_dialog(self._open_sweeps, "sweeps dialog")

    async def _open_sweeps(self) -> None:
        if not self.context.sweeps.loaded:
            await self.context.sweeps.ready()  # on its executor: the imports take a second
        await self._main_screen.open_view("sweeps")

    def action_models(self) -> None:
        """Ask for a local model for background work, and try it."""
        self.begin_dialog(self._choose_model, "models")

    async def _choose_model(self) -> None:
        if await model_setup.choose(self, self.context):
            self.begin(self.context.sweeps.anew, "sweeps")

    # Looks

    def use_keys(self, preset: Keymap) -> None:
        """Use the keys of a preset, with the person's own changes. Raises ConfigError."""
        self.keys = keymap.keymap(SCOPES, preset, self.looks.keys, config_file())
        self.looks = replace(self.looks, keymap=preset)
        self.set_keymap(keymap.as_textual(self.keys, chain.from_iterable(SCOPES.values())))

    def use_layout(self, layout: Layout) -> None:
        """Arrange the panes by the width of the terminal, or always in one way."""
        self.looks = replace(self.looks, layout=layout)
        for name in get_args(Layout):
            self._main_screen.set_class(name == layout, f"-{name}")

    def action_change_theme(self) -> None:
        """Choose a theme, and save it."""
        self.begin_dialog(partial(settings.choose_theme, self))

    def action_settings(self) -> None:
        """Change theme, keymap or layout."""
        self.begin_dialog(partial(settings.change_settings, self))


def run_app(store: Store, demo: bool) -> tuple[str | None, int]:
    """Run the app until the person quits; return "demo" if they asked for the demo, and the exit code.

    The exit code is 1 if the app failed or a change was not saved. Raises ConfigError.

    The store is closed unless a thread that is not waited for still uses it; then the caller must end the process.
    """
    from curator.tui.looks import load

    app = CuratorApp(store, load(), demo=demo)
    answer = app.run(mouse=app.looks.mouse)
    finished = app.finish(_PATIENCE if answer is None else None)
    for problem in app.lost_writes:
        print(f"curator: your last change was not saved: {problem}", file=sys.stderr)
    if app.stopped_import:
        print(
            "curator: the import was stopped; what it read and distilled is kept, and importing the same log again"
            " continues it",
            file=sys.stderr,
        )
    if finished:
        store.close()
    return answer, int(bool(app.return_code or app.lost_writes))

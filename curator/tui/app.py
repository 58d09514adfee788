"""The app: theme, error reports and the first screen. Everything else is in the screens."""

import os
from collections.abc import Callable, Mapping
from typing import ClassVar

from textual.actions import ActionParseResult
from textual.app import App
from textual.command import CommandPalette, Provider
from textual.dom import DOMNode
from textual.screen import Screen
from textual.theme import BUILTIN_THEMES
from textual.worker import Worker, WorkerState

from curator.paths import config_file
from curator.tui import theming
from curator.tui.actions import EVERYWHERE, MEMORIES, bindings
from curator.tui.glyphs import Glyphs, glyphs
from curator.tui.importing import import_log
from curator.tui.screens.help import Help
from curator.tui.screens.memories import ImportLog, MemoriesScreen
from curator.tui.screens.palette import Actions
from curator.tui.widgets.lines import Tone
from store import Store, clock


class CuratorApp(App[None], inherit_bindings=False):
    """Curates the memories of one store.

    `now` and `signs` are given by tests and pictures, which must come out the same every time.
    """

    TITLE = "Curator"
    BINDINGS = bindings(EVERYWHERE)
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {Actions}
    ENABLE_COMMAND_PALETTE = False  # ours says what it searches; Textual's key for it would be a second registry
    CSS = """
    .asking { align: center middle; background: $background 70%; }
    .asking > Vertical { width: auto; max-width: 90%; height: auto; padding: 1 3; background: $raised; }
    .asking Label { color: $text; }
    .asking Input { width: 64; max-width: 100%; margin: 1 0; background: $background; color: $text; }
    .asking .page { width: 84; max-width: 96%; height: 80%; }
    .asking .page VerticalScroll { scrollbar-size-vertical: 1; scrollbar-background: $raised; }
    CommandPalette { background: $background 70%; }
    CommandPalette > Vertical { width: 84; max-width: 96%; background: $raised; }
    CommandPalette #--input, CommandPalette #--input.--list-visible { border: none; padding: 1 1 0 1; }
    CommandPalette SearchIcon { display: none; }
    CommandPalette CommandInput, CommandPalette CommandInput:focus { border: none; padding: 0 1; height: 1; }
    CommandPalette CommandList { border: none; padding: 1 0; background: $raised; scrollbar-size-vertical: 1; }
    CommandPalette CommandList > .option-list--option { text-style: none; }
    CommandPalette > .command-palette--help-text { color: $muted; text-style: none; }
    CommandPalette LoadingIndicator { border: none; }
    """

    def __init__(
        self,
        store: Store,
        theme: str = theming.DEFAULT,
        *,
        now: Callable[[], int] = clock.now,
        signs: Glyphs | None = None,
        import_log: ImportLog = import_log,
    ) -> None:
        super().__init__()
        themes, self._problems = theming.shipped()
        for shipped in themes:
            self.register_theme(shipped)
        if self.get_theme(theme) is None:
            self._problems.append(f"there is no theme {theme}")
            theme = theming.DEFAULT
        self.theme = theme
        for name in BUILTIN_THEMES:
            self.unregister_theme(name)  # they know nothing of our tokens
        self._signs = signs or glyphs()
        self._memories = MemoriesScreen(store, now, self._signs, import_log)

    def get_default_screen(self) -> Screen[None]:
        """The one area there is."""
        return self._memories

    def finish(self) -> None:
        """Wait for the threads once the app has closed."""
        self._memories.finish()

    def on_mount(self) -> None:
        """Say what is wrong with a theme, once."""
        if self._problems:
            self.report(theming.ThemeError(self._problems[0]))

    def report(self, error: BaseException) -> None:
        """Show an error on the status line; the app goes on."""
        self._memories.say(str(error) or type(error).__name__, Tone.BAD)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """No failure in the background is passed over."""
        if event.state is WorkerState.ERROR and event.worker.error is not None:
            self.report(event.worker.error)

    async def run_action(
        self,
        action: "str | ActionParseResult",
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Run an action; one that fails is reported and does not end the app."""
        try:
            return await super().run_action(action, default_namespace, namespaces)
        except Exception as error:
            self.report(error)
            return True

    def action_palette(self) -> None:
        """Find an action by its name."""
        if not isinstance(self.screen, CommandPalette):
            self.push_screen(CommandPalette(placeholder="What do you want to do?"))

    def action_help(self) -> None:
        """The keys of this area."""
        self.push_screen(Help((*MEMORIES, *EVERYWHERE), self._signs))


def run_app(store: Store) -> None:
    """Open the app on a store, and return when the person leaves. Raises ConfigError."""
    app = CuratorApp(store, _theme())
    app.run()
    app.finish()


def _theme() -> str:
    """The theme that is set. Reading the settings takes as long as the first paint: not where nothing is set."""
    if "CURATOR_LOOK__THEME" not in os.environ and not config_file().is_file():
        return theming.DEFAULT
    from curator.config import settings

    return settings().look.theme

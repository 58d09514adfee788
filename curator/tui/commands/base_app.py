"""Interface of the app for commands, which need not import it."""

from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from textual.worker import Worker

from curator.tui.dispatch import SteadyApp
from curator.tui.messages import Tone
from curator.tui.view import View
from curator.ui_defaults import Keymap, Layout, Looks


class BaseApp(SteadyApp, inherit_bindings=False):
    """A Textual app with views, a status bar, keys and looks."""

    keys: Mapping[str, tuple[str, ...]]
    looks: Looks

    @property
    def view(self) -> View:
        """The open view."""
        raise NotImplementedError

    @property
    def has_status(self) -> bool:
        """True while the status bar shows a message."""
        raise NotImplementedError

    def say(self, message: str, tone: Tone = Tone.PLAIN, hint: str = "", undo: bool = False) -> None:
        """Show a message on the status bar; with `undo`, the key that undoes what it reports too."""

    def use_keys(self, preset: Keymap) -> None:
        """Use the keys of a preset, with the person's own changes. Raises ConfigError."""

    def use_layout(self, layout: Layout) -> None:
        """Arrange the panes by the width of the terminal, or always in one way."""

    def work_if_worth(self) -> None:
        """Start the sweeps if there is work for them."""

    def begin(self, work: Callable[[], Coroutine[Any, Any, object]], group: str, exclusive: bool = True) -> None:
        """Start a worker; in an exclusive group it cancels the one before."""
        _: Worker[object] = self.run_worker(work, group=group, exclusive=exclusive, exit_on_error=False)

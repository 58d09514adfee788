"""The lines that frame every area: the areas above, what happened and the keys below."""

from enum import StrEnum

from textual.content import Content
from textual.events import Click
from textual.widget import Widget
from textual.widgets import Input, Static

from curator.tui.actions import Action
from curator.tui.text import one_line

_GAP = "  "  # between two keys


class TopLine(Static):
    """The program's name, and the areas with their counts."""

    DEFAULT_CSS = """
    TopLine { height: 1; padding: 0 1; background: $raised; color: $muted; }
    """

    def show(self, memories: int) -> None:
        """Say how many live memories there are."""
        parts = (("Curator", "bold $text"), "   ", ("2 Memories", "bold $accent"), f" · {memories:,}")
        self.update(Content.assemble(*parts), layout=False)


class Tone(StrEnum):
    """How a message is meant; its words say so too."""

    PLAIN = "$text"
    GOOD = "$good"
    BAD = "$bad"


class StatusLine(Static):
    """What was done last, and how to take it back."""

    DEFAULT_CSS = """
    StatusLine { height: 1; padding: 0 1; background: $raised; }
    """

    def say(self, message: str, tone: Tone = Tone.PLAIN, hint: str = "") -> None:
        """Show a message, which may hold text from a log, and what can be done about it."""
        parts = [(one_line(message), str(tone))]
        if hint:
            parts += [(" · ", "$muted"), (hint, "$muted")]
        self.update(Content.assemble(*parts), layout=False)


class KeyLine(Widget):
    """The keys that work now, as many as fit; a click does the same."""

    DEFAULT_CSS = """
    KeyLine { height: 1; padding: 0 1; background: $raised; }
    """

    def __init__(self, actions: tuple[Action, ...]) -> None:
        super().__init__()
        self._actions = tuple(action for action in actions if action.rank)

    def on_mount(self) -> None:
        """Follow what works as the screen changes."""
        self.screen.bindings_updated_signal.subscribe(self, lambda _screen: self.refresh())

    def render(self) -> Content:
        """The keys of the actions that their screen allows."""
        parts: list[tuple[str, str]] = []
        for key, action in self._fitting():
            parts += [(key, "bold $accent"), (f" {action.label}{_GAP}", "$muted")]
        return Content.assemble(*parts)

    async def on_click(self, event: Click) -> None:
        """Do what the key under the mouse does."""
        place = event.x - self.styles.padding.left
        for key, action in self._fitting():
            if 0 <= place < _width(key, action):
                await self.app.run_action(action.name, self.screen)
            place -= _width(key, action)

    def _fitting(self) -> list[tuple[str, Action]]:
        """What works now and has room."""
        typing = isinstance(self.screen.focused, Input)
        working = [
            (action.shown_key(typing), action)
            for action in self._actions
            if self.screen.check_action(action.method, ()) and not (typing and action.typed)
        ]
        while working and sum(_width(*item) for item in working) - len(_GAP) > self.size.width:
            lowest = min(action.rank for _, action in working)
            working.remove(next(item for item in reversed(working) if item[1].rank == lowest))
        return working


def _width(key: str, action: Action) -> int:
    return len(f"{key} {action.label}{_GAP}")

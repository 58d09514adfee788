"""The lines that frame every area: the areas above, what happened and the keys below."""

from enum import StrEnum

from textual.content import Content
from textual.screen import Screen
from textual.style import Style
from textual.widget import Widget
from textual.widgets import Static

from curator.tui.actions import Action
from curator.tui.text import one_line


class TopLine(Static):
    """The program's name, and the areas with their counts."""

    DEFAULT_CSS = """
    TopLine { height: 1; padding: 0 1; background: $raised; color: $muted; }
    """

    def show(self, memories: int) -> None:
        """Say how many live memories there are."""
        self.update(
            Content.assemble(("Curator", "bold $text"), "   ", ("2 Memories", "bold $accent"), f" · {memories:,}")
        )


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
        self.update(Content.assemble(*parts))


class KeyLine(Widget):
    """The keys that work now, as many as fit; a click does the same."""

    DEFAULT_CSS = """
    KeyLine { height: 1; padding: 0 1; background: $raised; }
    """

    def __init__(self, actions: tuple[Action, ...]) -> None:
        super().__init__()
        self._actions = tuple(action for action in actions if action.footer)

    def on_mount(self) -> None:
        """Follow what works as the screen changes."""
        self.screen.bindings_updated_signal.subscribe(self, self._on_bindings)

    def _on_bindings(self, _screen: Screen[object]) -> None:
        self.refresh()

    def render(self) -> Content:
        """The keys of the actions that their screen allows."""
        working = [action for action in self._actions if self.screen.check_action(action.name, ())]
        space = self.size.width
        while working and sum(len(_shown(action)) + 2 for action in working) - 2 > space:
            working.pop(_first_to_go(working))
        parts: list[tuple[str, str | Style]] = []
        for action in working:
            run = action.name if action.name.startswith("app.") else f"screen.{action.name}"
            click = Style.from_meta({"@click": run})
            parts += [(action.shown_keys().split()[0], Style.parse("bold $accent") + click)]
            parts += [(f" {action.label}", Style.parse("$muted") + click), ("  ", "")]
        return Content.assemble(*parts[:-1])


def _shown(action: Action) -> str:
    return f"{action.shown_keys().split()[0]} {action.label}"


def _first_to_go(actions: list[Action]) -> int:
    """Where space is short the help stays, which lists the rest; the last before it goes first."""
    places = [place for place, action in enumerate(actions) if action.name not in ("app.help", "app.quit")]
    return places[-1] if places else 0

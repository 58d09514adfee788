"""Small questions over a screen: yes or no, one of three, a line of text."""

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Label

from curator.tui.actions import CONFIRM, LAYER, TIERS, Action, bindings
from store.model import Tier


class Confirm(ModalScreen[bool]):
    """A question answered by y or n. The number of what is concerned belongs in it."""

    BINDINGS = bindings(CONFIRM)

    def __init__(self, question: str, consequence: str) -> None:
        super().__init__(classes="asking")
        self._question, self._consequence = question, consequence

    def compose(self) -> ComposeResult:
        """The question, what follows from yes, and the keys."""
        with Vertical():
            yield Label(Content.styled(self._question, "bold"))
            yield Label(Content.styled(self._consequence, "$muted"))
            yield Label(Content("   ").join(_key(action) for action in CONFIRM))

    def action_yes(self) -> None:
        """Do it."""
        self.dismiss(True)

    def action_leave(self) -> None:
        """Do not."""
        self.dismiss(False)


class ChooseTier(ModalScreen[Tier | None]):
    """Which tier, by one key."""

    BINDINGS = bindings(TIERS)

    def __init__(self, concerned: str) -> None:
        super().__init__(classes="asking")
        self._concerned = concerned

    def compose(self) -> ComposeResult:
        """The three tiers with their keys."""
        with Vertical():
            yield Label(Content.styled(f"Tier of {self._concerned}", "bold"))
            for action in TIERS:
                key = f"{action.shown_keys():<4}"
                yield Label(Content.assemble((key, "bold $accent"), f"{action.label:<8}", (action.help, "$muted")))

    def action_choose(self, tier: str) -> None:
        """Take this one."""
        self.dismiss(Tier(tier))

    def action_leave(self) -> None:
        """Leave the tier as it is."""
        self.dismiss(None)


class Ask(ModalScreen[str | None]):
    """A line of text."""

    BINDINGS = bindings(LAYER)

    def __init__(self, question: str, hint: str) -> None:
        super().__init__(classes="asking")
        self._question, self._hint = question, hint

    def compose(self) -> ComposeResult:
        """The question, the field, and what is expected."""
        with Vertical():
            yield Label(Content.styled(self._question, "bold"))
            yield Input(compact=True)
            yield Label(Content.styled(self._hint, "$muted"))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take the text, unless it is empty."""
        self.dismiss(event.value.strip() or None)

    def action_leave(self) -> None:
        """Ask no more."""
        self.dismiss(None)


def _key(action: Action) -> Content:
    return Content.assemble((action.keys[0], "bold $accent"), (f" {action.label}", "$muted"))

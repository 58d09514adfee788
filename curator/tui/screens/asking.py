"""Small questions over a screen: yes or no, one of several, a line of text."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.events import Click, Key
from textual.widgets import Input, Label
from textual.worker import Worker

from curator.tui.actions import CHOICE, CONFIRM, LAYER, Action, bindings
from curator.tui.keys import key_names, keys_of
from curator.tui.screens.layer import Layer
from curator.tui.text import fit, one_line
from curator.tui.widgets.fields import Signs

_WIDEST = 60  # cells of an option's name


class Confirm(Layer[bool]):
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
            yield Label(Content("   ").join(self._key(action) for action in CONFIRM))

    def action_yes(self) -> None:
        """Do it."""
        self.dismiss(True)

    def action_leave(self) -> None:
        """Do not."""
        self.dismiss(False)

    def _key(self, action: Action) -> Content:
        return Content.assemble(
            (key_names(keys_of(self.app, action)[:1]), "bold $accent"), (f" {action.label}", "$muted")
        )


@dataclass(frozen=True, slots=True)
class Option:
    """One line of a menu: its own key, what it stands for, and what it means."""

    key: str
    value: str
    help: str = ""


class Menu(Layer[str | None]):
    """One of several, by its own key, or by arrows and enter. `moved` is told what the arrows are on."""

    BINDINGS = bindings(CHOICE)

    def __init__(
        self,
        title: str,
        options: Sequence[Option],
        current: str | None = None,
        moved: Callable[[str], None] | None = None,
    ) -> None:
        super().__init__(classes="asking")
        self._title, self._options, self._moved = title, options, moved
        values = [option.value for option in options]
        self._place = values.index(current) if current in values else 0

    def compose(self) -> ComposeResult:
        """The options with their keys."""
        with Vertical():
            yield Label(Content.styled(self._title, "bold"))
            yield Label(self._lines(), id="options")
            yield Label(Content.styled("its key, or ↑ ↓ and enter · esc leaves", "$muted"))

    def on_key(self, event: Key) -> None:
        """Take the option that has this key."""
        for option in self._options:
            if event.character == option.key:
                event.stop()
                self.dismiss(option.value)

    def on_click(self, event: Click) -> None:
        """Take the option under the mouse."""
        if event.widget is not None and event.widget.id == "options" and 0 <= event.y < len(self._options):
            self.dismiss(self._options[event.y].value)

    def action_step(self, lines: int) -> None:
        """Go to the next option."""
        self._place = (self._place + lines) % len(self._options)
        self.query_one("#options", Label).update(self._lines())
        if self._moved is not None:
            self._moved(self._options[self._place].value)

    def action_take(self) -> None:
        """Take the one that is highlighted."""
        self.dismiss(self._options[self._place].value)

    def action_leave(self) -> None:
        """Take none."""
        self.dismiss(None)

    def _lines(self) -> Content:
        names = [one_line(option.value) for option in self._options]
        wide = min(max(map(cell_len, names)) + 2, _WIDEST)
        lines = []
        for place, (option, name) in enumerate(zip(self._options, names, strict=True)):
            line = Content.assemble(
                (f" {option.key}  ", "bold $accent"), fit(name, wide), (f"{one_line(option.help)} ", "$muted")
            )
            lines.append(line.stylize("on $cursor") if place == self._place else line)
        return Content("\n").join(lines)


class Ask(Layer[str | None]):
    """A line of text. `check` takes it, or says what speaks against it; typing replaces what is `marked`."""

    BINDINGS = bindings(LAYER)

    def __init__(
        self,
        question: str,
        hint: str,
        value: str = "",
        check: Callable[[str], Awaitable[str | None]] | None = None,
        *,
        marked: bool = False,
    ) -> None:
        super().__init__(classes="asking")
        self._question, self._hint, self._value, self._check = question, hint, value, check
        self._marked = marked
        self._checking = False

    def compose(self) -> ComposeResult:
        """The question, the field, and what is expected."""
        with Vertical():
            yield Label(Content.styled(self._question, "bold"))
            field = Input(self._value, highlighter=Signs(), compact=True, select_on_focus=self._marked)
            field.cursor_blink = False
            yield field
            yield Label(Content.styled(self._hint, "$muted"), id="hint")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take the text, unless it is empty and was before; what cannot be taken stays, and it is said why."""
        if not self._checking:
            self._checking = True
            _: Worker[None] = self.app.run_worker(
                partial(self._take, event.value.strip()), group="take", exit_on_error=False
            )

    async def _take(self, text: str) -> None:
        try:
            problem = await self._check(text) if (text or self._value) and self._check is not None else None
        finally:
            self._checking = False
        if problem is not None:
            self.query_one("#hint", Label).update(Content.styled(one_line(problem), "$bad"))
        else:
            self.dismiss(text if text or self._value else None)

    def action_leave(self) -> None:
        """Ask no more, unless an answer is just being taken."""
        if not self._checking:
            self.dismiss(None)

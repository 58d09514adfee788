"""What every key does here, made from the registry; `/` narrows it down."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

from curator.tui.actions import EVERYWHERE, HELP, Action, Group, bindings
from curator.tui.glyphs import Glyphs
from curator.tui.keymap import key_names, keys_of
from curator.tui.labels import hung
from curator.tui.screens.modal import Layer
from curator.tui.widgets.inputs import Signs

_PALETTE = next(action for action in EVERYWHERE if action.name == "app.palette")


class Help(Layer[None]):
    """The keys of one area."""

    BINDINGS = bindings(HELP)
    AUTO_FOCUS = ""

    def __init__(self, actions: tuple[Action, ...], glyphs: Glyphs) -> None:
        super().__init__(classes="asking")
        self._actions, self._glyphs = actions, glyphs

    def compose(self) -> ComposeResult:
        """A field to narrow it down, and the list."""
        with Vertical(classes="page"):
            yield Input(highlighter=Signs(), placeholder="/ finds a key, a sign or a word · esc closes")
            with VerticalScroll(can_focus=False):
                yield _Lines(self._content)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Narrow the list down."""
        self.query_one(_Lines).narrow(event.value)

    def on_input_submitted(self) -> None:
        """Leave the field, to scroll."""
        self.set_focus(None)

    def action_search(self) -> None:
        """Type what to find."""
        self.query_one(Input).focus()

    def action_scroll(self, lines: int) -> None:
        """Move through the page."""
        self.query_one(VerticalScroll).scroll_relative(y=lines, animate=False)

    def action_leave(self) -> None:
        """Leave the field, then the page."""
        field = self.query_one(Input)
        if field.has_focus or field.value:
            field.value = ""
            self.set_focus(None)
        else:
            self.dismiss(None)

    def _content(self, wanted: str, width: int) -> Content:
        line = partial(_line, width)
        lines: list[Content] = []
        for group in Group:
            rows = [
                (key_names(keys_of(self.app, action)) or self._in_palette(action), action.help, action.label)
                for action in self._actions
                if action.group is group
            ]
            matching = [row for row in rows if _matches(row, wanted)]
            if matching:
                lines += [
                    Content.styled(group.upper(), "bold $accent"),
                    *chain.from_iterable(map(line, matching)),
                    Content(),
                ]
        signs = [row for row in self._signs() if _matches(row, wanted)]
        if signs:
            lines += [Content.styled("SIGNS", "bold $accent"), *chain.from_iterable(map(line, signs))]
        return Content("\n").join(lines) if lines else Content.styled("No such key, sign or word.", "$muted")

    def _in_palette(self, action: Action) -> str:
        """What to press and to type for what has no key of its own."""
        return f"{key_names(keys_of(self.app, _PALETTE)[:1])} {action.label}".strip()

    def _signs(self) -> Iterator[tuple[str, str, str]]:
        glyphs = self._glyphs
        yield glyphs.mark, "marked: verbs apply to the marked ones", "sign"
        yield glyphs.validated, "validated by you", "sign"
        yield glyphs.alert, "has an alert: a duplicate or a contradiction", "sign"
        yield glyphs.quarantined, "in quarantine: its text looks like an instruction to a model", "sign"
        yield glyphs.pinned, "pinned", "sign"
        yield glyphs.folded, "several ways to say one thing: in the inbox they stand on one line", "sign"
        yield glyphs.own, "in a conflict: words that only this side has", "sign"
        yield glyphs.made, "made by a model: the filter origin:model lists them", "sign"


def _matches(row: tuple[str, str, str], wanted: str) -> bool:
    return wanted.lower() in " ".join(row).lower()


def _line(width: int, row: tuple[str, str, str]) -> Iterator[Content]:
    """A key and what it does, whose later lines stand under its first."""
    return hung(Content.styled(f"{row[0] + ' ':<16}", "$text"), Content.styled(row[1], "$muted"), width)


class _Lines(Static):
    """The list, cut into lines of its width."""

    def __init__(self, content: Callable[[str, int], Content]) -> None:
        super().__init__()
        self._made, self._wanted = content, ""

    def narrow(self, wanted: str) -> None:
        """Only what holds these words."""
        self._wanted = wanted
        self._draw()

    def on_resize(self) -> None:
        """Cut it anew."""
        self._draw()

    def _draw(self) -> None:
        self.update(self._made(self._wanted, self.size.width))

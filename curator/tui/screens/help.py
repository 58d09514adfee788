"""What every key does here, made from the registry; `/` narrows it down."""

from collections.abc import Iterator

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

from curator.tui.actions import HELP, Action, Group, bindings
from curator.tui.glyphs import Glyphs
from curator.tui.keys import key_names, keys_of
from curator.tui.screens.layer import Layer
from curator.tui.widgets.fields import Signs


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
                yield Static(self._content(""))

    def on_input_changed(self, event: Input.Changed) -> None:
        """Narrow the list down."""
        self.query_one(Static).update(self._content(event.value))

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

    def _content(self, wanted: str) -> Content:
        lines: list[Content] = []
        for group in Group:
            rows = [
                (key_names(keys_of(self.app, action)) or "palette", action.help, action.label)
                for action in self._actions
                if action.group is group
            ]
            matching = [row for row in rows if _matches(row, wanted)]
            if matching:
                lines += [Content.styled(group.upper(), "bold $accent"), *map(_line, matching), Content()]
        signs = [row for row in self._signs() if _matches(row, wanted)]
        if signs:
            lines += [Content.styled("SIGNS", "bold $accent"), *map(_line, signs)]
        return Content("\n").join(lines) if lines else Content.styled("No such key, sign or word.", "$muted")

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


def _line(row: tuple[str, str, str]) -> Content:
    return Content.assemble((f"{row[0] + ' ':<16}", "$text"), (row[1], "$muted"))

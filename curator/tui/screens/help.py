"""Help page with the keys of a view, generated from the registry of actions; `/` filters."""

from functools import partial

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input

from curator.tui.actions import HELP, Action, Group, bindings
from curator.tui.glyphs import Glyphs
from curator.tui.keymap import first_key, key_names, keys_of
from curator.tui.labels import hung
from curator.tui.screens.dialogs import Dialog
from curator.tui.widgets.inputs import Signs
from curator.tui.widgets.text_pane import TextPane

_SYMBOLS = {
    "mark": "marked: actions apply to all marked memories",
    "validated": "validated by you",
    "alert": "has a conflict: a duplicate or a contradiction",
    "quarantined": "quarantined: its text looks like an instruction to a model",
    "pinned": "pinned",
    "always": "given to models with every prompt",
    "once_validated": "given to models with every prompt once you validate it",
    "never": "never given to a model",
    "folded": "several memories that say the same, on one line",
    "own": "in a conflict: words on this side only",
    "made": "found by a model; origin:model lists these",
}


class Help(Dialog[None]):
    """The keys and symbols of one view."""

    BINDINGS = bindings(HELP)
    AUTO_FOCUS = ""

    def __init__(self, actions: tuple[Action, ...], glyphs: Glyphs) -> None:
        super().__init__(classes="asking")
        self._actions, self._glyphs = actions, glyphs
        self._keys = TextPane()

    def compose(self) -> ComposeResult:
        """Lay out a filter field and the list."""
        field = Input(highlighter=Signs(), placeholder="/ to filter by key or word · esc closes")
        return (Vertical(field, self._keys, classes="page"),)

    def on_mount(self) -> None:
        """Show all keys."""
        self._keys.show(None, partial(self._content, ""))

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter the list."""
        self._keys.show(None, partial(self._content, event.value))

    def on_input_submitted(self) -> None:
        """Leave the field, so that keys scroll."""
        self.set_focus(None)

    def action_search(self) -> None:
        """Focus the field."""
        self.query_one(Input).focus()

    def action_leave(self) -> None:
        """Leave the field, then the page."""
        field = self.query_one(Input)
        if field.has_focus or field.value:
            field.value = ""
            self.set_focus(None)
        else:
            self.dismiss(None)

    def _content(self, wanted: str, width: int) -> Content:
        palette = f"{first_key(self.app, 'palette')} "
        groups: dict[str, list[tuple[str, str, str]]] = {group.upper(): [] for group in Group}
        for action in self._actions:
            keys = key_names(keys_of(self.app, action)) or (palette + action.label).strip()
            groups[action.group.upper()].append((keys, action.help, action.label))
        groups["SYMBOLS"] = [(getattr(self._glyphs, name), meaning, "symbol") for name, meaning in _SYMBOLS.items()]
        lines: list[Content] = []
        for title, rows in groups.items():
            matching = [row for row in rows if wanted.lower() in " ".join(row).lower()]
            if matching:
                lines.append(Content.styled(title, "bold $accent"))
            for keys, meaning, _ in matching:
                lines += hung(Content.styled(f"{keys + ' ':<16}", "$text"), Content.styled(meaning, "$muted"), width)
            lines += [Content()] if matching else []
        return Content("\n").join(lines) if lines else Content.styled("No matches.", "$muted")

"""Bars around the views: tabs above, status bar and footer below."""

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import chain

from rich.cells import cell_len
from textual.app import RenderResult
from textual.content import Content
from textual.events import Click
from textual.widget import Widget
from textual.widgets import Input, Static

from curator.tui.actions import EVERYWHERE, Action
from curator.tui.keymap import is_typed, key_hint, key_names, keys_of
from curator.tui.messages import Tone
from curator.tui.text_format import fit, one_line

_GAP = "  "  # between two keys
_APART = 3  # cells between the message and the background work
_LEAST = 24  # minimum cells of a truncated message; hints that leave less are dropped
_ALWAYS_COUNTED = ("inbox", "conflicts")  # views with counts even if there is no room for all counts
_VIEWS = tuple(action for action in EVERYWHERE if action.method == "app.open_view")


class TabBar(Widget):
    """Tab bar: the program's name, and the views with their counts; a click opens a view."""

    DEFAULT_CSS = """
    TabBar { height: 1; padding: 0 1; background: $raised; color: $muted; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._here = ""
        self._counts: Mapping[str, int] = {}
        self._note = ""

    def show(self, here: str, counts: Mapping[str, int], note: str = "") -> None:
        """Show the open view, the counts of views, and a note at the right."""
        self._here, self._counts, self._note = here, counts, note
        self.refresh()

    def render(self) -> Content:
        """Draw the tabs and the note."""
        name, tabs, gap = self._fitting()
        line = Content(gap).join((*name, *tabs))
        room = self.size.width - line.cell_length - len(self._note)
        return line if room < 2 or not self._note else line + " " * room + Content.styled(self._note, "$muted")

    def _fitting(self) -> tuple[list[Content], list[Content], str]:
        """Return the program's name, the tabs and the gap between them.

        To fit the width, the name is dropped first, then some counts, half of the gaps, all counts except that of the
        open view, and finally the names of the last tabs.
        """
        name, all_names = [Content.styled("Curator", "bold $text")], len(_VIEWS)
        everything, waiting = self._tabs(all_names, self._counts), self._tabs(all_names, _ALWAYS_COUNTED)
        ways = [(name, everything, _GAP), ([], everything, _GAP), ([], waiting, _GAP), ([], waiting, " ")]
        ways.append(([], self._tabs(all_names, ()), " "))
        ways += [([], self._tabs(names, _ALWAYS_COUNTED), _GAP) for names in range(all_names, -1, -1)]
        for name_there, tabs, gap in ways:
            if sum(part.cell_length + len(gap) for part in (*name_there, *tabs)) - len(gap) <= self.size.width:
                break
        return name_there, tabs, gap

    def _tabs(self, names: int, counted: Collection[str]) -> list[Content]:
        """Return the tabs, the first `names` of them with names; the open view and those in `counted` have counts."""
        tabs = []
        for index, action in enumerate(_VIEWS):
            (name,) = action.parameters
            here = name == self._here
            words = f" {action.label.capitalize()}" if index < names or here else ""
            shown = name in self._counts and (here or name in counted)
            number = f"·{self._counts[name]:,}" if shown else ""
            key = key_names(keys_of(self.app, action)[:1])
            look = "bold $accent" if here else "$muted"
            tabs.append(Content.assemble((key + words, look), (number, look)))
        if self._here == "sweeps":
            tabs.append(Content.styled("Sweeps", "bold $accent"))
        return tabs

    async def on_click(self, event: Click) -> None:
        """Open the view under the mouse."""
        name, tabs, gap = self._fitting()
        column = event.x - self.styles.padding.left - sum(part.cell_length + len(gap) for part in name)
        for action, tab in zip(_VIEWS, tabs, strict=False):
            if 0 <= column < tab.cell_length:
                await self.app.run_action(action.name)
            column -= tab.cell_length + len(gap)


class StatusBar(Static):
    """Status bar: the last message with its undo key, and background work at the right."""

    DEFAULT_CSS = """
    StatusBar { height: 1; padding: 0 1; background: $raised; }
    """

    _work: Callable[[int], Content] | None = None
    _ends = 0  # first column of the right side
    _shown: tuple[str, Tone, Sequence[str]] = ("", Tone.PLAIN, ())

    def say(self, message: str, tone: Tone = Tone.PLAIN, hints: Sequence[str] = ()) -> None:
        """Show a message, which may contain text from a log, and hints, the most important first."""
        self._shown = one_line(message), tone, hints
        self.update(_status_content(*self._shown), layout=False)

    @property
    def cut(self) -> bool:
        """True if the message and its hints do not fit."""
        message = self.visual
        return isinstance(message, Content) and 0 < self.size.width < message.cell_length

    def show_right(self, work: Callable[[int], Content] | None) -> None:
        """Show the result of `work` at the right; it is called with the number of free cells."""
        self._work = work
        self.refresh()

    def render(self) -> RenderResult:
        """Draw the message and the background work.

        Hints that do not fit are dropped; a message that is too long is truncated, with the key that shows the rest.
        """
        if self.cut:
            self._ends = self.size.width
            return self._shortened()
        message = self.visual
        if self._work is None or not isinstance(message, Content):
            return message
        room = self.size.width - message.cell_length - _APART
        work = self._work(room)
        self._ends = self.size.width - work.cell_length
        return message + Content(" " * (room + _APART - work.cell_length)) + work if work.cell_length else message

    def _shortened(self) -> Content:
        message, tone, hints = self._shown
        key, length = key_hint(self.app, "details"), cell_len(message)
        both = list(dict.fromkeys((*hints[:1], key)))
        ways = [both, hints[:1], [key], []] if length <= self.size.width else [both, [key], []]
        for shown in ways:
            room = self.size.width - _status_content("", tone, shown).cell_length
            if room >= (length if length <= self.size.width else _LEAST):
                break
        return _status_content(fit(message, min(room, length)), tone, shown)

    async def on_click(self, event: Click) -> None:
        """Open the sweeps, if their progress was clicked."""
        if self._work is not None and event.x - self.styles.padding.left >= self._ends:
            await self.app.run_action("app.sweeps")


def _status_content(message: str, tone: Tone, hints: Sequence[str]) -> Content:
    hint = " · ".join(hints)
    return Content.assemble((message, str(tone)), (" · " if hint else "", "$muted"), (hint, "$muted"))


class KeyBar(Widget):
    """Footer: the enabled keys, as many as fit; a click runs the action."""

    DEFAULT_CSS = """
    KeyBar { height: 1; padding: 0 1; background: $raised; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._view: Widget | None = None
        self._actions: Sequence[Action] = ()
        self._suggests: Callable[[Action], bool] = lambda _: True
        self._drawn: list[tuple[str, Action]] = []

    def follow(self, view: Widget, actions: Sequence[Action], suggests: Callable[[Action], bool]) -> None:
        """Show the keys of the actions that a view suggests."""
        self._view, self._actions, self._suggests = view, actions, suggests
        self.refresh()

    def on_mount(self) -> None:
        """Redraw when other keys are enabled."""
        self.screen.bindings_updated_signal.subscribe(self, self._keys_changed)

    def _keys_changed(self, _screen: object) -> None:
        if self._fitting() != self._drawn:
            self.refresh()

    def render(self) -> Content:
        """Draw the keys."""
        self._drawn = self._fitting()
        keys = (((key, "bold $accent"), (f" {action.label}{_GAP}", "$muted")) for key, action in self._drawn)
        return Content.assemble(*chain.from_iterable(keys))

    async def on_click(self, event: Click) -> None:
        """Run the action under the mouse."""
        column = event.x - self.styles.padding.left
        for key, action in self._fitting():
            if 0 <= column < _width(key, action):
                await self.app.run_action(action.name, self._view)
            column -= _width(key, action)

    def _fitting(self) -> list[tuple[str, Action]]:
        """Return the enabled actions that fit."""
        if self._view is None:
            return []
        typing = isinstance(self.screen.focused, Input)
        working: list[tuple[str, Action]] = []
        for action in filter(lambda action: action.rank, self._actions):
            keys = [key for key in keys_of(self.app, action) if not (typing and is_typed(key))]
            if keys and works(self._view, action) and self._suggests(action):
                working.append((key_names(keys[:1]), action))
        while working and sum(_width(*item) for item in working) - len(_GAP) > self.size.width:
            lowest = min(action.rank for _, action in working)
            working.remove(next(item for item in reversed(working) if item[1].rank == lowest))
        return working


def works(view: Widget, action: Action) -> bool:
    """Return True if an action is enabled."""
    node = view.app if action.method.startswith("app.") else view
    return bool(node.check_action(action.method.removeprefix("app."), action.parameters))


def _width(key: str, action: Action) -> int:
    return len(f"{key} {action.label}{_GAP}")

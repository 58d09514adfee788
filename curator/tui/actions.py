"""Every action of the app, in one place: bindings, key line, help and palette are made from this."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from textual.binding import Binding, BindingType


class Group(StrEnum):
    """The headings of the help page."""

    DECIDE = "Decide"
    MARK = "Mark"
    FIND = "Find"
    MOVE = "Move"
    MAKE = "Add"
    APP = "App"


@dataclass(frozen=True, slots=True)
class Action:
    """Something a person can do. `name` calls the method `action_…` of the screen, or of the app after `app.`."""

    name: str
    keys: tuple[str, ...]
    label: str
    help: str
    group: Group
    rank: int = 0  # in the key line: 0 is not in it, the lower leave first where space is short
    palette: bool = True

    @property
    def method(self) -> str:
        """The name without what it is called with."""
        return self.name.partition("(")[0]

    @property
    def typed(self) -> bool:
        """Whether all its keys are characters, which a text field takes for itself."""
        return bool(self.keys) and all(map(_is_character, self.keys))

    def shown_key(self, typing: bool = False) -> str:
        """The key that the key line names: the first that works, which while typing is not a character."""
        keys = [key for key in self.keys if not (typing and _is_character(key))]
        return _KEY_NAMES.get(keys[0], keys[0])

    def shown_keys(self) -> str:
        """The keys as the help page writes them."""
        return " ".join(_KEY_NAMES.get(key, key) for key in self.keys)


def _is_character(key: str) -> bool:
    return len(key) == 1 or key == "space"


_KEY_NAMES = {"down": "↓", "up": "↑", "pagedown": "pgdn", "pageup": "pgup", "escape": "esc"}

MEMORIES = (
    Action("back", ("escape",), "back", "Back one step: reading, marks, search", Group.MOVE, 9, palette=False),
    Action("move(1)", ("j", "down"), "down", "One memory down", Group.MOVE, palette=False),
    Action("move(-1)", ("k", "up"), "up", "One memory up", Group.MOVE, palette=False),
    Action("page(0.5)", ("ctrl+d",), "half down", "Half a screen down", Group.MOVE, palette=False),
    Action("page(-0.5)", ("ctrl+u",), "half up", "Half a screen up", Group.MOVE, palette=False),
    Action("page(1)", ("pagedown",), "page down", "A screen down", Group.MOVE, palette=False),
    Action("page(-1)", ("pageup",), "page up", "A screen up", Group.MOVE, palette=False),
    Action("first", ("g", "home"), "first", "The first memory", Group.MOVE),
    Action("last", ("G", "end"), "last", "The last memory", Group.MOVE),
    Action("scroll_detail(3)", ("J",), "detail down", "Scroll the detail down", Group.MOVE, palette=False),
    Action("scroll_detail(-3)", ("K",), "detail up", "Scroll the detail up", Group.MOVE, palette=False),
    Action("validate", ("a",), "validate", "Validate: it is right, keep it", Group.DECIDE, 8),
    Action("reject", ("x",), "reject", "Reject: it is wrong or junk", Group.DECIDE, 8),
    Action("forget", ("d",), "forget", "Forget: it may be true, but let it go", Group.DECIDE, 8),
    Action("undo", ("u",), "undo", "Take back the last step, of any session", Group.DECIDE, 8),
    Action("redo", ("U", "ctrl+r"), "redo", "Do again what was taken back", Group.DECIDE),
    Action("mark", ("space",), "mark", "Mark or unmark, and go on; verbs then apply to the marked", Group.MARK, 7),
    Action("mark_all", ("*",), "mark all", "Mark everything listed, or nothing", Group.MARK),
    Action("search", ("/",), "search", "Search as you type: part of the words of a memory", Group.FIND, 7),
    Action("open", ("enter",), "read", "Read the memory on the whole screen", Group.MOVE, 6),
    Action("tier", ("t",), "tier", "Say how central it is: core, medium, low", Group.DECIDE, 4),
    Action("pin", ("p",), "pin", "Pin or unpin: a pinned memory is never expired or merged", Group.DECIDE, 4),
    Action("area_memories", ("2",), "memories", "The list of all memories", Group.FIND),
    Action("import_log", ("I",), "import", "Import a chat log: a file or a folder", Group.MAKE, 3),
    Action("demo", ("D",), "demo", "How to look at the demo", Group.MAKE, 3),
    Action("add", ("A",), "add", "Add a memory in your own words", Group.MAKE, 3),
)
"""What can be done in the area Memories."""

EVERYWHERE = (
    Action("app.palette", (":", "ctrl+p"), "palette", "Find an action by its name", Group.APP, 5, palette=False),
    Action("app.help", ("?",), "help", "The keys and the signs", Group.APP, 9),
    Action("app.change_theme", (), "theme", "Choose the colours, until you leave", Group.APP),
    Action("app.quit", ("q", "ctrl+q", "ctrl+c"), "quit", "Leave; everything is saved already", Group.APP, 9),
)
"""What can be done in every area."""

LAYER = (Action("leave", ("escape",), "cancel", "Leave without doing anything", Group.APP, palette=False),)
"""What every question that is laid over a screen can do."""

HELP = (
    Action("leave", ("escape", "?", "q"), "close", "Close this page", Group.APP, palette=False),
    Action("search", ("/",), "find", "Find a key or a word", Group.FIND, palette=False),
    Action("scroll(1)", ("j", "down"), "down", "A line down", Group.MOVE, palette=False),
    Action("scroll(-1)", ("k", "up"), "up", "A line up", Group.MOVE, palette=False),
    Action("scroll(12)", ("ctrl+d", "pagedown"), "page down", "A page down", Group.MOVE, palette=False),
    Action("scroll(-12)", ("ctrl+u", "pageup"), "page up", "A page up", Group.MOVE, palette=False),
)
"""What can be done on the help page."""

CONFIRM = (
    Action("yes", ("y", "enter"), "yes", "Do it", Group.APP, palette=False),
    Action("leave", ("n", "escape", "q"), "no", "Leave it", Group.APP, palette=False),
)

TIERS = (
    Action("choose('core')", ("c",), "core", "Central to who the person is", Group.DECIDE, palette=False),
    Action("choose('medium')", ("m",), "medium", "Useful, not central", Group.DECIDE, palette=False),
    Action("choose('low')", ("l",), "low", "A detail", Group.DECIDE, palette=False),
    *LAYER,
)


def bindings(actions: Iterable[Action]) -> list[BindingType]:
    """The actions as Textual's bindings."""
    return [Binding(key, action.name, action.label, show=False) for action in actions for key in action.keys]

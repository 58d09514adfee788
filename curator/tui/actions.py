"""Every action of the app: bindings, key line, help, palette, keymaps and docs/keys.md are made from this.

`keys` are those of the preset `vim`, `plain` those of the preset `plain`, which does without letters. A key means the
same in every area.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from textual.binding import Binding, BindingType


class Group(StrEnum):
    """The headings of the help page."""

    DECIDE = "Decide"
    CHANGE = "Change"
    MARK = "Mark"
    FIND = "Find"
    LOOK = "Look closer"
    MOVE = "Move"
    SWEEP = "Sweeps"
    AREA = "Areas"
    APP = "App"


@dataclass(frozen=True, slots=True)
class Action:
    """Something a person can do. `name` calls the method `action_…` of the area, or of the app after `app.`."""

    name: str
    keys: tuple[str, ...]
    label: str
    help: str
    group: Group
    rank: int = 0  # in the key line: 0 is not in it, the lower leave first where space is short
    palette: bool = True
    plain: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """What the action is called in the table [keys] of the settings."""
        return self.label.replace(" ", "-")

    @property
    def method(self) -> str:
        """The name without what it is called with."""
        return self.name.partition("(")[0]

    @property
    def parameters(self) -> tuple[str, ...]:
        """What the method is called with, as `check_action` is asked about it."""
        inner = self.name.partition("(")[2].rstrip(")")
        return tuple(part.strip(" '") for part in inner.split(",")) if inner else ()


_A = Action
_D, _C, _M, _F, _L = Group.DECIDE, Group.CHANGE, Group.MARK, Group.FIND, Group.LOOK
_V, _S, _R, _P = Group.MOVE, Group.SWEEP, Group.AREA, Group.APP

EVERYWHERE = (
    _A("app.area('inbox')", ("1",), "inbox", "What waits for your decision, the weightiest first", _R, plain=("1",)),
    _A("app.area('memories')", ("2",), "memories", "Every memory", _R, plain=("2",)),
    _A("app.area('conflicts')", ("3",), "conflicts", "What contradicts or repeats another", _R, plain=("3",)),
    _A("app.area('recall')", ("4",), "recall", "What a model would be given with a prompt, and why", _R, plain=("4",)),
    _A("app.area('sources')", ("5",), "sources", "The conversations they come from", _R, plain=("5",)),
    _A("app.area('insights')", ("6",), "insights", "Seven pictures of the store", _R, plain=("6",)),
    _A("app.area('history')", ("7",), "history", "All that was done, and taking it back", _R, plain=("7",)),
    _A("app.sweeps", ("w",), "sweeps", "The work in the background, what failed, how long it takes", _R, plain=("0",)),
    _A("app.undo", ("u",), "undo", "Take back the last step, of any session", _D, 8, plain=("f8",)),
    _A("app.redo", ("U", "ctrl+r"), "redo", "Do again what was taken back", _D, plain=("f12",)),
    _A("app.import_log", ("I",), "import", "Import a chat log: a file or a folder", _P, 3, plain=("f11",)),
    _A("app.add", ("A",), "add", "Add a memory in your own words", _P, 2, plain=("insert",)),
    _A("app.asked", ("F",), "asked to forget", "What you asked in chats to be forgotten; what came back", _D,
       plain=("shift+f8",)),
    _A("app.palette", (":", "ctrl+p"), "palette", "Find an action or a memory by name", _P, 5, plain=("f9",)),
    _A("app.help", ("?",), "help", "The keys and the signs", _P, 9, plain=("f1",)),
    _A("app.settings", (), "settings", "Theme, keys and layout, kept for next time", _P),
    _A("app.change_theme", (), "theme", "Choose the colours, kept for next time", _P),
    _A("app.models", (), "models", "Choose a local model that works in the background", _P),
    _A("app.details", ("!",), "details", "What went wrong or was cut short, to read and copy", _P, 9, plain=("!",)),
    _A("app.distil", (), "distil", "Make memories of what an import stored and did not come to", _P),
    _A("app.tidy", (), "tidy", "What ranking and expiry would do, and why; then to do it", _D),
    _A("app.outdated", (), "outdated", "What was let go long ago, and old logs, to be purged by you", _D),
    _A("app.stop_import", (), "stop import", "Stop the import; what it has stored stays", _P),
    _A("app.quit", ("q", "ctrl+q", "ctrl+c"), "quit", "Leave; everything is saved", _P, 9, plain=("f10", "ctrl+q")),
)  # fmt: skip
"""What can be done in every area."""

LISTS = (
    _A("move(1)", ("j", "down"), "down", "One line down", _V, palette=False, plain=("down",)),
    _A("move(-1)", ("k", "up"), "up", "One line up", _V, palette=False, plain=("up",)),
    _A("page(0.5)", ("ctrl+d",), "half down", "Half a screen down", _V, palette=False),
    _A("page(-0.5)", ("ctrl+u",), "half up", "Half a screen up", _V, palette=False),
    _A("page(1)", ("pagedown",), "page down", "A screen down", _V, palette=False, plain=("pagedown",)),
    _A("page(-1)", ("pageup",), "page up", "A screen up", _V, palette=False, plain=("pageup",)),
    _A("first", ("g", "home"), "first", "To the beginning", _V, plain=("home",)),
    _A("last", ("G", "end"), "last", "To the end", _V, plain=("end",)),
    _A("back", ("escape",), "back", "Back one step: reading, marks, filter", _V, 9, palette=False, plain=("escape",)),
    _A("pane", ("tab",), "pane", "To the next pane", _V, palette=False, plain=("tab",)),
    _A("pane_back", ("shift+tab",), "pane back", "To the pane before", _V, palette=False, plain=("shift+tab",)),
    _A("search", ("/",), "search", "Search as you type; filters like kind:task may stand beside", _F, 7,
       plain=("/", "f3")),
)  # fmt: skip
"""How one moves through every list."""

VERBS = (
    _A("decide('validate')", ("a",), "validate", "Validate: it is right, keep it", _D, 8, plain=("f5",)),
    _A("decide('reject')", ("x",), "reject", "Reject: it is wrong or junk", _D, 8, plain=("f6",)),
    _A("decide('forget')", ("d",), "forget", "Forget: it may be true, but let it go", _D, 8, plain=("delete",)),
    _A("decide('later')", ("l",), "later", "Later: ask again in a week", _D, 6, plain=("f7",)),
    _A("decide('restore')", ("R",), "restore", "Bring back what was let go or superseded", _D, 8, plain=("^",)),
    _A("decide('merge')", ("m",), "merge", "Merge the marked, or this one and its nearest duplicate", _D, 5,
       plain=("&",)),
    _A("decide('supersede')", (), "supersede", "This one replaces the marked, or what it has an alert with", _D),
    _A("decide('purge')", (), "purge", "Erase the words for good, everywhere; there is no undo", _D),
    _A("repeat", (".",), "repeat", "Do the last verb again, here", _D, plain=(".",)),
    _A("decide('edit')", ("e",), "edit", "Put it better; the former words stay as a version", _C, 6, plain=("f2",)),
    _A("decide('editor')", ("E",), "editor", "Edit it in $EDITOR", _C, plain=("shift+f2",)),
    _A("decide('tier')", ("t",), "tier", "Say how central it is: core, medium, low", _C, 4, plain=("=",)),
    _A("decide('pin')", ("p",), "pin", "Pin or unpin: no machine expires or merges it", _C, 4, plain=("'",)),
    _A("decide('surer')", ("+",), "surer", "Raise its score by one, of ten", _C, plain=("+",)),
    _A("decide('less_sure')", ("-",), "less sure", "Lower its score by one, of ten", _C, plain=("-",)),
    _A("decide('tags')", ("#",), "tags", "Add and remove tags", _C, 3, plain=("#",)),
    _A("decide('kind')", ("T",), "kind", "Say what sort of statement it is", _C, plain=("%",)),
    _A("decide('scope')", (), "scope", "Say where it holds: everywhere, in a project", _C),
    _A("take_wording", ("W",), "take wording", "Take the wording that a model proposes", _C, 7, plain=("}",)),
    _A("drop_wording", ("L",), "keep mine", "Keep the words as they are: drop the proposed ones", _C, 6, plain=("{",)),
    _A("mark", ("space",), "mark", "Mark or unmark, and go on; verbs go by the marks", _M, 7, plain=("space",)),
    _A("range", ("v",), "range", "Mark all the way from here to where you go", _M, plain=(";",)),
    _A("extend(1)", ("shift+down",), "mark down", "Mark this and go down", _M, palette=False, plain=("shift+down",)),
    _A("extend(-1)", ("shift+up",), "mark up", "Mark this and go up", _M, palette=False, plain=("shift+up",)),
    _A("mark_all", ("*",), "mark all", "Mark everything listed, or nothing", _M, plain=("*",)),
    _A("facets", ("f",), "filter", "Filter by kind, tier, state, project, source, tag", _F, 6, plain=("f4",)),
    _A("sort", ("s",), "sort", "Put the list in another order", _F, 3, plain=("shift+f4", "~")),
    _A("conflict", ("c",), "next alert", "To the next one that has an alert", _F, plain=("@",)),
    _A("versus", ("V",), "side by side", "Its conflict: both memories, what can become of them", _F, 4, plain=('"',)),
    _A("open", ("enter",), "read", "Read the memory on the whole screen", _L, 6, plain=("enter",)),
    _A("scroll_detail(3)", ("J",), "detail down", "Scroll the detail down", _L, palette=False, plain=("ctrl+down",)),
    _A("scroll_detail(-3)", ("K",), "detail up", "Scroll the detail up", _L, palette=False, plain=("ctrl+up",)),
    _A("source", ("o",), "source", "Where it was said, in its conversation", _L, 6, plain=(">",)),
    _A("related", ("r",), "related", "List what is near it in meaning", _L, plain=("<",)),
    _A("past", ("i",), "its history", "All that was done to this memory", _L, plain=("_",)),
    _A("copy", ("y",), "copy", "Copy the text to the clipboard of your terminal", _L, plain=("$",)),
)  # fmt: skip
"""What can be done with memories in a list."""

INBOX = (
    _A("refused", ("X",), "refused", "What the import refused, and why; take in what is right", _F, 5, plain=("|",)),
)
"""What the inbox has beside that."""

GROUPS = (
    _A("unfold(True)", ("right",), "unfold", "Show the other ways to say it, each on a line", _L, 9, plain=("right",)),
    _A("unfold(False)", ("left",), "fold", "Put the other ways to say it under the first", _L, 9, plain=("left",)),
)
"""What can be done with several memories that say the same."""


def _taken(*ids: str) -> tuple[Action, ...]:
    """Verbs that another area has too: the same keys for the same thing."""
    return tuple(action for action in VERBS if action.id in ids)


CONFLICTS = (
    _A("keep_side", ("enter",), "keep side", "Keep this side; or take the draft, if that is highlighted", _D, 9,
       plain=("enter",)),
    _A("both", ("b",), "keep both", "Keep both: no conflict, not asked about again", _D, 9, plain=("f5",)),
    _A("apart", ("B",), "tell apart", "Keep both, and say when or where each holds", _D, 6, plain=("shift+f5",)),
    _A("draft", ("m",), "draft", "Draft one memory of both; enter takes it", _D, 7, plain=("&",)),
    _A("edit_draft", ("e",), "edit draft", "Put the draft in your own words, and take that", _D, 4, plain=("f2",)),
    _A("reject_both", ("x",), "reject both", "Reject both: they are wrong or junk", _D, 7, plain=("f6",)),
    *_taken("later"),
    _A("bulk", ("M",), "settle many", "Settle all that are listed by one rule, counts first", _D, 9,
       plain=("shift+f6",)),
    _A("step(1)", ("]",), "next conflict", "To the next conflict", _V, 9, plain=("]",)),
    _A("step(-1)", ("[",), "conflict before", "To the conflict before", _V, plain=("[",)),
    _A("move(1)", ("j", "down", "right"), "next side", "Highlight the next side, or the draft", _V, 5, palette=False,
       plain=("down", "right")),
    _A("move(-1)", ("k", "up", "left"), "side before", "Highlight the side before", _V, palette=False,
       plain=("up", "left")),
    _A("only", ("f",), "only some", "Only a class, the surest, or those with a source", _F, 5, plain=("f4",)),
    *(action for action in LISTS if action.name in ("first", "last", "back", "search")),
    *_taken("source", "its-history", "copy", "detail-down", "detail-up"),
)  # fmt: skip
"""What can be done with two memories that do not go together."""

RECALL = (
    _A("useful(True)", ("+",), "useful", "It is of use with this prompt: warmer, so it ranks higher", _D, 8,
       plain=("+",)),
    _A("useful(False)", ("-",), "of no use", "It is of no use with this prompt: colder", _D, 7, plain=("-",)),
    _A("expect(True)", (">",), "must include", "Keep a check: it must be given for this prompt", _D, 5,
       plain=("shift+f6",)),
    _A("expect(False)", ("<",), "must not", "Keep a check: it must not be given for this prompt", _D, 4,
       plain=("shift+f7",)),
    *_taken("validate", "reject", "forget", "later", "restore", "merge", "supersede", "repeat", "edit", "editor",
            "tier", "pin", "tags", "kind", "scope", "purge", "mark", "range", "mark-down", "mark-up", "mark-all"),
    _A("choose('preset')", ("s",), "preset", "Rank by another preset", _F, 8, plain=("shift+f4",)),
    _A("choose('against')", ("V",), "beside preset", "Show how places differ by another preset", _F, 5, plain=('"',)),
    _A("choose('budget')", ("=",), "budget", "Say how many tokens a block may have", _F, 4, plain=("shift+f5",)),
    _A("choose('among')", ("f",), "only among", "Only memories of a scope, a project, a kind …", _F, 3, plain=("f4",)),
    _A("choose('form')", (), "form", "Say in which form the block is: who speaks, how much", _F),
    _A("checks", ("c",), "checks", "Run the checks that you keep; go to the prompt of one", _F, 3, plain=("@",)),
    _A("open", ("enter",), "in memories", "Go to this memory in Memories", _L, 6, plain=("enter",)),
    _A("copy_block", ("Y",), "copy block", "Copy the block; it counts as a recall of what is in it", _L, 4,
       plain=("~",)),
    *_taken("source", "its-history", "copy", "detail-down", "detail-up"),
)  # fmt: skip
"""What can be done with what a model would be given."""

SOURCES = (
    _A("take_in", ("a",), "take in", "Take in what was refused: it is right, keep it", _D, 8, plain=("f5",)),
    _A("reword", ("e",), "put better", "Put what was refused better, and take that in", _D, 6, plain=("f2",)),
    *_taken("mark", "range", "mark-down", "mark-up", "mark-all"),
    *INBOX,
    _A("narrow", ("f",), "narrow", "Only one source, or what was refused for one reason", _F, 5, plain=("f4",)),
    _A("step(1)", ("n",), "next mark", "To the next passage that became a memory or was refused", _L, 7,
       plain=("ctrl+right",)),
    _A("step(-1)", ("N",), "mark before", "To the passage before that became a memory or was refused", _L,
       plain=("ctrl+left",)),
    _A("open", ("enter",), "open", "The transcript; there the memory of a quote, or what is folded", _L, 7,
       plain=("enter",)),
    *_taken("detail-down", "detail-up", "copy"),
)  # fmt: skip
"""What can be done with conversations and what was said in them."""

INSIGHTS = (
    _A("open", ("enter",), "show", "List what the mark under the cursor counts", _L, 9, plain=("enter",)),
    _A("across(-1)", ("left",), "left", "To the mark at the left", _V, palette=False, plain=("left",)),
    _A("across(1)", ("right",), "right", "To the mark at the right", _V, palette=False, plain=("right",)),
    *(action for action in LISTS if action.name not in ("back", "search")),
)  # fmt: skip
"""What can be done with pictures."""

HISTORY = (
    _A("take_back", ("z",), "take back", "Take back this command, or do it again if that was just done", _D, 9,
       plain=("backspace",)),
    _A("open", ("enter",), "its memories", "List the memories it touched",
       _L, 7, plain=("enter",)),
    *_taken("next-alert", "source", "its-history", "copy", "detail-down", "detail-up"),
)  # fmt: skip
"""What can be done with commands in the history."""

SWEEPS = (
    _A("failures", ("enter",), "failures", "What failed, why, and what the model answered", _S, 9, plain=("enter",)),
    _A("pause", ("P",), "pause", "Pause this sweep, or let it go on", _S, 8, plain=(",",)),
    _A("cancel", ("C",), "stop", "Stop its run: the question the model is at is dropped", _S, 8, plain=("\\",)),
    _A("now", ("S",), "start", "Begin now, whatever the time", _S, 8, plain=(")",)),
    _A("retry", ("R",), "retry", "Try again what failed", _S, 8, plain=("^",)),
    *_taken("detail-down", "detail-up", "copy"),
    *(action for action in LISTS if action.name not in ("search", "pane", "pane_back")),
)  # fmt: skip
"""What can be done with sweeps."""

WELCOME = (
    _A("demo", ("D",), "demo", "Look at the demo: two years of logs in a store apart", _P, 3, plain=("shift+f9",)),
)
"""What only an empty store offers."""

LAYER = (_A("leave", ("escape",), "cancel", "Leave without doing anything", _P, palette=False, plain=("escape",)),)
"""What every question that is laid over a screen can do."""

CHOICE = (
    *LAYER,
    _A("step(1)", ("down",), "next", "The next one", _V, palette=False, plain=("down",)),
    _A("step(-1)", ("up",), "previous", "The one before", _V, palette=False, plain=("up",)),
    _A("take", ("enter",), "take", "Take this one", _P, palette=False, plain=("enter",)),
)
"""What can be done in a menu, beside its own keys."""

EDITING = (
    *LAYER,
    _A("keep", ("enter",), "keep", "Keep the text", _P, palette=False, plain=("enter",)),
)  # fmt: skip
"""What can be done in a field that holds a memory's words."""

CONFIRM = (
    _A("yes", ("y", "enter"), "yes", "Do it", _P, palette=False, plain=("enter",)),
    _A("leave", ("n", "escape", "q"), "no", "Leave it", _P, palette=False, plain=("escape",)),
)
"""Yes or no."""

SCROLLING = (
    _A("scroll(1)", ("j", "down"), "down", "One line down", _V, palette=False, plain=("down",)),
    _A("scroll(-1)", ("k", "up"), "up", "One line up", _V, palette=False, plain=("up",)),
    _A("scroll(6)", ("ctrl+d",), "half down", "Half a screen down", _V, palette=False),
    _A("scroll(-6)", ("ctrl+u",), "half up", "Half a screen up", _V, palette=False),
    _A("scroll(12)", ("pagedown",), "page down", "A screen down", _V, palette=False, plain=("pagedown",)),
    _A("scroll(-12)", ("pageup",), "page up", "A screen up", _V, palette=False, plain=("pageup",)),
)
"""How one moves through a page of text."""

PAGE = (
    _A("leave", ("escape", "q"), "close", "Close this page", _P, palette=False, plain=("escape",)),
    *_taken("copy"),
    *SCROLLING,
)
"""What can be done on a page of text."""

HELP = (
    _A("leave", ("escape", "?", "q"), "close help", "Close this page", _P, palette=False, plain=("escape", "f1")),
    _A("search", ("/",), "find", "Find a key or a word", _F, palette=False, plain=("/", "f3")),
    *SCROLLING,
)
"""What can be done on the help page."""

SCOPES: dict[str, tuple[Action, ...]] = {
    "inbox": (*VERBS, *INBOX, *GROUPS, *LISTS, *EVERYWHERE),
    "memories": (*VERBS, *WELCOME, *LISTS, *EVERYWHERE),
    "conflicts": (*CONFLICTS, *EVERYWHERE),
    "recall": (*RECALL, *LISTS, *EVERYWHERE),
    "sources": (*SOURCES, *LISTS, *EVERYWHERE),
    "insights": (*INSIGHTS, *EVERYWHERE),
    "history": (*HISTORY, *LISTS, *EVERYWHERE),
    "sweeps": (*SWEEPS, *EVERYWHERE),
    "a menu": CHOICE,
    "a question": CONFIRM,
    "a field": EDITING,
    "a page": PAGE,
    "the help page": HELP,
}
"""Which actions work at the same time: within one of these a key can do one thing only."""


def bindings(actions: Iterable[Action], priority: bool = False) -> list[BindingType]:
    """The actions as Textual's bindings, each under its id so that a keymap can change its keys.

    With `priority` they come before the field that has the focus.
    """
    return [
        Binding(
            ",".join(action.keys) or _NO_KEY, action.name, action.label, show=False, id=action.id, priority=priority
        )
        for action in actions
    ]


_NO_KEY = "ctrl+alt+f24"  # a binding without a key is not possible; one that no keyboard has stands for it


def every() -> tuple[Action, ...]:
    """Every action of the areas, each once, for the docs and the tests."""
    views = [actions for name, actions in SCOPES.items() if not name.startswith(("a ", "the "))]
    return tuple(dict.fromkeys(action for actions in views for action in actions))

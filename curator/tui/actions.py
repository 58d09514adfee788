"""Registry of all actions, the source of bindings, footer, help, palette, keymaps and docs/keys.md.

`keys` belong to the preset `vim`, `plain` to the preset `plain`, which uses no letters. A key means the same in every
view.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from textual.binding import Binding, BindingType


class Group(StrEnum):
    """Headings of the help page."""

    DECIDE = "Review"
    CHANGE = "Change"
    MARK = "Mark"
    FIND = "Find"
    LOOK = "Details"
    MOVE = "Move"
    SWEEP = "Sweeps"
    VIEW = "Views"
    APP = "App"


@dataclass(frozen=True, slots=True)
class Action:
    """An action of the app. `name` calls the method `action_…` of the view, or of the app after `app.`."""

    name: str
    keys: tuple[str, ...]
    label: str
    help: str
    group: Group
    rank: int = 0  # in the footer; 0 hides the action, and lower ranks are dropped first if space is short
    palette: bool = True
    plain: tuple[str, ...] = ()
    own_id: str = ""  # set if an action of another view with other keys has the same label

    @property
    def id(self) -> str:
        """The action's name in the table [keys] of the settings."""
        return self.own_id or self.label.replace(" ", "-")

    @property
    def method(self) -> str:
        """The name without its arguments."""
        return self.name.partition("(")[0]

    @property
    def parameters(self) -> tuple[str, ...]:
        """The arguments of the method, as `check_action` gets them."""
        inner = self.name.partition("(")[2].rstrip(")")
        return tuple(part.strip(" '") for part in inner.split(",")) if inner else ()


_A = Action
_D, _C, _M, _F, _L = Group.DECIDE, Group.CHANGE, Group.MARK, Group.FIND, Group.LOOK
_V, _S, _R, _P = Group.MOVE, Group.SWEEP, Group.VIEW, Group.APP

EVERYWHERE = (
    _A("app.open_view('inbox')", ("1",), "inbox", "Memories to review, most important first", _R, plain=("1",)),
    _A("app.open_view('memories')", ("2",), "memories", "All memories", _R, plain=("2",)),
    _A("app.open_view('conflicts')", ("3",), "conflicts", "Contradictions and duplicates to resolve", _R, plain=("3",)),
    _A("app.open_view('recall')", ("4",), "recall", "What a model would get for a prompt, and why", _R, plain=("4",)),
    _A("app.open_view('sources')", ("5",), "sources", "The conversations your memories come from", _R, plain=("5",)),
    _A("app.open_view('insights')", ("6",), "insights", "Charts of your memories", _R, plain=("6",)),
    _A("app.open_view('history')", ("7",), "history", "All commands, each of which can be undone", _R, plain=("7",)),
    _A("app.sweeps", ("w",), "sweeps", "Background work: progress, failures, time left", _R, plain=("0",)),
    _A("app.undo", ("u",), "undo", "Undo the last command, even from an earlier session", _D, 8, plain=("f8",)),
    _A("app.redo", ("U", "ctrl+r"), "redo", "Redo the last undone command", _D, plain=("f12",)),
    _A("app.import_log", ("I",), "import", "Import a chat log: a file or a folder", _P, 3, plain=("f11",)),
    _A("app.add", ("A",), "add", "Add a memory in your own words", _P, 2, plain=("insert",)),
    _A("app.asked", ("F",), "forget requests", "Show requests to forget, and forgotten things said again", _D,
       plain=("shift+f8",)),
    _A("app.palette", (":", "ctrl+p"), "palette", "Find an action or a memory", _P, 5, plain=("f9",)),
    _A("app.help", ("?",), "help", "Keys and symbols", _P, 10, plain=("f1",)),
    _A("app.settings", (), "settings", "Theme, keymap and layout", _P),
    _A("app.change_theme", (), "theme", "Choose a colour theme", _P),
    _A("app.models", (), "models", "Choose a local model for background work", _P),
    _A("app.details", ("!",), "details", "Read and copy the last error or a long message", _P, 9, plain=("!",)),
    _A("app.distil", (), "distil", "Distil remaining conversations", _P),
    _A("app.tidy", (), "tidy", "Preview ranking and expiry, then apply it", _D),
    _A("app.outdated", (), "outdated", "List memories forgotten long ago, and old logs, to purge", _D),
    _A("app.stop_import", (), "stop import", "Stop the import; what it has imported is kept", _P),
    _A("app.quit", ("q", "ctrl+q", "ctrl+c"), "quit", "Quit; everything is saved", _P, 10, plain=("f10", "ctrl+q")),
)  # fmt: skip
"""Actions of every view."""

LISTS = (
    _A("move(1)", ("j", "down"), "down", "One line down", _V, palette=False, plain=("down",)),
    _A("move(-1)", ("k", "up"), "up", "One line up", _V, palette=False, plain=("up",)),
    _A("page(0.5)", ("ctrl+d",), "half down", "Half a screen down", _V, palette=False),
    _A("page(-0.5)", ("ctrl+u",), "half up", "Half a screen up", _V, palette=False),
    _A("page(1)", ("pagedown",), "page down", "One screen down", _V, palette=False, plain=("pagedown",)),
    _A("page(-1)", ("pageup",), "page up", "One screen up", _V, palette=False, plain=("pageup",)),
    _A("first", ("g", "home"), "top", "Go to the top", _V, plain=("home",)),
    _A("last", ("G", "end"), "bottom", "Go to the bottom", _V, plain=("end",)),
    _A("back", ("escape",), "back", "Go back, clear marks or the filter", _V, 9, palette=False, plain=("escape",)),
    _A("pane", ("tab",), "next pane", "Next pane", _V, palette=False, plain=("tab",)),
    _A("pane_back", ("shift+tab",), "previous pane", "Previous pane", _V, palette=False, plain=("shift+tab",)),
    _A("search", ("/",), "search", "Search as you type, or type a filter", _F, 7,
       plain=("/", "f3")),
)  # fmt: skip
"""Movement in every list."""

VERBS = (
    _A("decide('validate')", ("a",), "validate", "Validate: correct, keep it", _D, 8, plain=("f5",)),
    _A("decide('reject')", ("x",), "reject", "Reject: wrong or junk", _D, 8, plain=("f6",)),
    _A("decide('forget')", ("d",), "forget", "Forget: keep it out of recall, true or not", _D, 8, plain=("delete",)),
    _A("decide('later')", ("l",), "snooze", "Snooze for a week", _D, 6, plain=("f7",)),
    _A("decide('restore')", ("R",), "restore", "Restore a forgotten or superseded memory", _D, 8, plain=("^",)),
    _A("decide('merge')", ("m",), "merge", "Merge the marked, or this one and its nearest duplicate", _D, 5,
       plain=("&",)),
    _A("decide('supersede')", (), "supersede", "Supersede the marked ones, or its conflict, with this one", _D),
    _A("decide('purge')", (), "purge", "Erase the text everywhere; this cannot be undone", _D),
    _A("repeat", (".",), "repeat", "Repeat the last action here", _D, plain=(".",)),
    _A("decide('edit')", ("e",), "edit", "Edit the text; the old one is kept as a version", _C, 6, plain=("f2",)),
    _A("decide('editor')", ("E",), "editor", "Edit the text in $EDITOR", _C, plain=("shift+f2",)),
    _A("decide('tier')", ("t",), "tier", "Set the tier: core, medium, low", _C, 4, plain=("=",)),
    _A("decide('give')", ("H",), "give", "Set when models get it: always, when relevant, never", _C, 4, plain=("(",)),
    _A("decide('pin')", ("p",), "pin", "Pin or unpin: never expired or merged automatically", _C, 4, plain=("'",)),
    _A("decide('surer')", ("+",), "raise score", "Raise your score by one, up to ten", _C, plain=("+",)),
    _A("decide('less_sure')", ("-",), "lower score", "Lower your score by one, down to zero", _C, plain=("-",)),
    _A("decide('tags')", ("#",), "tags", "Add and remove tags", _C, 3, plain=("#",)),
    _A("decide('kind')", ("T",), "kind", "Set the kind: fact, preference, task …", _C, plain=("%",)),
    _A("decide('scope')", (), "scope", "Set the scope: global, a project, or one conversation", _C),
    _A("take_wording", ("W",), "accept wording", "Accept the wording that a model suggests", _C, 9, plain=("}",)),
    _A("drop_wording", ("L",), "keep mine", "Keep your wording and drop the suggested one", _C, 6, plain=("{",)),
    _A("mark", ("space",), "mark", "Mark or unmark; actions apply to all marked memories", _M, 7, plain=("space",)),
    _A("range", ("v",), "range", "Mark a range: from here to the cursor", _M, plain=(";",)),
    _A("extend(1)", ("shift+down",), "mark down", "Mark and move down", _M, palette=False, plain=("shift+down",)),
    _A("extend(-1)", ("shift+up",), "mark up", "Mark and move up", _M, palette=False, plain=("shift+up",)),
    _A("mark_all", ("*",), "mark all", "Mark all, or none", _M, plain=("*",)),
    _A("facets", ("f",), "filter", "Filter by kind, tier, state, project, source, tag", _F, 6, plain=("f4",)),
    _A("sort", ("s",), "sort", "Change the sort order", _F, 3, plain=("shift+f4", "~")),
    _A("conflict", ("c",), "find conflict", "Go to the next memory with a conflict", _F, plain=("@",)),
    _A("versus", ("V",), "side by side", "Show its conflict: both memories side by side", _F, 4, plain=('"',)),
    _A("open", ("enter",), "read", "Read the memory full screen", _L, 6, plain=("enter",)),
    _A("scroll_detail(3)", ("J",), "detail down", "Scroll the details down", _L, palette=False, plain=("ctrl+down",)),
    _A("scroll_detail(-3)", ("K",), "detail up", "Scroll the details up", _L, palette=False, plain=("ctrl+up",)),
    _A("source", ("o",), "source", "Open the conversation where it was said", _L, 6, plain=(">",)),
    _A("related", ("r",), "related", "List similar memories", _L, plain=("<",)),
    _A("past", ("i",), "its history", "Show the history of this memory", _L, plain=("_",)),
    _A("copy", ("y",), "copy", "Copy the text to the clipboard", _L, plain=("$",)),
)  # fmt: skip
"""Actions on memories in a list."""

INBOX = (
    _A(
        "refused",
        ("X",),
        "refused",
        "Show refused passages, and admit some",
        _F,
        5,
        plain=("|",),
    ),
)
"""Further actions of the Inbox."""

GROUPS = (
    _A("unfold(True)", ("right",), "unfold", "Unfold a group: show all its duplicates", _L, 9, plain=("right",)),
    _A("unfold(False)", ("left",), "fold", "Fold the group into one line", _L, 9, plain=("left",)),
)
"""Actions on duplicate groups."""


def _taken(*ids: str) -> tuple[Action, ...]:
    """Return the actions with these ids, for views that share them with the same keys."""
    return tuple(action for action in VERBS if action.id in ids)


CONFLICTS = (
    _A("keep_side", ("enter",), "keep this", "Keep the highlighted side, or accept the draft", _D, 9,
       plain=("enter",)),
    _A("both", ("b",), "keep both", "Keep both: no conflict", _D, 9, plain=("f5",)),
    _A("apart", ("B",), "clarify", "Keep both, and set when or where each applies", _D, 6, plain=("shift+f5",)),
    _A("draft", ("m",), "draft", "Draft a merge of both; enter accepts it", _D, 7, plain=("&",)),
    _A("edit_draft", ("e",), "edit draft", "Edit the draft, then accept it", _D, 4, plain=("f2",)),
    _A("reject_both", ("x",), "reject both", "Reject both: wrong or junk", _D, 7, plain=("f6",)),
    *_taken("snooze", "accept-wording"),
    _A("bulk", ("M",), "resolve many", "Resolve all listed conflicts by one rule, after a preview", _D, 8,
       plain=("shift+f6",)),
    _A("group", ("*",), "keep in group", "Keep this side in the whole group", _D, 6,
       plain=("*",)),
    _A("fold", ("h",), "fold group", "Collapse or expand the group", _V, 4, plain=("shift+f10",)),
    _A("side(1)", ("right", "tab"), "next side", "Highlight the next side, or the draft", _V, 9, palette=False,
       plain=("right", "tab")),
    _A("side(-1)", ("left", "shift+tab"), "previous side", "Highlight the previous side", _V, palette=False,
       plain=("left", "shift+tab")),
    _A("move(1)", ("]",), "next conflict", "Next conflict", _V, 4, plain=("]",)),
    _A("move(-1)", ("[",), "previous conflict", "Previous conflict", _V, plain=("[",)),
    _A("only", ("f",), "filter", "Filter by class, score or source", _F, 5, plain=("f4",), own_id="only-some"),
    *(action for action in LISTS if action.method not in ("pane", "pane_back")),
    *_taken("source", "its-history", "copy", "detail-down", "detail-up"),
)  # fmt: skip
"""Actions on conflicts."""

RECALL = (
    _A("useful(True)", ("+",), "useful", "Useful for this prompt: ranks higher", _D, 8,
       plain=("+",)),
    _A("useful(False)", ("-",), "not useful", "Not useful for this prompt: ranks lower", _D, 7, plain=("-",)),
    _A("expect(True)", (">",), "must include", "Add a check: recall must include it for this prompt", _D, 5,
       plain=("shift+f6",)),
    _A("expect(False)", ("<",), "must exclude", "Add a check: recall must exclude it for this prompt", _D, 4,
       plain=("shift+f7",)),
    *_taken("validate", "reject", "forget", "snooze", "restore", "merge", "supersede", "repeat", "edit", "editor",
            "tier", "give", "pin", "tags", "kind", "scope", "purge", "mark", "range", "mark-down", "mark-up",
            "mark-all"),
    _A("choose('preset')", ("s",), "preset", "Rank by another preset", _F, 8, plain=("shift+f4",)),
    _A("choose('against')", ("V",), "compare preset", "Compare with another preset", _F, 5, plain=('"',)),
    _A("choose('budget')", ("=",), "budget", "Set the token budget of the block", _F, 4, plain=("shift+f5",)),
    _A("choose('among')", ("f",), "filter", "Recall only memories that match a filter", _F, 3, plain=("f4",),
       own_id="only-among"),
    _A("project", ("P",), "project", "Recall as in a session of a project", _F, 6, plain=(",",)),
    _A("choose('form')", (), "format", "Choose the format of the block", _F),
    _A("checks", ("c",), "checks", "Run your checks, and open one", _F, 3, plain=("@",)),
    _A("open", ("enter",), "open", "Open in Memories", _L, 6, plain=("enter",), own_id="in-memories"),
    _A("copy_block", ("Y",), "copy block", "Copy the block; counts as a use of its memories", _L, 4,
       plain=("~",)),
    *_taken("source", "its-history", "copy", "detail-down", "detail-up"),
)  # fmt: skip
"""Actions on the recall block."""

SOURCES = (
    _A("admit", ("a",), "admit", "Admit the refused passage as a memory", _D, 8, plain=("f5",)),
    _A("reword", ("e",), "reword", "Reword the refused passage, then admit it", _D, 6, plain=("f2",)),
    *_taken("mark", "range", "mark-down", "mark-up", "mark-all"),
    *INBOX,
    _A("narrow", ("f",), "filter", "Filter by source, or by reason of refusal", _F, 5, plain=("f4",), own_id="narrow"),
    _A("step(1)", ("n",), "next passage", "Next passage that became a memory or was refused", _L, 7,
       plain=("ctrl+right",)),
    _A("step(-1)", ("N",), "previous passage", "Previous passage that became a memory or was refused", _L,
       plain=("ctrl+left",)),
    _A("open", ("enter",), "open", "Open the transcript; in it, a memory or a folded message", _L, 7,
       plain=("enter",)),
    *_taken("detail-down", "detail-up", "copy"),
)  # fmt: skip
"""Actions on conversations and their messages."""

INSIGHTS = (
    _A("open", ("enter",), "show", "List the memories behind the bar under the cursor", _L, 9, plain=("enter",)),
    _A("across(-1)", ("left",), "left", "Left", _V, palette=False, plain=("left",)),
    _A("across(1)", ("right",), "right", "Right", _V, palette=False, plain=("right",)),
    _A("elsewhere", ("O",), "other machine", "Chart the snapshot of another machine", _L, 1, plain=("`",)),
    *(action for action in LISTS if action.name not in ("back", "search")),
)  # fmt: skip
"""Actions on charts."""

HISTORY = (
    _A("take_back", ("z",), "undo this", "Undo this command, or redo it", _D, 9,
       plain=("backspace",)),
    _A("open", ("enter",), "show memories", "List the memories it changed",
       _L, 7, plain=("enter",)),
    *_taken("find-conflict", "source", "its-history", "copy", "detail-down", "detail-up"),
)  # fmt: skip
"""Actions on commands in the history."""

SWEEPS = (
    _A("failures", ("enter",), "failures", "Show failed items, with the reason", _S, 9, plain=("enter",)),
    _A("pause", ("P",), "pause", "Pause or resume the sweep, in every process", _S, 8, plain=(",",)),
    _A("cancel", ("C",), "stop", "Stop the run", _S, 8, plain=("\\",)),
    _A("now", ("S",), "start", "Start now", _S, 8, plain=(")",)),
    _A("retry", ("R",), "retry", "Retry what failed", _S, 8, plain=("^",)),
    *_taken("detail-down", "detail-up", "copy"),
    *(action for action in LISTS if action.name not in ("search", "pane", "pane_back")),
)  # fmt: skip
"""Actions on sweeps."""

WELCOME = (
    _A("demo", ("D",), "demo", "Try the demo: two years of chat logs in a separate store", _P, 3, plain=("shift+f9",)),
)
"""Actions of an empty store only."""

LAYER = (_A("leave", ("escape",), "cancel", "Cancel", _P, palette=False, plain=("escape",)),)
"""Actions of every dialog."""

CHOICE = (
    *LAYER,
    _A("step(1)", ("down",), "next", "Next", _V, palette=False, plain=("down",)),
    _A("step(-1)", ("up",), "previous", "Previous", _V, palette=False, plain=("up",)),
    _A("take", ("enter",), "take", "Choose", _P, palette=False, plain=("enter",)),
)
"""Actions of a menu, in addition to its own keys."""

EDITING = (
    *LAYER,
    _A("keep", ("enter",), "keep", "Save", _P, palette=False, plain=("enter",)),
    _A("swap", ("ctrl+t",), "swap drafts", "Switch between your draft and the model's", _P, palette=False,
       plain=("ctrl+t",)),
)  # fmt: skip
"""Actions of a field with a memory's text."""

CONFIRM = (
    _A("yes", ("y", "enter"), "yes", "Yes", _P, palette=False, plain=("enter",)),
    _A("leave", ("n", "escape", "q"), "no", "No", _P, palette=False, plain=("escape",)),
)
"""Actions of a confirmation."""

SCROLLING = (
    _A("scroll(1)", ("j", "down"), "down", "One line down", _V, palette=False, plain=("down",)),
    _A("scroll(-1)", ("k", "up"), "up", "One line up", _V, palette=False, plain=("up",)),
    _A("scroll(6)", ("ctrl+d",), "half down", "Half a screen down", _V, palette=False),
    _A("scroll(-6)", ("ctrl+u",), "half up", "Half a screen up", _V, palette=False),
    _A("scroll(12)", ("pagedown",), "page down", "One screen down", _V, palette=False, plain=("pagedown",)),
    _A("scroll(-12)", ("pageup",), "page up", "One screen up", _V, palette=False, plain=("pageup",)),
)
"""Scrolling of a page of text."""

PAGE = (
    _A("leave", ("escape", "q"), "close", "Close this page", _P, palette=False, plain=("escape",)),
    *_taken("copy"),
    *SCROLLING,
)
"""Actions of a page of text."""

HELP = (
    _A("leave", ("escape", "?", "q"), "close help", "Close this page", _P, palette=False, plain=("escape", "f1")),
    _A("search", ("/",), "find", "Filter by key or word", _F, palette=False, plain=("/", "f3")),
    *SCROLLING,
)
"""Actions of the help page."""

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
"""Actions that are active together; within a scope, each key has one meaning."""


def bindings(actions: Iterable[Action], priority: bool = False) -> list[BindingType]:
    """Return the actions as Textual bindings, each with its ID so that a keymap can change its keys.

    With `priority` they take precedence over the focused field.
    """
    return [
        Binding(
            ",".join(action.keys) or _NO_KEY, action.name, action.label, show=False, id=action.id, priority=priority
        )
        for action in actions
    ]


_NO_KEY = "ctrl+alt+f24"  # Textual requires a key; no keyboard has this one


def every() -> tuple[Action, ...]:
    """Return each action of the views once, for docs and tests."""
    views = [actions for name, actions in SCOPES.items() if not name.startswith(("a ", "the "))]
    return tuple(dict.fromkeys(action for actions in views for action in actions))

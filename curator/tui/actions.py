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


DECIDE, CHANGE, MARK, FIND, LOOK, MOVE, SWEEP, VIEW, APP = Group

EVERYWHERE = (
    Action("app.open_view('inbox')", ("1",), "inbox", "Memories to review, most important first", VIEW, plain=("1",)),
    Action("app.open_view('memories')", ("2",), "memories", "All memories", VIEW, plain=("2",)),
    Action("app.open_view('conflicts')", ("3",), "conflicts", "Contradictions and duplicates to resolve", VIEW,
           plain=("3",)),
    Action("app.open_view('recall')", ("4",), "recall", "What a model would get for a prompt, and why", VIEW,
           plain=("4",)),
    Action("app.open_view('sources')", ("5",), "sources", "The conversations your memories come from", VIEW,
           plain=("5",)),
    Action("app.open_view('insights')", ("6",), "insights", "Charts of your memories", VIEW, plain=("6",)),
    Action("app.open_view('history')", ("7",), "history", "All commands, each of which can be undone", VIEW,
           plain=("7",)),
    Action("app.sweeps", ("w",), "sweeps", "Background work: progress, failures, time left", VIEW, plain=("0",)),
    Action("app.undo", ("u",), "undo", "Undo the last command, even from an earlier session", DECIDE, 8, plain=("f8",)),
    Action("app.redo", ("U", "ctrl+r"), "redo", "Redo the last undone command", DECIDE, plain=("f12",)),
    Action("app.import_log", ("I",), "import", "Import a chat log: a file or a folder", APP, 3, plain=("f11",)),
    Action("app.add", ("A",), "add", "Add a memory in your own words", APP, 2, plain=("insert",)),
    Action("app.forget_requests", ("F",), "forget requests", "Show requests to forget, and forgotten things said again",
           DECIDE, plain=("shift+f8",)),
    Action("app.palette", (":", "ctrl+p"), "palette", "Find an action or a memory", APP, 5, plain=("f9",)),
    Action("app.help", ("?",), "help", "Keys and symbols", APP, 10, plain=("f1",)),
    Action("app.settings", (), "settings", "Theme, keymap and layout", APP),
    Action("app.change_theme", (), "theme", "Choose a colour theme", APP),
    Action("app.models", (), "models", "Choose a local model for background work", APP),
    Action("app.details", ("!",), "details", "Read and copy the last error or a long message", APP, 9, plain=("!",)),
    Action("app.distil", (), "distil", "Distil remaining conversations", APP),
    Action("app.tidy", (), "tidy", "Preview ranking and expiry, then apply it", DECIDE),
    Action("app.outdated", (), "outdated", "List memories forgotten long ago, and old logs, to purge", DECIDE),
    Action("app.stop_import", (), "stop import", "Stop the import; what it has imported is kept", APP),
    Action("app.quit", ("q", "ctrl+q", "ctrl+c"), "quit", "Quit; everything is saved", APP, 10,
           plain=("f10", "ctrl+q")),
)  # fmt: skip
"""Actions of every view."""

LISTS = (
    Action("move(1)", ("j", "down"), "down", "One line down", MOVE, palette=False, plain=("down",)),
    Action("move(-1)", ("k", "up"), "up", "One line up", MOVE, palette=False, plain=("up",)),
    Action("page(0.5)", ("ctrl+d",), "half down", "Half a screen down", MOVE, palette=False),
    Action("page(-0.5)", ("ctrl+u",), "half up", "Half a screen up", MOVE, palette=False),
    Action("page(1)", ("pagedown",), "page down", "One screen down", MOVE, palette=False, plain=("pagedown",)),
    Action("page(-1)", ("pageup",), "page up", "One screen up", MOVE, palette=False, plain=("pageup",)),
    Action("first", ("g", "home"), "top", "Go to the top", MOVE, plain=("home",)),
    Action("last", ("G", "end"), "bottom", "Go to the bottom", MOVE, plain=("end",)),
    Action("back", ("escape",), "back", "Go back, clear marks or the filter", MOVE, 9, palette=False,
           plain=("escape",)),
    Action("next_pane", ("tab",), "next pane", "Next pane", MOVE, palette=False, plain=("tab",)),
    Action("previous_pane", ("shift+tab",), "previous pane", "Previous pane", MOVE, palette=False,
           plain=("shift+tab",)),
    Action("search", ("/",), "search", "Search as you type, or type a filter", FIND, 7, plain=("/", "f3")),
)  # fmt: skip
"""Movement in every list."""

VERBS = (
    Action("decide('validate')", ("a",), "validate", "Validate: correct, keep it", DECIDE, 8, plain=("f5",)),
    Action("decide('reject')", ("x",), "reject", "Reject: wrong or junk", DECIDE, 8, plain=("f6",)),
    Action("decide('forget')", ("d",), "forget", "Forget: keep it out of recall, true or not", DECIDE, 8,
           plain=("delete",)),
    Action("decide('snooze')", ("l",), "snooze", "Snooze for a week", DECIDE, 6, plain=("f7",)),
    Action("decide('restore')", ("R",), "restore", "Restore a forgotten or superseded memory", DECIDE, 8, plain=("^",)),
    Action("decide('merge')", ("m",), "merge", "Merge the marked, or this one and its nearest duplicate", DECIDE, 5,
           plain=("&",)),
    Action("decide('supersede')", (), "supersede", "Supersede the marked ones, or its conflict, with this one", DECIDE),
    Action("decide('purge')", (), "purge", "Erase the text everywhere; this cannot be undone", DECIDE),
    Action("repeat", (".",), "repeat", "Repeat the last action here", DECIDE, plain=(".",)),
    Action("decide('edit')", ("e",), "edit", "Edit the text; the old one is kept as a version", CHANGE, 6,
           plain=("f2",)),
    Action("decide('editor')", ("E",), "editor", "Edit the text in $EDITOR", CHANGE, plain=("shift+f2",)),
    Action("decide('tier')", ("t",), "tier", "Set the tier: core, medium, low", CHANGE, 4, plain=("=",)),
    Action("decide('give')", ("H",), "give", "Set when models get it: always, when relevant, never", CHANGE, 4,
           plain=("(",)),
    Action("decide('pin')", ("p",), "pin", "Pin or unpin: never expired or merged automatically", CHANGE, 4,
           plain=("'",)),
    Action("decide('raise_score')", ("+",), "raise score", "Raise your score by one, up to ten", CHANGE, plain=("+",)),
    Action("decide('lower_score')", ("-",), "lower score", "Lower your score by one, down to zero", CHANGE,
           plain=("-",)),
    Action("decide('tags')", ("#",), "tags", "Add and remove tags", CHANGE, 3, plain=("#",)),
    Action("decide('kind')", ("T",), "kind", "Set the kind: fact, preference, task …", CHANGE, plain=("%",)),
    Action("decide('scope')", (), "scope", "Set the scope: global, a project, or one conversation", CHANGE),
    Action("accept_wording", ("W",), "accept wording", "Accept the wording that a model suggests", CHANGE, 9,
           plain=("}",)),
    Action("keep_wording", ("L",), "keep mine", "Keep your wording and drop the suggested one", CHANGE, 6,
           plain=("{",)),
    Action("mark", ("space",), "mark", "Mark or unmark; actions apply to all marked memories", MARK, 7,
           plain=("space",)),
    Action("range", ("v",), "range", "Mark a range: from here to the cursor", MARK, plain=(";",)),
    Action("extend(1)", ("shift+down",), "mark down", "Mark and move down", MARK, palette=False, plain=("shift+down",)),
    Action("extend(-1)", ("shift+up",), "mark up", "Mark and move up", MARK, palette=False, plain=("shift+up",)),
    Action("mark_all", ("*",), "mark all", "Mark all, or none", MARK, plain=("*",)),
    Action("filter", ("f",), "filter", "Filter by kind, tier, state, project, source, tag", FIND, 6, plain=("f4",)),
    Action("sort", ("s",), "sort", "Change the sort order", FIND, 3, plain=("shift+f4", "~")),
    Action("find_conflict", ("c",), "find conflict", "Go to the next memory with a conflict", FIND, plain=("@",)),
    Action("side_by_side", ("V",), "side by side", "Show its conflict: both memories side by side", FIND, 4,
           plain=('"',)),
    Action("open", ("enter",), "read", "Read the memory full screen", LOOK, 6, plain=("enter",)),
    Action("scroll_detail(3)", ("J",), "detail down", "Scroll the details down", LOOK, palette=False,
           plain=("ctrl+down",)),
    Action("scroll_detail(-3)", ("K",), "detail up", "Scroll the details up", LOOK, palette=False, plain=("ctrl+up",)),
    Action("source", ("o",), "source", "Open the conversation where it was said", LOOK, 6, plain=(">",)),
    Action("related", ("r",), "related", "List similar memories", LOOK, plain=("<",)),
    Action("history", ("i",), "its history", "Show the history of this memory", LOOK, plain=("_",)),
    Action("copy", ("y",), "copy", "Copy the text to the clipboard", LOOK, plain=("$",)),
)  # fmt: skip
"""Actions on memories in a list."""

INBOX = (Action("refused", ("X",), "refused", "Show refused passages, and admit some", FIND, 5, plain=("|",)),)
"""Further actions of the Inbox."""

GROUPS = (
    Action("unfold(True)", ("right",), "unfold", "Unfold a group: show all its duplicates", LOOK, 9, plain=("right",)),
    Action("unfold(False)", ("left",), "fold", "Fold the group into one line", LOOK, 9, plain=("left",)),
)
"""Actions on duplicate groups."""


def shared(*ids: str) -> tuple[Action, ...]:
    """Return the actions with these ids, for views that share them with the same keys."""
    return tuple(action for action in VERBS if action.id in ids)


CONFLICTS = (
    Action("keep_side", ("enter",), "keep this", "Keep the highlighted side, or accept the draft", DECIDE, 9,
           plain=("enter",)),
    Action("keep_both", ("b",), "keep both", "Keep both: no conflict", DECIDE, 9, plain=("f5",)),
    Action("clarify", ("B",), "clarify", "Keep both, and set when or where each applies", DECIDE, 6,
           plain=("shift+f5",)),
    Action("draft", ("m",), "draft", "Draft a merge of both; enter accepts it", DECIDE, 7, plain=("&",)),
    Action("edit_draft", ("e",), "edit draft", "Edit the draft, then accept it", DECIDE, 4, plain=("f2",)),
    Action("reject_both", ("x",), "reject both", "Reject both: wrong or junk", DECIDE, 7, plain=("f6",)),
    *shared("snooze", "accept-wording"),
    Action("resolve_many", ("M",), "resolve many", "Resolve all listed conflicts by one rule, after a preview",
           DECIDE, 8, plain=("shift+f6",)),
    Action("keep_in_group", ("*",), "keep in group", "Keep this side in the whole group", DECIDE, 6, plain=("*",)),
    Action("fold", ("h",), "fold group", "Collapse or expand the group", MOVE, 4, plain=("shift+f10",)),
    Action("side(1)", ("right", "tab"), "next side", "Highlight the next side, or the draft", MOVE, 9, palette=False,
           plain=("right", "tab")),
    Action("side(-1)", ("left", "shift+tab"), "previous side", "Highlight the previous side", MOVE, palette=False,
           plain=("left", "shift+tab")),
    Action("move(1)", ("]",), "next conflict", "Next conflict", MOVE, 4, plain=("]",)),
    Action("move(-1)", ("[",), "previous conflict", "Previous conflict", MOVE, plain=("[",)),
    Action("filter", ("f",), "filter", "Filter by class, score or source", FIND, 5, plain=("f4",), own_id="only-some"),
    *(action for action in LISTS if action.method not in ("next_pane", "previous_pane")),
    *shared("source", "its-history", "copy", "detail-down", "detail-up"),
)  # fmt: skip
"""Actions on conflicts."""

RECALL = (
    Action("useful(True)", ("+",), "useful", "Useful for this prompt: ranks higher", DECIDE, 8, plain=("+",)),
    Action("useful(False)", ("-",), "not useful", "Not useful for this prompt: ranks lower", DECIDE, 7, plain=("-",)),
    Action("expect(True)", (">",), "must include", "Add a check: recall must include it for this prompt", DECIDE, 5,
           plain=("shift+f6",)),
    Action("expect(False)", ("<",), "must exclude", "Add a check: recall must exclude it for this prompt", DECIDE, 4,
           plain=("shift+f7",)),
    *shared("validate", "reject", "forget", "snooze", "restore", "merge", "supersede", "repeat", "edit", "editor",
            "tier", "give", "pin", "tags", "kind", "scope", "purge", "mark", "range", "mark-down", "mark-up",
            "mark-all"),
    Action("choose('preset')", ("s",), "preset", "Rank by another preset", FIND, 8, plain=("shift+f4",)),
    Action("choose('against')", ("V",), "compare preset", "Compare with another preset", FIND, 5, plain=('"',)),
    Action("choose('budget')", ("=",), "budget", "Set the token budget of the block", FIND, 4, plain=("shift+f5",)),
    Action("choose('among')", ("f",), "filter", "Recall only memories that match a filter", FIND, 3,
           plain=("f4",), own_id="only-among"),
    Action("project", ("P",), "project", "Recall as in a session of a project", FIND, 6, plain=(",",)),
    Action("choose('form')", (), "format", "Choose the format of the block", FIND),
    Action("checks", ("c",), "checks", "Run your checks, and open one", FIND, 3, plain=("@",)),
    Action("open", ("enter",), "open", "Open in Memories", LOOK, 6, plain=("enter",), own_id="in-memories"),
    Action("copy_block", ("Y",), "copy block", "Copy the block; counts as a use of its memories", LOOK, 4,
           plain=("~",)),
    *shared("source", "its-history", "copy", "detail-down", "detail-up"),
)  # fmt: skip
"""Actions on the recall block."""

SOURCES = (
    Action("admit", ("a",), "admit", "Admit the refused passage as a memory", DECIDE, 8, plain=("f5",)),
    Action("reword", ("e",), "reword", "Reword the refused passage, then admit it", DECIDE, 6, plain=("f2",)),
    *shared("mark", "range", "mark-down", "mark-up", "mark-all"),
    *INBOX,
    Action("filter", ("f",), "filter", "Filter by source, or by reason of refusal", FIND, 5,
           plain=("f4",), own_id="narrow"),
    Action("step(1)", ("n",), "next passage", "Next passage that became a memory or was refused", LOOK, 7,
           plain=("ctrl+right",)),
    Action("step(-1)", ("N",), "previous passage", "Previous passage that became a memory or was refused", LOOK,
           plain=("ctrl+left",)),
    Action("open", ("enter",), "open", "Open the transcript; in it, a memory or a folded message", LOOK, 7,
           plain=("enter",)),
    *shared("detail-down", "detail-up", "copy"),
)  # fmt: skip
"""Actions on conversations and their messages."""

INSIGHTS = (
    Action("open", ("enter",), "show", "List the memories behind the bar under the cursor", LOOK, 9, plain=("enter",)),
    Action("move_across(-1)", ("left",), "left", "Left", MOVE, palette=False, plain=("left",)),
    Action("move_across(1)", ("right",), "right", "Right", MOVE, palette=False, plain=("right",)),
    Action("other_machine", ("O",), "other machine", "Chart the snapshot of another machine", LOOK, 1, plain=("`",)),
    *(action for action in LISTS if action.name not in ("back", "search")),
)  # fmt: skip
"""Actions on charts."""

HISTORY = (
    Action("undo_this", ("z",), "undo this", "Undo this command, or redo it", DECIDE, 9, plain=("backspace",)),
    Action("open", ("enter",), "show memories", "List the memories it changed", LOOK, 7, plain=("enter",)),
    *shared("find-conflict", "source", "its-history", "copy", "detail-down", "detail-up"),
)  # fmt: skip
"""Actions on commands in the history."""

SWEEPS = (
    Action("failures", ("enter",), "failures", "Show failed items, with the reason", SWEEP, 9, plain=("enter",)),
    Action("pause", ("P",), "pause", "Pause or resume the sweep, in every process", SWEEP, 8, plain=(",",)),
    Action("stop", ("C",), "stop", "Stop the run", SWEEP, 8, plain=("\\",)),
    Action("start", ("S",), "start", "Start now", SWEEP, 8, plain=(")",)),
    Action("retry", ("R",), "retry", "Retry what failed", SWEEP, 8, plain=("^",)),
    *shared("detail-down", "detail-up", "copy"),
    *(action for action in LISTS if action.name not in ("search", "next_pane", "previous_pane")),
)  # fmt: skip
"""Actions on sweeps."""

WELCOME = (
    Action(
        "demo", ("D",), "demo", "Try the demo: two years of chat logs in a separate store", APP, 3, plain=("shift+f9",)
    ),
)
"""Actions of an empty store only."""

DIALOG = (Action("leave", ("escape",), "cancel", "Cancel", APP, palette=False, plain=("escape",)),)
"""Actions of every dialog."""

CHOICE = (
    *DIALOG,
    Action("step(1)", ("down",), "next", "Next", MOVE, palette=False, plain=("down",)),
    Action("step(-1)", ("up",), "previous", "Previous", MOVE, palette=False, plain=("up",)),
    Action("take", ("enter",), "take", "Choose", APP, palette=False, plain=("enter",)),
)
"""Actions of a menu, in addition to its own keys."""

EDITING = (
    *DIALOG,
    Action("keep", ("enter",), "keep", "Save", APP, palette=False, plain=("enter",)),
    Action("swap", ("ctrl+t",), "swap drafts", "Switch between your draft and the model's", APP, palette=False,
           plain=("ctrl+t",)),
)  # fmt: skip
"""Actions of a field with a memory's text."""

CONFIRM = (
    Action("yes", ("y", "enter"), "yes", "Yes", APP, palette=False, plain=("enter",)),
    Action("leave", ("n", "escape", "q"), "no", "No", APP, palette=False, plain=("escape",)),
)
"""Actions of a confirmation."""

SCROLLING = (
    Action("scroll(1)", ("j", "down"), "down", "One line down", MOVE, palette=False, plain=("down",)),
    Action("scroll(-1)", ("k", "up"), "up", "One line up", MOVE, palette=False, plain=("up",)),
    Action("scroll(6)", ("ctrl+d",), "half down", "Half a screen down", MOVE, palette=False),
    Action("scroll(-6)", ("ctrl+u",), "half up", "Half a screen up", MOVE, palette=False),
    Action("scroll(12)", ("pagedown",), "page down", "One screen down", MOVE, palette=False, plain=("pagedown",)),
    Action("scroll(-12)", ("pageup",), "page up", "One screen up", MOVE, palette=False, plain=("pageup",)),
)
"""Scrolling of a page of text."""

PAGE = (
    Action("leave", ("escape", "q"), "close", "Close this page", APP, palette=False, plain=("escape",)),
    *shared("copy"),
    *SCROLLING,
)
"""Actions of a page of text."""

HELP = (
    Action("leave", ("escape", "?", "q"), "close help", "Close this page", APP, palette=False, plain=("escape", "f1")),
    Action("search", ("/",), "find", "Filter by key or word", FIND, palette=False, plain=("/", "f3")),
    *SCROLLING,
)
"""Actions of the help page."""

VIEW_SCOPES: dict[str, tuple[Action, ...]] = {
    "inbox": (*VERBS, *INBOX, *GROUPS, *LISTS, *EVERYWHERE),
    "memories": (*VERBS, *WELCOME, *LISTS, *EVERYWHERE),
    "conflicts": (*CONFLICTS, *EVERYWHERE),
    "recall": (*RECALL, *LISTS, *EVERYWHERE),
    "sources": (*SOURCES, *LISTS, *EVERYWHERE),
    "insights": (*INSIGHTS, *EVERYWHERE),
    "history": (*HISTORY, *LISTS, *EVERYWHERE),
    "sweeps": (*SWEEPS, *EVERYWHERE),
}
"""Actions of each view."""
DIALOG_SCOPES: dict[str, tuple[Action, ...]] = {
    "a menu": CHOICE,
    "a question": CONFIRM,
    "a field": EDITING,
    "a page": PAGE,
    "the help page": HELP,
}
"""Actions of each kind of dialog."""
SCOPES = VIEW_SCOPES | DIALOG_SCOPES
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


def view_actions() -> tuple[Action, ...]:
    """Return each action of the views once, for docs and tests."""
    return tuple(dict.fromkeys(action for actions in VIEW_SCOPES.values() for action in actions))

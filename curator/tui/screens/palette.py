"""Command palette: finds every action and memory, by name or by a common synonym."""

from collections.abc import Awaitable, Callable, Iterator
from functools import partial

from textual import on
from textual.command import Command, CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.widgets import Input
from textual.worker import Worker, WorkerState

from curator.tui.actions import Action
from curator.tui.dispatch import ModalDialog
from curator.tui.keymap import key_names, keys_of
from curator.tui.messages import Target
from curator.tui.text_format import one_line
from curator.tui.view import BaseApp
from curator.tui.widgets.bars import works
from curator.tui.widgets.inputs import Signs
from store import Filter

_MEMORIES = 12  # memories shown below the actions
_SYNONYMS = {
    "help": "shortcuts keybindings keymap keys manual",
    "settings": "preferences options configuration keymap shortcuts keybindings layout theme",
    "theme": "colors colours dark light appearance",
    "models": "ollama lm studio llama.cpp vllm llm embedding ai settings",
    "quit": "exit close leave",
    "import": "open load chat logs conversations",
    "add": "new create memory",
    "undo": "revert take back",
    "forget": "delete remove archive",
    "reject": "delete remove wrong junk",
    "purge": "delete erase wipe",
    "validate": "accept approve confirm keep",
    "snooze": "later postpone skip",
    "edit": "change reword",
    "search": "find filter",
    "filter": "facets",
    "sort": "order",
    "mark": "select",
    "mark-all": "select all",
    "copy": "clipboard yank",
    "history": "log journal audit",
    "insights": "statistics charts stats",
    "sweeps": "background jobs tasks progress",
    "recall": "prompt context block search",
    "details": "errors messages log",
    "tidy": "clean up cleanup expire rank",
    "outdated": "retention old delete purge",
    "stop-import": "cancel abort import",
}
"""Synonyms for actions, in addition to label and help."""


class Palette(ModalDialog, CommandPalette):
    """Textual's palette, which can be closed only once.

    During a search, Textual still lists the previous matches, so enter waits for the end of the search.
    """

    def __init__(self) -> None:
        super().__init__(placeholder="Search actions and memories")
        self._submitted = False

    def on_mount(self) -> None:
        """Escape invisible characters of pasted text."""
        for field in self.query(Input):
            field.highlighter = Signs()

    def _searching(self) -> bool:
        group = self._GATHER_COMMANDS_GROUP
        return any(worker.node is self and worker.group == group and not worker.is_finished for worker in self.workers)

    @on(Input.Changed)
    def _forget_submit(self) -> None:
        self._submitted = False

    @on(Input.Submitted)
    def _submit(self, event: Input.Submitted) -> None:
        if self._searching():
            event.stop()
            event.prevent_default()
            self._submitted = True

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Run the best match of a search that ended after enter was pressed."""
        if self._submitted and event.state is WorkerState.SUCCESS and not self._searching():
            self._submitted = False
            self._select_or_command()

    def _refresh_command_list(self, command_list: CommandList, commands: list[Command], clear_current: bool) -> None:
        """Keep the cursor on its command while more matches arrive, but on the best one until it is moved."""
        kept = None if clear_current or not command_list.highlighted else command_list.highlighted_option
        super()._refresh_command_list(command_list, commands, clear_current)
        if kept is not None and kept.id is not None:
            command_list.highlighted = command_list.get_option_index(kept.id)

    def _action_command_list(self, action: str) -> None:
        paged = action.startswith("page_")  # Textual cannot page without a visible line
        if not paged or self.query_one(CommandList).scrollable_content_region:
            super()._action_command_list(action)


class Finder(Provider):
    """Finds enabled actions with their keys, then memories that contain the words."""

    async def discover(self) -> Hits:
        """Yield all enabled actions."""
        for action, display, run in self._working():
            yield DiscoveryHit(display, run, help=action.help)

    async def search(self, query: str) -> Hits:
        """Yield the matching actions and memories."""
        matcher, typed = self.matcher(query), query.lower().split()
        for action, display, run in self._working():
            others = ((_SYNONYMS.get(action.id, ""), 0.9), (action.help, 0.8))
            scores = [  # words, since the letters of a query are in any long text in order
                matcher.match(text) * weight for text, weight in others if all(word in text.lower() for word in typed)
            ]
            score = max(matcher.match(action.label), *scores, 0.0)
            if score > 0:
                yield Hit(1 + score, display, run, help=action.help)
        app, memory_filter = self.app, Filter(words=(query.strip(),))
        if not isinstance(app, BaseApp) or self.screen is not app.screen_stack[0] or len(query.strip()) < 2:
            return
        context = app.context

        def read() -> list[tuple[int, str]]:
            if context.analytics.filled:
                context.analytics.follow()
                ids = list(context.analytics.list_ids(memory_filter)[:_MEMORIES])
            else:
                ids = context.store.list_ids(memory_filter, limit=_MEMORIES)
            return [(memory.id, memory.text) for memory in context.store.get_many(ids)]

        for index, (memory_id, text) in enumerate(await context.run("facets", read)):
            words = Content.assemble(("memory  ", "$muted"), one_line(text))
            find = partial(app.view.go, "memories", Target(memory_id=memory_id))
            yield Hit(0.5 - index / 100, words, find, text=f"memory {memory_id}")

    def _working(self) -> Iterator[tuple[Action, Content, Callable[[], Awaitable[bool]]]]:
        """Yield the enabled actions, their display, and a callback to run them; none while a dialog is open."""
        app = self.app
        if isinstance(app, BaseApp) and self.screen is app.screen_stack[0]:
            for action in app.view.actions:
                if action.palette and works(app.view, action):
                    keys = (f"  {key_names(keys_of(app, action))}", "$muted")
                    yield action, Content.assemble(action.label, keys), partial(app.run_action, action.name, app.view)

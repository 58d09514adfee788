"""Finding by name in Textual's command palette: every action, and every memory."""

from collections.abc import Iterator
from functools import partial

from textual.app import App
from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.widgets import Input

from curator.tui.actions import Action
from curator.tui.formatting import one_line
from curator.tui.keymap import key_names, keys_of
from curator.tui.screens.main import MainScreen
from curator.tui.screens.modal import ModalDialog
from curator.tui.view import OpenView, Target
from curator.tui.widgets.bars import works
from curator.tui.widgets.inputs import Signs
from store import Filter

_MEMORIES = 12  # shown below the actions


class Palette(ModalDialog, CommandPalette):
    """Textual's own, left once."""

    def __init__(self) -> None:
        super().__init__(placeholder="What do you want to do, or which memory?")

    def on_mount(self) -> None:
        """Show what is pasted as it can be looked at."""
        for field in self.query(Input):
            field.highlighter = Signs()

    def _action_command_list(self, action: str) -> None:
        if self.query_one(CommandList).scrollable_content_region:  # without a line of it Textual cannot page
            super()._action_command_list(action)


class Finder(Provider):
    """The actions that work now, with the keys that do the same, then the memories that hold the words."""

    async def discover(self) -> Hits:
        """All actions that work now."""
        for action in self._working():
            yield DiscoveryHit(_display(self.app, action), partial(self._run, action), help=action.help)

    async def search(self, query: str) -> Hits:
        """What matches."""
        matcher = self.matcher(query)
        for action in self._working():
            score = max(matcher.match(action.label), matcher.match(action.help) * 0.8)
            if score > 0:
                yield Hit(1 + score, _display(self.app, action), partial(self._run, action), help=action.help)
        frame = self.screen
        if isinstance(frame, MainScreen) and len(query.strip()) > 1:
            context = frame.context
            wanted = Filter(text=query.strip())

            def read() -> list[tuple[int, str]]:
                if context.analytics.filled:
                    context.analytics.follow()
                    ids = list(context.analytics.list_ids(wanted)[:_MEMORIES])
                else:
                    ids = context.store.list_ids(wanted, limit=_MEMORIES)
                return [(memory.id, memory.text) for memory in context.store.get_many(ids)]

            for place, (number, text) in enumerate(await context.executors["facets"].run(read)):
                words = Content.assemble(("memory  ", "$muted"), one_line(text))
                yield Hit(0.5 - place / 100, words, partial(self._find, number), text=f"memory {number}")

    def _working(self) -> Iterator[Action]:
        frame = self.screen
        if isinstance(frame, MainScreen):
            yield from (action for action in frame.view.actions if action.palette and works(frame.view, action))

    async def _run(self, action: Action) -> None:
        frame = self.screen
        if isinstance(frame, MainScreen):
            await self.app.run_action(action.name, frame.view)

    def _find(self, memory: int) -> None:
        frame = self.screen
        if isinstance(frame, MainScreen):
            frame.post_message(OpenView("memories", Target(memory=memory)))


def _display(app: "App[object]", action: Action) -> Content:
    return Content.assemble(action.label, (f"  {key_names(keys_of(app, action))}", "$muted"))

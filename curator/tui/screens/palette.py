"""The actions of the screen in Textual's command palette."""

from collections.abc import Iterator
from functools import partial

from textual.app import App
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.screen import Screen

from curator.tui.actions import EVERYWHERE, MEMORIES, Action


class Actions(Provider):
    """Every action by its name, with the key that does the same."""

    async def discover(self) -> Hits:
        """All that work now."""
        for action in self._working():
            yield DiscoveryHit(_display(action), partial(_run, self.app, self.screen, action), help=action.help)

    async def search(self, query: str) -> Hits:
        """Those that match."""
        matcher = self.matcher(query)
        for action in self._working():
            score = max(matcher.match(action.label), matcher.match(action.help) * 0.8)
            if score > 0:
                yield Hit(score, _display(action), partial(_run, self.app, self.screen, action), help=action.help)

    def _working(self) -> Iterator[Action]:
        for action in (*MEMORIES, *EVERYWHERE):
            if action.palette and self.screen.check_action(action.method, ()):
                yield action


def _display(action: Action) -> Content:
    return Content.assemble(action.label, (f"  {action.shown_keys()}", "$muted"))


async def _run(app: App[object], screen: Screen[object], action: Action) -> None:
    await app.run_action(action.name, screen)

"""Drawing in tests: when the screen is looked at, not at each change, since without a terminal nobody sees it."""

from typing import Any

from rich.console import RenderableType
from textual._compositor import Compositor
from textual._context import visible_screen_stack
from textual.app import App
from textual.strip import Strip

at_once = Compositor.render_update
"""Draws what has changed, as the app does outside of tests."""


def put_off(compositor: Compositor, full: bool = False, **more: Any) -> RenderableType | None:
    """Draw a screenshot; leave other changes to `draw`."""
    return at_once(compositor, full, **more) if full else None


def draw(app: App[Any]) -> None:
    """Draw what has changed since the last time."""
    with app._context():
        visible_screen_stack.set(app._background_screens)
        app.screen._compositor.render_partial_update()


def strips(app: App[Any]) -> list[Strip]:
    """Return all lines of the screen."""
    with app._context():
        visible_screen_stack.set(app._background_screens)
        return app.screen._compositor.render_strips()

"""Drawing on demand: the screen is drawn when a test looks at it, not at every change."""

from typing import Any

from rich.console import RenderableType
from textual._compositor import Compositor
from textual._context import visible_screen_stack
from textual.app import App
from textual.strip import Strip

at_once = Compositor.render_update
"""The original method, which draws what has changed, as in the app."""


def put_off(compositor: Compositor, full: bool = False, **more: Any) -> RenderableType | None:
    """Draw full screenshots only; leave partial updates to `draw`."""
    return at_once(compositor, full, **more) if full else None


def draw(app: App[Any]) -> None:
    """Draw what has changed since the last drawing."""
    with app._context():
        visible_screen_stack.set(app._background_screens)
        app.screen._compositor.render_partial_update()


def strips(app: App[Any]) -> list[Strip]:
    """Return all lines of the screen."""
    with app._context():
        visible_screen_stack.set(app._background_screens)
        return app.screen._compositor.render_strips()

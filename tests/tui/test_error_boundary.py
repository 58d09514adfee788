"""Errors in the app: shown, readable and copyable, and the app continues."""

from typing import Any

import pytest

from effort import thorough
from store import Store
from tui.driver import opened
from tui.sample_store import fill

pytestmark = thorough


def _broken(*_: Any) -> Any:
    raise RuntimeError("[red]broken[/red]")


async def test_an_action_that_fails_is_said(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(store)
    async with opened(store) as app:
        monkeypatch.setattr(app.view, "action_copy", _broken)
        await app.press("y")
        assert app.status == "RuntimeError: [red]broken[/red] · ! details"
        await app.press("j", "a")
        assert app.status == "already validated"
        app.app.failure = ""


async def test_a_message_handler_that_fails_is_said(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(store)
    async with opened(store) as app:
        monkeypatch.setattr(type(app.listing), "key_z", _broken, raising=False)
        await app.press("z")
        assert app.status == "RuntimeError: [red]broken[/red] · ! details"
        monkeypatch.undo()
        await app.press("j", "d")
        assert app.status.startswith("forgot")
        app.app.failure = ""


async def test_a_worker_that_fails_is_said_and_its_details_are_copied(store: Store) -> None:
    def broken(*_: Any) -> Any:
        raise OSError("the disk is gone")

    async with opened(store, import_log=broken) as app:
        await app.press("I")
        await app.write("/")
        await app.press("enter")
        assert app.status == "OSError: the disk is gone · ! details"
        await app.press("!")
        assert "Traceback" in app.seen() and "the disk is gone" in app.seen()
        copied: list[str] = []
        app.app.copy_to_clipboard = copied.append  # type: ignore[method-assign,assignment]
        await app.press("y")
        assert copied == [app.app.failure] and "copied" in app.seen()
        await app.press("escape")
        assert app.app.failure
        app.app.failure = ""


async def test_without_a_failure_there_is_nothing_to_show(store: Store) -> None:
    async with opened(store) as app:
        await app.press("!")
        assert len(app.app.screen_stack) == 1

"""Quitting takes no longer than needed."""

import sys

import pytest

from curator.tui.app import CuratorApp
from curator.ui_defaults import Looks
from store import Store
from tui.driver import QUICK


@pytest.mark.skipif(sys.platform == "win32", reason="the driver of terminals on Linux and macOS")
async def test_the_thread_that_reads_keys_is_not_waited_for_and_is_told_to_end(store: Store) -> None:
    from textual.drivers.linux_driver import LinuxDriver

    app = CuratorApp(store, Looks(), timings=QUICK)
    async with app.run_test() as pilot:
        driver = LinuxDriver(app)
        assert hasattr(driver, "_key_thread"), "Textual calls it otherwise now: see `action_quit`"
        headless, app._driver = app._driver, driver
        await app.action_quit()
        app._driver = headless
        await pilot.pause()
    assert driver._key_thread is None
    assert app.finish() and driver.exit_event.is_set()

"""Letters in place of symbols where a terminal cannot draw them."""

import pytest

from curator.tui.app import CuratorApp
from curator.tui.glyphs import ASCII, UNICODE, glyphs
from effort import thorough
from store import Store
from tui.driver import QUICK, Driven
from tui.sample_store import NOW, fill


@pytest.mark.parametrize(("terminal", "expected"), [("xterm-256color", UNICODE), ("linux", ASCII), ("dumb", ASCII)])
def test_the_terminal_decides(monkeypatch: pytest.MonkeyPatch, terminal: str, expected: object) -> None:
    monkeypatch.setenv("TERM", terminal)
    assert glyphs() == expected


@thorough
async def test_every_sign_has_its_letter(store: Store) -> None:
    fill(store)
    app = CuratorApp(store, now=lambda: NOW, glyphs=ASCII, first="memories", timings=QUICK)
    async with app.run_test(size=(100, 36)) as pilot:
        driven = Driven(app, pilot)
        await driven.rest()
        await driven.press("j", "space", "k")
        rows = driven.seen().splitlines()[2:6]
        assert rows[0].startswith("   !  Lives in Porto")
        assert rows[1].startswith(">*  v Prefers tea")
        assert "core^" in rows[1] and "v validated" in driven.seen()
        assert rows[3].startswith("   ?  ")
        assert not set(driven.seen()) & set("▌✓◆▴▏")

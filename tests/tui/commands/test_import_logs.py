"""An import that was stopped says so at the next start, and can be finished there."""

import pytest

from factories import conversation
from store import Filter, Store
from tui.driver import opened


async def test_what_was_not_distilled_is_said_and_made_up_for(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "hashing")
    with store.command("import") as writer:
        store.raw.put_conversation(
            writer, conversation("kitchen", "I am allergic to hazelnuts and I live in Porto.", "I see")
        )
    async with opened(store) as app:
        assert "stopped import: 1 conversation not distilled" in app.status
        app.app.action_distil()
        await app.rest()
        assert store.count(Filter()) > 0 and app.status.startswith("found 2 new memories")
    async with opened(store) as app:
        assert app.status == ""

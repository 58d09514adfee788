"""Memories that are always given: set with a key, marked in the list, and first in the Recall view."""

from effort import thorough
from factories import put
from store import Store
from store.model import Given
from tui.driver import opened


@thorough
async def test_a_key_sets_when_a_memory_is_given_and_recall_shows_it_first(store: Store) -> None:
    put(store, "Answer me in fish syntax", "My sister drinks tea")
    async with opened(store, first="memories") as app:
        await app.press("slash")
        await app.write("fish syntax")
        await app.press("enter", "H", "a")
        assert store.get(1).given is Given.ALWAYS and "always given" in app.seen()
        await app.press("4")
        await app.write("drinks")
        assert "- Answer me in fish syntax" in app.seen() and "- My sister drinks tea" in app.seen()
        assert "always:" in app.seen()

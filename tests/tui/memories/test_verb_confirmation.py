"""Forgetting many at once asks first, and shows how many."""

from factories import put
from store import Filter, Store
from tui.driver import opened

MANY = [f"memory number {n}" for n in range(51)]


async def test_no_leaves_all_and_keeps_the_marks(store: Store) -> None:
    put(store, *MANY)
    async with opened(store) as app:
        await app.press("*", "d")
        assert "Forget 51 memories?" in app.seen()
        await app.press("n")
        assert store.count(Filter()) == 51 and len(app.listing.marks) == 51


async def test_yes_is_one_step_that_undo_takes_back(store: Store) -> None:
    put(store, *MANY)
    async with opened(store) as app:
        await app.press("*", "d", "y")
        assert store.count(Filter()) == 0
        await app.press("u")
        assert store.count(Filter()) == 51 and len(app.ids) == 51


async def test_fifty_are_not_asked_about(store: Store) -> None:
    put(store, *MANY[:50])
    async with opened(store) as app:
        await app.press("*", "d")
        assert store.count(Filter()) == 0

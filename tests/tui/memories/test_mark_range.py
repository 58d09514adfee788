"""A range of marks that follows the cursor while other processes write."""

from curator import curation
from curator.tui.memories.view import Memories
from effort import THOROUGH, thorough
from factories import put
from store import Store
from tui.driver import Driven, opened

pytestmark = thorough


async def add_elsewhere(app: Driven, store: Store, words: str) -> None:
    """Add a memory as another process would, and reload the list."""
    curation.add(store, words)
    app.view.follow()
    await app.rest()


async def test_a_range_goes_on_through_every_reading(store: Store) -> None:
    rounds = 10 if THOROUGH else 4
    ids = put(store, *(f"memory {n}" for n in range(20)))
    async with opened(store) as app:
        await app.press("home", "v")
        begun = app.listing.current
        for n in range(rounds):
            await add_elsewhere(app, store, f"said elsewhere {n}")
            await app.press("j")
        assert app.listing.ranging and len(app.ids) == len(ids) + rounds
        assert app.listing.marks == {*app.ids[app.ids.index(begun or 0) :][: rounds + 1]}
        await add_elsewhere(app, store, "and once more")
        await app.press(*["k"] * 2)
        assert len(app.listing.marks) == rounds - 1, "what the cursor goes back over is marked no more"


async def test_a_range_ends_where_what_it_began_at_is_listed_no_more(store: Store) -> None:
    put(store, *(f"memory {n}" for n in range(6)))
    async with opened(store) as app:
        await app.press("home", "v", "j", "j")
        curation.forget(store, app.ids[:1])
        await add_elsewhere(app, store, "said elsewhere")
        assert not app.listing.ranging and len(app.listing.marks) == 2


async def test_another_list_has_no_range_yet(store: Store) -> None:
    put(store, *(f"memory {n}" for n in range(6)))
    async with opened(store) as app:
        await app.press("home", "v", "/")
        await app.write("memory")
        assert not app.listing.ranging


async def test_a_message_of_marks_stays_until_others_are_marked(store: Store) -> None:
    put(store, *(f"memory {n}" for n in range(9)))
    async with opened(store) as app:
        view = app.view
        assert isinstance(view, Memories)
        await app.press("home", "j", "j", "j", "j", "v", "k", "k")
        view.say_of_marks("of these three")
        await app.rest()
        app.listing.refresh_bindings()
        await app.press("f", "escape")
        assert app.status == "of these three"
        app.listing.move(4)
        await app.rest()
        assert len(app.listing.marks) == 3 and app.status == ""

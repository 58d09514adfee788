"""Number of keys for each decision, checked by its effect on the store."""

from collections.abc import Callable

from effort import thorough
from factories import put
from store import Store
from store.model import Life, Review, Tier
from tui.driver import opened

DECISIONS: dict[str, tuple[int, tuple[str, ...], Callable[[Store, list[int]], bool]]] = {
    "validate": (1, ("a",), lambda store, ids: store.get(ids[0]).review is Review.VALIDATED),
    "reject": (1, ("x",), lambda store, ids: store.get(ids[0]).review is Review.REJECTED),
    "tier": (2, ("t", "c"), lambda store, ids: store.get(ids[0]).tier is Tier.CORE),
    "forget": (1, ("d",), lambda store, ids: store.get(ids[0]).life is Life.FORGOTTEN),
    "merge of two": (
        4,
        ("space", "space", "m", "enter"),
        lambda store, ids: sorted(store.get(one).life for one in ids[:2]) == [Life.LIVE, Life.SUPERSEDED],
    ),
}


@thorough
async def test_a_decision_takes_so_many_keys_and_undo_one(store: Store) -> None:
    ids = put(store, "one", "two", "three")[::-1]
    before = store.state_hash()
    async with opened(store) as app:
        for name, (count, keys, holds) in DECISIONS.items():
            await app.press("g")
            pressed = 0
            for key in keys:
                assert not holds(store, ids), name
                await app.press(key)
                pressed += 1
            assert holds(store, ids) and pressed == count, name
            await app.press("u")
            assert store.state_hash() == before, name
            await app.press("U")
            assert holds(store, ids), name
            await app.press("u")
            assert store.state_hash() == before, name

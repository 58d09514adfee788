"""Adding a memory by typing it, from any view."""

from effort import thorough
from factories import put
from store import Filter, Store
from tui.driver import opened


@thorough
async def test_a_typed_memory_may_be_of_a_project(store: Store) -> None:
    put(store, "Named exports only", project="freightdesk", scope="project:freightdesk")
    async with opened(store) as app:
        await app.press("A")
        await app.write("we use pnpm 9 project:freightdsk")
        await app.press("enter")
        assert "there is no project freightdsk; did you mean freightdesk?" in app.seen() and store.count(Filter()) == 1
        await app.press("ctrl+u")
        await app.write("we use pnpm 9 project:freightdesk")
        await app.press("enter")
        assert "added “we use pnpm 9” to project freightdesk" in app.status
        for word, keys in (("vitest", "1"), ("eslint", "e")):
            await app.press("A")
            await app.write(f"we use {word} in Freightdesk")
            await app.press("enter")
            assert "Where does it hold?" in app.seen()
            await app.press(keys)
        await app.press("A")
        await app.write("we use eslint in Freightdesk")
        await app.press("enter", "e")
        assert "says the same" in app.status and "we use eslint in Freightdesk" in app.seen()
        await app.press("escape")
    texts = {memory.text: memory.scope for memory in store.get_many(store.list_ids(Filter(words=("use",))))}
    assert texts == {
        "we use pnpm 9": "project:freightdesk",
        "we use vitest in Freightdesk": "project:freightdesk",
        "we use eslint in Freightdesk": "global",
    }


@thorough
async def test_a_typed_memory_tells_of_a_redacted_secret(store: Store) -> None:
    async with opened(store) as app:
        await app.press("A")
        await app.write("remember that my PIN is 4432 and my passport number is EJ123456")
        await app.press("enter")
        assert "only a secret: nothing to remember" in app.seen() and store.count(Filter()) == 0
        await app.press("ctrl+u")
        await app.write("my NAS stands in the cellar, its password is hunter2")
        await app.press("enter")
        assert "1 secret redacted and not stored" in app.seen()
    assert "hunter2" not in store.get(1).text

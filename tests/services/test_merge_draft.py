"""A merge drafted by the chat model: omissions are reported, and nothing is drafted of memories that have changed."""

from collections.abc import Callable, Iterator

import pytest

from curator import curation
from curator.config import settings
from curator.models import BadReply, ModelMissing
from curator.services.merge_draft import propose_merge_text
from effort import thorough
from factories import put
from fake_ollama.scenario import Body, Scenario, Script
from fake_ollama.server import Server, serving
from store import Conflict, Store

LAKES = "I like hiking in the hills and I swim in lakes"
BREAD = "I like baking bread"
GOOD = "I like hiking in the hills and baking bread."


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    with serving(says(GOOD)) as standin:
        monkeypatch.setenv("CURATOR_OLLAMA__HOST", standin.host)
        monkeypatch.setenv("CURATOR_OLLAMA__MODEL", "qwen3:4b")
        settings.cache_clear()
        yield standin


def says(text: str, meanwhile: Callable[[], object] = lambda: None) -> Scenario:
    def answer(_: Body) -> dict[str, object]:
        meanwhile()
        return {"items": [{"text": text}]}

    return Scenario(scripts=(Script("one text", answer),))


async def test_it_is_the_same_merge_in_other_words_with_what_these_lack(store: Store, server: Server) -> None:
    draft = curation.draft(store, put(store, LAKES, BREAD))
    before = store.state_hash()
    found = await propose_merge_text(store, draft)
    assert (found.text, found.survivor, found.memories) == (GOOD, draft.survivor, draft.memories)
    assert found.left_out == ("I swim in lakes",) and found.by.startswith("merge/1 qwen3:4b@")
    assert (found.author(f" {GOOD} "), found.author("I bake"), draft.author(draft.text)) == (found.by, "", "")
    assert store.state_hash() == before and store.replies.get(b"") is None
    with store.sqlite() as connection:
        assert connection.execute("SELECT count(*) FROM replies").fetchone()[0] == 0


@thorough
async def test_what_is_not_trusted_or_changed_meanwhile_is_no_draft(store: Store, server: Server) -> None:
    lakes, bread = put(store, LAKES, BREAD)
    draft = curation.draft(store, [lakes, bread])
    server.change(says("I like hiking in the hills of Porto and baking bread."))
    with pytest.raises(BadReply, match="refused the draft of qwen3:4b: it adds a name"):
        await propose_merge_text(store, draft)
    server.change(says(GOOD, lambda: curation.edit(store, bread, "I like baking cakes")))
    with pytest.raises(Conflict, match="changed meanwhile"):
        await propose_merge_text(store, draft)
    server.change(says(GOOD.replace("bread", "cakes"), lambda: curation.forget(store, [bread])))
    with pytest.raises(Conflict, match="changed meanwhile"):
        await propose_merge_text(store, draft)


async def test_without_a_model_the_remedy_is_told(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURATOR_OLLAMA__MODEL", "")
    settings.cache_clear()
    with pytest.raises(ModelMissing, match="curator models"):
        await propose_merge_text(store, curation.draft(store, put(store, LAKES, BREAD)))

"""Search combines words, meaning and the conversation around a memory, and explains each hit's rank."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from curator import curation
from curator.models import load_embedder
from curator.paths import cache_folder
from curator.recall import Hit, Preset, SearchOptions, find, find_by_each, find_many
from curator.recall.select import is_reply
from curator.services.recall import block_options
from curator.services.search_session import embed_missing
from effort import thorough
from factories import conversation, memory, put, quote
from store import Filter, Store
from store.index import Index
from store.model import Fingerprint, Kind, Origin

HASHING = load_embedder("hashing", Path())


class ThemeEmbedder:
    """Embedder that knows three themes by their words, and counts its calls.

    A small part of each vector depends on the length, so that no two texts of a theme have the same vector.
    """

    fingerprint = Fingerprint("test", "themes", "1", 8)

    def __init__(self) -> None:
        self.calls = 0

    def embed(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> NDArray[np.float32]:
        self.calls += 1
        rows = np.full((len(texts), 8), 0.01, np.float32)
        for row, text in zip(rows, texts, strict=True):
            for theme, words in enumerate((("violin", "orchestra"), ("flu", "fever"), ("soup", "meal"))):
                row[theme] += any(word in text.casefold() for word in words)
            row[4 + len(text) % 4] += 0.7
        unit: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit

    def embed_query(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.embed(texts)

    def embed_prompt(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.embed(texts)

    def is_word(self, word: str) -> None:
        return None


def embedded_index(store: Store, embedder: ThemeEmbedder) -> Index:
    missing = store.vectors.missing(embedder.fingerprint, 1_000)
    rows = embedder.embed([text for _, text in missing])
    store.vectors.add(embedder.fingerprint, [(*item, row.tobytes()) for item, row in zip(missing, rows, strict=True)])
    index = Index(store, embedder.fingerprint)
    index.catch_up()
    return index


def texts(hits: Sequence[Hit]) -> list[str]:
    return [hit.memory.text for hit in hits]


def test_words_and_meaning_both_find(store: Store) -> None:
    put(store, "Plays in an orchestra", "Had a fever in May", "The violin case is blue", "Likes the sea")
    embedder = ThemeEmbedder()
    hits = find(store, embedded_index(store, embedder), embedder, "violin", Filter(), SearchOptions(limit=2)).hits
    assert set(texts(hits)) == {"The violin case is blue", "Plays in an orchestra"}
    assert hits[0].memory.text == "The violin case is blue"


def test_only_a_prompt_to_a_model_is_embedded_as_one(store: Store) -> None:
    class Prompts(ThemeEmbedder):
        def embed_prompt(self, texts: Sequence[str]) -> NDArray[np.float32]:
            return self.embed(["soup"] * len(texts))

    put(store, "Plays in an orchestra", "Every meal is vegan")
    embedder = Prompts()
    index = embedded_index(store, embedder)
    by_person = find(store, index, embedder, "violin", Filter()).hits
    asked = embedder.calls
    for_model = find(store, index, embedder, "violin", Filter(), block_options()).hits
    assert embedder.calls == asked + 1, "each may be a request to a server"
    assert (texts(by_person)[0], texts(for_model)[0]) == ("Plays in an orchestra", "Every meal is vegan")


def test_without_an_embedder_words_alone_decide(store: Store) -> None:
    put(store, "Plays in an orchestra", "The violin case is blue")
    index = Index(store, HASHING.fingerprint)
    (hit,) = find(store, index, None, "violins", Filter()).hits
    assert hit.memory.text == "The violin case is blue"
    assert "meaning" not in hit.parts


def test_a_hit_explains_its_score_and_names_its_sources(store: Store) -> None:
    said = "I moved to Graz in March"
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("graz", said, "How nice"))
    (message, _) = store.raw.messages(store.raw.get_conversations()[0].id)
    put(store, "Moved to Graz in March", evidence=(quote("moved to Graz", said, message=message.id),))
    put(store, "Graz has a clock tower", "Likes clocks")
    embedder = ThemeEmbedder()
    hits = find(store, embedded_index(store, embedder), embedder, "When did they move to Graz?", Filter()).hits
    assert hits[0].sources == ("graz-0",)
    assert hits[1].sources == ()
    for hit in hits:
        assert hit.score == pytest.approx(sum(hit.parts.values()))
        assert {"context", "conversation", "length"} <= set(hit.parts)
        assert set(hit.ranks) <= {"text", "context", "vector"}
        assert all(rank >= 1 for rank in hit.ranks.values())
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_what_was_said_next_to_it_finds_a_memory(store: Store) -> None:
    session = ["Which instrument did your sister choose?", "The oboe, after a long talk about it", "I see"]
    with store.command("add") as writer:
        for place, text in enumerate(session):
            store.admit(writer, memory(text, origin=Origin.IMPORT, session="s", ordinal=place))
    put(store, "A sister city", "An unrelated statement about gardens")
    index = Index(store, HASHING.fingerprint)
    hits = find(store, index, None, "instrument of the sister", Filter()).hits
    assert "The oboe, after a long talk about it" in texts(hits)[:2]


def test_what_left_is_never_found(store: Store) -> None:
    kept, rejected, forgotten, replaced = put(store, "tea one", "tea two", "tea three", "tea four")
    embedder = ThemeEmbedder()
    index = embedded_index(store, embedder)
    curation.reject(store, [rejected])
    curation.forget(store, [forgotten])
    with store.command("supersede") as writer:
        writer.update("memories", [replaced], {"life": "superseded", "superseded_by": kept})
    for _ in range(2):
        hits = find(store, index, embedder, "tea", Filter()).hits
        assert [hit.memory.id for hit in hits] == [kept]
        index.catch_up()


def test_filters_hold_for_every_way_of_finding(store: Store) -> None:
    put(store, "violin lesson", project="music")
    put(store, "violin repair", "orchestra", project="workshop", kind=Kind.TASK)
    embedder = ThemeEmbedder()
    hits = find(store, embedded_index(store, embedder), embedder, "violin", Filter(projects=("music",))).hits
    assert texts(hits) == ["violin lesson"]
    assert not find(store, Index(store, embedder.fingerprint), embedder, "violin", Filter(projects=("x",))).hits


def test_many_queries_are_embedded_at_once_and_answered_in_order(store: Store) -> None:
    put(store, "violin", "fever", "soup")
    embedder = ThemeEmbedder()
    index = embedded_index(store, embedder)
    embedder.calls = 0
    queries = [("flu", Filter()), ("", Filter()), ("orchestra", Filter()), ("meal", Filter(pinned=True))]
    answers = list(find_many(store, index, embedder, queries, SearchOptions(limit=1)))
    assert [texts(found.hits) for found in answers] == [["fever"], [], ["violin"], []]
    assert embedder.calls == 1


@pytest.mark.parametrize("query", ["", "  ", "violin " * 2_000, "'; --", "😀", "寿司", "the of", "\ud800", "\0"])
def test_unusual_queries_have_an_answer(store: Store, query: str) -> None:
    put(store, "violin", "fever")
    embedder = ThemeEmbedder()
    hits = find(store, embedded_index(store, embedder), embedder, query, Filter()).hits
    assert len(hits) <= 2
    if "violin" in query:
        assert hits[0].memory.text == "violin"


def test_an_index_of_another_embedder_is_refused(store: Store) -> None:
    with pytest.raises(ValueError, match="themes"):
        find(store, Index(store, HASHING.fingerprint), ThemeEmbedder(), "x", Filter())


def test_what_was_searched_once_is_ranked_by_any_preset(store: Store) -> None:
    put(store, "violin lesson", "Plays in an orchestra", "fever in May", "the violin case")
    embedder = ThemeEmbedder()
    index = embedded_index(store, embedder)
    now = 1_800_000_000_000_000
    asked = embedder.calls
    options = [SearchOptions(preset, 3, now) for preset in Preset]
    found = find_by_each(store, index, embedder, "violin", Filter(), options)
    assert embedder.calls == asked + 1
    assert found == [find(store, index, embedder, "violin", Filter(), each) for each in options]


def test_a_preset_that_takes_no_prompt_has_the_same_hits_beside_one_that_does(store: Store) -> None:
    class Prompts(ThemeEmbedder):
        def embed_prompt(self, texts: Sequence[str]) -> NDArray[np.float32]:
            return self.embed(["soup"] * len(texts))

    put(store, "Plays in an orchestra", "Every meal is vegan", "fever in May")
    embedder = Prompts()
    index = embedded_index(store, embedder)
    options = [block_options(Preset.CURATOR, now=1), block_options(Preset.HYBRID, now=1)]
    found = find_by_each(store, index, embedder, "violin", Filter(), options)
    assert found == [find(store, index, embedder, "violin", Filter(), each) for each in options]
    assert [texts(each.hits)[0] for each in found] == ["Every meal is vegan", "Plays in an orchestra"]


def test_a_block_by_letters_alone_needs_words_of_the_prompt(store: Store) -> None:
    ids = put(store, "I play the cello", "My birthday is in March", "I have a mortgage")
    rows = HASHING.embed(["I play the cello", "My birthday is in March", "I have a mortgage"])
    missing = store.vectors.missing(HASHING.fingerprint, 10)
    store.vectors.add(HASHING.fingerprint, [(*item, row.tobytes()) for item, row in zip(missing, rows, strict=True)])
    index = Index(store, HASHING.fingerprint)
    index.catch_up()

    def given_ids(prompt: str) -> list[int]:
        return [hit.memory.id for hit in find(store, index, HASHING, prompt, Filter(), block_options()).hits]

    assert given_ids("hello") == given_ids("continue") == []
    assert given_ids("when is my birthday?") == [ids[1]]
    assert [hit.memory.id for hit in find(store, index, HASHING, "celo", Filter()).hits] == [ids[0]], (
        "a search may guess"
    )


def test_a_search_for_something_about_oneself_puts_what_states_it_first(store: Store) -> None:
    (pills,) = put(store, "They've put me on metformin 500 twice a day")
    (shop,) = put(store, "The medication shelf is in the hall", "Any parcel goes on the shelf")[:1]
    (moved,) = put(store, "Decision: we're moving to pnpm", scope="project:web", project="web")
    index = Index(store, HASHING.fingerprint)

    def found_ids(query: str) -> list[int]:
        return [hit.memory.id for hit in find(store, index, None, query, Filter()).hits]

    assert found_ids("am i on any medication")[:2] == [pills, shop] and found_ids("medication shelf") == [
        shop,
        shop + 1,
    ]
    assert moved not in found_ids("where do I live")


@thorough
def test_a_memory_with_half_of_what_a_prompt_is_about_is_given_though_nothing_resembles_it(store: Store) -> None:
    minilm = load_embedder("minilm", cache_folder())
    things, rooms = "lamp clock vase map chair printer".split(), "hall kitchen cellar shed attic office garage".split()
    put(store, *(f"The {thing} is on the left in the {room}" for thing in things for room in rooms))
    (due,) = put(store, "Callum and Priya's baby is due in February 2027")
    index = Index(store, minilm.fingerprint)
    embed_missing(store, minilm)

    def given_ids(prompt: str) -> list[int]:
        return [hit.memory.id for hit in find(store, index, minilm, prompt, Filter(), block_options()).hits]

    assert given_ids("ideas for the quilt for the baby") == [due]
    assert given_ids("who painted the baby in the night watch") == []
    (car,) = put(store, "Our grey car is seven years old")
    embed_missing(store, minilm)
    assert given_ids("how old is the pope") == given_ids("the seven wonders") == [] and given_ids(
        "is a grey car safer"
    ) == [car]


@pytest.mark.parametrize("prompt", ["ok", "Yes, go on please", "thanks, great!", "do it", "lgtm"])
def test_a_reply_without_content_brings_no_memory(store: Store, prompt: str) -> None:
    minilm = load_embedder("minilm", cache_folder())
    put(store, "Im Ines", "ok is what I say when I agree", "Thanks to Ann I moved", "I do it all")
    index = Index(store, minilm.fingerprint)
    embed_missing(store, minilm)
    assert find(store, index, minilm, prompt, Filter(), block_options()).hits == ()


@pytest.mark.parametrize(
    ("prompt", "reply"), [("who am I?", False), ("what about me", False), ("ok do it again", True), ("yes I do", True)]
)
def test_a_question_of_common_words_is_no_reply(prompt: str, reply: bool) -> None:
    assert is_reply(prompt) is reply

"""A search corrects typing errors to words of the store, and reports the correction."""

from curator.models import load_embedder
from curator.paths import cache_folder
from curator.recall import find
from curator.services.recall import block_options
from curator.services.search_session import embed_missing
from effort import thorough
from factories import put
from store import Filter, Store
from store.index import Index


def index_of(store: Store) -> Index:
    put(store, "My sister has allergies to all nuts", "The meeting is fine", "We plan the budget on Mondays")
    return Index(store, load_embedder("hashing", store.folder).fingerprint)


def test_a_search_finds_the_word_that_was_meant_and_names_it(store: Store) -> None:
    found = find(store, index_of(store), None, "alergies", Filter())
    assert [hit.memory.id for hit in found.hits] == [1] and found.also == ("allergies",)
    assert find(store, index_of(Store.open(store.folder)), None, "allergies", Filter()).also == ()


def test_so_does_recall(store: Store) -> None:
    index = index_of(store)
    found = find(store, index, None, "any alergies to mind for the dinner", Filter(), block_options())
    assert [hit.memory.id for hit in found.hits] == [1] and found.also == ("allergies",)


@thorough
def test_a_word_that_the_model_knows_is_no_misspelt_one_in_a_prompt(store: Store) -> None:
    put(store, "The renal diet is for the cat", "My wedding is near Amarante")
    minilm = load_embedder("minilm", cache_folder())
    index = Index(store, minilm.fingerprint)
    assert find(store, index, minilm, "rename the files", Filter(), block_options()).also == ()
    found = find(store, index, minilm, "plan the travel to my weding in Amarnte", Filter(), block_options())
    assert found.also == ("wedding", "amarante")


@thorough
def test_what_is_spelled_right_is_not_replaced_nor_are_function_words(store: Store) -> None:
    put(
        store, "He's a menace, I love him though", "The music is loud", "What a day, and that dog", "I want tea, dont I"
    )
    put(store, "Metformin twice a day for my diabetes")
    for embedder in (load_embedder("minilm", cache_folder()), load_embedder("hashing", store.folder)):
        index = Index(store, embedder.fingerprint)
        for query in ("am i on any medication", "what's the capital of mongolia", "my phone wont sync its photos"):
            assert find(store, index, embedder, query, Filter()).also == ()
            assert find(store, index, embedder, query, Filter(), block_options()).also == ()


def test_a_misspelt_search_finds_first_what_the_words_meant(store: Store) -> None:
    put(store, "My dog is called Waffle, a beagle.", "I'm allergic to peanuts and cashews")
    put(store, "I want to send alerts to my Slack channel", "Always answer in short sentences.")
    minilm = load_embedder("minilm", cache_folder())
    index = Index(store, minilm.fingerprint)
    embed_missing(store, minilm)
    first, *_ = find(store, index, minilm, "alergic penuts", Filter()).hits
    assert first.memory.id == 2 and first.ranks["vector"] == 1


def test_the_stem_of_a_short_word_is_not_corrected(store: Store) -> None:
    put(store, "Started Symbicort last week", "My last latin lesson was on Monday", "We had a rest in the hills")
    minilm = load_embedder("minilm", cache_folder())
    index = Index(store, minilm.fingerprint)
    for query in ("can I have a latte", "a matcha latte"):
        assert find(store, index, minilm, query, Filter(), block_options()).also == ()

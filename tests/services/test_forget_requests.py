"""A chat's request to forget is shown, and nothing is forgotten by it."""

from collections.abc import Sequence

import numpy as np
import pytest

from curator import curation
from curator.services.forget_requests import forgotten_by_each, meant, meant_by_each
from curator.services.search_session import SearchSession
from factories import put
from store import Filter, Store
from store.index import Index
from store.model import Fingerprint, Life


@pytest.fixture(autouse=True)
def _words_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "hashing")


class Knowing:
    """An embedder that knows that a job is work and what has to do with moving, and of nothing else what it means."""

    fingerprint = Fingerprint("test", "knowing", "1", 8)

    def embed(self, texts: Sequence[str], progress: object = None) -> "np.typing.NDArray[np.float32]":
        rows = np.zeros((len(texts), 8), np.float32)
        for row, text in zip(rows, texts, strict=True):
            said = set(text.casefold().split())
            row[0 if {"job", "work"} & said else 7 if {"address", "moved", "live"} & said else 1 + len(text) % 6] = 1
        return rows

    def embed_query(self, texts: Sequence[str]) -> "np.typing.NDArray[np.float32]":
        return self.embed(texts)

    def is_word(self, word: str) -> None:
        return None


def embedded(store: Store) -> SearchSession:
    model = Knowing()
    missing = store.vectors.missing(model.fingerprint, 9)
    rows = model.embed([text for _, text in missing])
    store.vectors.add(model.fingerprint, [(*item, row.tobytes()) for item, row in zip(missing, rows, strict=True)])
    return SearchSession(Index(store, model.fingerprint), model, ())


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        ("my salary", [0, 1]),
        ("that I live in Lisbon", [2]),
        ("everything about Lisbon", [2, 3]),
        ("my old flat in Lisbon", [3]),
        ("the weather on Mars", []),
        ("everything", []),
    ],
)
def test_the_memories_that_may_be_meant(store: Store, request_: str, expected: list[int]) -> None:
    ids = put(
        store,
        "My salary is 62,000 euros.",
        "I talked to my boss about a higher salary.",
        "I live in Lisbon.",
        "I sold the old flat in Lisbon.",
        "I like tea.",
    )
    found = [memory.id for memory in meant(store, request_)]
    assert sorted(found) == [ids[place] for place in expected]
    assert all(memory.life is Life.LIVE for memory in store.get_many(ids))


def test_what_is_gone_is_not_shown(store: Store) -> None:
    curation.forget(store, put(store, "My salary is 62,000 euros."))
    assert meant(store, "my salary") == []


def test_what_is_gone_already_is_told_with_the_day(store: Store) -> None:
    ids = put(store, "My salary is 62,000 euros.", "I like tea.")
    curation.forget(store, ids)
    salary, mars = forgotten_by_each(store, ["my salary", "the weather on Mars"])
    assert [one.memory.id for one in salary] == ids[:1] and salary[0].at == store.journal.log(1)[0].at and mars == []
    curation.restore(store, ids)
    assert forgotten_by_each(store, ["my salary"]) == [[]]


def test_what_is_meant_is_found_by_its_meaning_too(store: Store) -> None:
    work, tea, _ = put(store, "I work at Alba Robotics.", "I like tea.", "The bicycle is red.")
    searching = embedded(store)
    found = meant_by_each(store, ["My job", "my tea", "everything"], searching)
    assert [[memory.id for memory in some] for some in found] == [[work], [tea], []]
    assert meant(store, "My job") == [], "without a model that understands meaning the words decide"


def test_a_move_from_a_city_is_not_the_address_there(store: Store) -> None:
    home, _, _ = put(store, "I live on Rua das Flores 12 in Lisbon.", "We moved from Lisbon to Porto.", "I like tea.")
    searching = embedded(store)
    (found,) = meant_by_each(store, ["my old address in Lisbon"], searching)
    assert [memory.id for memory in found] == [home]


def test_however_the_words_are_written(store: Store) -> None:
    ids = put(
        store, "I LOVE BIG CITIES.", "I was hiking with two dogs.", "我住在北京。", "I pay 1,000 euros for the flat."
    )
    requests = ["that I love a big city", "my hikes with 2 dogs", "我住在北京", "the 1000 euros", "the 1000"]
    assert [[m.id for m in found] for found in meant_by_each(store, requests)] == [
        [ids[0]],
        [ids[1]],
        [ids[2]],
        [ids[3]],
        [ids[3]],
    ]


def test_nothing_is_read_twice_until_something_changes(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    (salary,) = put(store, "My salary is 62,000 euros.")
    looked: list[Filter] = []
    found = store.list_ids

    def counted(which: Filter) -> list[int]:
        looked.append(which)
        return found(which)

    monkeypatch.setattr(store, "list_ids", counted)
    for _ in range(2):
        assert [memory.id for memory in meant(store, "my old salary in euros")] == [salary]
    assert len(looked) == 2, "of three words that count a memory may lack one: two are looked for, once"
    (more,) = put(store, "I asked for an old salary in euros.")
    assert [memory.id for memory in meant(store, "my old salary in euros")] == [more]


def test_a_sharp_s_is_found(store: Store) -> None:
    (street,) = put(store, "Die STRAßE ist laut.")
    assert [memory.id for memory in meant(store, "my Straße")] == [street]

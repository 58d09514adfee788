"""Flipped bits in index files: the right answer or a rebuilt index, never an error of LanceDB."""

import logging
import random
from pathlib import Path

import pytest
from index_helpers import ANY, SPACE, found, remember, talk

from effort import share, thorough
from store import Store
from store.index import Index, versions

WORDS = "violin cello harp lute oboe viola drum flute".split()


def _files(store: Store) -> list[Path]:
    folder = versions.current(versions.home(store.folder, store.owner))
    assert folder is not None
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size)


def _answers(index: Index) -> list[object]:
    return [
        *(sorted(found(index.search_text(word, ANY, 50))) for word in WORDS),
        *(sorted(found(index.search_messages(word, 50))) for word in WORDS),
    ]


@thorough
def test_whatever_bit_is_flipped_search_answers(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    remember(store, *(f"A {WORDS[n % 8]} of make {n} in the attic" for n in range(64)))
    talk(store, *(f"where is the {word}" for word in WORDS))
    index = Index(store, SPACE)
    index.catch_up()
    right = _answers(index)
    chance = random.Random(7)
    silent, said = [], 0
    for number in range(0, len(_files(store)), share(1, 3)):
        path = _files(store)[number % len(_files(store))]
        data = bytearray(path.read_bytes())
        for _ in range(3):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        path.write_bytes(bytes(data))
        caplog.clear()
        again = Index(store, SPACE)
        with caplog.at_level(logging.WARNING):
            answers = _answers(again)
        said += "and is rebuilt" in caplog.text
        if answers != right:
            silent.append(path.name)
        again.rebuild()
        assert again.check() == [] and _answers(again) == right
    assert said, "some flips are noticed, and said"
    assert len(silent) <= 2, silent


def test_doctor_sees_words_that_are_not_the_records(store: Store) -> None:
    (first,) = remember(store, "A violin of make 4711 in the attic")
    index = Index(store, SPACE)
    index.catch_up()
    for path in _files(store):
        if path.suffix == ".lance" and "memories.lance" in path.parts:
            path.write_bytes(path.read_bytes().replace(b"A violin of make", b"A violim of make"))
    checked = Index(store, SPACE).check()
    assert checked and ("other words" in checked[0] or "damaged" in checked[0]) and first


@thorough
def test_doctor_sees_a_flipped_bit_in_any_file(store: Store) -> None:
    remember(store, *(f"A {WORDS[n % 8]} of make {n} in the attic" for n in range(64)))
    talk(store, *(f"where is the {word}" for word in WORDS))
    index = Index(store, SPACE)
    index.catch_up()
    remember(store, "A spinet came later")
    index.catch_up()
    chance = random.Random(11)
    for path in [path for path in _files(store) if ".lance" in str(path.parent) and path.suffix != ".json"]:
        whole = path.read_bytes()
        data = bytearray(whole)
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        path.write_bytes(bytes(data))
        assert Index(store, SPACE).check(), path.name
        path.write_bytes(whole)
    assert Index(store, SPACE).check() == []

"""Word search in a small store, which gives LanceDB's results without LanceDB."""

import sqlite3
from pathlib import Path

import pytest
from index_helpers import ANY, SPACE, change, found, remember, talk

from effort import thorough
from store import Filter, Store
from store.index import Index, queries, sync, tables, versions, words

TEXTS = (
    "I live in Lisbon with my sister and two cats",
    "My sister is living in Ghent since May",
    "I keep nine bees, and a cat that hates bees",
    "Lisbon has hills",
    "We are going to paint the boat's hull in Lisbon before the summer",
    "The café in Århus sells crème brûlée",
    "Живу в Москве",
    "Москва большая",
)


def _folder(store: Store) -> Path:
    folder = versions.current(versions.home(store.folder, store.owner))
    assert folder is not None
    return folder


@thorough
@pytest.mark.parametrize("column", ["text", "context"])
def test_scores_are_those_of_lancedb(store: Store, column: str) -> None:
    remember(store, *TEXTS)
    index = Index(store, SPACE)
    index.catch_up()
    lance, _ = sync.build(index.record, None, None)
    for query in ("where does my sister live", "bees", "cats", "Lisbon hills", "cafe creme", "paint the boats"):
        wanted = queries.by_words(lance.memories, queries.match(query, column), 10)
        assert len(wanted) > 0
        assert dict(index.search_text(query, ANY, 10, column)) == pytest.approx(dict(wanted), rel=0.02), query


def test_other_last_letters_count_less(store: Store) -> None:
    *_, living, city = remember(store, *TEXTS)
    index = Index(store, SPACE)
    index.catch_up()
    (first, best), (second, less) = index.search_text("Москва", ANY, 5)
    assert (first, second) == (city, living) and best > 2 * less


@pytest.mark.parametrize(
    ("text", "query", "is_found"),
    [
        ("寿司", "寿", True),
        ("寿司が好き", "司", True),
        ("東京都に住む", "京都", True),  # found, since no dictionary says where words begin
        ("東京に住む", "大阪", False),
        ("꽃가루알레르기가 심하다", "알레르기", True),
        ("우리집된장찌개를 먹는다", "된장찌개", True),
        ("부산에 산다", "서울", False),
        ("ฉันแพ้ถั่วลิสง", "ถั่ว", True),
        ("ฉันแพ้ถั่วลิสง", "กาแฟ", False),
        ("Die Straße", "strasse", True),
        ("smørrebrød", "smorrebrod", True),
        ("हिन्दी भाषा", "हिन्दी", True),
        ("हिन्दी भाषा", "ह", False),
        ("don't panic", "panic", True),
        ("don't panic", "don't", False),
    ],
)
def test_words_of_many_scripts(store: Store, text: str, query: str, is_found: bool) -> None:
    (only,) = remember(store, text)
    index = Index(store, SPACE)
    index.catch_up()
    assert found(index.search_text(query, ANY, 5)) == [only] * is_found


@thorough
@pytest.mark.parametrize(
    ("text", "query"), [("東京都庁で働く", "都庁"), ("나는 고혈압약을 먹는다", "혈압"), ("ไปเที่ยวเชียงใหม่", "เที่ยว")]
)
def test_a_part_of_a_word_is_found_by_every_way(
    store: Store, monkeypatch: pytest.MonkeyPatch, text: str, query: str
) -> None:
    monkeypatch.setattr(tables, "WORDS_FROM", 2)
    index = Index(store, SPACE)
    index.catch_up()
    remember(store, "A heron", "Another one")
    (only,) = remember(store, text)
    (message,) = talk(store, text)
    assert found(index.search_text(query, ANY, 5)) == [only]  # not indexed yet
    index.catch_up()
    assert found(index.search_text(query, ANY, 5)) == [only] and index.check() == []
    assert found(index.search_messages(query, 5)) == [message]


def test_a_long_query_is_searched_by_its_rarer_words(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "_ENOUGH", 3)
    ids = remember(store, *(f"tea with friend{place} {' '.join('abcdefghij'[:place])}" for place in range(12)))
    index = Index(store, SPACE)
    index.catch_up()
    asked = " ".join(f"friend{place}" for place in range(2, 10))
    assert set(found(index.search_text(f"tea {asked}", ANY, 20))) == set(ids[2:10])
    assert len(index.search_text("tea friend3", ANY, 20)) == 12


def test_filters_reach_beyond_the_best_hits(store: Store) -> None:
    *_, last = ids = remember(store, *(f"tea {'leaf ' * place}" for place in range(60)))
    change(store, [last], project="atlas")
    index = Index(store, SPACE)
    index.catch_up()
    assert found(index.search_text("tea", Filter(projects=("atlas",)), 3)) == [last] != [ids[0]]


@thorough
def test_a_store_that_grows_is_searched_by_lancedb(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "WORDS_FROM", 10)
    remember(store, *TEXTS)
    index, other = Index(store, SPACE), Index(store, SPACE)
    index.catch_up()
    folder, former = _folder(store), found(other.search_text("Lisbon", ANY, 9))
    assert (folder / words.FILE).exists()
    remember(store, "A heron", "A second heron")
    index.catch_up()
    assert _folder(store) == folder and not (folder / words.FILE).exists()
    assert sorted(found(other.search_text("Lisbon", ANY, 9))) == sorted(former)
    assert len(other.search_text("herons", ANY, 9)) == 2 and index.check() == []
    index.rebuild()
    assert not (_folder(store) / words.FILE).exists() and len(index.search_text("herons", ANY, 9)) == 2


@thorough
def test_doctor_sees_other_words(store: Store) -> None:
    first, second, *_ = remember(store, *TEXTS)
    index = Index(store, SPACE)
    index.catch_up()
    with sqlite3.connect(_folder(store) / words.FILE) as connection:
        connection.execute("UPDATE text SET words = 'a flat in Porto' WHERE rowid = ?", (first,))
        connection.execute("DELETE FROM context WHERE rowid = ?", (second,))
    connection.close()
    assert index.check() == [f"memory {number} is found by other words than its own" for number in (first, second)]
    with sqlite3.connect(_folder(store) / words.FILE) as connection:
        connection.execute("UPDATE text_content SET c0 = 'live Lisbon sister two cats' WHERE id = ?", (first,))
    connection.close()
    assert "cannot be checked" in index.check()[0]
    index.rebuild()
    assert index.check() == []

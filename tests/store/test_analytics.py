"""SQL for the person answers, and reaches nothing but its own copy; counts agree with the store."""

from pathlib import Path

import pytest

from curator import curation
from curator.query import parse_filter
from making import conversation, put
from store import Filter, Sort, Store
from store.analytics import TABLES, Analytics, BadQuery, Facet, query
from store.model import Kind, Relation
from store.stats import stats


def test_every_table_answers_empty_and_full(store: Store) -> None:
    for name in TABLES:
        assert query(store, f"SELECT count(*) FROM {name}").rows == [(0,)]
    with store.command("import") as writer:
        store.put_conversation(writer, conversation("a", "hi", "hello"))
    put(store, "I like tea", kind=Kind.PREFERENCE, tags=("food",))
    assert query(store, "SELECT kind, tag FROM memories m JOIN tags t ON t.memory = m.id").rows == [
        ("preference", "food")
    ]
    assert query(store, "SELECT count(*) FROM messages JOIN conversations c ON c.id = conversation").rows == [(2,)]
    (row,) = query(store, "SELECT year(created_at) FROM messages LIMIT 1").rows
    assert row == (2023,)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_text('{file}')",
        "SELECT * FROM read_csv('{file}')",
        "SELECT * FROM '{file}'",
        "SELECT * FROM glob('{folder}/*')",
        "COPY memories TO '{file}'",
        "ATTACH '{record}' AS r",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "DELETE FROM memories",
        "DROP TABLE memories",
        "CREATE TABLE a AS SELECT 1",
        "SELECT 1; SELECT 2",
        "SELECT * FROM store",
        "SELECT * FROM batch",
        "PRAGMA database_list",
        "SELEC 1",
        "",
        "SELECT * FROM nowhere",
    ],
)
def test_nothing_but_one_select_over_the_copy(store: Store, tmp_path: Path, sql: str) -> None:
    file = tmp_path / "secret.csv"
    file.write_text("a,b\n1,2\n")
    put(store, "I like tea")
    before = store.state_hash()
    names = {"file": file, "folder": tmp_path, "record": store.folder / "record.sqlite"}
    with pytest.raises(BadQuery):
        query(store, sql.format(**names))
    assert file.read_text() == "a,b\n1,2\n"
    assert store.state_hash() == before


def test_another_owners_rows_are_not_in_the_copy(store: Store) -> None:
    put(store, "I like tea")
    other = Store.open(store.folder, owner="ana")
    assert query(other, "SELECT count(*) FROM memories").rows == [(0,)]
    assert stats(other).total == 0
    other.close()


def test_counts_agree_with_the_store(store: Store) -> None:
    ids = put(store, "I like tea", "I like trains", kind=Kind.PREFERENCE, importance=8)
    ids += put(store, "It rains", scope="session:x")
    curation.validate(store, ids[:1])
    curation.forget(store, ids[1:2])
    with store.command("import") as writer:
        store.put_conversation(writer, conversation("a", "hi", "hello"))
    counts = stats(store)
    assert (counts.total, counts.live, counts.inbox, counts.in_sessions) == (3, 2, 1, 1)
    assert counts.importance == 7.0
    assert counts.groups["kind"] == {"fact": 1, "preference": 2}
    assert counts.groups["state"] == {"forgotten": 1, "new": 2}
    assert (counts.conversations, counts.messages) == (1, 2)


def test_browsing_in_duckdb_agrees_with_the_record_and_follows_it(store: Store) -> None:
    tea, coffee = put(store, "I like 100%_green tea", "I like coffee", kind=Kind.PREFERENCE, tags=("food", "hot"))
    (rain,) = put(store, "It rains", confidence=0.9, project="site", flag="injection", created_at=5)
    analytics = Analytics(store)
    with pytest.raises(RuntimeError):
        analytics.list_ids(Filter())
    analytics.follow()
    filters = ["", "kind:preference", "tag:hot", "is:flagged", "score:>0.8", "100%_green", "project:site", "state:any"]

    def agree() -> None:
        for words in filters:
            for sort in Sort:
                for descending in (True, False):
                    wanted = store.list_ids(parse_filter(words), sort, descending=descending)
                    assert list(analytics.list_ids(parse_filter(words), sort, descending)) == wanted, (words, sort)
            assert analytics.count(parse_filter(words)) == store.count(parse_filter(words))

    agree()
    assert analytics.facet(Facet.TAG, Filter()) == [("food", 2), ("hot", 2)]
    assert analytics.facet(Facet.KIND, parse_filter("tag:hot")) == [("preference", 2)]
    curation.forget(store, [coffee])
    curation.tag(store, [tea], remove=["hot"])
    curation.pin(store, [rain])
    assert list(analytics.list_ids(Filter())) == [coffee, tea, rain], "it knows what it has followed"
    assert analytics.follow() == store.seq()
    agree()
    assert analytics.facet(Facet.STATE, parse_filter("state:any")) == [("new", 2), ("forgotten", 1)]
    curation.undo(store)
    with store.command("distil") as writer:
        store.raise_alert(writer, tea, rain, Relation.UPDATE, 0.8, [])
    analytics.follow()
    agree()
    assert sorted(analytics.list_ids(parse_filter("has:conflict"))) == [tea, rain]
    analytics.close()

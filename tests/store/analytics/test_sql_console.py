"""SQL console: answers queries, reaches nothing but its own copy, and counts as the store does."""

from pathlib import Path

import pytest

from curator import curation
from curator.filters import parse_filter
from curator.text import content_key
from effort import thorough
from factories import conversation, put
from store import Filter, Sort, Store, restore
from store.analytics import FACETS, Analytics, Stopped
from store.analytics.sql_console import BadQuery, query
from store.analytics.sql_tables import TABLES
from store.analytics.stats import RawCounts, stats
from store.model import Fingerprint, Kind, Relation, Surprise, Tier


@thorough
def test_every_table_answers_empty_and_full(store: Store) -> None:
    for name in TABLES:
        assert query(store, f"SELECT count(*) FROM {name}").rows == [(0,)]
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("a", "hi", "hello"))
    put(store, "I like tea", kind=Kind.PREFERENCE, tags=("food",))
    assert query(store, "SELECT kind, tag FROM memories m JOIN tags t ON t.memory = m.id").rows == [
        ("preference", "food")
    ]
    assert query(store, "SELECT count(*) FROM messages JOIN conversations c ON c.id = conversation").rows == [(2,)]
    (row,) = query(store, "SELECT year(created_at) FROM messages LIMIT 1").rows
    assert row == (2023,)


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT * FROM memorys", "there is no table memorys, did you mean memories? the tables are memories, "),
        ("SELECT * FROM zebra", "there is no table zebra; the tables are memories, "),
        ("SELECT fooo(1)", "Scalar Function with name fooo does not exist"),
        ("SELECT tex FROM memories", 'Referenced column "tex" not found'),
        ("selec 1", 'syntax error at or near "selec"'),
    ],
)
def test_errors_name_what_is_wrong_and_nothing_of_the_engine(store: Store, sql: str, said: str) -> None:
    with pytest.raises(BadQuery) as raised:
        query(store, sql)
    text = str(raised.value)
    assert text.startswith(said) and "Error" not in text and "Did you mean" not in text


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
    assert stats(other).memories.total == 0
    other.close()


@thorough
def test_counts_agree_with_the_store(store: Store) -> None:
    ids = put(store, "I like tea", "I like trains", kind=Kind.PREFERENCE, importance=8)
    ids += put(store, "It rains", scope="session:x")
    curation.validate(store, ids[:1])
    curation.forget(store, ids[1:2])
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("a", "hi", "hello"))
    counts = stats(store).memories
    assert (counts.total, counts.live, counts.inbox, counts.in_sessions) == (3, 2, 1, 1)
    assert counts.importance == 7.0
    assert counts.groups["kind"] == {"fact": 1, "preference": 2}
    assert counts.groups["state"] == {"forgotten": 1, "new": 2}
    assert stats(store).raw == RawCounts(1, 2, 0)
    curation.purge(store, ids[1:2])
    counts = stats(store).memories
    assert (counts.total, counts.groups["state"]) == (2, {"new": 2}), "what was purged is not counted"


@thorough
def test_counting_takes_longer_with_memories_and_not_with_their_square(store: Store) -> None:
    def steps() -> int:
        """Count SQLite's steps, in hundreds."""
        taken = [0]

        def step() -> int:
            taken[0] += 1
            return 0

        with store.sqlite() as connection:
            connection.set_progress_handler(step, 100)
            stats(store)
            connection.set_progress_handler(None, 0)
        return taken[0]

    def grow(upto: int) -> None:
        texts = [f"fact number {n}" for n in range(upto)]
        rows = [(memory, text, b"\0" * 32) for memory, text in zip(put(store, *texts), texts, strict=True)]
        store.vectors.add(Fingerprint("test", "plain", "1", 8), rows)

    grow(250)
    assert stats(store).raw.vectors == 250
    few = steps()
    grow(1_000)
    assert stats(store).raw.vectors == 1_000
    assert steps() < 8 * few


@thorough
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
    assert analytics.facet("tag", Filter()) == [("food", 2), ("hot", 2)]
    assert analytics.facet("kind", parse_filter("tag:hot")) == [("preference", 2)]
    curation.forget(store, [coffee])
    curation.tag(store, [tea], remove=["hot"])
    curation.pin(store, [rain])
    assert list(analytics.list_ids(Filter())) == [coffee, tea, rain], "it knows what it has followed"
    assert analytics.follow() == store.journal.seq()
    agree()
    assert analytics.facet("state", parse_filter("state:any")) == [("new", 2), ("forgotten", 1)]
    for typed in ("", "o", "tag:hot", "o kind:preference", "state:any a"):
        wanted = parse_filter(typed)
        one_by_one = {by: analytics.facet(by, wanted) for by in FACETS}
        assert analytics.facets(list(FACETS), wanted) == one_by_one
        assert analytics.facets(["tag"], wanted, [1]) == {"tag": analytics.facet("tag", wanted, [1])}
    store.undo()
    with store.command("distil") as writer:
        store.alerts.put(writer, tea, rain, Relation.UPDATE, 0.8, [])
    analytics.follow()
    agree()
    assert sorted(analytics.list_ids(parse_filter("has:conflict"))) == [tea, rain]
    analytics.close()


def agree(analytics: Analytics, store: Store, filters: list[Filter]) -> None:
    """Check that the copy lists the same as the record, in every order."""
    for meant in filters:
        assert analytics.count(meant) == store.count(meant)
        for sort in Sort:
            for descending in (True, False):
                wanted = store.list_ids(meant, sort, descending=descending)
                assert list(analytics.list_ids(meant, sort, descending)) == wanted, (meant, sort)


@thorough
def test_uses_delays_and_what_matters_mean_the_same_in_both(store: Store) -> None:
    ids = put(store, "plain", "also plain", importance=5, created_at=7)
    ids += put(store, "core", tier=Tier.CORE, importance=5)
    ids += put(store, "low", tier=Tier.LOW, importance=5, user_score=9)
    ids += put(store, "contradicts", importance=5, surprise=Surprise(0.1, 0.9, 0.3, 0.2, 0.0), confidence=0.9)
    ids += put(store, "is new", importance=5, surprise=Surprise(0.8, 0.0, 0.3, 0.2, 0.0))
    plain, also, core, low, contradicts, new = ids
    for memory, later in ((plain, 100), (core, 200)):
        with store.command("later") as writer:
            writer.update("memories", [memory], {"later_until": later})
    store.recalls.record_use([plain, low])
    store.recalls.record_use([low])
    filters = [Filter(used_least=number) for number in (0, 1, 2, 3)] + [Filter(used_most=number) for number in (0, 1)]
    filters += [Filter(due_by=moment) for moment in (99, 100, 200)] + [Filter(deferred_at=100), Filter(deferred_at=99)]
    filters += [Filter(score_least=0.9), Filter(score_above=0.9), Filter(used_least=1, due_by=50), Filter(lives=())]
    analytics = Analytics(store)
    analytics.follow()
    agree(analytics, store, filters)
    assert store.list_ids(Filter(), Sort.MATTERS) == [contradicts, core, new, also, plain, low]
    assert store.list_ids(Filter(), Sort.USED)[:2] == [low, plain]
    assert store.list_ids(Filter(used_least=2)) == [low]
    assert sorted(store.list_ids(Filter(deferred_at=150))) == [core]
    assert sorted(store.list_ids(Filter(due_by=150))) == sorted({*ids} - {core})
    assert sorted(store.list_ids(Filter(score_least=0.9))) == [low, contradicts]
    analytics.close()


@thorough
def test_uses_are_followed_though_they_are_not_journaled(store: Store) -> None:
    tea, trains = put(store, "I like tea", "I like trains")
    store.backup(store.folder.parent / "copy")
    analytics = Analytics(store)
    analytics.follow()
    seq = store.journal.seq()
    store.recalls.record_use([tea, trains])
    store.recalls.record_use([tea])
    assert analytics.count(Filter(used_least=1)) == 0
    assert analytics.follow() == seq
    assert list(analytics.list_ids(Filter(), Sort.USED)) == [tea, trains]
    (row,) = analytics.ask(f"SELECT used, last_used FROM memories WHERE id = {tea}").to_pylist()
    with store.sqlite() as record:
        assert tuple(row.values()) == tuple(
            record.execute("SELECT times, last_at FROM uses WHERE memory = 1").fetchone()
        )
    restore(store.folder, store.folder.parent / "copy", content_key)
    analytics.follow()
    assert analytics.count(Filter(used_least=1)) == 0, "they can also fall"
    assert analytics.ask("SELECT last_used FROM memories").column(0).to_pylist() == [None, None]
    analytics.close()


@thorough
def test_a_backup_in_the_records_place_is_noticed_by_an_open_copy(store: Store, tmp_path: Path) -> None:
    put(store, "I like tea")
    store.backup(tmp_path / "copy")
    analytics = Analytics(store)
    put(store, "I like trains")
    analytics.follow()
    restore(store.folder, tmp_path / "copy", content_key)
    analytics.follow()
    agree(analytics, store, [Filter()])
    put(store, "I like boats", "I like planes")  # the same number of events, with other contents
    assert analytics.follow() == store.journal.seq() == 2
    agree(analytics, store, [Filter()])
    restore(store.folder, tmp_path / "copy", content_key)
    put(store, "I like cars")
    analytics.follow()
    agree(analytics, store, [Filter(words=("cars",)), Filter(words=("boats",)), Filter()])
    analytics.close()


def test_a_stopped_copy_does_not_go_on(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    from store.analytics import reader

    put(store, *(f"fact {number}" for number in range(50)))
    monkeypatch.setattr(reader, "_BATCH", 5)
    analytics = Analytics(store)
    seen = []
    everything = reader.everything

    def slowly(store: Store, record: object) -> object:
        for table in everything(store, record):  # type: ignore[arg-type]
            seen.append(len(table))
            if len(seen) == 3:
                analytics.stop()
            yield table

    monkeypatch.setattr(reader, "everything", slowly)
    with pytest.raises(Stopped):
        analytics.follow()
    assert sum(seen) < 50
    assert not analytics.filled
    with pytest.raises(Stopped):
        analytics.follow()
    analytics.close()
    other = Analytics(store)
    other.close()
    with pytest.raises(Stopped):
        other.follow()


def test_a_follow_that_fails_leaves_the_copy_as_it_was(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    from store.analytics import reader

    (tea,) = put(store, "I like tea")
    analytics = Analytics(store)
    analytics.follow()
    curation.pin(store, [tea])

    def broken(*_: object) -> object:
        raise OSError("no more room")

    with monkeypatch.context() as patch:
        patch.setattr(reader, "some", broken)
        with pytest.raises(OSError, match="room"):
            analytics.follow()
    assert list(analytics.list_ids(Filter(pinned=False))) == [tea]
    analytics.follow()
    assert list(analytics.list_ids(Filter(pinned=True))) == [tea]
    analytics.close()

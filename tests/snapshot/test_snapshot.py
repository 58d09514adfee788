"""A snapshot on object storage or in a folder: reading it on another machine, and what a purge leaves of it."""

import threading
from io import BytesIO
from pathlib import Path

import pyarrow.parquet
import pytest

from curator import curation
from curator.errors import ModelError, TargetUnreachable
from curator.purge_everywhere import purge
from curator.snapshot import writer
from curator.snapshot.reader import query
from curator.snapshot.reader import stats as stats_there
from curator.targets import FolderTarget, Target, target_of
from effort import thorough
from factories import conversation, put, quote
from object_servers import KINDS, new_bucket
from store import Busy, Store, clock
from store.analytics import sql_tables
from store.analytics.sql_console import BadQuery
from store.analytics.sql_console import query as query_here
from store.analytics.stats import stats
from store.model import Origin

EVERYWHERE = pytest.mark.parametrize("place", ["folder", *KINDS], indirect=True)
TEXTS = "SELECT text FROM memories ORDER BY id"


def texts(place: str) -> list[object]:
    result, _ = query(place, TEXTS)
    return [text for (text,) in result.rows]


def words_in(target: Target) -> str:
    """Return the contents of the target's tables, names and manifests as text."""
    names = target.names()
    data = {name: target.get(name) or b"" for name in names}
    tables = [str(pyarrow.parquet.read_table(BytesIO(data[name])).to_pydict()) for name in names if "parts" in name]
    return "".join([*tables, *names, *(data[name].decode() for name in names if "manifests" in name)])


class TestThere:
    @thorough
    def test_another_machine_gets_the_answers_of_this_one(self, store: Store, place: str) -> None:
        with store.command("import") as writing:
            store.raw.put_conversation(writing, conversation("a", "The deadline is in May", "fine"))
        put(store, "I like tea", "I live in Ghent", tags=("home",))
        assert writer.write(store, place)

        for name in sql_tables.TABLES:
            rows, _ = query(place, f"SELECT * FROM {name}")
            assert rows == query_here(store, f"SELECT * FROM {name}"), name
            if name not in ("evidence", "refusals"):
                assert rows.rows, name
        joined, at = query(place, "SELECT count(*) FROM memories m JOIN tags t ON t.memory = m.id")
        assert joined.rows == [(2,)] and at > 0

    @thorough
    def test_counts_are_those_of_this_machine(self, store: Store, place: str) -> None:
        with store.command("import") as writing:
            store.raw.put_conversation(writing, conversation("a", "I like tea"))
            number = store.raw.find_identity(writing, "chatgpt:a:0")
        (first,) = put(store, "I like tea", evidence=(quote("I like tea", "I like tea", number),))
        (second,) = put(store, "I live in Ghent")
        put(store, "I play chess", origin=Origin.PERSON, source="chatgpt", created_at=None)
        store.recalls.record_use([second])
        writer.write(store, place)
        now = clock.now()
        there, _ = stats_there(place, now)
        here = stats(store, now)
        assert there.counts == here and here.insights.imports and here.states
        assert [one.memory for one in here.insights.most_recalled] == [second]
        assert there.texts == {first: "I like tea", second: "I live in Ghent"}

    @thorough
    @EVERYWHERE
    def test_a_change_writes_and_fetches_only_what_it_touches(
        self, store: Store, place: str, target: Target, cache: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sql_tables, "_SPAN", 2)
        put(store, "I like tea", "I live in Ghent", "I have a bike", "I read a lot")
        writer.write(store, place)
        assert len(texts(place)) == 4
        before, fetched = set(target.names()), {file.name for file in cache.rglob("*.parquet")}

        put(store, "I play chess")
        assert not writer.is_up_to_date(store, place)
        writer.write(store, place)
        assert writer.is_up_to_date(store, place)

        assert texts(place)[-1] == "I play chess"
        added = [name for name in set(target.names()) - before if name.startswith("parts/")]
        assert len(added) == 2, "the last memories and the last commands"
        assert len({file.name for file in cache.rglob("*.parquet")} & fetched) == 2

    @thorough
    def test_large_texts_end_a_file_early(self, store: Store, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sql_tables, "_MOST", 1)
        monkeypatch.setattr(sql_tables, "_BATCH", 1)
        said = ["I like tea", "I live in Ghent", "I have a bike"]
        put(store, *said)
        writer.write(store, place)
        with store.snapshot() as record:
            assert len(list(sql_tables.files(store, record, "memories", lambda: None))) == 3
        assert texts(place) == said

    @thorough
    def test_the_snapshot_before_the_newest_stays_and_older_ones_go(
        self, store: Store, place: str, target: Target
    ) -> None:
        for number in range(4):
            put(store, f"I like tea number {number}")
            writer.write(store, place)
        names = target.names()
        assert [name for name in names if "manifests" in name] == [f"manifests/{n:012}.json" for n in (3, 4)]
        assert "number 1" not in str(names) and len(texts(place)) == 4

    @thorough
    def test_a_query_reaches_no_other_file(self, store: Store, place: str, tmp_path: Path) -> None:
        put(store, "I like tea")
        writer.write(store, place)
        file = tmp_path / "secret.csv"
        file.write_text("a,b\n1,2\n")
        for sql in (
            f"SELECT * FROM '{file}'",
            f"SELECT * FROM glob('{tmp_path}/*')",
            "INSTALL httpfs",
            "SELECT * FROM x",
        ):
            with pytest.raises(BadQuery):
                query(place, sql)

    @thorough
    def test_other_objects_in_the_target_are_left_alone(self, store: Store, place: str, target: Target) -> None:
        target.prepare()
        target.put("space/1", b"of a sync")
        put(store, "I like tea")
        writer.write(store, place)
        assert writer.erase(store, 1) == []
        assert target.names() == ["space/1"]


class TestHalf:
    @thorough
    def test_a_killed_writer_leaves_the_former_snapshot(self, store: Store, place: str, target: Target) -> None:
        put(store, "I like tea")
        writer.write(store, place)
        put(store, "I live in Ghent")
        calls = iter(range(3))

        def report() -> None:
            if next(calls, None) is None:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            writer.write(store, place, report)
        assert texts(place) == ["I like tea"]
        writer.write(store, place)
        assert texts(place) == ["I like tea", "I live in Ghent"]

    @thorough
    def test_a_manifest_that_a_synced_folder_carries_first_waits_for_its_parts(
        self, store: Store, place: str, target: Target
    ) -> None:
        put(store, "I like tea")
        writer.write(store, place)
        former = set(target.names())
        put(store, "I live in Ghent")
        writer.write(store, place)
        for name in set(target.names()) - former:
            if name.startswith("parts/"):
                target.delete(name)
        assert texts(place) == ["I like tea"]

    @thorough
    def test_a_part_that_is_erased_while_it_is_fetched_is_looked_for_again(
        self, store: Store, place: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        put(store, "I like tea")
        writer.write(store, place)
        kind = type(target_of(place))
        real = kind.get
        missed: list[str] = []

        def get(self: Target, name: str) -> bytes | None:
            if name.startswith("parts/") and not missed:
                missed.append(name)
                return None
            return real(self, name)

        monkeypatch.setattr(kind, "get", get)
        assert texts(place) == ["I like tea"] and missed

    @thorough
    def test_damage_is_named_and_never_an_answer(self, store: Store, tmp_path: Path, cache: Path) -> None:
        folder = tmp_path / "target"
        put(store, "I like tea")
        writer.write(store, f"folder:{folder}")
        assert texts(f"folder:{folder}") == ["I like tea"]
        (fetched,) = cache.rglob("*.parquet")
        fetched.write_bytes(b"")
        assert texts(f"folder:{folder}") == ["I like tea"], "a damaged copy is fetched again"
        fetched.unlink()
        (folder / "parts" / fetched.name).write_bytes(b"")
        with pytest.raises(ModelError, match=f"parts/{fetched.name} of the snapshot is damaged"):
            texts(f"folder:{folder}")
        next((folder / "manifests").iterdir()).write_bytes(b"{}")
        with pytest.raises(ModelError, match="manifests/000000000001"):
            texts(f"folder:{folder}")

    @thorough
    def test_another_version_is_told_and_written_over(
        self, store: Store, place: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        put(store, "I like tea")
        with monkeypatch.context() as older:
            older.delitem(sql_tables.TABLES, "log")
            writer.write(store, place)
        with pytest.raises(ModelError, match="another version of Curator"):
            texts(place)
        assert not writer.is_up_to_date(store, place)
        writer.write(store, place)
        assert texts(place) == ["I like tea"]


class TestPurge:
    @thorough
    @EVERYWHERE
    def test_purged_words_are_nowhere_there_nor_in_the_cache_after_a_query(
        self, store: Store, place: str, target: Target, cache: Path
    ) -> None:
        (secret, _) = put(store, "My doctor is Zaubertrank", "I like tea")
        writer.write(store, place)
        assert "Zaubertrank" in words_in(target)
        assert texts(place)[0] == "My doctor is Zaubertrank"

        _, left = purge(store, [secret])

        assert left == () and store.unfinished_purge() is None
        assert target.names() == []
        with pytest.raises(TargetUnreachable, match="there is no snapshot in"):
            texts(place)
        assert list(cache.rglob("*.parquet")) == []
        writer.write(store, place)
        assert "Zaubertrank" not in words_in(target) and texts(place)[-1] == "I like tea"

    @thorough
    def test_a_purge_that_cannot_reach_the_target_is_not_done(self, store: Store, tmp_path: Path) -> None:
        (secret,) = put(store, "My doctor is Zaubertrank")
        stick = tmp_path / "stick"
        writer.write(store, f"folder:{stick}")
        stick.rename(tmp_path / "away")

        _, left = purge(store, [secret])
        assert len(left) == 1 and f"the snapshot in folder:{stick} cannot be erased" in left[0]
        assert store.unfinished_purge() is not None

        (tmp_path / "away").rename(stick)
        assert curation.continue_purge(store, [writer.erase]) == ()
        assert store.unfinished_purge() is None and FolderTarget(stick).names() == []

    @thorough
    def test_a_purge_without_access_to_the_target_says_how_to_get_it(
        self, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        bucket = new_bucket("gs", monkeypatch.setenv)
        (secret,) = put(store, "My doctor is Zaubertrank")
        writer.write(store, bucket.url)
        with monkeypatch.context() as elsewhere:
            elsewhere.delenv("GOOGLE_SERVICE_ACCOUNT_KEY")
            elsewhere.setenv("GOOGLE_SERVICE_ACCOUNT", "/none.json")
            _, left = purge(store, [secret])
        assert len(left) == 1 and f"the snapshot in {bucket.url} cannot be erased" in left[0]
        assert "/none.json" in left[0] and "check GOOGLE_APPLICATION_CREDENTIALS" in left[0]
        assert curation.continue_purge(store, [writer.erase]) == () and bucket.objects() == []

    def test_a_purge_while_it_is_written_leaves_no_snapshot_with_the_words(
        self, store: Store, place: str, target: Target
    ) -> None:
        (secret,) = put(store, "My doctor is Zaubertrank")
        told: list[str] = []

        def begin() -> None:
            store.purge([secret])
            told.extend(writer.erase(store, 0))

        def report() -> None:
            if not told and target.names():
                purging = threading.Thread(target=begin)
                purging.start()
                purging.join()

        assert not writer.write(store, place, report)
        assert "another process is writing" in told[0]
        with pytest.raises(TargetUnreachable):
            texts(place)
        assert "Zaubertrank" in words_in(target)
        assert curation.continue_purge(store, [writer.erase]) == ()
        assert target.names() == []

    @thorough
    def test_a_target_that_is_no_longer_set_is_erased(self, store: Store, place: str, target: Target) -> None:
        put(store, "I like tea")
        writer.write(store, place)
        assert not writer.is_up_to_date(store, "")
        assert writer.write(store, "")
        assert target.names() == [] and writer.noted_targets(store) == {} and writer.is_up_to_date(store, "")


class TestOthers:
    @thorough
    def test_the_snapshot_of_another_store_is_not_overwritten(self, store: Store, place: str, tmp_path: Path) -> None:
        put(store, "I like tea")
        writer.write(store, place)
        other = Store.open(tmp_path / "other")
        put(other, "I like coffee")
        with pytest.raises(writer.ForeignSnapshot, match="another store"):
            writer.write(other, place)
        assert not writer.erase(other, 1)
        assert texts(place) == ["I like tea"]
        other.close()

    def test_one_process_writes_at_a_time(self, store: Store, place: str) -> None:
        put(store, "I like tea")

        def report() -> None:
            writer.write(store, place)

        with pytest.raises(Busy, match="another process"):
            writer.write(store, place, report)


def test_a_purge_says_if_the_list_of_places_is_damaged(store: Store) -> None:
    (number,) = put(store, "I like tea")
    (store.folder / "snapshot").mkdir()
    (store.folder / "snapshot" / "places.json").write_text("{")
    cleaned, left = purge(store, [number])
    assert len(cleaned.memories) == 1 and any("places.json cannot be read" in message for message in left)

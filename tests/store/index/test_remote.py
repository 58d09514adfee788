"""Index tables on object storage: search finds them, and the record does not depend on them."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from index_helpers import ANY, SPACE, change, embed, found, remember, talk

from effort import thorough
from object_servers import EVERYWHERE, Bucket, moto_server
from store import Store, Unreachable
from store.index import Index, remote, tables, versions
from store.model import Life

pytestmark = thorough


class Storage:
    """A bucket, whose server can be stopped if it is moto, and a prefix for the index."""

    def __init__(self, bucket: Bucket) -> None:
        self.uri, self.objects = f"{bucket.url}/archive", bucket.objects

    def stop(self) -> None:
        moto_server().stop()

    def start(self) -> None:
        """Start again at the same port with the same contents."""
        moto_server().start()
        remote._failed.clear()


@pytest.fixture
def storage(bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> Iterator[Storage]:
    monkeypatch.setitem(remote._OPTIONS, "client_max_retries", "0")
    remote._failed.clear()
    yield Storage(bucket)
    if not bucket.url.startswith("az:"):
        moto_server().start()


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Treat every store as a large one, whose words and vectors are in the tables."""
    monkeypatch.setattr(tables, "WORDS_FROM", 0)
    monkeypatch.setattr(tables, "TRAIN_FROM", 0)
    monkeypatch.setattr(tables, "train", lambda tables, trained: 0)


def _filled(store: Store) -> list[int]:
    ids = remember(store, "I live in Ghent", "I never drink coffee")
    embed(store, ids, np.eye(8)[:2])
    talk(store, "The deadline is in May")
    return ids


def _local_tables(store: Store) -> list[Path]:
    return list((store.folder / "index").rglob("*.lance"))


@pytest.mark.usefixtures("large")
class TestThere:
    @EVERYWHERE
    def test_words_vectors_and_messages_are_found_in_tables_on_object_storage(
        self, store: Store, storage: Storage
    ) -> None:
        ids = _filled(store)
        index = Index(store, SPACE, storage.uri)

        assert found(index.search_text("where do I live", ANY, 5)) == [ids[0]]
        assert found(index.search_vector(np.eye(8)[1], ANY, 1)) == [ids[1]]
        assert len(index.search_messages("deadline", 5)) == 1
        assert not index.check()
        assert not _local_tables(store)
        assert any(name.startswith("archive/") and ".lance/data/" in name for name in storage.objects())

    def test_a_reader_sees_what_another_one_writes(self, store: Store, storage: Storage) -> None:
        ids = _filled(store)
        reader, writer = Index(store, SPACE, storage.uri), Index(store, SPACE, storage.uri)
        assert found(reader.search_text("coffee", ANY, 5)) == [ids[1]]

        change(store, [ids[1]], life=Life.FORGOTTEN.value)
        (new,) = remember(store, "I drink tea")
        assert writer.catch_up()

        assert reader.is_current()
        assert found(reader.search_text("coffee tea", ANY, 5)) == [new]

    @EVERYWHERE
    def test_a_new_place_is_taken_and_nothing_stays_at_the_former_one(self, store: Store, storage: Storage) -> None:
        _filled(store)
        Index(store, SPACE, storage.uri).catch_up()

        Index(store, SPACE, f"{storage.uri}2").catch_up()
        assert {name.partition("/")[0] for name in storage.objects()} == {"archive2"}

        here = Index(store, SPACE)
        here.catch_up()
        assert storage.objects() == []
        assert not here.check()
        assert _local_tables(store)

    def test_tables_that_are_gone_are_built_anew(self, store: Store, storage: Storage) -> None:
        ids = _filled(store)
        Index(store, SPACE, storage.uri).catch_up()
        current = versions.current(versions.home(store.folder, store.owner))
        assert current is not None
        location = remote.location(current)
        assert location is not None
        remote.erase(location)

        assert found(Index(store, SPACE, storage.uri).search_text("Ghent", ANY, 5)) == [ids[0]]


@pytest.mark.usefixtures("large")
class TestAway:
    def test_a_search_says_it_and_the_index_catches_up_when_the_storage_is_back(
        self, store: Store, storage: Storage
    ) -> None:
        _filled(store)
        index = Index(store, SPACE, storage.uri)
        index.catch_up()

        storage.stop()
        searches: list[Callable[[], object]] = [
            lambda: index.search_text("Ghent", ANY, 5),
            lambda: Index(store, SPACE, storage.uri).search_text("Ghent", ANY, 5),
            lambda: index.search_messages("deadline", 5),
            lambda: index.search_vector(np.eye(8)[1], ANY, 1),
            index.check,
        ]
        for search in searches:
            with pytest.raises(Unreachable, match=f"{storage.uri}.* cannot be reached"):
                search()
        (new,) = remember(store, "I drink tea")
        with pytest.raises(Unreachable):
            index.catch_up()

        storage.start()
        assert found(index.search_text("tea", ANY, 5)) == [new]
        assert index.catch_up()
        assert not index.check()

    def test_what_a_purge_could_not_delete_there_is_said_and_deleted_later(
        self, store: Store, storage: Storage
    ) -> None:
        _filled(store)
        Index(store, SPACE, storage.uri).catch_up()

        storage.stop()
        with pytest.raises(Unreachable, match=rf"{storage.uri}/\S+ cannot be deleted until .* \(no connection to 127"):
            Index.drop(store)

        storage.start()
        Index.drop(store)
        assert storage.objects() == []

    @pytest.mark.parametrize(
        ("uri", "variable", "value", "told"),
        [
            ("az://words", "AZURE_STORAGE_ACCOUNT_NAME", "", "set AZURE_STORAGE_ACCOUNT_NAME"),
            (
                "gs://words",
                "GOOGLE_SERVICE_ACCOUNT",
                "/none.json",
                r"from /none.json: .* check GOOGLE_APPLICATION_CRED",
            ),
            ("s3://words", "AWS_ENDPOINT_URL", "localhost:9000", "AWS_ENDPOINT_URL must start with https://"),
        ],
    )
    def test_access_that_is_not_configured_is_named(
        self, store: Store, monkeypatch: pytest.MonkeyPatch, uri: str, variable: str, value: str, told: str
    ) -> None:
        monkeypatch.setattr(remote, "_failed", {})
        monkeypatch.setenv(variable, value)
        _filled(store)
        with pytest.raises(Unreachable, match=told):
            Index(store, SPACE, uri).catch_up()

    def test_no_index_is_made_in_memory_instead(self, store: Store, storage: Storage) -> None:
        _filled(store)
        storage.stop()

        index = Index(store, SPACE, storage.uri)
        with pytest.raises(Unreachable, match="cannot be reached"):
            index.search_text("Ghent", ANY, 5)
        assert index.trouble is None
        assert not list((store.folder / "index").glob("*/g*")), "nothing is left that could not be deleted"

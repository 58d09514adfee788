"""Index tables on object storage: search finds them, and the record does not depend on them."""

import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from index_helpers import ANY, SPACE, change, embed, found, remember, talk

from store import Store, Unreachable
from store.index import Index, remote, tables, versions
from store.model import Life

moto = pytest.importorskip("moto.server", reason="the test server is not installed (.[test-s3])")
obstore = pytest.importorskip("obstore.store", reason="obstore is not installed")

URI = "s3://words/archive"


class Storage:
    """An S3 server that can be stopped."""

    def __init__(self) -> None:
        self._server = moto.ThreadedMotoServer("127.0.0.1", 0, verbose=False)
        self._server.start()
        self._address = self._server.get_host_and_port()
        self.endpoint = "http://{}:{}".format(*self._address)

    def stop(self) -> None:
        self._server.stop()

    def start(self) -> None:
        """Start again at the same port with the same contents."""
        self._server = moto.ThreadedMotoServer(*self._address, verbose=False)
        self._server.start()
        remote._failed.clear()

    def objects(self) -> list[str]:
        held = obstore.S3Store("words", client_options={"allow_http": True})
        return sorted(one["path"] for some in held.list() for one in some)


@pytest.fixture
def storage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Storage]:
    import urllib.request

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    made = Storage()
    variables = {"AWS_ENDPOINT_URL": made.endpoint, "AWS_REGION": "us-east-1"}
    variables |= {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setitem(remote._OPTIONS, "client_max_retries", "0")
    for method in ("POST", "PUT"):  # a reset forgets everything, then the bucket is created
        path = "moto-api/reset" if method == "POST" else "words"
        urllib.request.urlopen(urllib.request.Request(f"{made.endpoint}/{path}", method=method)).close()
    remote._failed.clear()
    yield made
    made.stop()


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
    def test_words_vectors_and_messages_are_found_in_tables_on_object_storage(
        self, store: Store, storage: Storage
    ) -> None:
        ids = _filled(store)
        index = Index(store, SPACE, URI)

        assert found(index.search_text("where do I live", ANY, 5)) == [ids[0]]
        assert found(index.search_vector(np.eye(8)[1], ANY, 1)) == [ids[1]]
        assert len(index.search_messages("deadline", 5)) == 1
        assert not index.check()
        assert not _local_tables(store)
        assert any(name.startswith("archive/") and ".lance/data/" in name for name in storage.objects())

    def test_a_reader_sees_what_another_one_writes(self, store: Store, storage: Storage) -> None:
        ids = _filled(store)
        reader, writer = Index(store, SPACE, URI), Index(store, SPACE, URI)
        assert found(reader.search_text("coffee", ANY, 5)) == [ids[1]]

        change(store, [ids[1]], life=Life.FORGOTTEN.value)
        (new,) = remember(store, "I drink tea")
        assert writer.catch_up()

        assert reader.is_current()
        assert found(reader.search_text("coffee tea", ANY, 5)) == [new]

    def test_a_new_place_is_taken_and_nothing_stays_at_the_former_one(self, store: Store, storage: Storage) -> None:
        _filled(store)
        Index(store, SPACE, URI).catch_up()

        Index(store, SPACE, f"{URI}2").catch_up()
        assert {name.partition("/")[0] for name in storage.objects()} == {"archive2"}

        here = Index(store, SPACE)
        here.catch_up()
        assert storage.objects() == []
        assert not here.check()
        assert _local_tables(store)

    def test_tables_that_are_gone_are_built_anew(self, store: Store, storage: Storage) -> None:
        ids = _filled(store)
        Index(store, SPACE, URI).catch_up()
        current = versions.current(versions.home(store.folder, store.owner))
        assert current is not None
        location = remote.location(current)
        assert location is not None
        remote.erase(location)

        assert found(Index(store, SPACE, URI).search_text("Ghent", ANY, 5)) == [ids[0]]


@pytest.mark.usefixtures("large")
class TestAway:
    def test_a_search_says_it_and_the_index_catches_up_when_the_storage_is_back(
        self, store: Store, storage: Storage
    ) -> None:
        _filled(store)
        index = Index(store, SPACE, URI)
        index.catch_up()

        storage.stop()
        searches: list[Callable[[], object]] = [
            lambda: index.search_text("Ghent", ANY, 5),
            lambda: Index(store, SPACE, URI).search_text("Ghent", ANY, 5),
            lambda: index.search_messages("deadline", 5),
            lambda: index.search_vector(np.eye(8)[1], ANY, 1),
            index.check,
        ]
        for search in searches:
            with pytest.raises(Unreachable, match=r"s3://words/archive.* cannot be reached"):
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
        Index(store, SPACE, URI).catch_up()

        storage.stop()
        with pytest.raises(Unreachable, match="s3://words/archive"):
            Index.drop(store)

        storage.start()
        Index.drop(store)
        assert storage.objects() == []

    def test_no_index_is_made_in_memory_instead(self, store: Store, storage: Storage) -> None:
        _filled(store)
        storage.stop()

        index = Index(store, SPACE, URI)
        with pytest.raises(Unreachable, match="cannot be reached"):
            index.search_text("Ghent", ANY, 5)
        assert index.trouble is None
        assert not list((store.folder / "index").glob("*/g*")), "nothing is left that could not be deleted"

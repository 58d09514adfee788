"""Word index of tombstones: finds every forgotten text that shares enough words, as a full scan would."""

import contextlib
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curator import curation
from curator.curation import finish_purge
from effort import share
from factories import put
from store import Store, Tokenizer
from store.record import migrations, schema
from store.record.database import connect

WORDS = Tokenizer("words/1", lambda text: set(text.split()))
_TEXTS = st.lists(st.sampled_from("ab cd ef gh ij kl mn op".split()), min_size=1, max_size=8, unique=True)


@given(
    gone=st.lists(_TEXTS, min_size=1, max_size=12),
    text=_TEXTS,
    share=st.sampled_from([0.5, 0.6, 0.75, 0.9, 1.0]),
)
@settings(max_examples=share(40))
def test_no_share_is_missed_and_none_is_made_up(gone: list[list[str]], text: list[str], share: float) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(Path(folder))
        ids = put(store, *(f"{' '.join(words)} n{n}" for n, words in enumerate(gone)))
        curation.forget(store, ids)
        told = set(text)
        right = {
            memory
            for memory, words in zip(ids, ({*words, f"n{n}"} for n, words in enumerate(gone)), strict=True)
            if len(words & told) >= share * len(words | told)
        }
        assert set(store.tombstones.like(" ".join(text), WORDS, share)) == right
        store.close()


def test_what_is_read_within_a_command_that_fails_is_read_again(store: Store) -> None:
    (one,) = put(store, "the old mill by the river")
    curation.forget(store, [one])
    with pytest.raises(RuntimeError), store.command("add"):
        assert list(store.tombstones.like("the old mill by the river", WORDS, 1.0)) == [one]
        raise RuntimeError
    assert list(store.tombstones.like("the old mill by the river", WORDS, 1.0)) == [one]


def test_words_that_are_redacted_are_read_anew(store: Store) -> None:
    from curator.services.secret_scan import redact_found, scan

    (one,) = put(store, "password: Tr0ub4dor&3x of the old mill")
    curation.forget(store, [one])
    assert store.tombstones.like("password: Tr0ub4dor&3x of the old mill", WORDS, 1.0)
    redact_found(store, scan(store), finish_purge)
    assert not store.tombstones.like("password: Tr0ub4dor&3x of the old mill", WORDS, 1.0)
    assert list(store.tombstones.like(store.get(one).text, WORDS, 1.0)) == [one]


MILL = "the old mill by the river"


@contextlib.contextmanager
def written_to(store: Store) -> Iterator[None]:
    """Hold the write lock as another process would."""
    with contextlib.closing(sqlite3.connect(store.folder / "record.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


def test_while_another_process_writes_what_is_not_read_yet_is_compared(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = put(store, MILL, "green tea with milk")
    curation.forget(store, [one])
    monkeypatch.setattr("store.record.database.WAIT", 0.0)  # fail at once instead of waiting for the lock
    store = Store.open(store.folder)
    with written_to(store):
        assert list(store.tombstones.like(MILL, WORDS, 1.0)) == [one], "read in no way yet"
    assert list(store.tombstones.like(MILL, WORDS, 1.0)) == [one]
    curation.forget(store, [two])
    with written_to(store):
        assert list(store.tombstones.like("green tea with milk", WORDS, 1.0)) == [two]
        assert list(store.tombstones.like(MILL, WORDS, 1.0)) == [one]
        assert not store.tombstones.like("green tea", WORDS, 0.9) and not store.tombstones.like("", WORDS, 0.9)
    curation.restore(store, [one])
    with written_to(store):
        assert not store.tombstones.like(MILL, WORDS, 1.0)
    store.close()


class TestAnAppOfTheVersionBefore:
    """An app of the previous version that stays open during the migration and writes as before."""

    @pytest.fixture
    def old(self, tmp_path: Path) -> Iterator[sqlite3.Connection]:
        folder = tmp_path / "older"
        folder.mkdir()
        with contextlib.closing(connect(folder / "record.sqlite")) as connection:
            migrations.migrate(connection, folder / "record.sqlite", 0, schema.MIGRATIONS[:5])
            connection.executemany(
                "INSERT INTO memories (owner, text, content_key, kind, tier, origin, review, rank, life, pinned,"
                " confidence, importance, scope, created_at, added_at) VALUES"
                " ('me', ?1, ?1, 'fact', 'medium', 'rules', 'open', 'new', 'live', 0, 0.5, 5, 'global', 1, 1)",
                ((MILL,), ("green tea with milk",)),
            )
            self.forget(connection, 1)
            yield connection

    @pytest.fixture
    def new(self, old: sqlite3.Connection, tmp_path: Path) -> Iterator[Store]:
        opened = Store.open(tmp_path / "older")
        yield opened
        opened.close()

    @staticmethod
    def forget(old: sqlite3.Connection, memory: int) -> None:
        old.execute("UPDATE memories SET life = 'forgotten' WHERE id = ?", (memory,))
        old.execute("INSERT INTO tombstones SELECT owner, content_key, id FROM memories WHERE id = ?", (memory,))

    def test_what_it_forgets_restores_and_rewords_is_followed(self, old: sqlite3.Connection, new: Store) -> None:
        assert list(new.tombstones.like(MILL, WORDS, 1.0)) == [1], "forgotten before"
        self.forget(old, 2)
        assert list(new.tombstones.like("green tea with milk", WORDS, 1.0)) == [2]
        old.execute("UPDATE memories SET text = 'black tea' WHERE id = 2")
        assert not new.tombstones.like("green tea with milk", WORDS, 1.0)
        assert list(new.tombstones.like("black tea", WORDS, 1.0)) == [2]
        old.execute("DELETE FROM tombstones WHERE memory = 1")
        assert self.hashes(old, 1) == 0 and not new.tombstones.like(MILL, WORDS, 1.0)

    def test_what_it_purges_leaves_no_hash(self, old: sqlite3.Connection, new: Store) -> None:
        assert list(new.tombstones.like(MILL, WORDS, 1.0)) == [1] and self.hashes(old, 1) == 6 - 1
        old.execute("UPDATE memories SET text = '' WHERE id = 1")
        assert self.hashes(old, 1) == 0
        old.execute("UPDATE memories SET life = 'purged' WHERE id = 1")
        assert old.execute("SELECT count(*) FROM unread_burials").fetchone()[0] == 0
        assert not new.tombstones.like(MILL, WORDS, 1.0) and self.hashes(old, 1) == 0

    @staticmethod
    def hashes(old: sqlite3.Connection, memory: int) -> int:
        return int(old.execute("SELECT count(*) FROM burials WHERE memory = ?", (memory,)).fetchone()[0])

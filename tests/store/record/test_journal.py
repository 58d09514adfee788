"""Failed commands: they leave nothing behind, and report their own error."""

import contextlib
import sqlite3
from collections.abc import Iterator

import pytest

from factories import conversation
from store import Store
from store.record.database import roll_back
from store.record.journal import Writer


@contextlib.contextmanager
def locked_after(store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Lock the record from another connection right after a command is rolled back."""
    with contextlib.closing(sqlite3.connect(store.folder / "record.sqlite", isolation_level=None)) as other:

        def then_lock(connection: sqlite3.Connection) -> None:
            roll_back(connection)
            connection.execute("PRAGMA busy_timeout = 1")
            other.execute("BEGIN IMMEDIATE")

        monkeypatch.setattr("store.record.journal.roll_back", then_lock)
        yield


@pytest.mark.parametrize("pauses", [False, True])
def test_the_error_of_a_command_is_not_replaced_by_that_of_its_end(
    store: Store, monkeypatch: pytest.MonkeyPatch, pauses: bool
) -> None:
    with (
        locked_after(store, monkeypatch),
        pytest.raises(ValueError, match="its own"),
        store.command("import") as writer,
    ):
        if pauses:
            writer.pause()
            writer.resume()
        raise ValueError("its own")


def test_a_command_that_failed_before_its_first_commit_writes_no_more(store: Store) -> None:
    asked: list[str] = []
    with contextlib.suppress(ValueError), store.command("import") as writer:
        writer.connection.set_trace_callback(asked.append)
        raise ValueError
    writer.connection.set_trace_callback(None)
    assert asked == ["ROLLBACK"]


def test_of_a_paused_command_that_fails_nothing_stays(store: Store) -> None:
    with contextlib.suppress(ValueError), store.command("import") as writer:
        writer.pause()
        writer.resume()
        store.raw.put_conversation(writer, conversation("chat", "I like tea"))
        raise ValueError
    assert store.journal.log() == [] and store.differences() == []


def test_who_goes_on_with_a_command_may_pause_too(store: Store) -> None:
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("first", "I like tea"))
    with store.sqlite() as connection:
        connection.execute("BEGIN IMMEDIATE")
        later = Writer(connection, writer.id)
        assert (later.owner, later.device) == (writer.owner, writer.device)
        later.pause()
        later.resume()
        store.raw.put_conversation(later, conversation("second", "I like kites"))
        later.commit()
    assert len(store.raw.get_conversations()) == 2 and store.differences() == []
    assert [command.verb for command in store.journal.log()] == ["import"]

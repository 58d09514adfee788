"""`curator purge` shows what it will erase and asks first."""

import contextlib
import sys
from collections.abc import Iterator

import pytest

from cli.runner import Curator
from curator.paths import store_folder
from factories import conversation, put
from store import Store
from store.model import Life

SAID = "I'm allergic to hazelnuts"


@pytest.fixture
def own_store() -> Iterator[Store]:
    """Return the person's store: memory 1 with the words, other writings of them in a message and in memory 2."""
    with contextlib.closing(Store.open(store_folder())) as store:
        put(store, SAID, "Said: **I’m allergic** to hazelnuts")
        with store.command("import") as writer:
            store.raw.put_conversation(writer, conversation("a", "so\n> I’m allergic to\n> hazelnuts [red]!"))
        yield store


def test_other_writings_are_shown_and_stay_without_the_flag(curator: Curator, own_store: Store) -> None:
    ran = curator("purge", 1, "--yes")
    assert ran.code == 0
    assert "variants of these words were found in 1 message, 1 memory" in ran.out
    assert "message 1  so > I’m allergic to > hazelnuts [red]!" in ran.out
    assert "`curator backup`" in ran.out and "delete them yourself" in ran.out
    assert "2 places with variants of these words remain; --with-variants erases them too" in ran.err
    assert [memory.life for memory in own_store.get_many([1, 2])] == [Life.PURGED, Life.LIVE]
    assert "allergic" in own_store.raw.message(1).text


def test_a_purge_that_leaves_no_backup_makes_one(
    curator: Curator, own_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CURATOR_SWEEP_BACKUP__ENABLED", "true")
    curator("backup")
    assert own_store.backups()
    ran = curator("purge", 1, 2, "--yes", "--with-variants")
    (renewed,) = own_store.backups()
    assert "deleted 1 backup copy" in ran.out and f"no backup was left, so a new one was made: {renewed}" in ran.out
    assert b"hazelnuts" not in renewed.read_bytes()
    assert "a new one" not in curator("purge", *put(own_store, "I like tea"), "--yes").out


def test_the_flag_erases_them(curator: Curator, own_store: Store) -> None:
    ran = curator("purge", 1, "--yes", "--with-variants")
    assert ran.code == 0 and "purged 2 memories; erased text in 1 message" in ran.out and not ran.err
    assert "these memories contain a variant and are erased as a whole:" in ran.out
    assert "allergic" not in own_store.raw.message(1).text and own_store.raw.message(1).text.endswith("[red]!")
    assert own_store.differences() == []


@pytest.mark.parametrize(("answers", "lives"), [("yy", "pp"), ("ny", "pl"), ("yn", "ll"), ("nn", "ll")])
def test_on_a_terminal_it_is_asked(
    curator: Curator, own_store: Store, monkeypatch: pytest.MonkeyPatch, answers: str, lives: str
) -> None:
    given = iter(answers)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr("builtins.input", lambda question: next(given))
    curator("purge", 1)
    assert "".join(memory.life[0] for memory in own_store.get_many([1, 2])) == lives


def test_nothing_is_said_of_writings_where_there_are_none(curator: Curator, own_store: Store) -> None:
    (other,) = put(own_store, "Keeps bees behind the house")
    ran = curator("purge", other, "--yes")
    assert ran.code == 0 and "variants of these words" not in ran.out and not ran.err


def test_outdated_takes_the_flag(curator: Curator, own_store: Store) -> None:
    from curator import curation

    curation.forget(own_store, [1])
    with own_store.sqlite() as connection:
        connection.execute("UPDATE commands SET at = at - 864000000000")
    assert curator("outdated", "--days", 5, "--purge", "--yes", "--with-variants").code == 0
    assert [memory.life for memory in own_store.get_many([1, 2])] == [Life.PURGED, Life.PURGED]

"""Archives without the words of what was forgotten: they are purged from a copy of the record, which is archived."""

import contextlib
import sqlite3
from collections.abc import Iterator

from store.errors import KeptElsewhere
from store.model import Actor
from store.record import database, purge
from store.record.journal import command
from store.record.repository import first_column, json_list


@contextlib.contextmanager
def without_forgotten_words(connection: sqlite3.Connection) -> Iterator[tuple[sqlite3.Connection, int]]:
    """Yield a record without the words of forgotten memories, of which hashes stay, and the number of these memories.

    It is the record itself if there are none. Words that a memory says which is not forgotten stay.
    """
    owners = first_column(connection, "SELECT DISTINCT owner FROM memories WHERE life = 'forgotten' ORDER BY owner")
    if not owners:
        yield connection, 0
        return
    with contextlib.closing(database.scratch()) as copy:
        connection.backup(copy)
        copy.row_factory = sqlite3.Row
        yield copy, sum(purge_forgotten(copy, owner) for owner in owners)


def purge_forgotten(copy: sqlite3.Connection, owner: str) -> int:
    """Purge the forgotten memories of a copy; return their number. Equal records give equal ones."""
    forgotten = first_column(copy, "SELECT id FROM memories WHERE life = 'forgotten' AND owner = ?", owner)
    meant = json_list(purge.everyone_meant(copy, owner, forgotten))
    gone = first_column(
        copy, "SELECT id FROM memories WHERE life <> 'live' AND id IN (SELECT value FROM json_each(?))", meant
    )
    while gone:
        try:
            with command(contextlib.nullcontext(copy), owner, "purge", Actor.PERSON, "for an export") as writer:
                purge.purge(writer, gone)
                # neither the moment nor the device of an export is a part of what it holds
                copy.execute(
                    "UPDATE commands SET at = (SELECT max(at) FROM commands c WHERE c.id < ?1), device = 1"
                    " WHERE id = ?1",
                    (writer.id,),
                )
        except KeptElsewhere as error:
            (text,) = copy.execute("SELECT text FROM memories WHERE id = ?", (error.memory,)).fetchone()
            gone = [memory for memory in gone if not purge.words_of(copy, [memory]).spans(text)]
            continue
        copy.execute(
            "UPDATE events SET clock = seq + (SELECT max(e.clock - e.seq) FROM events e WHERE e.command < ?1)"
            " WHERE command = ?1",
            (writer.id,),
        )
        copy.execute("DELETE FROM devices WHERE id = ?", (writer.device,))
        copy.execute("DELETE FROM meta WHERE name IN ('place', 'device')")
        break
    return len(set(gone).intersection(forgotten))

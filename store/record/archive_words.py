"""Archives without the words of forgotten memories, which are purged from a temporary copy of the record."""

import contextlib
import sqlite3
from collections.abc import Iterator

from store.model import Actor
from store.record import database, purge
from store.record.journal import command
from store.record.repository import first_column, json_list
from store.record.text_redaction import PurgedWords

FOR_AN_EXPORT = "for an export"
"""Summary of the purge in an archive without forgotten words."""
_FORGOTTEN = "SELECT {} FROM memories WHERE life = 'forgotten' AND owner = ? ORDER BY id"
_LISTED = "(SELECT value FROM json_each(?))"


@contextlib.contextmanager
def without_forgotten_words(connection: sqlite3.Connection) -> Iterator[tuple[sqlite3.Connection, int]]:
    """Yield a copy of the record in which forgotten memories are reduced to hashes, and their number.

    Words that also occur in a memory that is not forgotten stay. Yield the record itself if nothing is forgotten.
    """
    owners = first_column(connection, "SELECT DISTINCT owner FROM memories WHERE life = 'forgotten' ORDER BY owner")
    if not owners:
        yield connection, 0
        return
    with contextlib.closing(database.scratch()) as copy:
        connection.backup(copy)
        copy.row_factory = sqlite3.Row
        for owner in owners:
            erase_forgotten(copy, owner)
        (count,) = connection.execute("SELECT count(*) FROM memories WHERE life = 'forgotten'").fetchone()
        yield copy, int(count)


def erase_forgotten(copy: sqlite3.Connection, owner: str) -> None:
    """Erase the words of forgotten memories from a copy of a record. Equal records give equal results."""
    gone = purgeable(copy, owner)
    with command(contextlib.nullcontext(copy), owner, "purge", Actor.PERSON, FOR_AN_EXPORT) as writer:
        if gone:
            purge.purge(writer, gone)
        # texts of memories that could not be purged, because another memory has a former text or quote of theirs
        texts = sorted(set(first_column(copy, _FORGOTTEN.format("text"), owner)))
        kept = holding(copy, owner, PurgedWords(texts), "life NOT IN ('forgotten', 'purged')") if texts else []
        if unsaid := [text for text in texts if not any(map(PurgedWords([text]).spans, kept))]:
            purge.erase_words(writer, PurgedWords(unsaid))
        # the time and device of the export must not affect the result
        copy.execute(
            "UPDATE commands SET device = 1, at = (SELECT max(at) FROM commands c WHERE c.id < ?1) WHERE id = ?1",
            (writer.id,),
        )
    copy.execute(
        "UPDATE events SET clock = seq + (SELECT max(e.clock - e.seq) FROM events e WHERE e.command < ?1)"
        " WHERE command = ?1",
        (writer.id,),
    )
    copy.execute("DELETE FROM devices WHERE id = ?", (writer.device,))
    copy.execute("DELETE FROM meta WHERE name IN ('place', 'device')")


def is_for_an_export(verb: str, summary: str) -> bool:
    """Return True for the purge command that an archive without forgotten words contains."""
    return verb == "purge" and summary == FOR_AN_EXPORT


def purgeable(copy: sqlite3.Connection, owner: str) -> list[int]:
    """Return the forgotten memories, with those merged into them, that share no words with any other memory."""
    forgotten = first_column(copy, _FORGOTTEN.format("id"), owner)
    targets = json_list(purge.purge_targets(copy, owner, forgotten))
    found = first_column(copy, f"SELECT id FROM memories WHERE life <> 'live' AND id IN {_LISTED}", targets)
    while True:
        others = holding(copy, owner, purge.words_of(copy, found), f"id NOT IN {_LISTED}", json_list(found))
        alone = [memory for memory in found if not any(map(purge.words_of(copy, [memory]).spans, others))]
        if alone == found:
            return found
        found = alone  # the memories left out stay, and may contain words of the rest


def holding(copy: sqlite3.Connection, owner: str, words: PurgedWords, condition: str, *parameters: object) -> list[str]:
    """Return the texts of the memories that match `condition` and contain some of these words."""
    test, more = words.sql_test("text")
    query = f"SELECT text FROM memories WHERE owner = ? AND {condition} AND {test}"
    return [text for text in first_column(copy, query, owner, *parameters, *more) if words.spans(text)]

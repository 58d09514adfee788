"""Resolve a merge that is concurrent with a purge or forget of its survivor.

The memories merged into the survivor are restored, because the person did not forget them.
"""

import sqlite3
from collections.abc import Sequence

from store.record.journal import Writer
from store.record.repository import first_column, json_list
from store.record.sync import raw
from store.record.sync.absorb import memory_item
from store.record.sync.context import FREED, PURGED, Context
from store.record.sync.names import field_of
from store.record.sync.values import Stamp

GONE = frozenset({"forgotten", "purged"})


class Merges(Context):
    """Handling of merges that are concurrent with a purge or forget, whichever is folded first."""

    def free(self, memory: int) -> None:
        """Queue a memory to be restored (`restore_merged`), unless it is to be purged itself."""
        self.pend(memory, FREED)

    def free_into(self, memory: int, other: int) -> None:
        """Free a memory that another device merged into one that was concurrently forgotten or purged here."""
        row = self.connection.execute("SELECT life FROM memories WHERE id = ?", (other,)).fetchone()
        if row is not None and (row["life"] in GONE or self.is_purged(other)):
            self.free(memory)

    def part(self, writer: Writer, memory: int, stamp: Stamp, purged: bool) -> None:
        """Free the memories that were merged into one concurrently with its forget or purge.

        Before a purge, also remove from the memory what it got from them, so that only its own words are erased.
        """
        merged = [
            number
            for number in first_column(
                self.connection,
                "SELECT DISTINCT m.id FROM versions v JOIN memories m ON m.id = v.merged_from"
                " WHERE v.memory = ? AND m.superseded_by = v.memory AND m.life = 'superseded'",
                memory,
            )
            if self.values.is_news(memory_item(self.connection, number), "superseded_by", stamp)
        ]
        for number in merged:
            self.free(number)
        if not merged or not purged:
            return
        self.reword_as_before(writer, memory, merged, stamp)
        item = memory_item(self.connection, memory)
        for table, test in (
            ("versions", "merged_from NOT NULL AND ?2 NOT NULL"),
            (
                "evidence",
                "EXISTS (SELECT 1 FROM evidence o WHERE o.memory IN (SELECT value FROM json_each(?2))"
                " AND o.message IS evidence.message AND o.start IS evidence.start AND o.end IS evidence.end"
                " AND o.reference IS evidence.reference AND (o.message NOT NULL OR o.quote = evidence.quote))",
            ),
        ):
            query = f"SELECT * FROM {table} WHERE memory = ?1 AND {test}"
            found = [
                row
                for row in self.connection.execute(query, (memory, json_list(merged))).fetchall()
                if self.values.is_news(item, field_of(table, dict(row)), stamp)
            ]
            if table == "evidence" and (alone := [row["id"] for row in found if row["message"] is None]):
                raw.drop_references(self.connection, writer.owner, frozenset(alone))
            ids = json_list(row["id"] for row in found)
            writer.delete(table, "id IN (SELECT value FROM json_each(?))", (ids,))

    def reword_as_before(self, writer: Writer, memory: int, merged: Sequence[int], stamp: Stamp) -> None:
        """Restore the former text of a memory that got the text of a merged one; empty if that text is erased."""
        if not self.values.is_news(memory_item(self.connection, memory), "text", stamp):
            return
        same = "SELECT 1 FROM memories m JOIN memories o ON o.content_key = m.content_key WHERE m.id = ? AND o.id IN"
        if self.connection.execute(f"{same} (SELECT value FROM json_each(?))", (memory, json_list(merged))).fetchone():
            former = self.connection.execute(
                "SELECT text, content_key FROM versions WHERE memory = ? AND merged_from IS NULL"
                " AND content_key NOT NULL ORDER BY at DESC, id DESC LIMIT 1",
                (memory,),
            ).fetchone()
            writer.update("memories", [memory], dict(former or {"text": "", "content_key": ""}))


def restore_merged(connection: sqlite3.Connection, writer: Writer, freed: Sequence[int]) -> None:
    """Restore memories that were merged into a memory that is forgotten, purged, or about to be."""
    gone = first_column(
        connection,
        "SELECT m.id FROM memories m JOIN memories o ON o.id = m.superseded_by WHERE m.life = 'superseded'"
        " AND (o.life IN ('forgotten', 'purged')"
        " OR EXISTS (SELECT 1 FROM sync_pending p WHERE p.memory = o.id AND p.kept & ?2))"
        " AND m.id IN (SELECT value FROM json_each(?1))",
        json_list(freed),
        PURGED,
    )
    writer.update("memories", gone, {"life": "live", "superseded_by": None})

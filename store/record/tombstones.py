"""Tombstones of forgotten memories: what they say does not come back (I5)."""

import contextlib
from collections.abc import Callable, Iterator, Sequence

from store.record import database
from store.record.hashes import hashed
from store.record.journal import Writer
from store.record.repository import Repository
from store.record.sql import json_list
from store.record.tombstone_index import Tokenizer, TombstoneIndex

_PURGED = "EXISTS (SELECT 1 FROM memories p WHERE p.id = tombstones.memory AND p.life = 'purged')"


_CHUNK = 16  # texts read at once where the first may decide


class Tombstones(Repository):
    """Reached as `Store.tombstones`."""

    def any(self) -> bool:
        """Return whether anything was forgotten that must not come back."""
        return bool(self._rows("SELECT 1 FROM tombstones WHERE owner = ? LIMIT 1", self.owner))

    def matching(self, content_key: str, purged_only: bool = False) -> int | None:
        """Return the forgotten or purged memory with this content key; with `purged_only`, only a purged one."""
        return self.blocking(hashed(self._key(), content_key), purged_only)

    def blocking(self, hashed_key: str, purged_only: bool = False) -> int | None:
        """Return the same for a content key as the record keeps it."""
        test = f" AND {_PURGED}" if purged_only else ""
        return self._id(
            f"SELECT memory FROM tombstones WHERE owner = ? AND content_key = ?{test}", self.owner, hashed_key
        )

    def purged_in(self, conversation: int) -> bool:
        """Return whether a purged memory cites a message of a conversation."""
        return bool(
            self._rows(
                "SELECT 1 FROM messages s JOIN evidence v ON v.message = s.id JOIN memories m ON m.id = v.memory"
                " WHERE s.conversation = ? AND m.life = 'purged' LIMIT 1",
                conversation,
            )
        )

    def among(self, ids: Sequence[int]) -> set[int]:
        """Return those of these memories that are forgotten and must not come back."""
        query = (
            "SELECT m.id FROM memories m WHERE m.id IN (SELECT value FROM json_each(?)) AND m.life = 'forgotten'"
            " AND EXISTS (SELECT 1 FROM tombstones t WHERE t.owner = m.owner AND t.memory = m.id)"
        )
        return set(self._ids(query, json_list(ids)))

    def texts(self, ids: Sequence[int]) -> dict[int, str]:
        """Return the texts of those of these memories that are forgotten; purged ones have none any more."""
        query = (
            "SELECT m.id, m.text FROM memories m WHERE m.id IN (SELECT value FROM json_each(?)) AND +m.owner = ?"
            " AND m.life = 'forgotten' AND EXISTS (SELECT 1 FROM tombstones t WHERE t.owner = m.owner"
            " AND t.content_key = m.content_key AND t.memory = m.id)"
        )
        return dict(self._pairs(query, json_list(ids), self.owner))

    def like(self, text: str, tokenizer: Tokenizer, share: float) -> dict[int, str]:
        """Return the forgotten texts that share at least `share` of the words of both with a text, by memory.

        Takes longer the more is similar. The index is updated first. Does not wait for other writers.
        """
        return self.texts(self._search(tokenizer, lambda index: index.sharing(text, share)))

    def mentioned_in(self, text: str, tokenizer: Tokenizer, share: float, rare: bool) -> Iterator[str]:
        """Yield the forgotten texts that a text may mention (`TombstoneIndex.mentioned_in`), read as they are used."""
        found = self._search(tokenizer, lambda index: index.mentioned_in(text, share, rare))
        for start in range(0, len(found), _CHUNK):
            yield from self.texts(found[start : start + _CHUNK]).values()

    def _search(self, tokenizer: Tokenizer, search: Callable[[TombstoneIndex], list[int]]) -> list[int]:
        self.update_index(tokenizer)
        with self._connect() as connection:
            return search(TombstoneIndex(connection, tokenizer))

    def update_index(self, tokenizer: Tokenizer) -> None:
        """Add the words of newly forgotten memories to the index; quick where there are none.

        Within a command this is undone if the command fails. Does nothing while another process writes.
        """
        with self._connect() as connection:
            index = TombstoneIndex(connection, tokenizer)
            if not index.is_stale():
                return
            held = contextlib.nullcontext(True) if connection.in_transaction else database.writing_soon(connection)
            with held as free:
                if free:
                    index.update()

    @staticmethod
    def add(writer: Writer, memories: Sequence[int]) -> None:
        """Put up a tombstone for each memory that has none."""
        rows = writer.connection.execute(
            "SELECT m.owner, m.content_key, m.id FROM memories m WHERE m.id IN (SELECT value FROM json_each(?))"
            " AND NOT EXISTS (SELECT 1 FROM tombstones t WHERE t.owner = m.owner AND t.content_key = m.content_key"
            " AND t.memory = m.id)",
            (json_list(memories),),
        ).fetchall()
        writer.insert("tombstones", ("owner", "content_key", "memory"), [tuple(row) for row in rows])

    @staticmethod
    def lift(writer: Writer, memories: Sequence[int]) -> None:
        """Remove every tombstone that keeps one of these memories from coming back; those of purged ones stay."""
        chosen = json_list(memories)
        keys = "SELECT content_key FROM memories WHERE id IN (SELECT value FROM json_each(?))"
        writer.delete(
            "tombstones",
            f"owner = ? AND NOT {_PURGED} AND (content_key IN ({keys}) OR memory IN (SELECT value FROM json_each(?)))",
            (writer.owner, chosen, chosen),
        )

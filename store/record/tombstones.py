"""Tombstones of forgotten memories, which prevent their statements from being admitted again (I5).

The words of forgotten memories are indexed as keyed hashes, to find similar texts quickly. Triggers of the schema
record added and lifted tombstones and changed texts, and the next search updates the index from these records. The
index is derived data and not journaled.
"""

import contextlib
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from math import ceil

from store.record import database, meta
from store.record.journal import Writer
from store.record.meta import hashed
from store.record.purged_texts import PurgedTexts, read_purged
from store.record.repository import Repository, first_column, json_list

_VERSION = "burials"  # in meta: version of the tokenizer of the index
_RARE = 20  # maximum forgotten memories that contain a rare word, which alone suffices for a comparison
_COMMON = 1_000  # counts of memories with a word are capped here


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """Extracts the significant words of a text. `version` must change whenever the results change."""

    version: str
    words: Callable[[str], Collection[str]]


@dataclass(frozen=True, slots=True)
class TombstoneIndex:
    """Index of the words of forgotten memories, for a tokenizer."""

    connection: sqlite3.Connection
    tokenizer: Tokenizer

    def update(self) -> None:
        """Index newly forgotten memories, or all if the tokenizer changed, in the caller's write transaction."""
        if not self.is_ours():
            self.connection.execute("DELETE FROM burials")
            self.connection.execute("INSERT OR IGNORE INTO unread_burials (memory) SELECT memory FROM tombstones")
            meta.put(self.connection, _VERSION, self.tokenizer.version.encode())
        self.connection.execute("DELETE FROM burials WHERE memory IN (SELECT memory FROM unread_burials)")
        rows = self.connection.execute(
            "SELECT m.id, m.text FROM unread_burials u JOIN memories m ON m.id = u.memory"
            " WHERE EXISTS (SELECT 1 FROM tombstones t WHERE t.memory = m.id)"
        ).fetchall()
        self.connection.executemany(
            "INSERT OR IGNORE INTO burials (mark, memory) VALUES (?, ?)",
            sorted((mark, row[0]) for row in rows for mark in self._marks(self.tokenizer.words(row[1]))),
        )
        self.connection.execute("DELETE FROM unread_burials")

    def sharing(self, text: str, share: float) -> list[int]:
        """Return the forgotten memories that share at least `share` of the words of both texts with a text.

        Memories that are not indexed yet are read and compared one by one.
        """
        words = set(self.tokenizer.words(text))
        return self._matching(
            words,
            lambda other: len(other & words) >= share * len(other | words),
            lambda marks: self._sharing(marks, share),
        )

    def mentioned_in(self, text: str, share: float, rare: bool) -> list[int]:
        """Return the forgotten memories that a text may mention.

        The text contains all words of such a memory, or the memory contains `share` of the words of the text; at least
        two words must be common. With `rare`, memories with one of the text's words are included if few forgotten
        memories contain that word.
        """
        words = set(self.tokenizer.words(text))
        least = max(2, ceil(share * len(words)))

        def fits(other: set[str]) -> bool:
            common = len(other & words)
            return (common > 1 and common == len(other)) or common >= least or (rare and common > 0)

        return self._matching(words, fits, lambda marks: self._mentioned(marks, least, rare))

    def _matching(
        self, words: set[str], fits: Callable[[set[str]], bool], indexed: Callable[[list[int]], set[int]]
    ) -> list[int]:
        """Return the memories missing from the index whose words fit, and those that `indexed` finds by its marks."""
        if not words:
            return []
        known = self.is_ours()
        rows = self.connection.execute(  # before the index
            "SELECT m.id, m.text FROM memories m WHERE m.life = 'forgotten' AND m.id IN"
            f" (SELECT memory FROM {'unread_burials' if known else 'tombstones'})"
            " AND EXISTS (SELECT 1 FROM tombstones t WHERE t.memory = m.id)"
        )
        unread = {row[0] for row in rows if fits(set(self.tokenizer.words(row[1])))}
        return sorted(unread | (indexed(self._marks(words)) if known else set()))

    def _sharing(self, marks: list[int], share: float) -> set[int]:
        """Count common words only for memories with one of the rarest words: any match must share at least one of
        those.
        """
        counts = {mark: self._count(mark) for mark in marks}
        least = ceil(share * len(marks))
        rarest = sorted(marks, key=lambda mark: (counts[mark], mark))[: len(marks) - least + 1]
        return set(
            first_column(
                self.connection,
                "SELECT memory FROM (SELECT c.memory,"
                " (SELECT count(*) FROM burials b WHERE b.memory = c.memory) AS size,"
                " (SELECT count(*) FROM burials b WHERE b.memory = c.memory"
                " AND b.mark IN (SELECT value FROM json_each(?1))) AS common"
                " FROM (SELECT DISTINCT memory FROM burials WHERE mark IN (SELECT value FROM json_each(?2))) c)"
                " WHERE common >= ?3 * (?4 + size - common)",
                json_list(marks),
                json_list(rarest),
                share,
                len(marks),
            )
        )

    def _mentioned(self, marks: list[int], least: int, rare: bool) -> set[int]:
        few = [mark for mark in marks if self._count(mark) <= _RARE] if rare else []
        return set(
            first_column(
                self.connection,
                "SELECT memory FROM (SELECT memory, count(*) AS common FROM burials"
                " WHERE mark IN (SELECT value FROM json_each(?)) GROUP BY memory HAVING common > 1) c"
                " WHERE common >= ? OR common = (SELECT count(*) FROM burials b WHERE b.memory = c.memory)"
                " UNION SELECT memory FROM burials WHERE mark IN (SELECT value FROM json_each(?))",
                json_list(marks),
                least,
                json_list(few),
            )
        )

    def is_ours(self) -> bool:
        """Return True if the index is of this tokenizer."""
        return meta.find(self.connection, _VERSION) == self.tokenizer.version.encode()

    def _count(self, mark: int) -> int:
        return int(
            self.connection.execute(
                "SELECT count(*) FROM (SELECT 1 FROM burials WHERE mark = ? LIMIT ?)", (mark, _COMMON)
            ).fetchone()[0]
        )

    def _marks(self, words: Collection[str]) -> list[int]:
        key = meta.get(self.connection, "key")
        digests = (blake2b(word.encode(errors="replace"), key=key, digest_size=8).digest() for word in words)
        return sorted({int.from_bytes(digest, "big", signed=True) for digest in digests})


_PURGED = "EXISTS (SELECT 1 FROM memories p WHERE p.id = tombstones.memory AND p.life = 'purged')"


_CHUNK = 16  # texts read at once, as the first may be enough


class Tombstones(Repository):
    """Repository of tombstones, with searches for similar texts (`Store.tombstones`)."""

    def any(self) -> bool:
        """Return True if any forgotten memory has a tombstone."""
        return bool(self._rows("SELECT 1 FROM tombstones WHERE owner = ? LIMIT 1", self.owner))

    def matching(self, content_key: str, purged_only: bool = False) -> int | None:
        """Return the forgotten or purged memory with this content key; with `purged_only`, only a purged one."""
        found = (self.blocking(hashed(key, content_key), purged_only) for key in self._keys())
        return next((memory for memory in found if memory is not None), None)

    def any_of(self, content_keys: Collection[str]) -> int | None:
        """Return the first forgotten or purged memory with any of these content keys."""
        return self._id(
            "SELECT memory FROM tombstones WHERE owner = ? AND content_key IN (SELECT value FROM json_each(?))"
            " ORDER BY memory LIMIT 1",
            self.owner,
            json_list([hashed(key, content_key) for key in self._keys() for content_key in content_keys]),
        )

    def blocking(self, hashed_key: str, purged_only: bool = False) -> int | None:
        """Return the same as `matching`, for a content key as stored."""
        test = f" AND {_PURGED}" if purged_only else ""
        return self._id(
            f"SELECT memory FROM tombstones WHERE owner = ? AND content_key = ?{test}", self.owner, hashed_key
        )

    def purged_texts(self, key_of: Callable[[str], str]) -> PurgedTexts | None:
        """Return a recognizer of purged texts, by the content keys that `key_of` returns; None if there are none."""
        with self._connect() as connection:
            return read_purged(connection, self.owner, key_of)

    def purged_in(self, conversation: int) -> bool:
        """Return True if a purged memory cites a message of a conversation."""
        return bool(
            self._rows(
                "SELECT 1 FROM messages s JOIN evidence v ON v.message = s.id JOIN memories m ON m.id = v.memory"
                " WHERE s.conversation = ? AND m.life = 'purged' LIMIT 1",
                conversation,
            )
        )

    def among(self, ids: Sequence[int]) -> set[int]:
        """Return the memories among `ids` that have a tombstone."""
        return set(
            self._ids(
                "SELECT m.id FROM memories m WHERE m.id IN (SELECT value FROM json_each(?)) AND m.life = 'forgotten'"
                " AND EXISTS (SELECT 1 FROM tombstones t WHERE t.owner = m.owner AND t.memory = m.id)",
                json_list(ids),
            )
        )

    def texts(self, ids: Sequence[int]) -> dict[int, str]:
        """Return the texts of the forgotten memories among `ids`; purged memories have none."""
        return dict(
            self._pairs(
                "SELECT m.id, m.text FROM memories m WHERE m.id IN (SELECT value FROM json_each(?)) AND +m.owner = ?"
                " AND m.life = 'forgotten' AND EXISTS (SELECT 1 FROM tombstones t WHERE t.owner = m.owner"
                " AND t.content_key = m.content_key AND t.memory = m.id)",
                json_list(ids),
                self.owner,
            )
        )

    def like(self, text: str, tokenizer: Tokenizer, share: float) -> dict[int, str]:
        """Return, by memory, the forgotten texts that share at least `share` of the words of both texts with a text.

        The index is updated first, unless another process is writing.
        """
        return self.texts(self._search(tokenizer, lambda index: index.sharing(text, share)))

    def mentioned_in(self, text: str, tokenizer: Tokenizer, share: float, rare: bool) -> Iterator[str]:
        """Yield the forgotten texts that a text may mention (`TombstoneIndex.mentioned_in`), read lazily."""
        found = self._search(tokenizer, lambda index: index.mentioned_in(text, share, rare))
        for start in range(0, len(found), _CHUNK):
            yield from self.texts(found[start : start + _CHUNK]).values()

    def _search(self, tokenizer: Tokenizer, search: Callable[[TombstoneIndex], list[int]]) -> list[int]:
        self.update_index(tokenizer)
        with self._connect() as connection:
            return search(TombstoneIndex(connection, tokenizer))

    def update_index(self, tokenizer: Tokenizer) -> None:
        """Add the words of newly forgotten memories to the index; quick if there are none.

        Within a command this is rolled back if the command fails. Does nothing while another process writes.
        """
        with self._connect() as connection:
            index = TombstoneIndex(connection, tokenizer)
            if index.is_ours() and not first_column(connection, "SELECT 1 FROM unread_burials LIMIT 1"):
                return
            held = contextlib.nullcontext(True) if connection.in_transaction else database.writing_soon(connection)
            with held as free:
                if free:
                    index.update()

    @staticmethod
    def add(writer: Writer, memories: Sequence[int]) -> None:
        """Add a tombstone for each memory without one."""
        rows = writer.connection.execute(
            "SELECT m.owner, m.content_key, m.id FROM memories m WHERE m.id IN (SELECT value FROM json_each(?))"
            " AND NOT EXISTS (SELECT 1 FROM tombstones t WHERE t.owner = m.owner AND t.content_key = m.content_key"
            " AND t.memory = m.id)",
            (json_list(memories),),
        ).fetchall()
        writer.insert("tombstones", ("owner", "content_key", "memory"), [tuple(row) for row in rows])

    @staticmethod
    def put(writer: Writer, tombstones: Iterable[tuple[str, str, int]]) -> None:
        """Add tombstones, given as (owner, hashed content key, memory), unless they exist."""
        there = "SELECT 1 FROM tombstones WHERE owner = ? AND content_key = ? AND memory = ?"
        new = [one for one in tombstones if not first_column(writer.connection, there, *one)]
        writer.insert("tombstones", ("owner", "content_key", "memory"), new)

    @staticmethod
    def renew(writer: Writer, memories: Sequence[int]) -> None:
        """Write the tombstones of memories again, so that they outlast a concurrent lift on another device."""
        test = "memory IN (SELECT value FROM json_each(?))"
        rows = writer.connection.execute(
            f"SELECT owner, content_key, memory FROM tombstones WHERE {test}", (json_list(memories),)
        ).fetchall()
        writer.delete("tombstones", test, (json_list(memories),))
        writer.insert("tombstones", ("owner", "content_key", "memory"), [tuple(row) for row in rows])

    @staticmethod
    def lift(writer: Writer, memories: Sequence[int]) -> None:
        """Remove all tombstones for the statements of these memories, except those of purged memories."""
        chosen = json_list(memories)
        keys = "SELECT content_key FROM memories WHERE id IN (SELECT value FROM json_each(?))"
        writer.delete(
            "tombstones",
            f"owner = ? AND NOT {_PURGED} AND (content_key IN ({keys}) OR memory IN (SELECT value FROM json_each(?)))",
            (writer.owner, chosen, chosen),
        )

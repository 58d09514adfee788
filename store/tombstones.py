"""Tombstones: what the person let go, so that what it says does not come back (I5)."""

from collections.abc import Sequence

from store.record import database, memories, meta, tombstone_index, tombstones
from store.record.journal import Writer
from store.repository import Repository


class Tombstones(Repository):
    """Reached as `Store.tombstones`."""

    def bury(self, writer: Writer, ids: Sequence[int]) -> None:
        """See to it that what these memories say does not come back."""
        tombstones.bury(writer, ids)

    def lift(self, writer: Writer, ids: Sequence[int]) -> None:
        """Let what these memories say come back."""
        tombstones.lift(writer, ids)

    def any(self) -> bool:
        """Whether the person let go of anything that must not come back."""
        with self._reading() as connection:
            return tombstones.any_buried(connection, self._owner)

    def saying(self, content_key: str, purged_only: bool = False) -> int | None:
        """Return the forgotten or purged memory with this content key; with `purged_only`, only a purged one."""
        with self._reading() as connection:
            hashed = memories.hashed(meta.get(connection, "key"), content_key)
            return tombstones.blocking(connection, self._owner, hashed, purged_only)

    def purged_in(self, conversation: int) -> bool:
        """Return whether something was purged that was said in a conversation."""
        with self._reading() as connection:
            return tombstones.purged_in(connection, conversation)

    def among(self, ids: Sequence[int]) -> set[int]:
        """Those of these memories that the person let go: what they say must not come back."""
        with self._reading() as connection:
            return tombstones.buried(connection, ids)

    def texts(self, ids: Sequence[int]) -> dict[int, str]:
        """What those of these memories say that the person let go; purged ones have no words any more."""
        with self._reading() as connection:
            return tombstones.buried_texts(connection, self._owner, ids)

    def like(self, text: str, reading: tombstone_index.Reading, share: float) -> dict[int, str]:
        """What the person let go that has a share of the words of both together in common with a text, by memory.

        It takes longer the more is like it. The words of what was let go since this was asked last are read first.
        Waits for no other process that writes.
        """
        self.read(reading)
        with self._reading() as connection:
            found = tombstone_index.sharing(connection, reading, text, share)
            return tombstones.buried_texts(connection, self._owner, found)

    def spoken_of(self, text: str, reading: tombstone_index.Reading, share: float, rare: bool) -> dict[int, str]:
        """Return the forgotten texts that a text may speak of (`store.record.tombstone_index.spoken_of`), by memory."""
        self.read(reading)
        with self._reading() as connection:
            found = tombstone_index.spoken_of(connection, reading, text, share, rare)
            return tombstones.buried_texts(connection, self._owner, found)

    def read(self, reading: tombstone_index.Reading) -> None:
        """Read the words of what was let go since they were read last, which is quick where nothing was.

        Within a command it is lost if the command comes to nothing. While another process writes it is left for later.
        """
        with self._reading() as connection:
            if not tombstone_index.waiting(connection, reading):
                return
            if connection.in_transaction:
                tombstone_index.catch_up(connection, reading)
            elif database.begin_soon(connection):
                database.finish(connection, lambda: tombstone_index.catch_up(connection, reading))

"""Vectors of what memories say, by the fingerprint of what embedded them. They can always be made again."""

from collections.abc import Iterator, Sequence

from store.model import Fingerprint, Life
from store.record import database, vectors
from store.record.journal import Writer
from store.repository import Repository


class Vectors(Repository):
    """Reached as `Store.vectors`. A vector is of a text: where a memory says something else since, it has none."""

    def missing(self, fingerprint: Fingerprint, limit: int, life: Life = Life.LIVE) -> list[tuple[int, str]]:
        """Live memories, or those of another life, whose text has no vector yet."""
        with self._reading() as connection:
            return vectors.missing_vectors(connection, self._owner, fingerprint, limit, life)

    def count_missing(self, fingerprint: Fingerprint) -> int:
        """How many memories, live or forgotten, have no vector of this fingerprint yet."""
        with self._reading() as connection:
            return vectors.count_missing(connection, self._owner, fingerprint)

    def blocks(
        self, fingerprint: Fingerprint, block: int = 20_000, life: Life = Life.LIVE
    ) -> Iterator[tuple[list[int], bytes]]:
        """The vectors of the live memories, or of those of another life, in blocks of ids and float32 rows."""
        with self._reading() as connection:
            yield from vectors.vectors(connection, self._owner, fingerprint, block, life)

    def of(self, memory: int, fingerprint: Fingerprint) -> bytes | None:
        """The vector of one memory's text as it is now, little-endian float32; None where there is none."""
        with self._reading() as connection:
            return vectors.vector_of(connection, self._owner, fingerprint, memory)

    def add(self, fingerprint: Fingerprint, rows: Sequence[tuple[int, str, bytes]]) -> None:
        """Keep vectors: (memory, the text that was embedded, little-endian float32)."""
        with self._reading() as connection:
            database.at_once(connection, lambda: vectors.add_vectors(connection, fingerprint, rows))

    def put(self, writer: Writer, fingerprint: Fingerprint, rows: Sequence[tuple[int, str, bytes]]) -> None:
        """Keep vectors in the writer's transaction (`add` has one of its own)."""
        vectors.add_vectors(writer.connection, fingerprint, rows)

    def spaces(self) -> list[Fingerprint]:
        """Every fingerprint there are vectors of."""
        with self._reading() as connection:
            return vectors.spaces(connection)

    def embedded_by(self) -> Fingerprint | None:
        """The fingerprint whose vectors the most memories have; None where there is no vector."""
        with self._reading() as connection:
            return vectors.fullest_space(connection)

    def drop(self, fingerprint: Fingerprint) -> None:
        """Delete the vectors of a fingerprint, in steps between which others can write. They can be made again."""
        with self._reading() as connection:
            while not database.at_once(connection, lambda: vectors.drop_some(connection, fingerprint, 5_000)):
                pass

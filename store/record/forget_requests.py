"""Passages of chats in which the person asked for something to be forgotten; only their places are stored."""

from collections.abc import Sequence

from store.model import ForgetRequest
from store.record.journal import Writer
from store.record.repository import Repository
from store.record.sql import VISIBLE
from store.record.word_variants import MASK

_WORDS = "substr(m.text, a.start + 1, a.end - a.start)"
_LEGIBLE = (  # visible, and not purged since
    " FROM asked a JOIN messages m ON m.id = a.message JOIN conversations c ON c.id = m.conversation"
    f" WHERE c.owner = ? AND {VISIBLE} AND trim({_WORDS}) <> '' AND instr({_WORDS}, '{MASK}') = 0"
)

Place = tuple[int, int, int]
"""A passage: message, start, end."""


class ForgetRequests(Repository):
    """Reached as `Store.forget_requests`."""

    def page(self, limit: int = 50) -> list[ForgetRequest]:
        """Return legible requests: those that the person has not seen first, then the last asked first."""
        rows = self._rows(
            f"SELECT a.message, a.start, a.end, a.seen, {_WORDS} AS words, m.conversation, c.title, c.source,"
            f" coalesce(m.created_at, c.created_at) AS said_at{_LEGIBLE}"
            " ORDER BY a.seen, a.message DESC, a.start LIMIT ?",
            self.owner,
            limit,
        )
        return [
            ForgetRequest(
                row["message"],
                row["start"],
                row["end"],
                " ".join(row["words"].split()).rstrip(".!"),
                bool(row["seen"]),
                row["conversation"],
                row["title"],
                row["source"],
                row["said_at"],
            )
            for row in rows
        ]

    def count_unseen(self) -> int:
        """Count the requests that the person has not seen."""
        return self._number(f"SELECT count(*){_LEGIBLE} AND NOT a.seen", self.owner)

    def mark_seen(self, places: Sequence[Place]) -> None:
        """Note that the person saw which memories these requests may mean."""
        with self._writing() as connection:
            connection.executemany("UPDATE asked SET seen = 1 WHERE message = ? AND start = ? AND end = ?", places)

    @staticmethod
    def put(writer: Writer, places: Sequence[Place]) -> None:
        """Keep the places of requests; one that is known stays as it is."""
        writer.connection.executemany("INSERT OR IGNORE INTO asked (message, start, end) VALUES (?, ?, ?)", places)

"""Repositories of distillation: progress of distillers, refused candidates, and requests to forget."""

from collections.abc import Sequence

import orjson

from store.model import Actor, ForgetRequest, Kind, Refusal
from store.record.journal import Writer
from store.record.repository import VISIBLE, Repository, first_or_not_found
from store.record.text_redaction import MASK

_JOINED = (  # the owner's visible refusals, except those quoted by a live memory: they were accepted since
    " FROM refusals r {0} messages m ON m.id = r.message {0} conversations c ON c.id = m.conversation"
    f" WHERE c.owner = ? AND {VISIBLE}"
    " AND NOT EXISTS (SELECT 1 FROM evidence v JOIN memories y ON y.id = v.memory"
    " WHERE v.message = r.message AND v.start = r.start AND v.end = r.end AND y.life = 'live')"
)
_COLUMNS = "r.message, r.start, r.end, r.reason, r.kind, r.confidence"
_LAST = 1 << 62  # greater than the id of any message
_REFUSED = _JOINED.format("JOIN")
_NEWEST_FIRST = _JOINED.format("CROSS JOIN")  # read in the order of the refusals' primary key, not by conversation


class Distillation(Repository):
    """Progress of the distillers, and the passages that their gates refused (`Store.distillation`)."""

    # Progress

    def undistilled(self, distillers: Sequence[str], imported_by: Actor | None = None) -> list[int]:
        """Return the conversations with messages that none of these distillers has read, except injected ones.

        With `imported_by`, only of that actor's imports.
        """
        return self._ids(
            "SELECT c.id FROM conversations c LEFT JOIN (SELECT conversation, max(upto) AS upto FROM distilled"
            " WHERE distiller IN (SELECT value FROM json_each(?)) GROUP BY conversation) d ON d.conversation = c.id"
            f" WHERE c.owner = ? AND EXISTS (SELECT 1 FROM messages m WHERE m.conversation = c.id"
            f" AND m.id > coalesce(d.upto, 0) AND m.channel <> 'injected' AND {VISIBLE})"
            " AND (?3 IS NULL OR EXISTS (SELECT 1 FROM segments g JOIN commands k ON k.id = g.batch AND k.actor = ?3"
            " WHERE g.conversation = c.id)) ORDER BY c.created_at, c.id",
            orjson.dumps(list(distillers)).decode(),
            self.owner,
            imported_by,
        )

    def upto(self, conversation: int, distillers: Sequence[str]) -> int:
        """Return the last message of a conversation that any of these distillers has read, or 0."""
        return self._number(
            "SELECT coalesce(max(upto), 0) FROM distilled WHERE conversation = ?"
            " AND distiller IN (SELECT value FROM json_each(?))",
            conversation,
            orjson.dumps(list(distillers)).decode(),
        )

    @staticmethod
    def mark(writer: Writer, conversation: int, distiller: str, upto: int) -> None:
        """Store the last message of a conversation that a distiller has read."""
        writer.delete("distilled", "conversation = ? AND distiller = ?", (conversation, distiller))
        writer.insert("distilled", ("conversation", "distiller", "upto"), [(conversation, distiller, upto)])

    @staticmethod
    def unmark(writer: Writer, distiller: str) -> None:
        """Delete a distiller's progress, so that it rereads everything of the writer's owner."""
        writer.delete(
            "distilled",
            "distiller = ? AND conversation IN (SELECT id FROM conversations WHERE owner = ?)",
            (distiller, writer.owner),
        )

    # Refusals

    def refusals(self, conversation: int | None = None) -> list[Refusal]:
        """Return the refusals of a conversation, or all, that were not accepted since, in reading order."""
        where = "" if conversation is None else " AND m.conversation = ?"
        return self._refusals(
            f"SELECT {_COLUMNS}{_REFUSED}{where} ORDER BY m.conversation, m.id, r.start",
            *([] if conversation is None else [conversation]),
        )

    def refusal(self, message: int, start: int, end: int) -> Refusal:
        """Return the refused passage at a place. Raises NotFound, also if it was accepted since."""
        query = f"SELECT {_COLUMNS}{_REFUSED} AND r.message = ? AND r.start = ? AND r.end = ?"
        missing = f"there is no refused passage at {message}:{start}-{end}; `curator refused` lists them"
        return first_or_not_found(self._refusals(query, message, start, end), missing)

    def refused(
        self, reason: str | None = None, after: tuple[int, int, int] | None = None, limit: int = 50
    ) -> list[Refusal]:
        """Return a page of refusals, for one reason or any: newest message first, each in reading order.

        `after` is (message, start, end) of the last one of the previous page. Takes milliseconds for any number of
        refusals, but a fraction of a second for a reason that is rare among a million.
        """
        return self._refusals(
            f"SELECT {_COLUMNS}{_NEWEST_FIRST} AND (?2 IS NULL OR r.reason = ?2) AND r.message <= ?3"
            " AND (r.message < ?3 OR (r.start, r.end) > (?4, ?5)) ORDER BY r.message DESC, r.start, r.end LIMIT ?6",
            reason,
            *(after or (_LAST, 0, 0)),
            limit,
        )

    def _refusals(self, query: str, *parameters: object) -> list[Refusal]:
        return [
            Refusal(message, start, end, reason, kind and Kind(kind), confidence)
            for message, start, end, reason, kind, confidence in self._rows(query, self.owner, *parameters)
        ]

    def refused_counts(self) -> list[tuple[str, int]]:
        """Count the refusals of each reason, highest first. Reads them all."""
        return self._pairs(
            f"SELECT r.reason, count(*) AS n{_NEWEST_FIRST} GROUP BY r.reason ORDER BY n DESC, r.reason", self.owner
        )

    def refused_counts_by_import(self) -> list[tuple[int, str, int]]:
        """Count the refusals of each import (command, reason, count), highest first. Reads them all."""
        return self._all(
            lambda row: (row[0], row[1], row[2]),
            f"SELECT m.batch, r.reason, count(*) AS n{_NEWEST_FIRST} GROUP BY m.batch, r.reason"
            " ORDER BY n DESC, r.reason",
            self.owner,
        )

    @staticmethod
    def put_refusals(writer: Writer, distiller: str, refusals: Sequence[Refusal]) -> None:
        """Store the refusals of a distiller's gates; a passage refused by several distillers keeps the last one's."""
        writer.connection.executemany(
            "DELETE FROM refusals WHERE message = ? AND start = ? AND end = ?",
            ((r.message, r.start, r.end) for r in refusals),
        )
        writer.connection.executemany(
            "INSERT OR REPLACE INTO refusals (message, start, end, distiller, reason, kind, confidence)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            ((r.message, r.start, r.end, distiller, r.reason, r.kind, r.confidence) for r in refusals),
        )

    @staticmethod
    def drop_refusals(writer: Writer, conversation: int, reason: str) -> None:
        """Delete the refusals of one reason in a conversation that is reread."""
        writer.connection.execute(
            "DELETE FROM refusals WHERE reason = ? AND message IN (SELECT id FROM messages WHERE conversation = ?)",
            (reason, conversation),
        )


_WORDS = "substr(m.text, a.start + 1, a.end - a.start)"
_LEGIBLE = (  # visible requests without masked words
    " FROM asked a JOIN messages m ON m.id = a.message JOIN conversations c ON c.id = m.conversation"
    f" WHERE c.owner = ? AND {VISIBLE} AND trim({_WORDS}) <> '' AND instr({_WORDS}, '{MASK}') = 0"
)

Place = tuple[int, int, int]
"""A passage: message, start, end."""


class ForgetRequests(Repository):
    """Passages in which the person asks for something to be forgotten (`Store.forget_requests`)."""

    def page(self, limit: int = 50) -> list[ForgetRequest]:
        """Return legible requests: unseen ones first, then the latest first."""
        return [
            ForgetRequest(message, start, end, " ".join(words.split()).rstrip(".!"), bool(seen), *said)
            for message, start, end, words, seen, *said in self._rows(
                f"SELECT a.message, a.start, a.end, {_WORDS}, a.seen, m.conversation, c.title, c.source,"
                f" coalesce(m.created_at, c.created_at){_LEGIBLE}"
                " ORDER BY a.seen, coalesce(m.created_at, c.created_at) DESC, a.message DESC, a.start LIMIT ?",
                self.owner,
                limit,
            )
        ]

    def count_unseen(self) -> int:
        """Count the requests that the person has not seen."""
        return self._number(f"SELECT count(*){_LEGIBLE} AND NOT a.seen", self.owner)

    def mark_seen(self, places: Sequence[Place]) -> None:
        """Record that the person saw the memories that match these requests."""
        with self._writing() as connection:
            connection.executemany("UPDATE asked SET seen = 1 WHERE message = ? AND start = ? AND end = ?", places)

    @staticmethod
    def put(writer: Writer, places: Sequence[Place]) -> None:
        """Store the places of requests; known ones stay unchanged."""
        writer.connection.executemany("INSERT OR IGNORE INTO asked (message, start, end) VALUES (?, ?, ?)", places)

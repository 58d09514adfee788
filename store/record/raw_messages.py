"""The raw layer: imported conversations and their messages, which is append-only."""

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import chain

from store import uids
from store.model import Channel, Conversation, Evidence, FileMark, ImportCounts, Message, NewConversation, Role
from store.record import meta
from store.record.distillation import Distillation
from store.record.journal import Writer
from store.record.meta import hashed, idents
from store.record.purged_texts import PurgedTexts
from store.record.repository import LIKE, VISIBLE, Repository, escape_like, first_or_not_found, json_list
from store.record.text_redaction import covered_passages
from store.sanitize import storable

_PARTS = (8, 32, 128, 500)  # messages looked up by one statement
_WANTED = (  # `ident IN (…)` would sort them first
    "WITH wanted (ident) AS (VALUES {}) SELECT ident, conversation, batch FROM wanted CROSS JOIN messages USING (ident)"
)
_TOGETHER = (32, 8, 1)  # messages stored by one statement: with 32, each takes 2 us instead of 3
_INSERT = (  # OR FAIL: else SQLite copies pages first, to undo the statement alone; an error undoes the whole command
    "INSERT OR FAIL INTO messages (conversation, batch, ordinal, ident, role, channel, text, external_id, created_at,"
    " active, hidden) VALUES "
)
_COLUMNS = 9  # that differ between the messages of a conversation
_NAMES = {one: one.value for one in (*Role, *Channel)}
"""Roles and channels as plain strings, because `sqlite3` searches for an adapter of an enum member, which is slow."""
_OPENING = 80  # maximum characters of the first message that replace a missing title
_SEEN = "EXISTS (SELECT 1 FROM segments s WHERE s.conversation = c.id)"  # a segment has messages
_MESSAGES = (
    "SELECT m.id, m.conversation, m.ordinal, m.role, m.channel, m.text, m.external_id, m.created_at, m.active,"
    " m.hidden, m.ident FROM messages m JOIN conversations c ON c.id = m.conversation AND c.owner = ?1"
)


@cache
def _insert(size: int) -> str:
    """Return the statement that stores this many messages, whose conversation and batch are given once."""
    own = (range(first, first + _COLUMNS) for first in range(3, 3 + size * _COLUMNS, _COLUMNS))
    return _INSERT + ", ".join(f"(?1, ?2, {', '.join(f'?{number}' for number in numbers)})" for numbers in own)


def _message(row: sqlite3.Row) -> Message:
    return Message(
        id=row["id"],
        conversation=row["conversation"],
        ordinal=row["ordinal"],
        role=Role(row["role"]),
        channel=Channel(row["channel"]),
        text=row["text"],
        external_id=row["external_id"],
        created_at=row["created_at"],
        active=bool(row["active"]),
        hidden=bool(row["hidden"]),
        ident=row["ident"],
    )


class Raw(Repository):
    """Imported conversations and their messages, except those hidden by an undo (`Store.raw`)."""

    # Conversations

    def conversation_ids(self, source: str | None = None, words: str = "") -> list[int]:
        """Return the visible conversations, newest first: of one source or any, with all of `words` in the title."""
        patterns = [f"%{escape_like(word)}%" for word in words.split()]
        titles = f" AND c.title {LIKE}" * len(patterns)
        return self._ids(
            f"SELECT c.id FROM conversations c WHERE c.owner = ?1 AND (?2 IS NULL OR c.source = ?2) AND {_SEEN}{titles}"
            " ORDER BY c.created_at DESC, c.id DESC",
            self.owner,
            source,
            *patterns,
        )

    def get_conversations(self, ids: Sequence[int] | None = None) -> list[Conversation]:
        """Return the visible ones of these conversations, in the order of `ids`, with counts.

        Without `ids`, return all, newest first, which reads every message's row.
        """
        rows = self._rows(
            f"SELECT c.*, (SELECT count(*) FROM messages m WHERE m.conversation = c.id AND {VISIBLE}) AS messages,"
            " (SELECT count(DISTINCT v.memory) FROM messages n JOIN evidence v ON v.message = n.id"
            " JOIN memories y ON y.id = v.memory AND y.life = 'live' WHERE n.conversation = c.id) AS memories,"
            f" CASE WHEN coalesce(c.title, '') = '' THEN (SELECT substr(trim(m.text), 1, {_OPENING + 1})"
            f" FROM messages m WHERE m.conversation = c.id AND {VISIBLE}"
            " AND m.role = 'user' AND m.channel = 'spoken' AND trim(m.text) <> '' ORDER BY m.id LIMIT 1)"
            " END AS opening"
            " FROM json_each(?) w CROSS JOIN conversations c ON c.id = w.value"
            f" WHERE c.owner = ? AND {_SEEN} ORDER BY w.key",
            json_list(self.conversation_ids() if ids is None else ids),
            self.owner,
        )
        return [
            Conversation(
                id=row["id"],
                source=row["source"],
                external_id=row["external_id"],
                title=row["title"],
                created_at=row["created_at"],
                project=row["project"],
                agent=bool(row["agent"]),
                messages=row["messages"],
                memories=row["memories"],
                ident=row["ident"],
                opening=text
                if (text := row["opening"]) is None or len(text) <= _OPENING
                else f"{text[:_OPENING].rstrip()}…",
            )
            for row in rows
        ]

    def conversation(self, conversation: int) -> Conversation:
        """Return one visible conversation. Raises NotFound."""
        return first_or_not_found(self.get_conversations([conversation]), f"there is no conversation {conversation}")

    def agent_session(self, external_id: str) -> int | None:
        """Return the visible conversation of a coding agent's session, or None."""
        query = f"SELECT c.id FROM conversations c WHERE c.owner = ? AND c.agent AND c.external_id = ? AND {_SEEN}"
        return self._id(query, self.owner, external_id)

    def last_agent_session(self, project: str, but: int | None) -> int | None:
        """Return the session of a project that was imported last, other than one, or None."""
        return self._id(
            "SELECT c.id FROM conversations c JOIN segments s ON s.conversation = c.id WHERE c.owner = ? AND c.agent"
            " AND c.project = ? AND c.id IS NOT ? AND c.source <> 'agent' GROUP BY c.id"
            " ORDER BY max(s.batch) DESC, c.created_at DESC, c.id DESC LIMIT 1",
            self.owner,
            project,
            but,
        )

    def conversation_counts(self) -> list[tuple[str, int]]:
        """Count the visible conversations of each source, highest first."""
        return self._pairs(
            f"SELECT c.source, count(*) AS n FROM conversations c WHERE c.owner = ? AND {_SEEN}"
            " GROUP BY c.source ORDER BY n DESC, c.source",
            self.owner,
        )

    def logs_before(self, moment: int) -> list[tuple[int, int]]:
        """Return visible conversations imported before a time that still have text, with that time, oldest first."""
        return self._pairs(
            "SELECT c.id, max(k.at) AS at FROM conversations c JOIN segments s ON s.conversation = c.id"
            " JOIN commands k ON k.id = s.batch WHERE c.owner = ? GROUP BY c.id HAVING max(k.at) < ?"
            " AND EXISTS (SELECT 1 FROM messages m WHERE m.conversation = c.id AND m.text <> '') ORDER BY at, c.id",
            self.owner,
            moment,
        )

    # Messages

    def messages(self, conversation: int, last: int = -1) -> list[Message]:
        """Return the visible messages of a conversation, in order, or the `last` ones of them."""
        query = f"{_MESSAGES} WHERE m.conversation = ?2 AND {VISIBLE} ORDER BY m.id DESC LIMIT ?3"
        return self._all(_message, query, self.owner, conversation, last)[::-1]

    def message(self, message: int) -> Message:
        """Return one visible message. Raises NotFound."""
        return first_or_not_found(self.visible_messages([message]).values(), f"there is no message {message}")

    def by_uid(self, uid: str) -> tuple[str, int]:
        """Return the type of a global id, "conversation" or "message", and its number. Raises NotFound, ValueError."""
        idents = uids.idents(uid)
        marks = ", ".join(f"?{number}" for number in range(2, 2 + len(idents)))
        found = self._pairs(
            f"SELECT 'message', m.id FROM messages m JOIN conversations c ON c.id = m.conversation AND c.owner = ?1"
            f" WHERE m.ident IN ({marks}) UNION ALL SELECT 'conversation', id FROM conversations"
            f" WHERE owner = ?1 AND ident IN ({marks})",
            self.owner,
            *idents,
        )
        return first_or_not_found(found, f"there is no conversation or message {uid}")

    def visible_messages(self, ids: Sequence[int], project: str | None = None) -> dict[int, Message]:
        """Return the visible ones of the messages, by id; with `project`, only in its conversations."""
        return {
            row["id"]: _message(row)
            for row in self._rows(
                f"{_MESSAGES} WHERE m.id IN (SELECT value FROM json_each(?2)) AND {VISIBLE}"
                " AND (?3 IS NULL OR c.project = ?3)",
                self.owner,
                json_list(ids),
                project,
            )
        }

    def messages_with(self, phrase: str, limit: int, project: str | None) -> list[int]:
        """Return the visible messages with the words of a phrase in this order, the newest first: a scan."""
        return self._ids(
            f"SELECT id FROM ({_MESSAGES} WHERE m.text LIKE ?2 ESCAPE '!' AND {VISIBLE}"
            " AND (?3 IS NULL OR c.project = ?3) ORDER BY m.id DESC LIMIT ?4)",
            self.owner,
            f"%{'%'.join(map(escape_like, phrase.split()))}%",
            project,
            limit,
        )

    def around(self, message: int, before: int = 2, after: int = 2) -> list[Message]:
        """Return a message and the spoken ones around it, on its conversation's active branch. Raises NotFound."""
        centre = self.message(message)
        side = f"{_MESSAGES} WHERE m.conversation = ?2 AND m.channel = 'spoken' AND m.active AND {VISIBLE} AND m.id"
        parameters = (self.owner, centre.conversation, message)
        earlier = self._rows(f"{side} < ?3 ORDER BY m.id DESC LIMIT ?4", *parameters, before)
        later = self._rows(f"{side} > ?3 ORDER BY m.id LIMIT ?4", *parameters, after)
        return [*map(_message, reversed(earlier)), centre, *map(_message, later)]

    def messages_since(self, after: int, limit: int) -> list[Message]:
        """Return messages with a greater id, including hidden ones, in order of id: for updates of the index."""
        return self._all(_message, f"{_MESSAGES} WHERE m.id > ?2 ORDER BY m.id LIMIT ?3", self.owner, after, limit)

    def find_messages(self, references: Sequence[str]) -> dict[str, tuple[int, str]]:
        """Return messages (id, text) by their external ids."""
        return {
            reference: (message, text)
            for reference, message, text in self._rows(
                "SELECT m.external_id, m.id, m.text FROM messages m JOIN conversations c ON c.id = m.conversation"
                " AND c.owner = ? WHERE m.external_id IN (SELECT value FROM json_each(?))",
                self.owner,
                json_list(references),
            )
        }

    def quotes(self, conversation: int) -> list[Evidence]:
        """Return the quotes from a conversation, in any state of their memories, in reading order."""
        return self._all(
            lambda row: Evidence(**dict(row)),
            "SELECT v.id, v.memory, v.quote, v.start, v.end, m.id AS message, m.conversation,"
            " m.external_id AS reference, c.source, c.title, coalesce(m.created_at, c.created_at) AS said_at"
            " FROM messages m JOIN evidence v ON v.message = m.id"
            " JOIN memories y ON y.id = v.memory AND +y.owner = ?"
            f" JOIN conversations c ON c.id = m.conversation WHERE m.conversation = ? AND {VISIBLE}"
            " ORDER BY m.id, v.start, v.end, v.id",
            self.owner,
            conversation,
        )

    # Import

    @staticmethod
    def put_conversation(
        writer: Writer, conversation: NewConversation, reveal: bool = True, purged: PurgedTexts | None = None
    ) -> ImportCounts:
        """Store new parts of a conversation; with `reveal`, show parts hidden by an undo again. Idempotent.

        What they say of `purged` is covered.
        """
        raw = Raw.on(writer.connection, writer.owner)
        own, marks = raw._idents(conversation)
        counts, known, number = raw._compare(own, marks, reveal)
        added = [(marks[n], conversation.messages[n]) for n in counts.fresh if n not in known]
        title, texts = conversation.title, [message.text for _, message in added]
        if purged is not None and added:
            said, (title, texts) = texts, purged.cover(title, texts)
            counts = replace(counts, covered=sum(map(covered_passages, texts)) - sum(map(covered_passages, said)))
        first = 0
        if number is None:
            number = raw._put_row(writer, own, conversation, title)
        else:  # ids and ordinals only grow; the greatest ordinal would be looked for in all rows
            last = "SELECT ordinal + 1 FROM messages WHERE conversation = ? ORDER BY id DESC LIMIT 1"
            first = raw._number(last, number)
        for batch in sorted({known[n] for n in counts.fresh if n in known}):
            writer.insert("segments", ("conversation", "batch"), [batch])
            raw._read_again(writer, *batch)
        if not added:
            return counts
        rows = [
            (
                ordinal,
                mark,
                _NAMES[role],
                _NAMES[channel],
                storable(text),
                storable(external_id),
                created_at,
                1 if active else 0,
                1 if hidden else 0,
            )  # unpacking a named tuple takes half as long as naming its fields
            for ordinal, ((mark, (_, role, _, channel, external_id, created_at, active, hidden, _)), text) in enumerate(
                zip(added, texts, strict=True), first
            )
        ]
        at = 0
        for size in _TOGETHER:
            end = at + (len(rows) - at) // size * size
            sets = ((number, writer.id, *chain.from_iterable(rows[n : n + size])) for n in range(at, end, size))
            writer.connection.executemany(_insert(size), sets)
            at = end
        if not raw._is_visible(number, writer.id):
            writer.insert("segments", ("conversation", "batch"), [(number, writer.id)])
        return counts

    @staticmethod
    def find_identity(writer: Writer, identity: str) -> int:
        """Return the message with an identity that an importer assigned. Raises NotFound."""
        raw = Raw.on(writer.connection, writer.owner)
        mark = raw._known("messages", [identity], raw._keys())[0]
        found = raw._ids("SELECT id FROM messages WHERE ident = ?", mark)
        return first_or_not_found(found, "there is no such message")

    def peek_conversation(self, conversation: NewConversation) -> ImportCounts:
        """Return the counts of what `put_conversation` would store."""
        return self._compare(*self._idents(conversation), reveal=True)[0]

    def _idents(self, conversation: NewConversation) -> tuple[bytes, list[bytes]]:
        """Return the hashes of a conversation and of its messages."""
        keys, messages = self._keys(), [message.identity for message in conversation.messages]
        return self._known("conversations", [conversation.identity], keys)[0], self._known("messages", messages, keys)

    def _known(self, table: str, identities: Sequence[str], keys: Sequence[bytes]) -> list[bytes]:
        """Return the hashes of identities, with a former key for those that a stored row has under it."""
        first, *former = keys
        found = idents(first, self.owner, identities)
        for key in former:
            others = idents(key, self.owner, identities)
            there: set[bytes] = set()
            for start in range(0, len(others), _PARTS[-1]):
                part = others[start : start + _PARTS[-1]]
                query = f"SELECT ident FROM {table} WHERE ident IN ({', '.join('?' * len(part))})"
                there.update(row[0] for row in self._rows(query, *part))
            found = [other if other in there else present for present, other in zip(found, others, strict=True)]
        return found

    def _compare(
        self, own: bytes, marks: Sequence[bytes], reveal: bool
    ) -> tuple[ImportCounts, dict[int, tuple[int, int]], int | None]:
        """Return the new parts of a conversation, the place (conversation, batch) of each known message, and its id."""
        rows: list[sqlite3.Row] = []
        for start in range(0, len(marks), _PARTS[-1]):
            part = marks[start : start + _PARTS[-1]]
            size = next(size for size in _PARTS if len(part) <= size)  # few statements, which SQLite keeps prepared
            query = _WANTED.format(", ".join(["(?)"] * size))
            rows += self._rows(query, *part, *[part[-1]] * (size - len(part)))
        stored = {mark: (number, batch) for mark, number, batch in rows}
        visible = {place: self._is_visible(*place) for place in set(stored.values())}
        first = dict(zip(reversed(marks), reversed(range(len(marks))), strict=True))  # of a repeated one, the first
        known = {n: stored[mark] for mark, n in first.items() if mark in stored}
        fresh = tuple(sorted(n for n in first.values() if n not in known or (reveal and not visible[known[n]])))
        there = self._row(f"SELECT c.id, {_SEEN} FROM conversations c WHERE c.ident = ?", own)
        new = bool(fresh) and not (there and there[1])
        counts = ImportCounts(new=new, grown=bool(fresh) and not new, fresh=fresh)
        return counts, known, None if there is None else int(there[0])

    def _is_visible(self, conversation: int, batch: int) -> bool:
        return bool(self._rows("SELECT 1 FROM segments WHERE conversation = ? AND batch = ?", conversation, batch))

    def _put_row(self, writer: Writer, own: bytes, conversation: NewConversation, title: str | None) -> int:
        """Store a conversation with a title, and return its id."""
        cursor = writer.connection.execute(
            "INSERT INTO conversations (owner, ident, source, external_id, title, created_at, project, agent)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                writer.owner,
                own,
                conversation.source,
                storable(conversation.external_id),
                storable(title),
                conversation.created_at,
                storable(conversation.project),
                conversation.agent,
            ),
        )
        return int(cursor.lastrowid or 0)

    def _read_again(self, writer: Writer, conversation: int, batch: int) -> None:
        """Reset the marks of distillers and sweeps that passed part of a conversation while it was hidden."""
        first = self._number("SELECT min(id) FROM messages WHERE conversation = ? AND batch = ?", conversation, batch)
        for row in self._rows(
            "SELECT distiller FROM distilled WHERE conversation = ? AND upto >= ?", conversation, first
        ):
            Distillation.mark(writer, conversation, row[0], first - 1)
        writer.connection.execute(
            "UPDATE swept SET upto = ? WHERE item = ? AND upto >= ?", (first - 1, conversation, first)
        )

    # Log files

    def has_file_marks(self) -> bool:
        """Return True if any log file has a reading position."""
        return bool(self._rows("SELECT 1 FROM files WHERE owner = ? LIMIT 1", self.owner))

    def file_mark(self, path: str) -> FileMark | None:
        """Return the reading position in a growing log file, by the keyed hash of its path or an older plain path."""
        with self._connect() as connection:
            row = connection.execute(
                "SELECT * FROM files WHERE owner = ?1 AND path IN (?2, ?3) ORDER BY path = ?3",
                (self.owner, hashed(meta.get(connection, "key"), path), path),
            ).fetchone()
        return None if row is None else FileMark(path, row["size"], row["digest"], row["conversations"])

    @staticmethod
    def put_file_mark(writer: Writer, mark: FileMark) -> None:
        """Store the reading position in a growing log file. Positions only save time; undoing an import deletes all."""
        writer.connection.execute("DELETE FROM files WHERE owner = ? AND path = ?", (writer.owner, mark.path))
        writer.connection.execute(
            "INSERT OR REPLACE INTO files (owner, path, size, digest, conversations) VALUES (?, ?, ?, ?, ?)",
            (writer.owner, hashed(writer.key, mark.path), mark.size, mark.digest, mark.conversations),
        )

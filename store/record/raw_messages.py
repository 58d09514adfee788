"""Import of conversations into the raw layer, which is append-only."""

from store.model import FileMark, ImportCounts, NewConversation
from store.record.conversations import Conversations
from store.record.distillation import Distillation
from store.record.hashes import hashed, ident
from store.record.journal import Writer
from store.sanitize import storable


class Raw(Conversations):
    """Reached as `Store.raw`."""

    @staticmethod
    def put_conversation(writer: Writer, conversation: NewConversation, reveal: bool = True) -> ImportCounts:
        """Store what is new of a conversation, and show again what an undo had hidden if `reveal`. Idempotent."""
        raw = Raw.on(writer.connection, writer.owner)
        counts, known = raw._compare(writer.key, conversation, reveal)
        number = raw._put_row(writer, conversation)
        for place in sorted({known[n] for n in counts.fresh if n in known}):
            writer.insert("segments", ("conversation", "batch"), [place])
            raw._read_again(writer, *place)
        added = [conversation.messages[n] for n in counts.fresh if n not in known]
        if not added:
            return counts
        first = raw._number("SELECT coalesce(max(ordinal) + 1, 0) FROM messages WHERE conversation = ?", number)
        writer.connection.executemany(
            "INSERT INTO messages (conversation, batch, ordinal, ident, role, channel, text, external_id, created_at,"
            " active, hidden) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (
                    number,
                    writer.id,
                    ordinal,
                    ident(writer.key, writer.owner, message.identity),
                    message.role,
                    message.channel,
                    storable(message.text),
                    storable(message.external_id),
                    message.created_at,
                    message.active,
                    message.hidden,
                )
                for ordinal, message in enumerate(added, first)
            ),
        )
        if not raw._is_visible(number, writer.id):
            writer.insert("segments", ("conversation", "batch"), [(number, writer.id)])
        return counts

    def peek_conversation(self, conversation: NewConversation) -> ImportCounts:
        """Return what `put_conversation` would store."""
        return self._compare(self._key(), conversation, reveal=True)[0]

    def _compare(
        self, key: bytes, conversation: NewConversation, reveal: bool
    ) -> tuple[ImportCounts, dict[int, tuple[int, int]]]:
        """Return what is new in a conversation, and where (conversation, batch) each known message of it is."""
        idents = [ident(key, self.owner, message.identity) for message in conversation.messages]
        stored: dict[bytes, tuple[int, int]] = {}
        for start in range(0, len(idents), 500):
            part = idents[start : start + 500]
            marks = ", ".join("?" * len(part))
            rows = self._rows(f"SELECT ident, conversation, batch FROM messages WHERE ident IN ({marks})", *part)
            stored |= {row["ident"]: (row["conversation"], row["batch"]) for row in rows}
        visible = {place: self._is_visible(*place) for place in set(stored.values())}
        first: dict[bytes, int] = {}
        for n, mark in enumerate(idents):
            first.setdefault(mark, n)
        known = {n: stored[mark] for mark, n in first.items() if mark in stored}
        fresh = tuple(n for n in first.values() if n not in known or (reveal and not visible[known[n]]))
        seen = self._rows(
            "SELECT 1 FROM conversations c JOIN segments s ON s.conversation = c.id WHERE c.ident = ? LIMIT 1",
            ident(key, self.owner, conversation.identity),
        )
        new = bool(fresh) and not seen
        return ImportCounts(new=new, grown=bool(fresh) and not new, fresh=fresh), known

    def _is_visible(self, conversation: int, batch: int) -> bool:
        return bool(self._rows("SELECT 1 FROM segments WHERE conversation = ? AND batch = ?", conversation, batch))

    def _put_row(self, writer: Writer, conversation: NewConversation) -> int:
        """Return the id of a conversation, stored if it is not known."""
        own = ident(writer.key, writer.owner, conversation.identity)
        row = self._row("SELECT id FROM conversations WHERE ident = ?", own)
        if row is not None:
            return int(row[0])
        cursor = writer.connection.execute(
            "INSERT INTO conversations (owner, ident, source, external_id, title, created_at, project, agent)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                writer.owner,
                own,
                conversation.source,
                storable(conversation.external_id),
                storable(conversation.title),
                conversation.created_at,
                storable(conversation.project),
                conversation.agent,
            ),
        )
        return int(cursor.lastrowid or 0)

    def _read_again(self, writer: Writer, conversation: int, batch: int) -> None:
        """Set back the marks of distillers and sweeps that passed a part of a conversation while it was hidden."""
        first = self._number("SELECT min(id) FROM messages WHERE conversation = ? AND batch = ?", conversation, batch)
        query = "SELECT distiller FROM distilled WHERE conversation = ? AND upto >= ?"
        for row in self._rows(query, conversation, first):
            Distillation.mark(writer, conversation, row[0], first - 1)
        writer.connection.execute(
            "UPDATE swept SET upto = ? WHERE item = ? AND upto >= ?", (first - 1, conversation, first)
        )

    # Log files

    def file_mark(self, path: str) -> FileMark | None:
        """Return how far a growing log file was read. Its path is a keyed hash; earlier versions kept it in plain."""
        row = self._row(
            "SELECT * FROM files WHERE owner = ?1 AND path IN (?2, ?3) ORDER BY path = ?3",
            self.owner,
            hashed(self._key(), path),
            path,
        )
        return None if row is None else FileMark(path, row["size"], row["digest"], row["conversations"])

    @staticmethod
    def put_file_mark(writer: Writer, mark: FileMark) -> None:
        """Note how far a growing log file was read. Marks only save time: any undo of an import drops them all."""
        writer.connection.execute("DELETE FROM files WHERE owner = ? AND path = ?", (writer.owner, mark.path))
        writer.connection.execute(
            "INSERT OR REPLACE INTO files (owner, path, size, digest, conversations) VALUES (?, ?, ?, ?, ?)",
            (writer.owner, hashed(writer.key, mark.path), mark.size, mark.digest, mark.conversations),
        )

"""The raw layer: conversations and messages as they were imported."""

from collections.abc import Sequence

from store.errors import NotFound
from store.model import Conversation, Evidence, FileMark, ImportCounts, Message, NewConversation
from store.record import conversations, lifecycle_rows, meta, raw_messages
from store.record.journal import Writer
from store.repository import Repository


class Raw(Repository):
    """Reached as `Store.raw`. What an undo hid is not visible."""

    # Conversations

    def conversations(self) -> list[Conversation]:
        """The visible conversations, newest first, with counts: reads every message's row."""
        with self._reading() as connection:
            return conversations.conversations(
                connection, self._owner, conversations.conversation_ids(connection, self._owner, None, "")
            )

    def conversation_ids(self, source: str | None = None, words: str = "") -> list[int]:
        """The visible conversations, newest first: of one source or any, with all of some words in the title."""
        with self._reading() as connection:
            return conversations.conversation_ids(connection, self._owner, source, words)

    def get_conversations(self, ids: Sequence[int]) -> list[Conversation]:
        """The visible ones of these conversations, in the order asked, with counts."""
        with self._reading() as connection:
            return conversations.conversations(connection, self._owner, ids)

    def conversation(self, conversation: int) -> Conversation:
        """One conversation. Raises NotFound."""
        for found in self.get_conversations([conversation]):
            return found
        raise NotFound(f"there is no conversation {conversation}")

    def conversation_counts(self) -> list[tuple[str, int]]:
        """How many visible conversations there are of each source, most first."""
        with self._reading() as connection:
            return conversations.source_counts(connection, self._owner)

    def logs_before(self, moment: int) -> list[tuple[int, int]]:
        """Visible conversations that came in before a moment and still have words, with when that was."""
        with self._reading() as connection:
            return lifecycle_rows.logs_before(connection, self._owner, moment)

    def put_conversation(self, writer: Writer, conversation: NewConversation, reveal: bool = True) -> ImportCounts:
        """Store what is new of a conversation; idempotent. What an undo had hidden is shown again if `reveal`."""
        return raw_messages.put_conversation(writer, conversation, reveal)

    def peek_conversation(self, conversation: NewConversation) -> ImportCounts:
        """What `put_conversation` would do."""
        with self._reading() as connection:
            return raw_messages.peek_conversation(connection, meta.get(connection, "key"), self._owner, conversation)

    # Messages

    def messages(self, conversation: int) -> list[Message]:
        """The visible messages of a conversation, in order."""
        with self._reading() as connection:
            return raw_messages.messages(connection, self._owner, conversation)

    def message(self, message: int) -> Message:
        """One visible message. Raises NotFound."""
        with self._reading() as connection:
            return raw_messages.message(connection, self._owner, message)

    def by_uid(self, uid: str) -> tuple[str, int]:
        """Return what a global id is of, "conversation" or "message", and its number. Raises NotFound, ValueError."""
        with self._reading() as connection:
            return raw_messages.by_uid(connection, self._owner, uid)

    def visible_messages(self, ids: Sequence[int], project: str | None = None) -> dict[int, Message]:
        """Those of the messages that are visible, by id; with `project`, in its conversations."""
        with self._reading() as connection:
            return raw_messages.visible_messages(connection, self._owner, ids, project)

    def around(self, message: int, before: int = 2, after: int = 2) -> list[Message]:
        """The turns around a message, itself included."""
        with self._reading() as connection:
            return raw_messages.around(connection, self._owner, message, before, after)

    def find_messages(self, references: Sequence[str]) -> dict[str, tuple[int, str]]:
        """Messages by external id: id and text. Reads them all."""
        with self._reading() as connection:
            return raw_messages.find_messages(connection, self._owner, references)

    def quotes(self, conversation: int) -> list[Evidence]:
        """The quotes from a conversation, whatever became of their memories, in reading order."""
        with self._reading() as connection:
            return conversations.quotes(connection, self._owner, conversation)

    # Log files

    def file_mark(self, path: str) -> FileMark | None:
        """How far a growing log file was read."""
        with self._reading() as connection:
            return raw_messages.file_mark(connection, self._owner, path)

    def put_file_mark(self, writer: Writer, mark: FileMark) -> None:
        """Note how far a growing log file was read."""
        raw_messages.put_file_mark(writer, mark)

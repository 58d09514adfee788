"""What distillers did with the raw layer: how far they came, what the gates refused, what was asked and proposed."""

from collections.abc import Sequence

from store.model import Actor, Asked, Refusal, Wording
from store.record import database, forget_requests, memories, model_replies, raw_messages, refusals
from store.record.journal import Writer
from store.repository import Repository


class Distilling(Repository):
    """Reached as `Store.distillation`."""

    # How far distillers came

    def undistilled(self, distiller: str, shortest: int, imported_by: Actor | None = None) -> list[int]:
        """Return the conversations that this distiller has to read; only those that an actor imported, if given.

        A coding agent's session of fewer than `shortest` messages is among them until its messages were refused.
        """
        with self._reading() as connection:
            return raw_messages.undistilled(connection, self._owner, distiller, shortest, imported_by)

    def upto(self, conversation: int, distiller: str) -> int:
        """The last message of a conversation that this distiller has seen, 0 for none."""
        with self._reading() as connection:
            return raw_messages.distilled_upto(connection, conversation, distiller)

    def mark(self, writer: Writer, conversation: int, distiller: str, upto: int) -> None:
        """Note how far a distiller has come in a conversation."""
        raw_messages.mark_distilled(writer, conversation, distiller, upto)

    def unmark(self, writer: Writer, distiller: str) -> None:
        """Let a distiller read everything of this owner anew."""
        own = "conversation IN (SELECT id FROM conversations WHERE owner = ?)"
        writer.delete("distilled", f"distiller = ? AND {own}", (distiller, self._owner))

    # What the gates refused

    def refusals(self, conversation: int | None = None) -> list[Refusal]:
        """What the gates refused and nobody took in, in reading order."""
        with self._reading() as connection:
            return refusals.refusals(connection, self._owner, conversation)

    def refusal(self, message: int, start: int, end: int) -> Refusal:
        """The refused passage at a place. Raises NotFound, also for one that was taken in."""
        with self._reading() as connection:
            return refusals.refusal(connection, self._owner, message, start, end)

    def refused(
        self, reason: str | None = None, after: tuple[int, int, int] | None = None, limit: int = 50
    ) -> list[Refusal]:
        """A page of what was refused, for one reason or any: the message stored last first, each in reading order.

        `after` is (message, start, end) of the last one of the page before. Milliseconds, however many there are; but a
        reason that is rare among a million takes a fraction of a second.
        """
        with self._reading() as connection:
            return refusals.page(connection, self._owner, reason, after, limit)

    def refused_counts(self) -> list[tuple[str, int]]:
        """How much was refused for each reason and not taken in, most first. Reads them all."""
        with self._reading() as connection:
            return refusals.counts(connection, self._owner)

    def put_refusals(self, writer: Writer, distiller: str, rows: Sequence[Refusal]) -> None:
        """Keep what the gates refused."""
        refusals.put_refusals(writer.connection, distiller, rows)

    def drop_refusals(self, writer: Writer, conversation: int, reason: str) -> None:
        """Forget what was refused for one reason in a conversation, which is read anew."""
        refusals.drop(writer.connection, conversation, reason)

    # What the person asked in chats to be forgotten

    def asked(self, limit: int = 50) -> list[Asked]:
        """What the person asked in chats to be forgotten, as far as it is legible; what they were not shown first."""
        with self._reading() as connection:
            return forget_requests.asked(connection, self._owner, limit)

    def asked_waiting(self) -> int:
        """How many of these the person was not shown yet."""
        with self._reading() as connection:
            return forget_requests.waiting(connection, self._owner)

    def see_asked(self, places: Sequence[tuple[int, int, int]]) -> None:
        """Note that the person was shown which memories may be meant."""
        with self._reading() as connection:
            database.at_once(connection, lambda: forget_requests.see(connection, places))

    def put_asked(self, writer: Writer, places: Sequence[tuple[int, int, int]]) -> None:
        """Keep where (message, start, end) the person asked in a chat for something to be forgotten."""
        forget_requests.put(writer.connection, places)

    # Other words for what is known

    def wordings(self, memory: int) -> list[Wording]:
        """How distillers would put what a memory says, while nobody has decided on it. Raises NotFound, Forbidden."""
        with self._reading() as connection:
            memories.check_owned(connection, self._owner, [memory])
            return model_replies.wordings(connection, memory)

    def drop_wordings(self, memory: int) -> None:
        """Show other words for a memory no more. Raises NotFound, Forbidden."""
        with self._reading() as connection:
            memories.check_owned(connection, self._owner, [memory])
            model_replies.drop_wordings(connection, memory)

"""What was recalled, how useful that was, and what recall must give. Neither journaled nor state."""

from collections.abc import Mapping, Sequence

from store import clock
from store.model import Check, Recalled, Uses
from store.record import checks, database, memories, warmth
from store.record.journal import Writer
from store.repository import Repository

_SOON = 1.0  # seconds for which what is not worth waiting for waits for others who write


class Recalls(Repository):
    """Reached as `Store.recalls`."""

    # How often

    def uses(self, ids: Sequence[int]) -> dict[int, Uses]:
        """How often these memories were recalled; the owner's only, and only those that ever were."""
        with self._reading() as connection:
            return memories.uses(connection, self._owner, ids)

    def record_use(self, ids: Sequence[int]) -> None:
        """Count one recall of each memory."""
        with self._reading() as connection:
            database.at_once(
                connection,
                lambda: connection.executemany(
                    "INSERT INTO uses (memory, times, last_at) VALUES (?, 1, ?)"
                    " ON CONFLICT (memory) DO UPDATE SET times = times + 1, last_at = excluded.last_at",
                    ((memory, clock.now()) for memory in ids),
                ),
            )

    # What was recalled together, and what was said to it

    def put(self, ident: str, ids: Sequence[int]) -> None:
        """Note what was recalled together, under the id that its block shows, for feedback on it."""
        with self._reading() as connection:
            warmth.put_recall(connection, self._owner, ident, ids)

    def get(self, ident: str) -> Recalled:
        """What was recalled together, by the id that its block shows. Raises NotFound."""
        with self._reading() as connection:
            return warmth.by_ident(connection, self._owner, ident)

    def take_turn(self, ident: str, text: str) -> None:
        """Keep what was said after a recall until a sweep has scored it. Raises NotFound. Secrets must be out."""
        with self._reading() as connection:
            database.at_once(connection, lambda: warmth.put_turn(connection, self._owner, ident, text))

    def hear(self, writer: Writer, ident: str, text: str) -> bool:
        """Keep what a log says was answered to a recall, once; False for one that is not known or was told of."""
        return warmth.hear(writer.connection, self._owner, ident, text)

    # How useful it was

    def warmth(self, ids: Sequence[int]) -> dict[int, float]:
        """How useful each of these memories was when it was recalled, 0 to 1.

        It begins at 0.5, to which it drifts back by 5 % of the distance a day; the drift is computed here.
        """
        with self._reading() as connection:
            return warmth.warmth(connection, self._owner, ids, clock.now())

    def warm(self, steps: Mapping[int, float]) -> dict[int, float]:
        """Make memories warmer, or colder, by so much; returns how warm they are now."""
        with self._reading() as connection:
            return database.at_once(connection, lambda: warmth.warm(connection, self._owner, steps, clock.now()))

    def bound_warmth(self, bounds: Mapping[int, tuple[float, float]]) -> bool:
        """See that memories are as warm as the first bound at least, and as the second at most.

        False, with nothing done, where other processes were writing for a second.
        """
        with self._reading() as connection:
            if free := database.begin_soon(connection, _SOON):
                database.finish(connection, lambda: warmth.bound(connection, self._owner, bounds, clock.now()))
            return free

    def reset_warmth(self, ids: Sequence[int]) -> None:
        """Forget how warm memories were: they begin anew."""
        with self._reading() as connection:
            warmth.reset(connection, self._owner, ids)

    # What it must give

    def checks(self) -> list[Check]:
        """What recall must give for some prompts, and must not, in the order it was said."""
        with self._reading() as connection:
            return checks.checks(connection, self._owner)

    def expect(self, query: str, memory: int, wanted: bool | None) -> None:
        """Say that recall must give a memory for a prompt, or must not; None takes that back. Secrets must be out."""
        with self._reading() as connection:
            database.at_once(connection, lambda: checks.expect(connection, self._owner, query, memory, wanted))

    def drop_check(self, check: int) -> bool:
        """Let go of a check; whether there was such."""
        with self._reading() as connection:
            return database.at_once(connection, lambda: checks.drop(connection, self._owner, check))

"""Alerts: what was found about two memories, what models said of it, and what was decided."""

from collections.abc import Sequence

from store.errors import NotFound
from store.model import Alert, Judgment, Relation
from store.record import alerts, merge, model_replies
from store.record.journal import Writer
from store.repository import Repository


class Alerts(Repository):
    """Reached as `Store.alerts`. An alert is open until somebody settles it, for the texts it is about."""

    # Reading

    def get(self, alert: int) -> Alert:
        """One alert, open or not. Raises NotFound."""
        for found in self.get_many([alert]):
            return found
        raise NotFound(f"there is no alert {alert}")

    def get_many(self, ids: Sequence[int]) -> list[Alert]:
        """The owner's among these alerts, open or not, in the order asked; what is missing is left out."""
        with self._reading() as connection:
            return alerts.get_many(connection, self._owner, ids)

    def open(self, memory: int | None = None) -> list[Alert]:
        """Open alerts, of one memory or all, strongest first."""
        with self._reading() as connection:
            return alerts.alerts(connection, self._owner, memory)

    def memories(self) -> frozenset[int]:
        """The memories that open alerts are about, without making the alerts, of which there may be 70,000."""
        with self._reading() as connection:
            return alerts.alerted(connection, self._owner)

    def standing(self, ids: Sequence[int], due_by: int) -> frozenset[int]:
        """Those of these alerts that nobody has settled, and that were not put off beyond a moment."""
        with self._reading() as connection:
            return alerts.standing(connection, self._owner, ids, due_by)

    def waiting(
        self,
        relations: Sequence[Relation] = (),
        least_score: float = 0.0,
        source: str | None = None,
        due_by: int | None = None,
        limit: int | None = None,
    ) -> list[Alert]:
        """Open alerts, strongest first: of some relations, from a score on, with a memory of a source.

        Those that are unsure wait for a model first, and come only where they are asked for. With `due_by`, without
        those that were put off beyond that moment. The first of 100,000 take milliseconds.
        """
        with self._reading() as connection:
            return alerts.open_alerts(connection, self._owner, relations, least_score, source, due_by, limit)

    def settled(self) -> list[Alert]:
        """Return the alerts that were settled, the last settled first."""
        with self._reading() as connection:
            return alerts.settled_alerts(connection, self._owner)

    def counts(
        self, least_score: float = 0.0, source: str | None = None, due_by: int | None = None
    ) -> dict[Relation, int]:
        """How many open alerts there are of each relation; reads them all."""
        with self._reading() as connection:
            return alerts.counts(connection, self._owner, least_score, source, due_by)

    def unsettled(self, ids: Sequence[int]) -> dict[int, list[Alert]]:
        """The alerts of these memories that nobody has settled, whatever texts they are about, by memory."""
        with self._reading() as connection:
            return alerts.judged(connection, self._owner, ids)

    def judgments(self, alerts: Sequence[int]) -> dict[int, tuple[Judgment, ...]]:
        """What models said of these alerts, the last first; those they said nothing of are left out."""
        with self._reading() as connection:
            return model_replies.judgments(connection, self._owner, alerts)

    def decided(self, one: int, other: int) -> bool:
        """Whether the person has decided on these two live memories as a pair: took a merge back, or settled it."""
        with self._reading() as connection:
            return merge.taken_back(connection, one, other)

    # Writing

    def put(
        self,
        writer: Writer,
        a: int,
        b: int,
        relation: Relation,
        score: float,
        reasons: Sequence[str],
        *,
        judge: str = "",
        cosine: float | None = None,
        keys: tuple[str, str] | None = None,
        at: int | None = None,
    ) -> bool:
        """Keep a finding about two memories, one a pair; returns whether there is an open alert that was none before.

        What was settled is not raised again until one of the texts is another (`store.record.alerts.raise_alert`).
        """
        return alerts.raise_alert(writer, a, b, relation, score, reasons, judge=judge, cosine=cosine, keys=keys, at=at)

    def withdraw(self, writer: Writer, alert: int) -> bool:
        """Take back an open finding that its judge would not make any more (`store.record.alerts.withdraw`)."""
        return alerts.withdraw(writer, alert)

    def settle(self, writer: Writer, ids: Sequence[int], how: str) -> int:
        """Close these alerts, for what their memories say now; `how` is kept with them. Returns how many changed.

        After all else in a command: words that are changed after it would open them again.
        """
        return alerts.settle_alerts(writer, ids, how)

    def settle_between(self, writer: Writer, memories: Sequence[int], how: str) -> None:
        """Close the alerts that stand between these memories, for what they say now; `how` is kept with them."""
        alerts.settle(writer, memories, how)

    def put_off(self, writer: Writer, ids: Sequence[int], until: int | None) -> int:
        """Ask about alerts again at a time; with None, at once. Returns how many changed."""
        return alerts.put_off(writer, ids, until)

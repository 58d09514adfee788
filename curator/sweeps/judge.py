"""The sweep that asks the chat model for its opinion of open alerts. Only the person resolves them.

What the rules leave undecided becomes a conflict or a duplicate, by the model, where that is its opinion.
"""

import sqlite3

from curator.llm.client import Asker
from curator.llm.judge import VERSION, DatedText, PairJudgment, judge
from curator.services.model_servers import chat_model_name
from curator.sweeps.base import Attempt, SweepItem
from curator.sweeps.chat_sweep import ChatSweep
from store import NotFound, clock
from store.model import Actor, Alert, Judgment, Memory, Relation

_SHOWN = (Relation.DUPLICATE, Relation.UPDATE, Relation.CONTRADICTION)


class Judge(ChatSweep):
    """See `ChatSweep`."""

    name = "judge"
    version = VERSION

    @property
    def _judge(self) -> str:
        """Return the label of this judge's judgments; the model's name before the model was reached."""
        return self.made_by if self._chat is not None else f"{VERSION} {chat_model_name()}@"

    def pending(self) -> int:
        """See `BaseSweep.pending`."""
        return self._store.judgments.count_missing(VERSION, self._judge)

    def missing(self, limit: int) -> list[int]:
        """See `ChatSweep.missing`."""
        return [alert.id for alert in self._store.judgments.missing(VERSION, self._judge, limit)]

    def title(self, alert_id: int) -> str:
        """See `BaseSweep.title`."""
        alert = self._store.alerts.get_open(alert_id)
        return f"memories {alert.a} and {alert.b}"

    async def do(self, item: SweepItem, attempt: Attempt) -> None:
        """See `BaseSweep.do`. Alerts resolved or judged meanwhile are skipped."""
        found = await self._run(lambda: self._pair(item))
        if found is None:
            return
        alert, pair = found
        a, b = (DatedText(memory.text, memory.created_at) for memory in pair)

        def decide(opinion: PairJudgment) -> None:
            """Give the alert the model's relation, before its judgment is stored: a killed process asks again."""
            with self._store.command("compare", Actor.MODEL) as writer:
                self._store.sweeps.confirm(writer.connection, attempt.lease)
                if not self.still_say(pair):
                    return
                self._store.alerts.put(
                    writer,
                    alert.a,
                    alert.b,
                    opinion.relation,
                    alert.score,
                    opinion.reasons,
                    judge=self.made_by,
                    cosine=alert.cosine,
                    keys=alert.keys,
                )
                writer.summarise(f"{opinion.relation}, by {self.chat.model.name}")

        async def ask(asker: Asker) -> PairJudgment:
            opinion = await judge(asker, a, b)
            if alert.relation is Relation.UNSURE and opinion.relation in _SHOWN:
                await self._run(lambda: decide(opinion))
            return opinion

        def keep(connection: sqlite3.Connection, opinion: PairJudgment) -> bool:
            self._store.judgments.put(
                connection, Judgment(item.number, self.made_by, opinion.relation, opinion.reasons, clock.now())
            )
            return True

        await self.ask_and_store(item, attempt, ask, lambda: self.still_say(pair), keep)

    def _pair(self, item: SweepItem) -> tuple[Alert, list[Memory]] | None:
        store = self._store
        try:
            alert = store.alerts.get_open(item.number)
        except NotFound:
            self.drop_failure(item)
            return None
        if any(judgment.judge == self.made_by for judgment in store.judgments.of([alert.id]).get(alert.id, ())):
            return None
        return alert, [store.get(alert.a), store.get(alert.b)]

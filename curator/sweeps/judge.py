"""The sweep that asks the chat model for its opinion of open alerts. It closes none: that is for the person."""

from curator.llm.judge import VERSION, Judgment, Statement, judge
from curator.models.errors import CallFailed
from curator.models.ollama.types import full_name
from curator.sweeps.base import Item, Shift, Tools
from curator.sweeps.chat_sweep import Answers, ChatSweep
from store import NotFound, clock
from store.model import Failure, Memory
from store.model import Judgment as Kept


class Judge(ChatSweep):
    """See `Work`."""

    name = "judge"

    def __init__(self, tools: Tools) -> None:
        super().__init__(tools, VERSION)

    @property
    def _judge(self) -> str:
        """Return the label of this judge's judgments; before the model was reached, its name."""
        return self.made_by if self._chat is not None else f"{VERSION} {full_name(self.model())}@"

    def pending(self) -> int:
        """See `Work.pending`."""
        return self._tools.store.judgments.count_missing(VERSION, self._judge)

    def items(self, limit: int, again: bool) -> list[Item]:
        """See `Work.items`."""
        if again:
            return [Item(f"judge:{f.item}", f.item, f) for f in reversed(self.failures(limit))]
        found = self._tools.store.judgments.missing(VERSION, self._judge, limit)
        return [Item(f"judge:{alert.id}", alert.id) for alert in found]

    async def do(self, item: Item, shift: Shift) -> None:
        """See `Work.do`."""
        pair = await self._tools.run(lambda: self._pair(item))
        if pair is None:
            return
        asker, answers = self.asker()
        a, b = (Statement(memory.text, memory.created_at) for memory in pair)
        try:
            opinion = await judge(asker, a, b)
        except CallFailed as error:
            wrong = error
            await self._tools.run(lambda: self._fail(item, pair, shift, wrong))
            shift.tally.went_wrong(error)
        else:
            await self._tools.run(lambda: self._keep(item, pair, shift, answers, opinion))
            shift.tally.went_well()
        shift.step(1)

    def _pair(self, item: Item) -> tuple[Memory, Memory] | None:
        """The two memories; None if the alert was settled or judged meanwhile."""
        store = self._tools.store
        try:
            alert = store.alerts.get_open(item.number)
        except NotFound:
            if item.failure is not None:
                store.sweeps.drop_failures([item.failure.id])
            return None
        if any(known.judge == self.made_by for known in store.judgments.of([alert.id]).get(alert.id, ())):
            return None
        return store.get(alert.a), store.get(alert.b)

    def _keep(self, item: Item, pair: tuple[Memory, Memory], shift: Shift, answers: Answers, opinion: Judgment) -> None:
        store = self._tools.store
        kept = Kept(item.number, self.made_by, opinion.relation, opinion.reasons, clock.now())
        with store.sweeps.holding(shift.lease) as connection:
            if not self._unchanged(pair):
                return
            store.judgments.put(connection, kept)
            store.replies.put(connection, answers.rows())
            if item.failure is not None:
                store.sweeps.drop_failures([item.failure.id])

    def _fail(self, item: Item, pair: tuple[Memory, Memory], shift: Shift, error: CallFailed) -> None:
        store, label = self._tools.store, self.chat.model.label
        with store.sweeps.holding(shift.lease):
            if self._unchanged(pair):
                store.sweeps.put_failure(Failure(0, VERSION, item.number, 0, 0, str(error), error.reply, label, 1, 0))

    def _unchanged(self, pair: tuple[Memory, Memory]) -> bool:
        """Return whether the memories still say what the model was shown; otherwise they are judged again."""
        now = self._tools.store.get_many([memory.id for memory in pair])
        return [memory.text for memory in now] == [memory.text for memory in pair]

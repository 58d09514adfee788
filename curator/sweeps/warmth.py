"""The sweep that asks the chat model which recalled memories the turn that followed has used.

A score above 0.7 makes a memory warmer by 0.1, one below 0.3 colder by as much. Warmth lies between 0 and 1, begins at
0.5 and goes back there by itself (`store.record.warmth`).
"""

from curator.llm.score import MOST, VERSION, Scored, score
from curator.models.errors import CallFailed
from curator.sweeps.base import Item, Shift, Tools
from curator.sweeps.chat_sweep import Answers, ChatSweep
from store import NotFound
from store.model import Failure, Life, Memory, Recalled

_USED, _UNUSED = 0.7, 0.3
_STEP = 0.1


class Warmth(ChatSweep):
    """See `Work`."""

    name = "warmth"

    def __init__(self, tools: Tools) -> None:
        super().__init__(tools, VERSION)

    def pending(self) -> int:
        """See `Work.pending`."""
        return self._tools.store.recalls.count_unscored(VERSION)

    def items(self, limit: int, again: bool) -> list[Item]:
        """See `Work.items`."""
        if again:
            return [Item(f"warmth:{f.item}", f.item, f) for f in reversed(self.failures(limit))]
        found = self._tools.store.recalls.unscored(VERSION, limit)
        return [Item(f"warmth:{recalled.id}", recalled.id) for recalled in found]

    async def do(self, item: Item, shift: Shift) -> None:
        """See `Work.do`. The scores of all calls for one recall are written together."""
        read = await self._tools.run(lambda: self._read(item))
        if read is None:
            return
        recalled, memories = read
        assert recalled.turn is not None
        asker, answers = self.asker()
        scored: list[Scored] = []
        try:
            for start in range(0, len(memories), MOST):
                part = [memory.text for memory in memories[start : start + MOST]]
                scored += await score(asker, recalled.turn, part)
        except CallFailed as error:
            wrong = error
            await self._tools.run(lambda: self._fail(item, recalled, memories, shift, answers, wrong))
            shift.tally.went_wrong(error)
        else:
            await self._tools.run(lambda: self._keep(item, recalled, memories, shift, answers, scored))
            shift.tally.went_well()
        shift.step(1)

    def _read(self, item: Item) -> tuple[Recalled, list[Memory]] | None:
        """Return the recalled memories that are live; None if the recall was scored meanwhile."""
        store = self._tools.store
        try:
            recalled = store.recalls.by_number(item.number)
        except NotFound:
            recalled = None
        if recalled is None or recalled.turn is None:
            if item.failure is not None:
                store.sweeps.drop_failures([item.failure.id])
            return None
        return recalled, [memory for memory in store.get_many(recalled.memories) if memory.life is Life.LIVE]

    def _keep(
        self,
        item: Item,
        recalled: Recalled,
        memories: list[Memory],
        shift: Shift,
        answers: Answers,
        scored: list[Scored],
    ) -> None:
        store = self._tools.store
        steps = {
            memory.id: _STEP if one.value > _USED else -_STEP if one.value < _UNUSED else 0.0
            for memory, one in zip(memories, scored, strict=True)
        }
        with store.sweeps.holding(shift.lease) as connection:
            if not self._unchanged(memories) or not store.recalls.score(connection, recalled, steps):
                return
            store.replies.put(connection, answers.rows())
            if item.failure is not None:
                store.sweeps.drop_failures([item.failure.id])

    def _fail(
        self,
        item: Item,
        recalled: Recalled,
        memories: list[Memory],
        shift: Shift,
        answers: Answers,
        error: CallFailed,
    ) -> None:
        store, label = self._tools.store, self.chat.model.label
        with store.sweeps.holding(shift.lease) as connection:
            if store.recalls.by_number(recalled.id).turn != recalled.turn or not self._unchanged(memories):
                return  # purged, or told anew
            store.sweeps.put_failure(Failure(0, VERSION, item.number, 0, 0, str(error), error.reply, label, 1, 0))
            store.replies.put(connection, answers.rows())

    def _unchanged(self, memories: list[Memory]) -> bool:
        """Return whether memories still say what the model was shown: an answer may cite what was purged since."""
        now = self._tools.store.get_many([memory.id for memory in memories])
        return [memory.text for memory in now] == [memory.text for memory in memories]

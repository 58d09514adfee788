"""The sweep that asks the chat model which recalled memories the following turn used.

A score above 0.7 makes a memory warmer by 0.1, one below 0.3 colder by 0.1. Warmth is between 0 and 1, starts at 0.5
and returns there by itself (`store.record.warmth`).
"""

import sqlite3

from curator.llm.client import Asker
from curator.llm.score import MOST, VERSION, score
from curator.sweeps.base import Attempt, SweepItem
from curator.sweeps.chat_sweep import ChatSweep
from store import NotFound
from store.model import Life, Recalled

_USED, _UNUSED = 0.7, 0.3
_STEP = 0.1


class Warmth(ChatSweep):
    """See `ChatSweep`."""

    name = "warmth"
    version = VERSION

    def pending(self) -> int:
        """See `BaseSweep.pending`."""
        return self._store.recalls.count_unscored(VERSION)

    def missing(self, limit: int) -> list[int]:
        """See `ChatSweep.missing`."""
        return [recalled.id for recalled in self._store.recalls.unscored(VERSION, limit)]

    def title(self, recall_id: int) -> str:
        """See `BaseSweep.title`."""
        return f"recall {self._store.recalls.by_number(recall_id).ident}"

    async def do(self, item: SweepItem, attempt: Attempt) -> None:
        """See `BaseSweep.do`. The scores of all calls for one recall are written together."""
        store, recall_id = self._store, item.number
        recalled = await self._run(lambda: self._answered(recall_id))
        if recalled is None or (turn := recalled.turn) is None:
            await self._run(lambda: self.drop_failure(item))
            return
        given = await self._run(lambda: store.get_many(recalled.memories))
        memories = [memory for memory in given if memory.life is Life.LIVE]

        async def ask(asker: Asker) -> list[float]:
            scored: list[float] = []
            for start in range(0, len(memories), MOST):
                scored += await score(asker, turn, [memory.text for memory in memories[start : start + MOST]])
            return scored

        def unchanged() -> bool:
            return self.still_say(memories) and self._answered(recall_id) == recalled

        def keep(connection: sqlite3.Connection, scored: list[float]) -> bool:
            steps = {
                memory.id: _STEP if score > _USED else -_STEP if score < _UNUSED else 0.0
                for memory, score in zip(memories, scored, strict=True)
            }
            return store.recalls.score(connection, recalled, steps)

        await self.ask_and_store(item, attempt, ask, unchanged, keep)

    def _answered(self, recall_id: int) -> Recalled | None:
        try:
            return self._store.recalls.by_number(recall_id)
        except NotFound:
            return None

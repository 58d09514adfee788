"""Base of sweeps that use a chat model, with cached answers."""

import sqlite3
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

from curator.config import settings
from curator.llm.client import Asker
from curator.models import NO_MODEL, CallFailed, Chat, ModelMissing
from curator.sweeps.base import Attempt, BaseSweep, SweepItem, Tools
from store import Store
from store.model import Memory

T = TypeVar("T")


@dataclass(slots=True)
class Answers:
    """Cached answers, and new ones, which are written together with their results."""

    store: Store
    new: dict[bytes, tuple[str, str, str]] = field(default_factory=dict)

    def get(self, key: bytes) -> str | None:
        """See `curator.llm.client.Replies.get`."""
        row = self.new.get(key)
        return self.store.replies.get(key) if row is None else row[2]

    def put(self, key: bytes, task: str, model: str, reply: str) -> None:
        """See `curator.llm.client.Replies.put`."""
        self.new[key] = (task, model, reply)

    def write(self, connection: sqlite3.Connection) -> None:
        """Store the new answers in an open transaction."""
        self.store.replies.put(connection, [(key, *row) for key, row in self.new.items()])


class ChatSweep(BaseSweep):
    """A sweep with a chat model; `version` is the task's."""

    def __init__(self, tools: Tools) -> None:
        super().__init__(tools)
        self._chat: Chat | None = None
        self._secret = b""

    @property
    def chat(self) -> Chat:
        """The chat model. Raises ModelMissing before `open`."""
        if self._chat is None:
            raise ModelMissing(NO_MODEL)
        return self._chat

    @property
    def made_by(self) -> str:
        """Label stored with results: "extract/1 qwen3:4b@0123456789ab"."""
        return f"{self.version} {self.chat.model.label}"

    def off(self) -> str:
        """See `BaseSweep.off`."""
        return "" if settings().ollama.model else NO_MODEL

    def model(self) -> str:
        """See `BaseSweep.model`."""
        return settings().ollama.model if self._chat is None else self._chat.model.label

    def lease(self, item_id: int) -> str:
        """See `BaseSweep.lease`."""
        return f"{self.name}:{item_id}"

    def missing(self, limit: int) -> list[int]:
        """Return the numbers of the next pending items."""
        raise NotImplementedError

    def items(self, limit: int, again: bool) -> list[SweepItem]:
        """See `BaseSweep.items`."""
        if again:
            return super().items(limit, again)
        return [SweepItem(self.lease(item_id), item_id) for item_id in self.missing(limit)]

    async def open(self) -> None:
        """See `BaseSweep.open`."""
        if not self._secret:
            self._secret = await self._run(self._store.replies.secret)
        self._chat = await self._tools.models.chat()

    def asker(self) -> tuple[Asker, Answers]:
        """Return an asker, and the collection of its answers."""
        answers = Answers(self._store)
        return Asker(self.chat, answers, self._secret, self._run), answers

    async def ask_and_store(
        self,
        item: SweepItem,
        attempt: Attempt,
        ask: Callable[[Asker], Awaitable[T]],
        unchanged: Callable[[], bool],
        keep: Callable[[sqlite3.Connection, T], bool],
    ) -> None:
        """Ask about an item, then store the answer's result, or the failure.

        Nothing is stored unless the prompt's data is still `unchanged`: an answer may cite words purged since.
        """
        asker, answers = self.asker()
        wrong: CallFailed | None = None
        try:
            made = await ask(asker)
        except CallFailed as error:
            wrong = error

        def write() -> None:
            with self._store.sweeps.holding(attempt.lease) as connection:
                if not unchanged():
                    return
                if wrong is not None:
                    self.put_failure(item.number, wrong, self.chat.model.label)
                elif keep(connection, made):
                    self.drop_failure(item)
                else:
                    return
                answers.write(connection)

        await self._run(write)
        if wrong is None:
            attempt.run.record_success()
        else:
            attempt.run.record_failure(wrong)
        attempt.step(1)

    def still_say(self, memories: list[Memory]) -> bool:
        """Return True if memories still have the text shown to the model."""
        now = self._store.get_many([memory.id for memory in memories])
        return [memory.text for memory in now] == [memory.text for memory in memories]

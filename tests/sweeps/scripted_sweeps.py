"""A scripted chat model, and sweeps that use it."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from curator.models import ChatModel, Embedder, Question, Reply, load_embedder
from curator.sweeps import Sweeper, base
from store import Store
from store.model import NewConversation, NewMessage, Role

MODEL = ChatModel("scripted:1b", "0123456789abcdef", 8192)
Mind = Callable[[Question], "str | Awaitable[str]"]
_TURN = re.compile(r"<turn-\w+ (\d+),[^>]*>\n(.*?)\n</turn-", re.DOTALL)


def turns(question: Question) -> list[tuple[int, str]]:
    """Return the person's messages in a question of the extract task, with their numbers."""
    return [(int(number), text) for number, text in _TURN.findall(question.user)]


def items(*rows: dict[str, Any]) -> str:
    return json.dumps({"items": rows})


def note(number: int, quote: str, text: str | None = None, kind: str = "fact") -> dict[str, Any]:
    """Return one item of an answer to the extract task."""
    return {"turn": number, "quote": quote, "text": text or quote, "kind": kind, "confidence": "high"}


def quoting(question: Question) -> str:
    """Answer with a memory of every message, word for word up to its first full stop."""
    return items(*(note(number, text.partition(".")[0]) for number, text in turns(question)))


@dataclass
class Scripted:
    """A scripted `Chat`; `asked` are the questions in order, `dropped` is the number of cancelled ones."""

    mind: Mind
    model: ChatModel = MODEL
    asked: list[Question] = field(default_factory=list)
    dropped: int = 0

    async def ask(self, question: Question) -> Reply:
        self.asked.append(question)
        try:
            said = self.mind(question)
            text = said if isinstance(said, str) else await said
        except asyncio.CancelledError:
            self.dropped += 1
            raise
        return Reply(text, None, 0.0)


@dataclass
class Models(base.Models):
    """Models for sweeps; while `error` is set, it is raised instead of returning the chat model."""

    scripted: Scripted
    embedder: Embedder
    error: Exception | None = None
    closed: int = 0

    async def chat(self) -> Scripted:
        if self.error is not None:
            raise self.error
        return self.scripted

    def target_embedder(self) -> Embedder:
        return self.embedder

    def current_embedder(self, store: Store) -> Embedder:
        return self.embedder

    def drop(self) -> None: ...

    async def close(self) -> None:
        self.closed += 1


def models(mind: Mind = quoting) -> Models:
    """Return models that need neither a server nor weights."""
    return Models(Scripted(mind), load_embedder("hashing", Path()))


def sweeper(store: Store, given: Models, **options: Any) -> Sweeper:
    return Sweeper(store, models=given, tick=0.01, **options)


def talk(name: str, *said: str, agent: bool = False, at: int = 1_700_000_000_000_000) -> NewConversation:
    """Return a conversation in which a person says these things, each answered with a word."""
    messages = [
        message
        for number, text in enumerate(said)
        for message in (
            NewMessage(identity=f"{name}/{number}", role=Role.USER, text=text, created_at=at),
            NewMessage(identity=f"{name}/{number}/answer", role=Role.ASSISTANT, text="Noted.", created_at=at),
        )
    ]
    return NewConversation(
        identity=name, source="chatgpt", messages=tuple(messages), title=name, created_at=at, agent=agent
    )


def stored(store: Store, *talks: NewConversation) -> list[int]:
    """Import conversations in one command; return their ids in order."""
    with store.command("import") as writer:
        for one in talks:
            store.raw.put_conversation(writer, one)
    found = {one.title: one.id for one in store.raw.get_conversations()}
    return [found[one.title] for one in talks]


def texts(store: Store) -> list[str]:
    """Return the texts of all live memories, oldest first."""
    from store import Filter

    return [memory.text for memory in store.get_many(store.list_ids(Filter(), descending=False))]


async def until(check: Callable[[], Any], seconds: float = 5.0) -> None:
    """Wait until a condition holds, at most `seconds`."""
    for _ in range(round(seconds / 0.005)):
        if check():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it did not come about")


def leases(store: Store) -> int:
    """Count the leased items of running and stopped sweeps."""
    with store.sqlite() as connection:
        return int(connection.execute("SELECT count(*) FROM leases").fetchone()[0])


def standing(sweeps: Sweeper, name: str) -> Any:
    return next(one for one in sweeps.statuses() if one.name == name)


def reasons(given: Sequence[Any]) -> list[str]:
    return [one.reason for one in given]

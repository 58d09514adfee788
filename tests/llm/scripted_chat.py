"""Scripted chat models: they return the answers a test sets and record the questions they got."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from curator.llm.client import Asker
from curator.models import ChatModel, Question, Reply
from store.model import Channel, Message, Role

SAID_AT = 1_700_000_000_000_000  # Tuesday, 2023-11-14

TINY = ChatModel("tiny:1b", "0123456789abcdef", 8192)

Answer = str | Exception | Callable[[Question], str]


@dataclass
class Scripted:
    """Chat model that returns the answers in turn, and repeats the last one."""

    answers: Sequence[Answer]
    model: ChatModel = TINY
    asked: list[Question] = field(default_factory=list)

    async def ask(self, question: Question) -> Reply:
        self.asked.append(question)
        answer = self.answers[min(len(self.asked), len(self.answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        return Reply(answer if isinstance(answer, str) else answer(question), 100, 0.1)


@dataclass
class Kept:
    """In-memory cache of replies."""

    known: dict[bytes, tuple[str, str, str]] = field(default_factory=dict)

    def get(self, key: bytes) -> str | None:
        return self.known[key][2] if key in self.known else None

    def put(self, key: bytes, task: str, model: str, reply: str) -> None:
        self.known[key] = (task, model, reply)


def asker(*answers: Answer, kept: Kept | None = None) -> tuple[Asker, Scripted]:
    """Return an asker whose model gives these answers, and the model."""
    chat = Scripted(answers)
    return Asker(chat, kept or Kept(), b"secret of the store"), chat


def message(text: str, number: int = 1, role: Role = Role.USER, channel: Channel = Channel.SPOKEN) -> Message:
    """Return a message, by default of the person; `number` is its id."""
    return Message(
        id=number,
        conversation=1,
        ordinal=number,
        role=role,
        channel=channel,
        text=text,
        external_id=None,
        created_at=SAID_AT,
        active=True,
        hidden=False,
    )


def items(*rows: dict[str, object]) -> str:
    """Return an answer with these items."""
    return json.dumps({"items": rows})


def item(
    quote: str, text: str = "", turn: int = 1, kind: str = "fact", confidence: str = "high", **more: object
) -> dict[str, object]:
    """Return an item as a model answers it to an extraction."""
    return {"turn": turn, "quote": quote, "text": text or quote, "kind": kind, "confidence": confidence, **more}

"""Factories for memories, conversations and evidence."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest

from curator.serve.word_recall import recall_by_words
from curator.text import content_key
from store import Store, Writer, clock
from store.model import (
    Channel,
    Conversation,
    Kind,
    Message,
    NewConversation,
    NewEvidence,
    NewMemory,
    NewMessage,
    Origin,
    Role,
)

CHAT = Conversation(id=1, source="chatgpt", external_id=None, title=None, created_at=None, project=None, agent=False)
"""A stored chat with an assistant."""
TURN = Message(
    id=7,
    conversation=1,
    ordinal=0,
    role=Role.USER,
    channel=Channel.SPOKEN,
    text="",
    external_id=None,
    created_at=1_700_000_000_000_000,
    active=True,
    hidden=False,
)
"""A turn of the person in it."""


def memory(text: str, **fields: Any) -> NewMemory:
    """Return a memory to be written; its origin is the rules unless `fields` say otherwise."""
    plain: dict[str, Any] = {
        "kind": Kind.FACT,
        "origin": Origin.RULES,
        "key": content_key(text),
        "created_at": clock.now(),
    }
    return NewMemory(text=text, **{**plain, **fields})


def put(store: Store, *texts: str, **fields: Any) -> list[int]:
    """Write memories in one command and return their ids."""
    with store.command("add") as writer:
        outcomes = [store.admit(writer, memory(text, **fields)) for text in texts]
    return [outcome.added or outcome.known or 0 for outcome in outcomes]


def conversation(name: str, *turns: str, source: str = "chatgpt", **fields: Any) -> NewConversation:
    """Return a conversation whose turns alternate between person and assistant."""
    messages = tuple(
        NewMessage(
            identity=f"{source}:{name}:{n}",
            role=Role.ASSISTANT if n % 2 else Role.USER,
            text=turn,
            external_id=f"{name}-{n}",
            created_at=1_700_000_000_000_000 + n * 60_000_000,
        )
        for n, turn in enumerate(turns)
    )
    return NewConversation(
        identity=f"{source}:{name}", source=source, messages=messages, external_id=name, title=f"About {name}", **fields
    )


def quote(text: str, whole: str, message: int | None = None, **fields: Any) -> NewEvidence:
    """Return evidence that quotes words of a longer text."""
    start = whole.index(text)
    return NewEvidence(text, start, start + len(text), message, **fields)


def block_by_words(prompt: str, folder: str = "") -> str:
    """Return the recall block that a hook prints for a prompt while no server runs."""
    return recall_by_words(prompt, folder)[0]


def meanwhile(monkeypatch: pytest.MonkeyPatch, step: Callable[[], object]) -> None:
    """Take a step just before the next command begins, as another process may."""
    command = Store.command

    def after_step(store: Store, *arguments: Any, **keywords: Any) -> AbstractContextManager[Writer]:
        monkeypatch.setattr(Store, "command", command)
        step()
        return command(store, *arguments, **keywords)

    monkeypatch.setattr(Store, "command", after_step)

"""Helpers for tests of the search index."""

from collections.abc import Sequence

import numpy as np

from store import Filter, Store
from store.model import Fingerprint, Kind, NewConversation, NewMemory, NewMessage, Origin, Role

SPACE = Fingerprint("test", "plain", "1", 8)
OTHER = Fingerprint("test", "other", "1", 8)
ANY = Filter()


def memory(text: str) -> NewMemory:
    return NewMemory(text=text, key=text, kind=Kind.FACT, origin=Origin.PERSON)


def remember(store: Store, *memories: NewMemory | str) -> list[int]:
    with store.command("add") as writer:
        new = [memory(item) if isinstance(item, str) else item for item in memories]
        return [store.admit(writer, item).added or 0 for item in new]


def change(store: Store, ids: Sequence[int], **after: str | int | float | None) -> None:
    with store.command("change") as writer:
        writer.update("memories", ids, after)


def embed(store: Store, ids: Sequence[int], rows: np.ndarray, space: Fingerprint = SPACE) -> None:
    texts = [item.text for item in store.get_many(ids)]
    vectors = [row.astype("<f4").tobytes() for row in rows]
    store.vectors.add(space, list(zip(ids, texts, vectors, strict=True)))


def found(hits: Sequence[tuple[int, float]]) -> list[int]:
    return [number for number, _ in hits]


def talk(store: Store, *texts: str, identity: str = "c1") -> tuple[int, ...]:
    messages = tuple(
        NewMessage(identity=f"{identity}/{place}", role=Role.USER, text=text) for place, text in enumerate(texts)
    )
    with store.command("import") as writer:
        store.raw.put_conversation(
            writer, NewConversation(identity=identity, source="markdown", messages=messages, external_id=identity)
        )
    (conversation,) = (item.id for item in store.raw.get_conversations() if item.external_id == identity)
    return tuple(message.id for message in store.raw.messages(conversation))

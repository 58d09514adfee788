"""Full-text search over the raw messages, apart from what was distilled from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from curator.recall.search import QUERY_CHARACTERS
from store import Store
from store.model import Conversation, Message

if TYPE_CHECKING:
    from store.index import Index


@dataclass(frozen=True, slots=True)
class Passage:
    """A message that was found, with the turns around it and where it was said."""

    message: Message
    conversation: Conversation
    score: float
    before: tuple[Message, ...]
    after: tuple[Message, ...]


def grep(
    store: Store, index: Index, query: str, limit: int = 10, context: int = 1, project: str | None = None
) -> list[Passage]:
    """The visible messages that match a query best by BM25, each with up to `context` turns on either side.

    With `project`, only those of its conversations.
    """
    passages = []
    for number, score in index.search_messages(query.strip()[:QUERY_CHARACTERS], limit, project):
        turns = store.raw.around(number, context, context)
        (own,) = (turn for turn in turns if turn.id == number)
        passages.append(
            Passage(
                own,
                store.raw.conversation(own.conversation),
                score,
                tuple(turn for turn in turns if turn.id < number),
                tuple(turn for turn in turns if turn.id > number),
            )
        )
    return passages

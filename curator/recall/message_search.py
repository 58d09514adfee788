"""Search over messages: the ones that match a query best, with the turns around them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from curator.recall.candidates import QUERY_CHARACTERS
from curator.recall.phrases import fold_phrase, has_all, phrases_of, without_phrases, without_quotes
from store import Store
from store.model import Conversation, Message

if TYPE_CHECKING:
    from store.index import Index, Scored

_REREAD = 1_000  # maximum messages with the words of a phrase that are searched for the phrase


@dataclass(frozen=True, slots=True)
class Passage:
    """A matching message, with the surrounding turns and its source."""

    message: Message
    conversation: Conversation
    score: float
    before: tuple[Message, ...]
    after: tuple[Message, ...]
    partial: bool = False  # only some of the words are in the message


def grep(
    store: Store, index: "Index", query: str, limit: int = 10, context: int = 1, project: str | None = None
) -> list[Passage]:
    """Return the visible messages that best match a query by BM25, with up to `context` turns before and after.

    Quoted phrases must match literally. Without them, messages with the words as a phrase come first, then those with
    all words; if there are none, messages with some of the words are returned as `partial` matches. With `project`,
    only its conversations are searched.
    """
    from store.index.queries import INFLECTED

    query = query.strip()[:QUERY_CHARACTERS]
    phrases, words = phrases_of(query), without_quotes(query)

    def search(every: bool, literal: tuple[str, ...] = ()) -> "Scored":
        return index.search_messages(words, limit, project, every, lambda text: has_all(text, literal))

    partial = False
    if phrases:
        found = search(True, phrases)
        partial = not found and bool(without_phrases(query))
        found = found or search(False, phrases)
        if not found:  # the index has no symbols and no stop words
            ids = store.raw.messages_with(max(phrases, key=len), _REREAD, project)
            texts = store.raw.visible_messages(ids, project)
            found = [(number, 0.0) for number in ids if has_all(texts[number].text, phrases)][:limit]
    else:
        found = [] if words.isalnum() else search(True, (fold_phrase(words),))
        first = {number for number, _ in found}
        found = [*found, *(hit for hit in search(True) if hit[0] not in first)][:limit]
        if not found:
            found, partial = (
                search(False),
                INFLECTED.fullmatch(words) is None,
            )  # a single word may match in another form
    passages = []
    for number, score in found:
        turns = store.raw.around(number, context, context)
        (own,) = (turn for turn in turns if turn.id == number)
        passages.append(
            Passage(
                own,
                store.raw.conversation(own.conversation),
                score,
                tuple(turn for turn in turns if turn.id < number),
                tuple(turn for turn in turns if turn.id > number),
                partial,
            )
        )
    return passages

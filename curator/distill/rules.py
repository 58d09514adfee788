"""Rule-based distiller: finds statements of people about themselves by pattern, without a chat model."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from curator import safety
from curator.distill.apostrophes import RespeltMessages
from curator.distill.candidate import REQUESTED, Distilled
from curator.distill.collector import MOST, Collector
from curator.distill.forget.asides import EarlierMessage
from curator.distill.instruction_reader import read_saved
from curator.distill.language import english, session_patterns
from curator.distill.mask import lower
from curator.distill.message_reader import MOST_READ, MessageReader
from curator.distill.requests.remember import only_asks_to_keep
from curator.distill.role_play import RolePlay, refuse_role_play
from curator.distill.scores.chats import SentenceClassifier, remembering
from curator.distill.sentence_reader import SentenceReader
from curator.distill.statements.clauses import sentences
from curator.distill.statements.retractions import RETRACTED, takes_back_previous
from curator.distill.third_party.answers import drop_answers_on_others, questions_before
from curator.distill.third_party.drafts import DraftState
from curator.distill.third_party.ghostwritten import OthersTexts, drop_orders_for_others
from curator.text import tokens
from store.model import DISTILLED_CHANNELS, Channel, Conversation, Message, Refusal, Role

PER_CANDIDATE = 120
"""Characters of the person's own words per candidate above the limit; at most `MOST` candidates."""


_SOON = 3600 * 1_000_000
"""Maximum microseconds between a message and one that takes it back."""


def distil(
    conversation: Conversation,
    messages: Sequence[Message],
    *,
    limit: int = 5,
    confidence: float = 0.5,
    classifier: SentenceClassifier | None = None,
    after: int = 0,
) -> Distilled:
    """Return candidates from the person's own messages of a conversation, in text order.

    `limit` is the maximum number of candidates per message. Long messages may have one more per 120 characters of the
    person's own words, and lists of facts about the person all their items, up to 30; standing instructions and saved
    memories are unlimited. `confidence` is the minimum for pattern matches (0-1). From coding sessions, only statements
    that outlast the session are kept: orders, conventions, decisions, facts about the person. In a chat among people,
    requests are not taken as requests to an assistant. `classifier` reads the sentences of messages with ids above
    `after`. Every refused statement is returned as a refusal with its reason.
    """
    language = session_patterns() if conversation.agent else english()
    classifier = remembering(classifier) if classifier else None
    roles = {message.role for message in messages}
    among = Role.OTHER in roles and Role.ASSISTANT not in roles
    role_play = None if conversation.agent or among else RolePlay()
    draft = None if conversation.agent else DraftState()
    respelt = RespeltMessages.of([message for message in messages if is_own(message)])
    collectors = [Collector(message, language, confidence) for message in respelt.messages]
    earlier: list[EarlierMessage] = []
    readers = [
        MessageReader(SentenceReader(collector, among, draft, None if among else before, earlier), role_play)
        for collector, before in zip(collectors, [None, *collectors], strict=False)
    ]
    orders_for_others = find_others_texts(readers) if role_play else {}
    asked = {} if conversation.agent else questions_before(messages)
    for at, reader in enumerate(readers):
        if reader.collector.message.channel is not Channel.SPOKEN:
            read_saved(reader.collector)
        else:
            reader.read_spoken(classifier if reader.collector.message.id > after else None)
            if (previous := reader.sentence.previous) is not None:
                drop_taken_back(reader.collector, previous)
            if role_play and role_play.undone is not None:
                refuse_role_play(collectors[: at + 1], role_play.undone)
                role_play.undone = None
            if role_play:
                role_play.end_message()
            if reader.collector.message.id in asked:
                drop_answers_on_others(reader.collector)
            if at in orders_for_others:
                drop_orders_for_others(reader.collector, orders_for_others[at])
            if among:
                reader.collector.candidates = [replace(one, always=False) for one in reader.collector.candidates]
            most = min(MOST, candidate_limit(limit, reader.collector.low) + reader.collector.listed())
            reader.collector.limit(most + reader.collector.more)
    refusals = tuple(refusal for reader in readers for refusal in reader.collector.refusals)
    found = Distilled(
        candidates=tuple(candidate for reader in readers for candidate in reader.collector.candidates),
        refusals=refusals,
        forget_requests=tuple(forget for reader in readers for forget in reader.sentence.forgets),
        counts=dict(Counter(refusal.reason for refusal in refusals)),
    )
    return respelt.restored(found)


def find_others_texts(readers: Sequence[MessageReader]) -> dict[int, int]:
    """Tell each reader the spans of its message that are words of others.

    Returns the offsets from which the orders of a message are for others, by its index (see `drop_orders_for_others`).
    """
    others, orders = OthersTexts(), dict[int, int]()
    spoken = [(at, one) for at, one in enumerate(readers) if one.collector.message.channel is Channel.SPOKEN]
    lows = [lower(one.collector.message.text[:MOST_READ]) for _, one in spoken]
    for (at, reader), low, following in zip(spoken, lows, [*lows, ""][1:], strict=True):
        reader.others = others.spans(low, following)
        if others.orders_from is not None:
            orders[at] = others.orders_from
    return orders


def drop_taken_back(collector: Collector, previous: Collector) -> None:
    """Refuse statements at the end of the previous message that this one takes back, and says anew in part.

    Orders, requests to remember and safety facts stay: what is taken back may be what the assistant said.
    """
    said, before = collector.message.created_at, previous.message.created_at
    if not takes_back_previous(lower(collector.message.text[:200])) or (said and before and said - before > _SOON):
        return
    new = next((tokens(collector.message.text[start:end]) for start, end, _ in sentences(collector.low)), frozenset())
    start = max((start for start, _, _ in sentences(previous.low)), default=0)
    for one in [one for one in previous.candidates if one.end > start]:
        old = tokens(one.text)
        ordered = one.always or one.importance >= REQUESTED or safety.states(one.quote)
        if ordered or 2 * len(new & old) < len(old) or previous.message.channel is not Channel.SPOKEN:
            continue
        previous.refusals.append(Refusal(one.message, one.start, one.end, RETRACTED, one.kind, one.confidence))
        previous.candidates.remove(one)


def is_order(text: str) -> bool:
    """Return True if a typed text is a standing order ("always …", "from now on …") or a request to remember.

    "Note: …" and "save this: …" are no orders here: typing a text into the program already saves it.
    """
    said = Message(id=0, conversation=0, ordinal=0, role=Role.USER, text=text)
    found = distil(Conversation(id=0, source="typed", messages=1), [said], confidence=0.0)
    always = [one for one in found.candidates if one.always]
    if only_asks_to_keep(text):
        return any(one.importance < REQUESTED or (len(one.text) < len(text) and is_order(one.text)) for one in always)
    return bool(always)


def candidate_limit(limit: int, said: str) -> int:
    """Return the maximum number of candidates of a message: `limit`, or more for long texts."""
    return max(limit, min(MOST, len("".join(said.split())) // PER_CANDIDATE))


def is_own(message: Message) -> bool:
    """Return True for an active message or instruction of the person, or a saved memory."""
    if message.channel not in DISTILLED_CHANNELS or not message.active:
        return False
    return message.channel is not Channel.SPOKEN or (message.role is Role.USER and not message.hidden)

"""Taking in what a gate refused."""

from collections.abc import Sequence
from dataclasses import dataclass

from curator.curation.create import MAX_LENGTH, checked
from curator.curation.forgotten_match import refuse_forgotten
from curator.curation.names import redact_names, scope_of
from curator.errors import Refused
from store import Conflict, Forgotten, Store, StoreError, Writer
from store.model import Kind, Life, Memory, NewEvidence, NewMemory, Origin, Refusal, Review
from store.record.text_redaction import MASK

MAX_QUOTE = 10_000  # code points; what is longer is a file and no statement


@dataclass(frozen=True, slots=True)
class Accepted:
    """Result of accepting refused passages: the new memories, and the reason why each of the others is none."""

    memories: tuple[int, ...]
    problems: tuple[str, ...]


def accept_passage(store: Store, refusal: Refusal, text: str | None = None) -> Memory:
    """Make a memory of a refused passage, in the distiller's wording or in `text`; it starts validated.

    The passage is its evidence, and is no longer listed as refused while the memory is live. Raises Refused for one too
    long or without words, NotFound for one whose message is hidden, Forgotten if what it says was let go, Conflict if a
    memory says so already.
    """
    memory = _memory(store, refusal, text)
    with store.command("take in", summary=f"refused as {refusal.reason}") as writer:
        number = _admit(store, writer, memory)
    return store.get(number)


def accept_passages(store: Store, refusals: Sequence[Refusal]) -> Accepted:
    """Make a memory of each of several refused passages, in one step; those that cannot be one stay refused."""
    taken: list[int] = []
    problems: list[str] = []
    memories: list[NewMemory] = []
    for refusal in refusals:
        try:
            memories.append(_memory(store, refusal, None))
        except (StoreError, Refused) as error:
            problems.append(str(error))
    with store.command("take in") as writer:
        for memory in memories:
            try:
                taken.append(_admit(store, writer, memory))
            except Conflict as error:
                problems.append(str(error))
        writer.summarise(f"{len(taken)} that were refused")
    return Accepted(tuple(taken), tuple(problems))


def wording(store: Store, refusal: Refusal) -> str:
    """Return a refused passage as a distiller would word it. Raises NotFound for one whose message is hidden."""
    from curator.text import worded

    return worded(store.raw.message(refusal.message).text[refusal.start : refusal.end])


def _memory(store: Store, refusal: Refusal, text: str | None) -> NewMemory:
    from curator.text import content_key, worded  # here, since its patterns take 40 ms to compile

    message = store.raw.message(refusal.message)
    conversation = store.raw.conversation(message.conversation)
    quote = message.text[refusal.start : refusal.end]
    if len(quote) > MAX_QUOTE:
        raise Refused(f"this passage has {len(quote):,} characters: `curator add` writes down what matters of it")
    if MASK in quote:
        raise Refused("words of this passage were purged: `curator add` writes down what may stay")
    if text is None:
        text = worded(quote)
        if len(text) > MAX_LENGTH:
            raise Refused(f"this passage has {len(text):,} characters, a memory at most {MAX_LENGTH}: say it shorter")
    words = checked(text)
    kind = refusal.kind or Kind.FACT
    memory = NewMemory(
        text=words,
        key=content_key(words),
        kind=kind,
        origin=Origin.RULES,
        review=Review.VALIDATED,
        confidence=0.5 if refusal.confidence is None else refusal.confidence,
        scope=scope_of(conversation, kind),
        project=conversation.project,
        source=conversation.source,
        created_at=message.created_at or conversation.created_at,
        evidence=(NewEvidence(quote, refusal.start, refusal.end, message=message.id),),
    )
    return redact_names(memory)


def _admit(store: Store, writer: Writer, memory: NewMemory) -> int:
    """The new memory's id. Raises Forgotten, Conflict."""
    found = store.peek_memory(memory)  # admitting would give its quote to the memory that says so
    if found.forgotten is not None:
        raise Forgotten(found.forgotten)
    if found.known is not None:
        known = store.get(found.known)
        if known.life is Life.SUPERSEDED:
            raise Conflict(f"memory {known.id} said so and was superseded; `curator restore {known.id}` brings it back")
        raise Conflict(f"memory {known.id} says the same, or said so before it was put better")
    refuse_forgotten(store, memory.text)
    added = store.admit(writer, memory).added
    assert added is not None
    return added

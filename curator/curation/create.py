"""Memories in the person's own words: typed, or accepted from refused passages."""

from collections.abc import Sequence
from dataclasses import dataclass

from curator.curation.commands import checked_importance, given_once_validated, tag_name
from curator.curation.forgotten_match import index_forgotten, refuse_forgotten
from curator.curation.names import redact_names, scope_of, typed
from curator.display import counted
from curator.errors import Refused
from store import Conflict, Forgotten, NotFound, Store, StoreError, Writer, clock
from store.model import Given, Kind, Life, Memory, NewEvidence, NewMemory, Origin, Refusal, Review, Tier
from store.record.text_redaction import MASK

MAX_LENGTH = 500  # code points


def add(
    store: Store,
    text: str,
    kind: Kind = Kind.FACT,
    tier: Tier = Tier.MEDIUM,
    project: str | None = None,
    tags: Sequence[str] = (),
    importance: int = 5,
    until: int | None = None,
    given: Given | None = None,
) -> Memory:
    """Add a memory; it is validated, since a person typed it. Secrets are redacted, in names and tags too.

    Dates in its words that count from today, such as "last month", are resolved.

    `importance` is 1-10, `until` the moment when it expires, by default the day that its words name ("until May 2031"),
    also if that is past; without `given`, only a safety fact is always given.

    Raises Refused for an empty or overlong text, Conflict if a live memory says the same, Forgotten if a forgotten one
    does.
    """
    from curator.text import content_key  # imported here, since its patterns take 40 ms to compile
    from curator.text.dates import with_dates
    from curator.text.stated_expiry import stated_expiry

    words, now = checked(text), clock.now()
    dated = with_dates(words, now, counted=True)
    dated = dated if len(dated) <= MAX_LENGTH else words
    project = typed(project) if project else None
    memory = NewMemory(
        text=dated,
        key=content_key(dated),
        kind=kind,
        tier=tier,
        origin=Origin.PERSON,
        review=Review.VALIDATED,
        given=given or given_once_validated(store, [words])[0],
        confidence=1.0,
        importance=checked_importance(importance),
        expires_at=until or stated_expiry(words, now) or stated_expiry(words, None),
        project=project,
        scope=f"project:{project}" if project else "global",
        created_at=now,
        tags=tuple(dict.fromkeys(map(tag_name, tags))),
    )
    index_forgotten(store)
    with store.command("add") as writer:
        outcome = store.admit(writer, memory)
        if outcome.forgotten is not None:
            raise Forgotten(outcome.forgotten, store.get(outcome.forgotten).life is Life.PURGED)
        if outcome.known is not None:
            raise Conflict(f"memory {outcome.known} says the same")
        refuse_forgotten(store, words)
    assert outcome.added is not None
    return store.get(outcome.added)


def checked(text: str) -> str:
    """Return a text as stored: on one line, secrets redacted. Raises Refused if it is invalid."""
    from curator.secrets import is_only_secret

    words = typed(" ".join(text.split()))
    if not words:
        raise Refused("a memory needs text")
    if is_only_secret(words):
        raise Refused("only a secret: nothing to remember")
    if len(words) > MAX_LENGTH:
        raise Refused(f"a memory has at most {MAX_LENGTH} characters, this has {len(words)}: split it")
    return words


MAX_QUOTE = 10_000  # code points; longer ones are files, not statements


@dataclass(frozen=True, slots=True)
class Accepted:
    """Result of accepting refused passages: the new memories, and the problem of each of the others."""

    memories: tuple[int, ...]
    problems: tuple[str, ...]


def accept_passage(store: Store, refusal: Refusal, text: str | None = None) -> Memory:
    """Make a refused passage a memory, in the distiller's wording or as `text`; it is validated.

    The passage becomes its evidence, and is not listed as refused while the memory is live. Raises Refused for one too
    long or without words, NotFound if its message is hidden, Forgotten if it says what a forgotten memory says,
    Conflict if another memory does, or if the passage was changed meanwhile.
    """
    memory = _memory(store, refusal, text)
    with store.command("take in", summary=f"refused as {refusal.reason}") as writer:
        number = _admit(store, writer, memory)
    return store.get(number)


def accept_passages(store: Store, refusals: Sequence[Refusal]) -> Accepted:
    """Make refused passages memories, as one command; those with an error stay refused."""
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
            except (Conflict, NotFound) as error:
                problems.append(str(error))
        writer.summarise(counted(len(taken), "refused passage"))
    return Accepted(tuple(taken), tuple(problems))


def wording(store: Store, refusal: Refusal) -> str:
    """Return a refused passage in the distiller's wording. Raises NotFound if its message is hidden."""
    from curator.text import worded

    return worded(store.raw.message(refusal.message).text[refusal.start : refusal.end])


def _memory(store: Store, refusal: Refusal, text: str | None) -> NewMemory:
    from curator.text import content_key, worded  # imported here, since its patterns take 40 ms to compile
    from curator.text.stated_expiry import stated_expiry

    message = store.raw.message(refusal.message)
    conversation = store.raw.conversation(message.conversation)
    quote = message.text[refusal.start : refusal.end]
    if len(quote) > MAX_QUOTE:
        raise Refused(f"this passage has {len(quote):,} characters: add the important part with `curator add`")
    if MASK in quote:
        raise Refused("words of this passage were purged: add what may stay with `curator add`")
    if text is None:
        text = worded(quote)
        if len(text) > MAX_LENGTH:
            raise Refused(f"this passage has {len(text):,} characters, a memory at most {MAX_LENGTH}: shorten it")
    words = checked(text)
    kind = refusal.kind or Kind.FACT
    memory = NewMemory(
        text=words,
        key=content_key(words),
        kind=kind,
        origin=Origin.RULES,
        review=Review.VALIDATED,
        given=given_once_validated(store, [words])[0],
        confidence=0.5 if refusal.confidence is None else refusal.confidence,
        scope=scope_of(conversation, kind, words),
        project=conversation.project,
        source=conversation.source,
        created_at=message.created_at or conversation.created_at,
        expires_at=stated_expiry(words, message.created_at or conversation.created_at),
        evidence=(NewEvidence(quote, refusal.start, refusal.end, message=message.id),),
    )
    return redact_names(memory)


def _admit(store: Store, writer: Writer, memory: NewMemory) -> int:
    """Admit a memory and return its id. Raises Forgotten, Conflict, NotFound.

    Its message is read again, since the passage may have been purged or hidden before the command began.
    """
    for item in memory.evidence:
        if item.message is not None and store.raw.message(item.message).text[item.start : item.end] != item.quote:
            raise Conflict("words of this passage changed meanwhile: look at it again")
    found = store.peek_memory(memory)  # admitting would add its quote to a known memory
    if found.forgotten is not None:
        raise Forgotten(found.forgotten, store.get(found.forgotten).life is Life.PURGED)
    if found.known is not None:
        known = store.get(found.known)
        if known.life is Life.SUPERSEDED:
            raise Conflict(f"memory {known.id} said so and was superseded; `curator restore {known.id}` brings it back")
        raise Conflict(f"memory {known.id} says the same, or did before it was edited")
    refuse_forgotten(store, memory.text)
    added = store.admit(writer, memory).added
    assert added is not None
    return added

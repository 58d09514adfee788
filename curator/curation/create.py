"""Memories in the person's own words: typed, or put better."""

from collections.abc import Sequence

from curator.curation.commands import checked_importance, tag_name
from curator.curation.forgotten_match import index_forgotten, refuse_forgotten
from curator.curation.names import typed
from curator.errors import Refused
from store import Conflict, Forgotten, Store, clock
from store.model import Kind, Life, Memory, NewMemory, Origin, Review, Tier

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
) -> Memory:
    """Write down a memory; it starts validated, since a person typed it. Secrets are redacted, in its names too.

    `importance` is 1-10, `until` the moment from which it is not recalled any more.

    Raises Refused for an empty or overlong text, Conflict if a live one says the same, Forgotten if one was let go.
    """
    from curator.text import content_key  # here, since its patterns take 40 ms to compile

    words = checked(text)
    project = typed(project) if project else None
    memory = NewMemory(
        text=words,
        key=content_key(words),
        kind=kind,
        tier=tier,
        origin=Origin.PERSON,
        review=Review.VALIDATED,
        confidence=1.0,
        importance=checked_importance(importance),
        expires_at=until,
        project=project,
        scope=f"project:{project}" if project else "global",
        created_at=clock.now(),
        tags=tuple(dict.fromkeys(map(tag_name, tags))),
    )
    index_forgotten(store)
    with store.command("add") as writer:
        outcome = store.admit(writer, memory)
        if outcome.forgotten is not None:
            raise Forgotten(outcome.forgotten)
        if outcome.known is not None:
            raise Conflict(f"memory {outcome.known} says the same")
        refuse_forgotten(store, words)
    assert outcome.added is not None
    return store.get(outcome.added)


def edit(store: Store, memory: int, text: str) -> int:
    """Put a memory better; the former text stays as a version. Returns 0 if nothing changed, else 1.

    Raises Refused, Conflict if it is not live or another live one says so already, Forgotten if one that says so was
    let go.
    """
    from curator.text import content_key

    words = checked(text)
    former = store.get(memory)
    if former.life is not Life.LIVE:
        raise Conflict(f"memory {memory} is {former.life}; only a live one can be edited")
    if former.text == words:
        return 0
    index_forgotten(store)
    with store.command("edit") as writer:
        refuse_forgotten(store, words)
        return store.reword(writer, former, words, content_key(words))


def take_wording(store: Store, memory: int, text: str) -> int:
    """Put a memory as a model proposed, which is an edit like any other: undone, it is proposed again. Returns 1.

    Raises Conflict if that is not proposed (any more), and what `edit` raises.
    """
    if text not in (wording.text for wording in store.wordings.of(memory)):
        raise Conflict(f"these words are not proposed for memory {memory} any more")
    return edit(store, memory, text)


def drop_wording(store: Store, memory: int) -> int:
    """The memory stays as it is worded; what was proposed is not shown again. Returns how many proposals that were."""
    found = store.wordings.of(memory)
    store.wordings.drop(memory)
    return len(found)


def checked(text: str) -> str:
    """A text as a memory keeps it: on one line, secrets redacted. Raises Refused for one that cannot be."""
    from curator.secrets import is_only_secret

    words = typed(" ".join(text.split()))
    if not words:
        raise Refused("a memory needs words")
    if is_only_secret(words):
        raise Refused("only a secret: nothing to remember")
    if len(words) > MAX_LENGTH:
        raise Refused(f"a memory has at most {MAX_LENGTH} characters, this has {len(words)}: make it two")
    return words

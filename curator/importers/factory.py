"""Building of messages and conversations: the one place where their texts are cleaned and redacted."""

from collections import Counter
from collections.abc import Iterable, Sequence

from curator.importers.coerce import clean, digest
from curator.importers.types import Skipped
from curator.secrets import redact
from store.model import Channel, NewConversation, NewMessage, Role


class Identities:
    """Identities under a prefix; the second of one key ends in `:2`, and so on.

    They are made of the original text, so that a better secrets detector duplicates nothing.
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._seen: Counter[str] = Counter()

    def of(self, key: str) -> str:
        """Return the identity for the next occurrence of a key."""
        self._seen[key] += 1
        suffix = f":{self._seen[key]}" if self._seen[key] > 1 else ""
        return f"{self._prefix}:{key}{suffix}"

    def of_message(self, id_: str | None, role: Role, text: str) -> str:
        """Return the identity of the next message: by its id, else by its role and text."""
        return self.of(id_ or digest(role, text))


def conversation_key(title: str, turns: Sequence[tuple[Role, str]]) -> str:
    """Return a key for a conversation without an id: of its title and all up to the first answer, which stay."""
    parts = [title]
    for role, text in turns:
        parts += (role, text)
        if role is Role.ASSISTANT and text.strip():
            break
    return digest(*parts)


def redacted(text: str) -> str:
    """Return a text cleaned and without secrets."""
    return redact(clean(text)).text


def safe(text: str | None) -> str | None:
    """Return a title, a project or an id without secrets; None if nothing is left."""
    return redacted(text).strip() or None if text else None


def headline(text: str) -> str:
    """Return a title made of a text that is redacted already: a cut before redacting could leave half a secret."""
    return text.strip().split("\n", 1)[0][:80]


def message(
    identity: str,
    role: Role,
    text: str,
    channel: Channel = Channel.SPOKEN,
    *,
    external_id: str | None = None,
    created_at: int | None = None,
    active: bool = True,
    hidden: bool = False,
) -> NewMessage | None:
    """Return a message with its text cleaned and redacted; None if there is no text."""
    if not text or text.isspace():
        return None
    found = redact(clean(text))
    return NewMessage(
        identity=clean(identity),
        role=role,
        text=found.text,
        channel=channel,
        external_id=safe(external_id),
        created_at=created_at,
        active=active,
        hidden=hidden,
        redactions=found.count,
    )


def conversation(
    identity: str,
    source: str,
    messages: Iterable[NewMessage | None],
    place: str,
    *,
    external_id: str | None = None,
    title: str | None = None,
    created_at: int | None = None,
    project: str | None = None,
    agent: bool = False,
) -> NewConversation | Skipped:
    """Return a conversation of the messages that have a text, each identity once, or why there is none."""
    kept = tuple({one.identity: one for one in messages if one}.values())
    if not kept:
        return Skipped("no_messages", place)
    if created_at is None:
        created_at = min((one.created_at for one in kept if one.created_at is not None), default=None)
    return NewConversation(
        identity=clean(identity),
        source=source,
        messages=kept,
        external_id=safe(external_id),
        title=safe(title),
        created_at=created_at,
        project=safe(project),
        agent=agent,
    )

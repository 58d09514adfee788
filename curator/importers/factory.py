"""Making messages and conversations: the one place where texts are cleaned and redacted."""

from collections.abc import Iterable

from curator.importers.coerce import clean
from curator.importers.types import Skipped
from curator.secrets import redact
from store.model import Channel, NewConversation, NewMessage, Role


def safe(text: str | None) -> str | None:
    """A title, a project or an id without secrets; None if there is nothing in it."""
    return redact(clean(text)).text.strip() or None if text else None


def headline(text: str) -> str:
    """A title made of a text that is redacted already: a cut before redacting could leave half a secret."""
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
    """A message with its text cleaned and redacted; None if there is no text."""
    if not text or text.isspace():
        return None
    redacted = redact(clean(text))
    return NewMessage(
        identity=clean(identity),
        role=role,
        text=redacted.text,
        channel=channel,
        external_id=safe(external_id),
        created_at=created_at,
        active=active,
        hidden=hidden,
        redactions=redacted.count,
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
    """A conversation of the messages that have a text, each identity once, or why there is none."""
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

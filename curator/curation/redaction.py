"""Secrets and broken characters kept out of what is stored of a memory: its words, tags, scope and other names."""

from dataclasses import replace

from store.model import NewMemory
from store.sanitize import storable


def typed(text: str) -> str:
    """Return what a person wrote as it may be stored. Raises ValueError for bytes that are no text."""
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("the words are not UTF-8 text; type them again")
    return without_secrets(text)


def without_secrets(text: str) -> str:
    """Return a text or a name as it may be stored, its secrets redacted."""
    from curator.secrets import redact

    return redact(storable(text)).text


def redact_names(memory: NewMemory) -> NewMemory:
    """Return a memory about to be written with the secrets in its tags, scope and other names redacted."""

    def clean(name: str | None) -> str | None:
        return without_secrets(name) if name else name

    return replace(
        memory,
        scope=without_secrets(memory.scope),
        project=clean(memory.project),
        session=clean(memory.session),
        subject=clean(memory.subject),
        relation=clean(memory.relation),
        object=clean(memory.object),
        tags=tuple(dict.fromkeys(map(without_secrets, memory.tags))),
    )

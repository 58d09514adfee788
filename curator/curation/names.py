"""Texts and names of memories as stored, without secrets and invalid characters; and their scopes."""

import re
from dataclasses import replace

from store.model import Conversation, Kind, NewMemory
from store.sanitize import storable


def typed(text: str) -> str:
    """Return typed text as stored. Raises ValueError for bytes that are not text."""
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("the words are not UTF-8 text; type them again")
    return without_secrets(text)


def without_secrets(text: str) -> str:
    """Return a text or name with its secrets redacted."""
    from curator.secrets import redact

    return redact(storable(text)).text


def redact_names(memory: NewMemory) -> NewMemory:
    """Return a new memory with the secrets in its tags, scope and other names redacted."""

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


GLOBAL = "global"
_PERSON = frozenset({Kind.IDENTITY, Kind.TRAIT, Kind.RELATIONSHIP})
_WISHES = frozenset({Kind.PREFERENCE, Kind.CONSTRAINT, Kind.SKILL})
_OF_ME = re.compile(r"(?:i|i'm|i've|i'd|my)\b(?! (?:want|need|expect|like|would like) you\b)")
_OF_PROJECT = re.compile(
    r"\b(?:this|here|our|we|us)\b|\bthe (?:project|repo|repository|code ?base|app|site|service|team)\b"
)
_EVERYWHERE = re.compile(
    r"\b(?:(?:in|across|for|on) (?:all|every|any|each) (?:of )?(?:(?:my|our) )?"
    r"(?:projects?|repos?|repositor(?:y|ies)|code ?bases?|sessions?)|whatever the project|wherever i work)\b"
)


def scope_of(conversation: Conversation, kind: Kind, text: str) -> str:
    """Return `project:NAME` for the memories of a coding agent's session, `global` for all others.

    What the words say of the person in general ("I prefer small commits") or of every project holds everywhere, too.
    """
    if not (conversation.agent and conversation.project):
        return GLOBAL
    low = text.lower().replace("’", "'")
    personal = kind in _PERSON or (kind in _WISHES and _OF_ME.match(low))
    everywhere = _EVERYWHERE.search(low) or (personal and not _OF_PROJECT.search(low))
    return GLOBAL if everywhere else f"project:{conversation.project}"


def overlap(one: str, other: str) -> bool:
    """Return whether memories of two scopes may be about the same thing."""
    return one == other or GLOBAL in (one, other)


def checked_scope(text: str) -> str:
    """Return a scope as stored, secrets redacted. Raises ValueError, with the options, for anything else."""
    sort, _, name = text.strip().partition(":")
    name = name.strip()
    if text.strip() == "global":
        return "global"
    if sort not in ("project", "session") or not name or not name.isprintable():
        raise ValueError(f"a scope is global, project:NAME or session:ID, not {text!r}")
    return f"{sort}:{typed(name)}"

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
_OF_ME = re.compile(
    r"(?:i|i'm|i've|i'd|my)\b(?! (?:like|would like) you\b)"
    r"(?! (?:want|need|expect)\b(?! (?:to|short|brief|concise|terse)\b"
    r"|.*\b(?:answers?|repl(?:y|ies)|explanations?|summar(?:y|ies))\b))"
)
"""Wishes of the person; "I want every error as JSON" is one for the project."""
_OF_PROJECT = re.compile(
    r"\b(?:this|here|our|we|us)\b|\bthe (?:project|repo|repository|code ?base|app|site|service|team)\b"
)
_OF_ASSISTANT = re.compile(
    r"\bco-?authored(?:-by)?\b|\b(?:credit|mention|sign as|attribute to) (?:yourself|claude|copilot|codex|an? ai)\b"
    r"|\b(?:in|to|on|from|of|for) (?:any of )?my (?:commits?|commit messages?|prs?|pull requests?|e-?mails?|code)\b"
)
"""Orders on how the assistant signs, and on what the person makes in any project."""
_LIVING = re.compile(r"\b(?:live|lives|lived|living|reside|residing|relocated|flat|apartment|house|rent|renting)\b")
"""Words without which "I moved to Rust" may be about the project."""
_EVERYWHERE = re.compile(
    r"\b(?:(?:in|across|for|on|to|of|with) (?:all|every|any|each) (?:of )?(?:(?:my|our) )?(?:other )?"
    r"(?:projects?|repos?|repositor(?:y|ies)|code ?bases?|sessions?)|whatever the project|wherever i work"
    r"|(?:everything|anything) (?:i|you) (?:write|do|send|build)\b|everywhere, (?:same|also|not just)\b)\b"
)


def scope_of(
    conversation: Conversation, kind: Kind, text: str, everywhere: bool = False, in_project: bool = False
) -> str:
    """Return `project:NAME` for the memories of a coding agent's session, `global` for all others.

    What the words say of the person in general ("I prefer small commits"), of their home, or of every project holds
    everywhere, too, and so does what is `everywhere` by another sentence, which may also limit it: `in_project`.
    """
    if not (conversation.agent and conversation.project):
        return GLOBAL
    low = text.lower().replace("’", "'")
    personal = kind in _PERSON or (kind in _WISHES and (_OF_ME.match(low) or _OF_ASSISTANT.search(low)))
    if not personal and _OF_ME.match(low) and _LIVING.search(low):
        from curator.compare.statement import PERSON, statements

        personal = any(one.slot == "home" and one.subject == PERSON for one in statements(text))
    everywhere = everywhere or _EVERYWHERE.search(low) is not None
    everywhere = everywhere or bool(personal and not in_project and not _OF_PROJECT.search(low))
    return GLOBAL if everywhere else f"project:{conversation.project}"


def overlap(one: str, other: str) -> bool:
    """Return True if memories of two scopes may be about the same thing."""
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

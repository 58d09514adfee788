"""Ready memories, one JSON object a line (or a list): `id`, `text`, and any column of a memory."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import TypeVar

from curator.compare import content_key
from curator.curation.commands import tag_name
from curator.importers.coerce import clean, first, rows, string, table, when
from curator.importers.factory import safe
from curator.importers.inputs import Part
from curator.importers.json_stream import records
from curator.importers.types import Format, Item, Meter, Problem, ReadyMemory, Skipped
from curator.secrets import is_only_secret, redact
from curator.signature import LARGEST, SCHEMA, SCHEMAS, BadSignature, signed_by
from store import clock
from store.model import (
    Kind,
    Life,
    NewEvidence,
    NewMemory,
    NewVersion,
    Origin,
    Rank,
    Review,
    Span,
    Surprise,
    Tier,
)

Record = Mapping[str, object]
_NAME = 60  # characters shown of a schema that is not known
_Choice = TypeVar("_Choice", bound=StrEnum)
_OTHER_KINDS = {
    "contextual": Kind.CONTEXT,
    "factual": Kind.FACT,
    "knowledge": Kind.FACT,
    "semantic": Kind.FACT,
    "insight": Kind.FACT,
    "episodic": Kind.EVENT,
    "experience": Kind.EVENT,
    "procedural": Kind.SKILL,
    "technique": Kind.SKILL,
    "pattern": Kind.SKILL,
    "personal": Kind.IDENTITY,
    "profile": Kind.IDENTITY,
    "user": Kind.IDENTITY,
    "personality": Kind.TRAIT,
    "habit": Kind.TRAIT,
    "goal": Kind.COMMITMENT,
    "plan": Kind.COMMITMENT,
    "promise": Kind.COMMITMENT,
    "rule": Kind.CONSTRAINT,
    "limitation": Kind.CONSTRAINT,
    "like": Kind.PREFERENCE,
    "style": Kind.PREFERENCE,
    "person": Kind.RELATIONSHIP,
    "todo": Kind.TASK,
    "choice": Kind.DECISION,
}


def read(parts: Sequence[Part], meter: Meter) -> Iterator[Item]:
    """Every memory of these files. A session without `ordinal`s is numbered in the order of the file."""
    for part in parts:
        order: dict[str, int] = {}
        for record in records(part, meter):
            if isinstance(record, Problem):
                yield record
                continue
            try:
                item = _ready(table(record.value), order)
                yield Skipped("secret", record.place) if is_only_secret(item.claimed.text) else item
            except ValueError as error:
                yield Problem(record.place, str(error))


def kind_of(name: str) -> Kind | None:
    """Return the kind that a name of ours or of another system means."""
    plain = name.strip().lower()
    for form in (plain, plain.removesuffix("s")):
        if form in set(Kind):
            return Kind(form)
        if form in _OTHER_KINDS:
            return _OTHER_KINDS[form]
    return None


def _ready(record: Record, order: dict[str, int]) -> ReadyMemory:
    """Raises ValueError for a row of a schema that is not known, and as `_memory` does."""
    _check_schema(record)
    name = first(record, "kind", "type", "category") or Kind.FACT
    kind = kind_of(name)
    memory = _memory(record, order, kind or Kind.FACT)
    unknown = None if kind is not None else (safe(name) or "")[:_NAME]
    try:
        return ReadyMemory(memory, signed_by(record), unknown_kind=unknown)
    except BadSignature:
        return ReadyMemory(memory, changed=True, unknown_kind=unknown)


def _check_schema(record: Record) -> None:
    """Raise ValueError unless the row has a schema that is known, or none, as other programs' files have."""
    schema = record.get("schema")
    if schema is None or schema in SCHEMAS:
        return
    named = string(schema)[:_NAME] or f"{schema!r}"[:_NAME]
    if re.fullmatch(r"curator_memory\.v[0-9]+", named):
        raise ValueError(f"schema {named} is newer than this Curator, which reads up to {SCHEMA}; update Curator")
    raise ValueError(f"schema {named} is not known; memories have {SCHEMA}, or no schema if another program made them")


def _memory(record: Record, order: dict[str, int], kind: Kind) -> NewMemory:
    """`title`, `time_span`, `user_fact_score` and `expires_in` are names of other systems.

    Raises ValueError where a record has no text, or a column holds what that column cannot.
    """
    text = string(record.get("text"))
    if not text.strip():
        raise ValueError("a memory without text")
    text = redact(clean(text)).text
    session = _text(record, "session")
    ordinal = _whole(record, "ordinal")
    if session is not None:
        place = min(order.get(session, -1) + 1, LARGEST) if ordinal is None else ordinal
        order[session] = ordinal = place
    state = string(record.get("state"))
    life = _choice(record, "life", Life, Life(state) if state in set(Life) else Life.LIVE)
    if life is Life.PURGED:
        raise ValueError("the memory was purged, and has words all the same")
    created_at = _time(record, "created_at")
    evidence = tuple(_evidence(table(one)) for one in rows(record.get("evidence")))
    if not evidence and (title := _text(record, "title")):
        evidence = (NewEvidence(text, 0, len(text), source=_text(record, "source"), title=title, said_at=created_at),)
    return NewMemory(
        text=text,
        key=content_key(text),
        kind=kind,
        origin=_choice(record, "origin", Origin, Origin.IMPORT),
        tier=_choice(record, "tier", Tier, Tier.MEDIUM),
        review=_choice(record, "review", Review, Review.OPEN),
        rank=_choice(record, "rank", Rank, Rank(state) if state in set(Rank) else Rank.NEW),
        life=life,
        pinned=record.get("pinned") is True or record.get("pinned") == 1,
        confidence=_share(record, "confidence", 0.5),
        user_score=_whole(record, "user_score" if "user_score" in record else "user_fact_score", 0, 10),
        importance=_importance(record),
        scope=_text(record, "scope") or "global",
        project=_text(record, "project"),
        source=_text(record, "source") if "source" in record else Format.MEMORIES,
        session=session,
        ordinal=ordinal,
        subject=_text(record, "subject"),
        relation=_text(record, "relation"),
        object=_text(record, "object"),
        span=_span(record),
        flag=_text(record, "flag"),
        surprise=_surprise(table(record.get("surprise"))),
        distiller=_text(record, "distiller"),
        external_id=_id(record),
        created_at=created_at,
        expires_at=_expiry(record, kind, created_at),
        evidence=evidence,
        versions=tuple(_version(table(one)) for one in rows(record.get("versions"))),
        tags=tuple(dict.fromkeys(tag for one in rows(record.get("tags")) if (tag := _tag(string(one))))),
    )


def _tag(text: str) -> str | None:
    """A tag as a person's would be kept, its words joined by hyphens; None if there is nothing in it."""
    words = [word for word in (safe(text) or "").split() if word.strip("#")]
    return tag_name("-".join(words)) if words else None


def _text(record: Record, name: str) -> str | None:
    value = record.get(name)
    if value is None or isinstance(value, str):
        return safe(value)
    if isinstance(value, bool | list | dict):
        raise ValueError(f"{name} is not a text")
    return str(value)


def _id(record: Record) -> str | None:
    """Return the id whole, since another row's may differ in a part that looks like a secret; the import hashes it."""
    value = record.get("external_id") if "external_id" in record else first(record, "id")
    if isinstance(value, bool | list | dict):
        raise ValueError("external_id is not a text")
    return None if value is None else clean(str(value)).strip() or None


def _choice(record: Record, name: str, choices: type[_Choice], default: _Choice) -> _Choice:
    value = record.get(name)
    if value is None:
        return default
    try:
        return choices(string(value).strip().lower())
    except ValueError:
        raise ValueError(f"{name} is not one of {', '.join(choices)}") from None


def _span(record: Record) -> Span | None:
    name = "span" if record.get("span") is not None else "time_span"
    return None if record.get(name) is None else _choice(record, name, Span, Span.CURRENT)


def _importance(record: Record) -> int:
    """Return 1-10; a fraction `s` of 0 to 1, as systems have it that keep a surprise, is round(1 + 9 s)."""
    value = record.get("importance")
    if isinstance(value, float) and 0 <= value <= 1:
        return round(1 + 9 * value)
    return _whole(record, "importance", 1, 10) or 5


def _expiry(record: Record, kind: Kind, created_at: int | None) -> int | None:
    """Return when it ends: `expires_at`, or `expires_in` ("7d", "12w") after it was said. Identity never ends."""
    given = record.get("expires_in")
    if record.get("expires_at") is not None or given is None:
        return _time(record, "expires_at")
    found = re.fullmatch(r"(\d{1,4}) ?([dw])|never", string(given).strip().lower())
    if found is None:
        raise ValueError('expires_in is not a number of days or weeks ("30d", "12w") or "never"')
    if found[1] is None or kind is Kind.IDENTITY:
        return None
    days = int(found[1]) * (7 if found[2] == "w" else 1)
    return (clock.now() if created_at is None else created_at) + days * clock.DAY


def _number(record: Record, name: str) -> float | None:
    value = record.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < math.inf:
        raise ValueError(f"{name} is not a number")
    return value


def _share(record: Record, name: str, default: float) -> float:
    value = _number(record, name)
    if value is None:
        return default
    if not 0 <= value <= 1:
        raise ValueError(f"{name} is not between 0 and 1")
    return float(value)


def _whole(record: Record, name: str, least: int = 0, most: int = LARGEST) -> int | None:
    value = _number(record, name)
    if value is None:
        return None
    if value != int(value) or not least <= value <= most:
        raise ValueError(f"{name} is not a whole number from {least} to {most:,}")
    return int(value)


def _time(record: Record, name: str) -> int | None:
    """A time as ISO 8601 (any year) or a number."""
    value = record.get(name)
    if value is None:
        return None
    if isinstance(value, str):
        try:
            return clock.from_iso(value.strip())
        except ValueError:
            pass
    micros = when(value)
    if micros is None:
        raise ValueError(f"{name} is not a time that can be: ISO 8601, or a number of seconds since 1970")
    return micros


def _surprise(record: Record) -> Surprise | None:
    names = ("novelty", "contradiction", "specificity", "emphasis", "switch")
    if not record:
        return None
    return Surprise(*(_share(record, name, 0.0) for name in names))


def _evidence(record: Record) -> NewEvidence:
    quote = redact(clean(string(record.get("quote")))).text
    return NewEvidence(
        quote=quote,
        start=_whole(record, "start") or 0,
        end=_whole(record, "end") or len(quote),
        reference=_text(record, "reference"),
        source=_text(record, "source"),
        title=_text(record, "title"),
        said_at=_time(record, "said_at"),
    )


def _version(record: Record) -> NewVersion:
    text = redact(clean(string(record.get("text")))).text
    return NewVersion(text, _time(record, "at") or clock.now(), _whole(record, "merged_from"), content_key(text))

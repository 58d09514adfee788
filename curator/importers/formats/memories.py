"""Memory files: one JSON object per line (or a list) with `id`, `text`, and any column of a memory."""

import contextlib
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from curator.curation.commands import tag_name
from curator.importers.factory import redacted, safe
from curator.importers.inputs import Item, LogFile, Problem, ReadProgress, ReadyMemory, Skipped
from curator.importers.json_stream import (
    JsonObject,
    Record,
    as_dict,
    as_dicts,
    as_list,
    as_str,
    as_time,
    clean,
    first_text,
    items,
)
from curator.importers.log_format import Format, LogFormat, Options
from curator.secrets import is_only_secret
from curator.signature import LARGEST, SCHEMA, SCHEMAS, BadSignature, signed_by
from curator.text import content_key
from store import clock
from store.model import (
    Given,
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

_NAME = 60  # characters shown of an unknown schema's name
_Choice = TypeVar("_Choice", bound=StrEnum)
_SURPRISE = ("novelty", "contradiction", "specificity", "emphasis", "switch")
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


def read(files: Sequence[LogFile], progress: ReadProgress, options: Options) -> Iterator[Item]:
    """Yield every memory of these files. Sessions without `ordinal` values are numbered in file order."""
    for log in files:
        order: dict[str, int] = {}

        def item(record: Record, order: dict[str, int] = order) -> Item:
            return ready(as_dict(record.value), record.place, order)

        yield from items([log], progress, item)


def ready(fields: JsonObject, place: str, order: dict[str, int] | None = None) -> Item:
    """Return the memory of a row, or the reason why there is none. `order` has the last ordinal of each session."""
    try:
        found = _Row(fields).ready({} if order is None else order)
    except ValueError as error:
        return Problem(place, str(error))
    return Skipped("secret", place) if is_only_secret(found.claimed.text) else found


def kind_of(name: str) -> Kind | None:
    """Return the kind for a kind name of Curator or of another system."""
    plain = name.strip().lower()
    for form in (plain, plain.removesuffix("s")):
        if form in set(Kind):
            return Kind(form)
        if form in _OTHER_KINDS:
            return _OTHER_KINDS[form]
    return None


@dataclass(frozen=True, slots=True)
class _Row:
    """An object of a file with validated fields. All methods raise ValueError for an invalid field."""

    fields: JsonObject

    def ready(self, order: dict[str, int]) -> ReadyMemory:
        """Return the memory and the result of its signature check. `order` has the last ordinal of each session."""
        schema = self.fields.get("schema")
        if schema is not None and schema not in SCHEMAS:
            named = as_str(schema)[:_NAME] or f"{schema!r}"[:_NAME]
            if re.fullmatch(r"curator_memory\.v[0-9]+", named):
                raise ValueError(
                    f"schema {named} is newer than this Curator, which reads up to {SCHEMA}; update Curator"
                )
            raise ValueError(
                f"schema {named} is not known; memories have {SCHEMA}, or no schema if another program made them"
            )
        name = first_text(self.fields, "kind", "type", "category") or Kind.FACT
        kind = kind_of(name)
        memory = self.memory(order, kind or Kind.FACT)
        unknown = None if kind is not None else (safe(name) or "")[:_NAME]
        try:
            return ReadyMemory(memory, signed_by(self.fields), unknown_kind=unknown)
        except BadSignature:
            return ReadyMemory(memory, changed=True, unknown_kind=unknown)

    def memory(self, order: dict[str, int], kind: Kind) -> NewMemory:
        """Return the memory. The fields `title`, `time_span`, `user_fact_score`, `expires_in` are of other systems."""
        fields = self.fields
        text = as_str(fields.get("text"))
        if not text.strip():
            raise ValueError("a memory without text")
        text = redacted(text)
        session = self.text("session")
        ordinal = self.whole("ordinal")
        if session is not None:
            ordinal = min(order.get(session, -1) + 1, LARGEST) if ordinal is None else ordinal
            order[session] = ordinal
        state = as_str(fields.get("state"))
        life = self.choice("life", Life, Life(state) if state in set(Life) else Life.LIVE)
        if life is Life.PURGED:
            raise ValueError("the memory was purged, and has words all the same")
        created_at = self.time("created_at")
        evidence = tuple(_Row(one).evidence() for one in as_dicts(fields.get("evidence")))
        if not evidence and (title := self.text("title")):
            evidence = (NewEvidence(text, 0, len(text), source=self.text("source"), title=title, said_at=created_at),)
        span = "span" if fields.get("span") is not None else "time_span"
        surprise = _Row(as_dict(fields.get("surprise")))
        # normalized like typed tags, words joined by hyphens
        named = (
            [word for word in (safe(as_str(tag)) or "").split() if word.strip("#")]
            for tag in as_list(fields.get("tags"))
        )
        return NewMemory(
            text=text,
            key=content_key(text),
            kind=kind,
            origin=self.choice("origin", Origin, Origin.IMPORT),
            tier=self.choice("tier", Tier, Tier.MEDIUM),
            review=self.choice("review", Review, Review.OPEN),
            rank=self.choice("rank", Rank, Rank(state) if state in set(Rank) else Rank.NEW),
            life=life,
            pinned=fields.get("pinned") is True or fields.get("pinned") == 1,
            given=self.choice("given", Given, Given.RELEVANT),
            confidence=self.share("confidence", 0.5),
            user_score=self.whole("user_score" if "user_score" in fields else "user_fact_score", 0, 10),
            importance=self.importance(),
            scope=self.text("scope") or "global",
            project=self.text("project"),
            source=self.text("source") if "source" in fields else Format.MEMORIES,
            session=session,
            ordinal=ordinal,
            subject=self.text("subject"),
            relation=self.text("relation"),
            object=self.text("object"),
            span=None if fields.get(span) is None else self.choice(span, Span, Span.CURRENT),
            flag=self.text("flag"),
            surprise=Surprise(*(surprise.share(name, 0.0) for name in _SURPRISE)) if surprise.fields else None,
            distiller=self.text("distiller"),
            external_id=self.external_id(),
            created_at=created_at,
            expires_at=self.expiry(kind, created_at),
            evidence=evidence,
            versions=tuple(_Row(one).version() for one in as_dicts(fields.get("versions"))),
            tags=tuple(dict.fromkeys(tag_name("-".join(words)) for words in named if words)),
        )

    def evidence(self) -> NewEvidence:
        quote = redacted(as_str(self.fields.get("quote")))
        return NewEvidence(
            quote=quote,
            start=self.whole("start") or 0,
            end=self.whole("end") or len(quote),
            reference=self.text("reference"),
            source=self.text("source"),
            title=self.text("title"),
            said_at=self.time("said_at"),
        )

    def version(self) -> NewVersion:
        text = redacted(as_str(self.fields.get("text")))
        return NewVersion(text, self.time("at") or clock.now(), self.whole("merged_from"), content_key(text))

    def external_id(self) -> str | None:
        """Return the id unredacted, since ids may differ only in parts that look like secrets; imports hash it."""
        value = self.fields.get("external_id") if "external_id" in self.fields else first_text(self.fields, "id")
        if isinstance(value, bool | list | dict):
            raise ValueError("external_id is not a text")
        return None if value is None else clean(str(value)).strip() or None

    def importance(self) -> int:
        """Return 1-10; a fraction `s` of 0 to 1, the surprise score of other systems, is round(1 + 9 s)."""
        value = self.fields.get("importance")
        if isinstance(value, float) and 0 <= value <= 1:
            return round(1 + 9 * value)
        return self.whole("importance", 1, 10) or 5

    def expiry(self, kind: Kind, created_at: int | None) -> int | None:
        """Return the end date: `expires_at`, or `created_at` plus `expires_in` ("7d", "12w"), except for identity."""
        given = self.fields.get("expires_in")
        if self.fields.get("expires_at") is not None or given is None:
            return self.time("expires_at")
        found = re.fullmatch(r"(\d{1,4}) ?([dw])|never", as_str(given).strip().lower())
        if found is None:
            raise ValueError('expires_in is not a number of days or weeks ("30d", "12w") or "never"')
        if found[1] is None or kind is Kind.IDENTITY:
            return None
        days = int(found[1]) * (7 if found[2] == "w" else 1)
        return (clock.now() if created_at is None else created_at) + days * clock.DAY

    def text(self, name: str) -> str | None:
        value = self.fields.get(name)
        if value is None or isinstance(value, str):
            return safe(value)
        if isinstance(value, bool | list | dict):
            raise ValueError(f"{name} is not a text")
        return str(value)

    def choice(self, name: str, choices: type[_Choice], default: _Choice) -> _Choice:
        value = self.fields.get(name)
        if value is None:
            return default
        try:
            return choices(as_str(value).strip().lower())
        except ValueError:
            raise ValueError(f"{name} is not one of {', '.join(choices)}") from None

    def number(self, name: str) -> float | None:
        value = self.fields.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < math.inf:
            raise ValueError(f"{name} is not a number")
        return value

    def share(self, name: str, default: float) -> float:
        value = self.number(name)
        if value is None:
            return default
        if not 0 <= value <= 1:
            raise ValueError(f"{name} is not between 0 and 1")
        return float(value)

    def whole(self, name: str, least: int = 0, most: int = LARGEST) -> int | None:
        value = self.number(name)
        if value is None:
            return None
        if value != int(value) or not least <= value <= most:
            raise ValueError(f"{name} is not a whole number from {least} to {most:,}")
        return int(value)

    def time(self, name: str) -> int | None:
        """Return a time in microseconds, from ISO 8601 (any year) or a number."""
        value = self.fields.get(name)
        if value is None:
            return None
        if isinstance(value, str):
            with contextlib.suppress(ValueError):
                return clock.from_iso(value.strip())
        micros = as_time(value)
        if micros is None:
            raise ValueError(f"{name} is not a time that can be: ISO 8601, or a number of seconds since 1970")
        return micros


def fits(record: JsonObject) -> bool:
    """Return True for a record of this format."""
    if isinstance(record.get("text"), str) and not ({"role", "author", "type"} & record.keys()):
        return True
    return bool(first_text(record, "text")) and bool(first_text(record, "id", "external_id"))


FORMAT = LogFormat(Format.MEMORIES, "a list of memories", read, fits=fits)

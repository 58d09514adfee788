"""One filter for every engine, SQLite, DuckDB and LanceDB, and the syntax of filter texts.

A filter text has terms like `kind:preference`, `project:"my site"`, or a word alone. Quotes around a value hold spaces
together; a quote inside of them is written twice. What the names mean is up to the caller.
"""

import re
from dataclasses import dataclass, replace
from enum import StrEnum

from store.model import Kind, Life, Origin, Rank, Review, Tier
from store.sanitize import storable


class Sort(StrEnum):
    """The orders in which memories can be listed."""

    CREATED = "created"
    ADDED = "added"
    CONFIDENCE = "confidence"
    IMPORTANCE = "importance"
    TEXT = "text"
    MATTERS = "matters"
    USED = "used"


class Dialect(StrEnum):
    """Whose SQL; they differ only in tags, alerts, uses and substring search. LANCE has no uses, delays and ends."""

    SQLITE = "sqlite"
    DUCKDB = "duckdb"
    LANCE = "lance"


SCORE = "coalesce(user_score / 10.0, confidence)"
"""What the person gave overrides what a machine thought."""

MATTERS = (
    "importance + CASE tier WHEN 'core' THEN 3 WHEN 'low' THEN -2 ELSE 0 END"
    " + 5 * coalesce(json_extract(surprise, '$[1]'), 0) + 2 * coalesce(json_extract(surprise, '$[0]'), 0)"
)
"""How much a decision of the person matters, as SQLite computes it: from -1 to 20, higher first.

Importance (1-10), 3 more for the core tier and 2 less for the low one, up to 5 more for what contradicts something
known and up to 2 more for what is new. The record's index over the inbox holds this very expression; in DuckDB it is
the column `matters`.
"""

SOURCE = "coalesce(source, 'typed')"
"""The format of the log a memory comes from; what comes from none was typed, or imported as a memory."""


@dataclass(frozen=True, slots=True)
class Filter:
    """Which memories are meant. Several values of one field mean any of them; several fields mean all of them."""

    kinds: tuple[Kind, ...] = ()
    tiers: tuple[Tier, ...] = ()
    ranks: tuple[Rank, ...] = ()
    reviews: tuple[Review, ...] = ()
    lives: tuple[Life, ...] = (Life.LIVE,)  # () means any
    origins: tuple[Origin, ...] = ()
    projects: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()  # all of them
    scopes: tuple[str, ...] = ()
    pinned: bool | None = None
    conflict: bool | None = None
    flagged: bool | None = None
    quarantine: bool | None = None  # flagged, and not validated
    created_after: int | None = None
    created_before: int | None = None
    score_above: float | None = None
    score_below: float | None = None
    score_least: float | None = None
    used_least: int | None = None  # recalls
    used_most: int | None = None
    due_by: int | None = None  # not put off beyond this moment
    put_off_at: int | None = None  # put off beyond this moment
    unexpired_at: int | None = None  # its time not over at this moment, or pinned; only SQLITE knows
    text: str = ""  # substring, letter case ignored; for browsing, not for search

    def sql(self, dialect: Dialect) -> str:
        """A boolean SQL expression over the memory columns; `true` where nothing is asked.

        Values are quoted here, since LanceDB takes no parameters. Raises ValueError for a condition that LanceDB's
        tables hold nothing of (`indexed`).
        """
        if dialect is Dialect.LANCE and self != self.indexed():
            raise ValueError("the search index holds no uses, delays and ends: ask it for `indexed`, confirm the rest")
        if dialect is Dialect.DUCKDB and self.unexpired_at is not None:
            raise ValueError("analytics holds no ends: ask the record")
        parts: list[str] = []
        for column, values in (
            ("kind", self.kinds),
            ("tier", self.tiers),
            ("rank", self.ranks),
            ("review", self.reviews),
            ("life", self.lives),
            ("origin", self.origins),
            ("project", self.projects),
            (SOURCE, self.sources),
            ("scope", self.scopes),
        ):
            if len(values) == 1:  # `=`, not IN: so SQLite sees that a partial index holds all there are
                parts.append(f"{column} = {quote(str(values[0]))}")
            elif values:
                parts.append(f"{column} IN ({', '.join(quote(str(value)) for value in values)})")
        parts += [_has_tag(tag, dialect) for tag in self.tags]
        if self.pinned is not None:
            parts.append("pinned" if self.pinned else "NOT pinned")
        if self.conflict is not None:
            parts.append(("" if self.conflict else "NOT ") + _HAS_CONFLICT[dialect])
        if self.flagged is not None:
            parts.append("flag IS NOT NULL" if self.flagged else "flag IS NULL")
        if self.quarantine is not None:
            parts.append(
                "(flag IS NOT NULL AND review <> 'validated')"
                if self.quarantine
                else "(flag IS NULL OR review = 'validated')"
            )
        if self.created_after is not None:
            parts.append(f"created_at >= {self.created_after}")
        if self.created_before is not None:
            parts.append(f"created_at < {self.created_before}")
        if self.score_above is not None:
            parts.append(f"{SCORE} > {self.score_above!r}")
        if self.score_below is not None:
            parts.append(f"{SCORE} < {self.score_below!r}")
        if self.score_least is not None:
            parts.append(f"{SCORE} >= {self.score_least!r}")
        if self.used_least is not None:
            parts.append(f"{_USED[dialect]} >= {self.used_least}")
        if self.used_most is not None:
            parts.append(f"{_USED[dialect]} <= {self.used_most}")
        if self.due_by is not None:
            parts.append(f"(later_until IS NULL OR later_until <= {self.due_by})")
        if self.put_off_at is not None:
            parts.append(f"later_until > {self.put_off_at}")
        if self.unexpired_at is not None:
            parts.append(f"(expires_at IS NULL OR expires_at > {self.unexpired_at} OR pinned)")
        if self.text:
            parts.append(_contains(self.text, dialect))
        return " AND ".join(parts) or "true"

    def vouched(self) -> "Filter":
        """What of this the person validated; nothing where the reviews it asks for are others."""
        only = replace(self, reviews=(Review.VALIDATED,))
        if self.reviews and Review.VALIDATED not in self.reviews:
            return replace(only, created_after=0, created_before=0)  # which is never
        return only

    def indexed(self) -> "Filter":
        """What of this the search index can judge; the rest (uses, delays, ends) is for the record to confirm."""
        return replace(self, used_least=None, used_most=None, due_by=None, put_off_at=None, unexpired_at=None)


def quote(text: str) -> str:
    """An SQL string literal; NUL, which none of the engines takes, is dropped; what is no text is as it is stored."""
    return "'" + storable(text.replace("\0", "")).replace("'", "''") + "'"


USED = "coalesce((SELECT times FROM uses WHERE uses.memory = memories.id), 0)"
"""How often a memory was recalled, as SQLite finds it."""

_USED = {Dialect.SQLITE: USED, Dialect.DUCKDB: "used"}

STANDING_ALERTS = (
    "alerts t CROSS JOIN memories x ON x.id = t.a AND x.life = 'live'"  # CROSS: from the alerts, which are few
    " CROSS JOIN memories y ON y.id = t.b AND y.life = 'live'"
    " WHERE t.settled IS NULL"
    " AND (t.former = '[]' OR instr(t.former, x.content_key || '\",\"' || y.content_key) = 0)"
)
"""The alerts that nobody has settled, for what their memories say now, as `t`, between `x` and `y`, both live.

Whoever follows events must look at the other side as well: it has a conflict or none by what becomes of this one.
"""

OPEN_ALERTS = f"{STANDING_ALERTS} AND t.relation <> 'unsure'"
"""Those of them that wait for the person; of what the rules leave open a model is asked first."""

_HAS_CONFLICT = {
    Dialect.SQLITE: f"id IN (SELECT t.a FROM {OPEN_ALERTS} UNION ALL SELECT t.b FROM {OPEN_ALERTS})",
    Dialect.DUCKDB: "conflict",
    Dialect.LANCE: "conflict",
}


def _has_tag(tag: str, dialect: Dialect) -> str:
    if dialect is Dialect.SQLITE:
        return f"EXISTS (SELECT 1 FROM tags WHERE tags.memory = memories.id AND tags.tag = {quote(tag)})"
    function = "list_contains" if dialect is Dialect.DUCKDB else "array_has"
    return f"{function}(tags, {quote(tag)})"


def _contains(text: str, dialect: Dialect) -> str:
    escaped = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    operator = "LIKE" if dialect is Dialect.SQLITE else "ILIKE"
    return f"text {operator} {quote('%' + escaped + '%')} ESCAPE '\\'"


_TERM = re.compile(r'(?:(\w+):)?(?:"([^"]*(?:""[^"]*)*)"|(\S+))')


def split_terms(text: str) -> list[str]:
    """Return the terms of a filter text as they are written, quotes kept."""
    return [match[0] for match in _TERM.finditer(text)]


def parse_terms(text: str) -> list[tuple[str, str]]:
    """Return the terms of a filter text as (name, value); the name is "" for a word alone."""
    return [
        (match[1] or "", match[3] if match[2] is None else match[2].replace('""', '"'))
        for match in _TERM.finditer(text)
    ]


def format_term(name: str, value: str) -> str:
    """Return a term as it is written, quoted only where it must be; without a name, a word alone."""
    front = f"{name}:" if name else ""
    bare = front + value
    if '"' not in value and parse_terms(bare) == [(name, value)]:
        return bare
    quoted = value.replace('"', '""')
    return f'{front}"{quoted}"'


def close_quote(term: str) -> str:
    """Return a term that others can follow: an open quote would swallow them."""
    ((name, value),) = parse_terms(term)
    return format_term(name, value) if value.startswith('"') and term.count('"') % 2 else term

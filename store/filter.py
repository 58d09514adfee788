"""One filter for SQLite, DuckDB and LanceDB, and the syntax of filter texts.

A filter text has terms like `kind:preference`, `project:"my site"`, or a single word. Quotes allow spaces in a value; a
quote inside is doubled. The caller defines the names.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from store.model import Given, Kind, Life, Origin, Rank, Review, Tier
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
    """SQL dialects; they differ only in tags, alerts, uses and substring search. LANCE has no uses, delays and ends."""

    SQLITE = "sqlite"
    DUCKDB = "duckdb"
    LANCE = "lance"


SCORE = "coalesce(user_score / 10.0, confidence)"
"""The person's score overrides the machine's."""

MATTERS = (
    "importance + CASE tier WHEN 'core' THEN 3 WHEN 'low' THEN -2 ELSE 0 END"
    " + 5 * coalesce(json_extract(surprise, '$[1]'), 0) + 2 * coalesce(json_extract(surprise, '$[0]'), 0)"
)
"""Review priority of a memory, as SQLite computes it: from -1 to 20, higher first.

Importance (1-10), plus 3 for the core tier or minus 2 for the low one, plus up to 5 for contradicting known memories
and up to 2 for novelty. The record's index over the inbox contains this exact expression; in DuckDB it is the
column `matters`.
"""

SOURCE = "coalesce(source, 'typed')"
"""The format of the log a memory comes from; without one, it was typed, or imported as a memory."""


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition on memories. Several values of one field mean any of them; several fields mean all of them."""

    kinds: tuple[Kind, ...] = ()
    tiers: tuple[Tier, ...] = ()
    ranks: tuple[Rank, ...] = ()
    reviews: tuple[Review, ...] = ()
    lives: tuple[Life, ...] = (Life.LIVE,)  # () matches any
    origins: tuple[Origin, ...] = ()
    projects: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()  # requires all of them
    scopes: tuple[str, ...] = ()
    given: tuple[Given, ...] = ()  # not in LanceDB's tables
    topics: tuple[str, ...] = ()  # names; to be replaced by `among` (`curator.topics`) before it is used
    among: tuple[int, ...] | None = None  # ids
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
    due_by: int | None = None  # not deferred beyond this moment
    deferred_at: int | None = None  # deferred beyond this moment
    unexpired_at: int | None = None  # not expired at this moment, or pinned; SQLITE only
    ended_at: int | None = None  # expired, or past its own end at this moment
    text: str = ""  # case-insensitive substring; for browsing, not for search

    def sql(self, dialect: Dialect) -> str:
        """Return a boolean SQL expression over the memory columns; `true` for a filter without conditions.

        Values are quoted here, since LanceDB has no parameters. Raises ValueError for a condition on data missing from
        LanceDB's tables (`indexed`), and for topics.
        """
        if dialect is Dialect.LANCE and self != self.indexed():
            raise ValueError("the search index holds no uses, delays and ends: ask it for `indexed`, confirm the rest")
        if self.topics:
            raise ValueError(f"the memories of the topic {self.topics[0]} are not known yet")
        parts: list[str] = []
        if self.among is not None:
            ids = ",".join(map(str, self.among)) or "-1"
            if dialect is Dialect.DUCKDB:  # which takes half a second to parse a list of 16,000 numbers
                ids = f"SELECT unnest(string_split('{ids}', ',')::BIGINT[])"
            parts.append(f"id IN ({ids})")
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
            ("given", self.given),
        ):
            if len(values) == 1:  # `=`, not IN: SQLite then recognizes that a partial index covers the query
                parts.append(f"{column} = {quote(str(values[0]))}")
            elif values:
                parts.append(f"{column} IN ({', '.join(quote(str(value)) for value in values)})")
        parts += [_HAS_TAG[dialect].format(quote(tag)) for tag in self.tags]
        conflict, used = _HAS_CONFLICT[dialect], _USED.get(dialect)
        flags = (
            (self.pinned, "pinned", "NOT pinned"),
            (self.conflict, conflict, f"NOT {conflict}"),
            (self.flagged, "flag IS NOT NULL", "flag IS NULL"),
            (self.quarantine, "(flag IS NOT NULL AND review <> 'validated')", "(flag IS NULL OR review = 'validated')"),
        )
        parts += [yes if value else no for value, yes, no in flags if value is not None]
        bounds = (
            (self.created_after, "created_at >= {!r}"),
            (self.created_before, "created_at < {!r}"),
            (self.score_above, SCORE + " > {!r}"),
            (self.score_below, SCORE + " < {!r}"),
            (self.score_least, SCORE + " >= {!r}"),
            (self.used_least, f"{used} >= {{!r}}"),
            (self.used_most, f"{used} <= {{!r}}"),
            (self.due_by, "(later_until IS NULL OR later_until <= {!r})"),
            (self.deferred_at, "later_until > {!r}"),
            (self.unexpired_at, "(expires_at IS NULL OR expires_at > {!r} OR pinned)"),
        )
        parts += [test.format(value) for value, test in bounds if value is not None]
        if self.ended_at is not None:
            over = f"(life = 'live' AND expires_at <= {self.ended_at} AND NOT pinned)"
            parts.append(f"(life = 'expired' OR {over})")
        if self.text:
            escaped = self.text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
            operator = "LIKE" if dialect is Dialect.SQLITE else "ILIKE"
            parts.append(f"text {operator} {quote('%' + escaped + '%')} ESCAPE '\\'")
        return " AND ".join(parts) or "true"

    @property
    def includes_live(self) -> bool:
        """True unless it asks for other states of life only."""
        return not self.lives or Life.LIVE in self.lives

    def validated_only(self) -> "Filter":
        """Return the filter for validated memories only; it matches nothing if it asks for other reviews."""
        only = replace(self, reviews=(Review.VALIDATED,))
        return only if Review.VALIDATED in (self.reviews or only.reviews) else only.nothing()

    def within(self, scopes: Sequence[str]) -> "Filter":
        """Return the filter for memories of some scopes only; it matches nothing if it asks for others."""
        both = tuple(scope for scope in scopes if scope in (self.scopes or scopes))
        return replace(self, scopes=both) if both else self.nothing()

    def nothing(self) -> "Filter":
        """Return the filter changed so that it matches nothing."""
        return replace(self, created_after=0, created_before=0)

    def indexed(self) -> "Filter":
        """Return the part that the search index can test; the record confirms the rest: uses, delays, ends, given."""
        return replace(
            self,
            used_least=None,
            used_most=None,
            due_by=None,
            deferred_at=None,
            unexpired_at=None,
            ended_at=None,
            given=(),
        )


def quote(text: str) -> str:
    """Return an SQL string literal; NUL, which no engine accepts, is dropped; lone surrogates are replaced."""
    return "'" + storable(text.replace("\0", "")).replace("'", "''") + "'"


USED = "coalesce((SELECT times FROM uses WHERE uses.memory = memories.id), 0)"
"""The number of recalls of a memory, in SQLite."""

_USED = {Dialect.SQLITE: USED, Dialect.DUCKDB: "used"}

STANDING_ALERTS = (
    "alerts t CROSS JOIN memories x ON x.id = t.a AND x.life = 'live'"  # CROSS: scan the alerts first, which are few
    " CROSS JOIN memories y ON y.id = t.b AND y.life = 'live'"
    " WHERE t.settled IS NULL"
    " AND (t.former = '[]' OR instr(t.former, x.content_key || '\",\"' || y.content_key) = 0)"
)
"""The unresolved alerts on the present texts of their memories, as `t`, between `x` and `y`, both live.

Code that follows events must update the other side as well: its conflict depends on this memory's state.
"""

OPEN_ALERTS = f"{STANDING_ALERTS} AND t.relation <> 'unsure'"
"""Those that wait for the person; `unsure` ones are first judged by a model."""

_HAS_CONFLICT = {
    Dialect.SQLITE: f"id IN (SELECT t.a FROM {OPEN_ALERTS} UNION ALL SELECT t.b FROM {OPEN_ALERTS})",
    Dialect.DUCKDB: "conflict",
    Dialect.LANCE: "conflict",
}


_HAS_TAG = {
    Dialect.SQLITE: "EXISTS (SELECT 1 FROM tags WHERE tags.memory = memories.id AND tags.tag = {})",
    Dialect.DUCKDB: "list_contains(tags, {})",
    Dialect.LANCE: "array_has(tags, {})",
}

_TERM = re.compile(r'(?:(\w+):)?(?:"([^"]*(?:""[^"]*)*)"|(\S+))')


def split_terms(text: str) -> list[str]:
    """Return the terms of a filter text as written, with quotes."""
    return [match[0] for match in _TERM.finditer(text)]


def parse_terms(text: str) -> list[tuple[str, str]]:
    """Return the terms of a filter text as (name, value); the name is "" for a single word."""
    return [
        (match[1] or "", match[3] if match[2] is None else match[2].replace('""', '"'))
        for match in _TERM.finditer(text)
    ]


def format_term(name: str, value: str) -> str:
    """Return a term in filter syntax, quoted only if necessary; without a name, a single word."""
    front = f"{name}:" if name else ""
    bare = front + value
    if '"' not in value and parse_terms(bare) == [(name, value)]:
        return bare
    quoted = value.replace('"', '""')
    return f'{front}"{quoted}"'


def close_quote(term: str) -> str:
    """Close an open quote of a term, which would include the terms that follow."""
    ((name, value),) = parse_terms(term)
    return format_term(name, value) if value.startswith('"') and term.count('"') % 2 else term

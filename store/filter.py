"""Filters on memories as SQL for SQLite, DuckDB and LanceDB, and the syntax of filter texts.

A filter text consists of terms like `kind:preference`, `project:"my site"` or a single word. Quotes allow spaces in a
value; a quote inside a quoted value is doubled. The caller defines the valid names.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from itertools import chain
from string import ascii_letters

from store.model import ASKED, Given, Kind, Life, Origin, Rank, Review, Tier
from store.sanitize import storable, unaccented


class Sort(StrEnum):
    """Orders in which memories can be listed."""

    CREATED = "created"
    ADDED = "added"
    CONFIDENCE = "confidence"
    IMPORTANCE = "importance"
    TEXT = "text"
    MATTERS = "matters"
    USED = "used"


class Dialect(StrEnum):
    """SQL dialects. They differ in tags, alerts, uses and substring search; see `Filter.indexed` for LANCE."""

    SQLITE = "sqlite"
    DUCKDB = "duckdb"
    LANCE = "lance"


SCORE = "coalesce(user_score / 10.0, confidence)"
"""Score of a memory from 0 to 1: the person's if there is one, else the machine's confidence."""

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
"""Format of the log that a memory comes from; "typed" for memories typed or imported as such."""


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition on memories: all fields that are set must match; a field with several values matches any of them."""

    kinds: tuple[Kind, ...] = ()
    tiers: tuple[Tier, ...] = ()
    ranks: tuple[Rank, ...] = ()
    reviews: tuple[Review, ...] = ()
    lives: tuple[Life, ...] = (Life.LIVE,)  # () matches any
    origins: tuple[Origin, ...] = ()
    projects: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()  # all of them must match
    scopes: tuple[str, ...] = ()
    given: tuple[Given, ...] = ()  # not in LanceDB's tables
    topics: tuple[str, ...] = ()  # names; the caller must replace them by `among` (see `curator.topics`)
    among: tuple[int, ...] | None = None  # ids of memories
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
    due_by: int | None = None  # review not deferred beyond this time
    deferred_at: int | None = None  # review deferred beyond this time
    unexpired_at: int | None = None  # own expiry date not passed at this time, or pinned; SQLITE only
    ended_at: int | None = None  # state "expired", or own expiry date passed at this time
    words: tuple[str, ...] = ()  # all must occur in the text, in any case and order; for browsing, not for search

    def sql(self, dialect: Dialect) -> str:
        """Return a boolean SQL expression over the columns of memories; `true` if there are no conditions.

        Values are inlined as literals, since LanceDB has no parameters. Raises ValueError for topics, and for LANCE if
        a condition needs data that its tables lack (see `indexed`).
        """
        if dialect is Dialect.LANCE and self != self.indexed():
            raise ValueError("the search index holds no uses, delays and ends: ask it for `indexed`, confirm the rest")
        if self.topics:
            raise ValueError(f"the memories of the topic {self.topics[0]} are not known yet")
        parts: list[str] = []
        if self.among is not None:
            ids = ",".join(map(str, self.among)) or "-1"
            if dialect is Dialect.DUCKDB:  # parsing a list of 16,000 numbers takes DuckDB half a second
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
            if len(values) == 1:  # with `=` instead of IN, SQLite can use a partial index
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
        parts += [_contains(word, dialect) for word in self.words]
        return " AND ".join(parts) or "true"

    @property
    def includes_live(self) -> bool:
        """True if live memories can match."""
        return not self.lives or Life.LIVE in self.lives

    def validated_only(self) -> "Filter":
        """Return the filter narrowed to validated memories; it matches nothing if it requires another review."""
        only = replace(self, reviews=(Review.VALIDATED,))
        return only if Review.VALIDATED in (self.reviews or only.reviews) else only.nothing()

    def within(self, scopes: Sequence[str]) -> "Filter":
        """Return the filter narrowed to some scopes; it matches nothing if it requires other scopes."""
        both = tuple(scope for scope in scopes if scope in (self.scopes or scopes))
        return replace(self, scopes=both) if both else self.nothing()

    def nothing(self) -> "Filter":
        """Return a filter that matches nothing."""
        return replace(self, created_after=0, created_before=0)

    def indexed(self) -> "Filter":
        """Return the filter without the conditions that the search index cannot test; the record must test those."""
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


def _contains(word: str, dialect: Dialect) -> str:
    """Return a condition for texts that contain a word, in any case; with or without accents if it is a Latin one."""
    latin = _LATIN.fullmatch(unicodedata.normalize("NFC", word)) is not None
    plain = unaccented(word) if latin else word
    operator = "LIKE" if dialect is Dialect.SQLITE else "ILIKE"
    escaped = plain.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    pattern = f"{operator} {quote(f'%{escaped}%')} ESCAPE '\\'"
    if not (latin and any(map(str.isalpha, plain))):
        return f"text {pattern}"
    if dialect is Dialect.LANCE:
        letters = "".join(
            f"[{char}{_accented(char)}][\u0300-\u036f]*" if char in ascii_letters else re.escape(char) for char in plain
        )
        return f"regexp_like(text, {quote('(?i)' + letters)})"
    if dialect is Dialect.DUCKDB:
        return f"strip_accents(text) {pattern}"
    # a text with other than ASCII characters has more bytes than characters
    other = "length(text) < length(CAST(text AS BLOB))"
    return f"(text {pattern} OR ({other} AND unaccented(text) {pattern}))"


@cache
def _accented(letter: str) -> str:
    """Return the Latin letters that are this ASCII letter with an accent."""
    letters = map(chr, chain(range(0xC0, 0x250), range(0x1E00, 0x1F00)))
    return "".join(one for one in letters if unaccented(one).casefold() == letter.casefold())


def quote(text: str) -> str:
    """Return a text as an SQL string literal, without NUL characters and with lone surrogates replaced."""
    return "'" + storable(text.replace("\0", "")).replace("'", "''") + "'"


USED = "coalesce((SELECT times FROM uses WHERE uses.memory = memories.id), 0)"
"""Number of recalls of a memory, as a SQLite expression."""

_LATIN = re.compile("[\x00-\u024f\u1e00-\u1eff\u2010-\u2027]*")
_USED = {Dialect.SQLITE: USED, Dialect.DUCKDB: "used"}

_UNASKED = f"({{0}}.flag IS NULL OR {{0}}.flag <> '{ASKED}' OR {{0}}.review = 'validated')"
STANDING_ALERTS = (
    # CROSS makes SQLite scan the few alerts first
    f"alerts t CROSS JOIN memories x ON x.id = t.a AND x.life = 'live' AND {_UNASKED.format('x')}"
    f" CROSS JOIN memories y ON y.id = t.b AND y.life = 'live' AND {_UNASKED.format('y')}"
    " WHERE t.settled IS NULL"
    " AND (t.former = '[]' OR instr(t.former, x.content_key || '\",\"' || y.content_key) = 0)"
)
"""FROM and WHERE clauses for unresolved alerts `t` between live memories `x` and `y` with their current texts.

A memory that the person asked to forget has none until the person decides, so that no conflict shows it.

Whether a memory has a conflict also depends on the other memory: code that follows events must update both.
"""

OPEN_ALERTS = f"{STANDING_ALERTS} AND t.relation <> 'unsure'"
"""The same for alerts that wait for the person; `unsure` alerts are judged by a model first."""

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
    """Return a term with its quote closed, so that it does not swallow the terms appended to it."""
    ((name, value),) = parse_terms(term)
    return format_term(name, value) if value.startswith('"') and term.count('"') % 2 else term

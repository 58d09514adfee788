"""One filter for every engine: the same question asked of SQLite, DuckDB and LanceDB."""

from dataclasses import dataclass
from enum import StrEnum

from store.model import Kind, Life, Origin, Rank, Review, Tier


class Sort(StrEnum):
    """The orders in which memories can be listed."""

    CREATED = "created"
    ADDED = "added"
    CONFIDENCE = "confidence"
    IMPORTANCE = "importance"
    TEXT = "text"


class Dialect(StrEnum):
    """Whose SQL; they differ only in tags, alerts and substring search."""

    SQLITE = "sqlite"
    DUCKDB = "duckdb"
    LANCE = "lance"


SCORE = "coalesce(user_score / 10.0, confidence)"
"""What the person gave overrides what a machine thought."""


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
    created_after: int | None = None
    created_before: int | None = None
    score_above: float | None = None
    score_below: float | None = None
    text: str = ""  # substring, letter case ignored; for browsing, not for search

    def sql(self, dialect: Dialect) -> str:
        """A boolean SQL expression over the memory columns; `true` where nothing is asked.

        Values are quoted here, since LanceDB takes no parameters.
        """
        parts: list[str] = []
        for column, values in (
            ("kind", self.kinds),
            ("tier", self.tiers),
            ("rank", self.ranks),
            ("review", self.reviews),
            ("life", self.lives),
            ("origin", self.origins),
            ("project", self.projects),
            ("source", self.sources),
            ("scope", self.scopes),
        ):
            if values:
                parts.append(f"{column} IN ({', '.join(quote(str(value)) for value in values)})")
        parts += [_has_tag(tag, dialect) for tag in self.tags]
        if self.pinned is not None:
            parts.append("pinned" if self.pinned else "NOT pinned")
        if self.conflict is not None:
            parts.append(("" if self.conflict else "NOT ") + _HAS_CONFLICT[dialect])
        if self.flagged is not None:
            parts.append("flag IS NOT NULL" if self.flagged else "flag IS NULL")
        if self.created_after is not None:
            parts.append(f"created_at >= {self.created_after}")
        if self.created_before is not None:
            parts.append(f"created_at < {self.created_before}")
        if self.score_above is not None:
            parts.append(f"{SCORE} > {self.score_above!r}")
        if self.score_below is not None:
            parts.append(f"{SCORE} < {self.score_below!r}")
        if self.text:
            parts.append(_contains(self.text, dialect))
        return " AND ".join(parts) or "true"


def quote(text: str) -> str:
    """An SQL string literal; NUL, which none of the engines takes, is dropped."""
    return "'" + text.replace("\0", "").replace("'", "''") + "'"


_HAS_CONFLICT = {
    Dialect.SQLITE: "(id IN (SELECT a FROM alerts WHERE settled IS NULL)"
    " OR id IN (SELECT b FROM alerts WHERE settled IS NULL))",
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

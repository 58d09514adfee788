"""The values that memories can be filtered by, with how many have each now."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from curator.filters.memories import BadFilter, parse_filter
from store.analytics import Analytics, Facet
from store.filter import format_term, parse_terms, split_terms

SHOWN = 12  # values of one facet; the rest is counted
_FACETS = (
    ("kind", Facet.KIND),
    ("tier", Facet.TIER),
    ("state", Facet.STATE),
    ("review", Facet.REVIEW),
    ("project", Facet.PROJECT),
    ("source", Facet.SOURCE),
    ("origin", Facet.ORIGIN),
    ("tag", Facet.TAG),
)


@dataclass(frozen=True, slots=True)
class FacetRow:
    """A line of the facets: a heading, or a value with its count; `term` filters by it, empty where none does."""

    label: str
    count: int
    term: str = ""
    chosen: bool = False


def read(analytics: Analytics, base: str, text: str, now: int, only: Sequence[int] | None = None) -> list[FacetRow]:
    """The facets of what a filter means, of a list named one by one (`only`) if there is one, whatever its words.

    A facet's own terms do not narrow it down, so that others can be added.
    """
    rows: list[FacetRow] = []
    chosen = {(name, value.casefold()) for name, value in parse_terms(text) if name}
    for name, by in _FACETS:
        others = " ".join(part for part in split_terms(text) if not part.casefold().startswith(f"{name}:"))
        try:
            wanted = parse_filter(f"{base} {others}", now=now)
            counts = analytics.facet(by, wanted if only is None else replace(wanted, text=""), only)
        except BadFilter:
            return []
        given = {value for own, value in chosen if own == name}
        counts = [(value, count) for value, count in counts if value]
        counts += [(value, 0) for value in given if value not in {other.casefold() for other, _ in counts}]
        if len(counts) + len(given) < 2:
            continue  # a facet with one value says nothing
        rows.append(FacetRow(name, len(counts)))
        first = sorted(counts, key=lambda item: item[0].casefold() not in given)[: max(SHOWN, len(given))]
        for value, count in sorted(first, key=lambda item: (-item[1], item[0])):
            rows.append(FacetRow(value, count, format_term(name, value), value.casefold() in given))
        if len(counts) > len(first):
            rows.append(FacetRow(f"and {len(counts) - len(first):,} more", 0))
    return rows

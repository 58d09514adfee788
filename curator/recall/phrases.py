"""Quoted phrases in queries, which must match literally."""

import re

_QUOTED = re.compile(r'"([^"]*)"')
_MARKS = str.maketrans("“”„‟«»’‘", '""""""\'\'')


def phrases_of(query: str) -> tuple[str, ...]:
    """Return the quoted phrases of a query, as returned by `folded`."""
    return tuple(phrase for quoted in _QUOTED.findall(query.translate(_MARKS)) if (phrase := folded(quoted)))


def without_quotes(query: str) -> str:
    """Return a query without its quotation marks."""
    return _QUOTED.sub(r" \1 ", query.translate(_MARKS)).strip()


def beside_quotes(query: str) -> str:
    """Return a query without its quoted phrases."""
    return _QUOTED.sub(" ", query.translate(_MARKS)).strip()


def folded(text: str) -> str:
    """Return a text normalised for comparing phrases: lower case, straight quotes, single spaces."""
    return " ".join(text.translate(_MARKS).casefold().split())


def has_all(text: str, phrases: tuple[str, ...]) -> bool:
    """Return True if a text has each of these phrases."""
    plain = folded(text) if phrases else ""
    return all(phrase in plain for phrase in phrases)

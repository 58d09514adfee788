"""Quoted phrases in queries, which must match literally."""

import re

_QUOTED = re.compile(r'"([^"]*)"')
_MARKS = str.maketrans("“”„‟«»’‘", '""""""\'\'')


def phrases_of(query: str) -> tuple[str, ...]:
    """Return the quoted phrases of a query, as returned by `fold_phrase`."""
    return tuple(phrase for quoted in _QUOTED.findall(query.translate(_MARKS)) if (phrase := fold_phrase(quoted)))


def without_quotes(query: str) -> str:
    """Return a query without its quotation marks."""
    return _QUOTED.sub(r" \1 ", query.translate(_MARKS)).strip()


def without_phrases(query: str) -> str:
    """Return a query without its quoted phrases."""
    return _QUOTED.sub(" ", query.translate(_MARKS)).strip()


def fold_phrase(text: str) -> str:
    """Return a text normalised for comparing phrases: lower case, straight quotes, single spaces."""
    return " ".join(text.translate(_MARKS).casefold().split())


def has_all(text: str, phrases: tuple[str, ...]) -> bool:
    """Return True if a text has each of these phrases."""
    plain = fold_phrase(text) if phrases else ""
    return all(phrase in plain for phrase in phrases)

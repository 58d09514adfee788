"""Phrases in quotes, which are meant literally."""

import re

_QUOTED = re.compile(r'"([^"]*)"')
_MARKS = str.maketrans("“”„‟«»’‘", '""""""\'\'')


def phrases_of(query: str) -> tuple[str, ...]:
    """Return the phrases in quotes of a query, as `folded`."""
    return tuple(phrase for quoted in _QUOTED.findall(query.translate(_MARKS)) if (phrase := folded(quoted)))


def without_quotes(query: str) -> str:
    """Return a query without the quotes of its phrases."""
    return _QUOTED.sub(r" \1 ", query.translate(_MARKS)).strip()


def beside_quotes(query: str) -> str:
    """Return what a query has beside its phrases in quotes."""
    return _QUOTED.sub(" ", query.translate(_MARKS)).strip()


def folded(text: str) -> str:
    """Return a text as phrases are compared: in lower case, with straight quotes and single spaces."""
    return " ".join(text.translate(_MARKS).casefold().split())


def has_all(text: str, phrases: tuple[str, ...]) -> bool:
    """Return True if a text has each of these phrases."""
    plain = folded(text) if phrases else ""
    return all(phrase in plain for phrase in phrases)

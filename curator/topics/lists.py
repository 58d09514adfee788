"""English word lists for the names of topics."""

from functools import cache

from curator.stem import stem
from curator.text import read_toml
from curator.text.english import wordlists

_UNNAMED = """
he she they his her hers their theirs him them who whom everyone everybody everywhere nobody somebody someone anything
something nothing using based try ensure decide decided plan planned planning prefer work working going trying wanted
due last next near also after before over under per via etc both each few same such only because while until since
where when what which why how however else once again away instead rather almost else maybe perhaps please thanks okay
above across albeit along although amid amidst among amongst another anybody anyone anyway apart around aside became
behind below beneath beside besides between beyond but concerning despite done during either enough everything except
gonna gotta hello hence herself hey himself including indeed itself kinda less lest nevertheless nonetheless off onto
otherwise ought ourselves out regarding regardless shall somehow somewhere soon themselves therefore though through
throughout thus till together toward towards unlike upon wanna whatever whenever whereas wherever whether whichever
whoever whomever whose within yeah yes yet yourself yourselves
"""


@cache
def lists() -> dict[str, frozenset[str]]:
    """Return the word lists of this package."""
    return {name: frozenset(words.split()) for name, words in read_toml("curator.topics", "en.toml").items()}


@cache
def generic() -> frozenset[str]:
    """Return the stems of words that are part of any topic."""
    return frozenset(stem(word) for name in ("verbs", "qualities", "things") for word in lists()[name])


@cache
def general_things() -> frozenset[str]:
    """Return the stems of nouns that name a topic only after another word."""
    return frozenset(map(stem, lists()["things"]))


@cache
def unnamed() -> frozenset[str]:
    """Return the stems that name no topic: those of frequent words, of numbers, dates and people in general.

    `half` is none of them, for `half marathon`; alone it is generic.
    """
    known = wordlists()
    listed = (
        known.empty | (known.small - {"half"}) | known.no_sign | known.other | known.units | known.days | known.weekly
    )
    return frozenset(map(stem, (*listed, *known.numbers, *known.months, *_UNNAMED.split()))) | known.light


@cache
def function_words() -> frozenset[str]:
    """Return words that belong to no phrase."""
    known = wordlists()
    return (
        known.empty
        | known.small
        | known.other
        | frozenset("or but if than then because he she they his her their".split())
    )

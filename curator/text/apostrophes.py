"""Apostrophes that people leave out: "dont", "im", "shes"."""

import re

from curator.text.normalize import Language, language

_CONTRACTIONS = (
    *"i'm i've you're you've you'll they're they've they'll we've can't won't ain't shan't".split(),
    *"don't doesn't didn't isn't aren't wasn't weren't haven't hasn't hadn't".split(),
    *"wouldn't couldn't shouldn't mustn't needn't".split(),
    *"he's she's that's there's what's who's where's here's".split(),
)
_LEFT_OUT = {
    cased.replace("'", ""): cased
    for word in _CONTRACTIONS
    for cased in (word, word.capitalize(), *([word.upper()] if len(word) > 4 else []))
}
_WORD = re.compile(rf"\b(?![Ii]m [A-ZÄÖÜ])(?:{'|'.join(_LEFT_OUT)})\b")
_UNCLEAR = (  # words of their own, too: only where what follows shows a verb or its subject
    (
        re.compile(
            r"(?<![\w'-])([iI])d(?= (?:like|love|hate|rather|prefer|never|always|really|say|have|be|go|want|not)\b)"
            r"(?<!\b(?:an|by|my|of|or) id)(?<!\b(?:the|our|her|his|any|and|its) id)(?<!\b(?:your|user|this|that) id)"
        ),
        r"\1'd",
    ),
    (
        re.compile(r"(?<![\w'-])([iI])ll(?= (?:be|have|get|do|go|take|try|see|need|never|just|make|send|paste)\b)"),
        r"\1'll",
    ),
    (
        re.compile(r"\b([iI]t)s(?= (?:an?|the|not|now|been|just|so|too|very|only|also|still|never|always|about)\b)"),
        r"\1's",
    ),
)


def with_apostrophes(text: str) -> str:
    """Return a text with the apostrophes that it lacks: "dont" is "don't"; "id" is "I'd" only before a verb.

    German "im" is before a capital, and texts in another language stay as they are.
    """
    if language(text) is Language.OTHER:
        return text
    text = _WORD.sub(lambda found: _LEFT_OUT[found[0]], text)
    for pattern, whole in _UNCLEAR:
        text = pattern.sub(whole, text)
    return text

"""Who a text is about."""

from collections.abc import Sequence

from curator.text import stem, wordlists

_SELF = frozenset("i we me us".split())
_OPENING = frozenset("my our his her their the a since for".split())
_ALL = frozenset("people everyone everybody".split())
_OF_PEOPLE = frozenset(
    "has had likes loves hates prefers lives works drinks eats smokes speaks plays can wants thinks says moved studies "
    "uses drives owns enjoys dislikes is was got does doesn't never always".split()
)


def subject(text: str, words: Sequence[str]) -> str:
    """`i`, a relative, or a name, by how a text begins (`words` are those of its first clause).

    Things are the person's own, and what names nobody is about who says it.
    """
    people = wordlists().people
    first = [word.removesuffix("'s") for word in words[:4]]
    if not first or first[0] in _SELF:
        return "i"
    if first[0] in _OPENING:
        if "and" in words[:5] and "i" in words[:6]:
            return "i"
        return next((stem(word) for word in first[1:3] if word in people or word.removesuffix("s") in people), "i")
    if first[0] in people:
        return "i" if first[0] in _ALL else stem(first[0])
    named = text.lstrip(" -*")[:1].isupper() and not first[0].endswith("ing") and len(words) > 1
    return first[0] if named and words[1] in _OF_PEOPLE and first[0] != "user" else "i"

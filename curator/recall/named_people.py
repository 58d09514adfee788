"""Names of the people and animals that a prompt calls only by their relation to the person: "my husband"."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from curator.topics.lists import lists

_MOST_NAMES = 3  # of one relation: a person may have several sons
_QUALIFIER = r"(?:(?:new|old|older|elder|eldest|oldest|younger|youngest|little|big|twin|late|dear|two|three) )?"
_NAME = r"[^\W\d_a-z][^\W\d_]+(?:-[^\W\d_]+)?(?!-?\w|[’'](?!s\b))"
_SINGULAR = {"children": "child", "wives": "wife", "puppies": "puppy", "babies": "baby"}
_ALIKE = (
    "mother mum mom mama",
    "father dad papa",
    "grandmother grandma granny",
    "grandfather grandpa",
    "flatmate housemate roommate",
    "neighbour neighbor",
    "colleague coworker",
)
_SAME = {word: frozenset(words.split()) for words in _ALIKE for word in words.split()} | dict.fromkeys(
    ("kid", "child"), frozenset({"kid", "child", "son", "daughter"})
)
"""Words for the same relation, by word. A wife is not compared with a girlfriend: she may have been another one."""


def names_of_mentioned(prompt: str, found: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return, by relation, the names that texts `found` by a prompt give to those whom it mentions without a name.

    The relation is as written in the prompt; the names are those said most often.
    """
    related = lists()["relations"]
    mentioned = re.findall(rf"\b(?i:(?:my|our) {_QUALIFIER}([^\W\d_]+))\b(?! [A-Z])", prompt)
    words = {
        word: one
        for word in map(str.casefold, mentioned)
        if (one := word if word in related else _SINGULAR.get(word, word.removesuffix("s"))) in related
    }
    if not words:
        return {}
    texts = [*found]
    named: dict[str, tuple[str, ...]] = {}
    for word, one in words.items():
        relations = _SAME.get(one, frozenset({one}))
        relation = f"(?:{'|'.join(sorted(relations))})"
        told = re.compile(
            rf"\b(?:[Mm]y|[Oo]ur) {_QUALIFIER}{relation}(?:,| called| named| is called|[’']s name is)? ({_NAME})"
            rf"|\b({_NAME})(?:,|[’']s| is|, who is|, who[’']s) (?:my|our) {_QUALIFIER}{relation}\b"
        )
        telling = [text for text in texts if any(part in text.casefold() for part in relations)]
        said = Counter(match[1] or match[2] for text in telling for match in told.finditer(text))
        if said:
            named[word] = tuple(name for name, _ in said.most_common(_MOST_NAMES))
    return named


def with_names(prompt: str, named: Mapping[str, Sequence[str]]) -> str:
    """Return a prompt with the names after the relations: "a present for my husband Haakon"."""
    if not named:
        return prompt
    each = re.compile(rf"\b((?:my|our) {_QUALIFIER}({'|'.join(map(re.escape, named))}))\b", re.IGNORECASE)
    return each.sub(lambda found: f"{found[1]} {' '.join(named[found[2].casefold()])}", prompt)

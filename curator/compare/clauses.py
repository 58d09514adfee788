"""A text cut into clauses, each with its marks taken out: negation, tense, modality, who says it, how often."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from curator.compare.data import marks
from curator.text import first_person, wordlists
from curator.text.normalize import fold, words

MOST = 12
"""Clauses of a text that are read; memories have one or two."""

WORDS, LETTERS = 80, 40
"""Words of a clause that are read, and letters of each: what bounds the work whatever the text."""

LABELLED = 40
"""Characters that may stand behind a label, as in `Phone: Pixel 9`."""

_QUOTED = re.compile(r'"[^"\n]{3,300}"')
_END = re.compile(r"(?<=[^\W\d_])[.!?]+(?=\s|$)|(?<=\d)[.!?]+(?=\s+[^\W\d]|\s*$)|[;\n()]|\.\.\.|\s[-–—]+\s|:(?=\s)")
_CHAT = (
    (re.compile(r"\bi ?m (?=[a-z])"), "i am "),
    (re.compile(r"\bi ?ve (?=[a-z])"), "i have "),
    (re.compile(r"\b(do|does|did|is|are|was|were|wo|ca|could|would|should|have|has) ?n ?t\b"), r"\1 not"),
    (re.compile(r"\b(i|we|they|he|she|you)'d\b"), r"\1 would"),
    (re.compile(r"\b(he|she|it|that|there|here|what|who|where)'s\b"), r"\1 is"),
    (re.compile(r"^(?:no|yes|yeah|well|and|but|so|also) (?=(?:i|my|we|it)\b)"), ""),
    (re.compile(r"\b(?:me and|and me|myself and)\b"), "and i"),
)
_LABEL = re.compile(r"^[\s*-]*([^\W_]+(?:[ '’-][^\W_]+){0,3}): (?=\S)")
_NOT = re.compile(r",? (?:and|but) not? (?=[a-z])|, not (?=[a-z])")
_AGAINST = re.compile(r" (?:instead of|rather than|over(?! \d)|as opposed to|than) (.+)$")
_THIRD = ((re.compile(r"^(?:he|she|they)\b"), "i"), (re.compile(r"\b(?:his|her|their)\b"), "my"))
_NO_ONE = [[word] for word in "no this that which the a any some every was is".split()]
_ONE_OF = [[], *([word] for word in "of day who that thing or way".split())]
_CLEFT = frozenset({"not only", "not just", "no problem", "no matter", "why not", "not mind"})


class Mode(StrEnum):
    """How a clause is meant: as it is, or as a wish, plan, doubt, thought or duty."""

    FACT = "fact"
    WISH = "wish"
    PLAN = "plan"
    DOUBT = "doubt"
    IF = "hypothetical"
    MUST = "must"
    QUESTION = "question"


class When(StrEnum):
    """The time a clause speaks of."""

    PAST = "past"
    NOW = "now"


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause: its words without marks, and the marks."""

    text: str
    negative: bool = False
    ended: bool = False  # no longer so
    begun: bool = False  # so since lately
    when: When = When.NOW
    mode: Mode = Mode.FACT
    reported: bool = False
    often: str = ""
    against: str = ""  # what it is set off against: "tea over coffee"
    whole: str = ""  # with the marks

    @property
    def changed(self) -> bool:
        """Whether the clause says that something became otherwise."""
        return self.ended or self.begun


@lru_cache(maxsize=8192)
def clauses(text: str) -> tuple[Clause, ...]:
    """The clauses of a text in its order, at most `MOST`."""
    found: list[Clause] = []
    for part, reported in _parts(text):
        found.append(_read(part, reported))
        if len(found) == MOST:
            break
    return tuple(found)


def _parts(text: str) -> Iterator[tuple[str, bool]]:
    folded = fold(text)[:2_000]
    folded = folded.replace("n't", " not") if "n't" in folded else folded
    of_user = folded.startswith(("user", "the user"))
    labelled = _LABEL.match(folded)
    if labelled and len(folded) - labelled.end() <= LABELLED:
        folded = f"{labelled[1]} is {folded[labelled.end() :]}"
    quoted = _QUOTED.search(folded) is not None
    for sentence in _sentences(folded):
        asked = sentence.rstrip().endswith("?")
        for part in marks().split.split(sentence):
            listed = [word[:LETTERS] for word in words(_NOT.sub(" instead of ", part))[:WORDS]]
            plain = first_person(" ".join(listed))
            for pattern, instead in _CHAT:
                plain = pattern.sub(instead, plain)
            if of_user:
                for pattern, instead in _THIRD:
                    plain = pattern.sub(instead, plain)
            plain = plain.replace(" ?", "").strip()
            if plain:
                yield (
                    plain + (" ?" if asked else ""),
                    quoted and len(plain.split()) > 1 and _within_quotes(folded, part),
                )


def _sentences(folded: str) -> Iterator[str]:
    at = 0
    for end in _END.finditer(folded):
        if folded[at : end.start()].strip():
            yield folded[at : end.end()]
        at = end.end()
    if folded[at:].strip():
        yield folded[at:]


def _within_quotes(folded: str, part: str) -> bool:
    """Whether a quotation of three words or more makes up a good deal of this part."""
    core = part.strip(' ".,!?')
    return any(
        len(found[0].split()) >= 3 and (core in found[0] or found[0] in part) for found in _QUOTED.finditer(folded)
    )


def _read(plain: str, quoted: bool) -> Clause:
    found: set[str] = set()
    asked = plain.endswith(" ?")
    rest = plain.removesuffix(" ?")
    reported = marks().reported.match(rest)
    if reported:
        rest = rest[reported.end() :]
    against = ""
    if other := _AGAINST.search(rest):
        against, rest = other[1].strip(), rest[: other.start()]
    rest = rest.replace("not any more", "anymore").replace("not anymore", "anymore")

    def taken(match: re.Match[str]) -> str:
        found.add(match.lastgroup or "")
        return ""

    rest = " ".join(marks().taken.sub(taken, rest).split())
    kept: list[str] = []
    negations = 0
    cleft = any(phrase in rest for phrase in _CLEFT)
    for word in rest.split():
        if word in wordlists().negations and word != "without":
            negations += 1
        else:
            kept.append(word)
    ended = "ended" in found
    negative = (negations % 2 == 1 and not cleft) != ("seldom" in found)
    kept = _numbered(kept)
    return Clause(
        text=" ".join(kept),
        negative=True if ended else negative,
        ended=ended,
        begun="begun" in found and not ended,
        when=_when(kept, found),
        mode=Mode.QUESTION if asked else _mode(found),
        reported=reported is not None or quoted,
        often=next((name for name in ("always", "often", "sometimes", "seldom") if name in found), ""),
        against=against,
        whole=plain,
    )


def _numbered(listed: list[str]) -> list[str]:
    """Number words as digits; `one` only where it counts something."""
    numbers = wordlists().numbers
    return [
        word
        if word not in numbers
        or (word == "one" and (listed[at - 1 : at] in _NO_ONE or listed[at + 1 : at + 2] in _ONE_OF))
        else numbers[word]
        for at, word in enumerate(listed)
    ]


def _mode(found: set[str]) -> Mode:
    for name, mode in (("hypothetical", Mode.IF), ("wish", Mode.WISH), ("doubt", Mode.DOUBT), ("plan", Mode.PLAN)):
        if name in found:
            return mode
    return Mode.MUST if "must" in found else Mode.FACT


def _when(kept: list[str], found: set[str]) -> When:
    """By the first verb that shows it. The perfect speaks of now where it says since when."""
    if "past" in found:
        return When.PAST
    if "ended" in found or "begun" in found:
        return When.NOW
    for at, word in enumerate(kept[:8]):
        if word == "have" and kept[at + 1 : at + 2] == ["got"]:
            return When.NOW
        if word in ("have", "has") and at + 1 < len(kept) and _participle(kept[at + 1]):
            return When.NOW if "lasting" in found or kept[at + 1] == "been" else When.PAST
        if word in marks().present_verbs or word in wordlists().present:
            return When.NOW
        if word in marks().past_verbs or (
            word.endswith("ed") and not word.endswith("eed") and len(word) > 4 and at < 5
        ):
            return When.PAST
    return When.NOW


def _participle(word: str) -> bool:
    return word.endswith(("ed", "en")) or word in marks().past_verbs or word in ("been", "gone", "done", "read", "had")

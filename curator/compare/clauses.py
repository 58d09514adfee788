"""Parser of a text into clauses with negation, tense, modality, reported speech and frequency."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise

from curator.apostrophes import respell
from curator.compare.data import marks
from curator.compare.differences import count_denials
from curator.text import first_person, fold, stem, wordlists, words
from curator.text.dates import without_dates

MOST = 12
"""Maximum clauses parsed per text; memories have one or two."""

WORDS, LETTERS = 80, 40
"""Maximum words per clause and letters per word, to bound the run time."""

LABELLED = 40
"""Maximum characters after a label, as in `Phone: Pixel 9`."""

_QUOTED = re.compile(r'"[^"\n]{3,300}"')
TITLES = frozenset("dr mr mrs ms st prof".split())
_NO_TITLE = "".join(rf"(?<!\b{title})" for title in sorted(TITLES))
_END = re.compile(
    rf"(?<=[^\W\d_]){_NO_TITLE}[.!?]+(?=\s|$)|(?<=\d)[.!?]+(?=\s+[^\W\d]|\s*$)|[;\n()]|\.\.\.|\s[-–—]+\s|:(?=\s)"
)
_CHAT = (
    (re.compile(r"\bi ?m (?=[a-z])"), "i am "),
    (re.compile(r"\bi ?ve (?=[a-z])"), "i have "),
    (re.compile(r"\b(do|does|did|is|are|was|were|wo|ca|could|would|should|have|has) ?n ?t\b"), r"\1 not"),
    (re.compile(r"\b(i|we|they|he|she|you)'d\b"), r"\1 would"),
    (re.compile(r"\b(he|she|it|that|there|here|what|who|where)'s\b"), r"\1 is"),
    (re.compile(r"^(?:no|yes|yeah|well|and|but|so|also) (?=(?:i|my|we|it)\b)"), ""),
    (re.compile(r"\b(?:me and|and me|myself and)\b"), "and i"),
    (
        re.compile(  # "Tom moved mum into a care home"
            r"^(?!nobody |none )(?:i|we|they|[a-z]+)(?: and i)?(?: have| had)? moved (?:my |our |the )?"
            r"(mum|mom|mother|dad|father|parents|gran|grandma|grandmother|grandpa|grandad|grandfather|nan|aunt|uncle"
            r"|brother|sister|son|daughter)s? (?=into? )"
        ),
        r"my \1 moved ",
    ),
)
_LABEL = re.compile(r"^[\s*-]*([^\W_]+(?:[ '’-][^\W_]+){0,3}): (?=\S)")
_NOT = re.compile(r",? (?:(?:and|but) not?|so no(?! (?:more|one|longer|need|matter)\b)) (?=[a-z])|, not (?=[a-z])")
_AGAINST = re.compile(r" (?:instead of|rather than|over(?! \d)|as opposed to|than) (.+)$")
_THIRD = ((re.compile(r"^(?:he|she|they)\b"), "i"), (re.compile(r"\b(?:his|her|their)\b"), "my"))
_NO_ONE = [[word] for word in "no this that which the a any some every was is".split()]
_ONE_OF = [[], *([word] for word in "of day who that thing or way".split())]
_PARTICIPLES = frozenset({"been", "gone", "done", "read", "had"})
_FIRST_PERSON = frozenset("i we me us".split())
_OPENING = frozenset("my our his her their the a since for".split())
_ALL = frozenset("people everyone everybody".split())
_OF_PEOPLE = frozenset(
    "has had likes loves hates prefers lives works drinks eats smokes speaks plays can wants thinks says moved studies "
    "uses drives owns enjoys dislikes is was got does doesn't never always".split()
)
_CLEFT = frozenset({"not only", "not just", "no problem", "no matter", "why not", "not mind"})


class Mode(StrEnum):
    """Meaning of a clause: a fact, or a wish, plan, doubt, thought or duty."""

    FACT = "fact"
    WISH = "wish"
    PLAN = "plan"
    DOUBT = "doubt"
    IF = "hypothetical"
    MUST = "must"
    QUESTION = "question"


NOT_YET = frozenset({Mode.WISH, Mode.PLAN, Mode.DOUBT, Mode.MUST})
"""Modes of clauses about what is not so yet, or not certain."""


class When(StrEnum):
    """Time of a clause."""

    PAST = "past"
    NOW = "now"


_MODES = (
    ("hypothetical", Mode.IF),
    ("wish", Mode.WISH),
    ("doubt", Mode.DOUBT),
    ("plan", Mode.PLAN),
    ("must", Mode.MUST),
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause: its words without marker words, and the attributes that the markers express."""

    text: str
    negative: bool = False
    ended: bool = False  # no longer true
    begun: bool = False  # true since recently
    when: When = When.NOW
    mode: Mode = Mode.FACT
    reported: bool = False
    often: str = ""
    against: str = ""  # the alternative it is contrasted with: "tea over coffee"
    whole: str = ""  # with marker words

    @property
    def changed(self) -> bool:
        """True if the clause says that something changed."""
        return self.ended or self.begun


@lru_cache(maxsize=8192)
def clauses(text: str) -> tuple[Clause, ...]:
    """Return at most `MOST` clauses of a text, in order and in the first person."""
    found: list[Clause] = []
    folded = fold(respell(without_dates(text)).text)[:2_000].replace("n't", " not")
    of_user = folded.startswith(("user", "the user"))
    labelled = _LABEL.match(folded)
    if labelled and len(folded) - labelled.end() <= LABELLED:
        folded = f"{labelled[1]} is {folded[labelled.end() :]}"
    quotes = [found[0] for found in _QUOTED.finditer(folded)]
    rewrites = (*_CHAT, *(_THIRD if of_user else ()))
    ends = [(0, 0), *(end.span() for end in _END.finditer(folded)), (len(folded), len(folded))]
    for (_, start), (stop, end) in pairwise(ends):
        sentence = folded[start:end] if folded[start:stop].strip() else ""
        asked = sentence.rstrip().endswith("?")
        for part in marks().split.split(sentence):
            listed = [word[:LETTERS] for word in words(_NOT.sub(" instead of ", part))[:WORDS]]
            plain = first_person(" ".join(listed))
            for pattern, instead in rewrites:
                plain = pattern.sub(instead, plain)
            plain = plain.replace(" ?", "").strip()
            if plain and len(found) < MOST:
                core = part.strip(' ".,!?')
                inside = any(len(quote.split()) >= 3 and (core in quote or quote in part) for quote in quotes)
                found.append(_read(plain, asked, inside and len(plain.split()) > 1))
    return tuple(found)


def _read(plain: str, asked: bool, quoted: bool) -> Clause:
    found: set[str] = set()
    rest = plain
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
    lists, listed = wordlists(), rest.split()
    denials = [word for word in listed if word in lists.negations and word != "without"]
    kept = [word for word in listed if word not in lists.negations or word == "without"]
    cleft = any(phrase in rest for phrase in _CLEFT)
    ended = "ended" in found
    negative = (count_denials(denials) % 2 == 1 and not cleft) != ("seldom" in found)
    kept = [  # numbers as digits; `one` only if it counts something
        word
        if word == "one" and (kept[at - 1 : at] in _NO_ONE or kept[at + 1 : at + 2] in _ONE_OF)
        else lists.numbers.get(word, word)
        for at, word in enumerate(kept)
    ]
    return Clause(
        text=" ".join(kept),
        negative=True if ended else negative,
        ended=ended,
        begun="begun" in found and not ended,
        when=_when(kept, found),
        mode=Mode.QUESTION if asked else next((mode for name, mode in _MODES if name in found), Mode.FACT),
        reported=reported is not None or quoted,
        often=next((name for name in ("always", "often", "sometimes", "seldom") if name in found), ""),
        against=against,
        whole=f"{plain} ?" if asked else plain,
    )


def _when(kept: list[str], found: set[str]) -> When:
    """Return the tense of the first verb that shows it. A perfect with a start ("since") counts as present."""
    if "past" in found:
        return When.PAST
    if "ended" in found or "begun" in found:
        return When.NOW
    for at, word in enumerate(kept[:8]):
        following = "".join(kept[at + 1 : at + 2])
        if word == "have" and following == "got":
            return When.NOW
        done = following.endswith(("ed", "en")) or following in _PARTICIPLES or following in marks().past_verbs
        if done and word in ("have", "has"):
            return When.NOW if "lasting" in found or following == "been" else When.PAST
        if word in marks().present_verbs or word in wordlists().present:
            return When.NOW
        if word in marks().past_verbs or (
            word.endswith("ed") and not word.endswith("eed") and len(word) > 4 and at < 5
        ):
            return When.PAST
    return When.NOW


def subject(text: str, listed: Sequence[str]) -> str:
    """Return the subject of a text from its first words: `i`, a relative, or a name.

    `listed` are the words of its first clause. A text about things or about nobody in particular counts as `i`.
    """
    people = wordlists().people
    first = [word.removesuffix("'s") for word in listed[:4]]
    if not first or first[0] in _FIRST_PERSON:
        return "i"
    if first[0] in _OPENING:
        if "and" in listed[:5] and "i" in listed[:6]:
            return "i"
        return next((stem(word) for word in first[1:3] if word in people or word.removesuffix("s") in people), "i")
    if first[0] in people:
        return "i" if first[0] in _ALL else stem(first[0])
    named = text.lstrip(" -*")[:1].isupper() and not first[0].endswith("ing") and len(listed) > 1
    return first[0] if named and listed[1] in _OF_PEOPLE and first[0] != "user" else "i"

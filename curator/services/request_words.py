"""Content words of a request to forget, with synonyms, and their match with a memory and its chats."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from curator.text import plain_words, stem, tokens

_TOPIC = re.compile(
    r"\b(?:every ?thing|anything|all)\b[^.]{0,30}?\b(?:about|on|of|from|regarding|concerning|to do with)\b|\btopic\b",
    re.IGNORECASE,
)
_ABOUT = frozenset(
    "about all any anything asap completely concerning current do entirely every everything fact former from i"
    " immediately just kindly longer me memories memory my now of okay old on our past please present previous"
    " regarding related remember said thank thanks that the thing things told topic we what with you your".split()
)
_SYNONYMS = {
    "address": "live lives lived living flat apartment house home street road avenue lane square rua postcode",
    "home": "live lives lived living flat apartment house address",
    "apartment": "flat",
    "flat": "apartment",
    "job": "work works worked working employed employer profession career occupation fired hired",
    "work": "job employed employer",
    "employer": "work works worked job company",
    "salary": "earn earns earned income wage wages",
    "income": "earn earns earned salary wage wages",
    "phone": "mobile telephone",
    "email": "mail",
    "birthday": "born birth",
    "medication": "medicine tablet tablets pill pills mg dose",
    "illness": "disease disorder diagnosed sick condition",
    "disease": "illness disorder syndrome diagnosed",
    "money": "euro euros pound pounds dollar dollars loan debt",
    "debt": "owe owes owed loan",
    "bike": "bicycle",
    "doctor": "gp physician",
    "partner": "boyfriend girlfriend husband wife fiancé fiancée",
    "kid": "child children son daughter",
    "child": "kid kids son daughter",
    "divorce": "divorced",
    "weight": "weigh weighs weighed kg",
    "religion": "church mosque synagogue temple faith",
}
"""Words that also state what a request names; a move from a city is not the address there."""
_STATED = {
    "salary": (("make ",), re.compile(r"\bmake (?:about |around )?[€$£]?\d", re.IGNORECASE)),
    "income": (("make ",), re.compile(r"\bmake (?:about |around )?[€$£]?\d", re.IGNORECASE)),
    "email": (("@",), re.compile(r"\S@\S")),
    "address": (
        ("stra", "st.", "ave.", "rd.", "calle "),
        re.compile(r"stra(?:ß|ss)e\b|\b(?:st|ave|rd)\.|\bcalle\b", re.IGNORECASE),  # its stem is that of `called`
    ),
    "weight": (
        ("stone", " st", "kg", "kilo", "lb", "pound"),
        re.compile(
            r"\b(?:i(?:['’]?m| am| was)|me|down to|up to|weigh\w*)(?: (?:about|around|now|at|only|still|nearly|over))*"
            r" \d{1,3}(?:[.,]\d)? ?(?:stones?|st|kgs?|kilos?|lbs?|pounds)\b",
            re.IGNORECASE,
        ),
    ),
    "height": (
        ("foot", "feet", "ft", "cm", "metre", "meter", "'"),
        re.compile(
            r"\b(?:i(?:['’]?m| am)|me)\b.{0,40}?\b"
            r"(?:\d(?:[.,]\d{1,2})? ?(?:foot|feet|ft|m|met(?:re|er)s?|['’])(?: ?\d|\W|$)|1\d\d ?cm\b)",
            re.IGNORECASE,
        ),
    ),
    "money": (("€", "$", "£"), re.compile(r"[€$£]")),
}
"""Signs that state what a request names: what to search for, and the pattern."""
_SHARE = 0.5  # of a request's words, from which on a memory that lacks others is in doubt
_NAME = re.compile(r"(?<=\w )[A-Z]\w+")
_DENIED = re.compile(
    r"(?:\b(?:no|not|never|cannot|instead of|rather than)|n['’]t)\b.*?(?=$|[,;.!?]|\b(?:and|but|so|because)\b)"
    r"|\bfrom\b[^,;.!?]*?(?= to\b)",
    re.IGNORECASE,
)
"""Words that a text denies, up to the end of their clause, or names as the place or thing before."""
_FORMER = re.compile(
    r"\b(?:left|quit|stopped|gave up|used to|moved (?:out|away|from)|formerly|previously|former)\b"
    r".*?(?=$|[;.!?]|\b(?:and|but|so|now)\b|, (?:i|we|my|our|currently)\b)",  # not before an address after a comma
    re.IGNORECASE,
)
_STATEMENT = re.compile(r"(?:that )?(?:i|we)\b|that (?:my|our)\b", re.IGNORECASE)
_PREPOSITION = re.compile(r"\s(?:at|in|to|with|from|of|for|on|by)\s", re.IGNORECASE)
_FORM = re.compile(r"\baddress(?:es|ed|ing)? (?:me|us)\b", re.IGNORECASE)
"""A wish to be addressed in some way, which is no address."""
_OTHERS = re.compile(r"(?:my|our|his|her|their) (?!\w+ (?:is|was) )\w+", re.IGNORECASE)


@lru_cache(maxsize=1)
def _groups() -> dict[str, frozenset[str]]:
    return {stem(word): frozenset(map(stem, others.split())) for word, others in _SYNONYMS.items()}


@lru_cache(maxsize=1)
def _signs() -> dict[str, tuple[tuple[str, ...], re.Pattern[str]]]:
    return {stem(word): signs for word, signs in _STATED.items()}


@dataclass(frozen=True, slots=True)
class Request:
    """A request: its text and content words, stemmed, in their order, the names among them, and how each was spelled.

    `topic` if it is about all of a subject.
    """

    text: str
    words: tuple[str, ...]
    names: frozenset[str]
    topic: bool
    spelled: Mapping[str, str]

    @property
    def accepted(self) -> frozenset[str]:
        """The words and their synonyms, stemmed."""
        return frozenset(self.words).union(*(_groups().get(word, ()) for word in self.words))

    @property
    def signs(self) -> frozenset[str]:
        """Parts of texts that may state one of the words without any of `accepted`."""
        return frozenset(part for word in self.words if word in _signs() for part in _signs()[word][0])


class Certainty(StrEnum):
    """Certainty that a memory is meant."""

    SURE = "sure"
    DOUBTFUL = "doubtful"
    NO = "no"


def parse_request(text: str) -> Request:
    """Return what a request asks for; of nothing but common words, nothing."""
    plain = [word for word in plain_words(text) if word not in _ABOUT]
    found = tokens(" ".join(plain)) if plain else frozenset()
    places = {word: place for place, word in enumerate(map(stem, plain))}
    words = sorted(found, key=lambda word: (places.get(word, len(places)), word))
    names = found & tokens(" ".join(_NAME.findall(text)))
    return Request(text, tuple(words), names, bool(_TOPIC.search(text)), {stem(word): word for word in plain})


def answer(request: Request, text: str, titles: Iterable[str]) -> tuple[Certainty, str]:
    """Compare a request with the text of a memory and the titles of all the chats that it is from.

    Sure is a text that states every word, but not one of them only in what it denies or in what was before; and any
    memory of chats whose title is what was asked for, unless it shares only a name with it; if all about a subject was
    asked for, also one of chats about it, or one whose text and title have all words together. Return why it is in
    doubt, too.
    """
    if not _FORM.search(request.text):
        text = _FORM.sub("", text)
    own = tokens(text)
    said = {word for word in request.words if _states(word, own, text)}
    missing = [word for word in request.words if word not in said]
    if not missing:
        whose = _OTHERS.match(text) if not own.issuperset(said) else None
        if whose and tokens(whose[0]).isdisjoint(request.accepted):
            return Certainty.DOUBTFUL, "perhaps of somebody else"
        if opposed := opposition(request, text):
            return Certainty.DOUBTFUL, opposed
        return Certainty.SURE, ""
    only_named = said and said <= request.names and not request.topic  # Rome, of a trip there
    chats = [(title, tokens(title)) for title in titles]
    about = [title for title, words in chats if words.issuperset(request.words)]
    if (
        chats
        and not only_named
        and all(words == {*request.words} or (request.topic and title in about) for title, words in chats)
    ):
        return Certainty.SURE, ""
    both = [title for title, words in chats if said and words.issuperset(missing)]
    if both and request.topic and len(chats) == 1:
        return Certainty.SURE, ""
    if both or len(about) * 2 > len(chats):  # not what is said in every chat, such as instructions to the assistant
        return Certainty.DOUBTFUL, f"from the chat “{(both or about)[0]}”"
    literal = own.intersection(request.words)
    if len(literal) < len(request.words) * _SHARE or not request.names <= literal:
        return Certainty.NO, ""
    return Certainty.DOUBTFUL, f"does not say {' or '.join(f'“{request.spelled.get(word, word)}”' for word in missing)}"


def opposition(request: Request, text: str) -> str:
    """Return why a text that states all words says something else than the request; empty if it does not."""
    if request.topic or _DENIED.search(request.text) or _FORMER.search(request.text):
        return ""
    rest = _FORMER.sub(" ", _DENIED.sub(" ", text))
    own = tokens(rest)
    missing = {word for word in request.words if not _states(word, own, rest)}
    if missing and _STATEMENT.match(request.text):
        return "says the opposite"
    names = request.names | tokens(" ".join(_NAME.findall(text)))
    others = set(request.words) - missing
    if missing & names and others and not others <= names:
        return "mainly says something else"
    return ""


def count_stated(request: Request, text: str) -> int:
    """Return how many words of a request a text states."""
    own = tokens(text)
    return sum(_states(word, own, text) for word in request.words)


def states_subject(request: Request, text: str) -> bool:
    """Return whether a text states the thing that a request names: the affair of "Phil's affair with her boss"."""
    first = tokens(_PREPOSITION.split(request.text)[0])
    things = [word for word in request.words if word in first and word not in request.names]
    return bool(things) and _states(things[-1], tokens(text), text)


def _states(word: str, own: Collection[str], text: str) -> bool:
    if word in own or not _groups().get(word, frozenset()).isdisjoint(own):
        return True
    signs = _signs().get(word)
    return signs is not None and signs[1].search(text) is not None

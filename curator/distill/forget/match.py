"""Match the content words of a request to forget, with synonyms, against a memory and the titles of its chats."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from curator.distill.forget.attribute_values import may_state, sign_parts, states_word, synonyms, without_other_senses
from curator.distill.forget.subjects import aside_reason
from curator.distill.language import english
from curator.text import plain_words, stem, tokens

_TOPIC = re.compile(
    r"\b(?:every ?thing|anything|all)\b[^.]{0,30}?\b(?:about|on|of|from|regarding|concerning|to do with)\b|\btopic\b",
    re.IGNORECASE,
)
_COMMON_WORDS = frozenset(
    "about all any anything asap completely concerning current do entirely every everything fact former from i"
    " immediately just kindly longer me memories memory my now of okay old on our past please present previous"
    " regarding related remember said thank thanks that the thing things told topic we what with you your stuff"
    " bit bits keep between been done got who whom whose which when how much many being having name called".split()
)
_MIN_SHARE = 0.5  # of a request's words that a doubtful match must contain
_PRONOUN = re.compile(
    r"\b(?P<before>(?:the|that|this|my)(?: [^\s,.;]+){0,2}) ones?"
    r"(?=$|[,.;!?]| (?:about|in|on|at|with|from|that|which|where|for|i)\b)",
    re.IGNORECASE,
)
""""One" for a noun, which is no number: "my old phone number, the +31 one"."""
_NAME = re.compile(r"(?<=\w )[A-Z]\w+")
_OWNER = re.compile(
    r"\b(?!(?:it|that|what|there|here|let|who|he|she|how|where|today|yesterday|tomorrow)['’]s\b)"
    r"[^\W\d][\w-]*(?=['’]s\s)"
)
"""The owner of the thing that a request is about, as much a part of what is meant as a name."""
_NEGATED_PART = re.compile(
    r"(?:\b(?:no|not|never|cannot|instead of|rather than)|n['’]t)\b.*?(?=$|[,;.!?]|\b(?:and|but|so|because)\b)"
    r"|\bfrom\b[^,;.!?]*?(?= to\b)",
    re.IGNORECASE,
)
"""A negated part of a text, up to the end of its clause, or the first part of "from ... to ..."."""
_PAST_PART = re.compile(
    r"\b(?:left|quit|stopped|gave up|used to|moved (?:out|away|from)|formerly|previously|former)\b"
    r".*?(?=$|[;.!?]|\b(?:and|but|so|now)\b|, (?:i|we|my|our|currently)\b)",  # an address may contain commas
    re.IGNORECASE,
)
_STATEMENT = re.compile(r"(?:that )?(?:i|we)\b|that (?:my|our)\b", re.IGNORECASE)
_PREPOSITION = re.compile(r"\s(?:at|in|to|with|from|of|for|on|by)\s", re.IGNORECASE)
_FIRST_PERSON = re.compile(r"\b(?:i|me|my|mine)\b", re.IGNORECASE)
_SHARED = re.compile(
    r"\b(?:divorc|wedding|marriage|separat|split|affair|break-?up|engagement|honeymoon|baby|pregnan|miscarriage|his\b|her\b"
    r"|their\b|\w+['’]s\b)",
    re.IGNORECASE,
)
"""Matters of two people, and requests about somebody else."""
_OWN = re.compile(r"my\b", re.IGNORECASE)
_ANY_FIRST = re.compile(r"\b(?:i|im|i['’]\w+|me|my|mine|we|our|us)\b", re.IGNORECASE)
_OF_ANOTHER = re.compile(
    r"[A-ZÀ-Þ][\w'’-]+ (?:now |also |still )?(?:weighs|is|was|earns|makes|gets|lives|works|takes|owes|turned|turns)\b"
)
""""Graham weighs 92 kilo": somebody with a name is the subject."""
_POSSESSOR = re.compile(r"(?:my|our|his|her|their) (?!\w+ (?:is|was) )\w+(?: (?-i:[A-Z])\w+)?", re.IGNORECASE)
_ALL_ABOUT = r"(?:(?:every ?thing|anything|all)\b[^.,]{0,30}?\b(?:about|on|of|regarding|concerning) )?"
_PERSON = re.compile(
    rf"{_ALL_ABOUT}(?P<name>(?!(?:my|our|his|her|their|the|an?|this|that|what|everything|all) )[^\W\d_][\w-]+"
    r"(?: [^\W\d_][\w-]+){0,2})(?:, | [-–—] | (?=\())"
    r"\(?(?P<who>(?:who(?:['’]s| is| was) )?(?:my|our|his|her|their|the|an?)(?: [\w'’-]+){1,6})\)?[.!]*",
    re.IGNORECASE,
)
"""A request about a person, named and told from others by who that is: "Sabine, my ex business partner"."""
_PERSON_LAST = re.compile(
    rf"{_ALL_ABOUT}(?P<who>(?:my|our|his|her|their|the)(?: [\w'’-]+){{1,5}}?),? (?P<name>(?-i:[A-ZÀ-Þ])[\w-]+"
    r"(?: (?-i:[A-ZÀ-Þ])[\w-]+)?)[.!]*",
    re.IGNORECASE,
)

_SOMEBODY = re.compile(
    r"(?:my|our|his|her|their|the|an?) (?:[\w'’-]+ ){0,3}?(?:partner|boss|manager|colleague|co-?worker|friend|ex"
    r"|neighbou?r|flatmate|room-?mate|landlord|landlady|tenant|client|customer|supplier|teacher|coach|trainer|tutor"
    r"|doctor|dentist|therapist|lawyer|accountant|apprentice|intern|student|assistant|contact|guy|man|woman|girl|boy"
    r"|lady|mate|buddy|cousin|nephew|niece|aunt|uncle|employee|founder|girlfriend|boyfriend|husband|wife)"
    r"(?: (?:from|at|in|of|on) [\w'’ -]+)?"
)
"""The relation of somebody to the person: "my ex business partner", "the guy from work"."""


@dataclass(frozen=True, slots=True)
class Request:
    """A parsed request: its text, stemmed content words in order, names and owners among them, and spellings by stem.

    `topic` is True if the request is about everything on a subject.
    """

    text: str
    words: tuple[str, ...]
    names: frozenset[str]
    topic: bool
    spelled: Mapping[str, str]

    @property
    def accepted(self) -> frozenset[str]:
        """The words and their synonyms, stemmed."""
        return frozenset(self.words).union(*map(synonyms, self.words))

    @property
    def signs(self) -> frozenset[str]:
        """Substrings of texts that may state a word without containing any of `accepted`."""
        return frozenset[str]().union(*map(sign_parts, self.words))


class Certainty(StrEnum):
    """Certainty that a request refers to a memory."""

    SURE = "sure"
    DOUBTFUL = "doubtful"
    NO = "no"


def parse_request(text: str) -> Request:
    """Parse a request. `words` is empty if it has common words only."""
    person = named_person(text)
    meant = person or _PRONOUN.sub(r"\g<before>", text)
    plain = [word for word in plain_words(meant) if word not in _COMMON_WORDS]
    found = tokens(" ".join(plain)) if plain else frozenset()
    places = {word: place for place, word in enumerate(map(stem, plain))}
    words = sorted(found, key=lambda word: (places.get(word, len(places)), word))
    named = [person.split()[0]] if person else [*_NAME.findall(text), *_OWNER.findall(text)]
    names = found & tokens(" ".join(named))
    topic = person is not None or _TOPIC.search(text) is not None
    return Request(text, tuple(words), names, topic, {stem(word): word for word in plain})


def named_person(text: str) -> str | None:
    """Return the name of a request about a person, without the words that say who that is, or None."""
    for pattern in (_PERSON, _PERSON_LAST):
        found = pattern.fullmatch(text.strip())
        if found is None:
            continue
        is_name = all(word[0].isupper() for word in found["name"].split())
        who = re.sub(r"^who(?:['’]s| is| was) ", "", found["who"].casefold())
        of_relative = english().cues["relative"].fullmatch(who) is not None
        named = is_name or pattern is _PERSON  # "sabine, my ex wife" may be typed without a capital
        if named and (of_relative or (is_name and _SOMEBODY.fullmatch(who))):
            return found["name"]
    return None


def match_text(request: Request, text: str, titles: Iterable[str]) -> tuple[Certainty, str]:
    """Match a request with a memory's text and the titles of its chats; return the certainty and the reason for doubt.

    What shares the words of a request, but is about something else (`aside_reason`), is in doubt at most.
    """
    certainty, why = _match_words(request, text, titles)
    if certainty is Certainty.SURE and (aside := aside_reason(request.text, text)):
        return Certainty.DOUBTFUL, aside
    return certainty, why


def _match_words(request: Request, text: str, titles: Iterable[str]) -> tuple[Certainty, str]:
    """Match a request with a memory's text and the titles of its chats; return the certainty and the reason for doubt.

    A match is sure if the text states every word of the request outside its negated and past parts, or if the titles
    of all chats equal the request and the text shares more with it than a name. For a request about a whole topic it is
    also sure if all titles contain the request, or if the text and the only title together state it.
    """
    text = without_other_senses(request.text, request.words, text)
    own = tokens(text)
    stated = {word for word in request.words if states_word(word, own, text)}
    missing = [word for word in request.words if word not in stated]
    if not missing:
        shared = request.topic or _SHARED.search(request.text) or _FIRST_PERSON.search(text.partition(" ")[2])
        of_relative = None if shared else english().cues["relative"].match(text.casefold())
        whose = of_relative or (None if own.issuperset(stated) else _POSSESSOR.match(text))
        if whose and tokens(whose[0]).isdisjoint(request.accepted):
            return Certainty.DOUBTFUL, "perhaps of somebody else"
        if _OWN.match(request.text) and _OF_ANOTHER.match(text) and not _ANY_FIRST.search(text):
            first = text.partition(" ")[0]
            if tokens(first).isdisjoint(request.accepted):
                return Certainty.DOUBTFUL, "perhaps of somebody else"
        if opposed := opposition_reason(request, text):
            return Certainty.DOUBTFUL, opposed
        return Certainty.SURE, ""
    if all(may_state(word, text) for word in missing):
        return Certainty.DOUBTFUL, f"perhaps your {request.spelled.get(missing[0], missing[0])}"
    only_named = stated and stated <= request.names and not request.topic  # shares "Rome" with a request about a trip
    chats = [(title, tokens(title)) for title in titles]
    about = [title for title, words in chats if words.issuperset(request.words)]
    if (
        chats
        and not only_named
        and all(words == {*request.words} or (request.topic and title in about) for title, words in chats)
    ):
        return Certainty.SURE, ""
    both = [title for title, words in chats if stated and words.issuperset(missing)]
    if both and request.topic and len(chats) == 1:
        return Certainty.SURE, ""
    if both or len(about) * 2 > len(chats):  # most chats must match: some memories are said in every chat
        return Certainty.DOUBTFUL, f"from the chat “{(both or about)[0]}”"
    literal = own.intersection(request.words)
    if len(literal) < len(request.words) * _MIN_SHARE or not request.names <= literal:
        return Certainty.NO, ""
    return Certainty.DOUBTFUL, f"does not say {' or '.join(f'“{request.spelled.get(word, word)}”' for word in missing)}"


def opposition_reason(request: Request, text: str) -> str:
    """Return the reason why a text that states all words may still say something else; empty if there is none."""
    if request.topic or _NEGATED_PART.search(request.text) or _PAST_PART.search(request.text):
        return ""
    rest = _PAST_PART.sub(" ", _NEGATED_PART.sub(" ", text))
    own = tokens(rest)
    missing = {word for word in request.words if not states_word(word, own, rest)}
    if missing and _STATEMENT.match(request.text):
        return "says the opposite"
    names = request.names | tokens(" ".join(_NAME.findall(text)))
    others = set(request.words) - missing
    if missing & names and others and not others <= names:
        return "mainly says something else"
    return ""


def count_stated(request: Request, text: str) -> int:
    """Return the number of words of a request that a text states, or may state."""
    own = tokens(text)
    return sum(states_word(word, own, text) or may_state(word, text) for word in request.words)


def states_subject(request: Request, text: str) -> bool:
    """Return True if a text states the main noun of a request: "affair" in "Phil's affair with her boss"."""
    first = tokens(_PREPOSITION.split(request.text)[0])
    things = [word for word in request.words if word in first and word not in request.names]
    return bool(things) and states_word(things[-1], tokens(text), text)

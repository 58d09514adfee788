"""Apostrophes that were not typed: "i dont", "im", "ive", as many people write on a phone.

Needs the standard library only, since `curator.safety` is read by a hook that must not wait.
"""

import re
from bisect import bisect_left
from dataclasses import dataclass

_AFTER = {
    1: "dont doesnt didnt cant wont isnt wasnt arent werent hasnt havent hadnt wouldnt couldnt shouldnt mustnt neednt"
    " aint im thats whats hes shes theres heres whos id its lets",
    2: "ive youve weve theyve couldve shouldve wouldve youre theyre ill were",
}
"""Words by the number of letters after their apostrophe."""
_LETTERS = {word: after for after, words in _AFTER.items() for word in words.split()}
_WORD = re.compile(rf"(?:{'|'.join(_LETTERS)})(?![\w'’/@=-]|\.\w)")
_BEFORE_WORD = re.compile(r"(?<![\w'’./@#$<>=-])")
_SHORT = frozenset(("IM", "ID", "ILL", "HES", "ITS", "IVE"))  # in capitals: abbreviations
_BEFORE_CLAUSE = re.compile(
    r"(?:^|[\n.!?;:,()…–—-]\s?|\b(?:and|but|so|or|if|ok|okay|well|oh|ah|cos|coz|cause|because|since|think|thought|said|say|says"
    r"|that|when|while|then|now|maybe|guess|know|hope|as|where|before|after|until|what|promise|yes|yeah|no|lol|tbh) )$",
    re.IGNORECASE,
)
"""The end of the text before a clause, in which "ill" is no illness and "id" no number."""
_VERB = re.compile(
    r" (?:(?:also|always|never|probably|definitely|just|only|still|really|not|maybe|even) )*"
    r"(?:add|ask|be|been|bring|buy|call|check|come|cook|do|drive|drop|eat|find|get|give|go|had|have|hate|keep|know|leave"
    r"|let|like|look|love|make|meet|miss|move|need|paste|pay|pick|prefer|put|rather|read|remind|ring|say|see|send|show|sign"
    r"|start|stay|stick|stop|take|tell|text|think|try|use|wait|walk|want|wear|work|write)\b",
    re.IGNORECASE,
)
_AFTER_ITS = re.compile(
    r" (?:an?|the|not|been|my|our|your|his|her|their|too|so|very|really|just|only|always|never|about|for|called|going"
    r"|getting|nearly|almost|still|official|confirmed|paid|over|gone|off|me|you|because|like|ok|okay|fine)\b",
    re.IGNORECASE,
)
_AFTER_LETS = re.compile(
    r" (?!(?:me|you|him|her|us|them|it|the|an?|my|people|in|out|on|off|up|go of)\b)[a-z]", re.IGNORECASE
)
_BEFORE_WERE = re.compile(r"(?:^|[\n.!?;:]\s?|\b(?:so|cos|coz|because|think|hope) )$", re.IGNORECASE)
_AFTER_WERE = re.compile(
    r" (?:(?:also|still|both|all|just|now|not|only) ){0,2}(?!(?:anything|something|everything|nothing)\b)"
    r"(?:[a-z]{2,}ing|an? (?!lot\b|few\b|couple\b|number\b|bunch\b)[a-z]+"
    r"|in the (?:new|middle)|on (?:holiday|the)|vegan|vegetarian|off to|back (?:in|from))\b"
    r"(?![^.!\n]*\?)",
    re.IGNORECASE,
)
"""Words after "we are", which no question with "were" has."""
_CAPITAL = re.compile(r" [A-ZÄÖÜ][a-zäöüß]")
_WONT = re.compile(r"\b(?:is|was|are|were|as|his|her|their|its|your|my) $", re.IGNORECASE)
"""Words before the noun "wont"."""
_OTHER = frozenset(
    "und der die das ist ich nicht mit wir ein eine den dem zu auf le la les des du et est je une un dans pour que qui"
    " el los las de en y por una con il che di per het een van ik niet em um uma na os nie się jest".split()
)
"""Frequent words of other languages, in which "im" and "dont" are words."""
_ENGLISH = frozenset(
    "i the and to my it that is of for with me so but have you this not was are what at be just can if do we all any"
    " get got now has had when how about from she he they as or would like up out because your cos"
    " really anymore".split()
)
_PART = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Respelt:
    """A text with the apostrophes that it lacks, and their offsets in it."""

    text: str
    places: tuple[int, ...] = ()
    words: tuple[str, ...] = ()  # the word of each, in lower case

    def typed(self, offset: int) -> int:
        """Return an offset in the text as it was typed."""
        return offset - bisect_left(self.places, offset)

    def as_typed(self, words: str, start: int, end: int) -> str:
        """Return words that stand in the text from `start` to `end` in the spelling in which they were typed there."""
        within = slice(bisect_left(self.places, start), bisect_left(self.places, end))
        for word in dict.fromkeys(self.words[within]):
            words = re.sub(rf"\b{word}\b", lambda match: match[0].replace("'", ""), words, flags=re.IGNORECASE)
        return words


def respell(text: str) -> Respelt:
    """Return an English text with the apostrophes that it surely lacks; lines in another language stay as they are."""
    pieces: list[str] = []
    places: list[int] = []
    words: list[str] = []
    at, low = 0, text.lower()
    for match in _WORD.finditer(low if len(low) == len(text) else text):
        if is_short_form(text, match):
            place = match.end() - _LETTERS[match[0]]
            places.append(place + len(places))
            words.append(f"{text[match.start() : place]}'{text[place : match.end()]}".lower())
            pieces += [text[at:place], "'"]
            at = place
    return Respelt("".join([*pieces, text[at:]]), tuple(places), tuple(words))


def is_short_form(text: str, found: re.Match[str]) -> bool:
    """Return True if the word is a contraction typed without its apostrophe."""
    if not _BEFORE_WORD.match(text, found.start()) or text[slice(*found.span())] in _SHORT:
        return False
    word, before = found[0], text[max(0, found.start() - 12) : found.start()]
    if word in ("ill", "id"):
        return bool(_BEFORE_CLAUSE.search(before) and _VERB.match(text, found.end()))
    if word == "its":
        return _AFTER_ITS.match(text, found.end()) is not None
    if word == "were":
        return bool(_BEFORE_WERE.search(before) and _AFTER_WERE.match(text, found.end()))
    if word == "lets":
        return bool(_BEFORE_CLAUSE.search(before) and _AFTER_LETS.match(text, found.end()))
    near = max(0, found.start() - 200), found.end() + 200
    line = text[near[0] : found.start()].rpartition("\n")[2] + text[found.start() : near[1]].partition("\n")[0]
    german = word == "im" and _CAPITAL.match(text, found.end()) is not None
    parts = _PART.findall(line.lower())
    if sum(part in _OTHER for part in parts) + german > sum(part in _ENGLISH for part in parts):
        return False
    return word != "wont" or _WONT.search(before) is None

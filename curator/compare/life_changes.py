"""Ends of what a text states of a life: a partnership, a pregnancy, a thing that somebody has."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from curator.compare.data import values
from curator.text import fold, stem
from curator.text.date_expressions import BRIEF

MOST = 500
"""Maximum characters of a text that are searched."""
_PARTNER = r"(?:partner|husband|wife|spouse|boyfriend|girlfriend|fianc[eé]e?|hubby)"
_NAME = r"(?:(?-i:[A-Z])[\w'’-]*\w)"
_MINE = rf"(?:my|our) (?:(?:dear|lovely|long-term) )?{_PARTNER}\b"
_ROLE = re.compile(rf"(?<![\w-]){_MINE}")
_TOGETHER = re.compile(
    rf"(?<![\w-]){_MINE},? (?P<after>{_NAME})"
    rf"|\b(?P<before>{_NAME})(?:,| is) {_MINE}"
    rf"|\b(?:married|engaged) to (?P<married>{_NAME})"
    rf"|\b(?P<with>{_NAME}) and i (?:are (?:married|engaged|a couple|together)|got (?:married|engaged)|live"
    rf" together)\b",
    re.IGNORECASE,
)
"""A partner by name."""
_MONTH = rf"(?:{BRIEF})"
_WHEN = (
    r"(?:last (?:week\w*|night|month|year|spring|summer|autumn|winter|\w+day)|on \w+day|yesterday|today|recently"
    r"|(?:\w+ )?\w+ (?:while|days?|weeks?|months?|years?) ago"
    r"|(?:earlier )?this (?:week|month|year|spring|summer|autumn|winter)"
    rf"|in (?:{_MONTH}|\d{{4}}|(?:the )?(?:spring|summer|autumn|winter))|after \w+ (?:months|years)|because|for good)"
)
_STOPS = (
    rf"(?= *(?:$|[.;!?]|,? {_WHEN}\b| for (?:another|some(?:one|body)|(?:his|her|a) (?:ex|boss|\w+ (?:man|woman)))\b"
    r"| and (?:took|moved|filed|never)\b))"
)  # "I left Anna", no "I left Anna in charge"
_OVER = rf"(?= *(?:$|[,.;!?]|,? (?:{_WHEN}|and|but|so|now|amicably|over money|any ?more)\b))"  # no "split up chores"
_SPLIT = (
    r"(?:(?:have|had|'ve|are|were|'re|got|are getting|getting|finally|just|recently|sadly|officially|now|also) )*"
    r"(?:split(?: up)?|broke(?:n)? up|separated|divorced|a divorce|parted ways|ended (?:things|it)"
    r"|called it (?:off|quits)|no longer (?:a couple|together|engaged|married)"
    rf"|(?:not|aren't|are not) (?:a couple|together|engaged|married)(?= any ?more)){_OVER}"
)
_WHO = rf"(?:(?:{_MINE},? )?(?P<{{0}}>{_NAME})|(?P<{{0}}_role>{_MINE}))"
_OTHER = re.compile(
    r"\b(?:(?!my\b|our\b)\w+ partner|friends?|mate|buddy|colleague|co-?worker|boss|brother|sister|cousin|son|daughter"
    r"|neighbou?r),? $",
    re.IGNORECASE,
)
"""The text before the name of somebody else: "my business partner Ann"."""
_APART = re.compile(
    rf"\b{_WHO.format('one')} and (?:i|me) {_SPLIT}|\bi and {_WHO.format('other')} {_SPLIT}"
    rf"|\b(?:i|we) (?:(?:have|'ve|are|got|just|recently|finally) )*(?:split(?: up)?|broke(?:n)? up|separated|divorced"
    rf"|parted ways|ended (?:things|it)) (?:with|from) {_WHO.format('from')}{_OVER}"
    rf"|\bi(?:'ve| have)? (?:left|divorced|dumped|broke (?:it )?off with) {_WHO.format('left')}{_STOPS}"
    rf"|\b{_WHO.format('leaver')} (?:has )?(?:left me{_STOPS}|dumped me\b|divorced me\b|is my ex\b)"
    rf"|\bmy ex(?:-(?:husband|wife|partner|boyfriend|girlfriend))? (?P<ex>{_NAME})",
    re.IGNORECASE,
)
"""A partnership that is over."""
_DENIED = re.compile(r"\b(?:almost|nearly|might|could|would|if|never|didn't|not going to|dreamt)\b")

_CHILD = r"(?:bab(?:y|ies)|child|twins|girl|boy|daughter|son|pregnancy)"
_EXPECTING = re.compile(
    rf"\b(?:i'm|i am|we're|we are|\w+ and i are)(?: \w+)? expecting(?=\W*$| (?:(?:a|an|our|my|another|the) )?(?:\w+"
    rf" )?{_CHILD}\b"
    rf"| again\b| in {_MONTH}\b)"
    rf"|\b(?:i'm|i am|we're|we are|my (?:wife|partner|girlfriend) is) (?:\w+ )?(?:weeks |months )?pregnant\b"
    rf"|\b(?:we're|we are|i'm|i am) (?:having|going to have) (?:a|our|another) (?:\w+ )?{_CHILD}\b"
    rf"|^\W*(?:my|our|the)? ?due date(?: is)? (?:on )?(?:the )?\w+ \w+(?: \(?\d+\)?)?\W*$"
    rf"|\b(?:the|our|my) {_CHILD} is due\b|\b{_CHILD}'s due date\b"
)
_LOSS = rf"(?= *(?:$|[,.;!?]|at \d+ weeks|(?!in \d){_WHEN}\b|(?:and|but|so)\b))"  # no "lost the baby monitor"
_LOST = re.compile(
    rf"\b(?:i|we|my (?:wife|partner|girlfriend)(?:[^.!?]{{0,80}} she)?)(?: have|'ve| had| has)?"
    rf"(?: (?:just|sadly|recently))? "
    rf"(?:lost (?:the|our|my|a) {_CHILD}|miscarried|(?:had )?(?:a|another) (?:miscarriage|stillbirth)){_LOSS}"
    rf"|\b(?:the|our|my) {_CHILD} (?:was stillborn|has no heartbeat|had no heartbeat)\b"
    rf"|\b(?:the|our|my) pregnancy (?:has )?ended{_LOSS}"
)

_HAS = re.compile(
    r"\b(?:i|we|\w+ and i)(?:'ve)? (?:(?:still|now|also|both) )?(?:have|own|drive|got|bought|have got) "
    r"(?:an?|our|my|the|two) (?P<what>[^,.;:!?()]+)"
)
_HAS_NO_MORE = re.compile(
    r"\b(?:i|we)(?:'ve| have| don't| do not)?(?: (?:just|finally|recently))? (?:"
    r"no longer (?:have|own|drive) (?:an?|any|our|my|the) (?P<longer>[\w-]+)(?=\W*$|[,.;:!?)]| (?:so|and|because"
    r"|since|now|but)\b)"
    r"|(?:have|own|drive) (?:an?|any|our|my|the) (?P<more>[\w-]+) any ?more"
    r"|(?:sold|scrapped|got rid of|gave away) (?:our|my|the) (?P<sold>[\w-]+)"
    r"(?=\W*$|[,.;:!?)]| (?:last|this|in|on|to|for|so|and|because|since|yesterday|today)\b))"
)
_UNTIL = re.compile(r" (?:and|but|with|for|from|in|on|at|to|so|because|since|which|that|as|now|here)\b.*")


@dataclass(frozen=True, slots=True)
class LifeFact:
    """Something that a text states, or states the end of: a partner by name, a pregnancy, a thing."""

    about: str
    name: str
    over: bool


@lru_cache(maxsize=8192)
def life_facts(text: str) -> tuple[LifeFact, ...]:
    """Return the partnerships, pregnancies and things that a text states, or that it says are over."""
    return tuple(read_facts(text))


def read_facts(text: str) -> Iterator[LifeFact]:
    """Yield what `life_facts` returns."""
    told = text[:MOST].replace("’", "'")
    plain = fold(told)
    if _DENIED.search(plain) is None:
        for found in _APART.finditer(told):
            if _OTHER.search(told, 0, found.start()):
                continue
            name = next((who for key, who in found.groupdict().items() if who and not key.endswith("_role")), "")
            yield LifeFact("partner", name.casefold(), True)
        if _LOST.search(plain):
            yield LifeFact("pregnancy", "", True)
        for found in _HAS_NO_MORE.finditer(plain):
            yield LifeFact("thing", stem(found[found.lastgroup or 0]), True)
    if _APART.search(told) or _LOST.search(plain):
        return
    for found in _TOGETHER.finditer(told):
        yield LifeFact("partner", found[found.lastgroup or 0].casefold(), False)
    if _ROLE.search(plain):
        yield LifeFact("partner", "", False)
    if _EXPECTING.search(plain):
        yield LifeFact("pregnancy", "", False)
    kinds = values().kinds
    for found in _HAS.finditer(plain):
        words = [stem(word) for word in _UNTIL.sub("", found["what"]).split()]
        named = {*words[-1:], *(kind for word in words for kind in kinds.get(word, ()))}
        yield from (LifeFact("thing", name, False) for name in sorted(named))


def ended(a: str, b: str) -> str:
    """Return the reason if `b` says that something is over that `a` states; empty if not."""
    over = [fact for fact in life_facts(b) if fact.over]
    for fact in life_facts(a) if over else ():
        if fact.over or not any(one.about == fact.about and one.name in ("", fact.name) for one in over):
            continue
        if fact.about == "partner":
            return "the partnership is over"
        return "one was said before a loss" if fact.about == "pregnancy" else f"one has it no more: {fact.name}"
    return ""


def both_over(a: str, b: str) -> bool:
    """Return True if both texts say that the same is over."""
    over = [{(fact.about, fact.name) for fact in life_facts(text) if fact.over} for text in (a, b)]
    return not over[0].isdisjoint(over[1])


def before_loss(a: str, b: str) -> bool:
    """Return True if `a` tells of a pregnancy that `b` says was lost."""
    return ended(a, b) == "one was said before a loss"

"""Requests to forget that the classifier recognises, in whatever words, and what each of them means.

What a request means are the words of its sentence that name something, or else the passage before it.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from curator import safety
from curator.distill.forget.wordings import TOLD, RequestWording
from curator.distill.language import english
from curator.distill.scores.chats import FORGET, Scores, SentenceClassifier
from curator.text import wordlists

Span = tuple[int, int]

_HINT = re.compile(
    r"\b(?:yo?u|your|ur|ya|thee|forg[eo]t\w*|un-?\w+|delet\w+|eras\w+|remov\w+|wipe|scrub|scrap|scratch|strike|strip|drop"
    r"|los[et]|clean|bin|ditch|kill|rid|let|leave|remember\w*|keep\w*|kept|hold|pretend|said|told|never|no|not|n't|without"
    r"|nowhere|nothing|gone|go|out|off|away|same|too|as well|here|there)\b|n't\b"
)
"""Words of which a request has one."""
_GOSSIP = re.compile(r"\b(?:hear|heard) (?:it|this|that) from me\b")
_KEEPS = re.compile(
    r"^(?:\w+,? )?(?:keep|hold|make sure|remember|remind)\b|\b(?:never|don'?t|do not|not|without) (?:[\w']+ ){0,4}?"
    r"(?:lose|losing|slip\w*|wipe|drop|forget\w*|erase|delete)\b"
)
"""A request to keep something: "never let my code slip your mind"."""
_STATES = re.compile(
    r"(?:(?:and|but|so|also|yes|well|oh),? )*(?:i(?:'m|'ve|m| am| have| had| play| live| work| drive| speak| eat| own)"
    r"|we(?:'re|'ve| are| have| live)|my (?:[\w'’-]+ ){1,3}?(?:is|are|has|have|lives?|works?))\b"
)
"""The start of a clause that states something of its own."""
_OF_FORGETTING = re.compile(
    r"\b(?:kn(?:o|e)w\w*|forget\w*|keep\w*|kept|let|gone?|vanish|lose|lost|drop|erase|delete|remove|told|tell|said|say"
    r"|mention\w*|hear|heard|memor\w+|stor\w+|sav\w+|hold|your|ur|out|off|rid|wipe|scrub)\b"
)
_BREAK = re.compile(
    r"[,;:.!?()–—…]+\s|\s-+\s|\s(?=(?:because|cause|cos|coz|since|so that|but|though|before (?:i|you|he|she|we)|unless"
    r"|if (?:you|possible)|and (?:i|it|you|don't|dont|never|keep|that's))\b)"
)
"""The end of a clause of a request."""
_CLAUSES = re.compile(_BREAK.pattern + r"|\s(?=and (?:my|the|you)\b)")
_REASON = re.compile(
    r"\s*(?:(?:and|but|so) )*(?:because|cause|cos|coz|since|so that|though|before|unless|if|i(?:'d|d| would)(?: just)?"
    r" (?:be|rather|prefer|like|appreciate|take)|i don'?t (?:want|need|like)|i(?:'m| am| was)"
    r"|(?:he|she|they|someone|somebody|nobody|people|it|it's|its|that's|this is|you) )\b"
)
"""The start of a clause that rather gives a reason."""
_NAMES = re.compile(
    r"\b(?:about|bout|of|regarding|re|concerning|with|my|our|that i|the|which|those|them)\b(?! (?:it|that|me|this)\b)"
)
"""Words before what a request is about."""
_EMPTY = frozenset(
    "said say saying says tell telling told mention mentioned mentions remember remembering remembered forget"
    " forgets forgetting forgot forgotten delete deleted deleting erase erased remove removed wipe wiped scrub"
    " scrubbed scrap scratch strike struck drop dropped dropping lose losing clear clean dump bin binned ditch"
    " chuck toss trash purge disregard discard let leave leaving keep keeping keeps kept store stored storing save"
    " saved saving retain hold holding hang cling memorise memorize record records recorded log bring bringing"
    " brought raise pretend heard hear know knowing knew known stop quit go goes gone going out off away stay"
    " stays put pull take taken taking cross bury buried throw thrown mind exist happened have has had having been"
    " be get getting got rid want need needs wish rather prefer like love glad grateful appreciate kindly please"
    " pls plz ple thanks thank thx sorry oops okay ok actually really ever never again anymore more longer good"
    " earlier ago once before already back while time times week weeks month months day days yesterday today"
    " tonight now later wrong slip tongue typed wrote written gave given shared chat chats conversation"
    " conversations message messages memory memories note notes list file files head brain system computer machine"
    " database data thing things bit bits stuff one ones part parts point fact facts story business whole"
    " everything anything something nothing it its it's that thats that's this these those him her them they he"
    " she us me my mine our your ur you u ya yous yourself i i'd i'm i've shouldn shouldn't should would could can"
    " cannot can't cant might must don't dont didn't didnt don won't wouldn't isn't aint not no nor also just only"
    " even too well so then and or but from in on of about regarding re concerning up down enough angry private"
    " ngl tbh lol haha hm hey oh ah mate dear man pal nah yeah yes right look listen matter way btw anyway"
    " completely entirely altogether total totally all any some other another what whatever which who when where"
    " why how make made sure feel free ask asked asking use used there here place anywhere somewhere nowhere"
    " around popping coming come comes pop show shows shown see seen read reading think thinking serious seriously"
    " fixing happy easier happier comfortable careless foolish possible shouldve shouldnt ought winter spring"
    " summer autumn monday tuesday wednesday thursday friday saturday sunday january february april june july"
    " august september october november december subject topic name names number figure line statement table"
    " better best cancel flush blot strip kill far concerned obliged cheers jk bear hide call nobody nobody's"
    " poor none abide bout detail details".split()
)
"""Words of a request that name nothing to forget."""


def asking_spans(text: str, low: str, spans: Sequence[Span], classifier: SentenceClassifier) -> set[Span]:
    """Return the spans of the sentences that ask to forget something; `low` is the text as read, in lower case."""
    read = [span for span in spans if may_ask(low[slice(*span)])]
    scores = classifier([text[start:end] for start, end in read]) if read else ()
    return {span for span, score in zip(read, scores, strict=True) if score.forget >= FORGET}


def as_meant(low: str, score: Scores) -> Scores:
    """Return the scores of a lower-case sentence; what denies forgetting is a request to remember."""
    return replace(score, request=max(score.request, score.forget)) if _KEEPS.search(low) else score


def may_ask(low: str) -> bool:
    """Return True if a lower-case sentence may be a request that says nothing else.

    A sentence that also states something of its own is not one, nor one that states a safety fact.
    """
    if not _HINT.search(low) or _GOSSIP.search(low) or _KEEPS.search(low) or safety.states(low):
        return False
    clauses = _CLAUSES.split(low)
    return len(clauses) == 1 or not any(_STATES.match(one) and not _OF_FORGETTING.search(one) for one in clauses)


def end_of_request(low: str, asks: int, end: int) -> int:
    """Return the end of a request from `asks`: its sentence's, or the start of a clause with a safety fact."""
    clauses = (found.end() for found in _CLAUSES.finditer(low, asks, end))
    return next((at for at in clauses if _STATES.match(low, at, end) and safety.states(low[at:end])), end)


def find_wanted(low: str) -> RequestWording:
    """Return the part of a lower-case sentence that asks to forget something, and the words of it that say what.

    Of several clauses, those that give no reason come first, then those with words as "about" and "my".
    """
    breaks = [one.span() for one in _BREAK.finditer(low)]
    clauses = zip([0, *(last for _, last in breaks)], [*(first for first, _ in breaks), len(low)], strict=True)
    found = []
    for clause in clauses:
        told, is_reason = TOLD.search(low, *clause), _REASON.match(low, *clause) is not None
        meant = (told and _named_span(low, told.end(), clause[1])) or _named_span(low, *clause)
        names = _NAMES.search(low, *clause) is not None
        if meant and (names or not is_reason):
            found.append((is_reason, not names, clause[0], meant))
    if not found:
        return RequestWording(0, None, sure=True)
    *_, start, meant = min(found)
    return RequestWording(start, meant, sure=True)


@cache
def empty_words() -> frozenset[str]:
    """Return the words that name nothing to forget."""
    return wordlists().empty | _EMPTY | english().stopwords


def _named_span(low: str, start: int, end: int) -> Span | None:
    """Return the span from the first to the last word that names something to forget, or None."""
    empty = empty_words()
    named = [
        found.span()
        for found in re.finditer(r"[^\W_](?:[\w'’.-]*\w)?", low[start:end])
        if not {word := found[0].replace("’", "'"), word.partition("'")[0]} & empty
    ]
    return (start + named[0][0], start + named[-1][1]) if named else None

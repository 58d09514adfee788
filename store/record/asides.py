"""Filler phrases before and after a statement: "by the way", "as I said", "thanks".

Phrases are only matched at the start and end of clauses, by first and last word: matching patterns at every position
would be the slowest part of finding purged words during an import.
"""

import re
from collections.abc import Iterable

_ANYWHERE = [
    *("by the way", "btw", "fyi", "for your information", "for the record", "for what it's worth", "fwiw"),
    *("so you know", "just so you know", "as you know", "as you may know", "as you might know", "you know", "i mean"),
    *("as i said", "as i said before", "as i said earlier", "as i told you", "as i mentioned", "like i said"),
    *("as i already said", "as i've said", "as i've told you", "as i've mentioned", "as mentioned"),
    *("actually", "anyway", "anyways", "tbh", "please", "pls", "plz", "thanks", "thank you", "haha", "lol"),
]
_OPENERS = [
    *_ANYWHERE,
    *("and", "but", "so", "well", "oh", "ah", "um", "uh", "hm", "hmm", "ok", "okay", "yes", "yeah", "yep"),
    *("hi", "hey", "hello", "look", "listen", "sorry", "plus", "also", "again", "once again", "once more"),
    *("anyhow", "honestly", "frankly", "basically", "incidentally", "to be honest", "to be clear", "in fact"),
    *("fun fact", "quick note", "note", "ps", "update", "for context", "the thing is", "the truth is"),
    *("note that", "remember", "remember that", "don't forget", "don't forget that", "do not forget that"),
    *(
        "keep in mind",
        "keep in mind that",
        "bear in mind",
        "bear in mind that",
        "you should know",
        "you should know that",
    ),
    *("i said", "i said that", "i already said", "i told you", "i told you that", "i already told you"),
    *("i already told you that", "i've already told you", "i've told you that", "i mentioned that"),
    *(
        "i should mention",
        "i should mention that",
        "i should add",
        "i should add that",
        "i should say",
        "i should say that",
    ),
]
_TAILS = [
    *_ANYWHERE,
    "thanks a lot",
    "thank you so much",
    "thank you very much",
    "thx",
    "ty",
    "cheers",
    "if that helps",
]

_EDGES = r".!?\n,;:()—–…。，；：！？（）>#•|*\"“”"
_CLAUSE = re.compile(rf"[^\s{_EDGES}-][^{_EDGES}]*")
_CONJUNCTION = re.compile(r" (?:and|but) ")
_MOST = 120  # characters at either end of a clause that are searched for fillers


def _alternatives(phrases: Iterable[str]) -> str:
    return "|".join(sorted(phrases, key=len, reverse=True)).replace(" ", r"[ \t]{1,4}")


_GAP = r"[ \t]{1,4}(?:-{1,3}[ \t]{1,4})?"
_BEFORE = re.compile(rf"((?:(?:{_alternatives(_OPENERS)})(?:{_GAP}|[ \t]{{0,4}}$))+)")
_AFTER = re.compile(rf"(?:{_GAP}(?:{_alternatives(_TAILS)}))+[ \t]{{0,4}}$")
_FIRST = frozenset(phrase.split()[0] for phrase in _OPENERS)
_LAST = frozenset(phrase.split()[-1] for phrase in _TAILS)


def without_asides(text: str) -> str:
    """Return a text with each character of its fillers replaced by a line break, which keeps offsets valid."""
    low = text.lower().replace("’", "'")
    if len(low) != len(text):  # İ becomes two characters
        low = "".join(char if len(char.lower()) > 1 else char.lower() for char in text).replace("’", "'")
    spans = []
    for clause in _CLAUSE.finditer(low):
        said, (at, end) = clause[0], clause.span()
        words = said.split()
        begins = [at] if words[0] in _FIRST else []
        if " and " in said or " but " in said:
            begins += [found.end() for found in _CONJUNCTION.finditer(low, at, end)]
        for begin in begins:
            if begin >= at and (found := _BEFORE.match(low, begin, min(begin + _MOST, end))):
                spans.append(found.span())
                at = found.end()
        is_said = words[-1] in _LAST and low[end : end + 1] not in ("?", "？")
        if is_said and (found := _AFTER.search(low, max(at, end - _MOST), end)):
            spans.append(found.span())
    parts, at = [], 0
    for start, end in spans:
        parts += [text[at:start], "\n" * (end - start)]
        at = end
    return "".join((*parts, text[at:]))


def core(text: str) -> str:
    """Return a statement on one line without fillers."""
    return " ".join(without_asides(text).split())

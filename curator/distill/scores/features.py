"""Features of a sentence for its scores: words, word pairs, and grammatical marks.

A mark stands for a group of words ("every time" and "whenever"), for subject and tense, or for the form of an order.
Marks generalise better than words: orders on any topic share their form and their words of repetition.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from curator.distill.surprise import signals
from curator.text import lower, read_toml

_NAMED = re.compile(r", [A-Z]\w+(?=[!.…]+(?:\s|$))|(?<=^Hey )[A-Z]\w+|^[A-Z]\w+, (?=[A-Z]|I\b|you)")
"""The name of somebody addressed: "No worries, Ana!" is not about Ana."""
_TOKEN = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+|[^\w\s]")
IN_SESSION = "IN SESSION"
"""Feature of sentences of a coding session, where most orders are tasks."""
_RESPELT = dict.fromkeys("rmbr rmber remeber remever rember remmember remmeber remembr rememeber".split(), "remember")
_BEGINNING = 5
"""Number of letters compared with a prefix like `apolog*`."""
_LASTING = frozenset(("EVER", "ONWARDS", "DEFAULT", "UNLESS", "IF I", "SCOPE", "PLURAL"))
_SUBJECTS = {
    "I": "i i'm i've i'll i'd we we're we've we'll",
    "MY": "my our",
    "HE": "he she they he's she's they're he'd she'd they've",
    "YOU": "you your you're you've you'll",
    "IT": "it it's this that that's these those there there's here",
    "THE": "the a an some one another",
    "WHAT": "what how why who where which is are does did was were has",
}
_SUBJECT = {word: name for name, words in _SUBJECTS.items() for word in words.split()}
_BEING = frozenset("i'm we're they're am are is he's she's it's you're".split())
_STOPPING = frozenset("stop quit avoid from without".split())
_NO_PAST = frozenset("need feed speed breed seed excited tired interested bed red used shed weed".split())
_NEGATED = frozenset("don't dont do_not never stop quit no avoid refrain skip drop without not nothing".split())
_OBJECTS = {
    "DEFINITE": "it this that these those there the my its your his her their",
    "ONE": "a an one two three some another",
    "ME": "me us",
}
_OBJECT = {word: name for name, words in _OBJECTS.items() for word in words.split()}
_FOR_GOOD = ("EVER", "DEFAULT", "UNLESS", "IF I", "IF ONE", "STOP DOING")
_YOURS = frozenset("you your you're you've you'll you'd yours yourself".split())


@dataclass(frozen=True, slots=True)
class WordMarks:
    """Marks by word, prefix and word pair; openers and polite phrases to skip; closed-class words."""

    by_word: Mapping[str, tuple[str, ...]]
    by_pair: Mapping[str, tuple[str, ...]]
    by_beginning: Mapping[str, tuple[str, ...]]
    openers: frozenset[str]
    polite: Mapping[str, tuple[tuple[str, ...], ...]]  # by first word, the longest first
    closed: frozenset[str]

    def of(self, words: Iterable[str], pairs: Iterable[str]) -> set[str]:
        """Return the marks of a sentence's words and word pairs."""
        found: set[str] = set()
        for word in words:
            if marks := self.by_word.get(word):
                found.update(marks)
            if marks := self.by_beginning.get(word[:_BEGINNING]):
                found.update(marks)
        for pair in pairs:
            if marks := self.by_pair.get(pair):
                found.update(marks)
        return found

    def begin(self, tokens: Sequence[str]) -> tuple[int, int, bool]:
        """Return the index after the openers, that after polite phrases too, and True if there were polite phrases."""
        at = 0
        while at < len(tokens) and tokens[at] in self.openers:
            at += 1
        first, asked = at, False
        while at < len(tokens):
            fits = (one for one in self.polite.get(tokens[at], ()) if tuple(tokens[at : at + len(one)]) == one)
            if (found := next(fits, None)) is not None and at + len(found) < len(tokens):
                at += len(found)
                asked = asked or found[0] not in ("always", "never", "just")
            elif tokens[at] in ",:-":
                at += 1
            else:
                break
        return first, at, asked


@cache
def marks() -> WordMarks:
    """Return the marks of `languages/marks.toml`, read once."""
    data = read_toml("curator.distill", "languages/marks.toml")
    words: dict[str, tuple[str, ...]] = {}
    pairs: dict[str, tuple[str, ...]] = {}
    beginnings: dict[str, tuple[str, ...]] = {}
    for name, listed in data["marks"].items():
        for word in dict.fromkeys(listed.split()):
            table = beginnings if word.endswith("*") else pairs if "_" in word else words
            key = word.rstrip("*").replace("_", " ")
            key = key[:_BEGINNING] if table is beginnings else key
            table[key] = (*table.get(key, ()), name)
    polite: dict[str, tuple[tuple[str, ...], ...]] = {}
    for phrase in sorted(data["skip"]["polite"].split("|"), key=len, reverse=True):
        parts = tuple(phrase.split())
        polite[parts[0]] = (*polite.get(parts[0], ()), parts)
    openers, closed = (frozenset(text.split()) for text in (data["skip"]["openers"], data["closed"]["words"]))
    return WordMarks(words, pairs, beginnings, openers, polite, closed)


def context(family: str = "", sorts: Collection[str] = ()) -> frozenset[str]:
    """Return the non-lexical features of a statement.

    `family` is the name of the family that matched it; `sorts` are the sorts of the other clauses of its sentence.
    """
    return frozenset((f"FAMILY {family}", *(f"SORT {sort}" for sort in sorts)))


def features(text: str) -> frozenset[str]:
    """Return the features of the words of a statement or sentence."""
    text = _NAMED.sub("", text)
    tokens = [
        "0" if token.isdigit() else _RESPELT.get(token, token)
        for token in _TOKEN.findall(lower(text).replace("’", "'"))
    ]
    words, joined = set(tokens), set(map(" ".join, pairwise(["<", *tokens, ">"])))
    found, counts = words | joined, signals(text)
    first, at, asked = marks().begin(tokens)
    verb, after = (tokens[at] if at < len(tokens) else ""), (tokens[at + 1] if at + 1 < len(tokens) else "")
    order = verb.isalpha() and verb not in marks().closed and not verb.endswith(("ing", "ed"))
    subject = tokens[first] if first < len(tokens) else ""
    of = _SUBJECT.get(subject) or ("DOING" if subject.endswith("ing") else "OTHER")

    sets = marks().of(words, joined)
    if any(word.endswith("ed") and word not in _NO_PAST for word in words):
        sets.add("PAST")
    pairs = list(pairwise(tokens))
    tense = sets & {"PAST", "FUTURE", "PERFECT"}
    if any(one in _BEING and other.endswith("ing") for one, other in pairs):
        tense.add("GOING ON")
    if any(one in _STOPPING and other.endswith("ing") for one, other in pairs):
        sets.add("STOP DOING")
    tense = tense or {"PRESENT"}
    lasting = len(sets & _LASTING)
    form = "ORDER" if order else "NO ORDER"
    holds = {
        "NAME": counts.names,
        "NUMBER": counts.numbers,
        "DATE": counts.dates,
        "YOURS": words & _YOURS,
        "NEGATED": words & _NEGATED,
        "FEW": counts.words < 4,
        "MANY": counts.words > 18,
        "LONG": counts.words > 28,
        "TELLING": counts.telling > 2,
        "VAGUE": counts.telling < 2,
        "ASKS": tokens and tokens[-1] == "?",
        "CALLS": tokens and tokens[-1] == "!",
        "QUOTED": '"' in text or "“" in text,
        "COLON": ":" in words,
        "POLITE": asked,
        "LASTING HAND": lasting and "HAND" in sets,
        "LASTING MADE UP": lasting and "MADE UP" in sets,
    }
    sets |= {name for name, true in holds.items() if true}
    found |= {f"{name} {form}" for name in sets}
    found |= {f"OF {of} {one}" for one in tense} | {f"KIN {one}" for one in (*tense, of) if "KIN" in sets}
    found |= (
        sets | tense | {form, f"OF {of}", f"FEEL {of}" if "FEEL" in sets else form, f"LASTING {min(3, lasting)} {form}"}
    )
    if order:
        found |= {f"VERB {verb}", f"VERB {verb} {after}", f"OBJECT {_OBJECT.get(after, 'OTHER')}"}
    else:
        found.add(f"START {verb}")
    return frozenset(found)


def has_lasting_word(text: str) -> bool:
    """Return True if a text has a word of repetition and is not about the current text, a story, or quoted."""
    found = features(text)
    if "as if" in text or not found.isdisjoint(("COLON", "MADE UP", "SAID")):
        return False
    return "ONWARDS" in found or ("HAND" not in found and not found.isdisjoint(_FOR_GOOD))

"""Reasons of a conflict in a person's words, without the weak evidence if there is better."""

import re
from calendar import month_name
from collections.abc import Iterable, Sequence

MOST = 3
"""Maximum reasons for a person; `curator conflicts explain` has them all."""

_SLOT = re.compile(
    r"(?:only one (?:can be true|holds) at a time|one denies the other|affirmed and denied|it was true and still is)"
    r", (?P<subject>[^:]+): (?P<a>.+) / (?P<b>.+)"
)
_CHANGE = re.compile(r"a change is (?:mentioned|said): (?P<words>.+)")
_DIFFERENCE = re.compile(
    r"(?P<kind>number|date|unit|name|negation|polarity|person|tense|modality|quantity|question|direction|order): "
    r"(?P<a>.+) / (?P<b>.+)"
)
_DIFFERENT = {
    "number": "different numbers",
    "date": "different dates",
    "unit": "different units",
    "name": "different names",
    "polarity": "opposites",
    "direction": "the other way round",
}
_TAIL = re.compile(
    r" (?:(?:and|but|so) (?:also |then |now )?(?:i|we|am|do|go|hate|have|like|live|love|make|play|run|take|use|work)\b"
    r"|(?:i|we|got|since|because|when|while|on my own)\b|(?:\d+|a|two|three) (?:day|week|month|year)s? ago\b).*"
)
"""The rest of a clause that a rule took along with the value."""
_LIKENESS = re.compile(r"(?:words replaced: |(?P<shared>\d+)% of words shared|cosine (?P<cosine>-?\d+(?:\.\d+)?))")
_SIGNS = "signs of a conflict: "
_PLAIN = {
    "no name, number, date or negation differs": "the same names, numbers and dates",
    "signs of a conflict, too weak to decide": "might be a conflict",
    "one has been given up": "one gives up what the other mentions",
    "a date that has passed": "planned or unfinished, then done",
    "one allows no exception": "one says always or never",
    "otherwise word for word the same": "otherwise the same words",
}
_VAGUE = ("similar, but no rule applies", "alike, and no rule decides")
_WORD = re.compile(r"\w+")
_OPENING = re.compile(r"(?:^|[.!?:]\s)\s*\w+", re.MULTILINE)
_DATE = re.compile(r"(?<![\w-])(?:(\d{1,2})-(\d{1,2})|month (\d{1,2}))(?![\w-])")


def for_people(reasons: Sequence[str], *texts: str) -> list[str]:
    """Return the strong reasons, or the best of the weak ones.

    Weak are scores, and words of only one text. Values get the capitals that they have in `texts`.
    """
    strong, weak = list[str](), list[str]()
    slot = any(_SLOT.fullmatch(reason) for reason in reasons)
    changed = any(_CHANGE.fullmatch(reason) for reason in reasons)
    for reason in reasons:
        if found := _SLOT.fullmatch(reason):
            values = found["a"], found["b"]
            cut = tuple(_TAIL.sub("", value) for value in values)
            a, b = (_readable(value, texts) for value in (cut if cut[0] != cut[1] else values))
            strong.append(f"{found['subject']}: {a} / {b}")
        elif found := _CHANGE.fullmatch(reason):
            strong.append(f"“{_readable(found['words'], texts)}” suggests a change")
        elif found := _DIFFERENCE.fullmatch(reason):
            kind = found["kind"]
            dated = _DATE.sub(_date, reason) if kind == "date" else reason
            found = _DIFFERENCE.fullmatch(dated) or found
            a, b = _readable(found["a"], texts), _readable(found["b"], texts)
            only = b if a == "–" else a if b == "–" else ""
            if kind == "negation" and not (slot or changed):
                strong.append(f"one says “{only or a}”")
            elif kind in _DIFFERENT and not (slot or only):
                strong.append(f"{_DIFFERENT[kind]}: {a}{', later ' if kind in ('number', 'date') else ' / '}{b}")
            elif only and kind in ("number", "date", "unit", "name"):
                weak.append(f"only one says {only}")
        elif found := _LIKENESS.match(reason):
            if found["shared"] and int(found["shared"]) >= 50:
                weak.insert(0, "mostly the same words")
            elif found["cosine"] and float(found["cosine"]) >= 0.6:
                weak.append("nearly the same meaning" if float(found["cosine"]) >= 0.85 else "similar meaning")
        elif reason.startswith(_SIGNS):
            signs = reason.removeprefix(_SIGNS).split(", ")
            strong += [sign for sign in signs if not (changed and sign == "a change is mentioned")]
        elif reason not in _VAGUE:
            strong.append(reason)
    said = " ".join(strong)
    # without "different numbers" if they are named
    strong = [_PLAIN.get(reason, reason) for reason in strong if f"{reason}: " not in said]
    return list(dict.fromkeys(strong))[:MOST] or weak[:2] or (["similar"] if reasons else [])


def _readable(value: str, texts: Iterable[str]) -> str:
    """Return a value with the capitals that its words have within sentences of the texts."""
    written: dict[str, str] = {}
    for word in _WORD.findall(_OPENING.sub(" ", "\n".join(texts))):
        written[word.casefold()] = word if written.get(word.casefold(), word) == word else word.casefold()
    return _WORD.sub(lambda word: written.get(word[0], word[0]), value)


def _date(found: re.Match[str]) -> str:
    """Return `17 May` for `5-17`."""
    month = int(found[1] or found[3])
    return f"{found[2] or ''} {month_name[month]}".strip() if 1 <= month <= 12 else found[0]

"""Doses of medicines: another amount of the same medicine replaces the former one, whatever else the texts say."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from curator.apostrophes import respell
from curator.compare.phrases import verb_forms
from curator.safety.vocabulary import ANIMAL, RELATIVE, words_of
from curator.text import stem, wordlists

MOST = 1_000
"""Maximum characters of a text that are searched."""
_UNITS = {
    "unit": "units?|iu|ui",
    "mg": "mg|milligrams?",
    "mcg": "mcg|µg|μg|ug|micrograms?",
    "ml": "ml|millilit(?:re|er)s?",
    "tablet": "tablets?|tabs?|pills?|comprimés?|tabletten?",
    "capsule": "capsules?",
    "drop": "drops?",
    "puff": "puffs?",
    "patch": "patch(?:es)?",
    "sachet": "sachets?",
}
DOSE_UNITS = frozenset(stem(unit) for unit in (*_UNITS, "pill", "mcg"))
"""Stems of the units, as `curator.compare.phrases.amounts` names them."""
_HALVES = {"half a": "0.5", "half": "0.5", "one and a half": "1.5", "a": "1", "an": "1"}
_COUNTS = "one two three four five six seven eight nine ten twelve".split()
_AMOUNT = re.compile(
    rf"(?<![\w.,/:+-])(?P<number>\d+(?:[.,]\d+)?|{'|'.join(sorted((*_HALVES, *_COUNTS), key=len, reverse=True))})"
    rf"(?P<gap>[ -]?)(?:{'|'.join(f'(?P<{unit}>{words})' for unit, words in _UNITS.items())})(?![\w/]|\.\w)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|[;\n]+")
_CLAUSE = re.compile(r",\s|\s[-–—]\s|[()]|\b(?:and|but|so)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_][\w'’-]{2,}")
_OF = re.compile(
    r"\s*(?:(?:of (?:my |the |his |her |their )?)|(?:(?:tablets?|pills?|capsules?|a day|daily) ){1,2}(?:of )?)?",
    re.IGNORECASE,
)
_MEDICAL = re.compile(
    r"\b(?:tak(?:e|es|ing)|injects?|injecting|dos(?:e|es|age)|insulin|prescri\w+|doctor|dr|gp|nurse|specialist"
    r"|pharmacist|diabet\w+|cardiologist|neurologist|psychiatrist|lower(?:ed)?|reduc\w+|increas\w+|rais\w+|daily|a day"
    r"|per day|at night|bedtime|before bed|meals?|twice|puffs?|mg|mcg|drops?)\b",
    re.IGNORECASE,
)
"""Words of a text in which an unknown name may be a medicine."""
_NOT_NOW = re.compile(
    r"\b(?:from|instead of|in place of|not|than|rather than|was|were|used to be|before|previously|formerly|maximum|max"
    r"|up to|at most|by|another|extra|additional|over|under|above|below)(?: (?:the|of|my|old))?\s*$",
    re.IGNORECASE,
)
"""The text before an amount that is not the dose, or is no longer."""
_MORE = re.compile(
    r"\s*(?:more|extra|less|fewer|higher|lower|left|remaining|too (?:many|much)|in stock"
    r"|per (?:\d|kg|kilo|gram|litre|liter|carb)|for (?:every|each) \d)",
    re.IGNORECASE,
)
"""The text after such an amount."""
_UNSURE = re.compile(
    r"\?|\b(?:if|maybe|perhaps|might|(?-i:may)|could|would|should i|can i|wants?|wish\w*|hop(?:e|es|ing)|thinking"
    r"|consider\w*|forgot|missed|almost|nearly)\b",
    re.IGNORECASE,
)
_STOCK = re.compile(
    r"\b(?:bought|buy|ordered|picked up|refill\w*|box(?:es)?|pack(?:et)?s?|bottles?|delivered|costs?|contains?|comes"
    r" in)\b",
    re.IGNORECASE,
)
_ONCE = re.compile(r"\b(?:took|injected|swallowed|gave|used to|had been|was on|were on|had)\b", re.IGNORECASE)
_CHANGED = re.compile(
    r"\b(?:lower|reduc|increas|rais|chang|switch|adjust|titrat|halv|doubl|prescrib|cut|put|told|start|went|go(?:ne)? up"
    r"|gone down|now|since)\w*",
    re.IGNORECASE,
)
"""Words of a change: its result holds, though it is told in the past."""
_TIMES = {
    "morning": r"mornings?|breakfast|waking",
    "noon": r"noon|midday|lunch",
    "evening": r"evenings?|dinner|supper",
    "night": r"nights?|bed(?:time)?",
} | {day: rf"(?:on |every )?{day}s|(?:on|every) {day}" for day in "monday tuesday wednesday thursday friday".split()}
_WHEN = re.compile("|".join(rf"(?P<{name}>\b(?:{words})\b)" for name, words in _TIMES.items()), re.IGNORECASE)
_WHOSE = re.compile(rf"\b(?:{RELATIVE}|{ANIMAL}|friend|colleague|neighbou?r)\b", re.IGNORECASE)
_THEY = re.compile(r"\W*(?:he|she|they)\b", re.IGNORECASE)
_NAMED = re.compile(r"\W*(?P<who>(?!User\b)[A-Z][\w'’-]+) (?:takes|injects|needs|gets|has|is on|uses)\b")
_SUBSTANCE = re.compile(
    r"\w{3}(?:pril|sartan|olol|statin|azole|mycin|cillin|zepam|oxetine|gliptin|gliflozin|barbital|triptan|dipine|solone)$"
)
_GENERIC = frozenset(
    "medication medications medicine medicines tablet tablets pill pills capsule capsules prescribed doctor dose doses"
    " painkiller painkillers antibiotic antibiotics units unit puff puffs drops drop morning evening night noon"
    " breakfast lunch dinner supper bedtime diabetes diabetic kidney kidneys knee thyroid blood pressure cardiologist"
    " neurologist specialist since until per before after during instead exactly".split()
)


@dataclass(frozen=True, slots=True)
class Dose:
    """An amount of a medicine, as a number of a unit, and as written."""

    name: str  # in lower case
    unit: str
    number: float
    written: str
    shown: str  # the name as written
    sure: bool  # certainly a medicine's name
    when: frozenset[str]
    whose: frozenset[str]  # relatives, animals or a name; "?" for somebody unnamed; empty for the person


def changed_dose(a: str, b: str) -> tuple[Dose, Dose] | None:
    """Return the doses of a medicine of which two texts give other amounts in the same unit; None without any."""
    ours, theirs = doses(a), doses(b)
    if not ours or not theirs or not any(_MEDICAL.search(text) for text in (a, b)):
        return None
    pairs = [(one, other) for one in ours for other in theirs if comparable_doses(one, other)]
    same = {one.name for one, other in pairs if one.number == other.number}
    return next((pair for pair in pairs if pair[0].name not in same), None)


def comparable_doses(one: Dose, other: Dose) -> bool:
    """Return True if two doses are of one medicine, in one unit, for one person and one time of day."""
    return (
        (one.name, one.unit) == (other.name, other.unit)
        and (one.sure or other.sure)
        and (not one.when or not other.when or not one.when.isdisjoint(other.when))
        and (one.whose == other.whose or ("?" in one.whose | other.whose and bool(one.whose and other.whose)))
    )


@lru_cache(maxsize=8192)
def doses(text: str) -> tuple[Dose, ...]:
    """Return the doses that a text says are taken, or are to be taken."""
    plain = respell(text[:MOST]).text
    if _AMOUNT.search(plain) is None:
        return ()
    return tuple(dose for sentence in _SENTENCE.split(plain) for dose in sentence_doses(sentence))


def sentence_doses(sentence: str) -> Iterator[Dose]:
    """Yield the doses of a sentence; not those that are over, unsure, a limit or a stock."""
    names = [word for word in _WORD.finditer(sentence) if may_name(word[0])]
    whose = owners(sentence)
    cuts = [0, *(cut.start() for cut in _CLAUSE.finditer(sentence)), len(sentence)]
    for found in _AMOUNT.finditer(sentence):
        if found["number"].casefold() in ("a", "an") and not found["gap"]:
            continue
        start = max(cut for cut in cuts if cut <= found.start())
        clause = sentence[start : min(cut for cut in cuts if cut >= found.end())]
        past = _ONCE.search(clause) is not None and _CHANGED.search(clause) is None
        if past or any(pattern.search(clause) for pattern in (_UNSURE, _STOCK)):
            continue
        if _NOT_NOW.search(sentence, 0, found.start()) or _MORE.match(sentence, found.end()):
            continue
        word = medicine_of(found, names, sentence)
        if word is None:
            continue
        unit, number = found.lastgroup or "", found["number"].casefold().replace(",", ".")
        amount = float(_HALVES.get(number) or wordlists().numbers.get(number, number))
        if unit == "mcg":
            unit, amount = "mg", amount / 1000
        when = frozenset(time.lastgroup or "" for time in _WHEN.finditer(clause))
        name, sure = word[0].casefold(), unit == "mg" or is_sure(word)
        yield Dose(name, unit, amount, found[0], word[0], sure, when, whose - {name})


def medicine_of(amount: re.Match[str], names: list[re.Match[str]], sentence: str) -> re.Match[str] | None:
    """Return the medicine of an amount: a word beside it, or after it and "of"; else the nearest name before it."""
    linked = _OF.match(sentence, amount.end())
    follows = linked.end() if linked is not None else amount.end()
    after = next((word for word in names if word.start() == follows), None)
    before = [word for word in names if word.end() <= amount.start()]
    beside = next((word for word in before if not sentence[word.end() : amount.start()].strip(" :(")), None)
    of = after is not None and bool(sentence[amount.end() : follows].strip())
    if after is not None and (of or (beside is None and _is_name(after[0]))):
        return after
    return beside or next((word for word in reversed(before) if _is_name(word[0])), None)


def may_name(word: str) -> bool:
    """Return True if a word beside an amount may be a medicine's name, in whatever case."""
    plain, lists = word.casefold(), wordlists()
    return plain in _known() or not (
        plain in _GENERIC
        or plain in lists.empty
        or plain in lists.light
        or plain in lists.people
        or plain in lists.months
        or plain in lists.days
        or plain in lists.numbers
        or plain in lists.negations
        or plain in lists.units
        or plain in verb_forms()
        or plain.endswith(("ly", "ing"))
        or "'" in plain
    )


def _is_name(word: str) -> bool:
    """Return True if a word is a known medicine, has a capital, or ends as the names of active substances do."""
    plain = word.casefold()
    return word[0].isupper() or plain in _known() or _SUBSTANCE.search(plain) is not None


def is_sure(word: re.Match[str]) -> bool:
    """Return True if a word is certainly a medicine's name; a capital at the start of a sentence shows none."""
    return _is_name(word[0]) and (word.start() > 0 or not word[0][0].isupper() or word[0].casefold() in _known())


@cache
def _known() -> frozenset[str]:
    """Return the names of medicines, and illnesses that stand for them."""
    return frozenset(word for word in words_of(("treatment",)) if word.isalpha()) - _GENERIC | {"insulin"}


def owners(sentence: str) -> frozenset[str]:
    """Return whose doses a sentence tells of; see `Dose.whose`."""
    found = frozenset(who[0].casefold().rstrip("s") for who in _WHOSE.finditer(sentence))
    named = _NAMED.match(sentence)
    if not found and named is not None:
        return frozenset({named["who"].casefold()})
    return found or (frozenset({"?"}) if _THEY.match(sentence) else frozenset())

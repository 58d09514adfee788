"""Attributes that requests to forget name, as texts state them: by synonyms, or by values of their form."""

import re
from collections.abc import Collection, Iterable
from functools import lru_cache

from curator.text import stem

_I = (
    r"\b(?:i|i['’]?(?:m|ve|ll|d)|i (?:am|was|have|had|will))\b"
    r"(?: (?:now|just|only|already|still|also|finally|currently))*"
)
"""The person as a subject."""
_UNITS = ("stone", " st", "kg", "kilo", "lb", "pound")
_KILOS = r"\d{1,3}(?:[.,]\d)? ?(?:stones?|st|kgs?|kilos?|kilograms?|lbs?)\b"
_BODY_WEIGHT = re.compile(
    r"\b(?:i(?:['’]?m| am| was)|me|down to|up to|weigh\w*)"
    r"(?: (?:about|around|now|at|only|still|nearly|over|currently))*"
    r" \d{1,3}(?:[.,]\d)? ?(?:stones?|st|kgs?|kilos?|kilograms?|lbs?|pounds)\b"
    r"(?:(?<!pounds)|(?! (?:in|of|on|for|left|short|overdrawn)\b))(?! of\b)"
    r"|(?:\b(?:i|i['’]?(?:m|ve|d)|me)(?: (?:am|have|had|was|trying to|want(?:ed)? to|need to|must|should|managed to"
    r"|could|just|already|also|finally|only|still|to|now))* |^(?:just |finally |only )*)"
    r"(?:los(?:e|t|ing)|gain(?:ed|ing)?|put(?:ting)? on|shed(?:ding)?)"
    r"(?: (?:about|around|another|over|nearly|almost|at least|only|just))*"
    r" (?:\d{1,3}(?:[.,]\d)?|half an?|an?|one|two|three|four|five|six|ten)(?: more| and a half)?"
    r" ?(?:stones?|st|kgs?|kilos?|kilograms?|lbs?)\b(?! of\b)"
    rf"|\bi(?:['’]?m| am)\b[^.;!?]{{0,20}}\b(?:foot|feet|ft|tall|cm|m)\b[^.;!?]{{0,6}}?\b(?:and|at) {_KILOS}"
    rf"|^(?:currently|now|at|still) {_KILOS}(?=\s*(?:$|[,.;!?]))"
    r"|\bmy bmi\b|^bmi\b.{0,12}\d",
    re.IGNORECASE,
)
"""The person's body weight, not that of goods, and not sums of money."""
_AGE = re.compile(
    r"\bi(?:['’]?m| am)(?: (?:now|already|only|just|still))* (?:1[2-9]|[2-9]\d)(?: years? old| yrs?(?: old)?| ?yo)?"
    r"(?=\s*(?:$|[,.;!?)]|(?:and|but|so|now|this year|next)\b))"
    rf"|{_I} turn(?:s|ed|ing)? \d\d\b(?! (?:\w+s|degrees?)\b)"
    rf"|{_I}[^.;!?]{{0,12}}? born (?:in|on) [^.;!?]{{0,20}}?(?:19|20)\d\d\b",
    re.IGNORECASE,
)
_EARNS = re.compile(
    r"\bmake (?:about |around )?"
    r"(?:[€$£]\d|\d[\d.,]* ?(?:k\b|grand|thousand|euros?|pounds|dollars|[€$£]|an? (?:year|month)))"
    rf"|(?:{_I} (?:on|getting|taking home|take home)|\bi(?:['’]?m| am| get| got| was|['’]?ve been) paid)"
    r"(?: (?:about|around|only|roughly|nearly|just))* (?:[€$£]\d[\d.,]*|\d[\d.,]* ?(?:k\b|grand|thousand|euros?|pounds"
    r"|dollars|[€$£]))(?! (?:fine|off|for|back|from|steps|words|calories|points|followers|views))",
    re.IGNORECASE,
)
_CALL_ME = r"\b(?:reach|call|text|ring|phone|whatsapp|message) me (?:on|at)\b.{0,10}?(?:\+|\b0)\d(?:[ ().-]{0,2}\d){6,}"
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
    "age": "birthday",
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
    "where": "live lives lived living address street road",
    "weight": "weigh weighs weighed bmi",
    "bmi": "weight weigh weighs weighed",
    "wage": "earn earns earned salary income wages",
    "religion": "church mosque synagogue temple faith baptised catholic christian muslim jewish hindu buddhist",
    "mum": "mother mom mam",
    "mom": "mother mum mam",
    "mother": "mum mom mam",
    "dad": "father",
    "father": "dad",
    "meds": "medication medicine tablet tablets pill pills mg dose",
    "diagnosis": "diagnosed",
    "death": "died dead passed",
    "passing": "died dead passed death",
    "loan": "borrow borrowed lent owe owes owed",
    "sacked": "fired dismissed",
    "fired": "sacked dismissed",
    "separation": "separated separating split",
}
"""Synonyms: a text with one of these words states the key, which a request names."""
_SIGNS = {
    **dict.fromkeys(("salary", "income", "wage"), (("make ", "on ", "paid ", "getting ", "take"), _EARNS)),
    "email": (("@",), re.compile(r"\S@\S")),
    "where": (
        (" in ", " at ", " on ", " near "),
        re.compile(r"\b(?:in|at|on|near) (?:the )?(?-i:[A-Z])", re.IGNORECASE),
    ),
    "sacked": (("let go",), re.compile(r"\blet (?:me )?go\b", re.IGNORECASE)),
    "fired": (("let go",), re.compile(r"\blet (?:me )?go\b", re.IGNORECASE)),
    "address": (
        ("stra", "st.", "ave.", "rd.", "calle "),
        re.compile(r"stra(?:ß|ss)e\b|\b(?:st|ave|rd)\.|\bcalle\b", re.IGNORECASE),  # "calle" and "called" share a stem
    ),
    "phone": (
        ("+", "number", " me on", " me at"),
        re.compile(
            r"\+\d{1,3}[ ().-]*\d(?:[ ().-]{0,2}\d){5,}|\bmy number\b.{0,20}?\b0\d(?:[ ().-]{0,2}\d){6,}"
            rf"|{_CALL_ME}",
            re.IGNORECASE,
        ),
    ),
    "number": ((" me on", " me at"), re.compile(_CALL_ME, re.IGNORECASE)),
    "age": (("i'm ", "i’m ", "im ", "i am ", "turn", "born"), _AGE),
    "birthday": (("turn",), re.compile(rf"{_I} turn(?:ing|ed)? \d\d (?:on|in)\b", re.IGNORECASE)),
    "bmi": (_UNITS, _BODY_WEIGHT),
    "weight": ((*_UNITS, "bmi"), _BODY_WEIGHT),
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
"""Patterns that state the key without its word, each with substrings to search for beforehand."""

_WEAK_SIGNS = {
    "weight": re.compile(
        r"\b(?:down|back|up) to \d{2,3}[.,]\d\b(?! ?(?:[%€$£°]|k\b|euros?|pounds?|dollars?|degrees?|per ?cent"
        r"|hours?|mins?|minutes?|km|miles?|volts?|litres?|points?|seconds?|mg|bpm))",
        re.IGNORECASE,
    ),
}
"""Patterns that may state the key: a number without its unit."""
_OTHER_SENSES = {
    "address": (
        re.compile(r"\baddress(?:es|ed|ing)? (?:me|us)\b", re.IGNORECASE),  # "address me as ..."
        re.compile(  # "tests live in tests/"
            r"(?<!\bi )(?<!\bwe )\blives? (?:in|under|at|inside|below) [`\"']?(?:[a-z_.][\w.-]*/)+(?=[\s,.;:)`\"']|$)",
            re.IGNORECASE,
        ),
    ),
    "weight": (
        re.compile(
            r"\bweight(?:s|ed)\b|\bweight[ -](?:in (?:grams|kilos?|ounces)|of (?:the|an?|this)|limits?|training"
            r"|machines?|room|lifting|lifter|bench)\b|\b(?:lift(?:s|ing)?|birth|paper|net|gross) weight\b",
            re.IGNORECASE,
        ),
    ),
    "age": (
        re.compile(
            r"\b(?:reading|school|stone|golden|iron|middle|under|pension|retirement|minimum|new|same) ages?\b(?: \d+)?"
            r"|\bages\b"
            r"|(?<!i'm )(?<!i’m )(?<!i am )(?<!im )\bage \d+|(?<!\bmy )\bage[ -](?:of|groups?|range|limits?|gap)\b",
            re.IGNORECASE,
        ),
    ),
    "height": (re.compile(r"\bheights\b|\bheight of\b", re.IGNORECASE),),
}
"""Other things that the word of an attribute names: "weights in grams" is not what the person weighs."""


@lru_cache(maxsize=1)
def _stemmed_signs() -> dict[str, tuple[tuple[str, ...], re.Pattern[str]]]:
    return {stem(word): signs for word, signs in _SIGNS.items()}


@lru_cache(maxsize=1024)
def synonyms(word: str) -> frozenset[str]:
    """Return the stemmed words that state a stemmed word of a request as well as itself."""
    others = (stated for key, stated in _SYNONYMS.items() if stem(key) == word)
    return frozenset(stem(other) for stated in others for other in stated.split())


def sign_parts(word: str) -> tuple[str, ...]:
    """Return substrings one of which is in every text that states, or may state, a stemmed word by its value."""
    parts = _stemmed_signs()[word][0] if word in _stemmed_signs() else ()
    return (*parts, *((" to ",) if word in _WEAK_SIGNS else ()))


def states_word(word: str, own: Collection[str], text: str) -> bool:
    """Return True if a text, or one of its stemmed words `own`, states a stemmed word of a request."""
    if word in own or not synonyms(word).isdisjoint(own):
        return True
    signs = _stemmed_signs().get(word)
    return signs is not None and signs[1].search(text) is not None


def may_state(word: str, text: str) -> bool:
    """Return True if a text may give the value of a stemmed word of a request, without its unit."""
    return word in _WEAK_SIGNS and _WEAK_SIGNS[word].search(text) is not None


def without_other_senses(request: str, words: Iterable[str], text: str) -> str:
    """Return a text without what the words of a request mean in other senses than in the request."""
    for word in words:
        for pattern in _OTHER_SENSES.get(word, ()):
            if not pattern.search(request):
                text = pattern.sub("", text)
    return text

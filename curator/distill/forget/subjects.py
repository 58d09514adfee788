"""Memories that share the words of a request to forget, but are about something else."""

import re

from curator.distill.forget.groups import ABOUT, GROUPS
from curator.distill.language import english
from curator.distill.requests.standing_orders import is_standing_order
from curator.text import plain_words, tokens

_WRITTEN = (
    r"(?:answers?|repl(?:y|ies)|e-?mails?|letters?|leaflets?|handouts?|documents?|reports?|texts?|messages?|notes?|posts?"
    r"|slides?|essays?|drafts?|recipes?|lists?|plans?|summar(?:y|ies)|code|units?|weights?|measure(?:s|ments)|temperatures?"
    r"|amounts?|prices?|sums|dates?|times?|numbers?|names?|quotes?|examples?|translations?)"
)
_ORDER = re.compile(
    rf"(?!(?:i|i['’]\w+|we|he|she|they)\b)(?:[\w'’-]+ ){{0,5}}?{_WRITTEN}(?: (?:to|for|in|of|about) [\w'’-]+){{0,2}}"
    r" (?:(?:must|should|shall) (?:be|have|use|include|contain|start|end|stay|come|go|fit|name|say|give)\b"
    r"|(?:always|never|only|please) (?:in|as|with|without|by|under|at|on|metric|imperial|short|brief|plain|to)\b)",
    re.IGNORECASE,
)
"""An order without a verb of its own, on what the assistant writes: "weights always in grams"."""
_NO_ORDER = re.compile(
    r"@|\d{3}[ \d-]{3,}"
    r"|^never (?:\w+ed|forgave|went|had|was|were|got|saw|told|said|met|knew|took|came|did|made|felt)\b",
    re.IGNORECASE,
)
"""A value such as a telephone number, or a statement on the past without its subject: "never forgave my dad"."""
_OF_ORDERS = re.compile(
    r"\b(?:orders?|rules?|instructions?|always|never|whenever|every time|from now on|(?:that )?(?:you|u)\b"
    r"|(?:you|u) (?:should|must|have to))",
    re.IGNORECASE,
)
"""Words of a request about an order."""
ORDER = "an order to the assistant"
"""The reason for doubt about an order."""
_MIN_SHARE = 0.5  # of the words of an order that a request for it names
_DETERMINED = (
    r"(?:an?|one|two|three|some|most|all|many|both|another|this|that|these|those|my|our|the|his|her|their|\d+)"
)
_OF_GROUP = re.compile(
    rf"(?:{ABOUT})?(?:(?:my|our|the|any|other|former|old|all|these|those) )*(?P<group>{GROUPS})\W*", re.I
)


def aside_reason(request: str, text: str) -> str:
    """Return the reason why a text with the words of a request may not be about it; empty if there is none.

    An order of the person is about its subject only if the request speaks of an order or names half of what it says.
    Of a group of people, as in "anything about patients", a passing mention is not enough.
    """
    if is_order(text) and not _OF_ORDERS.search(request) and not _names_most(request, text):
        return ORDER
    of_group = _OF_GROUP.fullmatch(request.strip())
    if of_group and not _is_about_group(of_group["group"].casefold(), text):
        return ORDER if is_order(text) else f"mentions {of_group['group'].casefold()} in passing"
    return ""


def is_order(text: str) -> bool:
    """Return True if a text gives the assistant an order for more than one answer."""
    if _NO_ORDER.search(text):
        return False
    return _ORDER.match(text) is not None or is_standing_order(text, asked=False, by_score=False)


def _names_most(request: str, text: str) -> bool:
    """Return True if a request names half of what a clause of a text says."""
    asked = tokens(request)
    for clause in re.split(r"[,;:.!?]\s|\s[-–—]\s", text):
        said = [word for word in plain_words(clause) if word not in english().stopwords]
        content = tokens(" ".join(said)) if said else frozenset()
        if len(content) > 1 and len(content & asked) >= len(content) * _MIN_SHARE:
            return True
    return False


def _is_about_group(group: str, text: str) -> bool:
    """Return True if one or all of a group are the subject of a text, or somebody whom it describes or whom I have."""
    one = re.escape(group.removesuffix("s"))
    member = rf"{one}s?\b(?! (?:{_WRITTEN}|records?|data|information|care|safety|services?|files?|meetings?|calls?)\b)"
    return any(
        re.search(pattern, text, re.IGNORECASE)
        for pattern in (
            rf"^(?:{_DETERMINED} (?:of )?)*(?:[\w'’-]+ )??"
            rf"(?:{one}s\b|{member}(?! \w+s (?:must|should|are|were|need)\b))",
            rf"\b(?:is|was|are|were|'s|’s),? (?:{_DETERMINED} |one of (?:my|our) )(?:[\w'’-]+ ){{0,2}}?{member}",
            rf"\b{member} of (?:mine|ours)\b",
            rf"\b{_DETERMINED} (?:[\w'’-]+ ){{0,2}}?{member}(?: of (?:mine|ours))?"
            r",? (?:who|whose|with|called|named|aged)\b",
            r"^(?:i|we|i['’]ve|we['’]ve)\b[^,;.]{0,20}?\b(?:have|had|got|saw|lost|treated|hate|love|like|dislike|dated|sued)"
            rf" (?:{_DETERMINED} )?(?:[\w'’-]+ ){{0,2}}?{member}",
        )
    )

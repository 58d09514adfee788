"""Texts as detectors read them: digits and signs of other forms in ASCII, nothing invisible, places kept."""

import re
import unicodedata
from bisect import bisect_right
from functools import cache

from store.sanitize import is_invisible

_FEW = 4  # signs that are sooner replaced one after the other
_ASCII = bytes(range(128))
_HYPHENS = "\u2010\u2011\u2012\u2013\u2212\ufe63"
_WIDE_PUNCTUATION = "\uff0d\uff0e\uff0f\uff20\uff3f"


def plain(text: str) -> tuple[str, list[int]]:
    """Return the text in plain signs, and the places in it before which an invisible character was left out."""
    if text.isascii():
        return text, []
    foreign = text.encode("utf-8", "surrogatepass").translate(None, _ASCII).decode("utf-8", "surrogatepass")
    forms = {ord(sign): form for sign in set(foreign) if (form := _form(sign)) != sign}
    if not forms:
        return text, []
    gaps: list[int] = []
    if unseen := "".join(chr(sign) for sign, form in forms.items() if not form):
        found = re.finditer(f"[{re.escape(unseen)}]", text)
        gaps = [match.start() - number for number, match in enumerate(found)]
    if len(forms) > _FEW:
        return text.translate(forms), gaps
    for sign, form in forms.items():
        text = text.replace(chr(sign), form)
    return text, gaps


def place(at: int, gaps: list[int]) -> int:
    """Return where the character at a place of the plain text stands in the text itself."""
    return at + bisect_right(gaps, at)


@cache
def _form(sign: str) -> str:
    """Return the plain form of a sign: one character, or none for an invisible one."""
    if is_invisible(sign):
        return ""
    if sign in _HYPHENS:
        return "-"
    kind = unicodedata.category(sign)
    if kind == "Nd":
        return str(unicodedata.decimal(sign))
    if kind == "Zs":
        return " "
    if sign in _WIDE_PUNCTUATION or "\uff21" <= sign <= "\uff5a":
        form = unicodedata.normalize("NFKC", sign)
        return form if len(form) == 1 else sign
    return sign

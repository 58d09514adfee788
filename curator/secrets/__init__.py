"""Redaction of secrets in texts, before anything is stored.

A table of detectors lists the kinds (`tokens`, `named`, `personal`, `commands`, `numbers`); `scan` finds them. Only the
secret is replaced (a token, the value after `password:`, a whole key block), so that its sentence stays readable.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from curator.secrets.detector import MARK
from curator.secrets.phrases import NAMING
from curator.secrets.scan import SecretSpan, find_secrets, suspects

__all__ = [
    "MARK",
    "Redacted",
    "SecretSpan",
    "covered",
    "find_secrets",
    "is_only_secret",
    "redact",
    "redact_all",
    "secrets_in",
]

_WORD = re.compile(r"\w+")
_REQUEST = re.compile(
    r"^\W*(?:(?:please|pls|hey|ok|also|just|can you|could you|i want you to)\W+)*(?:remember|memori[sz]e|note|save"
    r"|store|keep"
    r"|don't forget|do not forget|never forget|write down)(?: (?:in mind|down|for (?:me|later)|this|please"
    r"|pls))*(?:\W+that)?\b"
)
_SHORTLY = 5
"""Texts of a conversation, from one about passwords on, in which "the one I use is ..." is a password."""
_POINTED = re.compile(
    r"\b(?:the (?:only )?ones? (?:that )?(?:i|we)(?:'ve| have)?(?: always| usually| still| just)?"
    r" (?:use|used|have|had|got|chose|picked)(?: (?:now|for [\w ]{2,30}?))?|mine|ours"
    r"|my (?:usual|old|new|current|normal|standard)(?: one)?)(?: is|'s|’s| was|:| =)"
    r"(?: (?:always|just|still|now|usually|something like|like))* [\"'“‘`]?"
    r"(?P<value>(?=[^\s\"'”’`]*[a-z])(?=[^\s\"'”’`]*\d)[^\s\"'”’`,;]{6,60}?)(?=[.!?)]*(?:[\s,;\"'”’`]|$))",
    re.IGNORECASE,
)
"""A password that only the texts before say is one: letters and digits in one word."""


@dataclass(slots=True)
class Redacted:
    """A redacted text and the number of secrets replaced. Not frozen: that takes three times as long to make."""

    text: str
    count: int


def redact(text: str) -> Redacted:
    """Replace every secret by `[REDACTED]`; placeholders such as `<YOUR_KEY>` stay.

    Redaction is idempotent.
    """
    count = 0
    while found := find_secrets(text):
        count += len(found)
        parts: list[str] = []
        at = 0
        for one in found:
            parts += (text[at : one.start], MARK)
            at = one.end
        text = "".join((*parts, text[at:]))
    return Redacted(text, count)


def redact_all(texts: Sequence[str]) -> list[Redacted]:
    """Redact each text of a conversation, as `redact` does, and passwords that only the text before names as such."""
    suspected = suspects(texts)
    found = [redact(text) if place in suspected else Redacted(text, 0) for place, text in enumerate(texts)]
    about = [place for place, text in enumerate(texts) if "assword" in text or "asscode" in text or "PASSWORD" in text]
    for place in sorted({later for first in about for later in range(first, min(first + _SHORTLY, len(texts)))}):
        for pointed in reversed([*_POINTED.finditer(found[place].text)]):
            start, end = pointed.span("value")
            text = found[place].text
            found[place] = Redacted(f"{text[:start]}{MARK}{text[end:]}", found[place].count + 1)
    return found


def is_only_secret(redacted: str) -> bool:
    """Return True if a text is only redaction marks and words that name a secret: `my password is [REDACTED]`.

    A request to remember it changes nothing: `remember that my PIN is [REDACTED]`.
    """
    if MARK not in redacted:
        return False
    words = _WORD.findall(_REQUEST.sub("", redacted.replace(MARK, " ").lower()))
    return all(word in NAMING for word in words)


def covered(text: str, sign: str) -> str:
    """Replace every character of a secret by `sign`, so that offsets stay valid."""
    while spans := [
        (one.start, one.end) for one in find_secrets(text) if text[one.start : one.end].replace(sign, "").strip()
    ]:
        for start, end in spans:
            text = text[:start] + sign * (end - start) + text[end:]
    return text


def secrets_in(text: str) -> list[str]:
    """Return the secrets in a text, verbatim."""
    return [text[one.start : one.end] for one in find_secrets(text)]

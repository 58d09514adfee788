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
    """Redact each of these texts, as `redact` does."""
    suspected = suspects(texts)
    return [redact(text) if place in suspected else Redacted(text, 0) for place, text in enumerate(texts)]


def is_only_secret(redacted: str) -> bool:
    """Return whether a text is only redaction marks and words that name a secret: `my password is [REDACTED]`."""
    return MARK in redacted and all(word in NAMING for word in _WORD.findall(redacted.replace(MARK, " ").lower()))


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

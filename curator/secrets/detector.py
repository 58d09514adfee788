"""Detectors of kinds of secrets, by literals and a pattern; and checks of values by their form."""

import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache, reduce

Span = tuple[int, int]
Check = Callable[[re.Match[str], str], bool]
Trim = Callable[[re.Match[str], str], str]
Find = Callable[[str], Iterator[Span]]


class DetectorScope(Enum):
    """Texts to which a detector is applied."""

    TOKEN = auto()
    """Texts with a long run of letters and digits that contains a literal."""
    RUN = auto()
    """Texts with a long run of letters and digits, at the start of each run; needs no literal."""
    WORD = auto()
    """Texts with a literal in any case, as a whole word or, for `pass` and similar ones, as part of a word."""
    DIGITS = auto()
    """Texts with a literal once digits are `0`, capitals `A`, and spaces, dots, hyphens and slashes are removed."""
    SEED = auto()
    """Texts with twelve words of a seed phrase in a row."""


@dataclass(frozen=True, slots=True)
class Detector:
    """A kind of secret. `name` is used in settings, `label` is shown to people.

    The pattern is matched at each literal, or searched from `before` characters ahead of it; lower-case literals are
    matched against the text in lower case. The secret is `group`, shortened by `trim`, if `check` accepts it. `find`
    replaces the pattern.
    """

    name: str
    label: str
    literals: tuple[str, ...]
    pattern: str = ""
    scan: DetectorScope = DetectorScope.TOKEN
    group: int | str = 0
    check: Check | None = None
    trim: Trim | None = None
    before: int = 0
    find: Find | None = None


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Return the compiled pattern, cached. Patterns are compiled on first use, since there are many."""
    return re.compile(pattern)


MARK = "[REDACTED]"

_PLACEHOLDER = re.compile(
    r"""<.*>? | \[[A-Za-z _/…-]*\]? | \$?\{[^}]*\}?\}? | \$\(.* | (?-i:\$[A-Z][A-Z0-9_]* | \$[a-z_]+)
    | %\w*% | %\(\w+\)s | %[sdr]
    | [*•·#_x.\-=…]{3,} | .*\.\.\..* | .*….* | .*x{4,}.* | (.)\1{3,} | .*\[REDACTED\].*
    | [*&@:?]{1,2}[a-z_]+ | \#[a-z]+
    | (?:your|my|some|the|this|enter|insert|change|replace|example|dummy|fake|test|sample)
      (?:[_\-.\s][a-z_\-.\s]*|me|it|this)?
    | (?:your|enter|insert|replace|example|dummy|fake|sample)[_\-].*
    | (?:sk|pk|ghp|api|key|db|user|admin|root|new|old|confirm|current)?[_\-]?
      (?:pass(?:word|wd|phrase|code|wort)?|pwd?|secret|token|key)s?\d?
    | (?:api|access|secret|auth|refresh|client)[_\-]?(?:key|token|secret|id)s?
    | (?:password|secret|token|key|pass|pwd)[_\-]?(?:here|hash|value|field|input|123|str(?:ing)?)?
    | redacted | removed | hidden | masked | none | null | nil | undefined | true | false | string | str | text
    | varchar | int | integer | number | boolean | bool | bytes | object | any | value | user | username | email
    | hash | env | todo | self | default | optional | required
    | (?:md|sha|argon|pbkdf|aes|rsa|oauth|base|utf|ipv|http)[_\-]?\d+\w{0,5} | 2fa | bcrypt\w*""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
_EXPRESSION = re.compile(
    r"[*&!]?[A-Za-z_$][\w$]*(?:(?:\?*\.|->|::)[A-Za-z_$][\w$]*)+[;,)]*"  # settings.secret, req->token
    r"|[A-Za-z_$][\w$.]*\(.*|[A-Za-z_$][\w$.]*\[[\w:\-]*\]?[;,:)]*",  # getpass(…), tokens[0], Optional[…]
    re.DOTALL,
)
_PARTS = re.compile(r"\?*\.|->|::")
_PLACE = re.compile(
    r"(?:~|\.{1,2})?/(?:home|usr|etc|var|run|srv|opt|tmp|api|auth|secrets?|mnt|dev|users?|app|data|root|bin|login|reset"
    r"|account|library|proc|sys|lib|path|to|v\d)\b.*|[a-z]+://.*|(?:~|\.{1,2})/.*|[A-Za-z]:\\.*|(?:/[a-z_.\-]+){2,}/?",
    re.IGNORECASE | re.DOTALL,
)
_SEGMENT = re.compile(r"[a-z]+|[A-Z][a-z]*|[A-Z]+|\d{1,4}|v\d{1,3}")
_CASE = re.compile(r"[A-Z]*[a-z]*")


def is_placeholder(value: str) -> bool:
    """Return True if a value is a placeholder for a secret: `<YOUR_KEY>`, `$TOKEN`, `********`, `string`."""
    return _PLACEHOLDER.fullmatch(value) is not None


def is_expression(value: str) -> bool:
    """Return True if a value is code that reads it from elsewhere: `settings.secret`, `getpass()`, `tokens[0]`.

    `Tundra.Falcon42` and `s.k3JxQ9…` are not: no part of an expression mixes digits and capitals.
    """
    expression = _EXPRESSION.fullmatch(value) is not None
    if not expression or "(" in value or "[" in value:
        return expression
    parts = _PARTS.split(value.strip("*&!;,)"))
    return not any(
        any(map(str.isdigit, part)) and (part[:1].isupper() or len(part) > 12) and not part.isupper() for part in parts
    )


def is_place(value: str) -> bool:
    """Return True if a value is a path or a URL."""
    return _PLACE.fullmatch(value) is not None


def is_random(value: str) -> bool:
    """Return True if a value looks generated: digits among letters, or a long run of mixed case."""
    if len(value) < 8 or not any(c.isalpha() for c in value) or is_words(value):
        return False
    digits = sum(c.isdigit() for c in value)
    mixed = any(c.islower() for c in value) and any(c.isupper() for c in value)
    return digits >= 2 or (digits == 1 and len(value) >= 12) or (mixed and len(value) >= 20)


def is_words(value: str) -> bool:
    """Return True if a value is words and small numbers joined by hyphens, underscores or dots."""
    parts = re.split(r"[-_.]", value)
    return len(parts) > 1 and all(_SEGMENT.fullmatch(part) for part in parts if part)


def is_irregular(value: str) -> bool:
    """Return True if the capitals are unlike those of any name, as in `kQzWmRtLpXvB`."""
    if len(value) < 7 or not value.isascii() or not value.isalpha():
        return False
    humps = [part for part in _CASE.findall(value) if part]
    return len(humps) >= 3 and len(value) / len(humps) < 3.2 and any(c.islower() for c in value)


def is_random_value(match: re.Match[str], value: str) -> bool:
    """Check that the value looks random."""
    return is_random(value) and not is_placeholder(value)


def is_random_rest(match: re.Match[str], value: str) -> bool:
    """Check that the part after a token's prefix looks random."""
    rest = match[1].strip("-_.=")
    return is_random(rest) and not is_placeholder(rest)


def is_no_placeholder(match: re.Match[str], value: str) -> bool:
    """Check that the value is not a placeholder."""
    return not is_placeholder(value)


_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def is_base58check(match: re.Match[str], value: str) -> bool:
    """Check the four checksum bytes at the end of a Bitcoin key."""
    number = reduce(lambda total, sign: total * 58 + _BASE58.index(sign), value, 0)
    data = number.to_bytes((number.bit_length() + 7) // 8)
    return hashlib.sha256(hashlib.sha256(data[:-4]).digest()).digest()[:4] == data[-4:]

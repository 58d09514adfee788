"""Secrets out of texts before anything is stored.

The rules are the regular expressions of the `detect_secrets` library, plus forms it does not know. All of them are slow
over plain chat, so each names literals of which every match holds one, and looks only at the lines around those. What
is replaced is the secret itself (a token, the value after `password:`, a whole key block), so that the sentence around
it stays readable.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

MARK = "[REDACTED]"
_BEFORE, _AFTER = 300, 20_000  # how far around a literal a rule looks, in characters
_REST = re.compile(r"[A-Za-z0-9_\-+/=~]*")  # a token may be longer than the rule that found it


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets, and how many were replaced."""

    text: str
    count: int


@dataclass(frozen=True, slots=True)
class _Rule:
    """A pattern whose `group` is the secret, and literals of which every match holds one; without literals the
    pattern runs over everything. Literals in lower case are looked for in any case."""

    pattern: re.Pattern[str]
    literals: tuple[str, ...]
    group: int | str = 0
    check: Callable[[re.Match[str]], bool] | None = None
    widen: bool = True  # take the rest of the token too
    lines: int = 1  # a match may take


def redact(text: str) -> Redacted:
    """`text` with every secret replaced by `[REDACTED]`; placeholders such as `<YOUR_KEY>` stay.

    Redacting the result again changes nothing.
    """
    count = 0
    while spans := _spans(text):
        count += len(spans)
        parts, at = [], 0
        for start, end in spans:
            parts += (text[at:start], MARK)
            at = end
        text = "".join((*parts, text[at:]))
    return Redacted(text, count)


def _spans(text: str) -> list[tuple[int, int]]:
    """Where the secrets are, in order, overlapping ones joined."""
    everywhere, exact, folded = _index()
    found = [span for rule in everywhere for span in _matches(rule, text, 0, len(text))]
    for where, index in ((text, exact), (_fold(text), folded)):
        for literal, rules in index.items():
            if literal in where:
                for rule in rules:
                    for start, end in _windows(where, literal, rule.lines):
                        found += _matches(rule, text, start, end)
    return _joined(found) if found else found


def _fold(text: str) -> str:
    """Lower case of the same length, so that positions agree."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _windows(text: str, literal: str, lines: int) -> Iterator[tuple[int, int]]:
    """The line with `literal`, from the break before it, and those after it up to `lines`; of bounded width."""
    at = text.find(literal)
    while at >= 0:
        limit = min(at + _AFTER, len(text))
        first = end = text.find("\n", at, limit) + 1 or limit
        for _ in range(lines - 1):
            end = text.find("\n", end, limit) + 1 or limit
        yield max(text.rfind("\n", 0, at), at - _BEFORE, 0), end
        at = text.find(literal, first if first < limit else max(at + len(literal), limit - _BEFORE))


def _matches(rule: _Rule, text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for match in rule.pattern.finditer(text, start, end):
        first, last = match.span(rule.group)
        if first >= last or MARK in text[first:last] or (rule.check and not rule.check(match)):
            continue
        rest = _REST.match(text, last) if rule.widen else None
        yield first, rest.end() if rest else last


def _joined(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


_Index = dict[str, list[_Rule]]


@lru_cache(maxsize=1)
def _index() -> tuple[list[_Rule], _Index, _Index]:
    """The rules that run everywhere, and the others by literal: as written, and in any case."""
    everywhere: list[_Rule] = []
    exact: _Index = {}
    folded: _Index = {}
    for rule in (*_library_rules(), *_OWN):
        if not rule.literals:
            everywhere.append(rule)
        for literal in rule.literals:
            (folded if literal.islower() else exact).setdefault(literal, []).append(rule)
    return everywhere, exact, folded


# Per detector of the library: literals that its matches hold, and the group that is the secret (0: the whole match).
_NAMED = ("key", "pw", "pass", "token")
_DETECTORS: dict[str, tuple[tuple[str, ...], int]] = {
    "ArtifactoryDetector": (("AKC", "AP"), 0),
    "AWSKeyDetector": (("A3T", "ABIA", "ACCA", "AKIA", "ASIA", "aws"), 1),
    "AzureStorageKeyDetector": (("AccountKey=",), 0),
    "BasicAuthDetector": (("://",), 1),
    "CloudantDetector": ((*_NAMED, ".cloudant.com"), 1),
    "DiscordBotTokenDetector": ((), 0),
    "GitHubTokenDetector": (("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), 0),
    "GitLabTokenDetector": (
        ("glpat-", "gldt-", "glft-", "glsoat-", "glrt-", "GR1348941", "glcbt-", "glimt-", "glptt-", "glagent-", "gloas-"),
        0,
    ),
    "IbmCloudIamDetector": (_NAMED, 1),
    "IbmCosHmacDetector": (("secret",), 1),
    "MailchimpDetector": (("-us",), 0),
    "NpmDetector": (("_authToken",), 1),
    "OpenAIDetector": (("T3BlbkFJ",), 0),
    "PypiTokenDetector": (("pypi-Ag",), 0),
    "SendGridDetector": (("SG.",), 0),
    "SlackDetector": (("xox", "hooks.slack.com"), 0),
    "SoftlayerDetector": ((*_NAMED, "softlayer"), 1),
    "SquareOAuthDetector": (("sq0csp-",), 0),
    "StripeDetector": (("k_live_",), 0),
    "TelegramBotTokenDetector": ((), 0),
    "TwilioKeyDetector": (("AC", "SK"), 0),
}
# An address is no secret here; of private keys and JSON web tokens our own rules take more than the library's.
_LEFT_OUT = ("IPPublicDetector", "PrivateKeyDetector", "JwtTokenDetector")


def _library_rules() -> Iterator[_Rule]:
    """One rule for each regular expression of the library; a detector we do not know runs over everything."""
    import importlib
    import pkgutil

    from detect_secrets import plugins
    from detect_secrets.plugins.base import RegexBasedDetector

    for info in pkgutil.iter_modules(plugins.__path__):
        module = importlib.import_module(f"{plugins.__name__}.{info.name}")
        for name, detector in vars(module).items():
            ours = isinstance(detector, type) and issubclass(detector, RegexBasedDetector)
            if ours and detector.__module__ == module.__name__ and name not in _LEFT_OUT:
                literals, group = _DETECTORS.get(name, ((), 0))
                for pattern in detector().denylist:
                    yield _Rule(pattern, literals, min(group, pattern.groups), _LIBRARY_CHECKS.get(name))


def _random(value: str) -> bool:
    """Looks made by a machine: letters with digits among them, or a long run of changing case."""
    if len(value) < 8 or not any(c.isalpha() for c in value):
        return False
    digits = sum(c.isdigit() for c in value)
    mixed = any(c.islower() for c in value) and any(c.isupper() for c in value)
    return digits >= 2 or (digits == 1 and len(value) >= 12) or (mixed and len(value) >= 20)


_PLACEHOLDER = re.compile(
    r"""[<\[{$%\#*].* | .*[>}\]$] | .*\.\.\. .* | .*…|.*x{4,}.* | (.)\1{3,}
    | (?:your|my|some|the|this|enter|insert|change|replace|example|dummy|fake|test|sample)(?:[_\-.\s].*|me|it)?
    | (?:sk|pk|ghp|api|key|db|user|admin|root|new|old)?[_\-]?(?:pass|password|passwd|passphrase|passcode|pwd|secret|token|key)
    | (?:api|access|secret|auth)[_\-]?(?:key|token) | (?:password|secret|token|key)[_\-]?(?:here|hash|value|field|input|123)?
    | redacted | removed | hidden | masked | none | null | nil | undefined | true | false | string | str | text | varchar
    | int | integer | number | boolean | bool | bytes | object | any | value | user | username | email | hash | env | todo
    | (?:md|sha|argon|pbkdf|aes|rsa|oauth|base|utf|ipv|http|[23]f|s)[_\-]?\d+\w* | 2fa | bcrypt\w*""",
    re.IGNORECASE | re.VERBOSE,
)
_EXPRESSION = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|->|::)[A-Za-z_$][\w$]*)+;?")  # settings.secret, req->token
_WORD = re.compile(r"[^\W\d_]+(?:['’_-][^\W\d_]+)*")
# What follows "the password is" where a statement about it follows, not the password.
_ABOUT = frozenset(
    "about above accepted actually added again all allowed almost already also always another anything asked authenticated "
    "available because been before being below better blank blocked broken cached case-sensitive changed changing checked "
    "clear common compared complex compromised confirmed considered correct created currently default defined deleted "
    "derived different difficult disabled displayed done easily easy either empty enabled encoded encrypted enough entered "
    "equal exactly expected expired exposed first fine forgotten found from fully generated getting given going gone good "
    "great guessable handled hard hardcoded hashed here hidden hopefully immutable important incorrect indeed insecure "
    "invalid just kept known leaked left less like likely limited locked logged long longer lost made mandatory masked "
    "matched matching maybe missing more most much needed never nothing obvious obviously okay only optional outdated over "
    "passed plain plaintext possibly printed private probably protected provided quite random read ready really received "
    "recommended redacted rejected rather removed required reset retrieved reused right rotated safe salted same saved "
    "secure securely sensitive sent shared short shown similar simple simply something sometimes somewhere still stolen "
    "stored strong stronger submitted supplied supposed that their there they this transmitted true typed unchanged unique "
    "unknown unsafe until updated used useless usually valid validated verified very visible weak weaker what when where "
    "which with within without working wrong written your".split()
)


def _stands(match: re.Match[str], value: str) -> bool:
    """Not a placeholder, an expression of a program, an address or a path."""
    if _PLACEHOLDER.fullmatch(value) or _EXPRESSION.fullmatch(value) or "://" in value or value[0] in "/~":
        return False
    return bool(match["quote"]) or match.string[match.end() : match.end() + 1] not in ("(", "[", "{")


def _is_password(match: re.Match[str]) -> bool:
    """`password: hunter2`, `my password is swordfish`, but not `password: string`, `the password is wrong`."""
    value = match["value"].rstrip(".,;:!?)")
    if len(value) < 4 or not _stands(match, value):
        return False
    sign = match["sign"].strip().lower()
    word = _WORD.fullmatch(value)
    if " " in value:
        return bool(match["quote"]) and (any(c.isdigit() for c in value) or "phrase" in match["name"].lower())
    if not sign or sign in ("to", "as"):
        return not word and any(c.isdigit() for c in value) and any(c.isalpha() for c in value)
    if not word:
        return any(c.isalnum() for c in value)
    if match["quote"]:
        return value.lower() not in _ABOUT
    ends = not match.string[match.end("value") : match.end("value") + 3].lstrip(" '\"`")[:1].isalnum()
    return sign[0].isalpha() and ends and value.lower() not in _ABOUT


def _is_key(match: re.Match[str]) -> bool:
    value = match["value"].rstrip(".,;:!?)")
    return _random(value) and " " not in value and _stands(match, value)


def _is_mixed(match: re.Match[str]) -> bool:
    value = match["value"]
    return any(c.isdigit() for c in value) and any(c.isalpha() for c in value) and not _PLACEHOLDER.fullmatch(value)


def _is_random(match: re.Match[str]) -> bool:
    value = match[match.lastindex or 0]
    return _random(value) and not _PLACEHOLDER.fullmatch(value)


def _is_no_placeholder(match: re.Match[str]) -> bool:
    return not _PLACEHOLDER.fullmatch(match[1])


# `APARTMENTS` is a word, and `user:password@host` an example.
_LIBRARY_CHECKS = {"ArtifactoryDetector": _is_random, "BasicAuthDetector": _is_no_placeholder}

_SAID = r"\s+(?:is|was|ist|est|es|lautet)\b(?:\s+(?:now|still|currently|set to|changed to))?:?\s+"
_SIGN = rf"(?P<sign>[ \t]*(?::=|={{1,3}}>?|:)[ \t]*(?:\n[ \t]*)?|{_SAID}|[ \t]+(?:to|as)[ \t]+|[ \t]+)"
_VALUE = (
    r"(?:(?P<quote>\\*[\"'`“‘«])(?=(?P<value>[^\"'`”’»\n]{4,200}?)\\*[\"'`”’»])|(?P<bare>[^\s\"'`,;<>(){}\[\]]{4,200}))"
)

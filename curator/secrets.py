"""Secrets out of texts before anything is stored.

The rules are the regular expressions of the `detect_secrets` library, plus forms it does not know. All of them are slow
over plain chat, so each names literals of which every match holds one, and looks only at the lines around those. What
is replaced is the secret itself (a token, the value after `password:`, a whole key block), so that the sentence around
it stays readable.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from store.loading import for_good

MARK = "[REDACTED]"
_BEFORE, _AFTER = 300, 20_000  # how far around a literal a rule looks, in characters
_LONG = 19  # characters of a word that can be a token
_DENSE = re.compile(rf"[\w+/\\\-]{{{_LONG},}}")
_REST = re.compile(r"[A-Za-z0-9_\-+/=~]*")  # a token may be longer than the rule that found it


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets, and how many were replaced."""

    text: str
    count: int


@dataclass(frozen=True, slots=True)
class _Rule:
    """A pattern whose `group` is the secret, and literals of which every match holds one.

    With `token`, the pattern runs over the whole text if it and a literal are found in the text's long words (most of
    a chat has none); else over the lines that hold a literal, in lower case if the literal is, and only where at least
    `run` letters, digits and `+/-_` stand together.
    """

    pattern: re.Pattern[str]
    literals: tuple[str, ...] = ()
    group: int | str = 0
    check: Callable[[re.Match[str], str], bool] | None = None  # gets the secret as it is written
    widen: bool = True  # take the rest of the token too
    lines: int = 1  # that a match may take; 0: any number
    run: int = 0
    token: bool = False


def redact(text: str) -> Redacted:
    """`text` with every secret replaced by `[REDACTED]`; placeholders such as `<YOUR_KEY>` stay.

    Redacting the result again changes nothing.
    """
    count = 0
    while spans := _spans(text):
        count += len(spans)
        parts: list[str] = []
        at = 0
        for start, end in spans:
            parts += (text[at:start], MARK)
            at = end
        text = "".join((*parts, text[at:]))
    return Redacted(text, count)


def covered(text: str, sign: str) -> str:
    """`text` with every character of a secret replaced by a sign, so that places in it stay what they are."""
    while spans := [(start, end) for start, end in _spans(text) if text[start:end].replace(sign, "").strip()]:
        for start, end in spans:
            text = text[:start] + sign * (end - start) + text[end:]
    return text


def secrets_in(text: str) -> list[str]:
    """The secrets that a text holds, as they stand there."""
    return [text[start:end] for start, end in _spans(text)]


def _spans(text: str) -> list[tuple[int, int]]:
    """Where the secrets are, in order, overlapping ones joined."""
    found: list[tuple[int, int]] = []
    joined = " ".join([word for word in text.split() if len(word) >= _LONG])
    tokens, exact, folded = _index(bool(joined) or any(literal in text for literal in _WITHOUT_RUN))
    dense: int | None = None
    if joined:
        for literal, rules in tokens.items():
            if literal in joined:
                for rule in rules:
                    if rule.pattern.search(joined):
                        found += _matches(rule, text, 0, len(text), text)
    for where, index in ((text, exact), (_fold(text), folded)):
        for literal, rules in index.items():
            if literal not in where:
                continue
            for rule in rules:
                if rule.run:
                    dense = max(map(len, _DENSE.findall(joined)), default=0) if dense is None else dense
                    if dense < rule.run:
                        continue
                for start, end in _windows(where, literal, rule.lines):
                    found += _matches(rule, text, start, end, where)
    return _joined(found) if found else found


def _fold(text: str) -> str:
    """Lower case of the same length, so that positions agree."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _windows(text: str, literal: str, lines: int) -> Iterator[tuple[int, int]]:
    """The line with `literal`, from the break before it, and those after it up to `lines`; of bounded width."""
    if not lines:
        yield 0, len(text)
        return
    at = text.find(literal)
    while at >= 0:
        limit = min(at + _AFTER, len(text))
        first = end = text.find("\n", at, limit) + 1 or limit
        for _ in range(lines - 1):
            end = text.find("\n", end, limit) + 1 or limit
        yield max(text.rfind("\n", 0, at), at - _BEFORE, 0), end
        at = text.find(literal, first if first < limit or limit == len(text) else limit - _BEFORE)


def _matches(rule: _Rule, text: str, start: int, end: int, where: str) -> Iterator[tuple[int, int]]:
    """Spans of secrets between `start` and `end`; `where` is `text` itself or in lower case."""
    for match in rule.pattern.finditer(where, start, end):
        first, last = match.span(rule.group)
        value = text[first:last]
        if not value.replace(MARK, "").strip() or (rule.check and not rule.check(match, value)):
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


@lru_cache(maxsize=2)
def _index(library: bool) -> tuple[_Index, _Index, _Index]:
    """The rules by literal: token rules, those to look for as written, those to look for in any case.

    Loading the library takes 0.1 s: most of what a person types cannot hold what it looks for.
    """
    tokens: _Index = {}
    exact: _Index = {}
    folded: _Index = {}
    for rule in (*(_library_rules() if library else ()), *_OWN):
        for literal in rule.literals or ("",):
            index = tokens if rule.token else folded if literal.islower() else exact
            index.setdefault(literal, []).append(rule)
    return tokens, exact, folded


# What is known of the library's detectors: a rule for each pattern, the last for all that follow. Those not named here
# run over every text with a long word.
_ANY = re.compile(r"(?!)")  # stands for a pattern of the library
_NAMED = ("key", "pass", "pwd", "token")
_DETECTORS: dict[str, tuple[_Rule, ...]] = {
    "ArtifactoryDetector": (_Rule(_ANY, ("AKC", "AP"), token=True),),
    "AWSKeyDetector": (
        _Rule(_ANY, ("A3T", "ABIA", "ACCA", "AKIA", "ASIA"), token=True),
        _Rule(_ANY, ("aws",), group=1, run=40),
    ),
    "AzureStorageKeyDetector": (_Rule(_ANY, ("AccountKey=",), token=True),),
    "BasicAuthDetector": (_Rule(_ANY, ("://",), group=1),),
    "CloudantDetector": (
        _Rule(_ANY, _NAMED, group=1, run=24),
        _Rule(_ANY, _NAMED, group=1, run=24),
        _Rule(_ANY, ("://",), group=1, run=40),
    ),
    "DiscordBotTokenDetector": (_Rule(_ANY, token=True),),
    "GitHubTokenDetector": (_Rule(_ANY, ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), token=True),),
    "GitLabTokenDetector": (_Rule(_ANY, ("gl", "GR1348941"), token=True),),
    "IbmCloudIamDetector": (_Rule(_ANY, _NAMED, group=1, run=44),),
    "IbmCosHmacDetector": (_Rule(_ANY, ("secret",), group=1, run=48),),
    "MailchimpDetector": (_Rule(_ANY, ("-us",), token=True),),
    "NpmDetector": (_Rule(_ANY, ("_authToken",), group=1),),
    "OpenAIDetector": (_Rule(_ANY, ("T3BlbkFJ",), token=True),),
    "PypiTokenDetector": (_Rule(_ANY, ("pypi-Ag",), token=True),),
    "SendGridDetector": (_Rule(_ANY, ("SG.",), token=True),),
    "SlackDetector": (_Rule(_ANY, ("xox", "XOX"), token=True), _Rule(_ANY, ("hooks.slack.com",), token=True)),
    "SoftlayerDetector": (_Rule(_ANY, _NAMED, group=1, run=64), _Rule(_ANY, ("://",), group=1, run=64)),
    "SquareOAuthDetector": (_Rule(_ANY, ("sq0csp-",), token=True),),
    "StripeDetector": (_Rule(_ANY, ("k_live_",), token=True),),
    "TelegramBotTokenDetector": (_Rule(_ANY, token=True),),
    "TwilioKeyDetector": (_Rule(_ANY, ("AC", "SK"), token=True),),
}
_WITHOUT_RUN = ("://", "_authToken")
"""One of these, or a long word, is in every text in which a rule of the library finds anything."""
# An address is no secret here; of private keys and JSON web tokens our own rules take more than the library's.
_LEFT_OUT = ("RegexBasedDetector", "IPPublicDetector", "PrivateKeyDetector", "JwtTokenDetector")


def _library_rules() -> Iterator[_Rule]:
    """One rule for each regular expression of the library's pattern detectors."""
    import importlib
    import pkgutil

    with for_good():
        from detect_secrets import plugins

        found = pkgutil.iter_modules(plugins.__path__)
        modules = [importlib.import_module(f"{plugins.__name__}.{info.name}") for info in found]
    for module in modules:
        for name, detector in vars(module).items():
            ours = name.endswith("Detector") and detector.__module__ == module.__name__ and name not in _LEFT_OUT
            patterns: Iterable[re.Pattern[str]] = getattr(detector, "denylist", ()) if ours else ()
            rules = _DETECTORS.get(name, (_Rule(_ANY, token=True),))
            for number, pattern in enumerate(patterns):
                rule = rules[min(number, len(rules) - 1)]
                yield replace(rule, pattern=pattern, check=_LIBRARY_CHECKS.get(name))


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
    | (?:sk|pk|ghp|api|key|db|user|admin|root|new|old)?[_\-]?(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|key)
    | (?:api|access|secret|auth)[_\-]?(?:key|token)
    | (?:password|secret|token|key)[_\-]?(?:here|hash|value|field|input|123)?
    | redacted | removed | hidden | masked | none | null | nil | undefined | true | false | string | str | text
    | varchar | int | integer | number | boolean | bool | bytes | object | any | value | user | username | email
    | hash | env | todo
    | (?:md|sha|argon|pbkdf|aes|rsa|oauth|base|utf|ipv|http|[23]f)[_\-]?\d+\w* | 2fa | bcrypt\w*""",
    re.IGNORECASE | re.VERBOSE,
)
_EXPRESSION = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|->|::)[A-Za-z_$][\w$]*)+;?")  # settings.secret, req->token
_WORD = re.compile(r"[^\W\d_]+(?:['’_-][^\W\d_]+)*")
# What follows "the password is" where a statement about it follows, not the password.
_ABOUT = frozenset(
    "about above accepted actually added again all allowed almost already also always another anything asked "
    "authenticated available because been before being below better blank blocked broken cached case-sensitive "
    "changed changing checked clear common compared complex compromised confirmed considered correct created "
    "currently default defined deleted derived different difficult disabled displayed done easily easy either "
    "empty enabled encoded encrypted enough entered equal exactly expected expired exposed first fine forgotten "
    "found from fully generated getting given going gone good great guessable handled hard hardcoded hashed here "
    "hidden hopefully immutable important incorrect indeed insecure invalid just kept known leaked left less like "
    "likely limited locked logged long longer lost made mandatory masked matched matching maybe missing more most "
    "much needed never nothing obvious obviously okay only optional outdated over passed plain plaintext possibly "
    "printed private probably protected provided quite random read ready really received recommended redacted "
    "rejected rather removed required reset retrieved reused right rotated safe salted same saved secure securely "
    "sensitive sent shared short shown similar simple simply something sometimes somewhere still stolen stored "
    "strong stronger submitted supplied supposed that their there they this transmitted true typed unchanged "
    "unique unknown unsafe until updated used useless usually valid validated verified very visible weak weaker "
    "what when where which with within without working wrong written your".split()
)


def _stands(match: re.Match[str], value: str) -> bool:
    """Not a placeholder, an expression of a program, an address or a path."""
    if _PLACEHOLDER.fullmatch(value) or _EXPRESSION.fullmatch(value) or "://" in value or value[0] in "/~":
        return False
    return bool(match["quote"]) or match.string[match.end() : match.end() + 1] not in ("(", "[", "{")


def _is_password(match: re.Match[str], value: str) -> bool:
    """`password: hunter2`, `my password is swordfish`, but not `password: string`, `the password is wrong`."""
    value = value.rstrip(".,;:!?)")
    if len(value) < 4 or not _stands(match, value):
        return False
    if " " in value:
        return bool(match["quote"]) and (any(c.isdigit() for c in value) or match["name"] == "passphrase")
    if not _WORD.fullmatch(value):
        return any(c.isalnum() for c in value)
    if match["quote"]:
        return value.lower() not in _ABOUT
    ends = not match.string[match.end("value") : match.end("value") + 3].lstrip(" '\"`")[:1].isalnum()
    return match["sign"].strip()[0].isalpha() and ends and value.lower() not in _ABOUT


_QUALIFIER = re.compile(
    r"(?:api|auth|access|secret|private|service|account|client|encryption|signing|master|license|product|recovery"
    r"|activation|db|database)[ _.-]?$"
)


def _is_key(match: re.Match[str], value: str) -> bool:
    """`api_key = 9f8e7d6c`: a key of some kind, or a token or secret, that looks random."""
    before = match.string[max(match.start() - 14, 0) : match.start()]
    if match["name"] == "key" and not _QUALIFIER.search(before):
        return False
    value = value.rstrip(".,;:!?)")
    return _random(value) and " " not in value and _stands(match, value)


def _is_mixed(match: re.Match[str], value: str) -> bool:
    return any(c.isdigit() for c in value) and any(c.isalpha() for c in value) and not _PLACEHOLDER.fullmatch(value)


def _is_random(match: re.Match[str], value: str) -> bool:
    return _random(value) and not _PLACEHOLDER.fullmatch(value)


def _goes_on_random(match: re.Match[str], value: str) -> bool:
    """What follows the prefix of a token looks random."""
    return _is_random(match, match[1])


def _is_no_placeholder(match: re.Match[str], value: str) -> bool:
    return not _PLACEHOLDER.fullmatch(value)


# `APARTMENTS` is a word, and `user:password@host` an example.
_LIBRARY_CHECKS = {"ArtifactoryDetector": _is_random, "BasicAuthDetector": _is_no_placeholder}

_SAID = r"\s+(?:is|was|ist|est|es|lautet)\b(?:\s+(?:now|still|currently|set to|changed to))?:?\s+"
_SIGN = rf"(?P<sign>[ \t]*(?::=|={{1,3}}>?|:)[ \t]*(?:\r?\n[ \t]*)?|{_SAID})"
_VALUE = (
    r"(?P<quote>\\*[\"'`“‘«])?(?P<value>(?(quote)[^\"'`”’»\n]{4,4000}?(?=\\*[\"'`”’»])|[^\s\"'`,;<>(){}\[\]]{4,4000}))"
)
_ASSIGNED = rf"(?:\\*[\"'`\]*]){{0,4}}{_SIGN}(?:\*\*[ \t]?)?{_VALUE}"
_FOR = r"(?:[ \t]+(?:(?:for|to|of|on|at|für|pour|para)[ \t]+[^\n.:;=]{1,40}?|here|below|again|\([^)\n]{1,30}\)))?"
_NO_PASSWORD = (
    r"(?![\w-]*(?:hash|salt|length|policy|reset|field|manager|less|min|max|strength|protect|file|path|hint|expir|type))"
)
_PASSWORDS = {  # by literal
    "pass": r"(?P<name>pass(?:(?:word|wd|phrase|code|wort)s?|(?<=mot de pass)e|(?<![a-z]pass)(?=[ \t]*[:=])))",
    "pwd": r"(?P<name>pwd)",
    "contrase": r"(?P<name>contrase[ñn]a)",
    "kennwort": r"(?P<name>kennwort)",
    "senha": r"(?P<name>senha)",
}
_BEGIN, _END = r"-{0,5}BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?", r"-{0,5}END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY"
_BREAK = r"(?:\s|\\+[nr])*"
_PREFIXES = (
    "sk- sk_ pk_ rk_ ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- hf_ npm_ pypi- gsk_ xai- tvly- pplx- r8_ rpa_ ntn_ "
    "sbp_ pat- key- secret_ whsec_ glsa_ nvapi- lin_api_ xapp- dckr_pat_ dop_v1_ doo_v1_ dor_v1_ shpat_ shpss_ shpca_ "
    "shppa_ sq0atp- sq0csp- GOCSPX- AGE-SECRET-KEY-"
).split()
_OWN: tuple[_Rule, ...] = (
    _Rule(  # to its end, or as far as its lines go
        re.compile(
            rf"{_BEGIN}-{{0,5}}(?:(?:(?!{_BEGIN})[\s\S]){{0,19000}}?{_END}(?: BLOCK)?-{{0,5}}"
            rf"|(?:{_BREAK}(?:[A-Za-z0-9+/]{{16,}}={{0,2}}|(?:Proc-Type|DEK-Info|Version|Comment):[^\n\\]*))*"
            r"(?:(?:\n|\\+n)[A-Za-z0-9+/]{1,76}={0,2}(?=\s*(?:\n|$)))?)"
        ),
        ("PRIVATE KEY",),
        widen=False,
        lines=0,
    ),
    _Rule(
        re.compile(r"PuTTY-User-Key-File-\d(?:[\s\S]{0,19000}?Private-MAC:[ \t]*[0-9a-fA-F]+|[^\n]*)"),
        ("PuTTY-User-Key-File-",),
        widen=False,
        lines=0,
    ),
    _Rule(
        re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(_PREFIXES)})([A-Za-z0-9][A-Za-z0-9_\-]{{15,}})"),
        tuple(_PREFIXES),
        check=_goes_on_random,
        token=True,
    ),
    _Rule(
        re.compile(r"\b(?:AIza|ya29\.|EAAA|EAAC)[A-Za-z0-9_\-]{24,}"),
        ("AIza", "ya29.", "EAAA", "EAAC"),
        token=True,
    ),
    _Rule(re.compile(r"\bxox[a-z]-([A-Za-z0-9\-]{10,})"), ("xox",), check=_goes_on_random, token=True),
    _Rule(re.compile(r"\beyJ[\w=-]{5,}\.[\w=-]{2,}(?:\.[\w.+/=-]*)?"), ("eyJ",), token=True),
    _Rule(
        re.compile(r"://[^\s:/@\"'<>]{0,100}:([^\s\"'<>/]{1,200})@(?=[\w\[.-])"),
        ("://",),
        1,
        check=_is_no_placeholder,
        widen=False,
    ),
    _Rule(
        re.compile(r"\b(?:bearer|authorization\W{1,4}(?:basic|token|apikey))\s+([a-z0-9._~+/=\-]{12,})"),
        ("bearer", "authorization"),
        1,
        check=_is_random,
    ),
    _Rule(  # AWS secret keys, bare or with escaped slashes
        re.compile(r"secret.{0,30}?[\"'`\s=:]((?:[0-9a-z+]|\\?/){40})(?![0-9a-z/+=])"),
        ("secret",),
        1,
        check=_is_random,
        run=40,
    ),
    *(
        _Rule(
            re.compile(rf"{name}{_NO_PASSWORD}[\w-]{{0,20}}{_FOR}{_ASSIGNED}"),
            (literal,),
            "value",
            _is_password,
            widen=False,
            lines=2,
        )
        for literal, name in _PASSWORDS.items()
    ),
    _Rule(
        re.compile(
            r"pass(?:word|code|phrase|wd)[ \t]+(?:(?:to|as|was|is)[ \t]+)?[\"'`]?"
            r"(?P<value>(?=[^\s\"'`]*\d)[^\s\"'`]{5,200})"
        ),
        ("pass",),
        "value",
        _is_mixed,
        widen=False,
    ),
    _Rule(
        re.compile(
            r"(?<!\S)[\"'`]?(?P<value>[^\s\"'`]{4,100}+)[\"'`]? (?:is|was|as) (?:my|our) "
            r"(?:\w+ ){0,2}pass(?:word|code|phrase)"
        ),
        ("pass",),
        "value",
        _is_mixed,
        widen=False,
    ),
    *(
        _Rule(re.compile(rf"(?P<name>{name})[\w-]{{0,20}}{_ASSIGNED}"), (name,), "value", _is_key, lines=2)
        for name in ("key", "secret", "token")
    ),
    _Rule(
        re.compile(r"\bpin(?:[ \t]+(?:code|number))?[ \t]*(?:\bis\b|\bwas\b|:|=)[ \t]*(\d{4,6})\b"),
        (" pin is", " pin:", " pin code"),
        1,
    ),
    _Rule(
        re.compile(r"(?:identified by[ \t]+['\"]|sshpass -p[ \t]*['\"]?|-u [^\s:'\"]{1,60}:)([^\s'\"]{3,200})"),
        ("identified by", "pass", "curl"),
        1,
        check=_is_no_placeholder,
        widen=False,
    ),
)

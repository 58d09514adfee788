"""Passwords, keys and tokens by what they are called: `password: …`, `my pin is …`, `use … as password`."""

import re
from collections.abc import Iterator

from curator.secrets.detector import Check, Detector, Scan
from curator.secrets.phrases import ABOUT, STOP
from curator.secrets.values import (
    MARK,
    is_expression,
    is_irregular,
    is_no_placeholder,
    is_place,
    is_placeholder,
    is_random,
    is_words,
)

_IS = r"is|was|ist|war|lautet|est|es|era|é|è|to|jest|это|är|er|on"
_SAID = (
    rf"(?:(?:[ \t]+(?:{_IS})\b|[ \t]*(?:是|は|为|為|는|은|이))"
    r"(?:[ \t]+(?:now|still|currently|set to|changed to|jetzt))?:?[ \t]*"
    r"|[ \t]+(?:used to|should|will|has to|must) be[ \t]+|['’]s[ \t]+|[ \t]*(?:->|→|⇒)[ \t]*)"
    r"(?:\r?\n[ \t]*)?"
)
_SET = r"[ \t]+(?:(?:was|is|has been|got)[ \t]+)?(?:(?:set|changed|reset|updated)[ \t]+)?(?:to|auf)[ \t]+"
SIGN = rf"(?P<sign>[ \t]*(?::=|={{1,3}}>?|[:：])[ \t]*(?:\r?\n[ \t]*)?|{_SAID}|{_SET})"
_QUOTES = r"\"'`”’»」"
VALUE = (
    rf"(?P<quote>\\*[\"'`“‘«「])?(?P<value>(?(quote)[^{_QUOTES}\n]{{4,4000}}?(?=\\*[{_QUOTES}])"
    r"|[^\s\"'`<>]{4,400}))"
)
_CLOSED = r"(?:\\*[\"'`\]*_]){0,4}"
ASSIGNED = rf"{_CLOSED}{SIGN}(?:\*\*[ \t]?)?{VALUE}"
_FOR = (
    r"(?:[ \t]+(?:(?:for|to|of|on|at|für|zum|vom|pour|para|de|del|do|da|du|des|van|для|от|i|we|that|which)"
    r"[ \t]+[^\n.:;=]{1,40}?(?=[ \t]|[:=：][ \t\r\n])"
    r"|here|below|again|\([^)\n]{1,30}\)))?"
)
_MORE = r"[a-z0-9_]{0,20}+(?:-[a-z0-9_]{1,20}+){0,3}+"  # of a name
_NOT_SO = (
    r"(?![\w-]*(?:hash|salt|length|policy|reset|field|manager|less|min|max|strength|protect|file|path|hint|expir|type"
    r"|_?col(?:umn)?\b|_?label|prompt))"
)
PASSWORD_NAMES = {  # by literal
    "pass": r"(?P<name>pass(?:(?:word|wd|phrase|code|wort)s?|(?<=mot de pass)e|(?<![a-z]pass)"
    r"(?=[ \t]*[:=]|[ \t]+is\b)))",
    "pwd": r"(?P<name>pwd)",
    "pw": r"(?P<name>\bpw)(?=[\"'`]{0,2}[ \t]*[:=]|[ \t]+is\b)",
    "contrase": r"(?P<name>contrase[ñn]a)",
    "kennwort": r"(?P<name>kennwort)",
    "senha": r"(?P<name>senha)",
    "hasło": r"(?P<name>hasło)",
    "парол": r"(?P<name>парол[ья])",
    "密码": r"(?P<name>密码)",
    "密碼": r"(?P<name>密碼)",
    "口令": r"(?P<name>口令)",
    "パスワード": r"(?P<name>パスワード)",
    "비밀번호": r"(?P<name>비밀번호)",
    "wachtwoord": r"(?P<name>wachtwoord)",
    "parola": r"(?P<name>\bparola)",
    "şifre": r"(?P<name>şifre)",
    "lösenord": r"(?P<name>lösenord)",
    "adgangskode": r"(?P<name>adgangskode)",
    "salasana": r"(?P<name>salasana)",
    "heslo": r"(?P<name>\bheslo)",
    "jelszó": r"(?P<name>jelszó)",
}
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_COMPOUND = re.compile(r"[a-z]+(?:_[a-z]+)+\d?|[a-z]+(?:[A-Z][a-z]+)+\d?")
_IDENTIFIER = re.compile(rf"{_COMPOUND.pattern}|[a-z]{{1,12}}\d")
_CLAUSE = re.compile(r"[ \t]*(?:$|[\r\n.,;!?)\]}'\"`”’»|/\\]|(?:and|und|but|y|et|e|is|please|thanks)\b)|[ \t]+[-–—(]")
_NEAR = 400  # how far a line is looked at, in characters
_ENGLISH = frozenset("password passphrase passcode passwd pwd pw".split())
_ROW_WORD = r"(?!(?:and|und|but|y|et|e)\b)[^\W_][\w'’-]{1,19}"
ROW = (  # words to the end of their clause
    rf"(?P<quote>)(?P<value>{_ROW_WORD}(?:[ ]{_ROW_WORD}){{1,11}}?)"
    r"(?=[ \t]*(?:$|[\r\n.,;!?)\]}\"'`”’»|/\\])|[ ](?:and|und|but|y|et|e)\b|[ ]+[-–—(])"
)
_NEXT_PAIR = re.compile(r"[;&,](?=[\w .-]{1,40}[=:]|$)")


def end_of_value(match: re.Match[str], value: str) -> str:
    """Return the value without what ends its sentence, or the pair it stands in."""
    if match["quote"]:
        return value
    cut = _NEXT_PAIR.search(value)
    value = value[: cut.start()] if cut else value
    trimmed = value.rstrip(".,;:!?")
    if len(value) - len(trimmed) > 1 or value[-1:] in ".,;:":
        value = trimmed
    before = match.string[max(match.start() - _NEAR, 0) : match.start()]
    for opened, closed in ("()", "[]", "{}"):
        while value.endswith(closed) and opened in before and value.count(closed) > value.count(opened):
            value = value[:-1]
    return value


def is_password(match: re.Match[str], whole: str) -> bool:
    """Check `password: hunter2`, `my password is swordfish`; not `password: string`, `the password is wrong`."""
    value = end_of_value(match, whole)
    core = value.rstrip(".,;:!?)")
    if len(core) < 4 or MARK in value or is_placeholder(core) or is_place(core):
        return False
    if " " in value:
        return _is_passphrase(match, value)
    quoted, sign = bool(match["quote"]), match["sign"].strip()
    if not quoted and is_expression(value):
        return False
    if not quoted and (_is_called(match) or value[0] == "(" or (value[0] == "[" and "(" in value)):
        return False
    if not _WORD.fullmatch(core):
        return _is_mixed_password(match, core, quoted)
    if is_irregular(core):
        return True
    lower = core.lower()
    if lower in ABOUT or lower in STOP:
        return False
    if quoted or core.count("-") >= 2:
        return True
    ends = len(core) < len(whole) or match["sign"] == "=" or _CLAUSE.match(match.string, match.end("value")) is not None
    if not ends:
        return False
    said = not sign or sign[0] not in ":=："
    return said or not _in_code(match)


def _is_mixed_password(match: re.Match[str], core: str, quoted: bool) -> bool:
    """Judge a value that is not letters alone."""
    if not any(c.isalnum() for c in core) or core.lower().strip("-_.!?*#") in ABOUT:
        return False
    if quoted:
        return True
    if _IDENTIFIER.fullmatch(core) and match["sign"].strip()[:1] in ("=", ":"):
        return core[-1].isdigit() and not _in_code(match) and "_" not in core
    return any(c.isdigit() for c in core) or not is_words(core) or core.count("-") >= 2 or core.count(".") >= 2


def _in_code(match: re.Match[str]) -> bool:
    """Return whether a bare word after `=` or `:` is rather a name in a program, going by the line around it."""
    if match["sign"].strip() in ("==", "===", ":=", "=>"):
        return True
    text = match.string
    start = max(text.rfind("\n", max(match.start() - _NEAR, 0), match.start()) + 1, match.start() - _NEAR, 0)
    last = match.end("value")
    end = text.find("\n", last, last + _NEAR)
    line = text[last : end if end >= 0 else last + _NEAR].rstrip()
    before = text[start : match.start()]
    return (
        "(" in before
        or "def " in before
        or (line or text[last - 1 : last]).endswith((";", "(", "{", "[", ",", ")", "):"))
    )


def _is_called(match: re.Match[str]) -> bool:
    return match.string[match.end("value") : match.end("value") + 1] in ("(", "[", "{")


def _is_passphrase(match: re.Match[str], value: str) -> bool:
    """Judge a value of several words: with a digit in quotes, or a row of words that make no sentence."""
    words = value.lower().split()
    if match["quote"] and (any(c.isdigit() for c in value) or match["name"] == "passphrase"):
        return not any(word in STOP for word in words)
    return len(words) >= 3 and not any(word.strip(".,;:!?") in STOP or word in ABOUT for word in words)


def is_row_of_words(match: re.Match[str], value: str) -> bool:
    """Check an unquoted passphrase: words to the end of the clause, hardly any of which a statement is made of.

    Two are enough after `password:`, three after `the password is`, four where the word is of another language.
    """
    words = value.lower().split()
    said = match["sign"].strip()[:1] not in (":", "=", "：")
    least = (3 if said else 2) if match["name"] in _ENGLISH else 4
    if len(words) < least or words[0] in STOP or words[0].isdigit() or MARK in value or is_placeholder(value):
        return False
    common = sum(word in STOP or word in ABOUT or (said and word.endswith(("ing", "ed", "ly"))) for word in words)
    return common <= max(len(words) - 2, 0) // 2 and (len(words) >= 4 or not _in_code(match))


_QUALIFIER = re.compile(
    r"(?:api|auth|access|secret|private|service|account|client|encryption|signing|master|license|product|recovery"
    r"|activation|db|database|app|application|admin|server|subscription|storage|host|function|write|ingest|deploy|openai"
    r"|webhook|bot|session|shared)[ _.-]?$"
)
_PLAIN_KEY = re.compile(
    r"(?:public|cache|primary|foreign|sort|partition|ssh|pub|host|lookup|idempotency|object)[ _.-]?$"
)


def is_key(match: re.Match[str], whole: str) -> bool:
    """Check `api_key = 9f8e7d6c`: a key of some kind, or a token or secret, that looks random."""
    if len(whole) < 8:  # too short to look random
        return False
    value = end_of_value(match, whole).rstrip(".,;:!?)")
    if match["name"] == "key":
        before = match.string[max(match.start() - 16, 0) : match.start()]
        if not _QUALIFIER.search(before) and (len(value) < 32 or _PLAIN_KEY.search(before)):
            return False
    if " " in value or not is_random(value) or is_placeholder(value) or is_place(value):
        return False
    if not match["quote"] and (is_expression(value) or _is_called(match)):
        return False
    return not _IDENTIFIER.fullmatch(value)


def is_strong(match: re.Match[str], whole: str) -> bool:
    """Check a value that only stands beside the word: it must look like a password by itself."""
    value = whole.strip(".,;:!?()[]\"'`*") or whole
    core = whole.rstrip(".,;:!?")
    if len(core) < 5 or is_placeholder(core) or is_place(core) or is_expression(core) or MARK in core:
        return False
    lower = value.lower()
    if lower in ABOUT or lower in STOP or _COMPOUND.fullmatch(value):
        return False
    if is_irregular(value):
        return True
    if any(c.isdigit() for c in core) and any(c.isalpha() for c in core):
        return not re.fullmatch(r"\d{1,4}(?:st|nd|rd|th|px|ms|kb|mb)?|v?\d+(?:\.\d+)+", lower)
    return False


def is_marked(match: re.Match[str], whole: str) -> bool:
    """Check a value that only a short word announces: a strong one with capitals or signs in it."""
    return is_strong(match, whole) and re.fullmatch(r"[a-z0-9_./-]+", whole.rstrip(".,;:!?)")) is None


def is_long_random(match: re.Match[str], whole: str) -> bool:
    """Check a value without a sign before it."""
    return len(whole) >= 24 and is_random(whole) and not is_placeholder(whole) and not is_place(whole)


def is_given(match: re.Match[str], whole: str) -> bool:
    """Check a value said to be a password without a sign: strong, or a bare word that ends its clause."""
    if is_strong(match, whole):
        return True
    value = whole.rstrip(".,;:!?)")
    lower = value.lower()
    bare = re.sub(r"[^A-Za-z]", "", value)
    if len(value) > 7 and bare != value and is_irregular(bare) and not is_expression(value):
        return not is_placeholder(value)
    if not (_WORD.fullmatch(value) or re.fullmatch(r"[A-Za-z]+(?:[.-][A-Za-z]+){2,}", value)) or len(value) < 6:
        return False
    return lower not in ABOUT and lower not in STOP and not is_placeholder(value) and value.isascii()


def _password(literals: str, pattern: str, check: Check, before: int = 0) -> Detector:
    """A way to say a password, by literals with a bar between them."""
    found = tuple(literals.split("|"))
    return Detector("password", "password", found, pattern, Scan.WORD, "value", check, end_of_value, before)


def _assigned_passwords() -> Iterator[Detector]:
    """The same forms for the word in each language."""
    for literal, name in PASSWORD_NAMES.items():
        started = rf"{name}{_NOT_SO}{_MORE}{_FOR}"
        yield _password(literal, rf"{started}{_CLOSED}{SIGN}(?:\*\*[ \t]?)?{ROW}", is_row_of_words)
        yield _password(literal, f"{started}{ASSIGNED}", is_password)


def _number(name: str, label: str, literals: str, pattern: str, before: int = 0) -> Detector:
    return Detector(name, label, tuple(literals.split("|")), pattern, Scan.WORD, 1, before=before)


_WORDS = r"(?:pass(?:word|code|phrase|wd|wort)|kennwort|contraseña|senha)"
_MY = r"(?:(?:my|our|mein|the|a|your|his|her)[ \t]+)?"
_SPACED = " password| passcode| passphrase| passwort| passwd"
_THEN = "password |passcode |passphrase |passwort |passwd "
_IS_NOW = r"(?:['’]s|[ \t]*(?:\b(?:is|was|ist|est|es)\b|[:=#]))[ \t]*(?:now[ \t]+)?"
_PLACE = r"(?:[ \t]+(?:for|to|of|für|on|at)[ \t]+[^\n.:;=]{1,40}?)?"
_NUMBER = r"[\"'`]?(\d{4,8})(?![\w.]\w|\w)"
_COMBINATION = (
    r"[\"'`]?([*#]?\d{3,8}[*#]?|\d{1,2}(?:[ ,/-]{1,2}\d{1,2}){2,5}|\d{2,4}[ -]\d{2,4}[*#]?)(?![\w.]\w|\w|[-/]\w)"
)
_LOCKS = (
    "door gate alarm garage safe locker lock padlock unlock entry entrance phone voicemail access bank card atm house"
    " bike building suitcase luggage vault keypad intercom lockbox gym shed office"
)
NAMED: tuple[Detector, ...] = (
    *_assigned_passwords(),
    _password(
        _THEN,
        r"(?<![\w<-])pass(?:word|code|phrase|wd|wort)[ \t]+(?:(?:to|as|was|is)[ \t]+)?(?P<quote>[\"'`])?"
        r"(?P<value>(?=[^\s\"'`]*\d)[^\s\"'`]{5,200})",
        is_strong,
    ),
    _password(
        "pass ",
        r"(?<![\w<-])pass[ \t]+(?P<quote>[\"'`])?(?P<value>[^\s\"'`-][^\s\"'`]{5,100})",
        is_marked,
    ),
    _password(
        "pw |pwd ",
        r"(?<![\w<-])(?:pw|pwd)[ \t]+(?P<quote>[\"'`])?(?P<value>[^\s\"'`-][^\s\"'`]{5,100})",
        is_strong,
    ),
    _password(
        "password\n|password\r\n|passwort\n",
        r"(?<![\w<-])pass(?:word|wort)\r?\n[ \t]*(?P<quote>)(?P<value>[^\s\"'`]{6,100})[ \t]*(?=[\r\n]|$)",
        is_marked,
    ),
    _password(  # creds: bob / X
        "creds|credentials|login",
        r"(?<!\w)(?:creds|credentials|login)(?:[ ](?:is|are|for[ ]\S{1,40}))?[:=]?[ ](?:user(?:name)?[:=]?[ ])?"
        r"[\w.@-]{2,60}[ ]?[/:|][ ]?(?P<quote>)(?P<value>[^\s\"'`]{6,100})",
        is_marked,
    ),
    _password(  # login for the NAS is bob / X
        "creds|credentials|login|logins",
        r"(?<!\w)(?:creds|credentials|login)s?(?:[ ]details)?(?:[ ](?:for|to|on|of|at)[ ][^\n:;=/|]{1,40}?)?"
        r"(?:[ ](?:is|are|was)|[ ]?[:=])[ ]+[\w.@+-]{2,60}(?:[ ][/|][ ]|[ ]?,[ ])(?P<quote>)"
        r"(?P<value>[^\s\"'`]{5,100})",
        is_strong,
    ),
    _password(  # user / password: bob / X
        "/ password|/password|& password|/ pass|/ pw|/pw",
        r"\b(?:user(?:name)?|login|e-?mail)[ ]?[/&+][ ]?(?:password|pass|pw)(?:[ ](?:is|are)|[ ]?[:=])[ ]*"
        r"[\w.@+-]{2,60}[ ]?[/|,][ ]?(?P<quote>)(?P<value>[^\s\"'`]{4,100})",
        is_given,
        20,
    ),
    _password(
        "password>|passwd>|passphrase>",
        r"pass(?:word|wd|phrase)>(?P<quote>)(?P<value>[^<>\s]{4,200})(?=</)",
        is_no_placeholder,
    ),
    _password(  # log in with password X
        _SPACED,
        rf"(?:with|and|und|mit|,|/|login[ ]\S{{1,60}})[ \t]*(?:the[ \t]+)?{_WORDS}(?P<quote>)[ \t]+"
        r"(?P<value>[^\s\"'`<>]{6,100})(?=[ \t]*(?:$|[\r\n.,;!?)]))",
        is_given,
        80,
    ),
    _password(  # WITH PASSWORD 'X'
        _SPACED,
        r"[ ](?P<name>pass(?:word|phrase|code))[ \t]+(?P<sign>)(?P<quote>[\"'`])(?P<value>[^\"'`\n]{4,200})(?=[\"'`])",
        is_password,
    ),
    _password(  # X is my wifi password
        f"{_SPACED}| kennwort",
        rf"(?:(?<=\s)|(?<=^)|(?<=[\"'`]))(?P<quote>)(?P<value>[^\s\"'`]{{4,100}})[\"'`]?"
        rf"[ ](?:is|was|as|ist)[ ]{_MY}(?:\w+[ ]){{0,2}}{_WORDS}\b",
        is_strong,
        150,
    ),
    _password(  # use X as password
        f"{_SPACED}| kennwort",
        rf"\b(?:use|used|using|have|put|enter|type|take|nimm|took)[ \t]+"
        r"(?P<quote>[\"'`])?(?P<value>[^\s\"'`]{6,100})[\"'`]?"
        rf"[ ](?:as|als)[ ]{_MY}(?:\w+[ ]){{0,1}}{_WORDS}\b",
        is_given,
        150,
    ),
    *(
        Detector(
            name,
            label,
            (literal,),
            rf"(?P<name>{literal}){_MORE}{_CLOSED}{SIGN}(?:\*\*[ \t]?)?{VALUE}",
            Scan.WORD,
            "value",
            is_key,
            end_of_value,
        )
        for name, label, literal in (
            ("api-key", "API key", "key"),
            ("secret", "client secret", "secret"),
            ("token", "access token", "token"),
        )
    ),
    Detector(
        "api-key",
        "API key",
        ("api key ", "access key ", "secret key ", "token ", "api secret "),
        r"[a-z ]+[ ][\"'`]?(?P<value>[a-z0-9_\-+/=]{24,400})(?![\w(\[.])",
        Scan.WORD,
        "value",
        is_long_random,
    ),
    _number("pin", "PIN", "pin|pincode", rf"\bpin(?:[ \t-]?(?:code|number|nummer))?\b{_PLACE}{_IS_NOW}{_NUMBER}"),
    _number(
        "pin",
        "door or phone code",
        "|".join(f"{lock} {sort}" for lock in _LOCKS.split() for sort in ("code", "combination")),
        rf"\w+[ ](?:code|combination)\b{_PLACE}{_IS_NOW}{_COMBINATION}",
    ),
    _number(
        "pin",
        "door or phone code",
        "|".join(f"{sort} {to}" for sort in ("code", "combination", "pin") for to in "for to of on at".split()),
        rf"[a-z]+[ ](?:for|to|of|on|at)[ ](?:[\w'’-]+[ ]){{0,4}}(?:{_LOCKS.replace(' ', '|')})\b"
        rf"[^\n.:;=]{{0,20}}?{_IS_NOW}{_COMBINATION}",
    ),
    _number(
        "pin", "PIN", " pin", rf"\b(?:phone|card|bank|sim|debit|credit|atm|my|door)(?:['’]s)?[ ]pin[ \t]+{_NUMBER}", 10
    ),
    _number(
        "pin", "PIN", "pin code|pin number|pin-code|pin nummer", rf"\bpin[ -](?:code|number|nummer)[ \t]+{_NUMBER}"
    ),
    _number(
        "cvv",
        "card verification number",
        "cvv|cvc|cvn|security code|card verification|prüfnummer",
        r"\b(?:(?:cvv2?|cvc2?|cvn2?)|security[ ]code|card[ ]verification(?:[ ](?:code|value|number))?|prüfnummer)\b"
        r"[\"'`]?[ \t]*(?:\b(?:is|was|ist|est|es)\b|[:=#])?[ \t]*[\"'`]?(\d{3,4})(?!\w)",
    ),
    _number(
        "ssn",
        "US social security number",
        "ssn|social security",
        r"\b(?:ssn|social[ ]security(?:[ ](?:number|no\.?))?)[\"'`]?[ \t]*(?:\b(?:is|was)\b|[:=#])?[ \t]*[\"'`]?"
        r"(\d{3}[ -]?\d{2}[ -]?\d{4})(?!\d)",
    ),
)

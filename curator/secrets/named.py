"""Detectors of passwords, keys and codes by name: `password: …`, `my pin is …`, `use … as password`."""

from curator.secrets.detector import Check, Detector, DetectorScope, is_no_placeholder
from curator.secrets.password_checks import (
    end_of_value,
    is_given,
    is_key,
    is_long_random,
    is_marked,
    is_password,
    is_row_of_words,
    is_strong,
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
_MORE = r"[a-z0-9_]{0,20}+(?:-[a-z0-9_]{1,20}+){0,3}+"  # rest of a name
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
_ROW_WORD = r"(?!(?:and|und|but|y|et|e)\b)[^\W_][\w'’-]{1,19}"
ROW = (  # words up to the end of their clause
    rf"(?P<quote>)(?P<value>{_ROW_WORD}(?:[ ]{_ROW_WORD}){{1,11}}?)"
    r"(?=[ \t]*(?:$|[\r\n.,;!?)\]}\"'`”’»|/\\])|[ ](?:and|und|but|y|et|e)\b|[ ]+[-–—(])"
)


def _password(literals: str, pattern: str, check: Check, before: int = 0) -> Detector:
    """Return a detector of one wording of a password; `literals` are separated by bars."""
    found = tuple(literals.split("|"))
    return Detector("password", "password", found, pattern, DetectorScope.WORD, "value", check, end_of_value, before)


def _number(name: str, label: str, literals: str, pattern: str, before: int = 0) -> Detector:
    return Detector(name, label, tuple(literals.split("|")), pattern, DetectorScope.WORD, 1, before=before)


_WORDS = r"(?:pass(?:word|code|phrase|wd|wort)|kennwort|contraseña|senha)"
_MY = r"(?:(?:my|our|mein|the|a|your|his|her)[ \t]+)?"
_SPACED = " password| passcode| passphrase| passwort| passwd"
_THEN = "password |passcode |passphrase |passwort |passwd "
_IS_NOW = r"(?:['’]s|[ \t]*(?:\b(?:is|was|ist|est|es)\b|[:=#]))[ \t]*(?:now[ \t]+)?"
_PLACE = r"(?:[ \t]+(?:for|to|of|für|on|at)[ \t]+[^\n.:;=]{1,40}?)?"
_NUMBER = r"[\"'`]?(\d{4,8})(?![\w.]\w|\w)"
_COMBINATION = (
    r"[\"'`]?([*#]?\d{3,8}[*#]?|\d{1,2}(?:[ ,/-]{1,2}\d{1,2}){2,5}|\d{2,4}[ -]\d{2,4}[*#]?)"
    r"(?![\w.]\w|\w|[-/]\w)"
)
_LETTERED = r"[\"'`]?((?=[a-z0-9-]*\d\d)(?!(?:19|20)\d\d\b)[a-z]{0,2}-?\d{2,8}[a-z]{0,2}\d{0,4})(?![\w.]\w|\w|[-/]\w)"
_LOCKS = (
    "door gate alarm garage safe locker lock padlock unlock entry entrance phone voicemail access bank card atm house"
    " bike building suitcase luggage vault keypad intercom lockbox gym shed office"
)
_ANY_COMBINATION = r"[\"'`]?(?:[*#]?\d{3,8}[*#]?|\d{1,2}(?:[ ,/-]{1,2}\d{1,2}){2,5}|\d{2,4}[ -]\d{2,4}[*#]?)[\"'`]?"
_OF_PLACE_OR_SHOP = "".join(
    f"(?<!{end} )" for end in "zip post postal area country region error status dress promo coupon discount".split()
)
_NO_UNIT = (
    r"(?![ ]?(?:[cm]?m[²2]?|km|sq|sqm|ft|in|inch\w*|kg|euros?|eur|€|pounds?|dollars?|people|metres?|meters?|miles?"
    r"|secs?|seconds?|mins?|minutes?|hours?|hrs?|days?|months?|years?|yrs?|models?|a (?:week|month|year)|per|\d{4,})\b)"
)
_SIGNS = (" is", "'s", "’s", ":", " one", " code", " =")
_LOCK_IS = "|".join(f"{lock}{sign}" for lock in _LOCKS.split() for sign in _SIGNS)
_DIALS = "safe|padlock|vault|locker|lockbox"
"""Locks with a dial, of which "the safe is 22-14-09" tells the combination."""
_LETTERED_LOCKS = "door gate garage safe locker padlock entry entrance keypad intercom lockbox gym shed"
"""Locks whose codes may have letters; an alarm code with letters is rather an appliance's error."""
NAMED: tuple[Detector, ...] = (
    *(  # the same wordings for the word in each language
        _password(literal, f"{name}{_NOT_SO}{_MORE}{_FOR}{form}", check)
        for literal, name in PASSWORD_NAMES.items()
        for form, check in (
            (rf"{_CLOSED}{SIGN}(?:\*\*[ \t]?)?{ROW}", is_row_of_words),
            (ASSIGNED, is_password),
        )
    ),
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
            DetectorScope.WORD,
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
        DetectorScope.WORD,
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
        "door code",
        "|".join(f"{lock} {sort}" for lock in _LETTERED_LOCKS.split() for sort in ("code", "combination")),
        rf"\w+[ ](?:code|combination)\b{_PLACE}{_IS_NOW}{_LETTERED}",
    ),
    _number(
        "pin",
        "door or phone code",
        "|".join(f"{sort} {to}" for sort in ("code", "combination", "pin") for to in "for to of on at".split()),
        rf"[a-z]+[ ](?:for|to|of|on|at)[ ](?:[\w'’-]+[ ]){{0,4}}(?:{_LOCKS.replace(' ', '|')})\b"
        rf"[^\n.:;=]{{0,20}}?{_IS_NOW}{_COMBINATION}",
    ),
    _number(  # the alarm code is N and the safe is X
        "pin",
        "door or phone code",
        _LOCK_IS,
        rf"{_OF_PLACE_OR_SHOP}(?:code|combination|pin)s?\b{_PLACE}{_IS_NOW}(?:{_ANY_COMBINATION}|\[redacted\])"
        rf"(?:[ ]?[,;&]|[ ]and\b)[ ](?:and[ ])?(?:(?:the|my|our|that)[ ])?(?:[\w'’-]+[ ])?"
        rf"(?:{_LOCKS.replace(' ', '|')})(?:[ ](?:one|code))?{_IS_NOW}{_COMBINATION}{_NO_UNIT}",
        90,
    ),
    _number(  # the safe is 22-14-09
        "pin",
        "lock combination",
        "|".join(f"{lock}{sign}" for lock in _DIALS.split("|") for sign in _SIGNS),
        rf"(?:{_DIALS}){_IS_NOW}[\"'`]?(\d{{1,2}}(?:-\d{{1,2}}){{2,5}})(?![\w.]\w|\w|[-/]\w){_NO_UNIT}",
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

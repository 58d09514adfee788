"""Detectors of personal secrets by the preceding words: wifi keys, recovery codes, accounts, documents, answers."""

import re

from curator.secrets.detector import MARK, Check, Detector, DetectorScope, is_placeholder
from curator.secrets.named import ROW, SIGN, VALUE
from curator.secrets.numbers import bip39
from curator.secrets.password_checks import end_of_value, is_password, is_row_of_words
from curator.secrets.phrases import ABOUT, STOP

_FOR = r"(?:[ \t]+(?:for|to|of|on|at|with|from|für|by)[ \t]+[^\n.:;=]{1,40}?)?"
_IS = r"(?:['’]s\b|[ \t]*(?:\b(?:is|are|was|were|ist|sind|lautet|est|es)\b|[:=#]))?[ \t]*(?:now[ \t]+)?[\"'`]?"
_DIGITS = r"(\d(?:[ -]?\d){5,16})(?!\w|[.,-]\d)"
_CODE = r"(?:(?!(?:19|20)\d{2}-\d{2}-\d{2}\b)(?=[a-z-]*\d)[a-z0-9]{3,12}(?:-[a-z0-9]{2,12}){0,8})"
_CLAUSE = r"(?=[ \t]*(?:$|[\r\n.,;!?)\]}\"'`”’»])|[ ](?:and|und|but)\b|[ ]+[-–—(])"
_SEED_WORD = r"(?:\d{1,2}[.):]?[ \t]*)?[a-z]{3,12}"
_FEWEST_SEEDS = 8


def _said(name: str, label: str, literals: str, pattern: str, check: Check | None = None, before: int = 0) -> Detector:
    """Return a detector of the first group of `pattern`; `literals` are separated by bars."""
    return Detector(name, label, tuple(literals.split("|")), pattern, DetectorScope.WORD, 1, check, before=before)


def is_recovery_code(match: re.Match[str], value: str) -> bool:
    """Check a recovery code: at least six characters, with a digit."""
    return sum(map(str.isalnum, value)) >= 6 and not is_placeholder(value)


def is_paper_number(match: re.Match[str], value: str) -> bool:
    """Check the number of a passport or a licence."""
    return len(value) >= 6 and sum(map(str.isdigit, value)) >= 4


def is_national_number(match: re.Match[str], value: str) -> bool:
    """Check a national number by its size only: it is named, and one with a slip is as private."""
    if _DATE_OR_YEARS.fullmatch(value) or (_MAY_BE_PHONE.match(match[0]) and not _BIRTHDAY_FIRST.fullmatch(value)):
        return False
    return sum(map(str.isdigit, value)) >= 4 and 7 <= sum(map(str.isalnum, value)) <= 18 and not is_placeholder(value)


def _is_answer(match: re.Match[str], value: str) -> bool:
    """Check an answer: at most six words, the first of which does not begin a statement."""
    words = value.lower().split()
    first = words[0].strip("-_*")
    return (
        len(words) <= 6 and first not in ABOUT and first not in STOP and MARK not in value and not is_placeholder(value)
    )


def _seed_words(value: str) -> list[re.Match[str]]:
    """Return the words of a phrase, up to the first that occurs only in sentences."""
    found = []
    for word in re.finditer("[A-Za-z]+", value):
        if word[0].lower() in STOP and word[0].lower() not in bip39():
            break
        found.append(word)
    return found


def is_seed_phrase(match: re.Match[str], value: str) -> bool:
    """Check a seed phrase by its length; its words may be from any list."""
    return len(_seed_words(value)) >= _FEWEST_SEEDS


def end_of_seed_phrase(match: re.Match[str], value: str) -> str:
    """Return the value up to the last word of the seed phrase."""
    return value[: _seed_words(value)[-1].end()]


_WIFI = r"(?P<name>wi-?fi|wlan|wpa[23]?|hotspot|ssid|network)\b[^\n]{0,60}?(?<![a-z])(?:key|psk|code|schlüssel)\b"
_SECURITY = r"(?:security|secret|recovery|sicherheits)"
_BANK = r"(?:routing|aba|transit|sort[ -]?code|bsb|blz|bankleitzahl)"

_NATIONAL = (
    "fødselsnummer|fodselsnummer|foedselsnummer|personnummer|samordningsnummer|personal number|d-nummer|cpr|cpr-nummer"
    "|hetu|henkilötunnus|kennitala|isikukood|bsn|burgerservicenummer|sofinummer|rijksregisternummer|registre national"
    "|numéro national|sozialversicherungsnummer|rentenversicherungsnummer|svnr|sv-nummer|ahv|ahv-nummer|numéro avs"
    "|pesel|rodné číslo|rodne cislo|rodné čislo|codice fiscale|nie number|sécurité sociale|securite sociale"
    "|seguridad social"
    "|número de contribuinte|nif|cpf|aadhaar|aadhar|pan number|pan card|身份证|マイナンバー|주민등록번호|sin number"
    "|social insurance number|tfn|tax file number|nhs number|curp|cédula|cedula|dni|clave única|tc kimlik|kimlik"
    "|pps number|ppsn|nric|teudat zehut|cnp|egn|amka|afm|снилс|инн|oib|jmbg|emšo|taj number|taj szám"
    "|national identity number|social security number|national identity|citizen number|birth number|national number"
)
"""Names of national numbers: the Nordic countries, the rest of Europe, and other large countries."""
_DATE_OR_YEARS = re.compile(
    r"(?:19|20)\d\d[./-](?:\d\d?[./-]\d\d?|(?:19|20)\d\d)|(?:19|20)\d\d [-–]? ?(?:19|20)\d\d"
    r"|\d\d?[./-]\d\d?[./-](?:19|20)\d\d"
)
_MAY_BE_PHONE = re.compile(r"(?:personal|birth|national|citizen) number\b", re.IGNORECASE)
_BIRTHDAY_FIRST = re.compile(r"(?:\d{6}|\d{8})[-+/ ]?\d{4}|\d{2}(?:[./]\d\d){2}[-./ ]\d{3,4}[-./ ]?\d{0,2}")
"""A birthday and some digits: what a "personal number" is, if it is no telephone number."""
_NATIONAL_VALUE = (
    r"(?<!\w)(\d{2}[ ]\d{6}[ ][a-z][ ]\d{3}|\d{6}[-+a]\d{3}[a-z0-9]"
    r"|(?:[a-z]{1,6}|[a-z][ -])\d[0-9a-z]{4,15}(?:-?[a-z0-9])?"
    r"|\d(?:[ ./+-]?\d){6,17}(?:-?[a-z]\d{0,3}[a-z]?)?)(?!\w|[.,-]\d)"
)

PERSONAL: tuple[Detector, ...] = (
    *(
        Detector(
            "password",
            "wifi key",
            ("wifi", "wi-fi", "wlan", "wpa", "wpa2", "wpa3", "hotspot", "ssid", "network key"),
            rf"{_WIFI}{_FOR}[\"'`]?{SIGN}{value}",
            DetectorScope.WORD,
            "value",
            check,
            end_of_value,
        )
        for value, check in ((ROW, is_row_of_words), (VALUE, is_password))
    ),
    Detector(
        "seed-phrase",
        "wallet seed phrase",
        ("seed phrase", "seed word", "recovery phrase", "recovery words", "mnemonic", "backup phrase", "secret phrase"),
        rf"[a-z]+(?:[ ](?:phrase|words?))?{_FOR}[ \t]*(?:\b(?:is|are|was)\b|[:=])[\s\"'`]*"
        rf"(?P<value>{_SEED_WORD}(?:[\s,;]+{_SEED_WORD}){{7,29}})(?![a-z])",
        DetectorScope.WORD,
        "value",
        is_seed_phrase,
        end_of_seed_phrase,
    ),
    _said(
        "recovery-code",
        "recovery code",
        "|".join(
            f"{sort} {what}"
            for sort in ("recovery", "backup", "scratch", "emergency", "2fa", "two-factor", "rescue", "reset")
            for what in ("code", "key")
        ),
        rf"[a-z0-9-]+[ ](?:code|key)s?\b{_FOR}{_IS}\s*(?:\d{{1,2}}[.):][ ]+)?"
        rf"({_CODE}(?:[\s,;/|]+(?:and[ ]|\d{{1,2}}[.):][ ]+|[*-][ ])?{_CODE}){{0,20}})(?![\w-])",
        is_recovery_code,
    ),
    _said(
        "bank-account",
        "bank sort code",
        "sort code|sort-code|bsb|bankleitzahl|blz",
        rf"(?:sort[ -]code|bsb|bankleitzahl|blz)\b{_FOR}{_IS}(\d{{2,3}}[ -]?\d{{2,3}}[ -]?\d{{2,3}})(?!\w|[.,-]\d)",
    ),
    _said(
        "bank-account",
        "bank routing number",
        "routing|transit number",
        rf"(?:routing|transit)(?:[ ](?:number|no\.?|nr\.?))?{_FOR}{_IS}(\d{{9}}|\d{{5}}-\d{{3}})(?!\w|[.,-]\d)",
    ),
    _said(
        "bank-account",
        "bank account number",
        "account|acct|konto|kontonummer",
        rf"(?:bank[ ])?(?:acct|account|konto)[ -]?(?:number|num|no\.?|nr\.?|nummer|#){_FOR}{_IS}{_DIGITS}",
    ),
    _said(
        "bank-account",
        "bank account number",
        "routing|aba|transit|sort code|sort-code|bsb|blz",
        rf"{_BANK}\b[^\n]{{0,60}}?\b(?:account|acct|acc|konto)\b\W{{0,3}}{_IS}{_DIGITS}",
    ),
    _said(
        "bank-account",
        "bank account number",
        "account|acct|konto",
        rf"(?:account|acct|konto)\b\W{{0,3}}{_IS}{_DIGITS}(?=[^\n]{{0,40}}\b{_BANK}\b)",
    ),
    _said(
        "id-number",
        "passport or licence number",
        "passport|reisepass|pasaporte|passeport|driving licence|driving license|s license"
        "|s licence|id card|identity card|personalausweis|national id|green card",
        rf"[a-zé]+(?:['’]?s)?(?:[ ](?:licen[cs]e|card|id))?(?:[ ]?-?(?:number|num|no\.?|nr\.?|nummer|#))?{_FOR}{_IS}"
        r"((?=[a-z]{0,4}[ ]?\d)[a-z]{0,4}[ ]?\d[a-z0-9]{5,14})(?!\w|[.,-]\d)",
        is_paper_number,
    ),
    _said(
        "national-id",
        "UK national insurance number",
        "national insurance|nino|ni number",
        rf"(?:national[ ]insurance|nino|ni)(?:[ ](?:number|no\.?))?{_FOR}{_IS}"
        r"([a-z]{2}[ ]?\d{2}[ ]?\d{2}[ ]?\d{2}[ ]?[a-d])(?!\w)",
    ),
    _said(
        "national-id",
        "national id number",
        _NATIONAL,
        rf"(?:{_NATIONAL.replace(' ', '[ ]')})"
        r"(?:[ -]?(?:number|num|no\.?|nr\.?|nummer|card|code|kod|号码?|番号|#|n[°º]))?"
        rf"(?:[ ]\([^()\n]{{1,30}}\))?{_FOR}(?:[ ](?:är|er|on|è|jest|to|je|é)\b)?{_IS}{_NATIONAL_VALUE}",
        is_national_number,
    ),
    _said(
        "national-id",
        "tax number",
        "utr|taxpayer|tax id|tax reference|tax number|steuernummer|steuer-id|identifikationsnummer",
        rf"(?:utr|(?:unique[ ])?tax(?:payer)?[ ](?:id(?:entification)?|reference|number)|steuernummer|steuer-id"
        rf"|identifikationsnummer)(?:[ ](?:number|no\.?|nr\.?))?{_IS}"
        r"((?!(?:19|20)\d\d[ /-])\d(?:[ /-]?\d){8,12})(?!\w|[.,-]\d)",
    ),
    _said(
        "security-answer",
        "answer to a security question",
        "security answer|secret answer|recovery answer|security question|secret question|recovery question"
        "|sicherheitsfrage",
        rf"{_SECURITY}[ ]?(?:answers?|(?:question|frage)s?[^\n]{{0,160}}?(?:\b(?:answer|antwort)|(?<=\))))"
        rf"{_FOR}(?:[ \t]+(?:is|was|ist)[ \t]+|[ \t]*[:=→][ \t]*)[\"'`“]?([^\s\"'`].{{1,60}}?){_CLAUSE}",
        _is_answer,
    ),
    _said(
        "security-answer",
        "answer to a security question",
        "security question|secret question|recovery question",
        rf"\banswer(?:[ \t]+(?:to|for))[^\n:;=.]{{0,30}}?{_SECURITY}[ ]question[^\n:;=.]{{0,80}}?"
        rf"(?:[ \t]+(?:is|was)[ \t]+|[ \t]*[:=→][ \t]*)[\"'`“]?([^\s\"'`].{{1,60}}?){_CLAUSE}",
        _is_answer,
        50,
    ),
    _said(
        "security-answer",
        "mother's maiden name",
        "maiden name|name meiner mutter",
        r"(?:maiden[ ]name|name[ ]meiner[ ]mutter)(?:[ ]of[ ]my[ ](?:mother|mom|mum))?"
        rf"(?:[ \t]+(?:is|was|ist|war)[ \t]+|[ \t]*[:=→][ \t]*)[\"'`“]?([^\s\"'`].{{1,40}}?){_CLAUSE}",
        _is_answer,
    ),
)

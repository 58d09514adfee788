"""Detectors of values with a checksum: card, account, tax and insurance numbers, and seed phrases."""

import hashlib
import re
from collections.abc import Iterator
from functools import cache
from importlib import resources

from curator.secrets.detector import Detector, DetectorScope, Span

_CARD = re.compile(r"\d(?<![A-Za-z0-9_.,].)(?:[ .-]?\d){12,18}+(?![A-Za-z0-9_]|[.,-]\d)")
_ISSUED = re.compile(  # prefixes and lengths that card issuers use
    r"4\d{12}(?:\d{3})?|3[47]\d{13}|3(?:[68]\d|0[0-5])\d{11}"
    r"|(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720|6011|6[25]\d\d|352[89]|35[3-8]\d)\d{12}"
)
_GROUPS = ({4}, {4, 6, 5}, {4, 6})
_IBAN = re.compile(r"[A-Z]{2}(?<![A-Za-z0-9]..)\d{2}(?:[ .-]?[A-Z0-9]){11,32}")
_IBAN_LENGTHS = dict(
    pair.split(":")
    for pair in (
        "AD:24 AE:23 AL:28 AT:20 AZ:28 BA:20 BE:16 BG:22 BH:22 BR:29 BY:28 CH:21 CR:22 CY:28 CZ:24 DE:22 DK:18 "
        "DO:28 EE:20 EG:29 ES:24 FI:18 FO:18 FR:27 GB:22 GE:22 GI:23 GL:18 GR:27 GT:28 HR:21 HU:28 IE:22 IL:23 "
        "IQ:23 IS:26 IT:27 JO:30 KW:30 KZ:20 LB:28 LI:21 LT:20 LU:20 LV:21 LY:25 MC:27 MD:24 ME:22 MK:19 MR:27 "
        "MT:31 MU:30 NL:18 NO:15 PK:24 PL:28 PS:29 PT:25 QA:29 RO:24 RS:22 SA:24 SC:31 SE:24 SI:19 SK:24 SM:27 "
        "ST:25 TN:24 TR:26 UA:29 VA:22 VG:24 XK:20 "
    ).split()
)
_CPF = re.compile(r"\d{3}(?<![\d.].{3})\.\d{3}\.\d{3}-\d{2}(?!\d)")
_INSEE = re.compile(r"[12](?<![\d.].) ?\d{2} ?(?:0[1-9]|1[0-2]) ?\d{2} ?\d{3} ?\d{3} ?\d{2}(?![\d.])")
_FISCAL_ODD = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)


def is_luhn(digits: str) -> bool:
    """Return True if the check digit of a card number is valid."""
    values = (int(digit) << (place & 1) for place, digit in enumerate(reversed(digits)))
    return sum(value - 9 if value > 9 else value for value in values) % 10 == 0


def cards(text: str) -> Iterator[Span]:
    """Yield card numbers, unspaced or in the groups printed on the card."""
    for match in _CARD.finditer(text):
        value = match[0]
        parts = re.split(r"[ .-]", value)
        if len(parts) > 1 and (
            len({sign for sign in value if not sign.isdigit()}) > 1 or {len(part) for part in parts} not in _GROUPS
        ):
            continue
        digits = "".join(parts)
        if _ISSUED.fullmatch(digits) and is_luhn(digits) and len(set(digits)) > 1:
            yield match.span()


def ibans(text: str) -> Iterator[Span]:
    """Yield IBANs with their country's length and valid check digits."""
    for match in _IBAN.finditer(text):
        wanted = int(_IBAN_LENGTHS.get(match[0][:2], 0))
        end = match.start()
        found = ""
        while end < match.end() and len(found) < wanted:
            found += text[end].strip(" .-")
            end += 1
        if not wanted or len(found) < wanted or text[end : end + 1].isalnum():
            continue
        number = "".join(str(int(sign, 36)) for sign in found[4:] + found[:4])
        if int(number) % 97 == 1:
            yield match.start(), end


def national_ids(text: str) -> Iterator[Span]:
    """Yield Brazilian CPF and French INSEE numbers with valid check digits."""
    for match in _CPF.finditer(text):
        digits = [int(sign) for sign in match[0] if sign.isdigit()]
        if len(set(digits)) > 1 and all(
            sum(d * w for d, w in zip(digits, range(size + 1, 1, -1), strict=False)) * 10 % 11 % 10 == digits[size]
            for size in (9, 10)
        ):
            yield match.span()
    for match in _INSEE.finditer(text):
        number = match[0].replace(" ", "")
        if " " in match[0] and number.isdigit() and 97 - int(number[:13]) % 97 == int(number[13:]):
            yield match.span()


def is_fiscal_code(match: re.Match[str], value: str) -> bool:
    """Return True if the check letter of an Italian tax code is valid."""
    numbers = [int(sign) if sign.isdigit() else ord(sign) - 65 for sign in value[:15]]
    total = sum(number if place % 2 else _FISCAL_ODD[number] for place, number in enumerate(numbers))
    return chr(65 + total % 26) == value[15]


def is_dni(match: re.Match[str], value: str) -> bool:
    """Return True if the check letter of a Spanish DNI is valid."""
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(value[:8]) % 23] == value[-1].upper()


NUMBERS: tuple[Detector, ...] = (
    Detector("card", "payment card number", ("0" * 13,), scan=DetectorScope.DIGITS, find=cards),
    Detector("iban", "bank account (IBAN)", ("AA00",), scan=DetectorScope.DIGITS, find=ibans),
    Detector("national-id", "national id number", ("0" * 11,), scan=DetectorScope.DIGITS, find=national_ids),
    Detector(
        "national-id",
        "Italian tax code",
        (),
        r"[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z](?![\w])",
        DetectorScope.RUN,
        check=is_fiscal_code,
    ),
    Detector(
        "national-id",
        "Spanish DNI",
        ("dni", "nif"),
        r"\b(?:dni|nif)\b\W{0,4}(?:(?:es|is|number|no\.?)\W{1,3})?(\d{8}[ -]?[a-z])\b",
        DetectorScope.WORD,
        1,
        is_dni,
    ),
)


_SIZES = (24, 21, 18, 15, 12)
_WORD = re.compile(r"[A-Za-z]+")
_BETWEEN = re.compile(r"[\s,;|\"'\[\]]*(?:\d{1,2}[.):]?)?[\s,;|\"'\[\]]*")
_CONTEXT = re.compile(r"seed|mnemonic|recovery|backup|wallet|phrase|bip-?39", re.IGNORECASE)


@cache
def bip39() -> dict[str, int]:
    """Return the index of each word in the English BIP-39 list."""
    text = resources.files("curator.secrets").joinpath("bip39_english.txt").read_text(encoding="ascii")
    return {word: place for place, word in enumerate(text.split())}


@cache
def bip39_bytes() -> frozenset[bytes]:
    """Return the BIP-39 words as bytes, for fast lookups."""
    return frozenset(word.encode() for word in bip39())


def is_checked(words: list[str]) -> bool:
    """Return True if the checksum of a seed phrase is valid."""
    known = bip39()
    bits = "".join(f"{known[word]:011b}" for word in words)
    size = len(bits) * 32 // 33
    entropy = int(bits[:size], 2).to_bytes(size // 8)
    return f"{hashlib.sha256(entropy).digest()[0]:08b}"[: len(bits) - size] == bits[size:]


def seed_phrases(text: str) -> Iterator[Span]:
    """Yield rows of at least twelve words with a valid checksum, or announced as one by the preceding text."""
    known = bip39()
    row: list[re.Match[str]] = []
    for match in _WORD.finditer(text):
        if match[0].lower() in known and (not row or _BETWEEN.fullmatch(text, row[-1].end(), match.start())):
            row.append(match)
            continue
        yield from _phrases(text, row)
        row = [match] if match[0].lower() in known else []
    yield from _phrases(text, row)


def _phrases(text: str, row: list[re.Match[str]]) -> Iterator[Span]:
    if not 12 <= len(row) <= 40:
        return
    words = [match[0].lower() for match in row]
    for size in _SIZES:
        for at in range(len(row) - size, -1, -1):
            if len(set(words[at : at + size])) > size // 2 and is_checked(words[at : at + size]):
                yield row[at].start(), row[at + size - 1].end()
                return
    if _CONTEXT.search(text, max(row[0].start() - 200, 0), row[-1].end()) and words != sorted(words):
        yield row[0].start(), row[-1].end()


SEED_PHRASES = (Detector("seed-phrase", "wallet seed phrase", (), scan=DetectorScope.SEED, find=seed_phrases),)

"""Random values from templates: `ghp_{alnum:36}` gives a token of that form, `{card:visa}` a card number.

No value is real, and none is in this file: a template contains prefixes and lengths only.
"""

import base64
import hashlib
import json
import random
import re
import string
import uuid
from functools import cache
from itertools import pairwise
from pathlib import Path

_LOWER, _UPPER, _DIGITS = string.ascii_lowercase, string.ascii_uppercase, string.digits
ALPHABETS = {
    "digit": _DIGITS,
    "hex": "0123456789abcdef",
    "HEX": "0123456789ABCDEF",
    "lower": _LOWER,
    "upper": _UPPER,
    "alpha": _LOWER + _UPPER,
    "low": _LOWER + _DIGITS,
    "up": _UPPER + _DIGITS,
    "alnum": _LOWER + _UPPER + _DIGITS,
    "url": _LOWER + _UPPER + _DIGITS + "-_",
    "b64": _LOWER + _UPPER + _DIGITS + "+/",
    "b32": _UPPER + "234567",
    "b58": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
    "bech": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
    "any": _LOWER + _UPPER + _DIGITS + "!#%&*+-./:;=?@^_~",
}
_WORDS = (
    "tundra violet copper lantern harbor falcon meadow walnut granite orchid saddle thunder velvet cactus marble "
    "pepper anchor comet ginger willow badger ribbon tunnel glacier pirate saffron turtle wagon zephyr dolphin "
    "magnet pumpkin raven salmon timber ukulele vortex whisker yonder basil cobalt dragon ember fiddle goblet"
).split()
_CARDS = {"visa": ("4", 16), "mastercard": ("53", 16), "amex": ("37", 15), "discover": ("6011", 16)}
_GROUPS = {16: (4, 4, 4, 4), 15: (4, 6, 5)}
_IBANS = {
    "DE": "{digit:18}",
    "GB": "{upper:4}{digit:14}",
    "FR": "{digit:10}{up:11}{digit:2}",
    "NL": "{upper:4}{digit:10}",
}
_FIELD = re.compile(r"\{(\w+)(?::([^}]*))?\}")


def fill(template: str, chance: random.Random) -> str:
    """Return the template with every field replaced by a random value."""
    return _FIELD.sub(lambda match: _value(match[1], match[2] or "", chance), template)


def _value(kind: str, arg: str, chance: random.Random) -> str:
    if kind in ALPHABETS:
        return _text(ALPHABETS[kind], int(arg), chance)
    return str(_MAKERS[kind](arg, chance))


def _text(alphabet: str, length: int, chance: random.Random) -> str:
    while True:
        text = "".join(chance.choice(alphabet) for _ in range(length))
        # a long token has digits and letters, and begins and ends with one of them
        if length < 12 or alphabet.isdigit() or (_typical(text, alphabet) and text[0].isalnum() and text[-1].isalnum()):
            return text


def _typical(text: str, alphabet: str) -> bool:
    return not set(_DIGITS) <= set(alphabet) or (any(map(str.isdigit, text)) and any(map(str.isalpha, text)))


def _word(arg: str, chance: random.Random) -> str:
    return chance.choice(_WORDS)


def _title(arg: str, chance: random.Random) -> str:
    return chance.choice(_WORDS).title()


def _mixed(arg: str, chance: random.Random) -> str:
    """Return letters only, in mixed case."""
    while True:
        text = _text(_LOWER + _UPPER, int(arg), chance)
        if sum(a.isupper() != b.isupper() for a, b in pairwise(text)) >= 3:
            return text


def _uuid(arg: str, chance: random.Random) -> str:
    return str(uuid.UUID(int=chance.getrandbits(128), version=4))


def _json64(arg: str, chance: random.Random) -> str:
    """Return a JSON object in base64, as in a JWT's header and payload."""
    made = json.dumps({"alg": "HS256", "typ": "JWT", "sub": _text(ALPHABETS["alnum"], 24, chance)})
    return base64.urlsafe_b64encode(made.encode()).decode().rstrip("=")


def _lines(arg: str, chance: random.Random) -> str:
    """Return lines of base64, as in a key block."""
    rows = [_text(ALPHABETS["b64"], 64, chance) for _ in range(int(arg))]
    return "\n".join([*rows, _text(ALPHABETS["b64"], 30, chance) + "=="])


def _basic(arg: str, chance: random.Random) -> str:
    return base64.b64encode(f"{_word('', chance)}:{_text(ALPHABETS['alnum'], 12, chance)}".encode()).decode()


def _quoted(arg: str, chance: random.Random) -> str:
    """Return a signature in base64, percent-encoded as in a query."""
    made = base64.b64encode(chance.randbytes(int(arg))).decode()
    return made.replace("+", "%2B").replace("/", "%2F").replace("=", "%3D")


def _luhn(digits: str) -> str:
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (2 if place % 2 == 0 else 1)
        total += value - 9 if value > 9 else value
    return str(-total % 10)


def _card(arg: str, chance: random.Random) -> str:
    """Return a card number of a brand; `visa-` or `visa ` groups its digits."""
    brand = "".join(filter(str.isalpha, arg))
    prefix, length = _CARDS[brand]
    digits = prefix + _text(_DIGITS, length - 1 - len(prefix), chance)
    digits += _luhn(digits)
    sign = arg[len(brand) :]
    parts, at = [], 0
    for size in _GROUPS[length]:
        parts.append(digits[at : at + size])
        at += size
    return sign.join(parts)


def _iban(arg: str, chance: random.Random) -> str:
    country = arg[:2]
    account = fill(_IBANS[country], chance)
    number = "".join(str(int(sign, 36)) for sign in account + country + "00")
    whole = f"{country}{98 - int(number) % 97:02}{account}"
    return arg[2:].join(whole[at : at + 4] for at in range(0, len(whole), 4))


def _wide(arg: str, chance: random.Random) -> str:
    """Return a card number in full-width digits."""
    return _card(arg, chance).translate({48 + digit: 0xFF10 + digit for digit in range(10)})


def _plain(arg: str, chance: random.Random) -> str:
    """Return `arg` plain words in a row, usually with a wrong checksum."""
    return " ".join(chance.choice(_bip39()) for _ in range(int(arg)))


@cache
def _bip39() -> list[str]:
    file = Path(__file__).parents[2] / "curator" / "secrets" / "bip39_english.txt"
    return file.read_text(encoding="ascii").split()


def _seed(arg: str, chance: random.Random) -> str:
    """Return a seed phrase of `arg` words with a correct checksum."""
    count = int(arg)
    entropy = chance.randbytes(count * 4 // 3)
    bits = "".join(f"{byte:08b}" for byte in entropy + hashlib.sha256(entropy).digest()[:1])[: count * 11]
    return " ".join(_bip39()[int(bits[at : at + 11], 2)] for at in range(0, len(bits), 11))


def _wif(arg: str, chance: random.Random) -> str:
    payload = b"\x80" + chance.randbytes(32) + b"\x01"
    return _base58(payload + hashlib.sha256(hashlib.sha256(payload).digest()).digest()[:4])


def _xprv(arg: str, chance: random.Random) -> str:
    payload = bytes.fromhex("0488ade4") + bytes(9) + chance.randbytes(32) + b"\x00" + chance.randbytes(32)
    return _base58(payload + hashlib.sha256(hashlib.sha256(payload).digest()).digest()[:4])


def _base58(data: bytes) -> str:
    number, out = int.from_bytes(data), ""
    while number:
        number, rest = divmod(number, 58)
        out = ALPHABETS["b58"][rest] + out
    return out


def _dni(arg: str, chance: random.Random) -> str:
    number = chance.randrange(10_000_000, 99_999_999)
    return f"{number}{'TRWAGMYFPDXBNJZSQVHLCKE'[number % 23]}"


def _cpf(arg: str, chance: random.Random) -> str:
    digits = [chance.randrange(10) for _ in range(9)]
    for _ in range(2):
        total = sum(digit * weight for digit, weight in zip(digits, range(len(digits) + 1, 1, -1), strict=True))
        digits.append(total * 10 % 11 % 10)
    text = "".join(map(str, digits))
    return f"{text[:3]}.{text[3:6]}.{text[6:9]}-{text[9:]}"


def _insee(arg: str, chance: random.Random) -> str:
    body = f"{chance.choice('12')}{chance.randrange(40, 99)}{chance.randrange(1, 13):02}" + _text(_DIGITS, 8, chance)
    parts = (body[0], body[1:3], body[3:5], body[5:7], body[7:10], body[10:13], f"{97 - int(body) % 97:02}")
    return " ".join(parts)


def _fiscal(arg: str, chance: random.Random) -> str:
    """Return an Italian tax code with a correct check letter."""
    body = (
        f"{_text(_UPPER, 6, chance)}{chance.randrange(40, 99)}{chance.choice('ABCDEHLMPRST')}"
        f"{chance.randrange(1, 29):02}{chance.choice('ABCDEFGHIL')}{chance.randrange(100, 999)}"
    )
    odd = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)
    total = 0
    for place, sign in enumerate(body):
        value = int(sign) if sign.isdigit() else ord(sign) - 65
        total += value if place % 2 else odd[value]
    return body + chr(65 + total % 26)


def _ssn(arg: str, chance: random.Random) -> str:
    return f"{chance.randrange(100, 665)}-{chance.randrange(10, 99)}-{chance.randrange(1000, 9999)}"


_MAKERS = {
    "word": _word, "title": _title, "mixed": _mixed, "uuid": _uuid, "json": _json64, "lines": _lines, "basic": _basic,
    "quoted": _quoted, "card": _card, "iban": _iban, "seed": _seed, "wif": _wif, "xprv": _xprv, "dni": _dni,
    "cpf": _cpf, "insee": _insee, "fiscal": _fiscal, "ssn": _ssn, "wide": _wide, "plain": _plain,
}  # fmt: skip

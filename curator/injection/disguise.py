"""Readings of a text without disguises: look-alike letters, invisible characters, digits for letters, encodings.

`readings` normalizes a text (NFKC, no accents on Latin letters, no invisible characters) and adds its decoded forms.
All work is linear in the length of the text, and the number of decodings is bounded.
"""

import html
import re
import unicodedata
from base64 import b64decode
from codecs import encode
from collections.abc import Iterator
from itertools import chain

from store.sanitize import INVISIBLE, replace_invisible

_DECODED_AT_MOST, _ENCODED_AT_MOST = 40, 4_000
_ALONE = 16
"""Minimum letters of a token that is also decoded by itself."""
_HIDDEN_AT_LEAST = 4
"""Minimum letters spelled by invisible characters that count as intended."""
_ZERO_WIDTH_RUN = re.compile("[\u200b-\u200f\u2060-\u2064\ufeff]{8,}")
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}")
_TAGS = re.compile("[\U000e0020-\U000e007e]{2,}")
_MARKS = re.compile("[\u0300-\u036f]+")
_ESCAPES = re.compile(r"\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})|%([0-9a-fA-F]{2})")
_DIGIT_INSIDE = re.compile(r"[A-Za-z][0-9@$]|[0-9@$][A-Za-z]")
_LEET = str.maketrans("0134578@$", "oieastbas")
_STRAIGHT = dict.fromkeys(map(ord, "’‘ʼ´"), "'") | dict.fromkeys(map(ord, "“”„«»"), '"')
_SPACED = re.compile(r"(?<![^\W_])([^\W_])([ .\-_*|])(?:[^\W_]\2)+[^\W_](?![^\W_])")
_TOKEN = re.compile(r"[A-Za-z0-9+/_-]{3,4000}={0,2}")
_HEX = re.compile(r"(?:(?:0x|\\x)?[0-9a-fA-F]{2}[ :,]?){8,2000}")
_NOT_HEX = re.compile(r"0x|\\x|[^0-9a-fA-F]")
_ROTATED = re.compile(
    r"\b(?:lbh|lbhe|gur|naq|flfgrz|nyjnlf|arire|abg|hfre|cebzcg|ehyrf?|vafgehpgvbaf?|cerivbhf|nffvfgnag|eha)\b",
    re.IGNORECASE,
)
_REVERSED = re.compile(
    r"\b(?:erongi|drageresid|tegrof|tpmorp|metsys|selur|snoitcurtsni|resu|syawla|reven)\b", re.IGNORECASE
)
_PLAIN_ENOUGH = 0.9

_SMALL_CAPITALS = "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘǫʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnopqrstuvwyz"
_CYRILLIC = "аеорсхуіѕјһԁԛԝАВЕКМНОРСТУХІЅЈ", "aeopcxyisjhdqwABEKMHOPCTYXISJ"
_GREEK = "αεικνορτυχωΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "aeiknoptuxwABEZHIKMNOPTYX"
LOOKALIKES = {
    ord(like): latin
    for likes, letters in (_SMALL_CAPITALS, _CYRILLIC, _GREEK)
    for like, latin in zip(likes, letters, strict=True)
} | {
    first + n: chr(ord("a") + n)
    for first in (0x1F130, 0x1F150, 0x1F170, 0x1F1E6)  # letters in squares and circles, and of flags
    for n in range(26)
}
"""Letters of other scripts, each with the Latin letter it resembles."""


def readings(text: str) -> Iterator[str]:
    """Yield `text` in normal form, then its other readings, each once."""
    seen: set[str] = set()
    plain = normalize(text)
    for reading in chain([plain], _undisguised(text, plain)):
        if reading and reading not in seen:
            seen.add(reading)
            yield reading


def normalize(text: str) -> str:
    """Return `text` in NFKC with straight quotes, without marks on Latin letters and without invisible characters."""
    if text.isascii() and not INVISIBLE.search(text):
        return text
    text = unicodedata.normalize("NFKC", replace_invisible(text))
    text = INVISIBLE.sub("", text)
    accented = (char for char in set(text) if char > "\x7f")
    bases = {ord(char): base for char in accented if (base := unicodedata.normalize("NFD", char)[0]).isascii()}
    return _MARKS.sub("", text.translate(bases | _STRAIGHT))


def hides_text(text: str) -> bool:
    """Return True if invisible characters of a text spell words, or are too many to be accidental."""
    if text.isascii():
        return False
    return any(len(one) >= _HIDDEN_AT_LEAST for one in _spelled(text)) or bool(_ZERO_WIDTH_RUN.search(text))


def _undisguised(text: str, plain: str) -> Iterator[str]:
    if not text.isascii():
        yield from map(normalize, _spelled(text))
        yield plain.translate(LOOKALIKES)
    if "&" in plain and ";" in plain and (unescaped := html.unescape(plain)) != plain:
        yield normalize(unescaped)
    if "\\" in plain or "%" in plain:
        yield normalize(_ESCAPES.sub(lambda found: chr(int(found[1] or found[2] or found[3], 16)), plain))
    if _DIGIT_INSIDE.search(plain):
        yield plain.translate(_LEET)
    if _SPACED.search(plain):
        yield _SPACED.sub(lambda found: found[0].replace(found[2], ""), plain)
    if _ROTATED.search(plain):
        yield encode(plain, "rot13")
    if _REVERSED.search(plain):
        yield plain[::-1]
    yield from map(normalize, _decoded(plain))


def _spelled(text: str) -> Iterator[str]:
    """Yield text spelled by tags and variation selectors: a byte each, or half a byte if only sixteen are used."""
    for run in _TAGS.finditer(text):
        yield "".join(chr(ord(char) - 0xE0000) for char in run[0])
    for run in _SELECTORS.finditer(text):
        found = [ord(char) - 0xFE00 if char < "\U000e0100" else ord(char) - 0xE0100 + 16 for char in run[0]]
        if max(found) < 16:
            found = [16 * high + low for high, low in zip(found[::2], found[1::2], strict=False)]
        yield bytes(byte for byte in found if byte < 256).decode("utf-8", "ignore")


def _decoded(text: str) -> Iterator[str]:
    """Yield the decoded text of base64 runs (spaces between pieces allowed) and hexadecimal bytes."""
    for number, run in enumerate(_HEX.finditer(text)):
        digits = _NOT_HEX.sub("", run[0])
        if number < _DECODED_AT_MOST and (found := _printable(bytes.fromhex(digits[: len(digits) // 2 * 2]))):
            yield found
    for joined in _base64_runs(text):
        padded = joined.replace("-", "+").replace("_", "/").partition("=")[0]
        padded = padded[: -1 if len(padded) % 4 == 1 else None]
        if found := _printable(b64decode(padded + "=" * (-len(padded) % 4))):
            yield found


def _base64_runs(text: str) -> Iterator[str]:
    """Yield base64 tokens joined over spaces, each run beginning with a token that is not a word."""
    pieces: list[str] = []
    size = end = made = 0
    for token in _TOKEN.finditer(text):
        apart = text[end : token.start()]
        end = token.end()
        if pieces and (apart.strip() or size > _ENCODED_AT_MOST):
            yield "".join(pieces)
            made, pieces, size = made + 1, [], 0
            if made >= _DECODED_AT_MOST:
                return
        if len(token[0]) >= _ALONE and not _is_word(token[0]):
            yield token[0]
            made += 1
        if pieces or not _is_word(token[0]):
            pieces.append(token[0])
            size += len(token[0])
    if pieces:
        yield "".join(pieces)


def _is_word(token: str) -> bool:
    return token.isalpha() and (token[1:].islower() or (token.isupper() and len(token) < 16))


def _printable(data: bytes) -> str:
    """Return the printable beginning of `data`, or an empty string if it is too short."""
    text = data.decode("utf-8", "ignore")
    end = next((at for at, char in enumerate(text) if not (char.isprintable() or char in "\n\t")), len(text))
    return text[:end] if end >= 8 and sum(map(str.isascii, text[:end])) >= _PLAIN_ENOUGH * end else ""

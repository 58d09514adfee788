"""Seed phrases of wallets: words of the BIP-39 list in a row."""

import hashlib
import re
from collections.abc import Iterator
from functools import cache
from importlib import resources

from curator.secrets.detector import Detector, Scan, Span

_SIZES = (24, 21, 18, 15, 12)
_WORD = re.compile(r"[A-Za-z]+")
_BETWEEN = re.compile(r"[\s,;|\"'\[\]]*(?:\d{1,2}[.):]?)?[\s,;|\"'\[\]]*")
_CONTEXT = re.compile(r"seed|mnemonic|recovery|backup|wallet|phrase|bip-?39", re.IGNORECASE)


@cache
def bip39() -> dict[str, int]:
    """Return the place of each word in the English list of BIP-39."""
    text = resources.files("curator.secrets").joinpath("bip39_english.txt").read_text(encoding="ascii")
    return {word: place for place, word in enumerate(text.split())}


@cache
def bip39_bytes() -> frozenset[bytes]:
    """Return the words of the list as bytes, to look many up at once."""
    return frozenset(word.encode() for word in bip39())


def is_checked(words: list[str]) -> bool:
    """Check the checksum that ends a seed phrase."""
    known = bip39()
    bits = "".join(f"{known[word]:011b}" for word in words)
    size = len(bits) * 32 // 33
    entropy = int(bits[:size], 2).to_bytes(size // 8)
    return f"{hashlib.sha256(entropy).digest()[0]:08b}"[: len(bits) - size] == bits[size:]


def seed_phrases(text: str) -> Iterator[Span]:
    """Yield rows of twelve words and more whose checksum is right, or of which the text before says what they are."""
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


SEED_PHRASES = (Detector("seed-phrase", "wallet seed phrase", (), scan=Scan.SEED, find=seed_phrases),)

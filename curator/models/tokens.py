"""How many tokens a text is, without a model's tokenizer: an estimate that errs upwards.

Byte-pair tokenizers take about four letters of an English word together, split numbers after one to three digits, and
fall back to bytes for what they have not learned. Counted here: one for every three letters of an ASCII word begun,
one for every digit, every other sign and every line, and for a character beyond ASCII one less than its UTF-8 bytes (a
Cyrillic letter 1, a Chinese character 2, an emoji 3). One space before a word is free, as it is part of its token.
"""

import re

_PIECE = re.compile(r"[A-Za-z]+|[^\S\n]+|[\x00-\x7f]|[^\x00-\x7f]")


def count_tokens(text: str) -> int:
    """Tokens of a text, estimated high."""
    return sum(map(_cost, _PIECE.findall(text)))


def _cost(piece: str) -> int:
    if piece.isascii():
        if piece.isalpha():
            return -(-len(piece) // 3)
        return len(piece) - 1 if piece.isspace() and piece != "\n" else len(piece)
    return sum(max(1, len(character.encode(errors="replace")) - 1) for character in piece)

"""How many tokens a text is: by an estimate that errs upwards, or exactly, by the tokenizer file of a model.

Byte-pair tokenizers take about four letters of an English word together, split numbers after one to three digits, and
fall back to bytes for what they have not learned. The estimate counts one for every three letters of an ASCII word
begun, one for every digit, every other sign and every line, and for a character beyond ASCII one less than its UTF-8
bytes (a Cyrillic letter 1, a Chinese character 2, an emoji 3). One space before a word is free, as it is part of its
token.
"""

import functools
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from curator.looks import ConfigError
from curator.paths import expanded

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Counter = Callable[[str], int]

_PIECE = re.compile(r"[A-Za-z]+|[^\S\n]+|[\x00-\x7f]|[^\x00-\x7f]")


def count_tokens(text: str) -> int:
    """Tokens of a text, estimated high."""
    return sum(map(_cost, _PIECE.findall(text)))


def token_counter(file: str) -> Counter:
    """What counts tokens: the tokenizer that a file (`tokenizer.json`) describes, the estimate where none is named.

    Raises ConfigError for a file that is none.
    """
    if not file:
        return count_tokens
    try:
        tokenizer = _tokenizer(path := expanded(file), path.stat().st_mtime_ns)
    except Exception as error:  # the library raises nothing narrower
        raise ConfigError(
            f"the setting recall.tokenizer names {file}, which is no tokenizer.json ({error}); name the file that "
            "comes with your model, or leave the setting out: then tokens are estimated"
        ) from error

    def count(text: str) -> int:
        sound = text.encode("utf-8", "replace").decode()
        return len(tokenizer.encode(sound, add_special_tokens=False).ids)

    return count


@functools.lru_cache(maxsize=1)
def _tokenizer(file: Path, changed: int) -> "Tokenizer":
    """It neither cuts nor fills up, and takes the names of special tokens for the text that they are."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True
    return tokenizer


def _cost(piece: str) -> int:
    if piece.isascii():
        if piece.isalpha():
            return -(-len(piece) // 3)
        return len(piece) - 1 if piece.isspace() and piece != "\n" else len(piece)
    return sum(max(1, len(character.encode(errors="replace")) - 1) for character in piece)

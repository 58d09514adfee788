"""Forgotten memories recognised in other words, by the rules that tell duplicates and never by nearness alone.

What says the same by those rules is refused on every way in. What is only alike, without a number, name, date or no
that differs, may be it: where a machine brings it, it is held in quarantine until the person has looked.
"""

import re
from enum import StrEnum
from typing import TYPE_CHECKING

from curator.injection.disguise import LOOKALIKES
from store import Forgotten, Store, Tokenizer
from store.model import Relation

if TYPE_CHECKING:
    from curator.compare import Verdict

_ALIKE = 0.7
"""Likeness from which words may be those of before; measured by tests/bench/forgotten.py."""
_WORD, _LATIN = re.compile(r"\w+"), re.compile("[A-Za-z]")
_SHARED = 0.75  # of the words of both together, for texts to be compared at all where there are no vectors


class Return(StrEnum):
    """Certainty that a text says what a forgotten memory says."""

    SAME = "same"
    ALIKE = "alike"


def match_texts(old: str, new: str, verdict: "Verdict") -> Return | None:
    """Match `new` with the forgotten text `old`, by the verdict of the rules on the two; None if they differ."""
    from curator.compare import Guard, differences, relate

    plain = without_lookalikes(new)
    if plain != new:
        verdict = relate(old, plain)
    if verdict.relation is Relation.DUPLICATE:
        return Return.SAME
    if verdict.relation is not Relation.UNSURE or verdict.duplicate_score < _ALIKE:
        return None
    soft = {Guard.ORDER, Guard.QUANTITY, Guard.MODALITY, Guard.TENSE}
    return Return.ALIKE if {one.guard for one in differences(old, new)} <= soft else None


def without_lookalikes(text: str) -> str:
    """Replace letters of other scripts in the Latin words of a text by the Latin ones they look like."""
    if text.isascii():
        return text
    return _WORD.sub(lambda word: word[0].translate(LOOKALIKES) if _LATIN.search(word[0]) else word[0], text)


def quarantine(memory: int) -> str:
    """The flag of what may be a forgotten memory."""
    return f"like memory {memory}, which you forgot"


def find_forgotten(store: Store, text: str) -> int | None:
    """The memory that was let go and that a text says again, as far as words tell; of several the one most like it.

    Purged ones have no words left, and are known by their key alone where a memory is written.
    """
    from curator.compare import relate
    from curator.text import content_key

    plain = without_lookalikes(text)
    if plain != text and (purged := store.tombstones.matching(content_key(plain))):
        return purged
    text = plain
    best: tuple[float, int] | None = None
    for memory, old in store.tombstones.like(text, tokenizer(), _SHARED).items():
        verdict = relate(old, text)
        if verdict.relation is Relation.DUPLICATE:
            best = max(best or (0.0, 0), (verdict.duplicate_score, memory))
    return None if best is None else best[1]


def index_forgotten(store: Store) -> None:
    """Read what was let go since that was done last: before a command, so that it stays read if that is refused."""
    if store.tombstones.any():
        store.tombstones.update_index(tokenizer())


def refuse_forgotten(store: Store, text: str) -> None:
    """Raise Forgotten if a text says what was let go, as far as words tell."""
    memory = find_forgotten(store, text) if store.tombstones.any() else None
    if memory is not None:
        raise Forgotten(memory)


def tokenizer() -> Tokenizer:
    """Return the tokenizer by which forgotten texts are compared."""
    from curator.text import TOKENS, tokens

    return Tokenizer(TOKENS, tokens)

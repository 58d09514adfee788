"""What was let go and comes back in other words: recognised by the rules that tell duplicates, never by nearness alone.

What says the same by those rules is refused on every way in. What is only alike, without a number, name, date or no
that differs, may be it: where a machine brings it, it is held in quarantine until the person has looked.
"""

from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from typing import TYPE_CHECKING

from store import Forgotten, Store
from store.model import Relation

if TYPE_CHECKING:
    from curator.compare import Verdict

_ALIKE = 0.7
"""Likeness from which words may be those of before; measured by tests/bench/forgotten.py."""
_SHARED = 0.75  # of the words of both together, for texts to be compared at all where there are no vectors


class Return(StrEnum):
    """How surely a text is what was let go."""

    SAME = "same"
    ALIKE = "alike"


def returning(old: str, new: str, verdict: "Verdict") -> Return | None:
    """Whether `new` says what `old` said, by the verdict of the rules on the two; None if it does not."""
    from curator.compare import Guard, differences

    if verdict.relation is Relation.DUPLICATE:
        return Return.SAME
    if verdict.relation is not Relation.UNSURE or verdict.duplicate_score < _ALIKE:
        return None
    soft = {Guard.ORDER, Guard.QUANTITY, Guard.MODALITY, Guard.TENSE}
    return Return.ALIKE if {one.guard for one in differences(old, new)} <= soft else None


def quarantine(memory: int) -> str:
    """The flag of what may be a forgotten memory."""
    return f"like memory {memory}, which you let go"


class LetGo:
    """The words of all that was let go, and which of them a text says again. Purged ones are known by their key alone.

    Read once for many texts; what is let go after that is not known.
    """

    def __init__(self, texts: Iterable[tuple[int, str]]) -> None:
        from curator.compare import tokens

        self.texts = dict(texts)
        self._tokens = {memory: tokens(text) for memory, text in self.texts.items()}
        self._having: dict[str, list[int]] = {}
        for memory, words in self._tokens.items():
            for word in words:
                self._having.setdefault(word, []).append(memory)

    @classmethod
    def read(cls, store: Store) -> "LetGo":
        """All of a store."""
        return cls(store.buried_texts())

    def said_again(self, text: str) -> int | None:
        """The memory that a text says again, as far as words tell; of several the one most like it."""
        from curator.compare import relate, tokens

        own = tokens(text)
        shared = Counter(memory for word in own for memory in self._having.get(word, ()))
        best: tuple[float, int] | None = None
        for memory, common in shared.items():
            if common < _SHARED * len(own | self._tokens[memory]):
                continue
            verdict = relate(self.texts[memory], text)
            if verdict.relation is Relation.DUPLICATE:
                best = max(best or (0.0, 0), (verdict.duplicate_score, memory))
        return None if best is None else best[1]


def refuse_returning(store: Store, text: str) -> None:
    """Raise Forgotten if a text says what was let go, as far as words tell."""
    memory = LetGo.read(store).said_again(text)
    if memory is not None:
        raise Forgotten(memory)

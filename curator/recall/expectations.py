"""Checks: prompts that the person keeps with what recall must give for them, to notice when curation broke it.

What took the place of a memory, by merging or superseding, counts as that memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from curator.models.tokens import Counter, count_tokens
from curator.recall.block import block
from curator.recall.search import Found, Wanted, find
from store import Filter, Store
from store.model import Check, Life, Review

if TYPE_CHECKING:
    from curator.models import Embedder
    from store.index import Index


@dataclass(frozen=True, slots=True)
class Checked:
    """What came of a check: memories that must be given and are not, each with why; those that are and must not be.

    `held` are those given that must be, and `given` those given that must not be: what stands in their place by now.
    """

    check: Check
    missing: tuple[tuple[int, str], ...]
    unwanted: tuple[int, ...]
    held: tuple[int, ...]
    given: tuple[int, ...]

    @property
    def holds(self) -> bool:
        """Whether all is as the person said."""
        return not self.missing and not self.unwanted


def words_of(prompt: str) -> str:
    """A prompt as a check keeps it, secrets redacted. Raises ValueError if nothing is left."""
    from curator.secrets import redact

    words = redact(prompt.strip()).text
    if not words:
        raise ValueError("a check needs a prompt")
    return words


def expect(store: Store, prompt: str, memories: Sequence[int], wanted: bool | None) -> None:
    """Say that memories must be given for a prompt, or must not; None takes that back. Raises NotFound, Forbidden."""
    words = words_of(prompt)
    store.check_owned(memories)
    for memory in memories:
        store.checks.expect(words, memory, wanted)


def judged(store: Store, check: Check, found: Found, given: Sequence[int], dropped: dict[int, str]) -> Checked:
    """Whether what is given for a prompt, and what was left out of it, is as its check says."""
    left = {item.memory.id: item.reason for item in found.left} | dropped
    stands = {memory: _standing(store, memory) for memory in (*check.must, *check.must_not)}
    missing = []
    for memory in check.must:
        now, life = stands[memory]
        if now not in given:
            missing.append((memory, life or left.get(now, "not found")))
    unwanted = tuple(memory for memory in check.must_not if stands[memory][0] in given)
    held = tuple(stands[memory][0] for memory in check.must if stands[memory][0] in given)
    return Checked(check, tuple(missing), unwanted, held, tuple(stands[memory][0] for memory in unwanted))


def run_checks(
    store: Store,
    index: Index,
    embedder: Embedder | None,
    checks: Sequence[Check],
    wanted: Wanted,
    budget: int,
    *,
    validated: bool = False,
    count: Counter = count_tokens,
) -> list[Checked]:
    """Make a block for each check as `wanted`, and judge it; no use is recorded. Raises ModelError."""
    which = Filter(reviews=(Review.VALIDATED,)) if validated else Filter()
    outcomes = []
    for check in checks:
        found = find(store, index, embedder, check.query, which, wanted)
        made = block(store, found.hits, budget, now=wanted.now, count=count)
        outcomes.append(judged(store, check, found, made.memories, made.dropped))
    return outcomes


def _standing(store: Store, memory: int) -> tuple[int, str]:
    """The memory that stands in the place of one by now, and its life if that is over."""
    seen = {memory}
    found = store.get(memory)
    while found.life is Life.SUPERSEDED and found.superseded_by is not None and found.superseded_by not in seen:
        seen.add(found.superseded_by)
        found = store.get(found.superseded_by)
    return found.id, "" if found.life is Life.LIVE else found.life.value

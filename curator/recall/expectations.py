"""Checks: prompts with the memories that recall must and must not include.

A merged or superseded memory is replaced by its successor.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from curator.recall.block import Block
from curator.recall.types import SearchResult
from store import Store
from store.model import Check, Life


@dataclass(frozen=True, slots=True)
class CheckResult:
    """Result of a check: expected memories that are missing, with reasons, and unwanted ones that are included.

    `held` are the current ids (after merging and superseding) of included expected memories, `given` those of included
    unwanted memories.
    """

    check: Check
    missing: tuple[tuple[int, str], ...]
    unwanted: tuple[int, ...]
    held: tuple[int, ...]
    given: tuple[int, ...]

    @property
    def holds(self) -> bool:
        """True if no expected memory is missing and no unwanted one is included."""
        return not self.missing and not self.unwanted


def check_prompt(prompt: str) -> str:
    """Return a prompt with secrets redacted, as it is stored. Raises ValueError if it is empty."""
    from curator.secrets import redact

    words = redact(prompt.strip()).text
    if not words:
        raise ValueError("a check needs a prompt")
    return words


def expect(store: Store, prompt: str, memories: Sequence[int], wanted: bool | None, project: str | None = None) -> None:
    """Store that recall must (`wanted` True) or must not (False) return memories for a prompt in a project.

    None removes the expectation. Raises NotFound, Forbidden.
    """
    words = check_prompt(prompt)
    store.check_owned(memories)
    for memory in memories:
        store.checks.expect(words, memory, wanted, project)


def evaluate(store: Store, check: Check, found: SearchResult, made: Block) -> CheckResult:
    """Compare a block and its omissions with the expectations of a check."""
    reasons = {item.memory.id: item.reason for item in found.omitted} | made.dropped
    current: dict[int, tuple[int, str]] = {}  # the last successor, and its life if it is not live
    for memory in (*check.must, *check.must_not):
        seen, last = {memory}, store.get(memory)
        while last.life is Life.SUPERSEDED and last.superseded_by is not None and last.superseded_by not in seen:
            seen.add(last.superseded_by)
            last = store.get(last.superseded_by)
        current[memory] = last.id, "" if last.life is Life.LIVE else last.life.value
    held, missing = [], []
    for memory in check.must:
        successor, life = current[memory]
        if successor in made.memories:
            held.append(successor)
        else:
            missing.append((memory, life or reasons.get(successor, "not found")))
    unwanted = tuple(memory for memory in check.must_not if current[memory][0] in made.memories)
    given = tuple(current[memory][0] for memory in unwanted)
    return CheckResult(check, tuple(missing), unwanted, tuple(held), given)

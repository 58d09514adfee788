"""Checks: prompts with the memories that recall must and must not include.

A merged or superseded memory is replaced by its successor.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from curator.recall.block import Block
from curator.recall.types import OmissionKind, OmissionReason, SearchResult
from store import Store
from store.model import Check, Life, Memory


@dataclass(frozen=True, slots=True)
class CheckResult:
    """Result of a check: expected memories that are missing, with reasons, and unwanted ones that are included.

    `included` are the current ids (after merging and superseding) of expected memories in the block,
    `included_unwanted` those of unwanted ones.
    """

    check: Check
    missing: tuple[tuple[int, OmissionReason], ...]
    unwanted: tuple[int, ...]
    included: tuple[int, ...]
    included_unwanted: tuple[int, ...]

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
    reasons = {item.memory.id: item.reason for item in found.omitted}
    reasons |= {memory: OmissionReason(kind) for memory, kind in made.dropped.items()}
    current: dict[int, Memory] = {}  # the last successor
    for memory in (*check.must, *check.must_not):
        seen, last = {memory}, store.get(memory)
        while last.life is Life.SUPERSEDED and last.superseded_by is not None and last.superseded_by not in seen:
            seen.add(last.superseded_by)
            last = store.get(last.superseded_by)
        current[memory] = last
    included, missing = [], []
    for memory in check.must:
        successor = current[memory]
        if successor.id in made.memories:
            included.append(successor.id)
        elif ended := OmissionKind.of_life(successor.life):
            missing.append((memory, OmissionReason(ended)))
        else:
            missing.append((memory, reasons.get(successor.id, OmissionReason(OmissionKind.NOT_FOUND))))
    unwanted = tuple(memory for memory in check.must_not if current[memory].id in made.memories)
    included_unwanted = tuple(current[memory].id for memory in unwanted)
    return CheckResult(check, tuple(missing), unwanted, tuple(included), included_unwanted)

"""What an import or a distilling has done so far."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(slots=True)
class Summary:
    """Counts of one run, all paths together. `known` and `grown` count conversations and ready memories."""

    files: int = 0
    formats: set[str] = field(default_factory=set)
    batch: int | None = None
    conversations: int = 0
    messages: Counter[str] = field(default_factory=Counter)
    memories: int = 0
    evidence: int = 0  # quotes that went to memories known before
    known: int = 0
    grown: int = 0
    invalid: int = 0
    redacted: int = 0  # secrets taken out of what was stored
    reasons: Counter[str] = field(default_factory=Counter)
    returned: Counter[int] = field(default_factory=Counter)  # forgotten memories that came back and were refused
    held: int = 0  # memories that may be forgotten ones, and are in quarantine
    problems: list[str] = field(default_factory=list)  # the first few records that could not be read, with places
    forget_requests: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run is: `done` of `total` bytes ("reading"), conversations ("distilling") or memories ("embedding",
    "indexing")."""

    stage: str
    done: int
    total: int
    summary: Summary


Report = Callable[[Progress], None]

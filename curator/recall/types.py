"""Types of searches: the preset, the options, hits and omissions."""

from dataclasses import dataclass, field
from enum import StrEnum

from store.model import Memory


class Preset(StrEnum):
    """Ranking presets: our own, and those of the systems it was measured against."""

    CURATOR = "curator"
    YOCORE = "yocore"
    HYBRID = "hybrid"
    LYNKR = "lynkr"
    YAK = "yak"
    YAK_ADDITIVE = "yak-additive"
    YAK_LOG = "yak-log"


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that matches a query. Its score is the sum of `parts`, or their product if `product`.

    `sources` are the external ids of the messages its evidence cites. `ranks` are its positions, from 1, in the
    searches that found it: "text", "context", and "vector", or "spelling" if the vectors compare letters. `safety`
    marks a matter of safety that the prompt's subject brought, `stated` what states an attribute that the prompt asks
    for.
    """

    memory: Memory
    score: float
    parts: dict[str, float]
    sources: tuple[str, ...]
    ranks: dict[str, int] = field(default_factory=dict)
    product: bool = False
    safety: bool = False
    stated: bool = False


@dataclass(frozen=True, slots=True)
class Omission:
    """A relevant memory that is not a hit.

    Reasons: "floor" (not similar enough, whatever its score), "floor (weak)" (a score far below the best), "limit",
    "expired", "flagged", "asked to forget", "scope", "superseded by 7", "duplicate of 12".
    Memories that no search reads have a cosine instead of a score.
    """

    memory: Memory
    reason: str
    score: float | None
    cosine: float | None = None


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The hits of a query, best first, the omissions, and the words that were searched for beside misspelt ones."""

    hits: tuple[Hit, ...]
    omitted: tuple[Omission, ...]
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """The preset, the number of hits (None: the preset's default) and the moment (microseconds, None: now).

    `gap` is the maximum distance to the best score, for our own preset; `threshold` replaces that of the preset, if it
    has one, `cosine` of any. `for_model` leaves out quarantined memories. With `phrases`, what stands in quotes in the
    query is literally in every hit.
    """

    preset: Preset = Preset.CURATOR
    limit: int | None = None
    now: int | None = None
    gap: float | None = None
    threshold: float | None = None
    cosine: float | None = None
    for_model: bool = False
    phrases: bool = False

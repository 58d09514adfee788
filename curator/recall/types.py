"""Types of searches: the preset, the options, hits and omissions."""

from dataclasses import dataclass, field
from enum import StrEnum

from store.model import Memory


class Preset(StrEnum):
    """Ranking presets: Curator's own, and those of other systems."""

    CURATOR = "curator"
    YOCORE = "yocore"
    HYBRID = "hybrid"
    LYNKR = "lynkr"
    YAK = "yak"
    YAK_ADDITIVE = "yak-additive"
    YAK_LOG = "yak-log"


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that matches a query. Its score is the sum of `parts`, or their product if `product` is True.

    `sources` are the external ids of the messages that its evidence cites. `ranks` are its positions, from 1, in the
    searches that found it: "text", "context", and "vector" ("spelling" if the vectors compare letters). `safety` is
    True for a safety fact recalled by the topic of the prompt, `stated` for a memory that states a requested attribute.
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

    Reasons: "floor" (unrelated), "floor (weak)" (score far below the best), "limit", "expired", "flagged", "asked to
    forget", "scope", "superseded by 7", "duplicate of 12". Memories outside the search have a cosine but no score.
    """

    memory: Memory
    reason: str
    score: float | None
    cosine: float | None = None


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits of a query, best first, omissions, and corrections of misspelt words that were searched too."""

    hits: tuple[Hit, ...]
    omitted: tuple[Omission, ...]
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """Options of a search: the preset, the limit (None: the preset's), and the time (microseconds; None: now).

    `gap` is the maximum distance from the best score, for the `curator` preset. `threshold` overrides the minimum
    cosine of presets that have one, `cosine` that of any preset. `for_model` excludes quarantined memories. With
    `phrases`, quoted phrases of the query must match literally.
    """

    preset: Preset = Preset.CURATOR
    limit: int | None = None
    now: int | None = None
    gap: float | None = None
    threshold: float | None = None
    cosine: float | None = None
    for_model: bool = False
    phrases: bool = False

"""Types of searches: the preset, the options, and what is found or omitted."""

from dataclasses import dataclass, field
from enum import StrEnum

from store.model import Memory


class Preset(StrEnum):
    """Ranking presets: our own, and those of the systems that it was measured against."""

    CURATOR = "curator"
    YOCORE = "yocore"
    HYBRID = "hybrid"
    LYNKR = "lynkr"
    YAK = "yak"
    YAK_ADDITIVE = "yak-additive"
    YAK_LOG = "yak-log"


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that answers a query. Its score is the sum of `parts`, or their product if `product`.

    `sources` are the external ids of the messages its evidence cites; `ranks` its positions, from 1, in the searches
    that found it: "text", "context", "vector".
    """

    memory: Memory
    score: float
    parts: dict[str, float]
    sources: tuple[str, ...]
    ranks: dict[str, int] = field(default_factory=dict)
    product: bool = False


@dataclass(frozen=True, slots=True)
class Omission:
    """A memory that is near and no hit. Reasons: "floor", "floor (weak)", "limit", "expired", "flagged", "scope",
    "superseded by 7", "duplicate of 12". Memories that no search reads have a cosine instead of a score.
    """

    memory: Memory
    reason: str
    score: float | None
    cosine: float | None = None


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The hits of a query, best first, and what came near and was left out."""

    hits: tuple[Hit, ...]
    omitted: tuple[Omission, ...]


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """The preset, the number of hits (None: as many as the preset gives) and the moment (microseconds, None: now).

    `gap` is how far below the best a score may be, for our own preset; `threshold` replaces that of the preset, if it
    has one. `for_model` leaves out what is in quarantine.
    """

    preset: Preset = Preset.CURATOR
    limit: int | None = None
    now: int | None = None
    gap: float | None = None
    threshold: float | None = None
    for_model: bool = False

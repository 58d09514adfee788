"""Types of searches: the preset, the options, hits and omissions with their reasons."""

from dataclasses import dataclass, field
from enum import StrEnum

from store.model import Life, Memory


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


class OmissionKind(StrEnum):
    """Kinds of reasons for omitting a memory from the hits or the block. The values are those of `--json`."""

    UNRELATED = "floor"
    WEAK = "floor (weak)"  # score far below the best
    LIMIT = "limit"
    DUPLICATE = "duplicate"
    BUDGET = "budget"
    ASKED = "asked to forget"
    FLAGGED = "flagged"
    NEVER = "never"
    NOT_VALIDATED = "not validated"
    REJECTED = "rejected"
    SCOPE = "scope"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"
    FORGOTTEN = "forgotten"
    PURGED = "purged"
    NOT_FOUND = "not found"
    OTHER_PRESET = "other preset"  # found by the preset that is compared with, but not by this one

    @classmethod
    def of_life(cls, life: Life) -> "OmissionKind | None":
        """Return the kind for a memory that is not live, or None."""
        return None if life is Life.LIVE else cls(life.value)


@dataclass(frozen=True, slots=True)
class OmissionReason:
    """The reason for omitting a memory; `other` is the memory that it duplicates or is superseded by."""

    kind: OmissionKind
    other: int | None = None


@dataclass(frozen=True, slots=True)
class Omission:
    """A relevant memory that is not a hit. Memories outside the search have a cosine but no score."""

    memory: Memory
    reason: OmissionReason
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

"""Names of the ranking presets, importable without numpy."""

from enum import StrEnum


class Preset(StrEnum):
    """Ranking presets: our own, and those of the systems that it was measured against."""

    CURATOR = "curator"
    YOCORE = "yocore"
    HYBRID = "hybrid"
    LYNKR = "lynkr"
    YAK = "yak"
    YAK_ADDITIVE = "yak-additive"
    YAK_LOG = "yak-log"

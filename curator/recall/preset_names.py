"""The names of the presets, apart from what they do, so that the command line can list them without loading it."""

from enum import StrEnum


class Preset(StrEnum):
    """How memories are ranked: our own way, or as one of the systems it was measured against does."""

    CURATOR = "curator"
    YOCORE = "yocore"
    HYBRID = "hybrid"
    LYNKR = "lynkr"
    YAK = "yak"
    YAK_ADDITIVE = "yak-additive"
    YAK_LOG = "yak-log"

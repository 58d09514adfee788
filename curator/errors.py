"""Base classes of errors with a message for the person, and those of the store.

They are here so that they can be caught without loading importers, models or the store.
"""

from store.errors import Conflict, Forbidden, Forgotten, NotFound, StoreError, Unusable

__all__ = [
    "ConfigError",
    "Conflict",
    "Forbidden",
    "Forgotten",
    "ImportFailure",
    "ModelError",
    "NotFound",
    "Refused",
    "StoreError",
    "TargetUnreachable",
    "Unusable",
]


class ConfigError(Exception):
    """An invalid setting; the message names the file or variable, the setting and the remedy."""


class ImportFailure(Exception):
    """A file that cannot be imported."""


class ModelError(Exception):
    """A model that is not available, not allowed, or did not answer as expected."""


class TargetUnreachable(ModelError):
    """The target of a sync cannot be reached."""


class Refused(ValueError):
    """A text that cannot be a memory."""

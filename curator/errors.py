"""Base classes of the errors whose text is meant for the person.

They are here, and not beside what raises them, so that they can be caught without loading importers or models.
"""


class ConfigError(Exception):
    """A setting that cannot be used; the text names file or variable, setting and remedy."""


class ImportFailure(Exception):
    """A file that cannot be imported."""


class ModelError(Exception):
    """A model that is not available, not allowed, or did not answer as it should."""


class Refused(ValueError):
    """A text that cannot be a memory."""

"""Errors that are meant for the person: each names the thing, the place and the remedy.

The command line and the app show them as they are; everything else that is raised is a bug.
"""


class ConfigError(Exception):
    """A setting that cannot be used; the text names file or variable, setting and remedy."""


class ImportFailure(Exception):
    """A log that cannot be read; the text names the file and the reason."""


class ModelError(Exception):
    """Base of all errors that a model, its server or its weights cause."""


class Refused(ValueError):
    """Words that cannot become a memory."""

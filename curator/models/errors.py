"""What can go wrong with a model. Every message names the thing, the place and the remedy."""


class ModelError(Exception):
    """Base of all errors a model raises on purpose; its text is meant for the person."""


class ModelMissing(ModelError):
    """The model cannot be used here as things are: not set up, or nothing on this machine can run it."""


class FetchFailed(ModelError):
    """Weights could not be brought into the cache; what was there before is untouched."""

"""Exit codes, and errors in words on stderr."""

import sys

NOTHING = 1
USAGE = 2
STORE = 3
MODEL = 4
INTERRUPTED = 130


def explain(error: Exception | KeyboardInterrupt) -> int:
    """Say on stderr what went wrong and return the exit code for it. An error nobody foresaw is raised again."""
    if isinstance(error, KeyboardInterrupt):
        _say("stopped")
        return INTERRUPTED
    code = _code(error)
    if code is None:
        raise error
    _say(str(error))
    return code


def _code(error: Exception) -> int | None:
    from store import StoreError, Unusable

    if isinstance(error, Unusable):
        return STORE
    if isinstance(error, StoreError):
        return NOTHING
    names = {kind.__name__ for kind in type(error).__mro__}
    if "ModelError" in names:
        return MODEL
    if names & {"ImportFailure", "Refused"}:
        return NOTHING
    if names & {"ConfigError", "ValueError", "FileNotFoundError"}:
        return USAGE
    return None


def _say(text: str) -> None:
    print(f"curator: {text}", file=sys.stderr)

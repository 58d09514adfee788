"""Exit codes, and errors in words on stderr."""

import sys

NOTHING = 1
USAGE = 2
STORE = 3
MODEL = 4
INTERRUPTED = 130


def explain(error: BaseException) -> int:
    """Say on stderr what went wrong and return the exit code for it. An error nobody foresaw is raised again."""
    import click

    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else 1
    if isinstance(error, KeyboardInterrupt | click.Abort):
        _say("stopped")
        return INTERRUPTED
    if isinstance(error, click.ClickException):
        error.show()
        return error.exit_code
    code = _code(error)
    if code is None:
        raise error
    _say(str(error))
    return code


def _code(error: BaseException) -> int | None:
    from store import StoreError, Unusable

    if isinstance(error, Unusable):
        return STORE
    if isinstance(error, StoreError):
        return NOTHING
    names = {kind.__name__ for kind in type(error).__mro__}
    if "ModelError" in names:
        return MODEL
    if "ImportFailed" in names or "Refused" in names:
        return NOTHING
    if names & {"ConfigError", "BadFilter", "ValueError", "FileNotFoundError"}:
        return USAGE
    return None


def _say(text: str) -> None:
    print(f"curator: {text}", file=sys.stderr)

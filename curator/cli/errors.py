"""Exit codes, and errors in words on stderr."""

import sys

from curator.errors import ConfigError, ImportFailure, ModelError, Refused

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
    _say(_words(error))
    return code


def _code(error: Exception) -> int | None:
    from store.errors import StoreError, Unusable

    codes: tuple[tuple[type[Exception] | tuple[type[Exception], ...], int], ...] = (
        (Unusable, STORE),
        ((StoreError, ImportFailure, Refused), NOTHING),
        (ModelError, MODEL),
        ((ConfigError, ValueError, OSError, OverflowError), USAGE),
    )
    return next((code for kinds, code in codes if isinstance(error, kinds)), None)


def _words(error: Exception) -> str:
    """What went wrong and what helps; the errors of the language do not say the latter themselves."""
    if isinstance(error, UnicodeDecodeError):
        return f"what was to be read is not text in UTF-8 (byte {error.start}); save it as UTF-8 and try again"
    if isinstance(error, UnicodeEncodeError):
        if error.encoding.replace("-", "").casefold() == "utf8":
            return "the words hold bytes that are not text in UTF-8; type them anew"
        return f"this terminal writes {error.encoding}, which lacks a character; set PYTHONIOENCODING=utf-8"
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename is not None else ""
        return f"{place}{error.strerror or error}; see that it is what you meant, is there, and that you may use it"
    if isinstance(error, OverflowError):
        return f"a number is too large ({error}); give a smaller one"
    return str(error)


def _say(text: str) -> None:
    from curator.export.sanitize import visible

    print(f"curator: {visible(text)}", file=sys.stderr)

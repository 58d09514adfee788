"""Log errors of the resident process by kind and code location, without messages, which may quote a memory."""

import logging
import traceback
from pathlib import Path

INTERNAL = "an error in Curator; the server's log has its place"
"""The reply to a request that failed by an error of the program."""


def frames(error: BaseException) -> str:
    """Return the code locations of an error's traceback, innermost first."""
    found = traceback.extract_tb(error.__traceback__)[-3:]
    return " < ".join(f"{Path(one.filename).name}:{one.lineno}" for one in reversed(found))


class LocationFormatter(logging.Formatter):
    """Formats exceptions by kind and code location. Drops further lines of a message: asyncio prints values there."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        """Return the first line of a message."""
        record.message = record.message.partition("\n")[0]
        return super().formatMessage(record)

    def formatException(self, ei: object) -> str:  # noqa: N802
        """Return the kind and code location of an exception."""
        error = ei[1] if isinstance(ei, tuple) else None
        return f"{type(error).__name__} at {frames(error)}" if isinstance(error, BaseException) else ""

"""Index tables on object storage: location, access and error messages.

A generation stays a folder of the store, with its mark; the file `place` in it names the prefix with its tables. Access
is configured by the variables in `store.object_storage`, which LanceDB reads itself.
"""

import contextlib
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from store import object_storage
from store.errors import Unreachable
from store.gc_policy import exempt_from_gc

if TYPE_CHECKING:
    from lancedb.db import DBConnection

_FILE = "place"
_OPTIONS = {"client_max_retries": "3", "client_retry_timeout": "15", "timeout": "60s"}
_SILENT = 30.0  # seconds after a failure during which no connection is tried, so that not every search waits
_failed: dict[str, tuple[float, Unreachable]] = {}


def location(generation: Path) -> str | None:
    """Return the prefix with the tables of a generation, or None if they are in its folder."""
    try:
        return (generation / _FILE).read_text(encoding="utf-8")
    except FileNotFoundError:
        return None


def below(uri: str, generation: Path) -> str:
    """Return the prefix of a generation's own below `uri`."""
    return f"{uri.rstrip('/')}/{generation.parent.name}/{generation.name}"


def assign(generation: Path, uri: str) -> None:
    """Note, before any is made, that the tables of a new generation are below `uri`."""
    (generation / _FILE).write_text(below(uri, generation), encoding="utf-8")


def engine() -> Any:
    """Import LanceDB, which takes two seconds."""
    os.environ.setdefault("LANCEDB_LOG", "error")  # before the import; its warnings would be printed over the app
    with contextlib.nullcontext() if "lancedb" in sys.modules else exempt_from_gc():
        import lancedb
    return lancedb


def connect(location: str) -> "DBConnection":
    """Connect to the tables below a prefix, which asks the storage once. Raises Unreachable."""
    until, away = _failed.get(location, (0.0, None))
    if away is not None and time.monotonic() < until:
        raise Unreachable(str(away), away.cause)
    try:
        options = _OPTIONS | ({"allow_http": "true"} if object_storage.without_encryption(location) else {})
        return cast("DBConnection", engine().connect(location, storage_options=options))
    except (RuntimeError, OSError, ValueError) as error:
        away = unreachable(location, error)
        _failed[location] = time.monotonic() + _SILENT, away
        raise away from error


def erase(location: str) -> None:
    """Delete all tables below a prefix. Raises Unreachable."""
    try:
        connect(location).drop_all_tables()
    except (RuntimeError, OSError, ValueError) as error:
        raise unreachable(location, error) from error


def is_missing(error: BaseException) -> bool:
    """Return True if an error means that an object is missing, so that a new index is needed."""
    return isinstance(error, FileNotFoundError) or "not found" in str(error).lower()


def unreachable(location: str, error: BaseException) -> Unreachable:
    """Return a message for the person with the cause of a LanceDB error."""
    cause = object_storage.cause(location, error)
    return Unreachable(
        f"the search index in {location} cannot be reached ({cause}); the memories themselves are safe on this machine,"
        f" and the index takes in what is new when the storage is back",
        cause,
    )

"""Keys of the HTTP API, of which only hashes are stored, in a private file beside the store.

A key is 32 random bytes, so an unsalted hash is secure.
"""

import hmac
import json
import re
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from hashlib import blake2b

from curator.errors import ConfigError
from curator.paths import api_keys_file
from curator.text_files import lock
from store import clock
from store.atomic_write import written_whole

_PREFIX = "ck-"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")


class Role(StrEnum):
    """The rights of a key: an agent reads and proposes; a person also adds, edits, validates and deletes."""

    AGENT = "agent"
    PERSON = "person"


@dataclass(frozen=True, slots=True)
class Key:
    """A stored key; `hash` is hexadecimal, `made` the day of its creation."""

    name: str
    role: Role
    hash: str
    made: str


def stored() -> tuple[Key, ...]:
    """Return the stored keys. Raises ConfigError for a damaged file."""
    file = api_keys_file()
    try:
        rows = json.loads(file.read_text(encoding="utf-8"))
        return tuple(
            Key(str(row["name"]), Role(row["role"]), str(row["hash"]), str(row.get("made", ""))) for row in rows
        )
    except FileNotFoundError:
        return ()
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigError(f"{file} cannot be read ({error}); delete it and create the keys again") from error


def make(name: str, role: Role) -> str:
    """Store a new key and return its text, which is not stored. Raises ValueError, ConfigError, StoreError."""
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is not a name for a key; use up to 60 letters, digits, dots and hyphens")
    with lock(api_keys_file()):
        known = stored()
        if any(key.name == name for key in known):
            raise ValueError(f"there is a key named {name}; `curator serve --revoke {name}` revokes it")
        text = _PREFIX + secrets.token_urlsafe(32)
        day = clock.to_iso(clock.now())[:10]
        _write([*known, Key(name, role, _hashed(text), day)])
    return text


def revoke(name: str) -> None:
    """Delete a key. Raises ValueError if there is none with this name, ConfigError, StoreError."""
    with lock(api_keys_file()):
        known = stored()
        left = [key for key in known if key.name != name]
        if len(left) == len(known):
            raise ValueError(f"there is no key named {name}; `curator serve --keys` lists them")
        _write(left)


def find(keys: Sequence[Key], text: str) -> Key | None:
    """Return the key with this text, or None, in constant time."""
    given, found = _hashed(text), None
    for key in keys:
        if hmac.compare_digest(key.hash, given):
            found = key
    return found


class KeyRing:
    """The stored keys, reloaded when their file changes, so that a revoked key is refused at once."""

    def __init__(self) -> None:
        self._stamp: tuple[int, int, int] | None = None
        self._keys: tuple[Key, ...] = ()

    def keys(self) -> tuple[Key, ...]:
        """Return the keys. Raises ConfigError."""
        try:
            found = api_keys_file().stat()
            stamp = (found.st_mtime_ns, found.st_size, found.st_ino)
        except OSError:
            self._stamp, self._keys = None, ()
            return ()
        if stamp != self._stamp:
            self._keys = stored()
            self._stamp = stamp
        return self._keys


def _hashed(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=32).hexdigest()


def _write(keys: Sequence[Key]) -> None:
    with written_whole(api_keys_file()) as partial:
        partial.write_text(json.dumps([asdict(key) for key in keys], indent=1) + "\n", encoding="utf-8")

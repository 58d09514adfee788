"""The key of a sync space: 32 random bytes, written down as 24 words."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import orjson

from curator.paths import sync_file
from curator.secrets.numbers import bip39, is_checked
from store import Unusable
from store.atomic_write import written_whole

_WORDS = 24
_BITS = 11  # of a word


@dataclass(frozen=True, slots=True)
class Space:
    """A sync space: its target, its key, and the name of this device in it."""

    target: str
    key: bytes
    name: str

    def subkey(self, use: bytes) -> bytes:
        """Derive the key for one use."""
        return hashlib.blake2b(self.key, person=use, digest_size=32).digest()

    def tag(self, uid: str) -> str:
        """Return the tag of a device in the target, a hash keyed by the space."""
        return hashlib.blake2b(uid.encode(), key=self.subkey(b"curator-names"), digest_size=16).hexdigest()


def words_of(key: bytes) -> list[str]:
    """Return a key as 24 words of BIP-39, the last with a checksum."""
    bits = f"{int.from_bytes(key, 'big'):0256b}{hashlib.sha256(key).digest()[0]:08b}"
    listed = list(bip39())
    return [listed[int(bits[start : start + _BITS], 2)] for start in range(0, len(bits), _BITS)]


def key_of(words: Iterable[str]) -> bytes:
    """Parse the words of a key. Raises ValueError for invalid ones."""
    given = [word.strip().lower() for word in words]
    known = bip39()
    if wrong := [word for word in given if word not in known]:
        raise ValueError(f"{wrong[0][:20]!r} is not a word of a key: check its spelling")
    if len(given) != _WORDS:
        raise ValueError(f"a key has {_WORDS} words, not {len(given)}")
    if not is_checked(given):
        raise ValueError("these are not the words of a key: one is wrong, or two are swapped")
    bits = "".join(f"{known[word]:0{_BITS}b}" for word in given)
    return int(bits[:256], 2).to_bytes(32, "big")


def saved(file: Path | None = None) -> Space | None:
    """Return the space of this device, or the one in another file; None without the file. Raises Unusable."""
    file = file or sync_file()
    if not file.exists():
        return None
    try:
        found = orjson.loads(file.read_bytes())
        return Space(str(found["target"]), bytes.fromhex(found["key"]), str(found["name"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Unusable(
            f"{file} cannot be read as the key of the sync space ({error}); move it away, and run `curator sync join`"
        ) from error


def save(space: Space, file: Path | None = None) -> Path:
    """Save a space in a file that only the user can read. Raises Unwritable."""
    file = file or sync_file()
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with written_whole(file) as partial:
        content = {"target": space.target, "key": space.key.hex(), "name": space.name}
        partial.write_bytes(orjson.dumps(content, option=orjson.OPT_INDENT_2) + b"\n")
    return file

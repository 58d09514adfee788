"""Keys and settings of the shared projects of this device, in a file beside the store."""

import hashlib
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from typing import Any

import orjson

from curator.paths import shares_file
from curator.share.signatures import public_key
from curator.sync.key import Space
from store import Busy, Conflict, NotFound, Unusable
from store.atomic_write import written_whole
from store.file_lock import locked

_SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Share:
    """A shared project. `id` and the public keys are hexadecimal; `keys` holds the key of each epoch.

    `version` is that of the last list of members read, `joined` the clock when this device joined. `trusted` are the
    members whose validation counts here, `paused` those who exceeded the limits of a pass and wait for the person. With
    `unreviewed`, distilled memories are shared before the person validates them.
    """

    id: str
    project: str
    target: str
    name: str
    owner: str
    seed: bytes
    keys: Mapping[int, bytes]
    version: int = 0
    joined: int = 0
    quotes: bool = False
    unreviewed: bool = False
    trusted: tuple[str, ...] = field(default=())
    paused: tuple[str, ...] = field(default=())

    @property
    def member(self) -> str:
        """The public key of the person here."""
        return public_key(self.seed)

    @property
    def owns(self) -> bool:
        """True if the person here owns the list of members."""
        return self.member == self.owner

    @property
    def epoch(self) -> int:
        """The current epoch."""
        return max(self.keys)

    def space(self, epoch: int) -> Space:
        """Return the sync space whose key encrypts the objects of an epoch."""
        return Space(self.target, self.keys[epoch], self.name)

    def hashed(self, text: str, use: bytes) -> str:
        """Return a hash of a text, keyed by the space's id."""
        return hashlib.blake2b(text.encode(), key=bytes.fromhex(self.id), person=use, digest_size=16).hexdigest()

    def tag(self, device: str, member: str = "") -> str:
        """Return the tag of a member's device in the target; the member is the person here by default."""
        return self.hashed(f"{member or self.member} {device}", b"curator-chain")


def seed_of(record_key: bytes, space: str) -> bytes:
    """Derive the seed of a person's member keys in a space from the record's key."""
    return hashlib.blake2b(bytes.fromhex(space), key=record_key, person=b"curator-member", digest_size=32).digest()


def saved() -> list[Share]:
    """Return the shared projects of this device. Raises Unusable."""
    file = shares_file()
    if not file.exists():
        return []
    try:
        found = orjson.loads(file.read_bytes())
        return [share_of(row) for row in found["projects"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Unusable(
            f"{file} cannot be read as the keys of shared projects ({error}); move it away, and join them again"
        ) from error


def share_of(row: dict[str, Any]) -> Share:
    keys = {int(epoch): bytes.fromhex(key) for epoch, key in row["keys"].items()}
    return Share(
        **row
        | {
            "seed": bytes.fromhex(row["seed"]),
            "keys": keys,
            "trusted": tuple(row["trusted"]),
            "paused": tuple(row.get("paused", ())),
        }
    )


def find(project: str) -> Share:
    """Return the shared project of a name. Raises NotFound."""
    for share in saved():
        if share.project == project:
            return share
    raise NotFound(f"{project} is not a shared project; `curator share` lists them")


def check_free(project: str) -> None:
    """Raise Conflict if a project is shared already."""
    if any(share.project == project for share in saved()):
        raise Conflict(f"{project} is shared already; `curator share leave` ends that")


def save(share: Share) -> Share:
    """Save a shared project in a file that only the user can read; return it. Raises Unwritable."""
    _write([*(one for one in saved() if one.id != share.id), share])
    return share


def drop(share: Share) -> None:
    """Delete the keys and settings of a shared project. Raises Unwritable."""
    _write([one for one in saved() if one.id != share.id])


def reload_share(share: Share) -> Share:
    """Reload a shared project, which another command may have changed. Raises NotFound."""
    for one in saved():
        if one.id == share.id:
            return one
    raise NotFound(f"{share.project} is no longer shared")


def change(share: Share, edit: Callable[[Share], Share]) -> Share:
    """Change a shared project as saved now, and save it. Raises NotFound."""
    return save(edit(reload_share(share)))


def _write(shares: list[Share]) -> None:
    file = shares_file()
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    rows = [
        asdict(one)
        | {"seed": one.seed.hex(), "keys": {str(epoch): key.hex() for epoch, key in sorted(one.keys.items())}}
        for one in sorted(shares, key=lambda one: one.project)
    ]
    with written_whole(file) as partial:
        content = {"schema": _SCHEMA, "projects": rows}
        partial.write_bytes(orjson.dumps(content, option=orjson.OPT_INDENT_2) + b"\n")


def exclusive(wait: float = 0.0) -> AbstractContextManager[object]:
    """Return the lock on shared projects, which waits up to `wait` seconds for another process. Raises Busy."""
    file = shares_file()
    busy = Busy("another process is syncing shared projects at the moment; wait for it")
    return locked(file.with_name(f"{file.name}.lock"), wait, busy)

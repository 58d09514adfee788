"""Manifests, which list the parts of a snapshot."""

import hashlib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import Any

import orjson

from curator.errors import ModelError
from curator.targets import Target

_MANIFEST = re.compile(r"manifests/(\d{12})\.json")
_PART = re.compile(r"parts/[0-9a-f]{64}\.parquet")


class DamagedSnapshot(ModelError):
    """An object of a snapshot is damaged; the text names it."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """A snapshot of the store with this identity at a time, in microseconds: the names of the parts of each table.

    `history` is what no table has: the fields of `store.analytics.stats.History`.
    """

    store: str
    at: int
    tables: Mapping[str, Sequence[str]]
    history: Mapping[str, Any] = field(default_factory=dict)

    @property
    def parts(self) -> frozenset[str]:
        """The names of all parts."""
        return frozenset(part for own in self.tables.values() for part in own)

    def encode(self) -> bytes:
        """Encode the manifest as JSON."""
        return orjson.dumps(asdict(self))


def part_name(data: bytes) -> str:
    """Return the name of a part, from the hash of its content."""
    return f"parts/{hashlib.sha256(data).hexdigest()}.parquet"


def numbers(names: Collection[str]) -> list[int]:
    """Return the numbers of the manifests among object names, highest first."""
    return sorted((int(found[1]) for name in names if (found := _MANIFEST.fullmatch(name))), reverse=True)


def manifest_name(number: int) -> str:
    """Return the name of a manifest."""
    return f"manifests/{number:012}.json"


def manifests(target: Target, names: Collection[str]) -> Iterator[tuple[int, Manifest]]:
    """Yield the manifests with their numbers, newest first. Raises DamagedSnapshot, TargetUnreachable."""
    for number in numbers(names):
        if (data := target.get(manifest_name(number))) is not None:
            yield number, decode(manifest_name(number), data)


def decode(name: str, data: bytes) -> Manifest:
    """Decode a manifest. Raises DamagedSnapshot."""
    try:
        found = Manifest(**orjson.loads(data))
        if all(found.tables.values()) and all(map(_PART.fullmatch, found.parts)):
            return found
    except (TypeError, ValueError, AttributeError):
        pass
    raise DamagedSnapshot(f"{name} of the snapshot is damaged: delete it there; the next snapshot has it again")


def newest_complete(target: Target) -> Manifest | None:
    """Return the newest snapshot whose parts are all present: a synced folder may carry the manifest before them.

    Raises DamagedSnapshot, TargetUnreachable.
    """
    names = set(target.names())
    return next((found for _, found in manifests(target, names) if found.parts <= names), None)


def erase_all_but(target: Target, kept: int) -> None:
    """Erase all but the newest `kept` snapshots. Other objects in the target stay.

    Raises DamagedSnapshot, TargetUnreachable.
    """
    names = target.names()
    used: set[str] = set()
    for number, found in islice(manifests(target, names), kept):
        used |= {manifest_name(number), *found.parts}
    for name in sorted(names):  # manifests first
        if name not in used and (_MANIFEST.fullmatch(name) or _PART.fullmatch(name)):
            target.delete(name)

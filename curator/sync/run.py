"""One pass of a sync: write what is new here, read and fold what the others wrote."""

import contextlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from curator.errors import Offline
from curator.paths import sync_file
from curator.sync.key import Space, key_of, save
from curator.sync.segments import SPACE, Broken, Place, digest_of, place_of, seal, seal_space, unseal, unseal_space
from curator.sync.targets import Target, from_anywhere, target_of
from store import Busy, Conflict, Store, TooNew
from store.record.sync.outbox import Batch, Cursor, ends_at
from store.record.sync.repository import Chain

Report = Callable[[str, int, int], None]
"""Called with the stage, and the numbers of segments done and in all."""
_SCHEMA = 1
_HERE = "`curator sync --rewrite` writes all of them again"
_OLDER = (
    "this store is older than what it wrote to {}, as if an earlier copy was put over its file; a sync would lose what"
    " was written since. Set CURATOR_HOME to a new folder, and join with that; what you have added here since then is"
    " only in this store"
)
_REWRITE = "`curator sync --rewrite` there writes all of them again"


@dataclass(slots=True)
class Pass:
    """Numbers of segments of a pass.

    `problems` are broken or lost segments in words, `waiting` devices whose segments are still to come.
    """

    written: int = 0
    folded: int = 0
    erased: bool = False
    problems: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)


def ignore(stage: str, done: int, total: int) -> None:
    """Report nothing."""


def create(store: Store, text: str, name: str, key: bytes) -> None:
    """Begin a space in a target that has none, with this store. Raises Conflict, Offline, ValueError."""
    text = from_anywhere(text)
    target, space = target_of(text), Space(text, key, name)
    target.prepare()
    names = target.names()
    if SPACE in names:
        raise Conflict(f"{text} is a sync space already; `curator sync join {text}` joins it")
    if any(place_of(found) is not None for found in names):
        raise Conflict(
            f"{text} holds a part of a sync space, not carried here completely; wait for the rest, then join"
        )
    content = {"schema": _SCHEMA, "key": store.sync.record_key().hex()}
    if not target.put(SPACE, seal_space(space, content)):
        raise Conflict(f"another device has just begun a sync space in {text}; `curator sync join {text}` joins it")
    store.sync.start_anew()
    save(space)


def join(store: Store, text: str, name: str, words: list[str]) -> None:
    """Join a space with its words. Raises Conflict for a store that is not empty, Offline, ValueError.

    A store that has read or written segments of this space before, or a copy of it, may join it again.
    """
    text = from_anywhere(text)
    target, space = target_of(text), Space(text, key_of(words), name)
    data = target.get(SPACE)
    if data is None:
        raise Offline(f"there is no sync space in {text}: not yet carried here, or begun with `curator sync init`")
    try:
        content = unseal_space(space, data)
    except Broken:
        raise ValueError(f"these are not the words of the space in {text}") from None
    if not was_here(store, space, target):
        store.sync.adopt_key(bytes.fromhex(content["key"]))
    save(space)


def was_here(store: Store, space: Space, target: Target) -> bool:
    """Return True if the last segment that this store knows of any device is in a target."""
    for chain in store.sync.chains():
        place = Place(space.tag(chain.uid), chain.generation, chain.number)
        if chain.number and (data := target.get(place.name)) is not None and digest_of(data) == chain.digest:
            return True
    return False


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Let one process at a time sync. Raises Busy."""
    from filelock import FileLock, Timeout

    file = sync_file()
    try:
        held = FileLock(file.with_name(f"{file.name}.lock"), timeout=0).acquire()
    except Timeout:
        raise Busy("another process is syncing at the moment; wait for it") from None
    with held:
        yield


def sync(store: Store, space: Space, report: Report = ignore) -> Pass:
    """Write, read and fold until nothing is new. Raises Offline; what was done until then stays done."""
    target, done = target_of(space.target), Pass()
    with alone():
        names = target.names()
        if SPACE not in names:
            raise Offline(f"there is no sync space in {space.target}: is it connected, and carried completely?")
        places = sorted(place for name in names if (place := place_of(name)) is not None)
        push(store, space, target, places, done, report)
        pull(store, space, target, places, done, report)
        done.erased = store.draw_consequences()
        push(store, space, target, places, done, report, last=True)
    return done


def push(
    store: Store,
    space: Space,
    target: Target,
    places: list[Place],
    done: Pass,
    report: Report,
    *,
    last: bool = False,
) -> None:
    """Write the own new segments; after a purge all of them, and delete the former ones.

    The `last` time in a pass, also tell the others what was read, if they should know.
    """
    chain = store.sync.begin(space.name)
    tag = space.tag(chain.uid)
    chain_end = Place(tag, chain.generation, chain.number + 1)  # may be written, but not noted, before a crash
    mine = [place for place in places if place.tag == tag]
    if max(mine, default=chain_end) > chain_end:
        raise Conflict(_OLDER.format(space.target))
    own = {place.number for place in mine if place.generation == chain.generation}
    if (lost := sorted({*range(1, chain.number + 1)} - own)) and not done.written:
        if not last:  # said before
            done.problems.append(f"segment {lost[0]} of this device is gone from {space.target}: {_HERE}")
        return
    while (found := store.sync.next_batch(chain)) is not None:
        written = write(store, space, target, chain, *found)
        if isinstance(written, str):
            done.problems.append(written)
            return
        store.sync.written(written, found[0])
        chain = written
        places.append(Place(tag, chain.generation, chain.number))
        done.written += 1
        report("written", done.written, done.written)
    greeting = store.sync.greeting(chain)
    if greeting is None and Place(tag, chain.generation, chain.number + 1) in mine:
        raise Conflict(_OLDER.format(space.target))
    if last and greeting is not None:
        written = write(store, space, target, chain, greeting, chain.cursor)
        if isinstance(written, Chain):
            store.sync.written(written, greeting)
            store.sync.greeted()
    for place in [place for place in places if place.tag == tag and place.generation < chain.generation]:
        target.delete(place.name)
        places.remove(place)


def write(store: Store, space: Space, target: Target, chain: Chain, batch: Batch, cursor: Cursor) -> Chain | str:
    """Write one segment; return the chain with it, or in words why it cannot be."""
    place = Place(space.tag(chain.uid), chain.generation, chain.number + 1)
    end = [cursor.seq, cursor.message, cursor.vector]
    content = {**batch, "end": end, "device": chain.uid, "name": space.name, "schema": _SCHEMA}
    data = seal(space, place, chain.digest, content)
    if not target.put(place.name, data):  # written before a crash, but not noted
        data = target.get(place.name) or b""
        try:
            content = unseal(space, place, chain.digest, data)
        except Broken as error:
            return f"segment {place.number} of this device {error}: {_HERE}"
        if not store.sync.has_written(content):
            raise Conflict(_OLDER.format(space.target))
        cursor = ends_at(content)
    return replace(chain, number=place.number, digest=digest_of(data), cursor=cursor)


def pull(store: Store, space: Space, target: Target, places: list[Place], done: Pass, report: Report) -> None:
    """Read and fold the segments of the other devices, each after all that its writer had read."""
    own = space.tag(store.sync.begin(space.name).uid)
    known = {space.tag(chain.uid): chain for chain in store.sync.chains()}
    there: defaultdict[str, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    for place in places:
        if place.tag != own:
            there[place.tag][place.generation].add(place.number)
    readers = [
        _Reader(space, target, tag, there.get(tag, {}), known.get(tag, Chain("")), done)
        for tag in sorted({*there, *known} - {own})
    ]
    total = sum(map(len, readers))
    moved = True
    while moved:
        moved = False
        for reader in readers:
            while (content := reader.next()) is not None and not (missing := store.sync.missing(content)):
                store.sync.fold(reader.passed(content), content)
                done.folded += 1
                moved = True
                report("folded", done.folded, total)
            reader.lacks = missing if content is not None else []
    names = {chain.uid: chain.name for chain in store.sync.chains()}
    done.waiting = sorted({names.get(uid) or uid[:8] or "another device" for reader in readers for uid in reader.lacks})


class _Reader:
    """The segments of one device that are not folded yet, in order."""

    def __init__(
        self, space: Space, target: Target, tag: str, there: dict[int, set[int]], chain: Chain, done: Pass
    ) -> None:
        self._space, self._target, self._tag, self._done = space, target, tag, done
        self.lacks: list[str] = []
        self._read: dict[str, Any] | None = None
        self._data = b""
        newest = max(there, default=0)
        if newest > chain.generation:
            chain = replace(chain, generation=newest, number=0, digest="")
        self._chain = chain
        self._numbers = there.get(chain.generation, set())
        self._stopped = False
        if newest < chain.generation or max(self._numbers, default=0) < chain.number:
            self._stop(
                f"segment {max(self._numbers, default=0) + 1} of {self._name} is gone, though it was read here before"
            )

    def __len__(self) -> int:
        """Return how many are to be folded."""
        return max(len(self._numbers) - self._chain.number, 0)

    @property
    def _name(self) -> str:
        return self._chain.name or f"the device {self._tag[:8]}"

    def next(self) -> dict[str, Any] | None:
        """Return the content of the next segment; None if there is none, or it cannot be read."""
        number = self._chain.number + 1
        if self._stopped or self._read is not None:
            return self._read
        if number not in self._numbers:
            if (later := min((one for one in self._numbers if one > number), default=None)) is not None:
                self._stop(
                    f"segment {number} of {self._name} is not there, but {later} is: it is still to come, or lost"
                )
            return None
        place = Place(self._tag, self._chain.generation, number)
        self._data = self._target.get(place.name) or b""
        try:
            self._read = unseal(self._space, place, self._chain.digest, self._data)
        except Broken as error:
            self._stop(f"segment {number} of {self._name} ({place.name}) {error}")
        if self._read is not None and self._read["schema"] != _SCHEMA:
            raise TooNew(f"{self._name} has a newer Curator than this device; update this one, then sync again")
        return self._read

    def passed(self, content: dict[str, Any]) -> Chain:
        """Return the chain after the segment that was read last."""
        self._chain = replace(
            self._chain,
            uid=str(content["device"]),
            name=str(content["name"]),
            number=self._chain.number + 1,
            digest=digest_of(self._data),
        )
        self._read = None
        return self._chain

    def _stop(self, why: str) -> None:
        self._stopped, self._read = True, None
        self._done.problems.append(f"{why}; {_REWRITE}")

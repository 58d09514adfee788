"""One pass of a sync: write what is new here, read and fold what the others wrote."""

import contextlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import partial

from curator.errors import Offline
from curator.paths import begun_file, sync_file
from curator.sync.compaction import clean, compact
from curator.sync.key import Space, key_of, save, saved
from curator.sync.reader import SCHEMA, Reader, holds
from curator.sync.segments import SPACE, Broken, Place, digest_of, place_of, seal, seal_space, unseal, unseal_space
from curator.targets import Target, from_anywhere, target_of
from store import Busy, Conflict, Store, clock
from store.file_lock import locked
from store.record.sync.outbox import Batch, Cursor, ends_at
from store.record.sync.repository import Chain

Report = Callable[[str, int, int], None]
"""Called with the stage, and the numbers of segments done and in all."""
_HERE = "`curator sync --rewrite` writes all of them again"
_OLDER = (
    "this store is older than what it wrote to {}, as if an earlier copy was put over its file; a sync would lose what"
    " was written since. Set CURATOR_HOME to a new folder, and join with that; what you have added here since then is"
    " only in this store"
)
_REMOVED = (
    "this device was removed from {0} by another one, so nothing is read or written any more. `curator sync join {0}`"
    " joins it again: what was added here since then is kept, and comes along"
)


@dataclass(slots=True)
class Pass:
    """Numbers of segments of a pass.

    `problems` are broken or lost segments in words, `waiting` devices whose segments are still to come, `unread` the
    UUIDs of devices of which not all could be read.
    """

    written: int = 0
    folded: int = 0
    erased: bool = False
    problems: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)


def ignore(stage: str, done: int, total: int) -> None:
    """Report nothing."""


def begun(text: str) -> Space | None:
    """Return the space that was being begun in a target when the process ended, or None."""
    space = saved(begun_file())
    return space if space is not None and space.target == from_anywhere(text) else None


def create(store: Store, text: str, name: str, key: bytes, show: Callable[[bytes], object] = bool) -> None:
    """Begin a space in a target that has none, with this store; `show` is given the key that it has.

    What was interrupted before the key was shown goes on with the former key: it is kept here before anything is in the
    target. Raises Conflict, Offline, ValueError.
    """
    text, former = from_anywhere(text), begun(text)
    target, space = target_of(text), Space(text, former.key if former is not None else key, name)
    target.prepare()
    names = target.names()
    if former is not None and SPACE in names:
        with contextlib.suppress(Broken):
            unseal_space(space, target.get(SPACE) or b"")
            if saved() is None:
                store.sync.start_anew()
            _finish(space, show)
            return
    if SPACE in names:
        raise Conflict(f"{text} is a sync space already; `curator sync join {text}` joins it")
    if any(place_of(found) is not None for found in names):
        raise Conflict(
            f"{text} holds a part of a sync space, not carried here completely; wait for the rest, then join"
        )
    content = {"schema": SCHEMA, "key": store.sync.record_key().hex()}
    save(space, begun_file())
    if not target.put(SPACE, seal_space(space, content)):
        begun_file().unlink(missing_ok=True)
        raise Conflict(f"another device has just begun a sync space in {text}; `curator sync join {text}` joins it")
    store.sync.start_anew()
    _finish(space, show)


def _finish(space: Space, show: Callable[[bytes], object]) -> None:
    save(space)
    show(space.key)
    begun_file().unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class Entry:
    """A space that can be joined: the key of its record's hashes, and True if this store was in it before."""

    space: Space
    key: bytes
    again: bool


def enter(store: Store, text: str, name: str, words: list[str]) -> Entry:
    """Look whether words are those of a space, and whether this store is of it. Raises Offline, ValueError."""
    text = from_anywhere(text)
    target, space = target_of(text), Space(text, key_of(words), name)
    data = target.get(SPACE)
    if data is None:
        raise Offline(f"there is no sync space in {text}: not yet carried here, or begun with `curator sync init`")
    try:
        content = unseal_space(space, data)
    except Broken:
        raise ValueError(f"these are not the words of the space in {text}") from None
    key, places = bytes.fromhex(content["key"]), places_in(target.names())
    again = any(chain.number and holds(space, target, places, chain) for chain in store.sync.chains())
    return Entry(space, key, key == store.sync.record_key() and (again or store.sync.is_removed()))


def join(store: Store, entry: Entry) -> None:
    """Join a space with all that this store holds. Raises Conflict for one without forgotten words, Offline.

    A store that has read or written segments of this space before, or a copy of it, goes on where it was.
    """
    from curator.text import content_key  # imported here, since its patterns take 40 ms to compile

    if not entry.again:
        target = target_of(entry.space.target)
        others = read_all(entry.space, target, places_in(target.names())) if store.sync.past().written else ()
        store.sync.join(entry.key, store.sync.overlap(others), content_key)
    elif store.sync.is_removed():
        store.sync.come_back()
    save(entry.space)


def go_on(store: Store, space: Space, target: Target, places: list[Place]) -> None:
    """Join with what was restored from before this device joined, if its hashes have another key."""
    from curator.text import content_key

    try:
        key = bytes.fromhex(unseal_space(space, target.get(SPACE) or b"")["key"])
    except Broken as error:
        raise Offline(f"the first object of the space in {space.target} {error}: is it carried completely?") from None
    if key != store.sync.record_key():
        store.sync.join(key, store.sync.overlap(read_all(space, target, places)), content_key)


def places_in(names: list[str]) -> list[Place]:
    """Return the places of all segments among the names of objects, in order."""
    return sorted(place for name in names if (place := place_of(name)) is not None)


def read_all(space: Space, target: Target, places: list[Place]) -> Iterator[Batch]:
    """Yield the contents of all segments of all devices that can be read."""
    for tag in sorted({place.tag for place in places}):
        reader = Reader(space, target, tag, [place for place in places if place.tag == tag], Chain(""))
        while (step := reader.next()) is not None:
            yield step[1]


def alone() -> AbstractContextManager[object]:
    """Let one process at a time sync. Raises Busy."""
    file = sync_file()
    busy = Busy("another process is syncing at the moment; wait for it")
    return locked(file.with_name(f"{file.name}.lock"), 0, busy)


def sync(store: Store, space: Space, report: Report = ignore, *, rewrite: bool = False, remove: str = "") -> Pass:
    """Write, read and fold until nothing is new. Raises Offline; what was done until then stays done.

    With `rewrite`, write all own segments again; with `remove`, also what the device with that UUID wrote, which is
    gone for good. Raises Conflict if this device was removed by another one.
    """
    from curator.text import content_key  # imported here, since its patterns take 40 ms to compile

    target, done = target_of(space.target), Pass()
    with alone():
        if store.sync.is_removed():
            raise Conflict(_REMOVED.format(space.target))
        names = target.names()
        if SPACE not in names:
            raise Offline(f"there is no sync space in {space.target}: is it connected, and carried completely?")
        places = places_in(names)
        if not any(chain.number for chain in store.sync.chains()):  # maybe of a backup from before it joined
            go_on(store, space, target, places)
        if rewrite:
            store.sync.rewrite()
        write_new = partial(push, store, space, target, places, done, report)
        unwritten = failure_of(write_new)
        pull(store, space, target, places, done, report)
        if store.sync.is_removed():
            raise Conflict(_REMOVED.format(space.target))
        done.erased = store.draw_consequences(content_key)
        if remove:
            store.sync.remove(remove)
        unwritten = unwritten or failure_of(partial(write_new, last=True))
        if unwritten:
            done.problems.append(f"nothing more was written: {unwritten}")
    return done


def failure_of(write_new: Callable[[], None]) -> str:
    """Write; return in words why the target cannot be written to, or "": it may still be read."""
    try:
        write_new()
    except Offline as error:
        return str(error)
    return ""


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
    own = {number for place in mine if place.generation == chain.generation for number in place.numbers}
    if (lost := sorted({*range(1, chain.number + 1)} - own)) and not done.written:
        if not last:  # said before
            done.problems.append(f"segment {lost[0]} of this device is gone from {space.target}: {_HERE}")
        return
    if not last and (problem := clean(space, target, places, chain)):
        done.problems.append(f"{problem}; {_HERE}")
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
            chain = written
            places.append(Place(tag, chain.generation, chain.number))
    gone = {space.tag(uid) for uid, one in store.sync.gone().items() if one.mine}
    former = [one for one in places if one.tag in gone or (one.tag == tag and one.generation < chain.generation)]
    for place in former:
        target.delete(place.name)
        places.remove(place)
    if last and (problem := compact(space, target, places, chain)):
        done.problems.append(problem)


def write(store: Store, space: Space, target: Target, chain: Chain, batch: Batch, cursor: Cursor) -> Chain | str:
    """Write one segment; return the chain with it, or in words why it cannot be."""
    place = Place(space.tag(chain.uid), chain.generation, chain.number + 1)
    end = [cursor.seq, cursor.message, cursor.vector]
    said = {"end": end, "device": chain.uid, "name": space.name, "at": clock.now(), "schema": SCHEMA}
    content = {**batch, **said, **store.sync.told()}
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
    there: defaultdict[str, list[Place]] = defaultdict(list)
    for place in places:
        there[place.tag].append(place)
    readers = [
        Reader(space, target, tag, there.get(tag, []), known.get(tag, Chain("")))
        for tag in sorted({*there, *known} - {own} - gone_tags(store, space))
    ]
    total, moved = sum(reader.count for reader in readers), True
    while moved:
        moved = False
        for reader in readers:
            reader.lacks = []
            while not reader.lacks and reader.fill():
                folded, reader.lacks = store.sync.fold_ready(reader.ready)
                del reader.ready[:folded]
                done.folded += folded
                moved |= folded > 0
                report("folded", done.folded, total)
    names, gone = {chain.uid: chain.name for chain in store.sync.chains()}, gone_tags(store, space)
    readers = [reader for reader in readers if reader.tag not in gone]  # of which was read only now
    done.problems += [reader.problem for reader in readers if reader.problem]
    done.unread = [reader.uid for reader in readers if reader.problem or reader.lacks]
    done.waiting = sorted({names.get(uid) or uid[:8] or "another device" for reader in readers for uid in reader.lacks})


def gone_tags(store: Store, space: Space) -> set[str]:
    """Return the names in the target of devices that are gone for good."""
    return {space.tag(uid) for uid in store.sync.gone()}

"""Create or join a sync space, and run a pass: write new segments, read and fold those of other devices."""

import contextlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import partial

from curator.errors import TargetUnreachable
from curator.paths import pending_sync_file, sync_file
from curator.sync.compaction import compact, delete_objects, delete_packed
from curator.sync.key import Space, key_of, save, saved
from curator.sync.reader import SCHEMA, SegmentReader, contains_last
from curator.sync.segments import (
    SPACE,
    BrokenSegment,
    SegmentPath,
    digest_of,
    first_missing,
    parse_path,
    seal,
    seal_space,
    unseal,
    unseal_space,
)
from curator.targets import Target, from_anywhere, target_of
from store import Busy, Conflict, Store, clock
from store.file_lock import locked
from store.progress import Report, no_report
from store.record.sync.outbox import Batch, Cursor, ends_at
from store.record.sync.repository import Chain

_HERE = "`curator sync --rewrite` writes all of them again"
_OLDER = (
    "this store is older than what it wrote to {}, as if an earlier copy was put over its file; a sync would lose what"
    " was written since. Set CURATOR_HOME to a new folder, and join with that; what you have added here since then is"
    " only in this store"
)
_REMOVED = (
    "this device was removed from {0} by another one, so nothing is read or written any more. `curator sync join {0}`"
    "  joins it again; everything added here since then is kept"
)


@dataclass(slots=True)
class PassResult:
    """Result of a pass, with numbers of segments.

    `problems` describes broken and lost segments, `waiting` names devices whose segments have not arrived, and `unread`
    has the UUIDs of devices whose segments could not all be read.
    """

    written: int = 0
    folded: int = 0
    erased: bool = False
    problems: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SyncPass:
    """Context of a pass: the space, its target with the paths of all segments, and the result so far."""

    store: Store
    space: Space
    target: Target
    paths: list[SegmentPath]
    result: PassResult
    report: Report = no_report


def interrupted_init(text: str) -> Space | None:
    """Return the space whose creation in a target was interrupted, or None."""
    space = saved(pending_sync_file())
    return space if space is not None and space.target == from_anywhere(text) else None


def create(store: Store, text: str, name: str, key: bytes, show: Callable[[bytes], object] = lambda key: None) -> None:
    """Create a space from this store in a target without one; call `show` with its key.

    After an interruption before the key was shown, continue with the saved key: it is saved before anything is written
    to the target. Raises Busy while a pass runs, Conflict, TargetUnreachable, ValueError.
    """
    text = from_anywhere(text)
    target = target_of(text)
    with exclusive():
        former = interrupted_init(text)
        space = Space(text, former.key if former is not None else key, name)
        target.prepare()
        names = target.names()
        if former is not None and SPACE in names:
            with contextlib.suppress(BrokenSegment):
                unseal_space(space, target.get(SPACE) or b"")
                if saved() is None:
                    store.sync.start_anew()
                _finish(space, show)
                return
        if SPACE in names:
            raise Conflict(f"{text} is a sync space already; `curator sync join {text}` joins it")
        if any(parse_path(found) is not None for found in names):
            raise Conflict(
                f"{text} holds a part of a sync space, not carried here completely; wait for the rest, then join"
            )
        content = {"schema": SCHEMA, "key": store.sync.record_key().hex()}
        save(space, pending_sync_file())
        if not target.put(SPACE, seal_space(space, content)):
            pending_sync_file().unlink(missing_ok=True)
            raise Conflict(f"another device has just begun a sync space in {text}; `curator sync join {text}` joins it")
        store.sync.start_anew()
        _finish(space, show)


def _finish(space: Space, show: Callable[[bytes], object]) -> None:
    save(space)
    show(space.key)
    pending_sync_file().unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class JoinableSpace:
    """A space that can be joined: `key` is that of its hashes, and `again` is True if this store was in it before."""

    space: Space
    key: bytes
    again: bool


def inspect_space(store: Store, text: str, name: str, words: list[str]) -> JoinableSpace:
    """Check the words of a space, and whether this store was in it before.

    Raises Conflict, TargetUnreachable, ValueError.
    """
    store.sync.check_words()
    text = from_anywhere(text)
    target, space = target_of(text), Space(text, key_of(words), name)
    data = target.get(SPACE)
    if data is None:
        raise TargetUnreachable(
            f"there is no sync space in {text}: not synced here yet, or not created with `curator sync init`"
        )
    try:
        content = unseal_space(space, data)
    except BrokenSegment:
        raise ValueError(f"these are not the words of the space in {text}") from None
    key, paths = bytes.fromhex(content["key"]), _segment_paths(target.names())
    again = any(chain.number and contains_last(space, target, paths, chain) for chain in store.sync.chains())
    return JoinableSpace(space, key, key == store.sync.record_key() and (again or store.sync.is_removed()))


def join(store: Store, joinable: JoinableSpace) -> None:
    """Join a space with everything in this store.

    A store that has read or written segments of this space before, or a copy of it, continues where it was. Raises Busy
    while a pass runs, TargetUnreachable, and Conflict if words would be purged.
    """
    from curator.text import content_key  # imported here, since its patterns take 40 ms to compile

    with exclusive():
        if not joinable.again:
            target = target_of(joinable.space.target)
            paths = _segment_paths(target.names()) if store.sync.past().written else []
            others = _read_all(joinable.space, target, paths)
            store.sync.join(joinable.key, store.sync.overlap(others), content_key)
        elif store.sync.is_removed():
            store.sync.rejoin()
        save(joinable.space)


def rejoin_restored(store: Store, space: Space, target: Target, paths: list[SegmentPath]) -> None:
    """Join again after a restore of a backup from before this device joined, if its hashes have another key."""
    from curator.text import content_key

    try:
        key = bytes.fromhex(unseal_space(space, target.get(SPACE) or b"")["key"])
    except BrokenSegment as error:
        raise TargetUnreachable(
            f"the first object of the space in {space.target} {error}: is it carried completely?"
        ) from None
    if key != store.sync.record_key():
        store.sync.join(key, store.sync.overlap(_read_all(space, target, paths)), content_key)


def _segment_paths(names: list[str]) -> list[SegmentPath]:
    """Return the paths of all segments among object names, in order."""
    return sorted(path for name in names if (path := parse_path(name)) is not None)


def _read_all(space: Space, target: Target, paths: list[SegmentPath]) -> Iterator[Batch]:
    """Yield the contents of all readable segments of all devices."""
    for tag in sorted({path.tag for path in paths}):
        reader = SegmentReader(space, target, tag, [path for path in paths if path.tag == tag], Chain(""))
        while (step := reader.next()) is not None:
            yield step[1]


def exclusive() -> AbstractContextManager[object]:
    """Return the sync lock, which one process at a time can hold. Raises Busy."""
    file = sync_file()
    busy = Busy("another process is syncing at the moment; wait for it")
    return locked(file.with_name(f"{file.name}.lock"), 0, busy)


def sync(
    store: Store,
    space: Space,
    report: Report = no_report,
    arrived: Callable[[Store], object] | None = None,
    *,
    rewrite: bool = False,
    remove: str = "",
) -> PassResult:
    """Write, read and fold all new segments. Raises TargetUnreachable; what was done until then stays done.

    After all segments are folded, `arrived` is called; its commands are written too. With `rewrite`, write all own
    segments again. With `remove`, remove the device with that UUID, and take over what it wrote. Raises Conflict if
    this device was removed by another one, or has left the space meanwhile.
    """
    from curator.text import content_key  # imported here, since its patterns take 40 ms to compile

    target, result = target_of(space.target), PassResult()
    with exclusive():
        if (now := saved()) is None or (now.target, now.key) != (space.target, space.key):
            raise Conflict(f"this device no longer syncs with {space.target}, so nothing was read or written there")
        if store.sync.is_removed():
            raise Conflict(_REMOVED.format(space.target))
        names = target.names()
        if SPACE not in names:
            raise TargetUnreachable(f"there is no sync space in {space.target}: is it connected and fully synced?")
        paths = _segment_paths(names)
        if not any(chain.number for chain in store.sync.chains()):  # perhaps a backup from before it joined
            rejoin_restored(store, space, target, paths)
        context = SyncPass(store, space, target, paths, result, report)
        continue_chain(context, rewrite)
        write_new = partial(push, context)
        unwritten = _write_failure(write_new)
        pull(context)
        removed = store.sync.is_removed()
        if not removed:
            result.erased = store.reconcile(content_key)
        if arrived is not None:
            arrived(store)
        if removed:
            raise Conflict(_REMOVED.format(space.target))
        if remove:
            store.sync.remove(remove)
        unwritten = unwritten or _write_failure(partial(write_new, last=True))
        if unwritten:
            result.problems.append(f"nothing more was written: {unwritten}")
        store.sync.note_problems(result.problems)
    return result


def continue_chain(context: SyncPass, rewrite: bool) -> None:
    """Begin a new generation of own segments if asked to, or if the target has some that this store did not note.

    It has not noted one that was written before a crash, or those of a space that it left and joins again. Raises
    Conflict if they tell what this store does not have: it would overwrite that.
    """
    store, space = context.store, context.space
    chain = store.sync.begin(space.name)
    tag = space.tag(chain.uid)
    mine = [path for path in context.paths if path.tag == tag]
    ahead = max(((path.generation, path.number) for path in mine), default=(0, 0))
    beyond = ahead > (chain.generation, chain.number + 1)
    if ahead > (chain.generation, chain.number):
        reader = SegmentReader(space, context.target, tag, mine, chain)
        while (step := reader.next()) is not None:
            if not store.sync.has_written(step[1]):
                raise Conflict(_OLDER.format(space.target))
        if beyond and reader.problem:
            raise Conflict(_OLDER.format(space.target))
    if rewrite or beyond:
        store.sync.rewrite(ahead[0])


def _write_failure(write_new: Callable[[], None]) -> str:
    """Write; return the reason if the target cannot be written to, else "": it may still be read."""
    try:
        write_new()
    except TargetUnreachable as error:
        return str(error)
    return ""


def push(context: SyncPass, *, last: bool = False) -> None:
    """Write new own segments; after a purge, write all of them again and delete the old ones.

    On the `last` call in a pass, also acknowledge what was read, if others wait for that.
    """
    store, space, target, paths = context.store, context.space, context.target, context.paths
    result = context.result
    chain = store.sync.without_erased(store.sync.begin(space.name))
    tag = space.tag(chain.uid)
    mine = [path for path in paths if path.tag == tag]
    lost = first_missing(path for path in mine if path.generation == chain.generation)
    if lost <= chain.number and not result.written:
        if not last:  # reported by the first call
            result.problems.append(f"segment {lost} of this device is gone from {space.target}: {_HERE}")
        return
    if not last and (problem := delete_packed(space, target, paths, chain)):
        result.problems.append(f"{problem}; {_HERE}")
    try:
        while (found := store.sync.next_batch(chain)) is not None:
            chain = _write_segment(context, chain, *found)
            result.written += 1
            context.report("written", result.written, result.written)
        acknowledgement = store.sync.acknowledgement(chain)
        if last and acknowledgement is not None:
            chain = _write_segment(context, chain, acknowledgement, chain.cursor)
            store.sync.acknowledged()
    except BrokenSegment as error:
        problem = f"segment {chain.number + 1} of this device {error}: {_HERE}"
        if problem not in result.problems:  # of the first call
            result.problems.append(problem)
        return
    removed = {space.tag(uid) for uid, one in store.sync.gone().items() if one.mine}
    former = [one for one in paths if one.tag in removed or (one.tag == tag and one.generation < chain.generation)]
    delete_objects(target, paths, former)
    if last and (problem := compact(space, target, paths, chain)):
        result.problems.append(problem)


def _write_segment(context: SyncPass, chain: Chain, batch: Batch, cursor: Cursor) -> Chain:
    """Write and record the next segment, and return the new chain. Raises BrokenSegment if a broken object is there.

    The segment's content is older than `batch` if it was written before a crash, but not recorded.
    """
    store, space, target = context.store, context.space, context.target
    path = SegmentPath(space.tag(chain.uid), chain.generation, chain.number + 1)
    end = [cursor.seq, cursor.message, cursor.vector]
    header = {"end": end, "device": chain.uid, "name": space.name, "at": clock.now(), "schema": SCHEMA}
    content = {**batch, **header, **store.sync.segment_fields()}
    data = seal(space, path, chain.digest, content)
    if not target.put(path.name, data):
        data = target.get(path.name) or b""
        content = unseal(space, path, chain.digest, data)
        if not store.sync.has_written(content):
            raise Conflict(_OLDER.format(space.target))
        cursor = ends_at(content)
    chain = replace(chain, number=path.number, digest=digest_of(data), cursor=cursor)
    store.sync.written(chain, content)
    context.paths.append(path)
    return chain


def pull(context: SyncPass) -> None:
    """Read and fold the segments of the other devices, each after all that its writer had read."""
    store, space, result = context.store, context.space, context.result
    own = space.tag(store.sync.begin(space.name).uid)
    known = {space.tag(chain.uid): chain for chain in store.sync.chains()}
    there: defaultdict[str, list[SegmentPath]] = defaultdict(list)
    for path in context.paths:
        there[path.tag].append(path)
    readers = [
        SegmentReader(space, context.target, tag, there.get(tag, []), known.get(tag, Chain("")))
        for tag in sorted({*there, *known} - {own} - _removed_tags(store, space))
    ]
    total, progressed = sum(reader.count for reader in readers), True
    while progressed:
        progressed = False
        for reader in readers:
            reader.missing = []
            while not reader.missing and reader.read_ahead():
                folded, reader.missing = store.sync.fold_ready(reader.ready)
                del reader.ready[:folded]
                result.folded += folded
                progressed |= folded > 0
                context.report("folded", result.folded, total)
    names, removed = {chain.uid: chain.name for chain in store.sync.chains()}, _removed_tags(store, space)
    readers = [reader for reader in readers if reader.tag not in removed]  # removed just now
    result.problems += [reader.problem for reader in readers if reader.problem]
    result.unread = [reader.uid for reader in readers if reader.problem or reader.missing]
    result.waiting = sorted(
        {names.get(uid) or uid[:8] or "another device" for reader in readers for uid in reader.missing}
    )


def _removed_tags(store: Store, space: Space) -> set[str]:
    """Return the tags of removed devices."""
    return {space.tag(uid) for uid in store.sync.gone()}

"""Write and erase snapshots. State in the store's folder:

    snapshot/lock           held while a process writes or erases
    snapshot/purge          exists while a purge waits for the lock: the writer stops
    snapshot/places.json    the targets with objects of this store, and the state of the record that each shows

A target is noted before its first object is written, so that a purge finds all of them. The writer checks for a purge
before it writes the manifest; a purge erases after its commit.
"""

import contextlib
import hashlib
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path

import orjson

from curator.errors import ModelError, TargetUnreachable, Unusable
from curator.snapshot.manifest import Manifest, erase_all_but, manifest_name, manifests, numbers, part_name
from curator.targets import target_of
from store import Busy, Store, clock
from store.atomic_write import written_whole
from store.file_lock import locked

_KEPT = 2  # snapshots: the previous one may still be read, or be on its way through a synced folder
_BUSY = "another process is writing or erasing the snapshot: try again when it is done"
_SHOWS_NOTHING = ""


class _Purging(Exception):
    """A purge waits for the lock."""


class ForeignSnapshot(ModelError):
    """The target has the snapshot of another store."""


def write(store: Store, text: str, report: Callable[[], None] = lambda: None) -> bool:
    """Update the snapshot in a target, and erase those in former targets; if `text` is empty, only erase.

    `report` is called between small steps. Return False if a purge began meanwhile, which erases what was written.
    Raises Busy, ForeignSnapshot, DamagedSnapshot, TargetUnreachable.
    """
    from store.analytics.sql_tables import TABLES, files
    from store.analytics.stats import history

    def check() -> None:
        report()
        if _purge_file(store).exists():
            raise _Purging

    with _locked(store, 0), contextlib.suppress(_Purging):
        if store.unfinished_purge() is None:
            _purge_file(store).unlink(missing_ok=True)  # left by one that was finished otherwise
        for former in noted_targets(store).keys() - {text}:
            _erase(store, former)
        if not text:
            return True
        target = target_of(text)
        target.prepare()
        names = set(target.names())
        if any(newest.store != store.identity for _, newest in islice(manifests(target, names), 1)):
            raise ForeignSnapshot(f"{text} has the snapshot of another store: choose another snapshot.target")
        _note(store, text, _SHOWS_NOTHING)
        tables: dict[str, list[str]] = {name: [] for name in TABLES}
        with store.snapshot() as record:
            mark, at = _mark(store, record), clock.now()
            for name, parts in tables.items():
                for data in files(store, record, name, check):
                    parts.append(part_name(data))
                    if parts[-1] not in names:
                        target.put(parts[-1], data)
        report()
        past = asdict(history(store, at))
        if store.unfinished_purge() is not None or _purge_file(store).exists():
            raise _Purging
        number = max(numbers(names), default=0) + 1
        if not target.put(manifest_name(number), Manifest(store.identity, at, tables, past).encode()):
            raise ForeignSnapshot(f"another store has just written to {text}: choose another snapshot.target")
        _note(store, text, mark)
        erase_all_but(target, _KEPT)
        return True
    return False


def erase(store: Store, wait: float) -> Sequence[str]:
    """Erase the snapshots in all targets, as part of a purge. Return messages on what could not be erased."""
    try:
        if not noted_targets(store):
            return ()
    except Unusable as error:
        return (str(error),)
    left = []
    _purge_file(store).touch()
    try:
        with _locked(store, wait):
            _purge_file(store).unlink(missing_ok=True)
            for text in noted_targets(store):
                try:
                    _erase(store, text)
                except TargetUnreachable as error:
                    left.append(f"the snapshot in {text} cannot be erased until it can be reached ({error})")
    except Busy as error:
        left.append(str(error))
    return left


def is_up_to_date(store: Store, text: str) -> bool:
    """Return True if this target has a snapshot of the current record, and no other target has one."""
    noted = noted_targets(store)
    with store.snapshot() as record:
        wanted = {text: _mark(store, record)} if text else {}
    return noted == wanted


def has_snapshot(store: Store, text: str) -> bool:
    """Return True if the target has a complete snapshot, of any age."""
    return noted_targets(store).get(text, _SHOWS_NOTHING) != _SHOWS_NOTHING


def noted_targets(store: Store) -> dict[str, str]:
    """Return the targets with objects of this store, and the state of the record that each shows. Raises Unusable."""
    file = _targets_file(store)
    try:
        return dict(orjson.loads(file.read_bytes()))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError) as error:
        raise Unusable(
            f"{file} cannot be read as the list of places with a snapshot ({error}); delete the snapshots in the places"
            " that it names, then the file"
        ) from error


def _erase(store: Store, text: str) -> None:
    """Erase all objects in a target, and no longer note it. Raises TargetUnreachable."""
    erase_all_but(target_of(text), 0)
    _note(store, text, None)


def _mark(store: Store, record: sqlite3.Connection) -> str:
    """Return a text that changes with the record, and with the columns of the tables."""
    from store.analytics.reader import mark
    from store.analytics.sql_tables import TABLES

    columns = hashlib.sha256(str(TABLES).encode()).hexdigest()
    return orjson.dumps([store.epoch, columns, asdict(mark(store, record))]).decode()


def _note(store: Store, text: str, mark: str | None) -> None:
    """Note the state of the record that a target shows; remove the target if `mark` is None."""
    noted = {name: shown for name, shown in noted_targets(store).items() if name != text}
    if mark is not None:
        noted[text] = mark
    with written_whole(_targets_file(store)) as partial:
        partial.write_bytes(orjson.dumps(noted))


def _targets_file(store: Store) -> Path:
    return store.folder / "snapshot" / "places.json"


def _purge_file(store: Store) -> Path:
    return _targets_file(store).with_name("purge")


def _locked(store: Store, wait: float) -> contextlib.AbstractContextManager[object]:
    return locked(_targets_file(store).with_name("lock"), wait, Busy(_BUSY))

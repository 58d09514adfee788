"""Targets: objects written once, whole or not at all, and errors when a target cannot be reached."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from curator import targets
from curator.errors import TargetUnreachable
from curator.targets import BadObject, FolderTarget, ObjectTarget, Target, target_of
from effort import thorough
from object_servers import EVERYWHERE, Bucket


@pytest.fixture(params=["folder", "objects"])
def target(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Target:
    """Return an empty target: a folder, or object storage in memory."""
    if request.param == "folder":
        (tmp_path / "target").mkdir()
        return target_of(f"folder:{tmp_path / 'target'}")
    store = pytest.importorskip("obstore.store")
    memory = store.MemoryStore()
    monkeypatch.setattr(store, "from_url", lambda url, **_: memory)
    return target_of("s3://bucket/prefix")


def test_an_object_is_written_once(target: Target) -> None:
    assert target.names() == []
    assert target.put("a/000001/1", b"one") is True
    assert target.put("a/000001/1", b"two") is False
    assert target.put("b", b"three") is True
    assert (target.get("a/000001/1"), target.get("b"), target.get("c")) == (b"one", b"three", None)
    assert target.names() == ["a/000001/1", "b"]
    target.delete("a/000001/1")
    target.delete("a/000001/1")
    assert target.names() == ["b"]


@pytest.mark.skipif(os.name != "posix", reason="folders cannot be opened")
def test_a_power_failure_after_a_write_loses_neither_the_object_nor_its_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, synced = FolderTarget(tmp_path), list[tuple[bool, int]]()
    file = tmp_path / "a" / "000001" / "1"
    monkeypatch.setattr(os, "fsync", lambda number: synced.append((file.exists(), os.fstat(number).st_ino)))
    assert target.put("a/000001/1", b"one")
    assert synced[0] == (False, file.stat().st_ino)
    assert {(True, folder.stat().st_ino) for folder in (file.parent, tmp_path / "a", tmp_path)} == set(synced[1:])


def test_a_file_that_is_being_written_is_no_object(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = FolderTarget(tmp_path)

    def fail(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", fail)
        with pytest.raises(TargetUnreachable, match="No space left"):
            target.put("a/1", b"one")
    left, at_work = tmp_path / "a" / ".left.partial", tmp_path / "a" / ".at_work.partial"
    left.write_bytes(b"o")  # left by a process that was killed
    os.utime(left, (0, 0))
    at_work.write_bytes(b"o")  # left by another device
    assert target.names() == []
    assert target.put("a/1", b"one")
    assert sorted(file.name for file in (tmp_path / "a").iterdir()) == [".at_work.partial", "1"]


def test_a_file_of_what_carries_the_folder_is_no_object(tmp_path: Path) -> None:
    (tmp_path / ".stfolder" / "more").mkdir(parents=True)
    (tmp_path / ".stfolder" / "syncthing-folder-ab12.txt").touch()
    (tmp_path / ".stfolder" / "more" / "file").touch()
    target = FolderTarget(tmp_path)
    assert target.names() == []
    assert target.put("a/1", b"one") and target.names() == ["a/1"]


@pytest.mark.skipif(os.name != "posix", reason="needs links")
def test_links_are_followed_to_files_and_never_to_folders(tmp_path: Path) -> None:
    target = FolderTarget(tmp_path)
    target.put("a/1", b"one")
    (tmp_path / "b").symlink_to(tmp_path / "a" / "1")
    (tmp_path / "c").symlink_to(tmp_path / "a")
    (tmp_path / "a" / "loop").symlink_to(tmp_path)
    (tmp_path / "d").symlink_to(tmp_path / "gone")
    (tmp_path / "e").symlink_to(tmp_path / "e")
    assert target.names() == ["a/1", "b"]


def test_a_stick_without_links_is_written_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, other: Path) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    target = FolderTarget(tmp_path)
    assert target.put("a/1", b"one") is True
    assert target.put("a/1", b"two") is False
    assert target.get("a/1") == b"one"


def test_a_bucket_that_cannot_be_reached_is_offline(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("obstore")
    for name, value in (("ENDPOINT_URL", "http://127.0.0.1:1"), ("ACCESS_KEY_ID", "x"), ("SECRET_ACCESS_KEY", "y")):
        monkeypatch.setenv(f"AWS_{name}", value)
    with pytest.raises(TargetUnreachable, match=r"cannot use s3://bucket/prefix: no connection to 127\.0\.0\.1:1"):
        ObjectTarget("s3://bucket/prefix").names()


@pytest.mark.parametrize(
    ("url", "variables", "told"),
    [
        ("az://bucket", {}, "set AZURE_STORAGE_ACCOUNT_NAME"),
        (
            "az://bucket",
            {"ACCOUNT_NAME": "a", "ACCOUNT_KEY": "!"},
            "Invalid Access Key: .* check AZURE_STORAGE_ACCOUNT",
        ),
        ("gs://bucket", {"GOOGLE_SERVICE_ACCOUNT": "/none.json"}, "from /none.json: .* check GOOGLE_APPLICATION_CRED"),
        ("az://bucket", {"ENDPOINT": "localhost:9000"}, "AZURE_STORAGE_ENDPOINT must start with https://"),
    ],
)
def test_access_that_is_not_configured_is_named(
    monkeypatch: pytest.MonkeyPatch, url: str, variables: dict[str, str], told: str
) -> None:
    pytest.importorskip("obstore")
    monkeypatch.delenv("AZURE_STORAGE_ACCOUNT_NAME", raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name if "GOOGLE" in name else f"AZURE_STORAGE_{name}", value)
    with pytest.raises(TargetUnreachable, match=f"cannot use {url}: .*{told}"):
        ObjectTarget(url)


def test_what_is_no_target_is_refused() -> None:
    for text in ("", "/tmp/here", "http://example.org/x", "bucket"):
        with pytest.raises(ValueError, match=r"is not a target: .* gs://BUCKET/PREFIX, az://CONTAINER/PREFIX"):
            target_of(text)
    with pytest.raises(ValueError, match="az:///x is not a target: give az://CONTAINER/PREFIX"):
        target_of("az:///x")


def test_without_its_package_object_storage_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    import builtins

    real = builtins.__import__

    def missing(name: str, *others: Any, **more: Any) -> Any:
        if name.startswith("obstore"):
            raise ImportError(name)
        return real(name, *others, **more)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(TargetUnreachable, match=r"pip install '\.\[sync\]'"):
        targets.ObjectTarget("s3://bucket")


@EVERYWHERE
class TestBuckets:
    @thorough
    def test_an_object_is_written_once_by_one_of_many(self, bucket: Bucket) -> None:
        url = f"{bucket.url}/a folder"
        first, beside = ObjectTarget(url), ObjectTarget(f"{url}2")
        beside.put("a/1", b"of another prefix")
        with ThreadPoolExecutor(8) as writers:
            written = list(writers.map(lambda number: (ObjectTarget(url).put("a/1", b"%d" % number), number), range(8)))
        (winner,) = [number for won, number in written if won]
        assert first.get("a/1") == b"%d" % winner and first.names() == ["a/1"]

        large = b"x" * 6_000_000
        assert first.put("b+%2 é", large) and not first.put("b+%2 é", b"")
        assert first.get("b+%2 é") == large and first.names() == ["a/1", "b+%2 é"]
        with pytest.raises(BadObject, match="6,000,000 bytes"):
            ObjectTarget(url, most=5_999_999).get("b+%2 é")
        for name in (*first.names(), "gone"):
            first.delete(name)
        assert first.names() == [] and first.get("a/1") is None and beside.names() == ["a/1"]

    @thorough
    def test_a_bucket_that_is_not_there_is_named_and_never_an_answer(self, bucket: Bucket) -> None:
        target = ObjectTarget(f"{bucket.url}-none/prefix")
        calls = (target.names, lambda: target.get("a"), lambda: target.put("a", b""), lambda: target.delete("a"))
        for call in calls:
            with pytest.raises(
                TargetUnreachable, match=r"the (bucket|container) words\d+-none does not exist: create it"
            ):
                call()


@pytest.mark.parametrize("bucket", ["az"], indirect=True)  # moto takes any key
def test_refused_access_names_the_variables(bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_KEY", "AAAA")
    with pytest.raises(
        TargetUnreachable, match="access refused, AuthorizationFailure: check AZURE_STORAGE_ACCOUNT_NAME and"
    ):
        ObjectTarget(bucket.url).names()

"""One damaged file among many: reported with a remedy, and the others are imported."""

import json
import os
import random
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from curator.importers import Problem, Unreadable, Unrecognised, detect, known_places, read
from curator.importers.file_walk import walk_files
from curator.importers.inputs import LogFile
from effort import thorough
from importers.sample_logs import conversations, gpt_chat, items, problems, write_json, write_zip

CHAT = json.dumps([gpt_chat("c", *(f"I own {n * 7919} kites of make {n}." for n in range(200)))])


def packed(path: Path, method: int, spoil: Callable[[bytearray], None]) -> Path:
    """Write a zip with one export, and damage it."""
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("conversations.json", CHAT)
    data = bytearray(path.read_bytes())
    spoil(data)
    path.write_bytes(bytes(data))
    return path


def _middle(data: bytearray) -> None:
    start = len(data) // 3
    data[start : start + 200] = random.Random(1).randbytes(200)


def _half(data: bytearray) -> None:
    del data[len(data) // 2 :]


def _crc(data: bytearray) -> None:
    data[14] ^= 0xFF
    data[data.rfind(b"PK\x01\x02") + 16] ^= 0xFF


def _local_name(data: bytearray) -> None:
    """Mark the local name as UTF-8, and make it invalid."""
    data[6:8] = struct.pack("<H", 0x800)
    data[30] = 0xFF


def _directory_name(data: bytearray) -> None:
    place = data.rfind(b"PK\x01\x02")
    data[place + 8 : place + 10] = struct.pack("<H", 0x800)
    data[place + 46] = 0xFF


def _encrypted(data: bytearray) -> None:
    data[6] |= 1
    data[data.rfind(b"PK\x01\x02") + 8] |= 1


def _method(data: bytearray) -> None:
    place = data.rfind(b"PK\x01\x02")
    data[8:10] = data[place + 10 : place + 12] = struct.pack("<H", 97)


def _absurd_size(data: bytearray) -> None:
    place = data.rfind(b"PK\x01\x02")
    data[place + 24 : place + 28] = struct.pack("<I", 0xFFFFFFF0)


def _zip64(data: bytearray) -> None:
    """Refer to sizes in an extra field that does not exist."""
    place = data.rfind(b"PK\x01\x02")
    data[place + 20 : place + 28] = b"\xff" * 8


def _offset(data: bytearray) -> None:
    place = data.rfind(b"PK\x01\x02")
    data[place + 42 : place + 46] = struct.pack("<I", 0xFFFFFFF0)


def _cut(data: bytearray) -> None:
    del data[len(data) // 2 :]


METHODS = {
    "stored": zipfile.ZIP_STORED,
    "deflate": zipfile.ZIP_DEFLATED,
    "bz2": zipfile.ZIP_BZIP2,
    "lzma": zipfile.ZIP_LZMA,
}
SPOILS = (
    _middle,
    _crc,
    _local_name,
    _directory_name,
    _encrypted,
    _method,
    _absurd_size,
    _zip64,
    _offset,
    _cut,
)


@pytest.mark.parametrize("method", METHODS)
def test_a_damaged_archive_is_named_and_the_rest_goes_in(tmp_path: Path, method: str) -> None:
    folder = tmp_path / "logs"
    write_json(folder / "good.json", [gpt_chat("good", "I fly kites.", "ok")])
    for spoil in SPOILS:
        packed(folder / f"bad{spoil.__name__}.zip", METHODS[method], spoil)
    write_zip(folder / "bad_nested.zip", {"inner.zip": b"PK", "deep.json": "[" * 100_000})
    found = items(folder)
    named = {problem.place.split("/")[1].split(":")[0] for problem in problems(found)}
    assert named == {path.name for path in folder.glob("bad*")}
    for problem in problems(found):
        assert problem.reason and "Traceback" not in problem.reason
        assert problem.place.encode().decode() == problem.place
    assert "good" in {chat.external_id for chat in conversations(folder)}


def test_nothing_of_a_small_file_is_taken_before_its_checksum(tmp_path: Path) -> None:
    chats = json.dumps([gpt_chat(f"c{n}", "I own kites. " * 50) for n in range(200)])
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("conversations.json", chats)
    data = bytearray((tmp_path / "a.zip").read_bytes())
    data[data.rindex(b"kites", 0, len(chats))] = ord("m")
    (tmp_path / "a.zip").write_bytes(data)
    assert len(chats) > 3 * (1 << 16)
    found = read(tmp_path / "a.zip")
    with pytest.raises(Unrecognised, match="Bad CRC"):
        pytest.fail(f"taken: {[item for item in found if not isinstance(item, Problem)]}")


@pytest.mark.parametrize("seed", range(40))
def test_whatever_byte_is_wrong_a_folder_is_read_to_its_end(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)

    def spoil(data: bytearray) -> None:
        for _ in range(chance.choice((1, 3, 20))):
            data[chance.choice((chance.randrange(len(data)), chance.randrange(60), -1 - chance.randrange(80)))] ^= (
                1 << chance.randrange(8)
            )

    folder = tmp_path / "logs"
    packed(folder_made(folder) / "a.zip", chance.choice(list(METHODS.values())), spoil)
    write_json(folder / "z.json", [gpt_chat("good", "I fly kites.", "ok")])
    assert "good" in {chat.external_id for chat in conversations(folder)}


def folder_made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@thorough
def test_more_archives_than_files_may_be_open(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    folder = folder_made(tmp_path / "logs")
    for number in range(60):
        write_zip(folder / f"{number}.zip", {"conversations.json": [gpt_chat(f"c{number}", "I fly.", "ok")]})
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (len(list(Path("/dev/fd").iterdir())) + 20, hard))
    try:
        found = items(folder)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert problems(found) == [] and len(conversations(folder)) == 60


@pytest.mark.parametrize("spoil", [_directory_name, _half, bytearray.clear])
def test_a_damaged_archive_named_alone_is_called_damaged(tmp_path: Path, spoil: Callable[[bytearray], None]) -> None:
    path = packed(tmp_path / "export.zip", zipfile.ZIP_STORED, spoil)
    for attempt in (detect, read):
        with pytest.raises(Unreadable, match=r"damaged or not readable.*export it again"):
            list(attempt(path))


def test_what_goes_while_a_folder_is_read_is_named(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        write_json(tmp_path / "logs" / f"{name}.json", [gpt_chat(name, "I fly kites.", "ok")])
    listed = walk_files(tmp_path / "logs")
    first = next(listed)
    (tmp_path / "logs" / "a.json").unlink()
    (tmp_path / "logs" / "b.json").unlink()
    rest = list(listed)
    assert isinstance(first, LogFile) and [part.name for part in rest if isinstance(part, LogFile)] == ["logs/c.json"]
    with pytest.raises(Unreadable, match="gone since"):
        first.open()
    reading = read(tmp_path / "logs")
    (tmp_path / "logs" / "c.json").unlink()
    with pytest.raises(Unrecognised, match="gone since"):
        list(reading)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_pipes_devices_and_made_up_files_are_never_waited_for(tmp_path: Path) -> None:
    folder = folder_made(tmp_path / "logs")
    os.mkfifo(folder / "pipe.json")
    os.mkfifo(folder / "pipe.zip")
    write_json(folder / "good.json", [gpt_chat("good", "I fly kites.", "ok")])
    assert [chat.external_id for chat in conversations(folder)] == ["good"]
    with pytest.raises(Unreadable, match="neither a file"):
        read(folder / "pipe.json")
    (folder / "good.json").unlink()
    (folder / "later.json").write_text("[]")
    (part,) = (one for one in walk_files(folder) if isinstance(one, LogFile))
    (folder / "later.json").unlink()
    os.mkfifo(folder / "later.json")
    with part.open() as stream:
        assert stream.read() == b""
    if Path("/proc/kmsg").exists():
        with pytest.raises(Unrecognised):
            read(Path("/proc/kmsg"))


@pytest.mark.skipif(os.name == "nt", reason="names are text there")
def test_names_that_are_no_text_are_shown_and_remembered_by_nobody(tmp_path: Path) -> None:
    try:
        folder = folder_made(tmp_path / os.fsdecode(b"caf\xe9"))
    except OSError:
        pytest.skip("the disk takes only text as names")
    line = {"type": "user", "uuid": "u", "sessionId": "s", "message": {"role": "user", "content": "I fly kites."}}
    (folder / os.fsdecode(b"s\xff.jsonl")).write_text(json.dumps(line) + "\nnonsense\n")
    found = items(folder)
    assert len(conversations(folder)) == 1
    for problem in problems(found):
        assert problem.place.encode().decode() == problem.place


def test_a_bad_archive_among_the_downloads_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    for name in ("CLAUDE_CONFIG_DIR", "XDG_DOWNLOAD_DIR"):
        monkeypatch.delenv(name, raising=False)
    downloads = folder_made(tmp_path / "Downloads")
    packed(downloads / "a.zip", zipfile.ZIP_DEFLATED, _directory_name)
    packed(downloads / "b.zip", zipfile.ZIP_LZMA, _local_name)
    packed(downloads / "c.zip", zipfile.ZIP_LZMA, _middle)
    good = write_zip(downloads / "z.zip", {"conversations.json": [gpt_chat("good", "I fly kites.", "ok")]})
    found = list(known_places())
    assert [item[1] for item in found if not isinstance(item, Problem)] == [good]
    assert str(downloads / "a.zip") in {item.place for item in found if isinstance(item, Problem)}

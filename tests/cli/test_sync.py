"""`curator sync` on the command line."""

import io
import json
from pathlib import Path

import pytest

from cli.runner import Curator
from curator.errors import TargetUnreachable
from curator.secrets.numbers import bip39
from curator.sync.run import exclusive
from curator.targets import FolderTarget
from effort import thorough
from store import clock

pytestmark = thorough

LAPTOP, DESKTOP = "laptop", "desktop"


@pytest.fixture
def at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> "At":
    return At(tmp_path, monkeypatch)


class At:
    """Switches between the homes of several devices."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.target, self._folder, self._monkeypatch = f"folder:{folder / 'target'}", folder, monkeypatch

    def __call__(self, name: str, words: str = "") -> None:
        self._monkeypatch.setenv("CURATOR_HOME", str(self._folder / name))
        self._monkeypatch.setattr("sys.stdin", io.StringIO(words))


def begin(curator: Curator, at: At) -> str:
    """Begin a sync space on the laptop; return the key's words."""
    at(LAPTOP)
    curator("add", "I like tea")
    done = curator("sync", "init", at.target, "--name", LAPTOP)
    assert done.code == 0, done.err
    return " ".join(line for line in done.out.splitlines() if line.startswith("  "))


def test_two_devices_from_beginning_to_end(curator: Curator, at: At) -> None:
    words = begin(curator, at)
    assert len(words.split()) == 24
    assert curator("sync").out == "wrote 2 segments\n"  # one for the memory, one for its vector
    at(DESKTOP, words)
    assert curator("sync", "join", at.target, "--name", DESKTOP).code == 0
    assert curator("sync").out == "read 2 segments\n"
    assert "I like tea" in curator("list").out
    curator("forget", 1, "--yes")
    (done,) = curator("sync", "--json").rows
    assert done == {"written": 1, "folded": 0, "problems": [], "waiting": []}
    (there,) = curator("sync", "status", "--json").rows
    at(LAPTOP)
    assert curator("sync").out == "read 2 segments\n"
    assert curator("sync").out == "nothing new\n"
    (here,) = curator("sync", "status", "--json").rows
    assert here["state"] == there["state"] and here["waiting"] == 0
    assert "I like tea" not in curator("list").out
    assert "(on desktop)" in curator("log").out
    assert "read 2 segments of desktop" in curator("sync", "status").out


def test_the_key_is_readable_by_the_owner_only_and_shown_once(curator: Curator, at: At, tmp_path: Path) -> None:
    words = begin(curator, at)
    file = tmp_path / LAPTOP / "sync.json"
    assert file.stat().st_mode & 0o777 == 0o600
    key = json.loads(file.read_text())["key"]
    shown = curator("sync", "status").out + curator("sync").out
    assert key not in shown and not {*words.split()} <= {*shown.split()}


def test_what_cannot_be_joined_is_said(curator: Curator, at: At) -> None:
    words = begin(curator, at)
    curator("sync")
    assert "already" in curator("sync", "init", at.target).err
    at("other")
    assert "join" in curator("sync", "init", at.target).err
    at(DESKTOP, "one two three")
    done = curator("sync", "join", at.target)
    assert done.code == 2 and "a key has 24 words, not 3" in done.err
    *first, last = words.split()
    known = list(bip39())
    other = known[known.index(last) ^ 1]  # a wrong checksum; swapping two words keeps it right once in 256
    at(DESKTOP, " ".join([*first, other]))
    assert "not the words of a key" in curator("sync", "join", at.target).err
    at(DESKTOP, words)
    curator("add", "I have a past of my own")
    at(DESKTOP, words)
    done = curator("sync", "join", at.target)
    assert done.code == 2 and "1 memory" in done.err and "--yes" in done.err
    done = curator("sync")
    assert done.code == 1 and "curator sync init" in done.err


def test_offline_is_said_shortly(curator: Curator, at: At, tmp_path: Path) -> None:
    begin(curator, at)
    (tmp_path / "target").rename(tmp_path / "away")
    done = curator("sync")
    assert done.code == 4 and done.err.count("\n") == 1


def test_what_was_asked_to_be_forgotten_on_another_device_is_kept_from_models(
    curator: Curator, at: At, tmp_path: Path
) -> None:
    home, words = "I live in Ghent near the canal.", begin(curator, at)
    at(DESKTOP, words)
    curator("sync", "join", at.target)
    for device, said, day in ((LAPTOP, home, 1), (DESKTOP, f"Please forget that {home}", 2)):
        at(device)
        turn = {"role": "user", "content": said, "created_at": f"2026-03-0{day}T10:00:00Z"}
        (tmp_path / "log.json").write_text(json.dumps([{"title": device, "messages": [turn]}]))
        curator("import", tmp_path / "log.json")
        curator("sync")
        assert home not in curator("list", "is:quarantined").out or device == DESKTOP
    assert home in curator("list", "is:quarantined").out
    at(LAPTOP)
    curator("sync")
    assert home in curator("list", "is:quarantined").out
    (request,) = curator("forget", "--asked", "--json").rows
    assert request["words"] == home.removesuffix(".") and len(request["memories"]) == 1


def test_a_purge_comes_along(curator: Curator, at: At, tmp_path: Path) -> None:
    words = begin(curator, at)
    curator("sync")
    at(DESKTOP, words)
    curator("sync", "join", at.target)
    curator("sync")
    at(LAPTOP)
    assert curator("purge", 1, "--yes").code == 0
    curator("sync")
    assert "not confirmed" in curator("sync", "status").out
    at(DESKTOP)
    assert curator("sync").code == 0
    assert b"I like tea" not in (tmp_path / DESKTOP / "store" / "record.sqlite").read_bytes()
    at(LAPTOP)
    curator("sync")
    assert "not confirmed" not in curator("sync", "status").out


def test_a_damaged_segment_is_named(curator: Curator, at: At, tmp_path: Path) -> None:
    words = begin(curator, at)
    curator("sync")
    at(DESKTOP, words)
    curator("sync", "join", at.target)
    file, _ = sorted(file for file in (tmp_path / "target").rglob("*") if file.is_file() and file.name != "space")
    file.write_bytes(file.read_bytes()[:-1])
    done = curator("sync")
    assert done.code == 3 and "segment 1" in done.err and "curator sync --rewrite" in done.err
    at(LAPTOP)
    assert curator("sync", "--rewrite").out.startswith("wrote 2 segments")
    at(DESKTOP)
    assert curator("sync").code == 0 and "I like tea" in curator("list").out


def test_a_conflict_of_two_devices_names_both(curator: Curator, at: At, monkeypatch: pytest.MonkeyPatch) -> None:
    words = begin(curator, at)
    curator("sync")
    at(DESKTOP, words)
    curator("sync", "join", at.target, "--name", DESKTOP)
    curator("sync")
    curator("edit", 1, "I like green tea")
    curator("sync")
    at(LAPTOP)
    now = clock.now
    with monkeypatch.context() as later:
        later.setattr(clock, "now", lambda: now() + clock.DAY)
        curator("edit", 1, "I like black tea")
    curator("sync")
    (row,) = curator("conflicts", "list", "--json").rows
    assert {row["a"]["text"], row["b"]["text"]} == {"I like green tea", "I like black tea"}
    shown = curator("conflicts", "show", row["id"]).out
    assert "on desktop (" in shown and "on laptop (" in shown
    assert curator("conflicts", "resolve", row["id"], "--keep", "B").code == 0
    curator("sync")
    at(DESKTOP)
    curator("sync")
    assert "I like black tea" in curator("list").out and "green" not in curator("list").out


def test_a_device_that_lost_its_key_joins_again_and_a_restored_one_too(
    curator: Curator, at: At, tmp_path: Path
) -> None:
    words = begin(curator, at)
    curator("sync")
    at(DESKTOP, words)
    curator("sync", "join", at.target, "--name", DESKTOP)
    curator("sync")
    curator("add", "I keep bees")
    (tmp_path / DESKTOP / "sync.json").unlink()
    at(DESKTOP, words)
    done = curator("sync", "join", at.target, "--name", DESKTOP)
    assert done.code == 0, done.err
    assert curator("sync").out == "wrote 2 segments\n"
    curator("backup", tmp_path / "copy")
    at("new", words)
    curator("restore", tmp_path / "copy", "--yes")
    done = curator("sync", "join", at.target, "--name", "new")
    assert done.code == 0, done.err
    assert curator("sync").code == 0
    curator("add", "I sail")
    curator("sync")
    at(LAPTOP)
    curator("sync")
    listed = curator("list").out
    assert "I sail" in listed and "I keep bees" in listed


def test_a_target_is_the_same_from_any_working_folder(
    curator: Curator, at: At, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at(LAPTOP)
    done = curator("sync", "init", "folder:")
    assert done.code == 2 and "names no folder" in done.err
    monkeypatch.chdir(tmp_path)
    curator("add", "I like tea")
    assert curator("sync", "init", "folder:target").code == 0
    monkeypatch.chdir(tmp_path.parent)
    assert curator("sync").out == "wrote 2 segments\n"
    assert (tmp_path / "target" / "space").exists()


def test_a_space_that_is_not_there_completely_is_not_begun_again(curator: Curator, at: At, tmp_path: Path) -> None:
    begin(curator, at)
    curator("sync")
    (tmp_path / "target" / "space").unlink()
    at(DESKTOP)
    done = curator("sync", "init", at.target)
    assert done.code == 1 and "not carried here completely" in done.err
    assert not (tmp_path / "target" / "space").exists()


def test_a_store_with_a_past_joins_after_a_backup(curator: Curator, at: At, tmp_path: Path) -> None:
    words = begin(curator, at)
    curator("sync")
    at(DESKTOP)
    curator("add", "I like tea")
    curator("add", "I keep bees")
    at(DESKTOP, words)
    done = curator("sync", "join", at.target, "--name", DESKTOP, "--yes")
    assert done.code == 0, done.err
    assert "backup: " in done.out and len(list((tmp_path / DESKTOP / "store" / "backups").iterdir())) == 1
    curator("sync")
    at(LAPTOP)
    curator("sync")
    assert "I keep bees" in curator("list").out
    assert len(curator("conflicts", "list", "--json").rows) == 1  # both devices added "I like tea"
    (here,) = curator("sync", "status", "--json").rows
    at(DESKTOP)
    curator("sync")
    (there,) = curator("sync", "status", "--json").rows
    assert here["state"] == there["state"]
    assert curator("undo").code == 0 and "I keep bees" not in curator("list").out


def test_a_gone_device_is_removed_and_told_when_it_comes_back(curator: Curator, at: At, tmp_path: Path) -> None:
    words = begin(curator, at)
    curator("sync")
    at(DESKTOP, words)
    curator("sync", "join", at.target, "--name", DESKTOP)
    curator("add", "I keep bees")
    curator("sync")
    at(LAPTOP)
    curator("sync")
    shown = curator("sync", "status").out
    assert "read 2 segments of desktop, the last of 20" in shown and "wrote 2 segments of laptop, the last of" in shown
    assert "there are: desktop" in curator("sync", "remove", "phone", "--yes").err
    assert curator("sync", "remove", DESKTOP).code == 2
    done = curator("sync", "remove", DESKTOP, "--yes")
    assert done.code == 0 and "removed desktop" in done.out
    assert "desktop" not in curator("sync", "status").out
    at("phone", words)
    curator("sync", "join", at.target, "--name", "phone")
    curator("sync")
    assert "I keep bees" in curator("list").out
    at(DESKTOP, words)
    curator("add", "I sail")
    done = curator("sync")
    assert done.code == 1 and "was removed" in done.err and "curator sync join" in done.err
    assert "removed by another device" in curator("sync", "status").out
    done = curator("sync", "join", at.target, "--name", DESKTOP)
    assert done.code == 0, done.err
    assert curator("sync").code == 0
    at(LAPTOP)
    curator("sync")
    assert "I sail" in curator("list").out


def test_a_target_that_cannot_be_written_is_still_read(
    curator: Curator, at: At, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = begin(curator, at)
    curator("sync")
    at(DESKTOP, words)
    curator("sync", "join", at.target)
    curator("add", "I keep bees")

    def refuse(*_: object) -> bool:
        raise TargetUnreachable("cannot use the stick: Read-only file system")

    with monkeypatch.context() as patched:
        patched.setattr(FolderTarget, "put", refuse)
        done = curator("sync")
        again = curator("sync")
    assert done.code == 3 and "read 2 segments" in done.out and "Read-only file system" in done.err
    assert again.code == 3 and again.out == ""
    assert "I like tea" in curator("list").out
    assert curator("sync").out == "wrote 2 segments\n"


def test_all_is_written_again_only_while_no_other_process_syncs(curator: Curator, at: At) -> None:
    begin(curator, at)
    curator("sync")
    with exclusive():
        assert curator("sync", "--rewrite").code != 0
    assert curator("sync").out == "nothing new\n"


def test_undo_names_the_device_whose_decision_stands(curator: Curator, at: At) -> None:
    words = begin(curator, at)
    curator("sync")
    at(DESKTOP, words)
    curator("sync", "join", at.target, "--name", DESKTOP)
    curator("sync")
    for device in (LAPTOP, DESKTOP, LAPTOP):
        at(device)
        curator("forget", 1, "--yes")
        curator("sync")
    said = curator("undo").out
    assert "1 memory stays as decided on desktop" in said and "I like tea" not in curator("list").out


def test_the_log_says_what_another_device_did_after_this_one(curator: Curator, at: At) -> None:
    words = begin(curator, at)
    curator("add", "I keep bees")
    curator("sync")
    at(DESKTOP, words)
    curator("sync", "join", at.target, "--name", DESKTOP)
    curator("sync")
    for device in (LAPTOP, DESKTOP):
        at(device)
        curator("forget", 2, "--yes")
    at(LAPTOP)
    curator("purge", 1, "--yes")
    for device in (LAPTOP, DESKTOP, LAPTOP):
        at(device)
        curator("sync")
    lines = curator("log").out.splitlines()
    assert any("follows the purge of another device (on desktop; no change here)" in line for line in lines)
    assert [line for line in lines if " forget " in line and line.endswith("(on desktop; no change here)")]


def test_status_repeats_what_the_last_sync_could_not_read(curator: Curator, at: At, tmp_path: Path) -> None:
    words = begin(curator, at)
    curator("sync")
    at(DESKTOP, words)
    curator("sync", "join", at.target, "--name", DESKTOP)
    file = next(one for one in sorted((tmp_path / "target").rglob("*")) if one.is_file() and one.name != "space")
    data = file.read_bytes()
    file.write_bytes(data[:-1])
    failed = curator("sync")
    assert failed.code == 3
    status = curator("sync", "status")
    assert status.code == 3 and failed.err.strip().removeprefix("curator: ") in status.err
    assert curator("sync", "status", "--json").rows[0]["problems"]
    file.write_bytes(data)
    assert curator("sync").code == 0
    assert curator("sync", "status").code == 0 and curator("sync", "status", "--json").rows[0]["problems"] == []

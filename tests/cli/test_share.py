"""`curator share` on the command line."""

import io
from pathlib import Path

import pytest

from cli.runner import Curator, Ran
from curator.secrets.numbers import bip39
from curator.share import run as share_run
from effort import thorough
from store import Unusable

ROSES = "The roses are cut in March"


class At:
    """Switches between the homes of several people."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.target, self._folder, self._monkeypatch = f"folder:{folder / 'target'}", folder, monkeypatch

    def __call__(self, name: str, words: str = "") -> None:
        self._monkeypatch.setenv("CURATOR_HOME", str(self._folder / name))
        self._monkeypatch.setattr("sys.stdin", io.StringIO(words))


@pytest.fixture
def at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> At:
    return At(tmp_path, monkeypatch)


def words_in(done: Ran) -> str:
    """Return the words of a key in the output."""
    lines = [line.split() for line in done.out.splitlines() if line.startswith("  ")]
    return " ".join(" ".join(line) for line in lines if all(word in bip39() for word in line))


def begin(curator: Curator, at: At) -> str:
    """Begin to share in Anna's home; return the key's words."""
    at("anna")
    curator("add", ROSES, "--project", "garden")
    curator("add", "I like tea")
    curator("add", "We deploy on Fridays", "--project", "site")
    done = curator("share", "init", "garden", "--with", at.target, "--name", "Anna", "--yes")
    assert done.code == 0, done.err
    assert len(words_in(done).split()) == 32
    assert curator("share").code == 0
    return words_in(done)


def joined(curator: Curator, at: At) -> str:
    """Begin in Anna's home, and join in Ben's."""
    words = begin(curator, at)
    at("ben", words)
    done = curator("share", "join", at.target, "--name", "Ben", "--yes")
    assert done.code == 0, done.err
    assert curator("share").code == 0
    at("anna")
    assert "admitted Ben" in curator("share").out
    at("ben")
    return words


@thorough
def test_what_would_be_shared_is_shown_and_asked_first(curator: Curator, at: At, tmp_path: Path) -> None:
    at("anna")
    for number in range(7):
        curator("add", f"Bed {number} has roses", "--project", "garden")
    curator("add", "I like tea", "--project", "garden")
    curator("scope", 8, "--to", "global")
    curator("add", "We deploy on Fridays", "--project", "site")
    done = curator("share", "init", "garden", "--with", at.target)
    assert done.code == 2 and "--yes" in done.err
    assert "7 memories would be shared, without quotes" in done.out and "7 fact" in done.out
    assert "and 2 more" in done.out and "Bed" in done.out and "1 memory from this project" in done.out
    assert "tea" not in done.out and "deploy" not in done.out
    assert "The others keep" in done.out
    assert not (tmp_path / "target").exists() and not (tmp_path / "anna" / "shares.json").exists()


@thorough
def test_two_people_from_beginning_to_end(curator: Curator, at: At) -> None:
    joined(curator, at)
    done = curator("share")
    assert "garden: Anna, Ben" in done.out and "1 memory from others to review" in done.out
    assert "shared by Anna" in curator("show", 1).out and "said by Anna · validated by Anna" in curator("show", 1).out
    assert "roses" not in curator("recall", "when are the roses cut").out
    assert "roses" in curator("list", "origin:shared").out
    assert "1 memory released" in curator("share", "trust", "garden", "Anna").out
    assert f"Anna says: {ROSES}" in curator("recall", "when are the roses cut", "--project", "garden").out
    members = curator("share", "members", "garden", "--json").rows[0]["members"]
    assert len({member.pop("key") for member in members}) == 2
    assert members == [
        {"name": "Anna", "you": False, "owner": True, "may_validate": True, "trusted": True},
        {"name": "Ben", "you": True, "owner": False, "may_validate": False, "trusted": False},
    ]
    assert "held back again" in curator("share", "distrust", "garden", "Anna").out
    assert "roses" not in curator("recall", "when are the roses cut", "--project", "garden").out
    assert curator("share", "allow", "garden", "Ben").code == 1
    at("anna")
    assert "Ben may validate now" in curator("share", "allow", "garden", "Ben").out
    assert "no longer" in curator("share", "disallow", "garden", "Ben").out
    done = curator("share", "rekey", "garden", "--yes")
    assert len(words_in(done).split()) == 32 and "automatically" in done.out
    done = curator("share", "remove", "garden", "Ben", "--yes")
    assert len(words_in(done).split()) == 32 and "keeps what they have read" in done.out
    assert "removed: Ben" in curator("share", "members", "garden").out
    at("ben")
    done = curator("share")
    assert done.code == 1 and "no longer a member" in done.err
    assert curator("share", "leave", "garden", "--yes").code == 0
    assert "no project is shared yet" in curator("share").err
    assert ROSES in curator("list").out


def test_offline_exits_as_sync_does(curator: Curator, at: At, tmp_path: Path) -> None:
    begin(curator, at)
    (tmp_path / "target").rename(tmp_path / "away")
    done = curator("share")
    assert done.code == 4 and "is not there" in done.err
    assert curator("share", "members", "garden").code == 0
    (tmp_path / "away").rename(tmp_path / "target")
    assert curator("share").code == 0


def test_a_full_disk_exits_as_elsewhere(curator: Curator, at: At, monkeypatch: pytest.MonkeyPatch) -> None:
    begin(curator, at)

    def refuse(*_: object, **__: object) -> None:
        raise Unusable("the disk is full")

    monkeypatch.setattr(share_run, "sync", refuse)
    done = curator("share")
    assert done.code == 3 and done.err == "curator: garden: the disk is full\n"


@thorough
def test_what_cannot_be_is_said(curator: Curator, at: At) -> None:
    words = begin(curator, at)
    assert "shared already" in curator("share", "init", "garden", "--with", at.target, "--yes").err
    assert "not empty" in curator("share", "init", "site", "--with", at.target, "--yes").err
    assert "not a shared project" in curator("share", "members", "site").err
    assert "no member Zoe" in curator("share", "trust", "garden", "Zoe").err
    assert "cannot be removed" in curator("share", "remove", "garden", "Anna", "--yes").err
    at("ben", " ".join(["abandon"] * 23 + ["art"]))
    done = curator("share", "join", at.target, "--yes")
    assert done.code == 2 and "not the words" in done.err
    at("ben", words)
    done = curator("share", "join", at.target)
    assert done.code == 2 and "shared by Anna" in done.out and "--yes" in done.err and "earlier" not in done.err
    at("ben", " ".join(words.split()[:24]))
    done = curator("share", "join", at.target)
    assert "shared by Anna" in done.out and "do not say who owns the project" in done.err
    at("ben", " ".join(words.split()[:24]))
    done = curator("share", "join", at.target, "--yes")
    assert done.code == 2 and "the last eight" in done.err and "joined" not in done.out
    assert curator("share").code == 1
    at("ben", words)
    assert "joined house" in curator("share", "join", at.target, "--project", "house", "--yes").out
    assert "house" in curator("share").out
    for refused in (curator("share", "remove", "house", "Anna", "--yes"), curator("share", "rekey", "house", "--yes")):
        assert refused.code == 1 and "only the owner" in refused.err and refused.out == ""
    assert "only in project house" in curator("show", 1).out


def test_the_json_of_a_pass(curator: Curator, at: At) -> None:
    joined(curator, at)
    (row,) = curator("share", "--json").rows[0]["projects"]
    assert row["members"] == ["Anna", "Ben"] and row["waiting"] == 1 and row["problems"] == []


def test_the_json_of_a_memory(curator: Curator, at: At) -> None:
    joined(curator, at)
    (row,) = curator("show", 1, "--json").rows
    assert row["shared"] == {"by": ["Anna"], "validated": ["Anna"], "rejected": [], "withdrawn": []}
    assert row["origin"] == "shared" and row["flag"] == "shared by Anna"
    at("anna")
    assert "\nshared\n" in curator("show", 1).out
    (row,) = curator("show", 2, "--json").rows
    assert row["shared"] is None

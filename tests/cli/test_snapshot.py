"""`curator sql --from` and `curator stats --from` on a machine without a store."""

from pathlib import Path

import pytest

from cli.runner import Curator
from effort import thorough


@pytest.fixture
def place(curator: Curator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a target that another machine wrote to; this machine has no store."""
    target = f"folder:{tmp_path / 'target'}"
    monkeypatch.setenv("CURATOR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("CURATOR_HOME", str(tmp_path / "laptop"))
    curator("add", "I like tea")
    curator("add", "I live in Ghent")
    assert curator("config", f"snapshot.target={target}").code == 0
    assert "1 snapshot done" in curator("work", "--once").out
    monkeypatch.setenv("CURATOR_HOME", str(tmp_path / "desktop"))
    return target


@thorough
def test_sql_answers_with_the_time_of_the_snapshot(curator: Curator, place: str, tmp_path: Path) -> None:
    ran = curator("sql", "--from", place, "SELECT id, text FROM memories ORDER BY id", "--json")
    assert ran.rows == [{"id": 1, "text": "I like tea"}, {"id": 2, "text": "I live in Ghent"}]
    assert ran.err.startswith("curator: as of 20")
    assert not (tmp_path / "desktop").exists()
    wrong = curator("sql", "--from", place, "SELECT * FROM memorys")
    assert wrong.code == 1 and "did you mean memories?" in wrong.err


@thorough
def test_stats_prints_what_insights_show(curator: Curator, place: str, tmp_path: Path) -> None:
    ran = curator("stats", "--from", place)
    assert ran.code == 0 and ran.err.startswith("curator: as of 20")
    assert "live, by kind" in ran.out and "refused, by import" not in ran.out
    (row,) = curator("stats", "--from", place, "--json").rows
    assert sum(bar["count"] for bar in row["insights"]["kinds"]) == 2 and row["insights"]["imports"] == []
    assert sum(row["states"][-1]["counts"].values()) == 2 and "state at the end" in ran.out
    assert not (tmp_path / "desktop").exists()


def test_a_place_without_a_snapshot_is_said(curator: Curator, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for command in (["sql", "SELECT 1 FROM memories"], ["stats"]):
        ran = curator(*command, "--from", f"folder:{tmp_path / 'empty'}")
        assert ran.code == 4 and "there is no snapshot in" in ran.err
    assert curator("stats", "--from", "nowhere").code == 2

"""Microsoft Copilot's activity history: CSV, newest first, without ids."""

import csv
from pathlib import Path

import pytest

from curator.importers import Format, detect
from curator.importers.formats import copilot
from importers.sample_logs import conversations, items, problems, said, turns, write_zip

HEADER = ("Conversation", "Time", "Author", "Message")
NEW = (("Rowing", "2025-11-27T09:00:00", "AI", "Good."), ("Rowing", "2025-11-27T09:00:00", "Human", "I row."))
TALK = (
    ("Knots", "2025-11-26T07:45:00", "Human", "A bowline, for mooring."),
    ("Knots", "2025-11-26T07:43:24", "AI", 'Which knot,\nand "why"?'),
    ("Knots", "2025-11-26T07:43:24", "Human", "I tie knots."),
)


def write(path: Path, *rows: tuple[str, ...]) -> Path:
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file).writerows([HEADER, *rows])
    return path


def test_rows_under_one_title_are_a_conversation(tmp_path: Path) -> None:
    path = write(tmp_path / "copilot-activity-history.csv", *NEW, *TALK)
    assert detect(path) is Format.COPILOT
    rowing, knots = conversations(path)
    assert said(rowing.messages) == ["I row.", "Good."]
    assert turns(knots.messages) == [
        ("user", "spoken", "I tie knots."),
        ("assistant", "spoken", 'Which knot,\nand "why"?'),
        ("user", "spoken", "A bowline, for mooring."),
    ]
    assert (knots.source, knots.external_id, knots.title) == ("copilot", None, "Knots")
    assert knots.created_at == knots.messages[0].created_at == 1_764_143_004_000_000
    assert conversations(tmp_path) == [rowing, knots]
    assert conversations(write_zip(tmp_path / "a.zip", {"in/a.csv": path.read_bytes()})) == [rowing, knots]


def test_a_grown_history_keeps_its_identities(tmp_path: Path) -> None:
    (before,) = conversations(write(tmp_path / "a.csv", *TALK[1:]))
    _, after = conversations(write(tmp_path / "b.csv", *NEW, *TALK))
    assert after.identity == before.identity
    assert after.messages[:2] == before.messages


def test_damaged_rows_do_not_stop_the_rest(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", ("Knots", "2025"), *TALK)
    assert [len(chat.messages) for chat in conversations(path)] == [3]
    assert [problem.place for problem in problems(items(path))] == ["a.csv: line 2"]
    path.write_bytes(path.read_bytes() + b'"Knots","2025-11-26T07:40:00","Human","unfini\0')
    assert sum(len(chat.messages) for chat in conversations(path)) == 4


def test_a_line_without_an_end_is_not_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copilot, "LIMIT", 1_000)
    path = tmp_path / "copilot.csv"
    path.write_text(f'Conversation,Time,Author,Message\nBoat,2026-01-01T10:00:00,Human,I own a boat\n"{"x" * 5_000}')
    found = items(path)
    assert [problem.reason for problem in problems(found)] == ["cannot be read: longer than 64 MB"]

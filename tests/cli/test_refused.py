"""`curator refused` and `curator take`."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from cli.runner import Curator
from effort import thorough
from importers.sample_logs import gpt_chat, write_json

SAID = "Hello there. Can you help? Maybe I like it. I live in Porto with my dog."


@pytest.fixture
def told(curator: Curator, tmp_path: Path) -> Any:
    """Import a conversation, some passages of which are refused."""
    file = tmp_path / "chat.json"
    turns = [{"role": "user", "content": SAID}, {"role": "assistant", "content": "Noted."}]
    file.write_text(json.dumps({"messages": turns}))
    assert curator("import", file).code == 0
    return curator


@thorough
def test_an_import_names_the_files_without_conversations(curator: Curator, tmp_path: Path) -> None:
    export = tmp_path / "export"
    write_json(export / "conversations.json", [gpt_chat("one", "I own a boat", "Nice")])
    others = [f"part {number:02}.json" for number in range(12)]
    for name in others:
        write_json(export / name, {"id": name})
    done = curator("import", export)
    (line,) = [line for line in done.out.splitlines() if line.startswith("skipped, no conversations inside:")]
    named = [name for name in others if name in line]
    assert len(named) == 10 and line.endswith("and 2 more")
    rows = curator("import", export, "--json").rows
    assert (rows[0]["reasons"]["other_file"], len(rows[0]["other_files"])) == (12, 12)
    asked = curator("refused", "--reason", "other_file")
    assert asked.code == 1 and "`curator import --dry-run PATH`" in asked.err
    assert "nothing refused as vague" in curator("refused", "--reason", "vague").err


@thorough
def test_what_was_refused_is_listed_with_its_reason(told: Any) -> None:
    rows = told("refused", "--json").rows
    assert rows
    for row in rows:
        assert row["quote"] == SAID[row["start"] : row["end"]]
        assert row["place"] == f"{row['message']}:{row['start']}-{row['end']}"
        assert row["reason"]
    out = told("refused").out
    assert all(row["place"] in out and row["reason"] in out for row in rows)
    first = rows[0]["reason"]
    assert [row["place"] for row in told("refused", "--reason", first, "--json").rows] == [
        row["place"] for row in rows if row["reason"] == first
    ]
    assert len(told("refused", "--limit", 1, "--json").rows) == 1
    assert told("refused", "--reason", "nonsense").code == 1
    counts = {row["reason"]: row["count"] for row in told("refused", "--counts", "--json").rows}
    assert sum(counts.values()) == len(rows)
    assert first in told("refused", "--counts").out


@thorough
def test_one_is_taken_in_and_given_back(told: Any) -> None:
    row = next(row for row in told("refused", "--json").rows if "Maybe" in row["quote"])
    before = len(told("refused", "--json").rows)
    (made,) = told("take", row["place"], "I", "like", "walks", "--json").rows
    assert (made["text"], made["review"], made["origin"]) == ("I like walks", "validated", "rules")
    (shown,) = told("show", made["id"], "--json").rows
    assert [item["quote"] for item in shown["evidence"]] == [row["quote"]]
    assert len(told("refused", "--json").rows) == before - 1
    ran = told("take", row["place"])
    assert ran.code == 1
    assert "curator refused" in ran.err
    assert "admit of 1 memory" in told("undo").out
    assert told("take", row["place"]).out.rstrip().endswith("Maybe I like it.")


@pytest.mark.parametrize("place", ["", "12", "1:2", "x:1-2", "1:0-9999999999999999999999", "²:0-1"])
def test_a_place_that_is_none(told: Any, place: Any) -> None:
    ran = told("take", place)
    assert ran.code == 2
    assert "12:0-34" in ran.err


def test_text_from_logs_is_printed_literally(curator: Curator, tmp_path: Path) -> None:
    file = tmp_path / "chat.json"
    turns = [{"role": "user", "content": "Is it \x1b[31mred\x1b[0m\u202e, or [bold]not[/bold]?"}]
    file.write_text(json.dumps({"messages": turns}))
    curator("import", file)
    out = curator("refused").out
    assert "[bold]not[/bold]" in out
    assert "\x1b" not in out and "\u202e" not in out


def test_nothing_refused_is_exit_code_one(curator: Curator) -> None:
    assert curator("refused").code == curator("refused", "--counts").code == 1
    assert (Path(os.environ["CURATOR_HOME"]) / "store").exists()

"""Forgotten matches and forget requests on the command line."""

import json
from pathlib import Path
from typing import Any

import pytest

from curator.cli.import_summary import print_forget_requests
from effort import thorough
from factories import put
from store import Store

pytestmark = thorough

SAID = "My sister Anna works as a nurse in Kiel. My salary is 62,000 euros a year."
AGAIN = (
    "Remember that my sister Anna is working as a nurse in Kiel. Please forget my salary. Forget about my \x1b[31mdog."
)


def _log(file: Path, title: str, *turns: str) -> Path:
    messages = [{"role": "assistant" if n % 2 else "user", "content": turn} for n, turn in enumerate(turns)]
    file.write_text(json.dumps([{"title": title, "messages": messages}]))
    return file


@pytest.fixture
def again(curator: Any, tmp_path: Path) -> Path:
    """Import two memories and forget one; return a log that says it again."""
    assert curator("import", _log(tmp_path / "a.json", "Family talk", SAID, "Noted.")).code == 0
    assert curator("forget", 1, "--yes").code == 0
    return _log(tmp_path / "b.json", "Another day", AGAIN, "Done.")


def test_what_came_back_is_said_with_its_words_and_source(curator: Any, again: Path) -> None:
    ran = curator("import", again)
    assert "refused, since you forgot it: 1 memory" in ran.out
    assert "works as a nurse in Kiel" in ran.out and "curator restore ID" in ran.out
    (said,) = [line for line in ran.out.splitlines() if line.strip().startswith("said:")]
    assert "is working as a nurse in Kiel. · openai · Another day" in said
    (row,) = curator("refused", "--reason", "forgotten", "--json").rows
    assert row["forgotten"] == 1
    assert curator("restore", 1).code == 0
    assert curator("list", "nurse").out.count("nurse") == 1


def test_ready_memories_say_so_too_and_a_preview_tells(curator: Any, again: Path, tmp_path: Path) -> None:
    ready = tmp_path / "ready.jsonl"
    ready.write_text(json.dumps({"id": "m1", "text": "My sister Anna is working as a nurse in Kiel."}) + "\n")
    for options in (["--dry-run"], []):
        out = curator("import", ready, *options).out
        assert "refused, since you forgot it" in out and "said: My sister Anna is working" in out


def test_what_was_asked_to_be_forgotten_is_proposed_and_nothing_is_let_go(curator: Any, again: Path) -> None:
    ran = curator("import", again)
    assert "to forget: `curator forget 2`" in ran.out
    listed = curator("forget", "--asked")
    assert listed.code == 0 and "“my salary” · to forget: `curator forget 2`" in listed.out
    assert "\nyou asked: “Please forget my salary.”\n" in curator("show", "2").out
    rows = curator("forget", "--asked", "--json").rows
    assert [(row["words"], row["memories"]) for row in rows] == [("my salary", [2]), ("my \x1b[31mdog", [])]
    assert "62,000" in listed.out and "\x1b" not in listed.out
    assert "no memory matches" in listed.out
    assert curator("list", "salary").out.count("62,000") == 1
    assert curator("undo").code == 0
    assert curator("forget", "--asked").code == 1, "the log is hidden with its import"


def test_ids_or_what_was_asked(curator: Any, again: Path) -> None:
    assert curator("forget").code == 2
    assert curator("forget", 2, "--asked").code == 2


def test_what_is_in_doubt_is_named_as_in_the_app(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    put(store, "We moved from Lisbon to Porto.", "I live in Lisbon.", "I like tea.")
    print_forget_requests(store, ["my old address in Lisbon", "my address in Porto"])
    sure, doubtful = capsys.readouterr().out.split("you asked to forget")[1:]
    assert "to forget: `curator forget 2`" in sure and "in doubt:" in sure and "does not say “address”" in sure
    assert doubtful.startswith(" “my address in Porto” · 2 memories in doubt") and "in doubt:" in doubtful

"""Signing keys on the command line: shown, asked about, named, removed, and reported where not trusted."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from cli.runner import Curator
from curator.signature import signer
from effort import thorough

pytestmark = thorough


def exported(curator: Curator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return another home's export of one validated memory, and its key's fingerprint."""
    monkeypatch.setenv("CURATOR_HOME", str(tmp_path / "other"))
    curator("add", "I like green tea")
    assert curator("export", tmp_path / "all.jsonl").code == 0
    (shown,) = curator("key", "--json").rows
    monkeypatch.setenv("CURATOR_HOME", str(tmp_path / "home"))
    return tmp_path / "all.jsonl", shown["fingerprint"]


def reviews(curator: Curator) -> Any:
    return [row["review"] for row in curator("list", "--json").rows]


def test_a_key_of_another_device_is_named_and_then_trusted(
    curator: Curator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, key = exported(curator, tmp_path, monkeypatch)
    ran = curator("import", file)
    assert "claims ignored, signed by a key you do not trust: 1;" in ran.out
    assert f"`curator import {file} --trust {key}`" in ran.out and reviews(curator) == ["open"]
    curator("undo")
    assert curator("import", file, "--json", "--trust", key).rows[0]["reasons"] == {}
    assert reviews(curator) == ["validated"]
    assert key in curator("key").out and curator("key", "--json").rows[0]["trusted"][0]["fingerprint"] == key

    assert curator("key", "--remove", key).code == 0
    again = curator("key", "--remove", key)
    assert (again.code, key in again.out, key in curator("key").out) == (1, True, False)
    curator("undo")
    assert curator("import", file, "--json").rows[0]["reasons"] == {"untrusted_key": 1}


@pytest.mark.parametrize(("answer", "review"), [("y\n", "validated"), ("\n", "open"), ("", "open"), ("n\n", "open")])
def test_on_a_terminal_it_is_asked_once(
    curator: Curator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: Any, review: Any
) -> None:
    file, key = exported(curator, tmp_path, monkeypatch)
    answers = io.StringIO(answer)
    answers.isatty = lambda: True  # type: ignore[method-assign]
    monkeypatch.setattr(sys, "stdin", answers)
    monkeypatch.setattr(type(sys.stderr), "isatty", lambda self: True)
    ran = curator("import", file)
    monkeypatch.setattr(type(sys.stderr), "isatty", lambda self: False)
    assert ran.err.count("Trust this key? [y/N]") == 1 and key in ran.err
    assert reviews(curator) == [review]


def test_what_is_no_fingerprint_is_wrong_usage(curator: Curator, tmp_path: Path) -> None:
    (tmp_path / "m.jsonl").write_text('{"id": "1", "text": "I swim"}\n')
    ran = curator("import", tmp_path / "m.jsonl", "--trust", "mine")
    assert ran.code == 2 and "mine is not a fingerprint" in ran.err


def test_a_changed_row_is_counted_and_a_row_through_other_tools_is_not(curator: Curator, tmp_path: Path) -> None:
    row = {"schema": "curator_memory.v2", "id": "a", "text": "I like tea", "review": "validated", "confidence": 1.0}
    row["signature"] = signer()(row)
    good = json.dumps(dict(sorted(row.items())), ensure_ascii=True)
    (tmp_path / "m.jsonl").write_text(f"{good}\n{good.replace('tea', 'BuyCoin')}\n".replace('"a"', '"a"', 1))
    (said,) = curator("import", tmp_path / "m.jsonl", "--dry-run", "--json").rows
    assert said["reasons"] == {"bad_signature": 1}


def test_a_hostile_source_reaches_no_terminal_raw(curator: Curator, tmp_path: Path) -> None:
    row = {"id": "a", "text": "I like tea", "evidence": [{"quote": "tea", "source": "x\x1b[31m", "title": "t\x1b]0;"}]}
    (tmp_path / "m.jsonl").write_text(json.dumps(row))
    assert curator("import", "--format", "memories", tmp_path / "m.jsonl").code == 0
    shown = curator("show", 1).out
    assert "tea" in shown and "\x1b" not in shown

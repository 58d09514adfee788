"""Secrets that a person types or a memories file holds: redacted with a message; a secret alone makes no memory."""

from pathlib import Path

import orjson
import pytest

from cli.runner import Curator
from curator import paths
from effort import thorough


def test_adding_and_editing_tell_that_a_secret_was_redacted(curator: Curator) -> None:
    added = curator("add", "My NAS stands in the cellar, its password is hunter2")
    assert added.code == 0 and "[REDACTED]" in added.out
    assert "1 secret redacted and not stored" in added.err
    edited = curator("edit", "1", "My NAS stands in the attic, its password is hunter3")
    assert edited.code == 0 and "1 secret redacted and not stored" in edited.err
    assert "redacted" not in curator("add", "I like tea more than coffee").err


@pytest.mark.parametrize(
    "text",
    [
        "ghp_0123456789abcdefABCDEF0123456789abcd",
        "My wifi password is tulip99",
        "pw: tulip99!",
        "remember that my passport number is EJ123456 and my PIN is 4432",
        "Please note: my PIN is 4432",
    ],
)
def test_only_a_secret_is_no_memory(curator: Curator, text: str) -> None:
    refused = curator("add", text)
    assert refused.code != 0 and "only a secret: nothing to remember" in refused.err
    assert curator("list", "--json").rows == []


def test_an_edit_to_only_a_secret_changes_nothing(curator: Curator) -> None:
    curator("add", "I like tea more than coffee")
    assert "only a secret" in curator("edit", "1", "password: hunter2").err
    assert curator("list", "--json").rows[0]["text"] == "I like tea more than coffee"


@thorough
def test_a_memories_file_keeps_no_secret_and_no_memory_of_one(curator: Curator, tmp_path: Path) -> None:
    rows = [
        {"text": "My password is [REDACTED]"},
        {"text": "ghp_0123456789abcdefABCDEF0123456789abcd"},
        {
            "text": "I like tea",
            "evidence": [{"quote": "I like tea", "start": 0, "end": 10, "title": "pw hunter2hunter2"}],
        },
    ]
    file = tmp_path / "memories.jsonl"
    file.write_bytes(b"\n".join(map(orjson.dumps, rows)))
    ran = curator("import", file, "--json")
    assert ran.code == 0, ran.err
    assert ran.rows[0]["reasons"]["secret"] == 2
    assert [row["text"] for row in curator("list", "--json").rows] == ["I like tea"]
    home = Path(paths.store_folder()).parent
    assert not any(b"hunter2" in found.read_bytes() for found in home.rglob("*") if found.is_file())


def test_a_scan_says_what_it_looked_for(curator: Curator, monkeypatch: pytest.MonkeyPatch) -> None:
    curator("add", "I like tea more than coffee")
    assert "secrets: none recognised (passwords, tokens, keys" in curator("scan").out


def test_a_typed_memory_with_a_fact_beside_its_secret_is_kept(curator: Curator) -> None:
    added = curator("add", "remember that my flight is in May and my PIN is 4432")
    assert added.code == 0 and "1 secret redacted and not stored" in added.err

"""Commands that read a file refuse those of a store."""

from pathlib import Path

import pytest

from cli.runner import Curator
from curator.paths import store_folder
from effort import thorough


@pytest.mark.parametrize("words", [["search", "--batch"], ["compare", "--batch"], ["feedback", "abc", "--turn"]])
@pytest.mark.parametrize("linked", [False, True])
def test_the_record_is_no_text_to_read(curator: Curator, tmp_path: Path, words: list[str], linked: bool) -> None:
    curator("add", "I like tea")
    file = store_folder() / "record.sqlite"
    if linked:
        (tmp_path / "queries.jsonl").symlink_to(file)
        file = tmp_path / "queries.jsonl"
    ran = curator(*words, file)
    assert ran.code == 2
    assert "part of a Curator store" in ran.err


@thorough
def test_an_import_says_that_it_left_a_store_alone(curator: Curator, tmp_path: Path) -> None:
    curator("add", "I like tea")
    (tmp_path / "home" / "chat.md").write_text("User: I like trains best of all.\n\nAssistant: Good.\n")
    assert "a Curator store, left alone" in curator("import", tmp_path / "home").out
    assert curator("import", tmp_path / "home", "--json").rows[0]["reasons"]["curator_store"] == 1
    alone = curator("import", store_folder())
    assert alone.code == 1
    assert "is a Curator store, left alone" in alone.err

"""Download of the embedding model: a refusal is remembered, and missing weights are reported once."""

import io
import sys
from pathlib import Path

import pytest

from cli.runner import Curator
from curator.config import settings
from curator.models import FetchFailed, load_embedder, weights
from curator.paths import cache_folder, config_file
from curator.services.search_session import LEXICAL
from effort import thorough
from importers.sample_logs import gpt_chat, write_json


class Downloads:
    """Counter of downloads, all of which fail."""

    count = 0

    def __call__(self, *_: object) -> Path:
        self.count += 1
        raise FetchFailed("the network is down")


@pytest.fixture
def downloads(curator: Curator, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Downloads:
    """Simulate a machine without weights and without a setting for the embedder."""
    monkeypatch.delenv("CURATOR_EMBED__PROVIDER")
    monkeypatch.setenv("CURATOR_CACHE", str(tmp_path / "empty"))
    counted = Downloads()
    monkeypatch.setattr(weights, "fetch", counted)
    return counted


def answer(monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    """Make standard input a terminal on which a line was typed."""
    typed = io.StringIO(line)
    typed.isatty = lambda: True  # type: ignore[method-assign]
    monkeypatch.setattr(sys, "stdin", typed)
    monkeypatch.setattr(type(sys.stderr), "isatty", lambda self: True)


def log(folder: Path, number: int) -> Path:
    return write_json(folder / f"log{number}" / "conversations.json", [gpt_chat(f"c{number}", "I am vegetarian", "OK")])


@thorough
def test_nothing_is_fetched_after_a_no(
    curator: Curator, downloads: Downloads, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with monkeypatch.context() as terminal:
        answer(terminal, "n\n")
        first = curator("import", log(tmp_path, 1))
        answer(terminal, "")  # a second question would get no answer
        second = curator("import", log(tmp_path, 2))
    assert (first.code, second.code, downloads.count) == (0, 0, 0)
    assert "embed.provider = hashing" in first.err and LEXICAL in first.err
    assert "Download the model" in first.err and "Download the model" not in second.out + second.err
    assert curator("config", "embed.provider").out == "hashing\n"
    third = curator("import", log(tmp_path, 3))
    assert (third.code, third.err, downloads.count) == (0, "", 0)
    for words in (("recall", "a dinner"), ("search", "vegetarian")):
        assert curator(*words).err == ""
    (row,) = curator("recall", "a vegetarian dinner", "--json").rows
    assert row["by_words"] is True


@thorough
def test_a_no_to_the_classifiers_only_keeps_the_embedder(
    curator: Curator, downloads: Downloads, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(weights, "missing", lambda cache: [weights.MPNET])
    with monkeypatch.context() as terminal:
        answer(terminal, "n\n")
        first = curator("import", log(tmp_path, 1))
        answer(terminal, "")
        second = curator("import", log(tmp_path, 2))
    assert "Download the model for finding memories and conflicts (404 MB, once)?" in first.err
    assert "classify.enabled = false is saved" in first.err and "`curator setup`" in first.err
    assert (first.code, second.code, downloads.count) == (0, 0, 0) and "Download" not in second.err
    assert curator("config", "embed.provider").out == "minilm\n"


@thorough
def test_missing_classifiers_are_told_where_nobody_can_be_asked(
    curator: Curator, downloads: Downloads, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lexical = load_embedder("hashing", cache_folder())
    monkeypatch.setattr(weights, "missing", lambda *_, **__: [weights.MPNET])
    monkeypatch.setattr(weights, "installed", lambda of, cache: None if of is weights.MPNET else cache)
    monkeypatch.setattr("curator.services.search_session.load_embedder", lambda *_: lexical)
    imported = curator("import", log(tmp_path, 1))
    assert (imported.code, downloads.count) == (0, 0), imported.err
    assert weights.BY_WORDS_ONLY in imported.err
    assert curator("config", "classify.enabled=false").code == 0
    assert weights.BY_WORDS_ONLY not in curator("import", log(tmp_path, 2)).err


def test_a_failed_download_of_the_classifiers_leaves_search_by_meaning(
    curator: Curator, downloads: Downloads, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert curator("config", "embed.provider=hashing").code == 0
    lexical = load_embedder("hashing", cache_folder())
    monkeypatch.setattr(weights, "missing", lambda *_, **__: [weights.MPNET])
    monkeypatch.setattr(weights, "verification_error", lambda *_, **__: "")
    monkeypatch.setattr("curator.models.load_embedder", lambda *_: lexical)
    done = curator("setup")
    assert done.code != 0 and "the network is down" in done.err and "embed.provider = minilm" in done.out


def test_weights_from_a_folder_end_the_no_to_the_classifiers(
    curator: Curator, downloads: Downloads, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert curator("config", "classify.enabled=false").code == 0
    monkeypatch.setattr(weights, "install_from_folder", lambda folder, cache: cache)
    monkeypatch.setattr(weights, "installed", lambda of, cache: cache if of is weights.MPNET else None)
    assert "classify.enabled = true" in curator("setup", "--from", tmp_path).out


@thorough
def test_the_demo_keeps_the_no(
    curator: Curator, downloads: Downloads, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("curator.demo.logs", lambda: log(tmp_path, 1).parent)
    assert curator("config", "embed.provider=hashing").code == 0
    assert curator("demo").code == 0
    assert downloads.count == 0


def test_setup_ends_the_no(curator: Curator, downloads: Downloads, monkeypatch: pytest.MonkeyPatch) -> None:
    assert curator("config", "embed.provider=hashing").code == 0
    assert curator("setup").code != 0
    assert downloads.count == 1 and settings().embed.provider == "hashing"
    monkeypatch.setattr(weights, "verification_error", lambda *_, **__: "")
    lexical = load_embedder("hashing", cache_folder())
    monkeypatch.setattr("curator.models.load_embedder", lambda *_: lexical)
    assert "embed.provider = minilm" in curator("setup").out
    settings.cache_clear()
    assert settings().embed.provider == "minilm"
    assert 'provider = "minilm"' in config_file().read_text(encoding="utf-8")


@thorough
def test_a_missing_model_is_told_on_a_terminal_only(
    curator: Curator, downloads: Downloads, monkeypatch: pytest.MonkeyPatch
) -> None:
    curator("add", "The tea shop is shut")
    for words in (("recall", "tea shop"), ("search", "tea")):
        assert curator(*words).err == ""
        with monkeypatch.context() as terminal:
            terminal.setattr(type(sys.stderr), "isatty", lambda self: True)
            assert LEXICAL in curator(*words).err
    (row,) = curator("recall", "tea shop", "--json").rows
    assert row["by_words"] is True
    assert LEXICAL in curator("doctor").out
    for more in ((), ("--json",)):
        told = curator("compare", "I like tea", "I like rain", *more).err
        assert told == f"curator: compared by words and rules only; {weights.GET_MODELS}\n"
    assert downloads.count == 0

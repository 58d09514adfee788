"""A purge removes words from the resident process, from files and from what agents said, too."""

import re
import subprocess
from pathlib import Path

import pytest

from cli.conftest import curator as curator
from cli.runner import Curator
from curator import curation, purge_everywhere
from curator.curation import validate
from curator.serve import client
from curator.services.block_files import write_block
from curator.services.context_files import confirmed_memories, markdown
from curator.services.proposals import Agent, propose, propose_forget
from effort import thorough
from factories import put
from serve.conftest import ask
from serve.conftest import environment as environment
from serve.conftest import memories as memories
from serve.conftest import server as server
from serve.fake_server import FakeServer
from store import Store

WORD = "quokka"
TEXT = "My quokka is called Bruno."


def files_with(*folders: Path) -> list[str]:
    """Return the files below these folders that contain the word."""
    files = [file for folder in folders for file in folder.rglob("*") if file.is_file()]
    return [file.name for file in files if re.search(WORD.encode(), file.read_bytes(), re.IGNORECASE)]


@thorough
def test_nothing_holds_the_words_though_the_server_runs(
    server: subprocess.Popen[bytes], memories: Store, curator: Curator, tmp_path: Path
) -> None:
    number, _ = put(memories, TEXT, "My cat is called Nero.")
    validate(memories, [number])
    agent = Agent("claude-code", "s", str(tmp_path))
    propose_forget(memories, memories.get(number), agent, "the quokka is gone")
    propose(memories, "Bruno eats leaves.", agent, f"the person said: {TEXT}")
    block = tmp_path / "work" / "CLAUDE.md"
    block.parent.mkdir()
    block.write_text("# Rules\n")
    write_block(memories, block, None, markdown(confirmed_memories(memories, None)))
    assert WORD in str(ask(do="recall", prompt="what is my quokka called?")["text"])
    assert files_with(tmp_path)

    done = curator("purge", str(number), "--yes", "--json")
    assert done.code == 0, done.err
    (row,) = done.rows
    assert row["files"] == [str(block)] and row["unfinished"] == []
    assert files_with(tmp_path) == []
    assert block.read_text() == "# Rules\n"
    assert memories.unfinished_purge() is None and not memories.differences()
    assert server.poll() is None
    assert WORD not in str(ask(do="recall", prompt="what is my quokka called?"))
    assert "Nero" in str(ask(do="recall", prompt="what is my cat called?")["text"])
    assert files_with(tmp_path) == []


@thorough
@pytest.mark.skipif(not client.UNIX, reason="a Unix socket")
def test_a_server_that_does_not_answer_is_named_and_the_purge_goes_on_later(
    memories: Store, monkeypatch: pytest.MonkeyPatch, curator: Curator
) -> None:
    monkeypatch.setattr(purge_everywhere, "_LONGEST", 0.3)
    fake = FakeServer(None)
    fake.start()
    _, left = purge_everywhere.purge(memories, put(memories, TEXT))
    (told,) = left
    assert "the background process still holds what was erased" in told and "doctor --compact" in told
    assert memories.unfinished_purge() is not None
    assert purge_everywhere.continue_purge(memories) == left
    said = curator("stats")
    assert "a purge is not finished" in said.err
    fake.end()
    assert purge_everywhere.finish_purge(memories) == () and memories.unfinished_purge() is None


@pytest.mark.skipif(not client.UNIX, reason="a Unix socket")
def test_a_server_of_another_version_is_asked_to_leave(memories: Store) -> None:
    fake = FakeServer("0.0.1")
    fake.start()
    _, left = purge_everywhere.purge(memories, put(memories, TEXT))
    assert left == () and fake.asked == ["stop"]


def test_a_block_that_cannot_be_renewed_keeps_the_purge_open(memories: Store, tmp_path: Path) -> None:
    numbers = put(memories, TEXT)
    validate(memories, numbers)
    file = tmp_path / "AGENTS.md"
    file.write_text("# Rules\n")
    write_block(memories, file, None, markdown(confirmed_memories(memories, None)))
    file.chmod(0o444)
    _, left = purge_everywhere.purge(memories, numbers)
    assert "AGENTS.md is write-protected" in left[0] and "doctor --compact" in left[0]
    file.chmod(0o644)
    assert purge_everywhere.finish_purge(memories) == () and file.read_text() == "# Rules\n"


def test_a_block_in_a_file_that_is_away_is_told_and_goes_when_it_is_back(memories: Store, tmp_path: Path) -> None:
    numbers = put(memories, TEXT)
    validate(memories, numbers)
    file = tmp_path / "AGENTS.md"
    file.write_text("# Rules\n")
    write_block(memories, file, None, markdown(confirmed_memories(memories, None)))
    file.rename(tmp_path / "away")
    _, left = purge_everywhere.purge(memories, numbers)
    assert len(left) == 1 and "AGENTS.md is not there" in left[0]
    assert memories.unfinished_purge() is None  # the store itself is done
    (tmp_path / "away").rename(file)
    assert purge_everywhere.finish_purge(memories) == () and file.read_text() == "# Rules\n"


def test_the_purge_of_the_store_alone_is_called_in_one_place() -> None:
    root = Path(str(curation.__file__)).parents[1]
    calls = re.compile(r"curation\.(purge|purge_logs|finish_purge|continue_purge)\(")
    found = {file.name for file in root.rglob("*.py") if calls.search(file.read_text(encoding="utf-8"))}
    assert found == {"purge_everywhere.py"}

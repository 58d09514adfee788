"""A purge is done when the words are gone from the resident process, from files, and from what agents said, too."""

import asyncio
import io
import json
import logging
import re
import socket
import subprocess
import threading
from pathlib import Path

import pytest
from filelock import FileLock

from cli.runner import Curator
from curator import curation
from curator.curation import validate
from curator.paths import store_folder
from curator.serve import client
from curator.serve import purge as everywhere
from curator.serve.error_log import LocationFormatter
from curator.services.block_files import write_block
from curator.services.context_files import given, markdown
from curator.services.proposals import Agent, propose, propose_forget
from factories import put
from serve.conftest import ask
from store import Store

WORD = "quokka"
TEXT = "My quokka is called Bruno."


def holding(*folders: Path) -> list[str]:
    """The files below these folders that hold the word."""
    files = [file for folder in folders for file in folder.rglob("*") if file.is_file()]
    return [file.name for file in files if re.search(WORD.encode(), file.read_bytes(), re.IGNORECASE)]


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
    write_block(memories, block, None, markdown(given(memories, None)))
    assert WORD in str(ask(do="recall", prompt="what is my quokka called?")["text"])
    assert holding(tmp_path)

    done = curator("purge", str(number), "--yes", "--json")
    assert done.code == 0, done.err
    (row,) = done.rows
    assert row["files"] == [str(block)] and row["unfinished"] == []
    assert holding(tmp_path) == []
    assert block.read_text() == "# Rules\n"
    assert memories.unfinished_purge() is None and not memories.differences()
    assert server.poll() is None
    assert WORD not in str(ask(do="recall", prompt="what is my quokka called?"))
    assert "Nero" in str(ask(do="recall", prompt="what is my cat called?")["text"])
    assert holding(tmp_path) == []


class Fake(threading.Thread):
    """A server that greets as another version, or not at all, and leaves when it is asked to."""

    def __init__(self, version: str | None) -> None:
        super().__init__(daemon=True)
        self.version = version
        place = Path(client.address(client.store_path()))
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.lock = FileLock(place.with_suffix(".lock"), thread_local=False)
        self.lock.acquire()
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(str(place))
        self.socket.listen()
        self.asked: list[str] = []

    def run(self) -> None:
        """Answer one connection at a time."""
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            if self.version is None:
                continue
            greeting = {"curator": self.version, "protocol": 1, "store": str(store_folder().resolve()), "pid": 1}
            connection.sendall(json.dumps(greeting).encode() + b"\n")
            self.asked.append(json.loads(connection.makefile().readline())["do"])
            connection.sendall(b'{"stopping": true}\n')
            self.end()

    def end(self) -> None:
        """Leave."""
        self.socket.close()
        self.lock.release()


@pytest.mark.skipif(not client.UNIX, reason="a Unix socket")
def test_a_server_that_does_not_answer_is_named_and_the_purge_goes_on_later(
    memories: Store, monkeypatch: pytest.MonkeyPatch, curator: Curator
) -> None:
    monkeypatch.setattr(everywhere, "_LONGEST", 0.3)
    fake = Fake(None)
    fake.start()
    _, left = everywhere.purge(memories, put(memories, TEXT))
    (told,) = left
    assert "the background process still holds what was erased" in told and "doctor --compact" in told
    assert memories.unfinished_purge() is not None
    assert everywhere.continue_purge(memories) == left
    said = curator("stats")
    assert "a purge is not done yet" in said.err
    fake.end()
    assert everywhere.finish_purge(memories) == () and memories.unfinished_purge() is None


@pytest.mark.skipif(not client.UNIX, reason="a Unix socket")
def test_a_server_of_another_version_is_asked_to_leave(memories: Store) -> None:
    fake = Fake("0.0.1")
    fake.start()
    _, left = everywhere.purge(memories, put(memories, TEXT))
    assert left == () and fake.asked == ["stop"]


def test_a_block_that_cannot_be_renewed_keeps_the_purge_open(memories: Store, tmp_path: Path) -> None:
    numbers = put(memories, TEXT)
    validate(memories, numbers)
    file = tmp_path / "AGENTS.md"
    file.write_text("# Rules\n")
    write_block(memories, file, None, markdown(given(memories, None)))
    file.chmod(0o444)
    _, left = everywhere.purge(memories, numbers)
    assert "AGENTS.md is write-protected" in left[0] and "doctor --compact" in left[0]
    file.chmod(0o644)
    assert everywhere.finish_purge(memories) == () and file.read_text() == "# Rules\n"


def test_a_block_in_a_file_that_is_away_is_told_and_goes_when_it_is_back(memories: Store, tmp_path: Path) -> None:
    numbers = put(memories, TEXT)
    validate(memories, numbers)
    file = tmp_path / "AGENTS.md"
    file.write_text("# Rules\n")
    write_block(memories, file, None, markdown(given(memories, None)))
    file.rename(tmp_path / "away")
    _, left = everywhere.purge(memories, numbers)
    assert len(left) == 1 and "AGENTS.md is not there" in left[0]
    assert memories.unfinished_purge() is None  # nothing of the store is left
    (tmp_path / "away").rename(file)
    assert everywhere.finish_purge(memories) == () and file.read_text() == "# Rules\n"


def test_the_log_has_neither_messages_of_errors_nor_values_that_asyncio_prints() -> None:
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    handler.setFormatter(LocationFormatter("%(name)s %(message)s"))
    logger = logging.getLogger("asyncio")
    logger.addHandler(handler)
    loop = asyncio.new_event_loop()
    failed = loop.create_future()
    failed.set_exception(ValueError(TEXT))
    try:
        try:
            raise ValueError(TEXT)
        except ValueError as error:
            loop.call_exception_handler({"message": "a task failed", "exception": error, "future": failed})
    finally:
        logger.removeHandler(handler)
        failed.exception()
        loop.close()
    assert (
        out.getvalue().startswith("asyncio a task failed\nValueError at test_purge.py:") and TEXT not in out.getvalue()
    )


def test_the_purge_of_the_store_alone_is_called_in_one_place() -> None:
    root = Path(str(curation.__file__)).parents[1]
    calls = re.compile(r"curation\.(purge|purge_logs|finish_purge|continue_purge)\(")
    found = {file.name for file in root.rglob("*.py") if calls.search(file.read_text(encoding="utf-8"))}
    assert found == {"purge.py"}

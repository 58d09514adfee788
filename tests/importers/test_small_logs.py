"""Small logs: a folder may have thousands, so each is opened once, and parsed at once if it is a single object."""

from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import IO

import pytest

from curator.importers import Options, ReadProgress
from curator.importers.inputs import LogFile, Stream
from curator.importers.json_stream import json_records, records
from curator.importers.whole_files import each_file
from store.model import FileMark, NewConversation

VALUES = [
    b'{"a": [1, {"b": "}"}]}',
    b'\n  {"a": 1}\r\n\t',
    b'\xef\xbb\xbf{"a": 1}',
    b'{"a": 1} {"b": 2}',
    b'{"a": 1} 7',
    b'{"a": NaN}',
    b'{"a": 1',
    b'{"a": ' + b"[" * 2_000 + b"]" * 2_000 + b"}",
    b'{"a": "conversations", "b": {"memories": [1, {}]}}',
    b'{"memories" : [{"a": 1}, 3, {"b": 2}]}',
    b'[{"a": 1}, {"b": 2}]',
    b"7",
    b"",
]


def a_log(folder: Path, content: bytes) -> LogFile:
    """Return a file with this content."""
    path = folder / "log.json"
    path.write_bytes(content)
    return LogFile.of_file(path, path.name)


@pytest.mark.parametrize("content", VALUES)
def test_an_object_parsed_at_once_is_the_record_that_cutting_finds(tmp_path: Path, content: bytes) -> None:
    progress = ReadProgress()
    cut = list(json_records(Stream(BytesIO(content), ReadProgress()), "log.json"))
    assert list(records(a_log(tmp_path, content), progress)) == cut
    assert progress.done == len(content)


def test_a_small_file_is_opened_once_to_be_read_and_marked(tmp_path: Path) -> None:
    log, opened, progress = a_log(tmp_path, b'{"a": 1}'), 0, ReadProgress()

    def source() -> IO[bytes]:
        nonlocal opened
        opened += 1
        return log.source()

    def read(one: LogFile) -> Iterator[NewConversation]:
        with one.open(progress) as stream:
            yield NewConversation(identity=stream.read().decode(), source="test", messages=())

    said, mark = each_file([replace(log, source=source)], progress, Options(), read)
    assert isinstance(said, NewConversation) and said.identity == '{"a": 1}'
    assert mark == FileMark(str(log.path), log.size, log.digest(log.size), 1)
    assert (opened, progress.done) == (1, log.size)


@pytest.mark.parametrize("more", [0, 1])
def test_a_file_that_grew_since_it_was_listed_is_held_only_up_to_the_limit(tmp_path: Path, more: int) -> None:
    log = a_log(tmp_path, b'{"a": 1}')
    (tmp_path / "log.json").write_bytes(b" " * ((1 << 20) + more))
    held = log.in_memory()
    assert (held is log) == bool(more)
    with held.open() as stream:
        assert len(stream.read()) == (1 << 20) + more

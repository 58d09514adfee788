"""Texts, neighbouring files and compressed files made to hang a reader, exhaust its memory or lead it elsewhere."""

import contextlib
import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pyarrow import compress

from curator.importers import Problem, Unreadable, Unrecognised, database, discover, inputs, live_logs
from curator.importers.formats import (
    FORMATS,
    basic_memory,
    cline,
    codex,
    copilot_cli,
    cursor_agent,
    gemini,
    grok,
    jan,
    open_webui,
    telegram,
    whatsapp,
)
from curator.importers.html_text import html_text
from curator.importers.inputs import text_beside
from curator.importers.takeout_dates import date_of
from importers.sample_logs import (
    codex_event,
    codex_meta,
    codex_turn,
    conversations,
    gemini_line,
    gemini_meta,
    items,
    problems,
    write_json,
    write_lines,
)

MANY = 30_000
SLOW: dict[str, Callable[[], object]] = {
    "comments": lambda: html_text("<!--" * MANY),
    "scripts": lambda: html_text("<script " * MANY),
    "tags": lambda: html_text("<a" * MANY * 2),
    "details": lambda: list(open_webui._Chat({}).marked("<details " + 'type="' * MANY)),
    "attributes": lambda: list(open_webui._Chat({}).marked('<details type="x" ' + "a" * MANY + ">")),
    "summary": lambda: list(open_webui._Chat({}).marked('<details type="x">' + " " * MANY + "x")),
    "tags of a note": lambda: basic_memory.without_last_tags(" #a" * MANY + " !"),
    "spaces of a note": lambda: basic_memory.without_last_tags("a" + " " * MANY + "!"),
    "workspace": lambda: copilot_cli._FIELD.findall("name: a" + " " * MANY + "x"),
    "feedback": lambda: cline._TYPED.match(" " * MANY * 10),
    "cards": lambda: grok._CARD.sub("", "<grok:render " * MANY),
    "tool cards": lambda: grok._TOOL.findall("<xai:tool_usage_card>" * MANY),
    "calls": lambda: grok._CALL.findall("<xai:tool_name>" * MANY),
    "files": lambda: jan._FILES.findall(" " * MANY + "[ATTACHED_FILES]" * MANY),
    "spaces": lambda: gemini._ATTACHED.sub("", " " * MANY + "x"),
    "file name": lambda: telegram._MISSING.sub("", " " * MANY + "x"),
    "edited": lambda: whatsapp._EDITED.sub("", "<" + "edited " * MANY),
    "folder": lambda: codex._FOLDER.findall("\n" * MANY),
    "words": lambda: codex._ADDED.fullmatch("<a" + " a" * MANY + ">" + "x" * MANY),
    "query": lambda: list(cursor_agent.typed("<a" + "_a" * MANY)),
}


@pytest.mark.parametrize("name", SLOW)
def test_a_text_takes_no_more_than_its_length(name: str) -> None:
    start = time.process_time()
    SLOW[name]()
    assert time.process_time() - start < 0.5


def test_a_date_at_the_end_of_time_is_none() -> None:
    assert date_of("01.01.0001, 00:00:00 JST") is None
    assert date_of("31.12.9999, 23:00:00 HST") is None


def test_an_address_of_addresses_is_no_folder() -> None:
    nested: Any = "file:///home/ann"
    for _ in range(2_000):
        nested = {"external": nested}
    assert cursor_agent.local(nested) == ""
    assert cursor_agent.local({"external": "file:///home/ann"}) == "/home/ann"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes")
def test_what_lies_beside_a_log_is_an_ordinary_file(tmp_path: Path) -> None:
    secret = tmp_path / "elsewhere"
    secret.write_text("/home/other")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(secret)
    assert text_beside(tmp_path / "pipe") == text_beside(tmp_path / "link") == text_beside(tmp_path / "none") == ""
    assert text_beside(secret, 5) == "/home"
    chats = tmp_path / "p" / "chats"
    path = write_lines(chats / "session-1.jsonl", [gemini_meta(), gemini_line(1, "user", "I own a boat")])
    (tmp_path / "p" / ".project_root").symlink_to(secret)
    (found,) = conversations(path)
    assert found.folder is None


def test_a_compressed_session_that_unpacks_without_end_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inputs, "SMALL", 1 << 20)
    line = json.dumps(codex_turn(1, "user", "I own a boat" + " " * 1_000)).encode() + b"\n"
    path = tmp_path / "rollout-1.jsonl.zst"
    path.write_bytes(compress(json.dumps(codex_meta()).encode() + b"\n" + line * 4_000, "zstd", asbytes=True))
    with pytest.raises((Unreadable, Unrecognised), match="zstd bomb"):
        if found := problems(items(path)):
            raise Unreadable(found[0].reason)


def test_many_turns_are_taken_back_at_once(tmp_path: Path) -> None:
    turns = [codex_turn(n % 50, "user", f"Turn {n}") for n in range(500)]
    back = [codex_event(59, "thread_rolled_back", num_turns=1) for _ in range(400)]
    start = time.process_time()
    (found,) = conversations(write_lines(tmp_path / "rollout-1.jsonl", [codex_meta(), *turns, *back]))
    assert sum(one.active for one in found.messages) == 100
    assert time.process_time() - start < 1


def test_many_rewinds_take_no_more_time_than_their_lines(tmp_path: Path) -> None:
    said = [gemini_line(n, "user", f"Turn {n}") for n in range(3_000)]
    lines = [gemini_meta(), *said, *({"$rewindTo": said[n]["id"]} for n in range(2_999, 9, -1))]
    start = time.process_time()
    (found,) = conversations(write_lines(tmp_path / "chats" / "session-1.jsonl", lines))
    assert sum(one.active for one in found.messages) == 10
    assert time.process_time() - start < 0.6


def test_a_place_that_cannot_be_looked_at_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def places() -> Iterator[Path]:
        raise PermissionError(13, "Permission denied")
        yield tmp_path

    one = replace(FORMATS[0], places=places)
    monkeypatch.setattr(discover, "FORMATS", (one,))
    (problem,) = [found for found in discover.known_places() if isinstance(found, Problem)]
    assert problem.reason == "Permission denied; see that you may read it"


def test_a_value_that_a_database_computes_is_not_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_MAX_VALUE", 1 << 20)
    path = tmp_path / "threads.db"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE threads (id TEXT, data TEXT AS (hex(zeroblob(2000000))))")
        connection.execute("INSERT INTO threads VALUES ('a')")
        connection.commit()
    with pytest.raises(Unrecognised, match="too big"):
        items(path)


def test_a_closed_folder_does_not_end_watching(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def closed() -> Iterator[Path]:
        raise PermissionError(13, "Permission denied")
        yield tmp_path

    log = write_json(tmp_path / "a.json", {})
    two = replace(FORMATS[0], places=closed), replace(FORMATS[1], places=lambda: iter([log]))
    monkeypatch.setattr(live_logs, "FORMATS", two)
    assert [one.path for one in live_logs.live_logs()] == [log]

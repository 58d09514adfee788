"""Mutated databases: only documented errors, and only text that can be stored."""

import contextlib
import random
import sqlite3
from pathlib import Path

import pytest

from curator.errors import ImportFailure
from curator.importers import Item, read
from effort import share, thorough
from importers import (
    test_cursor,
    test_goose,
    test_local_chats,
    test_more_agents,
    test_open_webui,
    test_opencode,
    test_zed,
)

JUNK: list[object] = [
    None, 0, -1, 1e300, "", "{}", "[]", "null", '"x"', '{"a": [1]}', b"", b"\xff\xfe", b'{"id": 1}', 10**15,
    '[{"role": []}]',
    '{"messages": [{"User": []}, {"Agent": {"content": 3, "tool_results": [1]}}, 4]}',
    '[{"type": "toolRequest", "toolCall": 3}, {"type": "toolResponse", "toolResult": {"value": 4}}]',
    '{"fullConversationHeadersOnly": [{"bubbleId": "b"}, 3], "conversationMap": {"b1": 7}, "subagentComposerIds": [3]}',
    '{"history": {"messages": {"a": 3, "b": {"role": 5, "files": "x", "output": [{"type": "reasoning"}]}}}}',
]  # fmt: skip


def databases(folder: Path) -> list[Path]:
    heads = {"composer.composerHeaders": {"allComposers": [{"composerId": "c1", "name": "x"}]}}
    said = {"role": "assistant", "content": [{"type": "text", "text": "x"}]}
    chat = test_open_webui.chat("c1", test_open_webui.turn("m1", None, "user", "Hello"))
    return [
        test_cursor.state(folder / "state.vscdb", *test_cursor.TURNS, items=heads),
        test_cursor.store(folder / "store.db", {"role": "user", "content": "hi"}, said),
        test_open_webui.webui(folder / "webui.db", chat),
        test_opencode.database(folder / "opencode.db"),
        test_goose.database(folder / "sessions.db", test_goose.MESSAGES),
        test_zed.threads(folder / "threads.db", ("t1", test_zed.THREAD), ("t2", test_zed.OLD)),
        test_local_chats.ollama(folder / "db.sqlite", *test_local_chats.OLLAMA),
        test_more_agents.hermes(folder / "state.db", *test_more_agents.HERMES),
        test_more_agents.devin(folder / "devin.db", *test_more_agents.DEVIN),
        test_more_agents.mastra(folder / "mastra.db", *test_more_agents.MASTRA),
    ]


def spoil(path: Path, chance: random.Random) -> None:
    """Replace some values, perhaps a column's name, and perhaps some bytes of the file."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for _ in range(chance.randint(1, 3)):
            table = chance.choice(tables)
            columns = [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')]
            numbers = [number for (number,) in connection.execute(f'SELECT rowid FROM "{table}"')]
            for number in numbers[:1] and [chance.choice(numbers)]:
                query = f'UPDATE "{table}" SET "{chance.choice(columns)}" = ? WHERE rowid = ?'
                connection.execute(query, (chance.choice(JUNK), number))
            if chance.random() < 0.2 and "other" not in columns:
                connection.execute(f'ALTER TABLE "{table}" RENAME COLUMN "{chance.choice(columns)}" TO other')
        connection.commit()
    if chance.random() < 0.2:
        data = bytearray(path.read_bytes())
        for _ in range(5):
            data[chance.randrange(100, len(data))] = chance.randrange(256)
        path.write_bytes(data)


@thorough
@pytest.mark.parametrize("number", range(10))
def test_no_database_breaks_the_importers(tmp_path: Path, number: int) -> None:
    whole = databases(tmp_path)[number].read_bytes()
    chance = random.Random(number)
    for count in range(share(300, 8)):
        path = tmp_path / f"{count}.db"
        path.write_bytes(whole)
        spoil(path, chance)
        found: list[Item] = []
        with contextlib.suppress(ImportFailure):
            found += read(path)
        repr(found).encode()
        path.unlink()

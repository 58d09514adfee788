"""Mutated files of every format: every statement in them is read, or counted as not read."""

import contextlib
import json
import random
import sqlite3
import zipfile
from copy import deepcopy
from pathlib import Path
from typing import Any

import pyarrow
import pytest

from curator.errors import ImportFailure
from curator.importers import Format, Options, Problem, ReadyMemory, Skipped, read
from curator.importers.json_stream import parse
from effort import ALL
from importers.growing_logs import GROWING, SAID, GrowingLog
from importers.test_mutated_databases import JUNK as VALUES
from importers.test_mutated_logs import places
from store.model import NewConversation

CASES = 5_250 if ALL else len(GROWING)
JUNK: list[Any] = [None, 7, True, "", "\x00", [], {}, [7], {"a": 1}, 1e308]
BYTES = [b"", b"\x00", b"\xff\xfe", b"{", b'"', b"]", b"\n", b"<", b"---\n"]


def statements(log: GrowingLog) -> tuple[str, ...]:
    """Return the statements, unlike anything else in the file if they can be chosen."""
    return ("Fix the quince gate", SAID[1]) if log.said is SAID else tuple(log.said)


def mutate(path: Path, chance: random.Random) -> str:
    """Change some values, lines or bytes of a file; return the text that must be accounted for."""
    data = path.read_bytes()
    if data.startswith(b"SQLite"):
        with contextlib.closing(sqlite3.connect(path)) as connection:
            names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            table = chance.choice(names)
            columns = [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')]
            connection.execute(
                f'UPDATE "{table}" SET "{chance.choice(columns)}" = ? WHERE rowid = ?',
                (chance.choice(VALUES), chance.randint(1, 4)),
            )
            connection.commit()
            return "\n".join(str(row) for name in names for row in connection.execute(f'SELECT * FROM "{name}"'))
    kind = chance.choice(["value", "value", "value", "line", "bytes"])
    if kind == "value" and data[:1] in (b"{", b"["):
        lines = path.suffix == ".jsonl"
        value = [json.loads(line) for line in data.splitlines()] if lines else json.loads(data)
        for _ in range(chance.randint(1, 2)):
            *above, last = chance.choice(places(value)[1:])
            holder = value
            with contextlib.suppress(LookupError, TypeError):
                for key in above:
                    holder = holder[key]
                holder[last] = deepcopy(chance.choice(JUNK))
        path.write_text("".join(json.dumps(one) + "\n" for one in value) if lines else json.dumps(value))
    elif kind == "line":
        lines_ = data.splitlines(keepends=True)
        at = chance.randrange(len(lines_))
        half = lines_[at][: len(lines_[at]) // 2]
        lines_[at : at + 1] = put = chance.choice([[], [lines_[at]] * 2, [half]])
        path.write_bytes(b"".join(lines_))
        if path.suffix == ".md" and put == [half]:
            return ""  # it joins the next line, perhaps as its heading
    else:
        at = chance.randrange(len(data))
        path.write_bytes(data[:at] + chance.choice(BYTES) + data[at + chance.randint(0, 30) :])
        if path.suffix == ".md" or is_json(path):
            return ""  # another heading or other keys in an object: text that is no message
    raw = path.read_bytes().decode("utf-8", "replace")
    # an unfinished last line of a session is read the next time
    return raw.rpartition("\n")[0] if path.suffix == ".jsonl" and not raw.endswith("\n") else raw


def is_json(path: Path) -> bool:
    try:
        parse(path.read_bytes())
    except ValueError:
        return False
    return True


def packed(path: Path, folder: Path, chance: random.Random) -> Path:
    """Return the folder of a file, or of the file in an archive or compressed, perhaps damaged."""
    kind = chance.choice(["plain", "plain", "zip", "zst"])
    if kind == "zip":
        archive = folder.with_suffix(".zip")
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as zipped:
            for one in sorted(folder.rglob("*")):
                if one.is_file():
                    zipped.write(one, one.relative_to(folder))
        spoil(archive, chance)
        return archive
    if kind == "zst" and path.suffix in (".jsonl", ".md"):
        data = pyarrow.Codec("zstd").compress(path.read_bytes(), asbytes=True)
        path.unlink()
        path = path.with_name(f"{path.name}.zst")
        path.write_bytes(data)  # a flipped bit may give another text, and zstd does not notice
    return folder


def spoil(path: Path, chance: random.Random) -> None:
    if chance.random() < 0.3:
        data = bytearray(path.read_bytes())
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        path.write_bytes(data)


def outcome(log: GrowingLog, folder: Path) -> tuple[str, int, int] | None:
    """Return all texts of a file with its number of problems and skipped items; None if it is refused."""
    form = Format.CONTEXT if log.form is Format.CONTEXT else None
    texts: list[str] = []
    problems = skipped = 0
    try:
        for item in read(folder, form, options=Options(me=("Ann", "ann_s"))):
            if isinstance(item, NewConversation):
                texts += (one.text for one in item.messages)
            elif isinstance(item, ReadyMemory):
                texts.append(item.claimed.text)
            elif isinstance(item, Problem):
                problems += 1
            elif isinstance(item, Skipped):
                skipped += item.count
    except ImportFailure as error:
        assert str(error)
        return None
    return "\n".join(texts), problems, skipped


def lost(log: GrowingLog, folder: Path, raw: str, usual: int) -> list[str]:
    """Return the statements that were not read, unless problems are reported or more is skipped than usual.

    A chat of which no statement is read is reported once.
    """
    found = outcome(log, folder)
    if found is None:
        return []
    heard, problems, skipped = found
    there = [one for one in statements(log) if one in raw]
    missing = [one for one in there if one not in heard]
    reported = max(problems, problems + skipped - usual)
    return missing if len(missing) > reported and (missing != there or not reported) else []


@pytest.mark.parametrize("part", range(10))
def test_what_was_said_is_read_or_counted(tmp_path: Path, part: int) -> None:
    failed = []
    for number in range(part, CASES, 10):
        chance = random.Random(number)
        log = GROWING[number % len(GROWING)]
        folder = tmp_path / str(number)
        path = folder / log.name
        log.write(path, statements(log))
        whole = outcome(log, folder)
        assert whole is not None
        raw = mutate(path, chance)
        if found := lost(log, packed(path, folder, chance), raw, whole[2]):
            failed.append((number, str(log), found))
    print(*failed, sep="\n")
    assert failed == []

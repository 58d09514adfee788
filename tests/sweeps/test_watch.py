"""The watch sweep: coding sessions are imported while they are written, if enabled; undone imports stay away."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from scripted_sweeps import models, standing, sweeper, texts, until

from curator.sweeps import State, Sweeper
from effort import thorough
from importers.sample_logs import codex_meta, codex_turn
from importers.test_open_webui import chat, turn, webui
from store import Store
from store.model import Actor, Origin

pytestmark = thorough

SAID = ("I prefer small commits with a test each.", "I never use tabs in Python files.", "I work as a nurse in Braga.")


@pytest.fixture
def sessions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of one project's sessions."""
    folder = tmp_path / "claude" / "projects" / "-home-nora-garden"
    folder.mkdir(parents=True)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "hashing")
    monkeypatch.setenv("CURATOR_DISTIL__AGENT_MESSAGES", "0")
    monkeypatch.setenv("CURATOR_SWEEP_WATCH__INTERVAL", "0.000001")
    return folder


def line(number: int, text: str) -> str:
    return json.dumps(
        {
            "type": "user",
            "uuid": f"u{number}",
            "parentUuid": f"u{number - 1}" if number else None,
            "sessionId": "s1",
            "timestamp": f"2026-03-0{number + 1}T10:00:00.000Z",
            "cwd": "/home/nora/garden",
            "isSidechain": False,
            "message": {"role": "user", "content": text},
        }
    )


def write(path: Path, *lines: str) -> None:
    with path.open("a", encoding="utf-8") as out:
        out.write("".join(f"{line}\n" for line in lines))


def said(store: Store) -> list[str]:
    return [message.text for talk in store.raw.get_conversations() for message in store.raw.messages(talk.id)]


@asynccontextmanager
async def watching(store: Store) -> AsyncIterator[Sweeper]:
    sweeps = sweeper(store, models(), watch=True)
    working = asyncio.create_task(sweeps.work())
    try:
        yield sweeps
    finally:
        working.cancel()
        await asyncio.wait({working})


async def test_new_lines_are_imported_and_distilled_as_they_come(store: Store, sessions: Path) -> None:
    async with watching(store) as sweeps:
        write(sessions / "s1.jsonl", line(0, SAID[0]))
        await until(lambda: len(texts(store)) == 1)
        write(sessions / "s1.jsonl", line(1, SAID[1]))
        await until(lambda: len(texts(store)) == 2)
        half = line(2, SAID[2])
        with (sessions / "s1.jsonl").open("a") as out:
            out.write(half[:40])
            out.flush()
            runs = len(store.journal.log(100))
            await asyncio.sleep(0.1)
            assert (said(store), len(store.journal.log(100))) == (list(SAID[:2]), runs)
            out.write(f"{half[40:]}\n")
        await until(lambda: len(texts(store)) == 3)
        assert said(store) == list(SAID)
        assert standing(sweeps, "watch").problem == ""
    assert {command.actor for command in store.journal.log(100)} == {Actor.SWEEP}
    assert {memory.origin for memory in store.get_many([1, 2, 3])} == {Origin.RULES}
    assert store.differences() == []


async def test_sessions_of_another_agent_and_databases_are_followed(
    store: Store, sessions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rollout = tmp_path / "codex" / "sessions" / "2026" / "rollout-1.jsonl"
    rollout.parent.mkdir(parents=True)
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "webui"))
    write(rollout, *map(json.dumps, (codex_meta(), codex_turn(1, "user", SAID[0]))))
    webui(tmp_path / "webui" / "webui.db", chat("c1", turn("m1", None, "user", SAID[1]), current="m1"))
    async with watching(store):
        await until(lambda: set(SAID[:2]) <= set(said(store)))
        write(rollout, json.dumps(codex_turn(2, "user", SAID[2])))
        await until(lambda: SAID[2] in said(store))
        runs = len(store.journal.log(100))
        await asyncio.sleep(0.1)
    assert (len(said(store)), len(store.journal.log(100))) == (len(set(said(store))), runs)


async def test_it_does_nothing_unless_it_is_switched_on(store: Store, sessions: Path) -> None:
    write(sessions / "s1.jsonl", line(0, SAID[0]))
    sweeps = sweeper(store, models())
    await sweeps.work(once=True)
    assert (said(store), standing(sweeps, "watch").state) == ([], State.OFF)


async def test_what_the_person_took_back_is_not_brought_again_and_new_lines_are(store: Store, sessions: Path) -> None:
    path = sessions / "s1.jsonl"
    write(path, line(0, SAID[0]))
    async with watching(store):
        await until(lambda: texts(store))
    (batch,) = [command.id for command in store.journal.log(9) if command.verb == "import"]
    store.undo(batch)
    assert texts(store) == []
    async with watching(store):
        write(path, line(1, SAID[1]))
        await until(lambda: texts(store))
    assert (said(store), len(texts(store))) == ([SAID[1]], 1)


async def test_all_there_is_once_and_the_same_again_adds_nothing(store: Store, sessions: Path) -> None:
    write(sessions / "s1.jsonl", *(line(number, text) for number, text in enumerate(SAID)))
    await sweeper(store, models(), watch=True).work(once=True)
    before = (store.state_hash(), len(store.journal.log(100)))
    assert len(texts(store)) == 3
    await sweeper(store, models(), watch=True).work(once=True)
    assert (store.state_hash(), len(store.journal.log(100))) == before


async def test_a_log_that_cannot_be_read_is_its_problem_until_it_can(
    store: Store, sessions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "webui"))
    database = tmp_path / "webui" / "webui.db"
    database.parent.mkdir()
    database.write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)
    (sessions / "empty.jsonl").touch()
    write(sessions / "s1.jsonl", line(0, SAID[0]))
    async with watching(store) as sweeps:
        await until(lambda: texts(store) and standing(sweeps, "watch").problem)
        assert str(database) in standing(sweeps, "watch").problem and "empty" not in standing(sweeps, "watch").problem
        await until(lambda: standing(sweeps, "watch").pending == 0)  # not retried all the time
        database.unlink()
        webui(database, chat("c1", turn("m1", None, "user", SAID[1]), current="m1"))
        await until(lambda: SAID[1] in said(store) and not standing(sweeps, "watch").problem)

"""A session that grows after it was distilled keeps the memories of its start, for every format."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from scripted_sweeps import models, sweeper, texts, until
from test_watch import watching

from curator.models import load_embedder
from curator.paths import cache_folder
from curator.services.follow_logs import follow
from curator.services.import_logs import import_paths
from effort import thorough
from importers.sample_logs import code_line, codex_meta, codex_turn
from importers.test_open_webui import chat, turn, webui
from store import Store

pytestmark = thorough

EARLY = "I decided to use Redis 7 for the cache."
BEFORE, AFTER = 24, 30


def said(number: int) -> str:
    if number == 1:
        return "All clear, tell me more."
    return EARLY if number == 2 else f"Now look at step {number} of the report, please."


def claude_code(folder: Path, count: int) -> Path:
    path = folder / "claude" / "projects" / "-home-ann-garden" / "s1.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [code_line(n + 1, "assistant" if n % 2 else "user", said(n)) for n in range(count)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def codex(folder: Path, count: int) -> Path:
    path = folder / "codex" / "sessions" / "2026" / "rollout-1.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [codex_meta(), *(codex_turn(n, "assistant" if n % 2 else "user", said(n)) for n in range(count))]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def open_webui(folder: Path, count: int) -> Path:
    path = folder / "webui" / "webui.db"
    path.unlink(missing_ok=True)
    turns = [turn(f"m{n}", f"m{n - 1}" if n else None, "assistant" if n % 2 else "user", said(n)) for n in range(count)]
    webui(path, chat("c1", *turns, current=f"m{count - 1}"))
    return path


Write = Callable[[Path, int], Path]
FORMATS = (claude_code, codex, open_webui)


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "webui"))
    monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "hashing")
    monkeypatch.setenv("CURATOR_SWEEP_WATCH__INTERVAL", "0.000001")


def read_by_person(store: Store, path: Path, distil: bool = True) -> None:
    import_paths(store, [path], load_embedder("hashing", cache_folder()) if distil else None, distil=distil)


def messages(store: Store) -> int:
    """Count the messages of the session; the database also has a conversation of saved memories."""
    return max((talk.messages for talk in store.raw.get_conversations()), default=0)


def check(store: Store) -> None:
    assert messages(store) == AFTER
    assert [text for text in texts(store) if "Redis 7" in text]


@pytest.mark.parametrize("write", FORMATS)
@pytest.mark.parametrize("distilled", [True, False])
def test_by_importing_it_twice(store: Store, tmp_path: Path, write: Write, distilled: bool) -> None:
    read_by_person(store, write(tmp_path, BEFORE), distilled)
    read_by_person(store, write(tmp_path, AFTER))
    check(store)


@pytest.mark.parametrize("write", FORMATS)
@pytest.mark.parametrize("imported", [True, False])
async def test_by_the_work_of_a_command(store: Store, tmp_path: Path, write: Write, imported: bool) -> None:
    path = write(tmp_path, BEFORE)
    if imported:
        read_by_person(store, path)
    else:
        await sweeper(store, models(), watch=True).work(once=True)
    write(tmp_path, AFTER)
    await sweeper(store, models(), watch=True).work(once=True)
    check(store)


@pytest.mark.parametrize("write", FORMATS)
async def test_by_the_sweep_of_the_app(store: Store, tmp_path: Path, write: Write) -> None:
    write(tmp_path, BEFORE)
    async with watching(store):
        await until(lambda: messages(store) == BEFORE)
        write(tmp_path, AFTER)
        await until(lambda: messages(store) == AFTER)
        await until(lambda: any("Redis 7" in text for text in texts(store)))
    check(store)


@pytest.mark.parametrize("write", FORMATS)
def test_by_an_import_that_follows_it(
    store: Store, tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("curator.services.follow_logs.PAUSE", 0.0)
    path = write(tmp_path, BEFORE)
    read_by_person(store, path, distil=False)
    following = follow(store, [path], load_embedder("hashing", cache_folder()), lambda progress: None)
    assert next(one for one in following if not one[1])[0] == 1
    write(tmp_path, AFTER)
    _, taken, summary = next(following)
    assert taken == str(path) and summary is not None and sum(summary.messages.values()) == AFTER - BEFORE
    check(store)

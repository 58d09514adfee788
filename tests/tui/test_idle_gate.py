"""The idle gate: background work waits while the person types, and no longer."""

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event, Thread
from unittest.mock import patch

from filelock import FileLock

from curator import conflicts
from curator.sweeps import Sweeper
from curator.tui.commands.import_logs import Imported, import_log
from curator.tui.executors import SerialExecutor
from curator.tui.idle import IdleGate
from effort import thorough
from factories import put
from store import Store
from tui.driver import opened
from tui.fake_sweeper import Posed


def rested(idle_gate: IdleGate, meanwhile: Event) -> Thread:
    """Start a thread that passes the gate and then sets `meanwhile`."""

    def work() -> None:
        idle_gate.wait()
        meanwhile.set()

    thread = Thread(target=work)
    thread.start()
    return thread


def test_it_goes_on_while_nobody_is_there() -> None:
    IdleGate([]).wait()


def test_it_waits_for_what_was_asked_for() -> None:
    executor, goes_on, done = SerialExecutor("asked"), Event(), Event()
    idle_gate = IdleGate([executor])

    async def ask() -> Thread:
        asked = asyncio.create_task(executor.run(done.wait))
        await asyncio.sleep(0)
        thread = rested(idle_gate, goes_on)
        assert not await asyncio.to_thread(goes_on.wait, 0.1)
        done.set()
        await asked
        return thread

    asyncio.run(ask()).join()
    assert goes_on.is_set() and not executor.busy
    executor.close()


def test_it_waits_for_the_keys() -> None:
    idle_gate, goes_on = IdleGate([]), Event()
    with patch("curator.tui.idle.time.monotonic") as now:
        now.return_value = 50.0
        idle_gate.key_pressed()
        thread = rested(idle_gate, goes_on)
        assert not goes_on.wait(0.1)
        now.return_value = 51.0
        thread.join()
    assert goes_on.is_set()


@thorough
async def test_the_app_notes_the_keys_and_has_its_work_rest(store: Store, tmp_path: Path) -> None:
    rests: list[Callable[[], None]] = []

    def accept_passage(
        store: Store, path: Path, say: Callable[[str], None], rest: Callable[[], None], me: Sequence[str] = ()
    ) -> Imported:
        rests.append(rest)
        return Imported("imported", "", ())

    def made(
        store: Store,
        now: Callable[[], int],
        executor: SerialExecutor,
        rest: Callable[[], None],
        tell: Callable[[], None],
    ) -> Sweeper:
        rests.append(rest)
        return Posed()

    async with opened(store, import_log=accept_passage, sweeper=made) as app:
        idle_gate = app.app.context.idle_gate
        assert idle_gate.last_key < 0
        before = time.monotonic()
        await app.press("w")
        assert idle_gate.last_key >= before
        await app.press("escape", "I")
        await app.write(str(tmp_path))
        await app.press("enter")
        await app.rest()
    assert rests == [idle_gate.wait, idle_gate.wait]


async def test_a_comparison_rests_between_small_pieces(store: Store) -> None:
    put(store, "I like tea", "I like coffee", "I drink tea in the morning")
    rests = []
    memories = conflicts.pending(store, 10)
    for _ in conflicts.scan(store, memories, None, lambda writer: None, lambda: rests.append(_writable(store))):
        pass
    assert len(rests) > 2 * len(memories) and all(rests)


def _writable(store: Store) -> bool:
    """Return True if another connection can write now; raise if it is locked."""
    other = Store.open(store.folder)
    with other.sqlite() as connection:
        connection.execute("PRAGMA busy_timeout = 0")
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("ROLLBACK")
    other.close()
    return True


@thorough
def test_an_import_rests_and_holds_no_lock_then(store: Store, tmp_path: Path) -> None:
    log, stages = tmp_path / "log.json", []
    said = [{"role": "user", "content": "I live in Kiel. I like tea."}, {"role": "assistant", "content": "Good."}]
    log.write_text(json.dumps([{"title": "One", "messages": said}]))

    def rest() -> None:
        assert _writable(store)
        with FileLock(store.folder / "index" / "lock", timeout=0):
            stages.append("rested")

    (store.folder / "index").mkdir(exist_ok=True)
    done = import_log(store, log, lambda _: None, rest)
    assert done.line.startswith("imported 1 conversation") and stages

"""Faults of a model server at any byte: nothing is lost or invented, and a second run completes the work."""

import asyncio
import random
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import pytest

from curator.config import settings
from curator.models import load_embedder
from curator.services.import_logs import distil_all
from curator.sweeps import Failed, Sweeper, SweepStatus
from effort import share, some, thorough
from factories import conversation
from fake_ollama.faults import Fault, What
from fake_ollama.rule_model import answer
from fake_ollama.scenario import Scenario
from fake_ollama.server import Server, serving
from store import Filter, Store, clock
from store.model import Origin, Role
from store.record.pool import Pool

pytestmark = thorough

TALKS = (
    (
        "Hi! I live in Porto with my dog Bruno. Which park is near?",
        "Parque da Cidade is.",
        "My shed holds 2 kayaks.\nI'm saving 300 euros a month for it — 東京 by sea.",
    ),
    ("Our choir sings in Braga every June. Is that far?", "No.", "My sister Elin works as a nurse in Malmö."),
    ("I live in Porto with my dog Bruno. My garden grows 12 kinds of beans.", "Nice.", "Thanks!"),
    (
        "I teach 14 children to swim in Espoo. I never fly.",
        "How do you travel?",
        "My shed holds 2 kayaks.",
    ),
)
PLAIN = Scenario(mind=answer)
SILENCE = 0.15  # seconds of silence that the client does not tolerate

State = list[tuple[str, str, tuple[str, ...], tuple[tuple[int | None, int, int, str], ...]]]
"""Text, origin, other wordings and evidence of each memory."""


@dataclass(frozen=True, slots=True)
class World:
    """A store distilled by the rules: its state, that after an undisturbed sweep, and the answers of that sweep."""

    folder: Path
    before: State
    after: State
    sizes: tuple[int, ...]  # bytes of each answer


def state(store: Store) -> State:
    found: State = []
    for memory in store.get_many(store.list_ids(Filter())):
        quotes = sorted((one.message, one.start, one.end, one.quote) for one in store.evidence(memory.id))
        wordings = sorted(one.text for one in store.wordings.of(memory.id))
        found.append((memory.text, memory.origin.value, tuple(wordings), tuple(quotes)))
    return sorted(found)


def configure(patch: pytest.MonkeyPatch, host: str, silence: float) -> None:
    """Enable only the distil sweep, with `silence` seconds until the client gives up."""
    told = {"OLLAMA__HOST": host, "OLLAMA__MODEL": "qwen3:4b", "EMBED__PROVIDER": "hashing"}
    told |= {"OLLAMA__FIRST_BYTE": str(silence), "OLLAMA__BETWEEN": str(silence)}
    told |= {f"SWEEP_{name}__ENABLED": "false" for name in ("EMBED", "JUDGE", "WARMTH", "WATCH")}
    for name, value in told.items():
        patch.setenv(f"CURATOR_{name}", value)
    settings.cache_clear()


async def sweep(store: Store, again: bool = False) -> tuple[SweepStatus, list[Failed]]:
    """Run the distil sweep once; return its status and failures."""
    sweeper = Sweeper(store, now=clock.now, run=asyncio.to_thread)
    if again:
        await sweeper.retry("distil")
    await asyncio.wait_for(sweeper.work(once=True), 60)
    await sweeper.refresh()
    (standing,) = [standing for standing in sweeper.statuses() if standing.name == "distil"]
    return standing, await sweeper.failures("distil")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    home = tmp_path_factory.mktemp("world")
    with pytest.MonkeyPatch.context() as patch, serving(PLAIN) as server:
        patch.setenv("CURATOR_HOME", str(home))
        configure(patch, server.host, 60)
        store = Store.open(home / "read")
        with store.command("import") as writer:
            for number, turns in enumerate(TALKS):
                store.raw.put_conversation(writer, conversation(f"talk-{number}", *turns))
        distil_all(store, load_embedder("hashing", home))
        before = state(store)
        store.close()
        shutil.copytree(home / "read", home / "swept")
        store = Store.open(home / "swept")
        standing, failures = asyncio.run(sweep(store))
        assert (standing.pending, standing.failed, failures) == (0, 0, [])
        after = state(store)
        store.close()
        return World(home / "read", before, after, tuple(call.sent for call in server.calls()))


@pytest.fixture
def copied(world: World, tmp_path: Path) -> Iterator[Store]:
    """Copy the store as it was before the sweep."""
    shutil.copytree(world.folder, tmp_path / "store")
    store = Store.open(tmp_path / "store")
    yield store
    store.close()


def check_sound(world: World, store: Store) -> State:
    """Check that nothing was lost and that the person said what the model's memories quote; return the state."""
    now = state(store)
    quotes = {text: set(evidence) for text, _, _, evidence in now}
    for text, _, _, evidence in world.before:
        assert set(evidence) <= quotes[text]
    for memory in store.get_many(store.list_ids(Filter(origins=(Origin.MODEL,)))):
        given = store.evidence(memory.id)
        assert given
        for one in given:
            assert one.message is not None
            message = store.raw.message(one.message)
            assert (message.text[one.start : one.end], message.role) == (one.quote, Role.USER)
    possible = {text: set(evidence) for text, _, _, evidence in world.after}
    for text, found in quotes.items():
        assert found <= possible[text]
    return now


def disturbed(world: World, store: Store, server: Server, patch: pytest.MonkeyPatch, fault: Fault) -> None:
    """Run a sweep with a fault, and then one without."""
    server.change(Scenario(mind=answer, faults=(fault,)))
    configure(patch, server.host, SILENCE if fault.what in (What.STALL, What.SLOW) else 60)
    standing, failures = asyncio.run(sweep(store))
    assert server.calls()
    assert all(failed.reason and failed.item for failed in failures)
    assert standing.failed == len(failures)
    now = check_sound(world, store)
    if now != world.after:
        assert standing.failed or standing.pending
    server.change(PLAIN)
    configure(patch, server.host, 60)
    if not server.listens:
        server.start()
    standing, failures = asyncio.run(sweep(store, again=True))
    assert (standing.pending, standing.failed, failures) == (0, 0, [])
    assert check_sound(world, store) == world.after
    assert store.differences() == []


def test_the_sweep_finds_what_the_rules_do_not(world: World) -> None:
    texts = {text for text, origin, *_ in world.after if origin == Origin.MODEL.value}
    assert len(texts) >= 2
    assert len(world.after) > len(world.before) > 0
    assert len(world.sizes) == len(TALKS)


WHOLE = (
    What.REFUSE,
    What.BUSY,
    What.CRASH,
    What.HTML,
    What.GARBAGE,
    What.SLOW,
    What.NO_END,
    What.CUT_SHORT,
    What.THINKING_ONLY,
    What.NOTHING,
    What.EMPTY_OBJECT,
    What.WRONG_ENUM,
    What.FENCED,
    What.PROSE,
    What.SURROGATE,
    What.ECHO,
)


@pytest.mark.parametrize(
    ("what", "lasting"),
    some([(what, lasting) for what in WHOLE for lasting in (False, True)], 8),
)
def test_whatever_fails_is_made_good(
    world: World, copied: Store, monkeypatch: pytest.MonkeyPatch, what: What, lasting: bool
) -> None:
    with serving() as server:
        calls = range(2, 1000) if lasting else range(2, 3)
        disturbed(world, copied, server, monkeypatch, Fault(what, calls, seconds=20))


@pytest.mark.parametrize("number", range(share(24, 4)))
def test_an_answer_may_break_off_at_any_byte(
    world: World, copied: Store, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    chance = random.Random(number)
    what = (What.DROP, What.STOP, What.ERROR_LINE, What.STALL)[number % 4]
    call = chance.randrange(len(world.sizes))
    calls = range(call + 1, 1000 if chance.random() < 0.3 else call + 2)
    at = chance.choice([chance.randrange(-60, 1), chance.randrange(world.sizes[call]), world.sizes[call]])
    fault = Fault(what, calls, at=max(0, at) if what is What.STALL else at, seconds=20)
    with serving() as server:
        disturbed(world, copied, server, monkeypatch, fault)


@pytest.mark.parametrize("what", [What.EMPTY_LIST, What.FOREIGN_QUOTE, What.INVENTED, What.DUPLICATES, What.MISSING])
def test_an_answer_that_is_wrong_in_a_good_shape_brings_nothing_in(
    world: World, copied: Store, monkeypatch: pytest.MonkeyPatch, what: What
) -> None:
    with serving(Scenario(mind=answer, faults=(Fault(what),))) as server:
        configure(monkeypatch, server.host, 60)
        asyncio.run(sweep(copied))
        assert server.calls()
    check_sound(world, copied)


def test_the_loop_does_not_touch_the_record(copied: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that blocking work runs in other threads; `tests/bench/sweep_lag.py` measures the loop's delays."""
    used: list[threading.Thread] = []
    connection = Pool.connection

    def noted(pool: Pool) -> AbstractContextManager[sqlite3.Connection]:
        used.append(threading.current_thread())
        return connection(pool)

    monkeypatch.setattr(Pool, "connection", noted)
    with copied.command("import") as writer:
        for number in range(60):
            copied.raw.put_conversation(writer, conversation(f"more-{number}", f"I keep {number} blue stones at home."))
    distil_all(copied, load_embedder("hashing", Path()))
    here: list[threading.Thread] = []

    async def swept() -> None:
        used.clear()
        here.append(threading.current_thread())
        standing, _ = await sweep(copied)
        assert (standing.pending, standing.failed) == (0, 0)

    with serving(Scenario(mind=answer, first_byte=0.003)) as server:
        configure(monkeypatch, server.host, 60)
        with ThreadPoolExecutor(1) as pool:
            pool.submit(lambda: asyncio.run(swept())).result(60)
        assert len(server.calls()) == 64
    assert used and here[0] not in used

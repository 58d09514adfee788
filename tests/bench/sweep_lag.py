"""Measure how long a sweep blocks its event loop, with many small conversations and a slow model.

    python tests/bench/sweep_lag.py                      # 1,000 conversations, a word every 2 ms
    python tests/bench/sweep_lag.py 200 --slow 0.01

The model is the fake server of the tests, in a process of its own. A timer fires in the loop every 5 ms: first while
idle, which shows the delays of the machine itself, then while the sweep runs. Nothing here is a test: on a busy machine
compare the two with each other.
"""

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from itertools import islice
from pathlib import Path

from speed import row, timed
from store import Store, clock
from store.model import NewConversation, NewMessage, Role
from stores import texts

STANDIN = Path(__file__).parents[1] / "fake_ollama" / "server.py"
BEAT = 0.005
IDLE = 3.0  # seconds of idle measurement before the sweep


class DelayMonitor:
    """Delays of a timer in the loop, per tick: total, and caused by computing in its own thread, in seconds."""

    def __init__(self) -> None:
        self.held: list[tuple[float, float]] = []

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Run the timer inside the block."""
        task = asyncio.create_task(self._beat())
        try:
            yield
        finally:
            task.cancel()

    async def _beat(self) -> None:
        at, cpu = time.perf_counter(), time.thread_time()
        while True:
            await asyncio.sleep(BEAT)
            now, used = time.perf_counter(), time.thread_time()
            self.held.append((now - at - BEAT, used - cpu))
            at, cpu = now, used

    def summary(self, part: int) -> str:
        """Return median, 99.9th percentile and maximum as text; `part` 0 is the total delay, 1 that by computing."""
        held = sorted(beat[part] * 1000 for beat in self.held)
        middle, late = held[len(held) // 2], held[max(0, len(held) - 1 - len(held) // 1000)]
        return f"p50 {middle:.1f} ms · p99.9 {late:.1f} · worst {held[-1]:.1f} ({len(held):,} beats)"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("conversations", type=int, nargs="?", default=1000)
    parser.add_argument("--slow", type=float, default=0.002, help="seconds between two words of the model")
    wanted = parser.parse_args()
    print(f"\n## A sweep over {wanted.conversations:,} conversations\n", flush=True)
    with tempfile.TemporaryDirectory(prefix="curator-bench-") as folder, standin(wanted.slow) as host:
        settings = {"OLLAMA__HOST": host, "OLLAMA__MODEL": "qwen3:4b"}
        for name in ("EMBED", "JUDGE", "WARMTH", "WATCH"):
            settings[f"SWEEP_{name}__ENABLED"] = "false"
        settings |= {"SWEEP_DISTIL__BATCH": "1000000", "SWEEP_DISTIL__LIMIT": "86400"}
        os.environ.update({f"CURATOR_{name}": value for name, value in settings.items()})
        os.environ["CURATOR_HOME"] = folder
        store = Store.open(Path(folder) / "store")
        with timed("conversations stored"):
            fill(store, wanted.conversations)
        asyncio.run(measure(store))
        store.close()


@contextmanager
def standin(slow: float) -> Iterator[str]:
    """Start the fake server in a process of its own; yield its host."""
    command = [sys.executable, str(STANDIN), "--port", "0", "--slow", str(slow)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    try:
        yield process.stdout.readline().split()[2].rstrip(";")
    finally:
        process.terminate()
        process.wait()


def fill(store: Store, count: int) -> None:
    """Store conversations with two messages of the person, each of one or two sentences."""
    said = texts(count * 3, seed=4)
    with store.command("import") as writer:
        for number in range(count):
            one, two, three = islice(said, 3)
            turns = [f"{one} {two}", "Noted.", three, "All right."]
            messages = tuple(
                NewMessage(identity=f"{number}-{place}", role=Role.ASSISTANT if place % 2 else Role.USER, text=text)
                for place, text in enumerate(turns)
            )
            store.raw.put_conversation(
                writer, NewConversation(identity=f"bench-{number}", source="chatgpt", messages=messages)
            )


async def measure(store: Store) -> None:
    """Measure delays while idle, then while the sweep runs."""
    from curator.sweeps import Sweeper

    idle, busy = DelayMonitor(), DelayMonitor()
    async with idle.running():
        await asyncio.sleep(IDLE)
    sweeper = Sweeper(store, now=clock.now, run=asyncio.to_thread)
    began = time.perf_counter()
    async with busy.running():
        await sweeper.work(once=True)
    taken = time.perf_counter() - began
    await sweeper.refresh()
    distil = next(standing for standing in sweeper.statuses() if standing.name == "distil")
    row("conversations distilled", f"{distil.done:,} of {distil.total:,} in {taken:,.1f} s, {distil.failed} failed")
    row("delay of the loop while idle", idle.summary(0))
    row("delay of the loop during the sweep", busy.summary(0), "worst ≤ 50 ms")
    row("  of it: computing in its own thread", busy.summary(1))


if __name__ == "__main__":
    main()

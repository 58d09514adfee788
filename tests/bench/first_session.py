"""Run a person's first session in a real terminal through tmux: `python tests/bench/first_session.py FOLDER`.

Imports the demo's logs in the app, goes through fifty memories, merges two, forgets ten, undoes everything and quits,
at 120 by 36 and 80 by 24, in dark and light. The panes at each step are written to FOLDER as text and as pictures for
inspection; the store's contents are checked along the way. Needs tmux.
"""

import io
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.text import Text

from curator.demo import logs
from curator.models import weights
from curator.paths import cache_folder
from store import Filter, Store
from store.model import Life, Review

RUNS = [((120, 36), "curator-dark"), ((120, 36), "paper"), ((80, 24), "ember"), ((80, 24), "curator-light")]


class Terminal:
    """A tmux window that runs the app."""

    def __init__(self, home: Path, size: tuple[int, int], theme: str, folder: Path) -> None:
        self._name = f"curator-session-{os.getpid()}"
        self._folder, self._theme, self._size, self._shots = folder, theme, size, 0
        environment = {
            "CURATOR_HOME": str(home),
            "CURATOR_CACHE": str(cache_folder()),
            "CURATOR_LOOK__THEME": theme,
            "HOME": str(home),
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
        }
        columns, lines = map(str, size)
        given = [part for item in environment.items() for part in ("-e", "=".join(item))]
        command = f"{sys.executable} -m curator; echo left with $?; exec sleep 1000"
        tmux("new-session", "-d", "-s", self._name, "-x", columns, "-y", lines, *given, command)

    def keys(self, *keys: str, pause: float = 0.0) -> None:
        """Press keys, named as tmux names them."""
        for key in keys:
            tmux("send-keys", "-t", self._name, key)
            time.sleep(pause)

    def write(self, text: str) -> None:
        """Type a text."""
        tmux("send-keys", "-t", self._name, "-l", text)

    def seen(self) -> str:
        """Return the text on the screen."""
        return tmux("capture-pane", "-p", "-t", self._name)

    def wait(self, *texts: str, seconds: float = 60.0) -> str:
        """Wait until all texts are on the screen. Raises AssertionError with the screen if they do not appear."""
        end = time.monotonic() + seconds
        while True:
            screen = self.seen()
            if all(text in screen for text in texts):
                return screen
            assert time.monotonic() < end, f"{texts} did not come:\n{screen}"
            time.sleep(0.1)

    def shoot(self, name: str) -> None:
        """Save the pane as text and picture."""
        time.sleep(0.8)
        self._shots += 1
        columns, lines = self._size
        file = self._folder / f"{columns}x{lines}-{self._theme}-{self._shots:02}-{name}"
        file.with_suffix(".txt").write_text(self.seen(), encoding="utf-8")
        console = Console(width=columns, height=lines, record=True, file=io.StringIO(), color_system="truecolor")
        console.print(Text.from_ansi(tmux("capture-pane", "-e", "-p", "-t", self._name)), end="")
        console.save_svg(str(file.with_suffix(".svg")), title=name)

    def close(self) -> None:
        """End the window."""
        tmux("kill-session", "-t", self._name)


def tmux(*arguments: str) -> str:
    """Run a tmux command and return its output."""
    done = subprocess.run(["tmux", "-L", "curator-session", *arguments], capture_output=True, text=True, check=True)
    return done.stdout


def session(terminal: Terminal, store: Store) -> None:
    """Run the session, and check the store after each part."""
    terminal.wait("No memories yet")
    terminal.shoot("empty")
    before = store.state_hash()
    terminal.keys("I")
    terminal.wait("enter begins")
    terminal.write(str(logs()))
    terminal.keys("Enter")
    terminal.wait("imported", seconds=180)
    terminal.keys("Escape", pause=0.5)
    imported = store.count(Filter())
    assert imported > 60, imported
    terminal.shoot("imported")

    terminal.keys("1")
    terminal.wait("1 Inbox")
    time.sleep(1)
    terminal.shoot("inbox")
    for turn in range(50):
        terminal.keys("axal"[turn % 4], pause=0.05)
    terminal.wait("50 done")
    terminal.shoot("triaged")
    rejected = store.count(Filter(reviews=(Review.REJECTED,), lives=()))
    assert rejected == 13, rejected

    terminal.keys("2")
    terminal.wait("search, or filter")
    time.sleep(1)
    terminal.keys("Space", "Space", "m", pause=0.2)
    terminal.wait("Merge 2 memories")
    terminal.shoot("merging")
    terminal.keys("Enter")
    terminal.wait("merged 2 memories")
    assert store.count(Filter(lives=(Life.SUPERSEDED,))) == 1
    terminal.keys(*["Space"] * 10, pause=0.05)
    terminal.wait("10 marked")
    terminal.keys("d")
    terminal.wait("forgot 10 memories")
    terminal.shoot("forgotten")

    terminal.keys("5")
    terminal.wait("conversations")
    time.sleep(1)
    terminal.shoot("sources")
    terminal.keys("6")
    terminal.wait("How does it grow?")
    time.sleep(1)
    terminal.shoot("insights")
    terminal.keys("7")
    terminal.wait("forget")
    time.sleep(1)
    terminal.shoot("history")

    steps = 0
    while store.state_hash() != before:
        steps += 1
        assert steps < 80, "undo does not come to the beginning"
        last = store.journal.log(limit=1)[0].id
        terminal.keys("u")
        end = time.monotonic() + 10
        while store.journal.log(limit=1)[0].id == last and time.monotonic() < end:
            time.sleep(0.02)
            if "Undo: " in terminal.seen():  # the import
                terminal.keys("y")
    assert steps == 53, steps  # the import, fifty decisions, a merge, a forget
    terminal.keys("2")
    terminal.wait("No memories yet")
    terminal.shoot("undone")
    terminal.keys("q")
    terminal.wait("left with 0", seconds=5)


def main(folder: Path) -> None:
    """Run the session at each size and theme in turn."""
    folder.mkdir(parents=True, exist_ok=True)
    if weights.missing(cache_folder()):
        print("running without the embedding model: `curator setup` fetches it")
    for size, theme in RUNS:
        with tempfile.TemporaryDirectory() as home:
            terminal = Terminal(Path(home), size, theme, folder)
            try:
                time.sleep(1)
                with_store = Store.open(Path(home) / "store")
                began = time.monotonic()
                session(terminal, with_store)
                with_store.close()
                print(f"{size[0]} by {size[1]}, {theme}: {time.monotonic() - began:.0f} s")
            finally:
                terminal.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))

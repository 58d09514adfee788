"""Thirty conflicts settled by keyboard in a real terminal, scripted through tmux: `python tests/conflict_session.py FOLDER`.

The store is the demo's, imported and compared as `curator` does it, and more pairs of our own. Each conflict takes two
keys at most; what the store holds is checked after each, then a rule settles the rest in one step, and undo takes all
of it back. The panes are written to FOLDER as text and as pictures, to be looked at. Needs tmux.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from curator.demo import logs
from curator.paths import cache_folder
from session import Terminal
from store import Store
from store.model import Relation
from tui.clashes import clash

SIZES = [((120, 36), "curator-dark"), ((80, 24), "paper"), ((60, 24), "curator-light")]
WANTED = 30
VERBS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("Enter",), "kept only"),
    (("k", "Enter"), "kept only"),
    (("b",), "kept both"),
    (("m", "Enter"), "made one of both"),
    (("x",), "rejected both"),
    (("l",), "put off"),
)
OWN = (
    ("The boat is moored in {}", "Faro", "Sines"),
    ("The tent stands in {}", "the attic", "the cellar"),
    ("The spare key is with {}", "Ines", "Marta"),
    ("The piano is tuned by {}", "Rui", "Sofia"),
    ("The bees live behind {}", "the shed", "the school"),
)


def fill(home: Path) -> Store:
    """The demo's logs imported and compared, and conflicts of our own beside them."""
    environment = os.environ | {"CURATOR_HOME": str(home), "CURATOR_CACHE": str(cache_folder()), "HOME": str(home)}
    for command in (["import", str(logs())], ["duplicates", "scan"]):
        subprocess.run([sys.executable, "-m", "curator", *command], env=environment, check=True, capture_output=True)
    store = Store.open(home / "store")
    found = len(store.open_alerts())
    for year in range(1990, 1994):
        for words, a, b in OWN:
            clash(store, f"In {year}: {words.format(a)}", f"In {year}: {words.format(b)}", 0.7, Relation.CONTRADICTION)
    print(f"{found} conflicts of the demo, {len(store.open_alerts()) - found} of our own")
    return store


def until(so: Callable[[], bool]) -> None:
    """Wait until something is so."""
    end = time.monotonic() + 20
    while not so():
        assert time.monotonic() < end, "it does not come"
        time.sleep(0.02)


def session(terminal: Terminal, store: Store) -> None:
    """Settle them one by one, then the rest at once, then take it all back."""
    before, commands = store.state_hash(), len(store.log(10_000))
    terminal.wait("1 Inbox")
    terminal.keys("3")
    terminal.wait("1 of ", "keeps B")
    terminal.shoot("first")
    pressed = 0
    for turn in range(WANTED):
        keys, told = VERBS[turn % len(VERBS)]
        assert len(keys) <= 2
        for number, key in enumerate(keys):
            terminal.keys(key)
            pressed += 1
            if number < len(keys) - 1:
                terminal.wait("makes one" if key == "m" else "keeps A")
                if turn < len(VERBS):
                    terminal.shoot(f"{turn + 1:02}-before-{told.split()[0]}")
        until(lambda made=commands + turn + 1: len(store.log(10_000)) == made)
        terminal.wait(f"{turn + 1} done", told)
        if turn < len(VERBS) or turn % 10 == 9:
            terminal.shoot(f"{turn + 1:02}-{told.split()[0]}")
    print(f"{WANTED} settled by {pressed} keys")

    left = len(store.open_alerts(due_by=time.time_ns() // 1000))
    terminal.keys("f")
    terminal.wait("Only these")
    terminal.shoot("only")
    terminal.keys("Escape", "M", pause=0.5)
    terminal.wait("in one step")
    terminal.shoot("bulk")
    terminal.keys("n")
    terminal.wait("settled ")
    print(f"the newer wins: {left} waited, {len(store.open_alerts(due_by=time.time_ns() // 1000))} are left")
    terminal.shoot("after-bulk")
    steps = 0
    while store.state_hash() != before:
        steps += 1
        assert steps < 80, "undo does not come to the beginning"
        last = store.log(1)[0].id
        terminal.keys("u")
        until(lambda last=last: store.log(1)[0].id != last)
    assert steps == WANTED + 1, steps
    terminal.wait("0 done")
    terminal.shoot("undone")
    terminal.keys("q")
    terminal.wait("left with 0", seconds=5)


def main(folder: Path) -> None:
    """Every size, one after the other."""
    folder.mkdir(parents=True, exist_ok=True)
    for size, theme in SIZES:
        with tempfile.TemporaryDirectory() as home:
            store = fill(Path(home))
            terminal = Terminal(Path(home), size, theme, folder)
            began = time.monotonic()
            try:
                session(terminal, store)
            finally:
                terminal.close()
                store.close()
            print(f"{size[0]} by {size[1]}, {theme}: {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""Resolve thirty conflicts by keyboard in a real terminal: `python tests/bench/conflict_session.py FOLDER`.

The store is the demo's with more memories of our own, imported and compared by `curator`. Each conflict takes at most
two keys; the store's contents are checked after each. Then a rule settles the rest in one step, and undo takes all of
it back. The panes are written to FOLDER as text and as pictures for inspection. Needs tmux.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from curator.demo import logs
from curator.paths import cache_folder
from store import Store, clock

sys.path.insert(0, str(Path(__file__).parents[1]))

from factories import put
from first_session import Terminal

SIZES = [((120, 36), "curator-dark"), ((80, 24), "paper"), ((60, 24), "curator-light")]
WANTED = 30
VERBS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("Enter",), "kept"),
    (("k", "Enter"), "kept"),
    (("b",), "kept both"),
    (("m", "Enter"), "merged into"),
    (("x",), "rejected both"),
    (("l",), "snoozed"),
)
OWN = (
    ("My desk is 70 cm high", "My desk is 75 cm high"),
    ("I like jazz", "I don't like jazz"),
    ("My cat is called Mia", "My cat is called Luna"),
    ("The museum pass costs 40 euros", "The museum pass costs 55 euros"),
    ("My uncle lives in Coimbra", "My uncle lives in Aveiro now"),
    ("I always lock the shed", "I never lock the shed"),
    ("I wear glasses", "I don't wear glasses anymore"),
    ("The pool closes at 20:00", "The pool closes at 22:00"),
    ("My visa ends on 1 April", "My visa ends on 30 June"),
    ("My editor theme is dark", "My editor theme is light"),
    ("I trust the forecast", "I don't trust the forecast"),
    ("My tutor is Helena", "My tutor is Joana"),
    ("The oven heats to 220 degrees", "The oven heats to 250 degrees"),
    ("I play chess", "I stopped playing chess"),
    ("My sister lives in Faro", "My sister lives in Braga now"),
    ("My dog is called Rex", "My dog is called Bruno"),
    ("My favourite colour is green", "My favourite colour is blue"),
    ("My flight leaves on 3 May", "My flight leaves on 5 May"),
    ("I like olives", "I don't like olives"),
    ("My landlord is Rui", "My landlord is Marta"),
    ("I weigh 70 kg", "I weigh 74 kg"),
    ("I can swim", "I can't swim"),
    ("My phone is a Pixel", "My phone is an iPhone"),
    ("The studio opens at 9:00", "The studio opens at 10:00"),
    ("I use Vim", "I don't use Vim anymore"),
    ("My rent is 800 euros", "My rent is 900 euros"),
    ("I eat meat", "I never eat meat"),
    ("I own a car", "I sold my car, I don't own one anymore"),
    ("My brother works at a bank", "My brother works at a school now"),
    ("I always take the train", "I never take the train"),
    ("My bike is red", "My bike is blue"),
    ("The contract ends in June", "The contract ends in September"),
    ("I sleep eight hours", "I sleep six hours"),
)


def fill(home: Path) -> Store:
    """Import the demo's logs and the extra memories, and compare them all."""
    environment = os.environ | {"CURATOR_HOME": str(home), "CURATOR_CACHE": str(cache_folder()), "HOME": str(home)}
    curator = partial(subprocess.run, env=environment, check=True, capture_output=True)
    curator([sys.executable, "-m", "curator", "import", str(logs())])
    store = Store.open(home / "store")
    for day, (a, b) in enumerate(OWN):
        put(store, a, created_at=(100 + day) * clock.DAY, source="chatgpt")
        put(store, b, created_at=(900 + day) * clock.DAY, source="claude")
    curator([sys.executable, "-m", "curator", "duplicates", "scan"])
    print(f"{len(store.alerts.find())} conflicts")
    return store


def has_commands(store: Store, count: int) -> bool:
    """Return True if the journal has this many commands."""
    return len(store.journal.log(10_000)) == count


def has_newer(store: Store, last: int) -> bool:
    """Return True if the journal has a command after this one."""
    return store.journal.log(1)[0].id != last


def until(so: Callable[[], bool]) -> None:
    """Wait until a condition is true."""
    end = time.monotonic() + 20
    while not so():
        assert time.monotonic() < end, "it does not come"
        time.sleep(0.02)


def session(terminal: Terminal, store: Store) -> None:
    """Settle conflicts one by one, then the rest at once, then undo everything."""
    before, commands = store.state_hash(), len(store.journal.log(10_000))
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
                terminal.wait("merges both" if key == "m" else "keeps A")
                if turn < len(VERBS):
                    terminal.shoot(f"{turn + 1:02}-before-{told.split()[0]}")
        until(partial(has_commands, store, commands + turn + 1))
        terminal.wait(f"{turn + 1} done", told)
        if turn < len(VERBS) or turn % 10 == 9:
            terminal.shoot(f"{turn + 1:02}-{told.split()[0]}")
    print(f"{WANTED} resolved with {pressed} keys")

    left = len(store.alerts.find(due_by=time.time_ns() // 1000))
    terminal.keys("f")
    terminal.wait("Only these")
    terminal.shoot("only")
    terminal.keys("Escape", "M", pause=0.5)
    terminal.wait("in one step")
    terminal.shoot("bulk")
    terminal.keys("n")
    terminal.wait("settled ")
    print(f"rule newer wins: {left} pending before, {len(store.alerts.find(due_by=time.time_ns() // 1000))} after")
    terminal.shoot("after-bulk")
    steps = 0
    while store.state_hash() != before:
        steps += 1
        assert steps < 80, "undo does not come to the beginning"
        last = store.journal.log(1)[0].id
        terminal.keys("u")
        until(partial(has_newer, store, last))
    assert steps == WANTED + 1, steps
    terminal.wait("0 done")
    terminal.shoot("undone")
    terminal.keys("q")
    terminal.wait("left with 0", seconds=5)


def main(folder: Path) -> None:
    """Run the session at each terminal size in turn."""
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

"""Random walks of thousands of keys over stores of every sort: no failure, no loss, everything undoable.

Each walk is drawn from its seed. CURATOR_TESTS=thorough takes four walks, =all a dozen, and
CURATOR_FUZZ=200 that many.
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import textual.screen

from curator.config import settings
from curator.importers import Unrecognised
from curator.models.hash_embedder import FINGERPRINT, Hashing
from curator.services.search_session import embed_missing
from curator.tui.commands.import_logs import Imported, import_log
from effort import ALL, THOROUGH, share, thorough
from store import Store
from store.index import Index
from tui import random_stores, sample_store
from tui.random_walk import Walk, standing, walking

WALKS = range(int(os.environ.get("CURATOR_FUZZ", "12" if ALL else "4")))
SEEDS = WALKS if THOROUGH or "CURATOR_FUZZ" in os.environ else (3,)
KEYS = share(420, 30)

STORES: dict[str, Callable[[Store, int], object]] = {
    "sample": lambda store, _: sample_store.fill(store),
    "crowd": lambda store, seed: random_stores.fill(store, seed),
    "hostile": lambda store, seed: random_stores.fill(store, seed, memories=60, talks=8, hostile=True),
    "empty": lambda _store, _seed: None,
}
_LOG = "**User:** I am allergic to walnuts.\n\n**Assistant:** Noted.\n\n**User:** I always prefer short answers.\n"


@pytest.fixture(autouse=True)
def _surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set up a home with a log, an editor that writes, no model, and an app that draws less often."""
    (tmp_path / "chat.md").write_text(_LOG, encoding="utf-8")
    (tmp_path / "empty.json").write_text("", encoding="utf-8")
    script = tmp_path / "editor.sh"
    script.write_text('#!/bin/sh\necho "from outside $$" > "$1"\n', encoding="utf-8")
    script.chmod(0o755)
    monkeypatch.setenv("VISUAL", str(script))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "hashing")
    settings.cache_clear()
    monkeypatch.setattr(textual.screen, "UPDATE_PERIOD", 0.15)


@thorough
@pytest.mark.parametrize("seed", SEEDS)
async def test_a_walk_without_a_plan(store: Store, seed: int, tmp_path: Path) -> None:
    kind = [*STORES][seed % len(STORES)]
    STORES[kind](store, seed)
    bottom = store.state_hash()
    random_stores.decide(store, seed)
    embed_missing(store, Hashing())
    index = Index(store, FINGERPRINT)
    if seed % 3 == 0:
        index.catch_up()
    before = len(store.journal.command_ids())

    def accept_passage(
        where: Store, path: Path, say: Callable[[str], None], rest: Callable[[], None], me: Sequence[str] = ()
    ) -> Imported:
        if tmp_path not in path.absolute().parents:
            raise Unrecognised(f"{path} is not for this test")
        return import_log(where, path, say, rest, me)

    paths = (str(tmp_path / "chat.md"), str(tmp_path / "empty.json"))
    async with walking(store, seed, None if seed % 2 else "memories", paths, import_log=accept_passage) as walk:
        for keys in range(KEYS, 24 * KEYS, KEYS):  # some walks reach a state where nothing is left to decide
            await walk.go(keys, pace=(0.2, 0.6, 1.0)[seed // 4 % 3])
            if kind == "empty" or count_commands(walk, before) > 3:
                break
        else:
            pytest.fail(
                f"{count_commands(walk, before)} commands by {keys} keys: they do not come through; {walk.steps}"
            )
        await walk.agree()
        if seed % 2:
            walk.press("d")  # then leave in the middle of it
    assert store.differences() == []
    assert index.catch_up() and index.check() == []
    undo_all(store, bottom, walk.states)
    assert store.differences() == []
    assert index.catch_up() and index.check() == []


def count_commands(walk: Walk, before: int) -> int:
    """Count the commands that the walk's keys made."""
    return len(walk.store.journal.command_ids()) - before - sum(step.startswith("elsewhere") for step in walk.steps)


def undo_all(store: Store, bottom: str, states: dict[tuple[tuple[int, int], ...], str]) -> None:
    """Undo every command and redo it, checking at each step that the state is the one seen with these commands."""
    commands, top = standing(store)
    undone = 0
    while store.state_hash() != bottom:
        commands, state = standing(store)
        assert states.setdefault(commands, state) == state
        last = commands[-1][0]
        taken = store.undo() if store.journal.commands([last])[0].actor == "person" else store.undo(last)
        assert taken.id == last
        undone += 1
    for _ in range(undone):
        store.redo()
        commands, state = standing(store)
        assert states.setdefault(commands, state) == state
    assert store.state_hash() == top

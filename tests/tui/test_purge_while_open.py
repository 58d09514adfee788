"""Purge in the app beside a second process on the same store: no word is left on any screen or in any file."""

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from curator import curation
from curator.models import load_embedder
from curator.paths import cache_folder
from curator.services.import_logs import import_paths, index_memories
from curator.services.import_summary import Summary
from curator.text import content_key, plain_words, tokens
from effort import thorough
from factories import conversation, memory, put, quote
from store import Forgotten, Store
from store.model import Actor, Failure, Judgment, Life, Relation
from tui.driver import QUICK, Driven, opened

KEPT = "the Zaubertrank under the Kastanienbäume"
SAID = f"I keep {KEPT} since 1987."
WORDS = ("zaubertrank", "kastanienb")
PROMPT = "what have I had since 1987"


@pytest.fixture(autouse=True)
def _apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep all files below one folder, and search for related memories without delay."""
    monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "hashing")
    for name in ("CURATOR_CACHE", "TMPDIR"):
        (tmp_path / name).mkdir()
        monkeypatch.setenv(name, str(tmp_path / name))


class SecondProcess:
    """The second process."""

    def __init__(self, store: Store) -> None:
        script = Path(__file__).with_name("second_process.py")
        self._process = subprocess.Popen(
            [sys.executable, str(script), str(store.folder), *WORDS],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.said() == "True"

    def said(self) -> str:
        """Return its next line."""
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def ask(self, line: str) -> str:
        """Send a line and return the answer."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        return self.said()

    def end(self) -> None:
        """Close its input, so that it ends; check that it ends well."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        assert self._process.wait(60) == 0


@pytest.fixture
def beside(store: Store, lived: int) -> Iterator[SecondProcess]:
    other = SecondProcess(store)
    yield other
    other.end()


@pytest.fixture
def lived(store: Store, tmp_path: Path) -> int:
    """Store a memory: imported, merged, tagged in bulk, recalled, judged by a model, checked and indexed twice."""
    embedder = load_embedder("hashing", cache_folder())
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("a", SAID, f"So you keep {KEPT}!", "And I like tea."))
        writer.connection.execute("UPDATE conversations SET title = ?", (SAID,))
        first, *_ = store.raw.messages(1)
        new = memory(SAID, evidence=(quote(KEPT, SAID, first.id),), object=KEPT)
        number = store.admit(writer, new).added
    assert number is not None
    (other, tea) = put(store, f"{SAID} Really.", "I have liked tea since 1987.")
    ready = tmp_path / "ready.jsonl"
    ready.write_text('{"id": "x1", "text": "The cellar is damp."}\n')
    import_paths(store, [ready], embedder)
    curation.tag(store, [number, other, tea], add=["cellar"])
    index_memories(store, embedder, Summary())
    store.recalls.record_use([number])
    store.recalls.put("r0123456789", [number])
    store.recalls.put_answer("r0123456789", f"You told me of {KEPT}.")
    store.checks.expect(f"what of {KEPT}", number, True)
    with store.command("compare", Actor.SWEEP) as writer:
        store.alerts.put(writer, number, other, Relation.DUPLICATE, 0.9, [f"both: {KEPT}"])
        store.alerts.put(writer, number, tea, Relation.UPDATE, 0.8, [f"one has: {KEPT}"])
        store.wordings.put(writer, number, "model/1", f"Keeps {KEPT}.")
        alert = store.alerts.open()[0]
        store.judgments.put(writer.connection, Judgment(alert.id, "m", Relation.DUPLICATE, (KEPT,), 1))
        store.replies.put(writer.connection, [(b"k", "judge", "m", f'{{"why": "{KEPT}"}}')])
        store.sweeps.put_failure(Failure(0, "judge/1", alert.id, 0, 0, KEPT, KEPT, "m", 1, 1))
    curation.merge(store, [number, other], f"{SAID} Really, really.", number)
    curation.edit(store, number, f"{SAID} Once more.")
    curation.forget(store, [number])
    with pytest.raises(Forgotten):
        curation.add(store, f"{SAID} Once more!")
    store.undo()
    index_memories(store, embedder, Summary())
    return number


def holding(folder: Path) -> list[str]:
    """Return the files below a folder that hold any of the words, in any encoding or normalised form."""
    forms = {*WORDS, *map(str.upper, WORDS), content_key(SAID), " ".join(plain_words(SAID)), *(tokens(KEPT) - {"the"})}
    needles = [form.encode(code) for form in forms if len(form) > 5 for code in ("utf-8", "utf-16-le", "utf-16-be")]
    found = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        with contextlib.suppress(FileNotFoundError):  # a file of an index that is being built may vanish
            data = path.read_bytes()
            if any(needle in data or needle in data.lower() for needle in needles):
                found.append(str(path.relative_to(folder)))
    return found


def shown(app: Driven) -> list[str]:
    """Return the words on the screen."""
    return [word for word in WORDS if word in app.seen().casefold()]


async def visit(app: Driven, views: str = "1234567", there: str = "") -> dict[str, list[str]]:
    """Open views by their keys; return the words on each screen. Wait for those that must be `there`."""
    found: dict[str, list[str]] = {}
    for key in views:
        await app.press(key)
        if key == "4":
            await app.press("slash")
            await app.write(PROMPT)
            await app.press("enter")
        if key == "5":
            await app.press("g", "enter")
        for _ in range(200):
            found[app.view.NAME] = shown(app)
            if key not in there or found[app.view.NAME]:
                break
            await app.pilot.pause(0.05)
        if key in "45":
            await app.press("escape")
    return found


async def purge(app: Driven) -> None:
    """Purge with the palette's verb, and confirm."""
    await app.app.run_action("decide('purge')", app.view)
    await app.rest()
    await app.write("purge")
    await app.press("enter")


@thorough
async def test_it_is_nowhere_any_more(store: Store, lived: int, beside: SecondProcess, tmp_path: Path) -> None:
    assert holding(tmp_path)
    async with opened(store, size=(160, 48), timings=replace(QUICK, related=0)) as app:
        before = await visit(app, there="23457")
        assert all(before[name] for name in ("memories", "conflicts", "recall", "sources", "history")), before
        await app.press("2", "escape")
        app.listing.move_to(app.ids.index(lived))
        await app.press("r")
        assert shown(app)
        app.listing.move_to(app.ids.index(lived))
        await app.rest()
        old = set(store.folder.glob("index/*/g*")) | set(store.folder.glob("analytics/*.rows"))
        await purge(app)
        assert store.get(lived).life is Life.PURGED and app.status.startswith("purged")
        assert "doctor" not in app.status
        assert shown(app) == []
        assert holding(tmp_path) == []
        after = await visit(app)
        assert not any(after.values()), after
        assert beside.ask("look") == "False"
        assert not any((await visit(app, "24")).values())
        assert not any(path.exists() for path in old)
        assert holding(tmp_path) == []
    assert holding(tmp_path) == []
    assert store.differences() == []
    for command in store.journal.log():
        assert not any(word in repr(store.journal.effects(command.id)).casefold() for word in WORDS)


@thorough
def test_what_another_keeps_it_from_is_said_and_done_once_that_has_ended(
    store: Store, lived: int, beside: SecondProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules["curator.curation.purge"], "_PATIENCE", 0.5)  # seconds
    assert beside.ask("hold") == "held"
    with contextlib.closing(Store.open(store.folder)) as mine:
        _, left = curation.purge(mine, [lived])
        assert "another program is reading" in left[0] and "doctor --compact" in left[0]
        assert beside.ask("end") == "ended"
        assert curation.finish_purge(mine) == ()
    assert holding(tmp_path) == []

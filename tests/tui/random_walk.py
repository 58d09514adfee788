"""Random walks through the app: keys, clicks, texts, sizes and other processes' writes, drawn from a seed."""

import asyncio
import contextlib
import time
from array import array
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from rich.cells import cell_len
from textual import events
from textual.geometry import Size
from textual.keys import _character_to_key
from textual.message import Message
from textual.pilot import Pilot
from textual.worker import Worker, WorkerState

from curator import curation
from curator.errors import ImportFailure
from curator.filters import BadFilter
from curator.terminal_text import visible
from curator.tui.actions import EVERYWHERE, SCOPES, VERBS
from curator.tui.app import CuratorApp
from curator.tui.glyphs import UNICODE
from curator.tui.history import queries as commands
from curator.tui.history.view import History
from curator.tui.memories import queries
from curator.tui.memories.browser import Browser
from curator.tui.screens.dialogs import Menu
from curator.tui.screens.main import MainScreen
from curator.ui_defaults import Looks
from factories import conversation
from store import Conflict, Filter, NotFound, Store, StoreError
from store.model import Actor
from store.record import integrity
from tui.driver import QUICK
from tui.random_stores import HOSTILE
from tui.sample_store import NOW

SIZES = ((120, 36), (80, 24), (109, 30), (40, 12), (80, 24), (60, 20), (160, 40), (24, 6), (1, 1))
CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~éß日🦊"
NAMED = "enter escape tab shift+tab up down left right home end pageup pagedown backspace delete space".split()
TEXTS = (
    "tea", "kind:preference", "is:forgotten", "is:any", "state:any", "is:inbox", "tag:home -tea", "said:2026-03",
    "score:>=0.5", "used:0", "age:<90d", "kind:nonsense", "\"an open quote", "project:kiln", "session:4", "global",
    "work -home", "a b c", "memory:3", "by:sweep undone", "forget", "validate", "supersede", "settings", "theme",
    "scope", "refused", "x" * 600, "日本語 الدار", "import", "insights", *HOSTILE,
)  # fmt: skip
"""Texts to type or paste; the word that confirms a purge is not among them."""


PHRASES = (
    "escape sources refused admit",
    "escape sources refused mark mark admit",
    "escape sources refused mark-all admit enter",
    "escape sources refused reword enter",
    "escape sources open next-passage open",
    "escape memories mark mark merge enter",
    "escape memories mark-all reject enter",
    "escape memories filter down enter",
    "escape inbox mark-all validate y",
    "escape insights right open",
    "escape history down undo-this",
    "escape history undo-this find-conflict undo-this",
)
"""Sequences of action ids and keys."""
_DECIDING = tuple(
    action
    for action in (*VERBS, *EVERYWHERE)
    if action.method in ("decide", "app.undo", "app.redo", "repeat") or action.parameters == ("memories",)
)


PARTED = frozenset("🏳❤\ufe0f")
"""Characters that Textual separates from their variation selector at a dialog's edge, which loses a cell."""


class Lost(AssertionError):
    """An invariant that did not hold, with the steps that led there."""


@dataclass
class Walk:
    """One walk; `states` maps the commands in effect to the state hash seen with them, one for each (I3)."""

    app: CuratorApp
    pilot: Pilot[str | None]
    store: Store
    other: Store
    random: Random
    paths: tuple[str, ...] = ()
    steps: list[str] = field(default_factory=list)
    errors: list[BaseException] = field(default_factory=list)
    states: dict[tuple[tuple[int, int], ...], str] = field(default_factory=dict)
    left: int = 0  # times the app was asked to quit

    # Steps

    async def go(self, keys: int, pace: float) -> None:
        """Take `keys` steps, checking the invariants every now and then.

        `pace` is the share of steps that wait until the one before is handled: with 0 they come as a burst.
        """
        while len(self.steps) < keys:
            await self._step()
            if self.random.random() < pace:
                await self.drained()
            if self.random.random() < 0.06:
                await self.rest()
                self.note_state()
            if self.random.random() < 0.12:
                await self.see()
            self.sound()
            await asyncio.sleep(0)
        await self.rest()
        self.sound()
        await self.see()
        self.note_state()

    async def _step(self) -> None:
        draw = self.random.random()
        if draw < 0.02:
            self._change_elsewhere()
        elif draw < 0.035:
            self._resize()
        elif draw < 0.05:
            await self._click()
        elif draw < 0.08:
            await self._phrase()
        elif draw < 0.105:
            text = self.random.choice((*TEXTS, *self.paths))
            if self.random.random() < 0.5:
                self.steps.append(f"paste {text[:40]!r}")
                self._send(events.Paste(text))
            else:
                for character in text[:16]:
                    self.press(character)
        else:
            self.press(self._key())

    async def _phrase(self) -> None:
        """Press a known key sequence, or run an action by name, since not every action has a key."""
        if self.random.random() < 0.6:
            for name in self.random.choice(PHRASES).split():
                self.press(self.app.keys[name][0] if name in self.app.keys else name)
                await self.drained()
            return
        view = self.frame.view
        named = [action.label for action in view.actions if action.palette and action.method != "app.quit"]
        for key in ("escape", self.app.keys["palette"][0], *self.random.choice(named)):
            self.press(key)
            await self.drained()
        await self.rest()
        self.press("enter")

    def _key(self) -> str:
        """Return a key that is likely to have an effect: of the menu, of the view in either keymap, or any."""
        random, screen = self.random, self.app.screen
        draw = random.random()
        if draw < 0.12:
            return random.choice(NAMED)
        if draw < 0.22:
            return random.choice(CHARACTERS)
        if isinstance(screen, Menu) and draw < 0.8:
            return random.choice([*(option.key or "x" for option in screen._options), "down", "up", "enter"])
        if not isinstance(screen, MainScreen) and draw < 0.8:
            return random.choice(("enter", "enter", "escape", "escape", "escape", "y", "n", "down", "j"))
        actions = EVERYWHERE if draw < 0.28 else _DECIDING if draw < 0.45 else SCOPES[self.frame.view.NAME]
        action = random.choice(actions)
        keys = self.app.keys[action.id] if draw < 0.9 else (*action.keys, *action.plain)
        return random.choice(keys) if keys else "enter"

    def press(self, key: str) -> None:
        """Send a key as a terminal would."""
        self.steps.append(key)
        name = _character_to_key(key) if len(key) == 1 else key
        self._send(events.Key(name, key if len(key) == 1 else " " if key == "space" else None))

    def _send(self, event: events.Event) -> None:
        event.set_sender(self.app)
        self.app.post_message(event)

    def _resize(self) -> None:
        width, height = self.random.choice(SIZES)
        self.steps.append(f"{width}x{height}")
        assert self.app._driver is not None
        self.app._driver._size = Size(width, height)
        self._send(events.Resize(Size(width, height), Size(width, height)))

    async def _click(self) -> None:
        """Click once or twice anywhere, as the pilot does but without waiting."""
        size, random = self.app.size, self.random
        x, y, chain = random.randrange(max(size.width, 1)), random.randrange(max(size.height, 1)), random.choice((1, 2))
        self.steps.append(f"click {x},{y}")
        with contextlib.suppress(Exception):
            widget, _ = self.app.get_widget_at(x, y)
            for kind in (events.MouseDown, events.MouseUp):
                self.app.screen._forward_event(kind(widget, x, y, 0, 0, 1, False, False, False, x, y))
            click = events.Click(widget, x, y, 0, 0, 1, False, False, False, x, y, chain=chain)
            self.app.screen._forward_event(click)

    def _change_elsewhere(self) -> None:
        """Change the store as another process might."""
        random, store = self.random, self.other
        ids = store.list_ids(Filter(lives=()))
        some = random.sample(ids, min(len(ids), random.choice((1, 1, 3, 40))))
        name = random.choice(("forget", "add", "undo", "undo", "redo", "restore", "tag", "import", "sweep", "merge"))
        self.steps.append(f"elsewhere {name}")
        with contextlib.suppress(Conflict, NotFound, ValueError):
            match name:
                case "add":
                    curation.add(store, f"Written elsewhere {random.randint(0, 40)}")
                case "undo" | "redo":
                    getattr(store, name)()
                case "import":
                    with store.command("import") as writer:
                        turns = [f"I like tea {n}" for n in range(random.randint(1, 3))]
                        store.raw.put_conversation(writer, conversation(f"elsewhere {random.randint(0, 3)}", *turns))
                case "sweep":
                    with store.command("sweep", Actor.SWEEP) as writer:
                        writer.update("memories", some[:1], {"rank": random.choice(("high", "low"))})
                case "merge":
                    made = curation.draft(store, some[:3])
                    curation.merge(store, some[:3], made.text, made.survivor)
                case "tag":
                    curation.tag(store, some, ["elsewhere"])
                case _:
                    getattr(curation, name)(store, some)

    # Waiting

    @property
    def frame(self) -> MainScreen:
        frame = self.app.screen_stack[0]
        assert isinstance(frame, MainScreen)
        return frame

    async def drained(self) -> None:
        """Wait until no messages are queued."""
        quiet = 0
        for _ in range(400):
            await asyncio.sleep(0)
            pumps = (self.app, *self.app.screen.walk_children(with_self=True))
            quiet = 0 if any(pump.message_queue_size for pump in pumps) else quiet + 1
            if quiet > 4:
                return

    async def rest(self) -> None:
        """Wait until only work that waits for the person remains; raise Lost after 30 s."""
        ends = time.monotonic() + 30
        while True:
            await self.drained()
            working = self._working()
            if not working:
                return
            if time.monotonic() > ends:
                raise Lost(f"still at work after 30 s: {working}; {self.trace}")
            await asyncio.sleep(0.002)

    def _working(self) -> list[str]:
        dialogs = self.app.context.dialog_workers if len(self.app.screen_stack) > 1 else ()
        groups = [worker.group for worker in self.app.workers if not worker.is_finished and worker not in dialogs]
        return [group for group in groups if not any(name in group for name in ("related detail", "sweeps"))]

    # Invariants

    @property
    def trace(self) -> str:
        """Describe the last steps."""
        return f"step {len(self.steps)}, after {' '.join(self.steps[-60:])}"

    def sound(self) -> None:
        """Check that no exception was raised and the app still runs."""
        if self.app.failure:
            raise Lost(f"{self.app.failure[-4000:]}\n{self.trace}")
        for error in self.errors:
            raise Lost(f"{type(error).__name__}: {error}; {self.trace}") from error
        if not self.app.is_running:
            raise Lost(f"the app has ended; {self.trace}")

    async def see(self) -> None:
        """Check that the screen holds only safe text within its width; after a resize, once the layout is done."""
        problem = unfit(self.app)
        if " cells in " in problem:
            await self.drained()
            problem = unfit(self.app)
        if problem:
            raise Lost(f"{problem} on {self.app.screen} at {self.app.screen._compositor.size}; {self.trace}")

    def note_state(self) -> None:
        """Check that the same commands in effect always give the same state hash."""
        commands, state = standing(self.store)
        former = self.states.setdefault(commands, state)
        if former != state:
            raise Lost(f"with the commands {commands} there was another state before; {self.trace}")

    async def agree(self) -> None:
        """Check that lists and details agree with the store; raise Lost if they do not."""
        await self.rest()
        for _ in range(3):
            self._send(events.Key("escape", None))
            await self.rest()
        ends = time.monotonic() + 10
        while (problem := self._disagrees()) and time.monotonic() < ends:
            await asyncio.sleep(0.05)
            await self.rest()
        if problem:
            raise Lost(f"{problem}; {self.trace}")
        self.sound()

    def _disagrees(self) -> str:
        view = self.frame.view
        if isinstance(view, Browser):
            return self._browser_disagrees(view)
        if isinstance(view, History):
            return self._history_disagrees(view)
        return ""

    def _browser_disagrees(self, view: Browser) -> str:
        try:
            view.parse(view.line.text)
        except BadFilter:
            return ""
        store, rows = self.store, view.list
        place = queries.ListState()
        should = view.reader.full_list(view.wanted, place).ids
        if sorted(rows.ids) != sorted(should):  # the order may be stale until the list is next read
            odd = store.get_many([*{*rows.ids} ^ {*should}])
            return f"{view.NAME} lists {_some(rows.ids)}, the store has {_some(should)}; {view.wanted}; {odd[:2]}"
        shown = [row for number in rows.ids if (row := rows.row(number)) is not None]
        if shown != store.get_many([row.id for row in shown]):
            return f"{view.NAME} shows a row as it was"
        if not rows.marks <= set(rows.ids) or not 0 <= rows.cursor < max(len(rows.ids), 1):
            return f"{view.NAME} has marks {rows.marks} and cursor {rows.cursor} among {_some(rows.ids)}"
        if view.writing:
            return f"{view.NAME} still writes {view.writing}"
        details = view.pane.details
        described = [] if details is None else [details.memory]
        if described != store.get_many([] if rows.current is None else [rows.current]):
            return f"{view.NAME} describes {described}, the cursor is on {rows.current}"
        return ""

    def _history_disagrees(self, view: History) -> str:
        try:
            should = commands.full_list(self.store, view.line.text, (), 0).ids
        except BadFilter:
            return ""
        return "" if view.list.ids == should else f"history lists {_some(view.list.ids)}, there are {_some(should)}"


def _some(ids: "array[int]") -> str:
    return f"{len(ids)} ({', '.join(map(str, ids[:20]))})"


def standing(store: Store) -> tuple[tuple[tuple[int, int], ...], str]:
    """Return the commands in effect, each with its number of events, and the state hash."""
    with store.sqlite() as connection:
        connection.execute("BEGIN")
        try:
            rows = connection.execute(
                "SELECT c.id, count(*) FROM commands c JOIN events e ON e.command = c.id"
                " WHERE c.undone IS NULL AND c.verb NOT IN ('undo', 'redo') GROUP BY c.id ORDER BY c.id"
            )
            return tuple((row[0], row[1]) for row in rows), integrity.state_hash(connection)
        finally:
            connection.execute("ROLLBACK")


def unfit(app: CuratorApp) -> str:
    """Describe text on the screen that a terminal would act on or hide, or that is too wide; "" if there is none."""
    for line in app.screen._compositor.render_strips():
        text = "".join(segment.text for segment in line)
        if any(segment.control or (segment.style and segment.style.link) for segment in line):
            return f"a control or a link in {text!r}"
        if text.isascii() and text.isprintable():
            continue
        acting = {character for character in text if character == "\n" or visible(character) != character}
        if acting - {"\u200c", "\u200d", "\ufe0e", "\ufe0f"}:  # these stay where they are part of a word or emoji
            return f"{acting} in {text!r}"
        width = sum(cell_len(segment.text) for segment in line)
        if width != app.screen._compositor.size.width and not PARTED & {*text}:
            return f"{width} cells in {text!r}"
    return ""


@contextlib.asynccontextmanager
async def walking(
    store: Store, seed: int, first: str | None = "memories", paths: tuple[str, ...] = (), **more: Any
) -> AsyncIterator[Walk]:
    """Run the app for a walk. Does not wait for the app's end: pending work must survive that."""
    random = Random(seed)
    looks, size = Looks(keymap=random.choice(("vim", "vim", "plain"))), more.pop("size", random.choice(SIZES[:5]))
    app = CuratorApp(store, looks, now=lambda: NOW, glyphs=UNICODE, first=first, timings=QUICK, **more)
    errors: list[BaseException] = []

    def heard(message: Message) -> None:
        if isinstance(message, Worker.StateChanged) and message.state is WorkerState.ERROR:
            error = message.worker.error
            if error is not None and not isinstance(error, StoreError | ImportFailure):
                errors.append(error)

    other = Store.open(store.folder)
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: errors.append(context.get("exception") or Lost(context["message"])))
    try:
        async with app.run_test(size=size, message_hook=heard) as pilot:
            walk = Walk(app, pilot, store, other, random, paths, errors=errors)
            app.exit = lambda *_, **__: setattr(walk, "left", walk.left + 1)  # type: ignore[method-assign]
            app.suspend = contextlib.nullcontext  # type: ignore[method-assign,assignment]
            walk.note_state()
            yield walk
            del app.exit
        app.finish()
    finally:
        other.close()
        loop.set_exception_handler(None)

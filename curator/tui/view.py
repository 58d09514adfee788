"""What every area has: its actions, the desk, a way to work beside the event loop and to be heard by the frame."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any, ClassVar

from textual.containers import Container
from textual.message import Message
from textual.widget import Widget
from textual.worker import Worker

from curator.export.sanitize import visible
from curator.tui.actions import SCOPES, Action
from curator.tui.context import AppContext
from curator.tui.error_boundary import ErrorBoundary
from store.model import Command, Memory


class Tone(StrEnum):
    """How a message is meant; its words say so too."""

    PLAIN = "$text"
    GOOD = "$good"
    BAD = "$bad"


@dataclass
class StatusMessage(Message):
    """Something for the status line, and what can be done about it; with `undo`, it can be taken back."""

    text: str
    tone: Tone = Tone.PLAIN
    hint: str = ""
    undo: bool = False


@dataclass(frozen=True, slots=True)
class Target:
    """What an area is opened on: a filter, a memory, a message with a span of it, or memories one by one.

    `title` says what those memories are; `marked`, that they are marked; `returns`, that esc leads back to where one
    came from.
    """

    terms: str | None = None
    memory: int | None = None
    message: int | None = None
    span: tuple[int, int] | None = None
    memories: tuple[int, ...] = ()
    title: str = ""
    marked: bool = False
    returns: bool = False


@dataclass
class OpenView(Message):
    """Another area is wanted."""

    view: str
    target: Target


class Back(Message):
    """The person has seen enough here: back to the area they came from."""


class View(ErrorBoundary, Container, can_focus=True, inherit_bindings=False):
    """A part of the app. Whatever reads or writes the store runs in a lane and comes back here.

    It has the keys itself while none of its widgets can have them.
    """

    NAME: ClassVar[str]

    def __init__(self, context: AppContext) -> None:
        super().__init__(id=self.NAME)
        self.context = context
        self.seen = -1  # the store's event up to which what is shown is right

    @property
    def actions(self) -> tuple[Action, ...]:
        """All that can be done here."""
        return SCOPES[self.NAME]

    @property
    def busy(self) -> bool:
        """Whether something is being written: it is not the time to read again."""
        return False

    def open(self, target: Target | None) -> None:
        """Come to the front, at a target if one is given. What was written meanwhile is read by `follow`."""

    def follow(self, touched: tuple[int, ...] = ()) -> None:
        """The store has changed: read again. The cursor goes to the first of `touched` that is shown, else it stays."""

    def filled(self) -> None:
        """Analytics can be asked now."""

    def worked(self) -> None:
        """The work in the background stands otherwise than before."""

    def come_back(self) -> None:
        """Come to the front again as it was left, after another area."""
        self.open(None)

    def take_back_own(self) -> tuple[str, tuple[int, ...]] | None:
        """Take back the last thing done here if the journal knows nothing of it and nothing was done since.

        Returns what that was, in words, and the memories; None where the journal's last command is meant. For the lane
        that writes.
        """
        return None

    def taken_back(self, command: Command) -> None:
        """A command was undone, or done again."""

    def say(self, text: str, tone: Tone = Tone.PLAIN, hint: str = "", undo: bool = False) -> None:
        """Show what happened on the status line; with `undo`, the key that takes it back too."""
        self.post_message(StatusMessage(text, tone, hint, undo))

    def go(self, view: str, target: Target) -> None:
        """Open another area."""
        self.post_message(OpenView(view, target))

    async def open_quote(self, memory: int) -> None:
        """Open the newest quote behind a memory, in Sources; where there is none, say so. Raises NotFound."""
        evidence = await self.context.executors["rows"].run(partial(self.context.store.evidence, memory))
        for said in reversed(evidence):
            if said.message is not None:
                self.go("sources", Target(memory=memory, message=said.message, span=(said.start, said.end)))
                return
        self.say(self.unsourced(memory, bool(evidence)))

    def unsourced(self, memory: int, quoted: bool) -> str:
        """What is said of a memory without a quote in this store; `quoted`, if there is one elsewhere."""
        return f"the conversation of memory {memory} is not in this store"

    def begin(self, work: Callable[[], Coroutine[Any, Any, object]], group: str, exclusive: bool = True) -> None:
        """Run something beside the handlers; a new one of an exclusive group ends the old one."""
        _: Worker[object] = self.app.run_worker(
            work, group=f"{self.NAME} {group}", exclusive=exclusive, exit_on_error=False
        )

    async def apart(self, work: Callable[[], Coroutine[Any, Any, str | None]]) -> str | None:
        """Write what was asked about apart from the question, which another question ends; what `work` returns."""
        answer: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()

        async def working() -> None:
            problem: str | None = "interrupted"
            try:
                problem = await work()
            finally:
                if not answer.done():
                    answer.set_result(problem)

        self.begin(working, "writes", exclusive=False)
        return await answer

    # What most views have: a memory under the cursor, and a pane with its detail

    @property
    def memory(self) -> Memory | None:
        """The memory under the cursor."""
        return None

    @property
    def scrolled(self) -> Widget:
        """The pane that the detail keys scroll."""
        raise NotImplementedError

    def copy(self, text: str, what: str = "copied") -> None:
        """Copy a text to the clipboard of the terminal, and say so."""
        self.app.copy_to_clipboard(visible(text))
        self.say(f"{what} (if your terminal allows it)")

    def action_copy(self) -> None:
        """Copy the text of the memory under the cursor."""
        if self.memory is not None:
            self.copy(self.memory.text)

    def action_past(self) -> None:
        """Open the history of the memory under the cursor."""
        if self.memory is not None:
            self.go("history", Target(memory=self.memory.id))

    def action_source(self) -> None:
        """Open the conversation in which the memory under the cursor was said."""
        if self.memory is not None:
            self.begin(partial(self.open_quote, self.memory.id), "source")

    def action_scroll_detail(self, lines: int) -> None:
        """Scroll the detail."""
        self.scrolled.scroll_relative(y=lines, animate=False)

    async def action_pane_back(self) -> None:
        """To the pane before: where there are two, that is the other."""
        await self.app.run_action("pane", self)

    def reading(self, group: str) -> bool:
        """Whether work of a group is under way."""
        return any(worker.group == f"{self.NAME} {group}" and not worker.is_finished for worker in self.app.workers)

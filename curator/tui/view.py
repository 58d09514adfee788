"""Base classes of views and of the app, for use by commands and views."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Any, ClassVar, Generic, TypeVar

from textual.actions import ActionParseResult
from textual.containers import Container
from textual.dom import DOMNode
from textual.widget import Widget
from textual.worker import Worker

from curator.terminal_text import visible
from curator.tui.actions import VIEW_SCOPES, Action
from curator.tui.context import AppContext
from curator.tui.dispatch import ErrorBoundary, FaultTolerantApp
from curator.tui.messages import OpenView, StatusMessage, Target, Tone, unchanged
from curator.ui_defaults import Keymap, Layout, Looks
from store import StoreError
from store.model import Command, Memory

T = TypeVar("T")
_MAX_WAIT = 1.0  # seconds that a dialog waits for the previous one to act on its answer


@dataclass(frozen=True, slots=True)
class Write(Generic[T]):
    """A change to the store, whose effect a view may show in advance.

    `run` writes, in a thread; `finish` updates the view and returns the message; `rollback` restores the view. If
    `holds` is False by then, the message of a failure is dropped.
    """

    run: Callable[[], T]
    finish: Callable[[T], StatusMessage]
    rollback: Callable[[], None] = lambda: None
    holds: Callable[[], bool] = lambda: True


class View(ErrorBoundary, Container, can_focus=True, inherit_bindings=False):
    """A view of the app. It reads and writes the store only on an executor of the context.

    The view itself has the focus while none of its widgets can be focused.
    """

    NAME: ClassVar[str]
    scrolled: Widget  # the pane that the detail keys scroll

    def __init__(self, context: AppContext) -> None:
        super().__init__(id=self.NAME)
        self.context = context
        self.seen = -1  # the last event of the journal that the view shows
        self.writing = 0  # writes in progress

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return True if an action is enabled now."""
        return not self.is_mounted or self.enables(action, parameters)

    def enables(self, action: str, parameters: tuple[object, ...]) -> bool:
        """Return True if an action has something to act on."""
        return True

    def refuses(self, action: str) -> str:
        """Return why an action that is disabled now has nothing to act on; empty if its key is better ignored."""
        return ""

    def suggests(self, action: Action) -> bool:
        """Return True if the footer shows an enabled action."""
        return True

    @property
    def actions(self) -> tuple[Action, ...]:
        """All actions of the view."""
        return VIEW_SCOPES[self.NAME]

    @property
    def busy(self) -> bool:
        """True while a write or the reading of the list is in progress, so that the view is about to change."""
        return bool(self.writing) or self.working("ids")

    def open(self, target: Target | None) -> None:
        """Show the view, at a target if given; changes made meanwhile are read by `follow`."""

    def follow(self, touched: tuple[int, ...] = ()) -> None:
        """Read a changed store again; the cursor goes to the first listed memory in `touched`, else stays."""

    def filled(self) -> None:
        """Called when analytics can be queried."""

    def undistilled_counted(self) -> None:
        """Called when the conversations that wait to be distilled are counted."""

    def sweeps_changed(self) -> None:
        """Called on progress of the background work."""

    def come_back(self) -> None:
        """Show the view again in its previous state."""
        self.open(None)

    def undo_own_change(self) -> tuple[str, tuple[int, ...]] | None:
        """Undo the last change of this view if it is not in the journal and no command was run since.

        Return its description and memories, or None if undo applies to the journal's last command. Runs on the executor
        `writes`.
        """
        return None

    def after_undo(self, command: Command) -> None:
        """Called after an undo or redo of a command."""

    def say(
        self, text: str, tone: Tone = Tone.PLAIN, hint: str = "", while_same: Callable[[], object] | None = None
    ) -> None:
        """Show a message on the status bar, as long as `while_same` returns its current value."""
        message = StatusMessage(text, tone, hint)
        if while_same is not None:
            message.holds = unchanged(while_same)
        self.post_message(message)

    def go(self, view: str, target: Target) -> None:
        """Open another view."""
        self.post_message(OpenView(view, target))

    async def open_quote(self, memory_id: int) -> None:
        """Open the newest quote of a memory in Sources, or report that there is none. Raises NotFound."""
        evidence = await self.context.run("rows", self.context.store.evidence, memory_id)
        for quote in reversed(evidence):
            if quote.message is not None:
                self.go("sources", Target(memory_id=memory_id, message_id=quote.message, span=(quote.start, quote.end)))
                return
        self.say(self.no_source(memory_id, bool(evidence)), while_same=lambda: self.memory and self.memory.id)

    def no_source(self, memory_id: int, quoted: bool) -> str:
        """Return the message for a memory without a source here; `quoted` if its quote is from a log elsewhere."""
        return f"the conversation of memory {memory_id} is not in this store"

    def begin(self, work: Callable[[], Coroutine[Any, Any, object]], group: str, exclusive: bool = True) -> None:
        """Start a worker; in an exclusive group it cancels the previous one."""
        _: Worker[object] = self.app.run_worker(
            work, group=f"{self.NAME} {group}", exclusive=exclusive, exit_on_error=False
        )

    def begin_dialog(self, work: Callable[[], Coroutine[Any, Any, object]]) -> None:
        """Start a worker that may open a dialog; keys typed meanwhile are held back for it, and esc cancels it.

        It waits until the view's previous one has acted on its answer, in case keys are typed fast.
        """
        group = f"{self.NAME} dialog"
        former = [worker for worker in self.app.workers if worker.group == group and not worker.is_finished]

        async def in_turn() -> object:
            ends = monotonic() + _MAX_WAIT
            while any(not worker.is_finished for worker in former) and monotonic() < ends:
                await asyncio.sleep(0.001)
            for worker in former:
                worker.cancel()
            return await work()

        worker: Worker[object] = self.app.run_worker(in_turn if former else work, group=group, exit_on_error=False)
        self.context.dialog_workers.add(worker)

    def working(self, group: str) -> bool:
        """Return True while a worker of a group is running."""
        return any(worker.group == f"{self.NAME} {group}" and not worker.is_finished for worker in self.app.workers)

    # Writing: show the effect first, then write to the store, and roll back on failure

    def write(self, write: Write[Any]) -> None:
        """Write in the background."""
        self.writing += 1
        self.begin(partial(self._carry_out, write), "writes", exclusive=False)

    async def perform(self, write: Write[Any]) -> str | None:
        """Write for a dialog, and finish even if it is closed; return the problem that prevented the write, or None."""
        answer: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()

        async def work() -> None:
            problem: str | None = "interrupted"
            try:
                problem = await self._carry_out(write)
            finally:
                if not answer.done():
                    answer.set_result(problem)

        self.writing += 1
        self.begin(work, "writes", exclusive=False)
        return await answer

    async def _carry_out(self, write: Write[Any]) -> str | None:
        try:
            try:
                result = await self.context.executors["writes"].run(write.run)
            finally:
                self.writing -= 1
        except Exception as error:
            write.rollback()
            if not isinstance(error, StoreError | ValueError):
                raise
            self.post_message(StatusMessage(str(error), Tone.BAD, holds=write.holds))
            return str(error)
        self.post_message(write.finish(result))
        return None

    # Memory under the cursor, which most views have

    @property
    def memory(self) -> Memory | None:
        """The memory under the cursor."""
        return None

    def copy(self, text: str, what: str = "copied") -> None:
        """Copy a text to the clipboard of the terminal, and report it."""
        self.app.copy_to_clipboard(visible(text))
        self.say(f"{what} (if your terminal allows it)")

    def action_copy(self) -> None:
        """Copy the text of the memory under the cursor."""
        if self.memory is not None:
            self.copy(self.memory.text)

    def action_history(self) -> None:
        """Open the history of the memory under the cursor."""
        if self.memory is not None:
            self.go("history", Target(memory_id=self.memory.id))

    def action_source(self) -> None:
        """Open the conversation where the memory under the cursor was said."""
        if self.memory is not None:
            self.begin(partial(self.open_quote, self.memory.id), "source")

    def action_scroll_detail(self, lines: int) -> None:
        """Scroll the detail."""
        self.scrolled.scroll_relative(y=lines, animate=False)

    async def action_previous_pane(self) -> None:
        """Go to the previous pane; with two panes, that is the other one."""
        await self.app.run_action("next_pane", self)


class BaseApp(FaultTolerantApp, inherit_bindings=False):
    """A Textual app with views, a status bar, keys and looks."""

    keys: Mapping[str, tuple[str, ...]]
    looks: Looks

    async def run_action(
        self,
        action: "str | ActionParseResult",
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Run an action, or say why the view has disabled it."""
        done = await super().run_action(action, default_namespace, namespaces)
        if not done and isinstance(default_namespace, View) and isinstance(action, str):
            why = default_namespace.refuses(action.partition("(")[0])
            if why:
                self.say(why)
        return done

    @property
    def view(self) -> View:
        """The open view."""
        raise NotImplementedError

    @property
    def has_status(self) -> bool:
        """True while the status bar shows a message."""
        raise NotImplementedError

    def say(self, message: str, tone: Tone = Tone.PLAIN, hint: str = "", undo: bool = False) -> None:
        """Show a message on the status bar; with `undo`, also the key that undoes the reported change."""

    def use_keys(self, preset: Keymap) -> None:
        """Use the keys of a preset, with the person's own changes. Raises ConfigError."""

    def use_layout(self, layout: Layout) -> None:
        """Arrange the panes by the width of the terminal, or always in one way."""

    def work_if_worth(self) -> None:
        """Start the sweeps if there is work for them."""

    def begin(self, work: Callable[[], Coroutine[Any, Any, object]], group: str, exclusive: bool = True) -> None:
        """Start a worker; in an exclusive group it cancels the one before."""
        _: Worker[object] = self.run_worker(work, group=group, exclusive=exclusive, exit_on_error=False)

    def begin_dialog(
        self,
        work: Callable[[], Coroutine[Any, Any, object]],
        group: str = "dialog",
        exclusive: bool = True,
        cancellable: bool = True,
    ) -> None:
        """Start a worker that may open a dialog; keys typed meanwhile are held back for it.

        Esc cancels it before its dialog is open, unless it has written by then (`cancellable=False`).
        """
        worker: Worker[object] = self.run_worker(work, group=group, exclusive=exclusive, exit_on_error=False)
        self.context.dialog_workers.add(worker)
        if not cancellable:
            self.uncancellable.add(worker)

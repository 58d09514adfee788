"""Import of chat logs in the app: dialog, progress in the status bar, and result. One import runs at a time."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol

from curator.display import counted
from curator.paths import completed_path, expanded
from curator.tui.context import AppContext
from curator.tui.keymap import first_key
from curator.tui.labels import source
from curator.tui.messages import Target, Tone
from curator.tui.screens.dialogs import Ask, Menu, Option, Page
from curator.tui.sweep_controller import SHOWN
from curator.tui.text_format import one_line
from store import Store, clock

if TYPE_CHECKING:
    from textual.app import App

    from curator.importers import People
    from curator.services.import_summary import Progress, Report, Summary
    from curator.tui.view import BaseApp

_OFFERED = 8  # logs offered in the menu
_PEOPLE = 9  # people offered in the menu
_OTHER, _OTHER_NAME = "another path …", "another name …"
_RESTS = 2.0  # seconds without a key after which the view may change
_MAX_LISTED, _MAX_PASSAGES = 10, 2  # forgotten memories listed in the details; passages of each


class Stopped(Exception):
    """Raised to stop an import; stored conversations stay."""


class WhoAmI(Exception):
    """Raised before an import to ask which of these people is the user."""

    def __init__(self, people: "People", place: str) -> None:
        super().__init__("a chat among people")
        self.people, self.place = people, place


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of an import: a line, a page of details (maybe empty), forgotten memories that came back, and the
    number of refused passages.

    `requests` is True if the page lists requests to forget, `reviewable` if there are memories to review.
    """

    line: str
    more: str
    returned: tuple[int, ...] = ()
    refused: int = 0
    requests: bool = False
    reviewable: bool = False


class ImportLog(Protocol):
    """Imports a file or folder (`import_log`)."""

    def __call__(
        self, store: Store, path: Path, say: Callable[[str], None], rest: Callable[[], None], me: Sequence[str] = ()
    ) -> Imported:
        """Import, distil and index."""


_Work = Callable[[Callable[[str], None], Callable[[], None]], Imported]


async def ask_for_log(app: "App[Any]", context: AppContext) -> Path | None:
    """Ask for a log found on this machine, or for a path."""
    from curator.errors import ImportFailure
    from curator.importers import detect, find_logs

    typed = ""
    logs = (await context.run("import", find_logs))[:_OFFERED]  # the executor "slow" may be busy for minutes
    if logs:
        options = [Option(str(number), one_line(str(path)), kind) for number, (kind, path) in enumerate(logs, 1)]
        options += [Option("p", _OTHER, "a file or a folder")]
        chosen = await app.push_screen_wait(Menu("Import a chat log", options, begins="~/.\\"))
        if chosen is None or any(option.value == chosen != _OTHER for option in options):
            return next((path for kind, path in logs if one_line(str(path)) == chosen), None)
        typed = "" if chosen == _OTHER else chosen

    def problem(path: str) -> str | None:
        """Return the problem with a path, or None. Folders are only searched by the import, which can be stopped."""
        try:
            log = expanded(path)
            if not log.exists():
                return f"no such file or folder: {path}"
            if log.is_file():
                detect(log)
        except ImportFailure as error:
            return str(error)
        except OSError as error:
            return f"{error.strerror}: {path}"
        return None

    async def check(path: str) -> str | None:
        return await context.run("import", problem, path)

    async def complete(path: str) -> str | None:
        return await context.run("import", completed_path, path)

    hint = "A file or a folder · tab completes · enter imports · esc cancels"
    path = await app.push_screen_wait(Ask("Import a chat log", hint, typed, check, complete=complete))
    return expanded(path) if path else None


def import_log(
    store: Store, path: Path, say: Callable[[str], None], rest: Callable[[], None], me: Sequence[str] = ()
) -> Imported:
    """Import a file or folder, distil and index it. Raises the errors of the import and of `say`.

    `rest` may block, and is called while no lock is held. `me` are the person's names in chats among people; raises
    WhoAmI if none of them occurs in such a chat.
    """
    from curator.config import settings
    from curator.services.import_logs import import_paths, index_memories
    from curator.services.search_session import working_embedder

    def ask_me(people: "People", place: str) -> Sequence[str]:
        raise WhoAmI(people, place)

    embedder, notes = working_embedder(store)
    distil = settings().distil.enabled
    done = import_paths(
        store,
        [path],
        embedder if distil else None,
        distil=distil,
        report=_reporter(say, rest),
        me=me,
        ask_me=ask_me,
    )
    if distil and done.batch is not None:
        index_memories(store, embedder, done, _reporter(say))
    refused = sum(done.reasons.values())
    counts = [f"imported {counted(done.conversations, 'conversation')}", counted(done.memories)]
    counts += [f"{refused:,} refused"] if refused else []
    counts += [f"{done.known:,} already known"] if done.known and not done.conversations else []
    counts += [f"{counted(done.redacted, 'secret')} redacted"] if done.redacted else []
    counts += [f"{done.invalid:,} unreadable"] if done.invalid else []
    unnamed = done.reasons["whose_chat"]
    counts += [f"{counted(unnamed, 'chat')} skipped: who are you there?"] if unnamed else []
    return _imported(store, done, " · ".join([*counts, *notes]), refused)


def distil_rest(store: Store, say: Callable[[str], None], rest: Callable[[], None]) -> Imported:
    """Distil the conversations that a stopped import has stored. Raises the errors of distillation."""
    from curator.services.import_logs import distil_all, index_memories
    from curator.services.search_session import working_embedder

    embedder, notes = working_embedder(store)

    done = distil_all(store, embedder, report=_reporter(say, rest))
    if done.batch is not None:
        index_memories(store, embedder, done, _reporter(say))
    line = " · ".join([f"found {counted(done.memories, 'new memory')}", *notes])
    return _imported(store, done, line)


def undone(store: Store) -> int:
    """Return the number of conversations that a stopped import left undistilled. Run in a thread."""
    from curator.config import settings
    from curator.distill import marks

    config = settings().distil
    return len(store.distillation.undistilled(marks())) if config.enabled else 0


def _reporter(say: Callable[[str], None], rest: Callable[[], None] = lambda: None) -> "Report":
    """Return a callback that shows progress, then calls `rest`.

    Do not pass `rest` while the index is written: a search would wait for it.
    """

    def report(progress: "Progress") -> None:
        rest()
        share = f" {progress.done * 100 // progress.total:.0f}%" if progress.total else ""
        say(f"{progress.stage}{share} · {progress.counts}")

    return report


def _imported(store: Store, done: "Summary", line: str, refused: int = 0) -> Imported:
    """Return the result with its details, such as unreadable records, quarantined memories and requests to forget."""
    from curator.services.import_summary import covered_line, ready_memory_lines
    from curator.tui.memories.queries import INBOX

    lines = [f"could not be read: {problem}" for problem in done.unreadable] + done.warnings + ready_memory_lines(done)
    if done.edited:
        lines.append(f"{len(done.edited):,} edited notes are not applied here; `curator import` shows and applies them")
    lines += ["Refused, since you forgot it earlier:"] if done.forgotten else []
    texts = store.tombstones.texts(list(done.forgotten))
    for memory, times in done.forgotten.most_common(_MAX_LISTED):
        words = f"“{one_line(texts[memory])}”" if memory in texts else f"memory {memory} (purged)"
        lines.append(f"  {words}" + (f"  {times:,} times" if times > 1 else ""))
        for match in [match for match in done.matches if match.memory_id == memory][:_MAX_PASSAGES]:
            day = None if match.said_at is None else clock.to_iso(match.said_at)[:10]
            where = (source(match.source), one_line(match.title or ""), day)
            lines.append("     " + " · ".join([f"said: {one_line(match.words)}", *(part for part in where if part)]))
    end = (
        (done.covered, covered_line(done)),
        (len(done.forgotten) > _MAX_LISTED, f"  and {len(done.forgotten) - _MAX_LISTED:,} more"),
        (done.quarantined, f"{counted(done.quarantined)} quarantined as instructions to a model: see is:quarantined"),
        (done.held, f"{counted(done.held)} quarantined, similar to what you forgot or rejected: see is:quarantined"),
        (done.held_back, f"{counted(done.held_back)} quarantined, asked to be forgotten in a chat: see is:quarantined"),
    )
    lines += [line for holds, line in end if holds]
    lines += [f"request to forget in a chat: {request}" for request in done.forget_requests]
    reviewable = bool(done.memories) and store.count(INBOX) > 0
    returned, requests = tuple(done.forgotten), bool(done.forget_requests)
    return Imported(line, "\n".join(lines), returned, refused, requests, reviewable)


class ImportController:
    """Runs one import at a time in a thread; imported memories are shown immediately."""

    def __init__(self, app: "BaseApp", context: AppContext, import_log: ImportLog) -> None:
        self._app = app
        self.context = context
        self._import_log = import_log
        self._stopping = False
        self._began = ("", 0.0)  # the view and the time of the last key at the start

    @property
    def running(self) -> bool:
        """True while an import runs."""
        return any(worker.group == "import" and not worker.is_finished for worker in self._app.workers)

    def stop(self) -> None:
        """Stop the import at its next step."""
        self._stopping = True

    def choose(self) -> None:
        """Ask for a log, and import it."""
        if self.running:
            self._app.say("an import is running; `stop import` in the palette stops it")
        else:
            self._app.begin_dialog(self._choose)

    async def _choose(self) -> None:
        path = await ask_for_log(self._app, self.context)
        if path is not None and not self.running:
            self._app.say(f"importing {path}")
            self._start(partial(self._import_log, self.context.store, path), path)

    def distil(self) -> None:
        """Distil the conversations that a stopped import has stored."""
        if not self.running:
            self._start(partial(distil_rest, self.context.store))

    async def _name_me(self, path: Path, me: tuple[str, ...], question: WhoAmI) -> None:
        """Ask which of these people is the user, and import the log with that name."""
        people = question.people
        names = {one_line(name): name for name in sorted(people, key=lambda name: (-people[name], name))}
        listed = list(names)[:_PEOPLE]
        options = [Option(str(number), name, f"{people[names[name]]:,}") for number, name in enumerate(listed, 1)]
        options += [Option("p", _OTHER_NAME, f"{len(names):,} people")] if len(names) > len(listed) else []
        asked = f"Chat {one_line(question.place)}: which one is you?"
        chosen = await self._app.push_screen_wait(Menu(asked, options))
        if chosen == _OTHER_NAME:

            async def problem(typed: str) -> str | None:
                return None if typed.strip() in names else f"nobody in it is named {typed.strip()}"

            hint = "The name as it is in the chat · enter imports · esc cancels"
            chosen = await self._app.push_screen_wait(Ask("Your name", hint, check=problem))
        name = names.get((chosen or "").strip())
        if name is None:
            self._app.say("not imported: choose your name in the chat first")
        elif not self.running:
            self._start(partial(self._import_log, self.context.store, path, me=(*me, name)), path, (*me, name))

    def _start(self, work: _Work, path: Path | None = None, me: tuple[str, ...] = ()) -> None:
        self._stopping = False
        self._began = (self._app.view.NAME, self.context.idle_gate.last_key)
        self._app.begin(partial(self._run, work, path, me), "import")

    async def _run(self, work: _Work, path: Path | None, me: tuple[str, ...]) -> None:
        """Import in a thread, with progress in the status bar, and show the result."""
        app, context, loop = self._app, self.context, asyncio.get_running_loop()
        last_shown, stop = monotonic(), f"{first_key(app, 'palette')} stop import"
        before = await context.run("watch", context.undo_state.next_to_undo)

        async def has_written() -> bool:
            return (await context.run("watch", context.undo_state.next_to_undo) or 0) > (before or 0)

        def progress(message: str) -> None:
            nonlocal last_shown
            if context.closing or self._stopping:
                raise Stopped
            if monotonic() > last_shown + SHOWN:  # limits updates: an import may read a thousand conversations a second
                last_shown = monotonic()
                loop.call_soon_threadsafe(partial(app.say, message, hint=stop))

        try:
            summary = await context.run("import", work, progress, context.idle_gate.wait)
        except WhoAmI as question:
            if path is not None:
                app.begin_dialog(partial(self._name_me, path, me, question))
            return
        except Stopped:
            app.say("import stopped, progress is kept", hint="import again to continue", undo=await has_written())
            return
        finally:
            app.view.follow()
        context.forgotten_matches = summary.returned
        context.undistilled = await context.run("slow", undone, context.store)
        key = first_key(app, "refused") or "`refused`"
        hint = f"{key} in Inbox: refused passages" if summary.refused else ""
        app.say(summary.line, Tone.GOOD, hint, undo=await has_written())
        last_key = context.idle_gate.last_key
        rests = last_key == self._began[1] or monotonic() > last_key + _RESTS  # else the person is active in this view
        view = app.view.NAME
        if summary.reviewable and rests and view == self._began[0]:
            app.view.go("inbox", Target())
        app.work_if_worth()
        if summary.more:
            asked, lines = first_key(app, "forget-requests") or "`forget requests` in the palette", [summary.more]
            if summary.requests:
                lines.append(f"Nothing was forgotten yet: {asked} shows the memories they may refer to.")
            if summary.returned:
                lines.append(f"{asked} lists the forgotten memories that came back; restore one to keep it.")
            app.push_screen(Page("\n".join(lines), "Import details"))

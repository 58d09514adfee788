"""Carrying out verbs on memories: at once where that is certain, with a question where it is due."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from curator.tui import verbs
from curator.tui.formatting import counted
from curator.tui.list_view import ListView
from curator.tui.memories import queries, verb_dialogs
from curator.tui.memories.verb_dialogs import Asked, NotApplicable
from curator.tui.verbs import Done, Verb
from curator.tui.view import Tone
from store import StoreError
from store.model import Life, Memory, Review

if TYPE_CHECKING:
    from curator.tui.memories.browser import Browser


class Verbs:
    """The verbs on their way in one area; `writing` is how many. An area says in `carry_out` how one is done there."""

    def __init__(self, view: ListView) -> None:
        self._view = view
        self.writing = 0

    def decide(self, name: str, memories: list[int]) -> None:
        """Do a verb by the name its key has."""
        view, current = self._view, self._view.rows.current
        if not memories or current is None:
            return
        if name in verb_dialogs.DIALOGS:
            asked = Asked(view.app, view.context, memories, current, self._perform)
            view.begin(partial(self.reported, partial(verb_dialogs.DIALOGS[name], asked)), "asking")
        else:
            self._decide(verbs.PLAIN[name], memories)

    def repeat(self, memories: list[int]) -> None:
        """Do the last verb again."""
        verb = self._view.context.last_verb
        if memories and verb is not None:
            self._decide(verb, memories)

    def _decide(self, verb: Verb, memories: list[int]) -> None:
        """Start a verb, after a question if it is many, or if it validates what is in quarantine."""
        known = map(self.known, memories)
        if verb.review is Review.VALIDATED and any(memory is None or memory.quarantined for memory in known):
            self._view.begin(partial(self.reported, partial(self._confirm, verb, memories)), "asking")
        else:
            self._start_sure(verb, memories)

    async def _confirm(self, verb: Verb, memories: list[int]) -> None:
        """Ask about what is in quarantine, then start a verb."""
        view = self._view
        sure = await verb_dialogs.confirm_quarantined(view.context, view.app, memories)
        if sure is None:
            self._start_sure(verb, memories)
        elif sure:
            self.start(verb, memories)

    def known(self, number: int) -> Memory | None:
        """Return a memory that is listed, as far as it is known without asking."""
        raise NotImplementedError

    def _start_sure(self, verb: Verb, memories: list[int]) -> None:
        """Start a verb, after a question if it is many."""
        question = f"{verb.name.capitalize()} {counted(len(memories))}?"
        verb_dialogs.when_sure(self._view.app, len(memories), question, partial(self.start, verb, memories))

    async def reported(self, asking: Callable[[], Awaitable[None]]) -> None:
        """Ask, and say what speaks against it."""
        try:
            await asking()
        except (StoreError, ValueError) as error:
            self._view.say(str(error), Tone.PLAIN if isinstance(error, NotApplicable) else Tone.BAD)

    def start(self, verb: Verb, memories: list[int]) -> None:
        """Begin to write."""
        self._view.begin(
            partial(self.carry_out, verb, memories, self._given(verb, memories)), "writes", exclusive=False
        )

    def _given(self, verb: Verb, memories: list[int]) -> frozenset[int]:
        """Note, before it is done, that a verb was given: `.` means it from now on, and the next key finds the marks of
        these memories gone. Returns those marks.
        """
        self.writing += 1
        if verb.repeats:
            self._view.context.last_verb = verb.again or verb
        marked = frozenset(self._view.rows.marks.intersection(memories))
        self._view.rows.unmark(memories)
        return marked

    async def _write(self, verb: Verb, memories: list[int], marked: frozenset[int]) -> Done:
        """Do it in the lane that writes; where it fails, what was marked is marked again."""
        context, rows = self._view.context, self._view.rows
        try:
            return await context.executors["writes"].run(partial(verbs.carry_out, context.store, verb, memories))
        except Exception:
            if marked:
                rows.mark(rows.marks | marked)
            raise
        finally:
            self.writing -= 1

    async def _perform(self, verb: Verb, memories: list[int]) -> str | None:
        """Carry out a verb that has been asked about; what spoke against it is returned, and shown there."""
        return await self._view.apart(partial(self.carry_out, verb, memories, self._given(verb, memories)))

    async def carry_out(self, verb: Verb, memories: list[int], marked: frozenset[int]) -> str | None:
        """Do it, say so, and bring the area up to date; what spoke against it is returned."""
        raise NotImplementedError


class ListVerbs(Verbs):
    """Verbs in a list of memories: what a key did shows before the disk has it.

    `left` are memories taken out of the list before it was read again.
    """

    _view: "Browser"

    def __init__(self, view: "Browser") -> None:
        super().__init__(view)
        self.left: set[int] = set()
        self.stood: int | None = None  # the memory under the cursor when the last verb began

    def known(self, number: int) -> Memory | None:
        """Return a row of the list."""
        return self._view.list.row(number)

    def _decide(self, verb: Verb, memories: list[int]) -> None:
        """Start a verb on all that it concerns."""
        super()._decide(*self._view.together(verb, memories))

    def start(self, verb: Verb, memories: list[int]) -> None:
        """Begin to write. What it does to the one under the cursor is shown before it is done."""
        view = self._view
        self.stood = view.list.current
        here = view.list.current in memories and not view.list.marks
        only = view.list.row(memories[0]) if here and len(memories) == 1 else None
        if here and verb.leaves(view.wanted.query.filter):
            self.left.update(memories)
            view.list.take_out(memories)
            view.update_bars()
        elif only is not None and verb.advances:
            view.list.move(1)
        marked = self._given(verb, memories)
        view.begin(partial(self._carry_out, verb, memories, marked, only), "writes", exclusive=False)

    async def carry_out(self, verb: Verb, memories: list[int], marked: frozenset[int]) -> str | None:
        """Do what has been asked about."""
        if verb.life is Life.PURGED:
            self._view.say("purging: the files are written anew …")
        self.stood = self._view.list.current
        only = self._view.list.row(memories[0]) if len(memories) == 1 else None
        return await self._carry_out(verb, memories, marked, only)

    async def _carry_out(
        self, verb: Verb, memories: list[int], marked: frozenset[int], only: Memory | None
    ) -> str | None:
        """Do it, say so, and bring the list up to date: by its row if it was one, else by reading again."""
        view, context = self._view, self._view.context
        try:
            done = await self._write(verb, memories, marked)
        except Exception as error:
            self.left.clear()
            view.begin(partial(view.load, memories[:1]), "ids")
            if not isinstance(error, StoreError | ValueError):
                raise
            view.say(str(error), Tone.BAD)
            return str(error)
        told = verbs.told(verb, done, only)
        context.steps.say(done.step, told)
        view.say(told, Tone.GOOD, undo=done.changed > 0 and verb.undoable)
        if done.changed:
            view.decided(verb, memories)
        if only is None or not done.alone or done.before != view.seen or only.id in view.list.alerted:
            view.begin(partial(view.load, ()), "ids")
        else:
            view.seen = done.after
            if only.id not in self.left:
                row = await context.executors["rows"].run(
                    partial(queries.still, context.store, view.wanted.query, only.id)
                )
                if row is not None:
                    view.list.take([row])
                else:
                    view.list.take_out([only.id])
                view.detail.begin()
            view.update_bars()
            view.count_facets()
            if view.bare:  # what is live no more is not known yet
                view.begin(partial(view.load, ()), "ids")
        return None

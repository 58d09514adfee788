"""Base of the Inbox and Memories views: verbs on the list, and actions on details."""

from dataclasses import replace
from functools import partial
from typing import ClassVar

from curator.display import counted
from curator.tui import verbs
from curator.tui.actions import LISTS, VERBS, Action, bindings
from curator.tui.keymap import key_hint
from curator.tui.memories import queries
from curator.tui.memories.memory_list_view import MemoryListView
from curator.tui.memories.queries import Listing
from curator.tui.messages import StatusMessage, Target
from curator.tui.text_format import excerpt
from curator.tui.verbs import Done, Verb
from store.model import Life

_NEAR = 50  # related memories listed
_ON_ONE = frozenset("open source history copy related side_by_side".split())
_MOVES = frozenset("back move page first last scroll_detail unfold accept_wording keep_wording".split())
_ON_LIST = frozenset("move page first last mark range extend mark_all scroll_detail".split())


class Browser(MemoryListView):
    """A list of memories on which every verb works."""

    BINDINGS = bindings((*VERBS, *LISTS))
    NOTHING: ClassVar[str] = "no memories"  # shown if a key has no memory to act on
    _offered: tuple[int, object] | None = None  # a validated memory with a conflict, and the row then under the cursor
    _settling = False  # True while the list is read again after that validation

    # Enabled actions

    def enables(self, action: str, parameters: tuple[object, ...]) -> bool:
        """Enable verbs on memories they apply to, and esc only if there is something to close or leave."""
        some, current = bool(self.list.ids), self.list.current
        match action:
            case "back":
                layers = (self.line.text, self.list.marks, self.wanted.only, self.returns)
                return any(layers) or self.line.typing or self.facets.has_focus or self.has_class("-reading")
            case "decide":
                live = (row := self.memory) is None or row.life is Life.LIVE
                marked = bool(self.list.marks)
                if parameters == ("restore",):
                    return some and (not live or (marked and self.wanted.filter.lives != (Life.LIVE,)))
                return some and (live or marked)
            case "accept_wording" | "keep_wording":
                return self.pane.proposed(current) is not None
            case "repeat":
                return some and self.context.last_verb is not None
            case "open":
                return some and not (self.line.typing or self.has_class("-reading"))
            case "find_conflict":
                return bool(self.list.alerted)
            case "search" | "filter" | "sort":
                return not self.nothing_to_search
            case "demo":
                return self.nothing_to_search
        return some or action not in _ON_LIST | _ON_ONE

    def refuses(self, action: str) -> str:
        """Say that nothing is listed if an action needs a memory."""
        if self.list.ids or not self.full or action in _MOVES:
            return ""
        return self.NOTHING if self.nothing_listed else "no memories listed"

    # Marking

    def action_mark(self) -> None:
        """Mark and move down; in the facets, choose the value under the cursor."""
        if self.facets.has_focus:
            self.facets.choose()
        else:
            super().action_mark()

    def action_mark_all(self) -> None:
        """Mark all listed memories, or none; if the list is not fully read, only remove the marks."""
        if self.full:
            super().action_mark_all()
        else:
            self.list.mark(())

    # Verbs

    def action_decide(self, name: str) -> None:
        """Run a verb on the marked memories, else on the one under the cursor."""
        if self.outdated:
            self.say("still searching: try again in a moment")
        elif not self.reports_problem():
            super().action_decide(name)

    def action_repeat(self) -> None:
        """Repeat the last verb."""
        if not self.outdated and not self.reports_problem():
            super().action_repeat()

    def action_accept_wording(self) -> None:
        """Accept the wording proposed for the memory under the cursor."""
        if (proposed := self.pane.proposed(self.list.current)) is not None:
            self.start(verbs.accept_wording_verb(proposed.wording.text), [proposed.wording.memory])

    def action_keep_wording(self) -> None:
        """Keep the current wording, and drop the proposed one."""
        if (proposed := self.pane.proposed(self.list.current)) is not None:
            self.start(verbs.KEEP_WORDING, [proposed.wording.memory])

    def concerned(self, verb: str = "") -> list[int]:
        """Return the marked memories in list order, else the one under the cursor.

        Return none while some marked memories are not listed, for example while the list is read: a verb must apply to
        all or none of them.
        """
        ids = self.list.concerned
        if len(ids) < len(self.list.marks):
            self.say_of_marks("still loading the marked memories: try again in a moment")
            return []
        return ids

    def start(self, verb: Verb, memories: list[int]) -> None:
        """Start a verb, and show its effect on the memory under the cursor at once."""
        here = self.list.current in memories and not self.list.marks
        write = self.prepare(verb, memories)
        if here and verb.leaves(self.wanted.filter):
            self.removed.update(memories)
            self.list.take_out(memories)
            self.update_bars()
        elif here and len(memories) == 1 and verb.advances and not verb.is_done(self.loaded_row(memories[0])):
            self.list.move(1)
        self.write(write)

    def verb_failed(self, memories: list[int]) -> None:
        """Read the list again, with the cursor on the unchanged memory."""
        self.removed.clear()
        self.reload(memories[:1])

    def verb_done(self, verb: Verb, memories: list[int], done: Done, message: StatusMessage) -> None:
        """Update the row if nothing else has changed, else read the list again."""
        only = memories[0] if len(memories) == 1 else None
        alerted = only in self.list.alerted
        self._offered, self._settling = None, False
        if (conflict := done.conflict) is not None:
            what = "validated, but it" if only else f"{message.text}, but one"
            message.text, message.hint = f"{what} {conflict.text()}", key_hint(self.app, "side-by-side")
            message.hint_first = True  # without room for both, the footer still shows the undo key
            self._offered = conflict.memory_id, self._row()
            message.holds = lambda: self._opposed() is not None
        if only is None or alerted or not done.alone or done.before != self.seen:
            self._settling = True
            self.reload()
            return
        self.seen = done.after
        if only in self.removed:
            self._row_updated()
        else:
            self.begin(partial(self._update_row, only), "row", exclusive=False)

    async def _update_row(self, memory_id: int) -> None:
        row = await self.context.run("rows", queries.refetch_if_listed, self.context.store, self.wanted, memory_id)
        if row is not None:
            self.list.take([row])
        else:
            self.list.take_out([memory_id])
        self.pane.read(self.list.current)
        self._row_updated()

    def _row_updated(self) -> None:
        self.update_bars()
        self.count_facets()
        if self.nothing_listed:  # counts of memories that are not live are not known yet
            self.reload()

    # Details

    def suggests(self, action: Action) -> bool:
        """Return False for `side_by_side` on a memory without a conflict."""
        return action.name != "side_by_side" or self.list.current in self.list.alerted or self._opposed() is not None

    def action_find_conflict(self) -> None:
        """Go to the next memory with a conflict."""
        if not self.list.next_alerted():
            self.say("no memory in this list has a conflict")

    def action_side_by_side(self) -> None:
        """Open the conflicts of the memory that was just validated, else of the one under the cursor."""
        memory, opposed = self.list.current, self._opposed()
        if opposed is None and memory not in self.list.alerted:
            self.say("no open conflict", while_same=lambda: self.list.current)
        else:
            self._offered = None
            self.go("conflicts", Target(memory_id=opposed or memory))

    def show_listing(self, listing: Listing) -> None:
        """Show a list; the offer on the status bar stays if the list was read because of a validation."""
        opposed = self._opposed() if self._settling else None
        super().show_listing(listing)
        if opposed is not None:
            self._offered, self._settling = (opposed, self._row()), False

    def _opposed(self) -> int | None:
        """Return the memory whose conflict the status bar offers, until the cursor moves or another list is shown."""
        if self._offered is not None and self._offered[1] == self._row():
            return self._offered[0]
        return None

    def _row(self) -> object:
        """Return the memory under the cursor and the list, which is the same when it is read again at a later time."""
        query = self.wanted
        return self.list.current, self.line.text, query.only, query.sort, query.descending

    def action_related(self) -> None:
        """List the memories most similar to the one under the cursor."""
        if self.list.current is not None:
            self.say("searching for similar memories …")
            self.begin(partial(self._list_related, self.list.current), "related")

    async def _list_related(self, memory_id: int) -> None:
        from curator.compare.related import related

        context = self.context
        neighbours = await context.run("slow", lambda: related(context.store, memory_id, context.index(), _NEAR))
        if not neighbours:
            self.say("no similar memories found", while_same=lambda: self.list.current)
            return
        row = await context.run("rows", context.store.get, memory_id)
        only, title = (memory_id, *(near.memory.id for near in neighbours)), f"similar to “{excerpt(row.text)}”"
        self.wanted = replace(self.wanted, only=only, title=title)
        message = f"{counted(len(neighbours), 'similar memory')}, closest first"
        self.say(message, hint="esc back", while_same=lambda: self.wanted.only)
        await self.load((memory_id,), fresh=True)

    def action_copy(self) -> None:
        """Copy the text of the marked memories, else of the one under the cursor."""
        if concerned := self.concerned():
            self.begin(partial(self._copy, concerned), "copy")

    async def _copy(self, memories: list[int]) -> None:
        rows = await self.context.run("rows", self.context.store.get_many, memories)
        self.copy("\n".join(memory.text for memory in rows), f"copied {counted(len(rows))}")

    def no_source(self, memory_id: int, quoted: bool) -> str:
        """Return the reason that the memory under the cursor has no source here."""
        return (
            "its conversation is not in this store"
            if quoted
            else "no conversation: it was typed, or imported as a memory"
        )

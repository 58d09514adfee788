"""The lists at the left of Sources: conversations, messages that were found, and what was refused.

Each reads itself in a lane and says what its cursor is on.
"""

from array import array
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from textual.content import Content

from curator.tui.context import AppContext
from curator.tui.formatting import counted, one_line
from curator.tui.labels import source
from curator.tui.screens.dialogs import Option
from curator.tui.sources import queries
from curator.tui.sources.conversation_list import ConversationList
from curator.tui.sources.hit_list import FoundList
from curator.tui.sources.queries import Candidate, Place
from curator.tui.sources.refusal_list import RefusalList
from curator.tui.widgets.virtual_list import VirtualList, find
from store.model import Conversation, Refusal

PORTION = 2_000  # refusals read at once; more are when the cursor comes near the end
_NEAR = 500
_AROUND = 120  # rows read with a list, before and after the cursor
_BELOW = 64  # rows below the cursor that it goes to where its own is gone
_KEYS = "abcdefghiklmoprstuvwxyz0123456789"
ALL, MORE = "all", "more"  # in a menu: not narrowed down, and what has no room there


class Talks:
    """All conversations, newest first, or those of one source."""

    def __init__(self, context: AppContext) -> None:
        self.context = context
        self.rows = ConversationList(context.glyphs, context.now())
        self.only: str | None = None  # a source

    async def load(self, near: Sequence[int] = (), fresh: bool = False) -> int:
        """Read the list; the cursor goes to the first of `near`, else it stays. Returns the event it is right for."""
        rows, store = self.rows, self.context.store
        near, index = _staying(rows, near, fresh)

        def read() -> tuple[int, "array[int]", int, list[Conversation]]:
            seq, ids = store.journal.seq(), array("q", store.raw.conversation_ids(self.only))
            cursor = find(ids, near, index)
            return seq, ids, cursor, store.raw.get_conversations(ids[max(cursor - _AROUND, 0) : cursor + _AROUND])

        current = rows.current
        seq, ids, cursor, known = await self.context.executors["ids"].run(read)
        rows.now = self.context.now()
        _put(rows, ids, {row.id: row for row in known}, cursor, current, fresh or bool(near and near[0] != current))
        return seq

    async def fetch(self, pages: tuple[tuple[int, ...], ...]) -> None:
        """Read the rows that the list lacks."""
        for page in pages:
            work = partial(self.context.store.raw.get_conversations, page)
            self.rows.fill({row.id: row for row in await self.context.executors["rows"].run(work)})

    def place(self) -> Place | None:
        """What the cursor is on."""
        return None if self.rows.current is None else Place(self.rows.current)

    def counted(self) -> Content:
        """How many there are."""
        return Content.styled(counted(len(self.rows.ids), "conversation"), "$muted")

    @property
    def ahead(self) -> str:
        """What narrows the list down."""
        return "" if self.only is None else f"source: {one_line(source(self.only) or '')}"

    async def options(self) -> tuple[str, list[Option]]:
        """What it can be narrowed down to."""
        counts = await self.context.executors["facets"].run(self.context.store.raw.conversation_counts)
        everything = sum(count for _, count in counts)
        names = [Option("*", ALL, f"{everything:>7,}")]
        names += [Option(key, name, f"{count:>7,}") for key, (name, count) in zip(_KEYS, counts, strict=False)]
        return "Conversations of one source", names


class Found:
    """The messages that hold the words of a search, best first."""

    def __init__(self, context: AppContext) -> None:
        self.context = context
        self.rows = FoundList(context.glyphs, context.now())
        self.query = ""

    async def search(self, query: str) -> None:
        """Look for other words. Raises StoreError: Busy, Unusable."""
        context = self.context
        hits = await context.executors["slow"].run(lambda: queries.search(context.store, context.index(), query))
        self.query, self.rows.sought, self.rows.now = query, queries.sought(query), context.now()
        numbers = array("q", (hit.place.message or 0 for hit in hits))
        self.rows.show_rows(numbers, dict(zip(numbers, hits, strict=True)))

    async def load(self, near: Sequence[int] = (), fresh: bool = False) -> int:
        """What was found stays until something else is looked for."""
        return await self.context.executors["ids"].run(self.context.store.journal.seq)

    async def fetch(self, pages: tuple[tuple[int, ...], ...]) -> None:
        """Every row is there."""

    def place(self) -> Place | None:
        """What the cursor is on."""
        row = None if self.rows.current is None else self.rows.row(self.rows.current)
        return None if row is None else row.place

    def counted(self) -> Content:
        """How many there are."""
        more = "the best " if len(self.rows.ids) == queries.FOUND else ""
        return Content.styled(f"{more}{counted(len(self.rows.ids), 'message')}", "$muted")

    @property
    def ahead(self) -> str:
        """Nothing narrows it down but its words, which stand there."""
        return ""

    async def options(self) -> tuple[str, list[Option]]:
        """It cannot be narrowed down but by other words."""
        return "", []


class Refused:
    """What the gates refused and nobody took in: stored last first, for one reason or any."""

    def __init__(self, context: AppContext) -> None:
        self.context = context
        self.rows = RefusalList(context.glyphs, context.now())
        self.only: str | None = None  # a reason
        self.whole = False  # whether the last is listed
        self.all: int | None = None  # how many there are for this reason, once it is counted
        self._numbers: dict[tuple[int, int, int], int] = {}  # of each refusal, the same as long as the app runs
        self._refusals: dict[int, Refusal] = {}
        self._left: set[int] = set()  # taken out of the list before the store has it

    async def load(self, near: Sequence[int] = (), fresh: bool = False) -> int:
        """Read the list, as far as it was read; the cursor goes to the first of `near`, else it stays."""
        rows, store = self.rows, self.context.store
        near, index = _staying(rows, near, fresh)
        limit = PORTION if fresh else max(len(rows.ids) + len(self._left), PORTION)

        def read() -> tuple[int, list[Refusal], list[Candidate]]:
            seq, found = store.journal.seq(), store.distillation.refused(self.only, None, limit)
            return seq, found, queries.candidates(store, found[:_AROUND])

        current = rows.current
        seq, found, first = await self.context.executors["ids"].run(read)
        self.whole = len(found) < limit
        ids = array("q", (number for number in self._numbered(found) if number not in self._left))
        rows.marks &= set(ids)
        rows.now = self.context.now()
        known = {number: row for number in ids if (row := rows.row(number)) is not None}
        known |= {self.number(row.refusal): row for row in first}
        _put(rows, ids, known, find(ids, near, index), current, fresh or bool(near and near[0] != current))
        return seq

    async def count(self) -> None:
        """Count them all: half a second where there are hundreds of thousands."""
        counts = dict(await self.context.executors["facets"].run(self.context.store.distillation.refused_counts))
        self.all = sum(counts.values()) if self.only is None else counts.get(self.only, 0)

    @property
    def ends_soon(self) -> bool:
        """Whether the cursor or the view is near the end of what was read, and there is more."""
        rows = self.rows
        return not self.whole and bool(rows.ids) and max(rows.cursor, rows.scroll_y) >= len(rows.ids) - _NEAR

    async def go_on(self) -> None:
        """Read a portion more, unless the list ends elsewhere by then."""
        end, only = self.rows.ids[-1], self.only
        last = self._refusals[end]
        work = partial(self.context.store.distillation.refused, only, (last.message, last.start, last.end), PORTION)
        found = await self.context.executors["ids"].run(work)
        if only != self.only or self.rows.ids[-1:] != array("q", [end]):
            return
        self.whole = len(found) < PORTION
        self.rows.extend_rows(self._numbered(found))

    async def fetch(self, pages: tuple[tuple[int, ...], ...]) -> None:
        """Read the rows that the list lacks."""
        for page in pages:
            refusals = [self._refusals[number] for number in page]
            work = partial(queries.candidates, self.context.store, refusals)
            found = await self.context.executors["rows"].run(work)
            self.rows.fill({self.number(row.refusal): row for row in found})

    def leave(self, refusals: Sequence[Refusal]) -> None:
        """Take some out of the list: they are being taken in."""
        rows, here = self.rows, self.rows.cursor
        leaving = set(map(self.number, refusals))
        self._left |= leaving
        ids = array("q", (number for number in rows.ids if number not in leaving))
        gone = len(rows.ids) - len(ids)
        if not gone:
            return
        here -= sum(number in leaving for number in rows.ids[:here])
        known = {number: row for number in ids if (row := rows.row(number)) is not None}
        rows.marks -= leaving
        rows.show_rows(ids, known, here, here - round(rows.scroll_y))
        if self.all is not None:
            self.all -= gone

    def back(self) -> None:
        """What was taken out is listed again where the store still has it."""
        self._left.clear()

    def number(self, refusal: Refusal) -> int:
        """What a refusal is called in the list."""
        number = self._numbers.setdefault((refusal.message, refusal.start, refusal.end), len(self._numbers))
        self._refusals[number] = refusal
        return number

    def _numbered(self, refusals: Sequence[Refusal]) -> "array[int]":
        return array("q", map(self.number, refusals))

    def concerned(self) -> list[Refusal]:
        """The marked ones in the order of the list, else the one under the cursor."""
        rows = self.rows
        marked = [number for number in rows.ids if number in rows.marks] if rows.marks else []
        current = [] if rows.current is None else [rows.current]
        return [self._refusals[number] for number in marked or current]

    def place(self) -> Place | None:
        """What the cursor is on; None while it is being read."""
        row: Candidate | None = None if self.rows.current is None else self.rows.row(self.rows.current)
        return None if row is None else row.place

    def counted(self) -> Content:
        """How many there are and how many are marked."""
        listed = len(self.rows.ids)
        number = f"{listed:,}" if self.whole or self.all is None else f"{self.all:,}"
        number += "+" if not self.whole and self.all is None else ""
        if self.rows.marks:
            return Content.assemble((f"{len(self.rows.marks):,} marked", "bold $mark"), (f" of {number}", "$muted"))
        return Content.styled(f"{number} refused", "$muted")

    @property
    def ahead(self) -> str:
        """What is listed."""
        return "refused" if self.only is None else f"refused: {one_line(self.only)}"

    async def options(self) -> tuple[str, list[Option]]:
        """The reasons, with how often each was one."""
        store = self.context.store

        def read() -> list[tuple[str, int, str]]:
            return [(reason, count, queries.why(reason)) for reason, count in store.distillation.refused_counts()]

        counts = await self.context.executors["facets"].run(read)
        names = [Option("*", ALL, f"{sum(count for _, count, _ in counts):>7,}")]
        names += [Option(key, name, f"{n:>7,}  {why}") for key, (name, n, why) in zip(_KEYS, counts, strict=False)]
        return "What was refused for one reason", names


Shelf = Talks | Found | Refused


def _staying(rows: VirtualList[Any], near: Sequence[int], fresh: bool) -> tuple[Sequence[int], int]:
    """Where the cursor can go, first choice first, and the place for it where none of these is listed."""
    here = () if fresh else rows.ids[rows.cursor : rows.cursor + _BELOW]
    return (*near, *here), 0 if fresh else rows.cursor


def _put(
    rows: VirtualList[Any], ids: "array[int]", known: Mapping[int, Any], cursor: int, former: int | None, fresh: bool
) -> None:
    """Show a list that was read; the cursor stays on its line of the view, and where it went to meanwhile."""
    line = rows.cursor - round(rows.scroll_y)
    in_view = 0 <= line < rows.page
    if not fresh and rows.current is not None and rows.current != former:
        cursor = find(ids, [rows.current], cursor)
    rows.show_rows(ids, known, cursor, line if in_view and not fresh else None, still=not (in_view or fresh))

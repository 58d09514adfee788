"""Loaders of the lists on the left of Sources: conversations, messages that were found, refused passages.

Each reads its rows in a thread.
"""

from array import array
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Generic, TypeVar

from textual.content import Content

from curator.tui.context import AppContext
from curator.tui.cursor import place_of
from curator.tui.labels import source
from curator.tui.screens.dialogs import Option
from curator.tui.sources import queries
from curator.tui.sources.queries import Candidate, Hit, Place
from curator.tui.sources.rows import AgedList, ConversationList, MessageHitList, RefusalList
from curator.tui.text_format import counted, one_line
from store.model import Conversation, Refusal

PORTION = 2_000  # refusals read at once; more are when the cursor comes near the end
_NEAR = 500
_AROUND = 120  # rows read with a list, before and after the cursor
_BELOW = 64  # rows below the cursor that it goes to where its own is gone
_KEYS = "abcdefghiklmoprstuvwxyz0123456789"
ALL, MORE = "all", "more"  # in a menu: no filter, and what has no room there

Rows = TypeVar("Rows", bound=AgedList[Any])


class Loader(Generic[Rows]):
    """A list and what it shows; `only` is a source or a reason that filters it."""

    title = ""  # of the menu of filters
    empty = ("", "")

    def __init__(self, context: AppContext, rows: Rows) -> None:
        self.context, self.rows = context, rows
        self.only: str | None = None

    async def load(self, near: Sequence[int] = (), fresh: bool = False) -> int:
        """Read the list; the cursor goes to the first of `near`, else it stays. Returns the event it is right for."""
        return await self.context.executors["ids"].run(self.context.store.journal.seq)

    async def fetch(self, pages: tuple[tuple[int, ...], ...]) -> None:
        """Read the rows that the list lacks."""
        for page in pages:
            self.rows.fill(await self.context.executors["rows"].run(partial(self._read, page)))

    def _read(self, ids: Sequence[int]) -> Mapping[int, Any]:
        """Return rows by their numbers; in a thread."""
        return {}

    @property
    def place(self) -> Place | None:
        """The place of the row under the cursor; None while it is being read."""
        row = None if self.rows.current is None else self.rows.row(self.rows.current)
        return None if row is None else row.place

    def counted(self) -> Content:
        """Return how many there are."""
        return Content()

    @property
    def ahead(self) -> str:
        """The filter in words."""
        return ""

    def _filters(self) -> list[tuple[str, int, str]]:
        """Return the filters, how much each lists, and what it means; in a thread."""
        return []

    async def options(self) -> list[Option]:
        """Return the filters with their counts and what they mean."""
        filters = await self.context.executors["facets"].run(self._filters)
        options = [Option("*", ALL, f"{sum(count for _, count, _ in filters):>7,}")]
        for key, (name, count, meaning) in zip(_KEYS, filters, strict=False):
            options.append(Option(key, name, f"{count:>7,}  {meaning}".rstrip()))
        return options

    def _anchors(self, near: Sequence[int], fresh: bool) -> tuple[Sequence[int], int]:
        """Return rows for the cursor, first choice first, and its place if none of these is listed."""
        rows = self.rows
        here = () if fresh else rows.ids[rows.cursor : rows.cursor + _BELOW]
        return (*near, *here), 0 if fresh else rows.cursor

    def _show(
        self,
        ids: "array[int]",
        known: Mapping[int, Any],
        cursor: int,
        former: int | None,
        near: Sequence[int],
        fresh: bool,
    ) -> None:
        """Show a list that was read; the cursor stays on its line of the view, and where it went to meanwhile."""
        rows, fresh = self.rows, fresh or bool(near and near[0] != former)
        rows.now = self.context.now()
        line = rows.cursor - round(rows.scroll_y)
        in_view = 0 <= line < rows.page
        if not fresh and rows.current is not None and rows.current != former:
            cursor = place_of(ids, [rows.current], cursor)
        rows.show_rows(ids, known, cursor, line if in_view and not fresh else None, still=not (in_view or fresh))


class ConversationLoader(Loader[ConversationList]):
    """All conversations, newest first, or those of one source."""

    title = "Source"
    empty = ("No conversations yet. ", "Import a chat log to read it here with its memories.")

    def __init__(self, context: AppContext) -> None:
        super().__init__(context, ConversationList(context.glyphs, context.now()))

    async def load(self, near: Sequence[int] = (), fresh: bool = False) -> int:
        """Read the list; the cursor goes to the first of `near`, else it stays. Returns the event it is right for."""
        store, current = self.context.store, self.rows.current
        anchors, index = self._anchors(near, fresh)

        def read() -> tuple[int, "array[int]", int, Mapping[int, Conversation]]:
            seq, ids = store.journal.seq(), array("q", store.raw.conversation_ids(self.only))
            cursor = place_of(ids, anchors, index)
            return seq, ids, cursor, self._read(ids[max(cursor - _AROUND, 0) : cursor + _AROUND])

        seq, ids, cursor, known = await self.context.executors["ids"].run(read)
        self._show(ids, known, cursor, current, anchors, fresh)
        return seq

    def _read(self, ids: Sequence[int]) -> Mapping[int, Conversation]:
        return {row.id: row for row in self.context.store.raw.get_conversations(ids)}

    @property
    def place(self) -> Place | None:
        """The conversation under the cursor."""
        return None if self.rows.current is None else Place(self.rows.current)

    def counted(self) -> Content:
        """Return how many there are."""
        return Content.styled(counted(len(self.rows.ids), "conversation"), "$muted")

    @property
    def ahead(self) -> str:
        """The source that is listed."""
        return "" if self.only is None else f"source: {one_line(source(self.only) or '')}"

    def _filters(self) -> list[tuple[str, int, str]]:
        return [(name, count, "") for name, count in self.context.store.raw.conversation_counts()]


class HitLoader(Loader[MessageHitList]):
    """The messages that hold the words of a search, best first; they stay until something else is searched for."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context, MessageHitList(context.glyphs, context.now()))
        self.query = ""

    async def search(self, query: str) -> None:
        """Search for other words. Raises StoreError: Busy, Unusable."""
        context = self.context
        hits: list[Hit] = await context.executors["slow"].run(
            lambda: queries.search(context.store, context.index(), query)
        )
        self.query, self.rows.sought, self.rows.now = query, queries.sought(query), context.now()
        numbers = array("q", (hit.place.message or 0 for hit in hits))
        self.rows.show_rows(numbers, dict(zip(numbers, hits, strict=True)))

    def counted(self) -> Content:
        """Return how many there are."""
        best = "best " if len(self.rows.ids) == queries.FOUND else ""
        return Content.styled(f"{best}{counted(len(self.rows.ids), 'message')}", "$muted")


class RefusalLoader(Loader[RefusalList]):
    """Passages that gates refused and nobody admitted: stored last first, for one reason or any."""

    title = "Refused because"
    empty = ("Nothing was refused. ", "Passages that an import refuses are listed here with the reason.")

    def __init__(self, context: AppContext) -> None:
        super().__init__(context, RefusalList(context.glyphs, context.now()))
        self.whole = False  # up to the last one
        self.all: int | None = None  # how many there are for this reason, once counted
        self._numbers: dict[tuple[int, int, int], int] = {}  # of each refusal, the same as long as the app runs
        self._refusals: dict[int, Refusal] = {}
        self.left: set[int] = set()  # taken out of the list before the store has it

    async def load(self, near: Sequence[int] = (), fresh: bool = False) -> int:
        """Read the list, as far as it was read; the cursor goes to the first of `near`, else it stays."""
        rows, store, current = self.rows, self.context.store, self.rows.current
        anchors, index = self._anchors(near, fresh)
        limit = PORTION if fresh else max(len(rows.ids) + len(self.left), PORTION)

        def read() -> tuple[int, list[Refusal], list[Candidate]]:
            seq, found = store.journal.seq(), store.distillation.refused(self.only, None, limit)
            return seq, found, queries.candidates(store, found[:_AROUND])

        seq, found, first = await self.context.executors["ids"].run(read)
        self.whole = len(found) < limit
        ids = array("q", (number for number in map(self.number, found) if number not in self.left))
        rows.marks &= set(ids)
        known = {number: row for number in ids if (row := rows.row(number)) is not None}
        known |= {self.number(row.refusal): row for row in first}
        self._show(ids, known, place_of(ids, anchors, index), current, anchors, fresh)
        return seq

    async def count(self) -> None:
        """Count them all: half a second where there are hundreds of thousands."""
        counts = dict(await self.context.executors["facets"].run(self.context.store.distillation.refused_counts))
        self.all = sum(counts.values()) if self.only is None else counts.get(self.only, 0)

    @property
    def ends_soon(self) -> bool:
        """True if the cursor or the view is near the end of what was read, and there is more."""
        rows = self.rows
        return not self.whole and bool(rows.ids) and max(rows.cursor, rows.scroll_y) >= len(rows.ids) - _NEAR

    async def go_on(self) -> None:
        """Read a portion more, unless the list ends elsewhere by then."""
        end, only = self.rows.ids[-1], self.only
        last = self._refusals[end]
        work = partial(self.context.store.distillation.refused, only, (last.message, last.start, last.end), PORTION)
        found = await self.context.executors["ids"].run(work)
        if only == self.only and self.rows.ids[-1:] == array("q", [end]):
            self.whole = len(found) < PORTION
            self.rows.extend_rows(array("q", map(self.number, found)))

    def _read(self, ids: Sequence[int]) -> Mapping[int, Candidate]:
        found = queries.candidates(self.context.store, [self._refusals[number] for number in ids])
        return {self.number(row.refusal): row for row in found}

    def leave(self, refusals: Sequence[Refusal]) -> None:
        """Take some out of the list: they are being admitted."""
        rows = self.rows
        leaving = set(map(self.number, refusals))
        self.left |= leaving
        ids = array("q", (number for number in rows.ids if number not in leaving))
        removed = len(rows.ids) - len(ids)
        if removed:
            here = rows.cursor - sum(number in leaving for number in rows.ids[: rows.cursor])
            known = {number: row for number in ids if (row := rows.row(number)) is not None}
            rows.marks -= leaving
            rows.show_rows(ids, known, here, here - round(rows.scroll_y))
            self.all = None if self.all is None else self.all - removed

    def number(self, refusal: Refusal) -> int:
        """Return the number of a refusal in the list."""
        number = self._numbers.setdefault((refusal.message, refusal.start, refusal.end), len(self._numbers))
        self._refusals[number] = refusal
        return number

    def concerned(self) -> list[Refusal]:
        """Return the marked ones in the order of the list, else the one under the cursor."""
        rows = self.rows
        marked = [number for number in rows.ids if number in rows.marks] if rows.marks else []
        current = [] if rows.current is None else [rows.current]
        return [self._refusals[number] for number in marked or current]

    def counted(self) -> Content:
        """Return how many there are and how many are marked."""
        number = f"{len(self.rows.ids):,}" if self.whole else f"{len(self.rows.ids):,}+"
        number = number if self.whole or self.all is None else f"{self.all:,}"
        if self.rows.marks:
            return Content.assemble((f"{len(self.rows.marks):,} marked", "bold $mark"), (f" of {number}", "$muted"))
        return Content.styled(f"{number} refused", "$muted")

    @property
    def ahead(self) -> str:
        """The reason that is listed."""
        return "refused" if self.only is None else f"refused: {one_line(self.only)}"

    def _filters(self) -> list[tuple[str, int, str]]:
        counts = self.context.store.distillation.refused_counts()
        return [(reason, count, queries.why(reason)) for reason, count in counts]

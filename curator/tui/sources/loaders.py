"""Loaders of the lists in the Sources view: conversations, message hits, refused passages.

Each reads its rows in a thread.
"""

from array import array
from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

from textual.content import Content

from curator.display import counted
from curator.tui.context import AppContext
from curator.tui.cursor import cursor_index
from curator.tui.labels import source
from curator.tui.screens.dialogs import Option
from curator.tui.sources import queries
from curator.tui.sources.queries import RefusedPassage, TranscriptLocation
from curator.tui.sources.rows import AgedList, ConversationList, MessageHitList, RefusalList
from curator.tui.text_format import one_line
from store.model import Conversation, Refusal

PORTION = 2_000  # refusals read at once; more are read when the cursor is near the end
_NEAR = 500
_AROUND = 120  # rows read with a list, before and after the cursor
_BELOW = 64  # rows below the cursor; the cursor goes to the first of them still listed
_KEYS = "abcdefghiklmoprstuvwxyz0123456789"
ALL, MORE = "all", "more"  # menu entries: no filter; further filters that do not fit

_Found = tuple[int, "array[int]", int, Mapping[int, Any]]
"""The event number of a list, its row numbers, the index of the cursor, and known rows."""
Rows = TypeVar("Rows", bound=AgedList[Any])


class Loader(Generic[Rows]):
    """Loads the rows of a list; `only` is a source or a reason to filter by."""

    title = ""  # title of the filter menu
    empty = ("", "")

    def __init__(self, context: AppContext, rows: Rows) -> None:
        self.context, self.rows = context, rows
        self.only: str | None = None

    async def load(self, near: Sequence[int] = (), fresh: bool = False) -> int:
        """Read the list, and return its event number.

        The cursor goes to the first of `near`, else it stays on its line, including moves made during the reading.
        """
        rows, former = self.rows, self.rows.current
        here = () if fresh else rows.ids[rows.cursor : rows.cursor + _BELOW]
        anchors = (*near, *here)
        seq, ids, cursor, read_rows = await self._list(anchors, 0 if fresh else rows.cursor, fresh)
        fresh = fresh or bool(anchors and anchors[0] != former)
        rows.now = self.context.now()
        if not fresh and rows.current is not None and rows.current != former:
            cursor = cursor_index(ids, [rows.current], cursor)
        rows.show_again(ids, read_rows, cursor, fresh)
        return seq

    async def _list(self, near: Sequence[int], index: int, fresh: bool) -> _Found:
        """Return the list, with the cursor on the first of `near`, else at `index`; `fresh` reads from the start."""
        raise NotImplementedError

    def read_rows(self, ids: Sequence[int]) -> Mapping[int, Any]:
        """Return rows by number. Run in a thread."""
        return {}

    @property
    def location(self) -> TranscriptLocation | None:
        """The location of the row under the cursor; None until it is read."""
        row = self.rows.current_row
        return None if row is None else row.location

    def counted(self) -> Content:
        """Return the number of rows, styled."""
        return Content()

    @property
    def ahead(self) -> str:
        """The filter in words."""
        return ""

    def _filters(self) -> list[tuple[str, int, str]]:
        """Return name, count and meaning of each filter. Run in a thread."""
        return []

    async def options(self) -> list[Option]:
        """Return the menu options of the filters, with counts and meanings."""
        filters = await self.context.run("facets", self._filters)
        options = [Option("*", ALL, f"{sum(count for _, count, _ in filters):>7,}")]
        for key, (name, count, meaning) in zip(_KEYS, filters, strict=False):
            options.append(Option(key, name, f"{count:>7,}  {meaning}".rstrip()))
        return options


class ConversationLoader(Loader[ConversationList]):
    """Loads all conversations, newest first, or those of one source."""

    title = "Source"
    empty = ("No conversations yet. ", "Import a chat log to read it here with its memories.")

    def __init__(self, context: AppContext) -> None:
        super().__init__(context, ConversationList(context.glyphs, context.now()))

    async def _list(self, near: Sequence[int], index: int, fresh: bool) -> _Found:
        def read() -> _Found:
            store = self.context.store
            seq, ids = store.journal.seq(), array("q", store.raw.conversation_ids(self.only))
            cursor = cursor_index(ids, near, index)
            return seq, ids, cursor, self.read_rows(ids[max(cursor - _AROUND, 0) : cursor + _AROUND])

        return await self.context.run("ids", read)

    def read_rows(self, ids: Sequence[int]) -> Mapping[int, Conversation]:
        return {row.id: row for row in self.context.store.raw.get_conversations(ids)}

    @property
    def location(self) -> TranscriptLocation | None:
        """The conversation under the cursor."""
        return None if self.rows.current is None else TranscriptLocation(self.rows.current)

    def counted(self) -> Content:
        """Return the number of conversations."""
        return Content.styled(counted(len(self.rows.ids), "conversation"), "$muted")

    @property
    def ahead(self) -> str:
        """The source that is listed."""
        return "" if self.only is None else f"source: {one_line(source(self.only) or '')}"

    def _filters(self) -> list[tuple[str, int, str]]:
        return [(name, count, "") for name, count in self.context.store.raw.conversation_counts()]


class HitLoader(Loader[MessageHitList]):
    """Loads the messages that match a search, best first; kept until the next search."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context, MessageHitList(context.glyphs, context.now()))
        self.query = ""

    async def load(self, near: Sequence[int] = (), fresh: bool = False) -> int:
        """Keep the list; return the current event number."""
        return await self.context.run("ids", self.context.store.journal.seq)

    async def search(self, query: str) -> None:
        """Search for a query; `query` is then the one with corrected words. Raises StoreError: Busy, Unusable."""
        context = self.context
        query, hits = await context.run("slow", lambda: queries.search(context.store, context.index(), query))
        self.query, self.rows.pattern, self.rows.now = query, queries.search_pattern(query), context.now()
        ids = array("q", (hit.location.message or 0 for hit in hits))
        self.rows.show_rows(ids, dict(zip(ids, hits, strict=True)))

    def counted(self) -> Content:
        """Return the number of messages."""
        best = "best " if len(self.rows.ids) == queries.FOUND else ""
        if not self.rows.ids:
            return Content.styled("nothing found", "$muted")
        return Content.styled(f"{best}{counted(len(self.rows.ids), 'message')}", "$muted")


class RefusalLoader(Loader[RefusalList]):
    """Loads the refused passages not admitted since, latest stored first, for one reason or any."""

    title = "Refused because"
    empty = ("Nothing was refused. ", "Passages that an import refuses are listed here with the reason.")

    def __init__(self, context: AppContext) -> None:
        super().__init__(context, RefusalList(context.glyphs, context.now()))
        self.whole = False  # True once all are read
        self.all: int | None = None  # total for this reason, once counted
        self._row_ids: dict[tuple[int, int, int], int] = {}  # row ids of refusals, fixed while the app runs
        self._refusals: dict[int, Refusal] = {}
        self.left: set[int] = set()  # removed from the list before the store reflects it

    async def _list(self, near: Sequence[int], index: int, fresh: bool) -> _Found:
        """Read as much of the list as was read before."""
        rows, store = self.rows, self.context.store
        limit = PORTION if fresh else max(len(rows.ids) + len(self.left), PORTION)

        def read() -> tuple[int, list[Refusal], list[RefusedPassage]]:
            seq, refusals = store.journal.seq(), store.distillation.refused(self.only, None, limit)
            return seq, refusals, queries.refused_passages(store, refusals[:_AROUND])

        seq, refusals, first = await self.context.run("ids", read)
        self.whole = len(refusals) < limit
        ids = array("q", (row_id for row_id in map(self.row_id, refusals) if row_id not in self.left))
        rows.marks &= set(ids)
        rows_kept = {row_id: row for row_id in ids if (row := rows.row(row_id)) is not None}
        return seq, ids, cursor_index(ids, near, index), rows_kept | {self.row_id(row.refusal): row for row in first}

    async def count(self) -> None:
        """Count all refusals; takes 0.5 s for hundreds of thousands."""
        counts = dict(await self.context.run("facets", self.context.store.distillation.refused_counts))
        self.all = sum(counts.values()) if self.only is None else counts.get(self.only, 0)

    @property
    def ends_soon(self) -> bool:
        """True if the cursor or the view is near the end of the rows read, and there are more."""
        rows = self.rows
        return not self.whole and bool(rows.ids) and max(rows.cursor, rows.scroll_y) >= len(rows.ids) - _NEAR

    async def go_on(self) -> None:
        """Read another portion, unless the list changes meanwhile."""
        end, only = self.rows.ids[-1], self.only
        last = self._refusals[end]
        refusals = await self.context.run(
            "ids", self.context.store.distillation.refused, only, (last.message, last.start, last.end), PORTION
        )
        if only == self.only and self.rows.ids[-1:] == array("q", [end]):
            self.whole = len(refusals) < PORTION
            self.rows.extend_rows(array("q", map(self.row_id, refusals)))

    def read_rows(self, ids: Sequence[int]) -> Mapping[int, RefusedPassage]:
        passages = queries.refused_passages(self.context.store, [self._refusals[row_id] for row_id in ids])
        return {self.row_id(row.refusal): row for row in passages}

    def leave(self, refusals: Sequence[Refusal]) -> None:
        """Remove refusals from the list while they are being admitted."""
        rows = self.rows
        leaving = set(map(self.row_id, refusals))
        self.left |= leaving
        ids = array("q", (row_id for row_id in rows.ids if row_id not in leaving))
        removed = len(rows.ids) - len(ids)
        if removed:
            here = rows.cursor - sum(row_id in leaving for row_id in rows.ids[: rows.cursor])
            rows_kept = {row_id: row for row_id in ids if (row := rows.row(row_id)) is not None}
            rows.marks -= leaving
            rows.show_rows(ids, rows_kept, here, here - round(rows.scroll_y))
            self.all = None if self.all is None else self.all - removed

    def row_id(self, refusal: Refusal) -> int:
        """Return the row number of a refusal."""
        row_id = self._row_ids.setdefault((refusal.message, refusal.start, refusal.end), len(self._row_ids))
        self._refusals[row_id] = refusal
        return row_id

    def concerned(self) -> list[Refusal]:
        """Return the marked refusals in list order, else the one under the cursor."""
        return [self._refusals[row_id] for row_id in self.rows.concerned]

    def counted(self) -> Content:
        """Return the number of refusals, and of marked ones."""
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

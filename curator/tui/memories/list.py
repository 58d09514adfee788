"""The list of memories."""

from collections.abc import Collection, Iterable, Sequence

from curator.tui import formatting
from curator.tui.glyphs import Glyphs
from curator.tui.memories.duplicate_groups import Groups
from curator.tui.memories.queries import Listing, Place
from curator.tui.widgets.virtual_list import Cells, VirtualList, find
from store.model import Life, Memory, Origin, Review, Tier

_SHORT = {Tier.CORE: "core", Tier.MEDIUM: "med", Tier.LOW: "low"}
_WIDE = 76  # columns from which there is room for the kind
_BELOW = 64  # memories below the cursor, of which it goes to the first that is still listed


class MemoryList(VirtualList[Memory]):
    """Memories: signs, text, kind, tier and age."""

    def __init__(self, glyphs: Glyphs, now: int) -> None:
        super().__init__(glyphs)
        self.now = now  # microseconds; ages are counted from here
        self.sought = ""  # shown where it stands in a text
        self.alerted: frozenset[int] = frozenset()
        self.groups: Groups = {}
        self._first: dict[int, int] = {}  # of the group, by each of the others
        self._open: frozenset[int] = frozenset()  # first ones of which the others have lines

    def place(self, near: Sequence[int], fresh: bool, unfolded: Iterable[int], touched: Iterable[int] = ()) -> Place:
        """Where the list stands before it is read again; the cursor is to go to `near`, or to begin anew."""
        below = self.ids[self.cursor : self.cursor + _BELOW]
        anchor = None if near or fresh else self.current
        index = 0 if fresh else self.cursor
        marks, among = frozenset(self.marks), frozenset(touched)
        return Place(None if among else anchor, index, (*near, *below), marks, frozenset(unfolded), among)

    def show(self, listing: Listing, without: set[int]) -> None:
        """Take a new list, the cursor staying on its memory and its line; `without` have left since it was read."""
        current, line = self.current, self.cursor - round(self.scroll_y)
        in_view = 0 <= line < self.page
        ids = listing.ids
        if without:
            ids = type(ids)("q", (memory for memory in ids if memory not in without))
        cursor = listing.cursor
        if without or current != listing.anchor:
            near = [] if current is None or listing.anchor is None else [current]
            cursor = find(ids, near, cursor)
        self.alerted, self.groups, self._open = listing.alerted, listing.groups, listing.unfolded
        self._first = {other: first for first, others in listing.groups.items() for other in others}
        self.marks -= listing.unlisted
        if listing.whole and (since := self.marks - listing.marked):  # marked while the list was read
            self.marks -= since.difference(ids)
        rows = {memory.id: memory for memory in listing.rows}
        fresh = listing.anchor is None
        self.show_rows(ids, rows, cursor, line if in_view and not fresh else None, still=not (in_view or fresh))

    def group(self, memory: int) -> tuple[int, ...]:
        """The group a memory is in, its first first; empty if it is in none."""
        first = self._first.get(memory, memory)
        return (first, *self.groups[first]) if first in self.groups else ()

    def hidden(self, without: Collection[int] = ()) -> int:
        """How many have no line of their own, but for those that have left."""
        folded = (others for first, others in self.groups.items() if first not in self._open and first not in without)
        return sum(other not in without for others in folded for other in others)

    def folded(self, memory: int) -> tuple[int, ...]:
        """Those that a memory stands for beside itself, having no line of their own."""
        return () if memory in self._open else self.groups.get(memory, ())

    def take(self, memories: Iterable[Memory]) -> None:
        """Take memories as they are by now."""
        self.fill({memory.id: memory for memory in memories})

    def next_alerted(self) -> bool:
        """Go to the next memory with an alert, round the end; False if there is none."""
        places = range(self.cursor + 1, self.cursor + 1 + len(self.ids))
        for place in places if self.alerted else ():
            if self.ids[place % len(self.ids)] in self.alerted:
                self.move_to(place % len(self.ids))
                return True
        return False

    def cells(self, number: int, row: Memory | None, width: int) -> Cells:
        """Mark, signs, text, kind where there is room, tier and age."""
        return self._signs(number, row) + self._grouped(number, row, width - 5)

    def _grouped(self, number: int, row: Memory | None, width: int) -> Cells:
        """A line of a group says how many ways there are to say it, or stands under the first of them."""
        glyphs = self.glyphs
        if number in self._first:
            return [(f" {glyphs.quote}", "accent"), *self._words(row, width - 2)]
        if number in self.groups:
            sign = glyphs.unfolded if number in self._open else glyphs.folded
            told = f"{sign} {len(self.groups[number]) + 1} ways "
            return [(told, "accent"), *self._words(row, width - len(told))]
        return self._words(row, width)

    def _signs(self, number: int, memory: Memory | None) -> Cells:
        glyphs = self.glyphs
        marked = (glyphs.mark if number in self.marks else " ", "mark")
        if memory is None:
            return [marked, ("    ", "muted")]
        attention = glyphs.quarantined if memory.flag else glyphs.alert if number in self.alerted else " "
        validated = glyphs.validated if memory.review is Review.VALIDATED else " "
        if memory.origin is Origin.MODEL:
            return [marked, (glyphs.made, "muted"), (attention, "warn"), (f"{validated} ", "good")]
        return [marked, (f" {attention}", "warn"), (f"{validated} ", "good")]

    def _words(self, memory: Memory | None, width: int) -> Cells:
        """Text, kind where there is room, tier (or life, if it is not live) and age, in `width` cells."""
        if memory is None:
            return [(formatting.fit("…", width), "muted")]
        kind = f"  {memory.kind:<12}" if width >= _WIDE else ""
        old = f"{'–' if memory.created_at is None else formatting.age(memory.created_at, self.now):>5} "
        if memory.life is Life.LIVE:
            tier, look = (
                f"  {_SHORT[memory.tier] + (self.glyphs.pinned if memory.pinned else ''):<5}",
                memory.tier.value,
            )
        else:
            tier, look = f"  {'rejected' if memory.review is Review.REJECTED else memory.life:<10}", "muted"
        words = formatting.fit(formatting.one_line(memory.text), max(width - len(kind) - len(tier) - len(old), 0))
        lit = _lit(words, self.sought) if memory.life is Life.LIVE else [(words, "muted")]
        return [*lit, (kind, "muted"), (tier, look), (old, "muted")]


def _lit(words: str, sought: str) -> Cells:
    """A text with what is searched for in a colour of its own."""
    place = words.lower().find(sought.lower()) if sought else -1
    if place < 0:
        return [(words, "plain")]
    end = place + len(sought)
    return [(words[:place], "plain"), (words[place:end], "found"), (words[end:], "plain")]

"""List of memories, one line each; duplicates are below the first of their group."""

from collections.abc import Collection, Iterable, Sequence

from rich.cells import cell_len
from textual.content import Content

from curator.display import said_date
from curator.tui import text_format
from curator.tui.cursor import cursor_index
from curator.tui.glyphs import Glyphs
from curator.tui.labels import TIERS
from curator.tui.memories.queries import Groups, Listing, ListState
from curator.tui.widgets.text_pane import DOT
from curator.tui.widgets.virtual_list import Cells, VirtualList
from store.model import Given, Life, Memory, Origin, Review, Tier

_SHORT = {Tier.CORE: "core", Tier.MEDIUM: "med", Tier.LOW: "low"}
_KIND_FROM = 100  # columns from which the kind is shown
_PLACE, _PLACE_FROM = 12, 50  # cells of a project's name; columns from which it is shown
_BELOW = 64  # memories below the cursor; the cursor goes to the first of them still listed


class MemoryList(VirtualList[Memory]):
    """Rows of memories: signs, text, kind, tier and age."""

    def __init__(self, glyphs: Glyphs, now: int) -> None:
        super().__init__(glyphs, now)
        self.highlight: tuple[str, ...] = ()  # words highlighted in the texts
        self.alerted: frozenset[int] = frozenset()
        self.urgent: frozenset[int] = frozenset()  # always given now, or once validated
        self.groups: Groups = {}
        self._first: dict[int, int] = {}  # other members of groups -> first member
        self._open: frozenset[int] = frozenset()  # first memories of unfolded groups

    def state(
        self, near: Sequence[int], fresh: bool, unfolded: Iterable[int], touched: Iterable[int] = ()
    ) -> ListState:
        """Return the state of the list for reading it again; the cursor is to go to `near`, or to the start if
        `fresh`.
        """
        below = self.ids[self.cursor : self.cursor + _BELOW]
        anchor = None if near or fresh else self.current
        index = 0 if fresh else self.cursor
        marks, among = frozenset(self.marks), frozenset(touched)
        return ListState(None if among else anchor, index, (*near, *below), marks, frozenset(unfolded), among)

    def show(self, listing: Listing, without: set[int]) -> None:
        """Show a new list; the cursor stays on its memory and line. `without` were removed after the list was read."""
        current, ids = self.current, listing.ids
        if without:
            ids = type(ids)("q", (memory for memory in ids if memory not in without))
        cursor = listing.cursor
        if without or current != listing.former.anchor:
            cursor = cursor_index(ids, [] if current is None or listing.former.anchor is None else [current], cursor)
        self.alerted, self.groups, self.urgent = listing.alerted, listing.groups, listing.urgent
        self._open = listing.former.unfolded & listing.groups.keys()
        self._first = {other: first for first, others in listing.groups.items() for other in others}
        self.marks -= listing.unlisted
        if listing.full and (since := self.marks - listing.former.marks):  # marked during the reading
            self.marks -= since.difference(ids)
        rows = {memory.id: memory for memory in listing.rows}
        self.show_again(ids, rows, cursor, fresh=listing.former.anchor is None)

    def group(self, memory_id: int) -> tuple[int, ...]:
        """Return the group of a memory, starting with its first member; empty without a group."""
        first = self._first.get(memory_id, memory_id)
        return (first, *self.groups[first]) if first in self.groups else ()

    def hidden(self, without: Collection[int] = ()) -> int:
        """Return the number of folded memories, except those in `without`."""
        folded = (others for first, others in self.groups.items() if first not in self._open and first not in without)
        return sum(other not in without for others in folded for other in others)

    def folded(self, memory_id: int) -> tuple[int, ...]:
        """Return the memories that are folded under another."""
        return () if memory_id in self._open else self.groups.get(memory_id, ())

    def take(self, memories: Iterable[Memory]) -> None:
        """Update the rows of memories."""
        self.fill({memory.id: memory for memory in memories})

    def next_alerted(self) -> bool:
        """Go to the next memory with a conflict, wrapping around; return False if there is none."""
        indices = range(self.cursor + 1, self.cursor + 1 + len(self.ids))
        for index in indices if self.alerted else ():
            if self.ids[index % len(self.ids)] in self.alerted:
                self.move_to(index % len(self.ids))
                return True
        return False

    def legend(self, compare: str) -> Content:
        """Return the meaning of the signs in the current row; `compare` is the key that opens its conflicts."""
        current = self.current
        memory = self.current_row
        if memory is None or current is None:
            return Content()
        glyphs, folded = self.glyphs, len(self.folded(current))
        central = "central to its project" if memory.tier is Tier.CORE and memory.in_project else ""
        signs = (
            (memory.suspect, f"{glyphs.quarantined} in quarantine", "$warn"),
            (memory.proposed, f"{glyphs.quarantined} {memory.flag}, for you to validate or reject", "$warn"),
            (current in self.alerted and not memory.quarantined, f"{glyphs.alert} has a conflict ({compare})", "$warn"),
            (folded, f"{folded + 1} wordings (→ lists them)", "$accent"),
            (memory.review is Review.VALIDATED, f"{glyphs.validated} validated", "$good"),
            (memory.pinned, f"{glyphs.pinned} pinned", "$accent"),
            (memory.given is Given.ALWAYS, f"{glyphs.always} always given", "$accent"),
            (self._once_validated(memory), f"{glyphs.once_validated} always given once validated", "$accent"),
            (memory.given is Given.NEVER, f"{glyphs.never} never given", "$warn"),
            (memory.life is not Life.LIVE, memory.life.value, "$warn"),
            (memory.origin is Origin.MODEL, f"{glyphs.made} found by a model", "$muted"),
            (True, f"{memory.kind}, {memory.tier}: {central or TIERS[memory.tier]}", "$muted"),
            (True, said_date(memory.created_at), "$muted"),
        )
        shown = (Content.styled(text, look) for holds, text, look in signs if holds)
        return Content.styled(DOT, "$muted").join(shown)

    def _once_validated(self, memory: Memory) -> bool:
        return memory.id in self.urgent and memory.given is Given.RELEVANT and memory.review is Review.OPEN

    def cells(self, row_id: int, row: Memory | None, width: int) -> Cells:
        """Return the cells: mark, signs, text, kind if there is room, tier and age."""
        glyphs, width = self.glyphs, width - 5
        signs: Cells = [(glyphs.mark if row_id in self.marks else " ", "mark")]
        if row is None:
            signs.append(("    ", "muted"))
        else:
            attention = glyphs.quarantined if row.quarantined else glyphs.alert if row_id in self.alerted else " "
            validated = glyphs.validated if row.review is Review.VALIDATED else " "
            made = glyphs.made if row.origin is Origin.MODEL else " "
            signs += [(made, "muted"), (attention, "warn"), (f"{validated} ", "good")]
        if row_id in self._first:
            return [*signs, (f" {glyphs.quote}", "accent"), *self._words(row, width - 2)]
        if row_id in self.groups:
            sign = glyphs.unfolded if row_id in self._open else glyphs.folded
            count = f"{sign}{len(self.groups[row_id]) + 1} "
            return [*signs, (count, "accent"), *self._words(row, width - len(count))]
        return signs + self._words(row, width)

    def _words(self, memory: Memory | None, width: int) -> Cells:
        """Return text, project and kind if there is room, tier (or life) and age, in `width` cells."""
        if memory is None:
            return [(text_format.fit("…", width), "muted")]
        kind = f"  {memory.kind:<12}" if width >= _KIND_FROM else ""
        age = f"{'–' if memory.created_at is None else text_format.age(memory.created_at, self.now):>5} "
        if memory.life is Life.LIVE:
            given = {Given.ALWAYS: self.glyphs.always, Given.NEVER: self.glyphs.never}.get(memory.given, "")
            given = self.glyphs.once_validated if self._once_validated(memory) else given
            signs = f"{_SHORT[memory.tier]}{self.glyphs.pinned * memory.pinned}{given}"
            tier, look = f" {signs:<6}", memory.tier.value
        else:
            tier, look = f"  {'rejected' if memory.review is Review.REJECTED else memory.life:<10}", "muted"
        project = text_format.one_line(memory.in_project or "")
        place = (
            f" {text_format.fit(project, min(cell_len(project), _PLACE))}" if project and width >= _PLACE_FROM else ""
        )
        others = cell_len(place) + len(kind) + len(tier) + len(age)
        words = text_format.fit(text_format.one_line(memory.text), max(width - others, 0))
        text: Cells = []
        shown, done = words.lower(), 0
        found = sorted((shown.find(word.lower()), len(word)) for word in self.highlight)
        for start, length in found if memory.life is Life.LIVE else ():
            if start >= done:
                text += [(words[done:start], "plain"), (words[start : start + length], "found")]
                done = start + length
        text.append((words[done:], "plain" if memory.life is Life.LIVE else "muted"))
        return [*text, (place, "accent"), (kind, "muted"), (tier, look), (age, "muted")]

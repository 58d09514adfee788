"""The filter and order of a list of memories."""

from dataclasses import dataclass
from functools import partial

from curator.filters.memories import parse_filter
from curator.tui.context import AppContext
from curator.tui.memories.queries import Query
from curator.tui.screens.dialogs import Menu, Option
from curator.tui.verbs import short
from store import Filter, Sort

_ORDERS = (
    Option("m", Sort.MATTERS, "most important to review first"),
    Option("n", Sort.CREATED, "newest first"),
    Option("a", Sort.ADDED, "latest import first"),
    Option("c", Sort.CONFIDENCE, "most confident first"),
    Option("i", Sort.IMPORTANCE, "most important first"),
    Option("u", Sort.USED, "most recalled first"),
    Option("t", Sort.TEXT, "A to Z"),
)
_NEAR = 50  # related memories that are listed


@dataclass(frozen=True, slots=True)
class NamedMemories:
    """Memories listed one by one, with a title."""

    title: str
    memories: tuple[int, ...]


class ListState:
    """The filter and order that are chosen, and the `query` they make. `base` are terms that always hold."""

    def __init__(self, base: str, sort: Sort, grouped: bool, now: int) -> None:
        self.only: NamedMemories | None = None
        self.sort, self.descending = sort, True
        self._base, self._default, self._grouped = base, sort, grouped
        self.query = Query(self.filter_of("", now), sort)

    def filter_of(self, text: str, now: int) -> Filter:
        """Parse a filter, with the terms that always hold. Raises BadFilter."""
        return parse_filter(f"{self._base} {text}", now=now)

    def ask(self, text: str, now: int) -> None:
        """Make the query for a typed filter. Raises BadFilter."""
        only = None if self.only is None else self.only.memories
        self.query = Query(self.filter_of(text, now), self.sort, self.descending, only, self._grouped)

    @property
    def order(self) -> str:
        """The order in words, empty for the default."""
        if self.sort is self._default and self.descending:
            return ""
        return f"{self.sort}" if self.descending else f"{self.sort} ↑"

    def orders(self) -> Menu:
        """Return the menu of orders."""
        return Menu("Sort by (again to reverse)", _ORDERS, self.sort)

    def turn(self, chosen: str) -> None:
        """Choose an order; the same again reverses it."""
        again = chosen == self.sort
        self.sort = Sort(chosen)
        self.descending = not self.descending if again else self.sort is not Sort.TEXT


async def near(context: AppContext, memory: int) -> NamedMemories | None:
    """Return a memory and those related to it, nearest first; None if there are none. Raises StoreError."""
    from curator.compare.related import related

    found = await context.executors["slow"].run(lambda: related(context.store, memory, context.index(), _NEAR))
    if not found:
        return None
    row = await context.executors["rows"].run(partial(context.store.get, memory))
    return NamedMemories(f"similar to “{short(row.text)}”", (memory, *(each.memory.id for each in found)))

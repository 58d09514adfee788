"""What a list of memories is to show, as the person has it: terms, an order, or memories named one by one."""

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
_NEAR = 50  # memories near one that are listed


@dataclass(frozen=True, slots=True)
class Named:
    """Memories named one by one, and what they are."""

    title: str
    memories: tuple[int, ...]


class Wanted:
    """What is wanted of a list, and the `query` that was asked last. `base` are terms that always hold."""

    def __init__(self, base: str, sort: Sort, grouped: bool, now: int) -> None:
        self.only: Named | None = None
        self.sort, self.descending = sort, True
        self._base, self._usual, self._grouped = base, sort, grouped
        self.query = Query(self.filter_of("", now), sort)

    def filter_of(self, text: str, now: int) -> Filter:
        """The filter of what was typed, with what always holds. Raises BadFilter."""
        return parse_filter(f"{self._base} {text}", now=now)

    def ask(self, text: str, now: int) -> None:
        """Make a query of what is typed and chosen. Raises BadFilter."""
        only = None if self.only is None else self.only.memories
        self.query = Query(self.filter_of(text, now), self.sort, self.descending, only, self._grouped)

    @property
    def order(self) -> str:
        """The order in words, empty if it is the usual one and the usual way round."""
        if self.sort is self._usual and self.descending:
            return ""
        return f"{self.sort}" if self.descending else f"{self.sort} ↑"

    def orders(self) -> Menu:
        """The question for the order."""
        return Menu("Sort by (again to reverse)", _ORDERS, self.sort)

    def turn(self, chosen: str) -> None:
        """Take an order; the same again the other way round."""
        again = chosen == self.sort
        self.sort = Sort(chosen)
        self.descending = not self.descending if again else self.sort is not Sort.TEXT


async def near(context: AppContext, memory: int) -> Named | None:
    """A memory and what is near it in meaning, the nearest first; None if nothing is known to be. Raises StoreError."""
    from curator.compare.related import related

    found = await context.executors["slow"].run(lambda: related(context.store, memory, context.index(), _NEAR))
    if not found:
        return None
    row = await context.executors["rows"].run(partial(context.store.get, memory))
    return Named(f"similar to “{short(row.text)}”", (memory, *(each.memory.id for each in found)))

"""Several ways to say one thing: memories of the inbox that alerts call duplicates, as groups of a few."""

from array import array
from collections.abc import Iterable, Mapping, Sequence

from store import Store
from store.filter import OPEN_ALERTS

MOST = 8  # memories of a group
_READ = 50_000  # alerts, the strongest

Groups = Mapping[int, tuple[int, ...]]
"""The others of a group, by its first."""


def groups(store: Store, ids: "array[int]") -> Groups:
    """The groups among listed memories, each in the order of the list. Reads the open alerts and nothing else."""
    pairs = _pairs(store)
    if not pairs:
        return {}
    wanted = {memory for pair in pairs for memory in pair}
    places = {memory: place for place, memory in enumerate(ids) if memory in wanted}
    found: dict[int, list[int]] = {}
    for a, b in pairs:
        if a not in places or b not in places:
            continue
        ours, theirs = found.get(a, [a]), found.get(b, [b])
        if ours is not theirs and len(ours) + len(theirs) <= MOST:
            joined = ours + theirs
            found.update(dict.fromkeys(joined, joined))
    ordered = {id(group): sorted(group, key=places.__getitem__) for group in found.values() if len(group) > 1}
    return {group[0]: tuple(group[1:]) for group in ordered.values()}


def arranged(ids: "array[int]", found: Groups, unfolded: Iterable[int]) -> "array[int]":
    """The list with the others of a group under the first where that is unfolded, and without them where it is not."""
    if not found:
        return ids
    shown = set(unfolded) & found.keys()
    moved = {other for others in found.values() for other in others}
    out: array[int] = array("q")
    start = 0
    for place in sorted(_places(ids, moved | shown)):
        out += ids[start:place]
        memory, start = ids[place], place + 1
        if memory in shown:
            out.extend((memory, *found[memory]))
    return out + ids[start:]


def _places(ids: "array[int]", wanted: set[int]) -> list[int]:
    return [place for place, memory in enumerate(ids) if memory in wanted]


def _pairs(store: Store) -> Sequence[tuple[int, int]]:
    """Which two say the same: open both, in one scope, none of them in quarantine; the surest first."""
    with store.sqlite() as connection:
        rows = connection.execute(
            f"SELECT t.a, t.b FROM {OPEN_ALERTS} AND t.relation = 'duplicate' AND +x.owner = ? AND x.scope = y.scope"
            " AND x.review = 'open' AND y.review = 'open' AND x.flag IS NULL AND y.flag IS NULL"
            " ORDER BY t.score DESC, t.id LIMIT ?",
            (store.owner, _READ),
        )
        return [(row[0], row[1]) for row in rows]

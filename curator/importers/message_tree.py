"""Order and active thread of conversations that are trees.

The order is by time, a message never before its parent, then by depth and id. A conversation grows by messages that are
newer than all others, so the places of those already stored do not change; the active thread reads in order within it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Node:
    """A place in the tree. `time` is in microseconds, None where the log has none."""

    id: str
    parent: str | None
    time: int | None


def ordered(nodes: Iterable[Node]) -> list[str]:
    """Return the ids of all nodes in the order of the module's docstring. Cycles and missing parents do no harm."""
    tree = {node.id: node for node in nodes}
    keys: dict[str, tuple[int, int]] = {}
    for start in tree:
        chain = _upwards(tree, start, keys)
        for name in reversed(chain):
            node = tree[name]
            time, depth = keys.get(node.parent or "", (0, -1))
            keys[name] = (max(time, node.time or 0), depth + 1)
    return sorted(tree, key=lambda name: (*keys[name], name))


def active(nodes: Iterable[Node], leaf: str | None) -> set[str]:
    """Return the ids from the root to `leaf`, or to the newest leaf if there is no such node."""
    listed = list(nodes)
    tree = {node.id: node for node in listed}
    if leaf not in tree:
        parents = {node.parent for node in listed}
        leaves = [name for name in ordered(listed) if name not in parents] or list(tree)[-1:]
        leaf = leaves[-1] if leaves else None
    return set(_upwards(tree, leaf, {})) if leaf is not None else set()


def _upwards(tree: Mapping[str, Node], start: str, known: Mapping[str, object]) -> list[str]:
    """Return the ids from `start` towards the root, as far as nothing is known and no node comes twice."""
    chain: list[str] = []
    seen: set[str] = set()
    name: str | None = start
    while name is not None and name in tree and name not in known and name not in seen:
        seen.add(name)
        chain.append(name)
        name = tree[name].parent
    return chain

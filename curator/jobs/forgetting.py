"""What the person asked in a chat to be forgotten: the memories that may be meant, for them to look at. None is let go.

The words decide: a memory is meant that has all of those that count, or most of them where none has all.
"""

from curator.compare import tokens
from curator.compare.words import plain_words
from store import Filter, Store
from store.model import Memory

_MOST = 10
_SHARE = 0.6  # of the words of a request that a memory must have where none has all
_BLOCK = 5_000
_ABOUT = frozenset("about all any every everything fact i me memory my our remember that the thing we what you".split())


def meant(store: Store, request: str) -> list[Memory]:
    """The live memories that a request to forget may mean, the likest first, at most ten."""
    wanted = tokens(" ".join(word for word in plain_words(request) if word not in _ABOUT))
    if not wanted:
        return []
    found: list[tuple[float, int, Memory]] = []
    ids = store.list_ids(Filter())
    for start in range(0, len(ids), _BLOCK):
        for memory in store.get_many(ids[start : start + _BLOCK]):
            share = len(wanted & tokens(memory.text)) / len(wanted)
            if share >= _SHARE:
                found.append((share, -memory.id, memory))
    best = max((share for share, *_ in found), default=0.0)
    kept = [one for one in found if best < 1.0 or one[0] == 1.0]
    return [memory for *_, memory in sorted(kept, key=lambda one: one[:2], reverse=True)[:_MOST]]

"""Name memories for other machines: by global id, never by the store's own numbers."""

import contextlib
import re

from store import Store, StoreError

_NUMBERS = re.compile(r"\bmemor(?:y|ies) \d{1,10}(?:, \d{1,10})*(?: and \d{1,10})?(?![\w-])(?![^`]*`[^`]*$)")


def outside(store: Store, number: int) -> str:
    """Return the global id of a memory, if it is the owner's."""
    found = store.get_many([number])
    return found[0].uid if found else "of another owner"


def with_global_ids(store: Store, error: Exception) -> str:
    """Return an error's text with global ids of memories; commands in it keep the numbers, as a person types them.

    Only texts of the store's errors, which repeat no words of the request: one that asks for "memory 1" gets no id.
    """
    text = str(error)
    if isinstance(error, StoreError):
        with contextlib.suppress(StoreError):
            return _NUMBERS.sub(lambda found: re.sub(r"\d+", lambda one: outside(store, int(one[0])), found[0]), text)
    return text

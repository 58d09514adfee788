"""Global ids of memories in error messages for other machines, where the store's own numbers mean nothing."""

import contextlib
import re

from store import Store, StoreError

_NUMBERS = re.compile(r"\bmemor(?:y|ies) \d{1,10}(?:, \d{1,10})*(?: and \d{1,10})?(?![\w-])(?![^`]*`[^`]*$)")


def global_id(store: Store, memory_id: int) -> str:
    """Return the global id of a memory, or "of another owner"."""
    memories = store.get_many([memory_id])
    return memories[0].uid if memories else "of another owner"


def with_global_ids(store: Store, error: Exception) -> str:
    """Return an error's text with the numbers of memories replaced by global ids, except in quoted commands.

    Only the store's own errors are changed. Others may quote the request, and "memory 1" in it must not reveal an id.
    """
    text = str(error)
    if isinstance(error, StoreError):
        with contextlib.suppress(StoreError):
            return _NUMBERS.sub(
                lambda found: re.sub(r"\d+", lambda number: global_id(store, int(number[0])), found[0]), text
            )
    return text

"""Cursor position after a list was read again."""

from collections.abc import Sequence


def cursor_index(ids: Sequence[int], near: Sequence[int], index: int) -> int:
    """Return the index of the first of `near` that is listed; if none is, `index`, clamped to the list."""
    order_of: dict[int, int] = {}
    for order, row_id in enumerate(near):
        if order == 0:  # the usual case, at the speed of C
            try:
                return ids.index(row_id)
            except ValueError:
                continue
        order_of[row_id] = order
    index_of = {row_id: index for index, row_id in enumerate(ids) if row_id in order_of} if order_of else {}
    if index_of:
        return index_of[min(index_of, key=order_of.__getitem__)]
    return max(min(index, len(ids) - 1), 0)

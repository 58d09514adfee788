"""When a memory stops holding."""

from store.clock import DAY
from store.model import Kind

LASTS: dict[Kind, int] = {Kind.COMMITMENT: 90, Kind.TASK: 30, Kind.EVENT: 90, Kind.CONTEXT: 30}
"""Days after which upkeep lets a memory of a kind expire, unless it has a date of its own. The other kinds never do.

Recall goes by a memory's own date at once, and by its kind only once upkeep has run: of the messages that answer
questions about four long chats, half are known by memories of these kinds alone.
"""


def ends_at(kind: Kind, said_at: int, expires_at: int | None) -> int | None:
    """When a memory expires: at its own date, of whatever kind it is, else as its kind does; None for never."""
    if expires_at is not None:
        return expires_at
    days = LASTS.get(kind)
    return None if days is None else said_at + days * DAY

"""Group chats: the person's messages have the role of a user; those of others carry a name and are never distilled.

A chat of years is one conversation per month; its title then ends with the month. One of WhatsApp, whose dates are
known only from the whole, is one conversation. A long conversation comes in parts, so that memory use is flat.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from curator.importers.factory import Draft, Identities, conversation, message
from curator.importers.inputs import Item
from curator.importers.json_stream import digest
from curator.importers.log_format import Format
from store import clock
from store.model import Channel, NewConversation, Role

_PART = 500  # messages: a message is still in the processor's cache when it is redacted and stored
_RECENT = 5_000  # messages among which the same one is told from those before


@dataclass(slots=True)
class GroupChat:
    """A chat of several people that is being read.

    `key` identifies it in its log, `me` are the person's ids in it, or names without ids.

    Identities of messages contain `me`, so that imports for different people differ and can be undone separately.
    With a `scope`, messages are identified in it and not in their chat, whose key may differ between exports.
    """

    source: Format
    key: str
    title: str
    place: str
    me: Sequence[str]
    external_id: str | None = None
    project: str | None = None
    monthly: bool = True
    created_at: int | None = None  # default: that of the first message
    scope: str = ""
    _month: str = ""
    _messages: list[Draft | None] = field(default_factory=list)
    _own: Identities | None = None
    _parts: int = 0

    def add(
        self,
        text: str,
        author: str,
        mine: bool,
        *,
        id_: str = "",
        key: str = "",
        at: int | None = None,
        channel: Channel = Channel.SPOKEN,
    ) -> Sequence[Item]:
        """Add a message, by its `id_` in the log or else a `key`, and return the month that ends before it."""
        month = month_of(at // clock.DAY) if self.monthly and at is not None else ""
        ended: Sequence[Item] = ()
        if month != self._month:
            ended = list(self.end())
            self._parts = 0
        elif self._own is not None and len(self._messages) == _PART:
            ended = list(self.end())
            self._parts += any(isinstance(one, NewConversation) for one in ended)
            if not self.monthly and self._parts and self._parts * _PART % _RECENT == 0:
                self._own.forget_old()
        if self._own is None or month != self._month:
            self._month, self._own = month, Identities(self.scope or self._identity(month))
        role = Role.USER if mine else Role.OTHER
        said = text if mine or not text.strip() else f"{author or 'someone'}: {text}"
        identity = self._own.of_message(key or id_ or None, role, said)
        self._messages.append(message(identity, role, said, channel, external_id=id_ or None, created_at=at))
        return ended

    def end(self) -> Iterator[Item]:
        """Yield the conversation of the messages added since the last one."""
        if any(self._messages) if self._parts else self._messages:
            found = conversation(
                self._identity(self._month),
                self.source,
                self._messages,
                self.place,
                external_id=self.external_id,
                title=f"{self.title} · {self._month}" if self._month else self.title,
                created_at=self.created_at,
                project=self.project,
            )
            yield replace(found, continues=True) if self._parts and isinstance(found, NewConversation) else found
        self._messages = []

    def _identity(self, month: str) -> str:
        return f"{self.source}:{self.key}:{digest(*self.me)}" + (f":{month}" if month else "")


@lru_cache(maxsize=10_000)
def month_of(day: int) -> str:
    """Return the month of a day, counted from 1970, as `2026-05`."""
    return clock.to_iso(day * clock.DAY)[:7]

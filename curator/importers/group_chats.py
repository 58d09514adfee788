"""Group chats: the person's messages have the role user; those of others have a name and are never distilled.

A chat becomes a conversation per month, with the month at the end of the title. A WhatsApp chat is a single
conversation, since its dates depend on the whole file. Long conversations are yielded in parts, to keep memory use
flat.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from curator.importers.factory import Identities, ParsedMessage, conversation, message
from curator.importers.inputs import Item
from curator.importers.json_stream import digest
from curator.importers.log_format import Format
from store import clock
from store.model import Channel, NewConversation, Role

_PART = 500  # messages per part, few enough to stay in the CPU cache until they are stored
_RECENT = 5_000  # messages within which repeated messages are recognised


@dataclass(slots=True)
class GroupChat:
    """A chat of several people during import.

    `key` identifies it in its log; `me` are the person's ids in it, or names if it has no ids.

    Identities of messages include `me`, so that imports for different people differ and can be undone separately. With
    a `scope`, identities are relative to that instead of the chat, whose key may differ between exports.
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
    _messages: list[ParsedMessage | None] = field(default_factory=list)
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
        """Add a message, identified by its `id_` in the log or a `key`; return the conversation of a finished month."""
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
        identity = self._own.of(key or id_ or digest(role, said))
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

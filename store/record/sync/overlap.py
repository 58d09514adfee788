"""Match the content of a record with batches of other devices, before the record joins their sync space.

Conversations and messages carry keyed hashes of their identity in the log, by which repeated imports recognise them.
Each record has its own key, and the identity itself is not stored, so the hashes cannot be compared or converted.
Messages are therefore matched by ids from the log, times, roles and texts.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from store.record.archive_words import is_for_an_export
from store.record.sync.outbox import Batch
from store.record.text_redaction import MASK

_Key = tuple[Any, ...]


@dataclass(slots=True)
class Matches:
    """Matching conversations and messages: the hashes of the other devices by the ids of this record.

    `erased` are memories whose words are missing from the space because it was started from an export without
    forgotten words, as (uid of the device that added the memory, number of the memory on that device).
    """

    conversations: dict[int, bytes] = field(default_factory=dict)
    messages: dict[int, bytes] = field(default_factory=dict)
    erased: set[tuple[str, int]] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _Own:
    id: int
    conversation: int
    text: str


class Overlap:
    """Matches the messages of a record with those of other devices' batches."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.found = Matches()
        self._taken: set[bytes] = set()  # hashes that have a match
        self._conversations: defaultdict[_Key, list[int]] = defaultdict(list)
        for row in connection.execute("SELECT id, owner, source, external_id, title, created_at FROM conversations"):
            self._conversations[key_of(row[1:])].append(row[0])
        self._left: dict[_Key, defaultdict[_Key, list[_Own]]] = {}  # messages without a match, by conversation

    def add(self, batch: Batch) -> None:
        """Match the messages of a batch of another device, and collect the memories that an export had erased."""
        exports = {head["ref"] for head in batch["commands"] if is_for_an_export(head["verb"], head["summary"])}
        for event in batch.get("events", ()) if exports else ():
            for change in event["changes"] if event["command"] in exports else ():
                if change["t"] == "memories" and "k" in change and "purged" in change["a"]:
                    names = (key.split(":") for key in change["k"] if key)
                    self.found.erased.update((batch["devices"][int(device)], int(number)) for device, number in names)
        conversations = batch.get("conversations", [])
        for ident, place, _, _, role, channel, text, external_id, created_at, *_ in batch.get("messages", ()):
            of = conversations[place]
            if key_of(of[1:]) not in self._conversations or self._is_known("messages", bytes.fromhex(ident)):
                continue
            left = self._messages(key_of(of[1:]))[(role, channel, external_id, created_at)]
            exact = created_at is not None or external_id is not None
            own = next((one for one in left if alike(one.text, text, exact)), None)
            if own is None:
                continue
            left.remove(own)
            self._give(self.found.messages, own.id, bytes.fromhex(ident))
            name = bytes.fromhex(of[0])
            if own.conversation not in self.found.conversations and not self._is_known("conversations", name):
                self._give(self.found.conversations, own.conversation, name)

    def _give(self, found: dict[int, bytes], number: int, ident: bytes) -> None:
        found[number] = ident
        self._taken.add(ident)

    def _is_known(self, table: str, ident: bytes) -> bool:
        there = f"SELECT 1 FROM {table} WHERE ident = ?"
        return ident in self._taken or self._connection.execute(there, (ident,)).fetchone() is not None

    def _messages(self, key: _Key) -> defaultdict[_Key, list[_Own]]:
        """Return the unmatched messages of the conversations with a key, in order."""
        if key not in self._left:
            found: defaultdict[_Key, list[_Own]] = defaultdict(list)
            for conversation in self._conversations[key]:
                rows = self._connection.execute(
                    "SELECT id, text, role, channel, external_id, created_at FROM messages WHERE conversation = ?"
                    " ORDER BY id",
                    (conversation,),
                )
                for number, text, *said in rows:
                    found[tuple(said)].append(_Own(number, conversation, text))
            self._left[key] = found
        return self._left[key]


def key_of(row: Sequence[Any]) -> _Key:
    """Return the matching key of a conversation row (owner, source, id in the log, title, time, …)."""
    owner, source, external_id, title, created_at, *_ = row
    return (owner, source, external_id) if external_id is not None else (owner, source, None, title, created_at)


def alike(one: str, other: str, exact: bool) -> bool:
    """Return True for equal texts, ignoring masked characters.

    With `exact`, for messages with an id or a time, a text that was erased completely also matches.
    """
    if one == other or (exact and not (one and other)):
        return True
    if len(one) != len(other) or (MASK not in one and MASK not in other):
        return False
    return all(a == b or MASK in (a, b) for a, b in zip(one, other, strict=True))


def adopt_hashes(connection: sqlite3.Connection, found: Matches) -> None:
    """Store the hashes of the other devices in matched rows, in the caller's write transaction."""
    for table, idents in (("conversations", found.conversations), ("messages", found.messages)):
        rows = [(ident, number) for number, ident in idents.items()]
        connection.executemany(f"UPDATE OR IGNORE {table} SET ident = ? WHERE id = ?", rows)

"""Construction of messages and conversations, with cleaned and redacted texts."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from curator.importers.inputs import Skipped
from curator.importers.json_stream import clean, digest
from curator.secrets import redact, redact_all
from store.model import Channel, NewConversation, NewMessage, Role

ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "tool": Role.TOOL}
"""Roles by the words that most programs have for them."""
_ID = re.compile(
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:#[a-z_]{1,16}\.?\d{0,4})?"  # a UUID, or a part of its message
    r"|1\d{9}\.\d{6}|\d{1,10}"  # a time with microseconds, a small number
)


class Identities:
    """Generates identities with a prefix; a repeated key gets the suffix `:2`, and so on.

    Identities derive from the unredacted text, so that changes of secret detectors create no duplicates.
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._seen: dict[str, int] = {}
        self._before: dict[str, int] = {}

    def of(self, key: str) -> str:
        """Return the identity of the next occurrence of a key."""
        times = self._seen.get(key) or self._before.get(key, 0)
        self._seen[key] = times + 1
        return f"{self._prefix}:{key}:{times + 1}" if times else f"{self._prefix}:{key}"

    def forget_old(self) -> None:
        """Forget the keys that have not occurred since the last call, to keep memory use flat."""
        self._before, self._seen = self._seen, {}

    def of_message(self, id_: str | None, role: Role, text: str) -> str:
        """Return the identity of the next message, by its id or else by role and text."""
        return self.of(id_ or digest(role, text))


def conversation_key(title: str, turns: Sequence[tuple[Role, str]]) -> str:
    """Return a key for a conversation without an id: a digest of its title and all messages up to the first answer."""
    parts = [title]
    for role, text in turns:
        parts += (role, text)
        if role is Role.ASSISTANT and text.strip():
            break
    return digest(*parts)


def redacted(text: str) -> str:
    """Return a cleaned text without secrets."""
    return redact(clean(text)).text


def safe(text: str | None) -> str | None:
    """Return a title, project or id without secrets; None if nothing is left.

    UUIDs, times and short numbers are not searched for secrets.
    """
    if text and _ID.fullmatch(text):
        return text
    return redacted(text).strip() or None if text else None


def headline(text: str) -> str:
    """Return a title from a redacted text: cutting before redaction could leave half a secret."""
    return text.strip().split("\n", 1)[0][:80]


class ParsedMessage(NamedTuple):
    """A cleaned message of a log, still with secrets; `conversation` turns it into a message that can be stored.

    It is a tuple for speed, since every message becomes one; messages without text have none.
    """

    identity: str
    role: Role
    said: str
    channel: Channel
    external_id: str | None
    created_at: int | None
    active: bool
    hidden: bool


def message(
    identity: str,
    role: Role,
    text: str,
    channel: Channel = Channel.SPOKEN,
    *,
    external_id: str | None = None,
    created_at: int | None = None,
    active: bool = True,
    hidden: bool = False,
) -> ParsedMessage | None:
    """Return a message with cleaned text; None if the text is empty."""
    if not text or text.isspace():
        return None
    name = safe(external_id) if external_id else None
    return ParsedMessage(clean(identity), role, clean(text), channel, name, created_at, active, hidden)


class Empty:
    """A message of a log without text."""


def conversation(
    identity: str,
    source: str,
    messages: Iterable[ParsedMessage | Empty | None],
    place: str,
    *,
    external_id: str | None = None,
    title: str | None = None,
    created_at: int | None = None,
    project: str | None = None,
    agent: bool = False,
    folder: str | None = None,
) -> NewConversation | Skipped:
    """Return a conversation of the messages with text, one per identity, or the reason why there is none.

    All texts are redacted here at once.
    """
    found: dict[str, ParsedMessage] = {}
    empty = 0
    for one in messages:
        if isinstance(one, ParsedMessage):
            found[one.identity] = one
        empty += isinstance(one, Empty)
    texts = redact_all([one.said for one in found.values()])
    kept = tuple(
        NewMessage(name, role, text.text, channel, external, at, active, hidden, text.count)
        for (name, role, _, channel, external, at, active, hidden), text in zip(found.values(), texts, strict=True)
    )
    if not kept:
        return Skipped("no_messages", place)
    if created_at is None:
        created_at = min((one.created_at for one in kept if one.created_at is not None), default=None)
    return NewConversation(
        identity=clean(identity),
        source=source,
        messages=kept,
        external_id=safe(external_id),
        title=safe(title),
        created_at=created_at,
        project=safe(project),
        agent=agent,
        folder=folder or None,
        empty=empty,
    )


class Text(NamedTuple):
    """A text in an entry of a log: an utterance, a thought, a tool call."""

    role: Role
    text: str
    channel: Channel = Channel.SPOKEN
    hidden: bool = False


class Entry(NamedTuple):
    """An entry of a log with its texts. `id` is empty if the log has none; `time` is in microseconds."""

    id: str
    parent: str | None
    time: int | None
    texts: Sequence[Text]


def entries_key(entries: Iterable[Entry]) -> str:
    """Return a key for a conversation without an id. It ignores the ids of entries, which may be mere numbers."""
    return conversation_key("", [(text.role, text.text) for entry in entries for text in entry.texts])


def in_sequence(
    identity: str, entries: Iterable[Entry], shown: set[str] | None = None
) -> Iterator[ParsedMessage | Empty | None]:
    """Yield the messages of entries in the given order; those not in `shown` are not active.

    The first utterance of an entry has the entry's id; other texts add their channel and number to it.
    """
    identities = Identities(identity)
    for entry in entries:
        if not any(one.text and not one.text.isspace() for one in entry.texts):
            yield Empty() if any(one.role is not Role.SYSTEM for one in entry.texts) else None
        spoken = False
        for number, one in enumerate(entry.texts):
            if not entry.id and (not one.text or one.text.isspace()):
                continue  # not a message, and no other identity depends on it
            first = one.channel is Channel.SPOKEN and not spoken
            spoken = spoken or first
            id_ = entry.id if not entry.id or first else f"{entry.id}#{one.channel}.{number}"
            yield message(
                identities.of_message(id_, one.role, one.text),
                one.role,
                one.text,
                one.channel,
                external_id=id_,
                created_at=entry.time,
                active=shown is None or entry.id in shown,
                hidden=one.hidden,
            )


def in_tree(identity: str, entries: Iterable[Entry], leaf: str | None) -> Iterator[ParsedMessage | Empty | None]:
    """Yield the messages of entries with parents, by time; the thread that ends at `leaf` is active.

    If there is no such entry, the thread of the newest entry is active.
    """
    tree = {entry.id: entry for entry in entries}
    nodes = [Node(entry.id, entry.parent, entry.time) for entry in tree.values()]
    return in_sequence(identity, (tree[name] for name in ordered(nodes)), active(nodes, leaf))


def tree_conversation(
    source: str,
    name: str,
    entries: Iterable[Entry],
    place: str,
    *,
    leaf: str | None = None,
    title: str = "",
    created_at: int | None = None,
) -> NewConversation | Skipped:
    """Return the conversation with the id `name`, of entries with parents, or the reason why there is none."""
    identity = f"{source}:{name}"
    return conversation(
        identity,
        source,
        in_tree(identity, entries, leaf),
        place,
        external_id=name,
        title=title,
        created_at=created_at,
    )


@dataclass(frozen=True, slots=True)
class Node:
    """A message in a tree. `time` is in microseconds, None if the log has none."""

    id: str
    parent: str | None
    time: int | None


def ordered(nodes: Iterable[Node]) -> list[str]:
    """Return the ids sorted by latest time from the root, depth and id. Cycles and missing parents are tolerated."""
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
    """Return the ids from the root to `leaf`, or to the newest leaf if `leaf` is not a node."""
    listed = list(nodes)
    tree = {node.id: node for node in listed}
    if leaf not in tree:
        parents = {node.parent for node in listed}
        leaves = [name for name in ordered(listed) if name not in parents] or list(tree)[-1:]
        leaf = leaves[-1] if leaves else None
    return set(_upwards(tree, leaf, {})) if leaf is not None else set()


def _upwards(tree: Mapping[str, Node], start: str, known: Mapping[str, object]) -> list[str]:
    """Return the ids from `start` towards the root, up to a known or repeated node."""
    chain: list[str] = []
    seen: set[str] = set()
    name: str | None = start
    while name is not None and name in tree and name not in known and name not in seen:
        seen.add(name)
        chain.append(name)
        name = tree[name].parent
    return chain

"""Building of messages and conversations: the one place where their texts are cleaned and redacted."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from curator.importers.coerce import clean, digest
from curator.importers.types import Skipped
from curator.secrets import redact
from store.model import Channel, NewConversation, NewMessage, Role


class Identities:
    """Identities under a prefix; the second of one key ends in `:2`, and so on.

    They are made of the original text, so that a better secrets detector duplicates nothing.
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._seen: Counter[str] = Counter()

    def of(self, key: str) -> str:
        """Return the identity for the next occurrence of a key."""
        self._seen[key] += 1
        suffix = f":{self._seen[key]}" if self._seen[key] > 1 else ""
        return f"{self._prefix}:{key}{suffix}"

    def of_message(self, id_: str | None, role: Role, text: str) -> str:
        """Return the identity of the next message: by its id, else by its role and text."""
        return self.of(id_ or digest(role, text))


def conversation_key(title: str, turns: Sequence[tuple[Role, str]]) -> str:
    """Return a key for a conversation without an id: of its title and all up to the first answer, which stay."""
    parts = [title]
    for role, text in turns:
        parts += (role, text)
        if role is Role.ASSISTANT and text.strip():
            break
    return digest(*parts)


def redacted(text: str) -> str:
    """Return a text cleaned and without secrets."""
    return redact(clean(text)).text


def safe(text: str | None) -> str | None:
    """Return a title, a project or an id without secrets; None if nothing is left."""
    return redacted(text).strip() or None if text else None


def headline(text: str) -> str:
    """Return a title made of a text that is redacted already: a cut before redacting could leave half a secret."""
    return text.strip().split("\n", 1)[0][:80]


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
) -> NewMessage | None:
    """Return a message with its text cleaned and redacted; None if there is no text."""
    if not text or text.isspace():
        return None
    found = redact(clean(text))
    return NewMessage(
        identity=clean(identity),
        role=role,
        text=found.text,
        channel=channel,
        external_id=safe(external_id),
        created_at=created_at,
        active=active,
        hidden=hidden,
        redactions=found.count,
    )


def conversation(
    identity: str,
    source: str,
    messages: Iterable[NewMessage | None],
    place: str,
    *,
    external_id: str | None = None,
    title: str | None = None,
    created_at: int | None = None,
    project: str | None = None,
    agent: bool = False,
) -> NewConversation | Skipped:
    """Return a conversation of the messages that have a text, each identity once, or why there is none."""
    kept = tuple({one.identity: one for one in messages if one}.values())
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
    )


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

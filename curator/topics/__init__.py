"""Topics: groups of memories about one thing, by vectors, named by their words; nothing is stored.

A topic is a project, or the memories with a tag `topic:NAME`, or a cluster of vectors. Memories of every life take
part, so that a decision on one never moves another; only live ones are counted, and only their words are named.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from curator.topics.clusters import OTHER as NONE
from curator.topics.clusters import MemoryVector, cluster_numbers
from curator.topics.names import OTHER, SAMPLE, TopicTexts, names
from store import Store
from store.model import Life
from store.record.topic_places import TopicPlace

if TYPE_CHECKING:
    from curator.topics.clusters import Numbers

__all__ = ["OTHER", "TAG", "Topic", "Topics", "topics_of"]

TAG = "topic:"
"""Beginning of a tag by which a person names the topic of a memory."""


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic with its live memories, lowest id first."""

    name: str
    memories: tuple[int, ...]
    project: bool = False  # its name is that of a project

    def is_called(self, name: str) -> bool:
        """Return True for its name, or one of the words of it, in any case."""
        words = self.name.casefold().replace(",", "").split()
        return name.casefold() in (self.name.casefold(), *words)


@dataclass(frozen=True, slots=True)
class Topics:
    """All topics with live memories, the largest first; `other` belong to none, `unread` of them have no vector."""

    topics: tuple[Topic, ...]
    other: tuple[int, ...]
    unread: int

    def called(self, name: str) -> tuple[Topic, ...]:
        """Return the topic with this name, or else those with this word in it."""
        every = (*self.topics, *([Topic(OTHER, self.other)] if self.other else []))
        exact = tuple(topic for topic in every if topic.name.casefold() == name.casefold())
        return exact or tuple(topic for topic in every if topic.is_called(name))

    def by_memory(self) -> dict[int, str]:
        """Return the name of the topic of each live memory that has one."""
        return {memory: topic.name for topic in self.topics for memory in topic.memories}


@dataclass(slots=True)
class _Known:
    """Answers for a store, each with the state of the record it holds for."""

    clusters: "tuple[object, Numbers, set[int]] | None" = None
    topics: tuple[object, Topics] | None = None
    lock: Lock = field(default_factory=Lock)  # two who ask at once wait for one answer


_known: "WeakKeyDictionary[Store, _Known]" = WeakKeyDictionary()


def topics_of(store: Store) -> Topics:
    """Return the topics of a store. Answers are kept until the record changes; the clusters until memories come."""
    known = _known.setdefault(store, _Known())
    with known.lock, store.snapshot():
        there = store.topic_places.state(TAG)
        now = (store.epoch, store.journal.seq(), there)
        if known.topics is not None and known.topics[0] == now:
            return known.topics[1]
        rows = store.topic_places.rows(TAG)
        kept = known.clusters
        if kept is None or kept[0] != (store.epoch, there) or len(kept[1]) != len(rows):
            known.clusters = kept = ((store.epoch, there), *clusters_of(store, rows))
        found = named(store, rows, kept[1], kept[2])
    known.topics = now, found
    return found


def label_of(row: TopicPlace) -> str | None:
    """Return the name that a person, or else a project, gives to the topic of a memory."""
    return row.tag.removeprefix(TAG) if row.tag else row.project


def clusters_of(store: Store, rows: Sequence[TopicPlace]) -> "tuple[Numbers, set[int]]":
    """Return the cluster of each memory, and the memories with a vector; others have that of their label, or none."""
    import numpy as np

    fingerprint = store.vectors.embedded_by()
    found, have = np.full(len(rows), NONE, np.int64), list[int]()
    if fingerprint is not None:
        order, there = np.array([row.id for row in rows]), np.zeros(len(rows), bool)
        vectors = np.empty((len(rows), fingerprint.dimension), np.float32)
        for life in Life:
            for ids, data in store.vectors.blocks(fingerprint, life) if life is not Life.PURGED else ():
                rows_of = np.searchsorted(order, ids)
                there[rows_of] = True
                vectors[rows_of] = np.frombuffer(data, np.float32).reshape(len(ids), -1)
        have = np.flatnonzero(there).tolist()
        embedded = [MemoryVector(row.id, row.group, row.ordinal, label_of(row)) for row in map(rows.__getitem__, have)]
        found[there] = cluster_numbers(embedded, vectors if there.all() else vectors[there])
    numbers = {label: int(found[at]) for at in have if (label := label_of(rows[at])) is not None}
    free = int(found.max(initial=NONE)) + 1
    for at, row in enumerate(rows):
        if found[at] == NONE and (label := label_of(row)) is not None:
            found[at] = numbers.setdefault(label, free + len(numbers))
    return found, {rows[at].id for at in have}


def named(store: Store, rows: Sequence[TopicPlace], found: "Numbers", embedded: Collection[int]) -> Topics:
    """Return the topics of clusters. Only words of live memories that are not in quarantine are named."""
    groups: dict[int, list[TopicPlace]] = {}
    for row, number in zip(rows, found.tolist(), strict=True):
        groups.setdefault(number, []).append(row)
    other = [row.id for row in groups.pop(NONE, []) if row.live]
    live = {number: tuple(row.id for row in members if row.live) for number, members in groups.items()}
    order = sorted((n for n in groups if live[n]), key=lambda n: (-len(live[n]), groups[n][0].id))
    read = [groups[n][:SAMPLE] for n in order]
    texts = store.topic_places.texts([row.id for members in read for row in members])
    given = [next((label for row in groups[n] if (label := label_of(row)) is not None), None) for n in order]
    titles = store.topic_places.titles({row.group for members in read for row in members if row.group is not None})
    called = names(
        [
            TopicTexts(
                [texts[row.id] for row in members],
                [texts[row.id] for row in members if row.live and not row.flagged],
                [titles[row.group] for row in members if row.group in titles],
                own,
            )
            for members, own in zip(read, given, strict=True)
        ]
    )
    of_person = {n for n in order if any(row.tag for row in groups[n])}
    topics = [
        Topic(name, live[n], own is not None and n not in of_person)
        for name, n, own in zip(called, order, given, strict=True)
    ]
    return Topics(tuple(topics), tuple(other), sum(memory not in embedded for memory in other))

"""Export memories in layers (a global summary, topics, entries, facts) as documents and files.

An entry is the conversation or session that facts come from.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from curator.config import settings
from curator.curation.disclosure import Disclosure
from curator.curation.expiry import expired_at
from curator.export.files import disclosed
from curator.export.layer_documents import OTHER, Document, entry_summary, global_memory, to_bytes, topic_memory
from curator.export.layer_files import LayerFiles, Report, folder_names, write_layers
from curator.export.layer_markdown import markdown
from curator.recall.block import exclusion_reason
from curator.topics import topics_of
from store import Filter, Sort, Store, clock
from store.model import Evidence, Given, Memory, Review

_READ = 1_000  # memories read at once


@dataclass(frozen=True, slots=True)
class Layers:
    """All documents by path without suffix, and their counts. `left_out` counts memories that are not exportable."""

    documents: Mapping[str, Document]
    topics: int
    entries: int
    facts: int
    left_out: int


def build_layers(store: Store, report: Report = lambda done, total: None) -> Layers:
    """Return the layers of a store's exportable memories (`is_exportable`).

    Expiry is judged at the time the newest memory was added, so that the result depends only on the store. `report` is
    called with the number of memories read and the total.
    """
    with store.snapshot():
        ids = store.list_ids(Filter(), Sort.ADDED, descending=False)
        topic_of = topics_of(store).by_memory()
        disclosure = Disclosure(store)
        read = read_facts(store, ids, disclosure, report)
        questions = open_questions(store, read.facts)
    about: dict[str, list[Document]] = defaultdict(list)
    for question in questions:
        for topic in {topic_of.get(memory_id, OTHER) for memory_id in question["ids"]}:
            about[topic].append(question)
    by_topic: dict[str, dict[str, list[Document]]] = {}
    for memory_id, fact in read.facts.items():
        topic = topic_of.get(memory_id, OTHER)
        by_topic.setdefault(topic, {}).setdefault(fact["entry_id"], []).append(fact)
    shown = {name: disclosure.words(name) or f"topic {sha256(name.encode()).hexdigest()[:6]}" for name in by_topic}
    folders = folder_names(sorted(shown.values()))
    documents: dict[str, Document] = {}
    memories: list[Document] = []
    for name in sorted(by_topic, key=lambda name: shown[name]):
        summaries = [
            entry_summary(shown[name], read.entries[entry], some) for entry, some in sorted(by_topic[name].items())
        ]
        path = f"topics/{folders[shown[name]]}"
        documents |= {f"{path}/{summary['entry']['id']}/summary": summary for summary in summaries}
        asked = [
            {"texts": question["texts"], "memories": question["memories"], "relation": question["relation"]}
            for question in about[name]
        ]
        memories.append(topic_memory(shown[name], summaries, asked, read.past))
        documents[f"{path}/topic_memory"] = memories[-1]
    paths = {shown[name]: f"topics/{folders[shown[name]]}" for name in by_topic}
    documents["GLOBAL_MEMORY"] = global_memory(memories, paths)
    facts, topics = len(read.facts), len(by_topic) - (OTHER in by_topic)
    return Layers(documents, topics, len(read.entries), facts, len(ids) - facts)


@dataclass(frozen=True, slots=True)
class ReadFacts:
    """Exportable memories as facts by memory id, and entries by id; `past` has the uids of expired memories."""

    facts: dict[int, Document] = field(default_factory=dict)
    entries: dict[str, Document] = field(default_factory=dict)
    past: set[str] = field(default_factory=set)


def read_facts(store: Store, ids: Sequence[int], disclosure: Disclosure, report: Report) -> ReadFacts:
    """Read the exportable memories among `ids`. The time of an entry is that of its earliest fact."""
    now = max((memory.added_at for memory in store.get_many(ids[-1:])), default=0)
    read = ReadFacts()
    for start in range(0, len(ids), _READ):
        report(start, len(ids))
        some = store.get_many(ids[start : start + _READ])
        evidence = store.evidence_of([memory.id for memory in some])
        for memory in some:
            if not is_exportable(memory, now):
                continue
            if expired_at(memory, now) is not None:
                read.past.add(memory.uid)
            plain, quotes = disclosed(memory, evidence.get(memory.id, ()), disclosure)
            entry = entry_document(plain, quotes)
            former = read.entries.get(entry["id"], entry)
            first = min(filter(None, (former["at"], entry["at"])), default=None)
            read.entries[entry["id"]] = {**former, "at": first}
            read.facts[memory.id] = {**fact_document(plain, disclosure), "entry_id": entry["id"]}
    return read


def export_layers(
    store: Store, folder: Path, overwrite: bool, report: Report = lambda done, total: None
) -> tuple[Layers, LayerFiles]:
    """Write the layers of a store as JSON and Markdown. Raises ValueError and Unwritable as `write_layers` does."""

    def write() -> tuple[Layers, LayerFiles]:
        layers = build_layers(store, report)
        files: dict[str, bytes] = {}
        for path in sorted(layers.documents):
            files[f"{path}.json"] = to_bytes(layers.documents[path])
            files[f"{path}.md"] = markdown(layers.documents[path]).encode()
        return layers, write_layers(store, folder, files, overwrite, report)

    return store.repeat_if_purged(write)


def is_exportable(memory: Memory, now: int) -> bool:
    """Return True if a live memory may be in a file that models read; the rules are those of a recall block."""
    if settings().recall.require_validation and memory.review is not Review.VALIDATED:
        return False
    return exclusion_reason(memory, now) is None


def entry_document(memory: Memory, evidence: Sequence[Evidence]) -> Document:
    """Return the entry of a memory: its first conversation, else its session, else its origin."""
    first = next((quote for quote in evidence if quote.conversation is not None), None) or next(iter(evidence), None)
    title, source = (None, memory.source) if first is None else (first.title, first.source or memory.source)
    conversation = None if first is None else first.conversation
    if conversation is not None:
        name = f"conversation-{conversation}"
    elif memory.session is not None or title is not None:
        name = f"session-{sha256(repr((source, memory.session or title)).encode()).hexdigest()[:12]}"
    else:
        name, title = f"{memory.origin.value}-notes", None
    at = memory.created_at if first is None or first.said_at is None else first.said_at
    return {"id": name, "source": source, "title": title, "at": None if at is None else clock.to_iso(at)}


def fact_document(memory: Memory, disclosure: Disclosure) -> Document:
    """Return a memory as a fact. `decided` is True if the person validated or pinned it."""
    end = None if memory.expires_at == clock.LATEST else memory.expires_at
    return {
        "memory": memory.uid,
        "text": memory.text,
        "subject": disclosure.words(memory.subject),
        "relation": disclosure.words(memory.relation),
        "object": disclosure.words(memory.object),
        "type": memory.kind.value,
        "tier": memory.tier.value,
        "time_span": memory.span,
        "confidence": memory.confidence,
        "user_fact_score": memory.user_score,
        "importance": memory.importance,
        "decided": memory.pinned or memory.review is Review.VALIDATED,
        "always": memory.given is Given.ALWAYS,
        "scope": memory.scope,
        "project": memory.project,
        "tags": list(memory.tags),
        "said_at": None if memory.created_at is None else clock.to_iso(memory.created_at),
        "expires_at": None if end is None else clock.to_iso(end),
    }


def open_questions(store: Store, facts: Mapping[int, Document]) -> list[Document]:
    """Return the open contradictions and updates between two of the facts, ordered by memory."""
    questions = []
    for alert in store.alerts.open():
        if alert.relation.is_opposed and {alert.a, alert.b} <= facts.keys():
            pair = sorted((alert.a, alert.b))
            questions.append(
                {
                    "ids": pair,
                    "texts": [facts[memory_id]["text"] for memory_id in pair],
                    "memories": [facts[memory_id]["memory"] for memory_id in pair],
                    "relation": alert.relation.value,
                }
            )
    return sorted(questions, key=lambda question: question["ids"])

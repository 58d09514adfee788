"""Rule-based comparison of memories with their candidates: raises alerts and merges duplicates.

Progress is stored per batch, in the same transaction as the findings, so that a stopped scan can be resumed. Comparing
a batch twice changes nothing.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from curator import safety
from curator.config import settings
from curator.conflicts.alert_policy import (
    NeighbourDensity,
    PairClassifier,
    PairFinding,
    find_relations,
    judge_name,
    pair_classifier,
    raise_finding,
    rules_label,
)
from curator.curation.merge import merge_into
from curator.text import tokens
from store import Store, Writer
from store.model import Actor, Fingerprint, Life, Review
from store.record.vectors import Compared

if TYPE_CHECKING:
    from curator.conflicts.candidates import MemoryCandidates


@dataclass(frozen=True, slots=True)
class BatchCounts:
    """Counts of a batch: memories compared, pairs judged, alerts raised, pairs merged."""

    memories: int
    pairs: int
    found: int
    merged: int


def pending(store: Store, limit: int) -> list[int]:
    """Return memories to compare: new or reworded ones, and those compared by another version of the rules."""
    return store.compare_queue.pending(rules_label(), store.vectors.embedded_by(), limit)


def count_pending(store: Store) -> int:
    """Return the number of memories to compare."""
    return store.compare_queue.count(rules_label(), store.vectors.embedded_by())


def scan(
    store: Store,
    memories: Sequence[int],
    fingerprint: Fingerprint | None,
    confirm: Callable[[Writer], None],
    rest: Callable[[], None] = lambda: None,
    manual: bool = False,
) -> Iterator[BatchCounts]:
    """Compare these memories with all others, yielding the counts of each batch; stop iterating to stop the scan.

    The alerts of a batch are one command, and so is each merge; their actor is SWEEP. With `manual`, the person started
    the scan. `confirm` is called inside each transaction and may raise to abort it. `rest` is called outside of
    transactions, between short pieces of work, and may block.
    """
    from curator.conflicts.indexed import candidates_for  # imported here, since it loads numpy

    if not memories:
        return
    classifier = pair_classifier()  # before the label, which says if there is one
    label, candidates = rules_label(), candidates_for(store, len(memories), fingerprint, rest)
    for batch in candidates.batches(memories):
        yield judge_batch(store, batch, candidates.neighbour_density, classifier, label, confirm, rest, manual)


def count_near(store: Store, pairs: Sequence[tuple[int, int]]) -> list[float | None]:
    """Return `Candidates.neighbour_density` of each pair, as in a scan; None unless both memories are live."""
    from curator.conflicts.indexed import candidates_for  # imported here, since it loads numpy

    ids = {memory for pair in pairs for memory in pair}
    live = {one.id for one in store.get_many(sorted(ids)) if one.life is Life.LIVE}
    candidates = candidates_for(store, len(ids), store.vectors.embedded_by(), lambda: None) if live else None
    return [
        None if candidates is None or not live.issuperset(pair) else candidates.neighbour_density(*pair)
        for pair in pairs
    ]


def has_findings(store: Store, memory: int, fingerprint: Fingerprint | None) -> bool:
    """Return True if comparing a memory with all others has findings; if not, record that it was compared.

    Callers use this to avoid an empty command in the journal for most added memories.
    """
    from curator.conflicts.indexed import candidates_for  # imported here, since it loads numpy

    classifier = pair_classifier()  # before the label, which says if there is one
    label, candidates = rules_label(), candidates_for(store, 1, fingerprint, lambda: None)
    near = [one for batch in candidates.batches([memory]) for one in batch]
    pairs = [(text, one.memory, cosine) for one in near for text, cosine in one.others]
    if any(find_relations(pairs, candidates.neighbour_density, classifier)):
        return True
    store.compare_queue.note([_queue_entry(one) for one in near], label)
    return False


def _queue_entry(one: "MemoryCandidates") -> Compared:
    return Compared(one.memory.memory, one.memory.key, one.embedded, one.hashes)


def judge_batch(
    store: Store,
    batch: "Sequence[MemoryCandidates]",
    neighbour_density: NeighbourDensity,
    classifier: PairClassifier | None,
    label: str,
    confirm: Callable[[Writer], None],
    rest: Callable[[], None],
    manual: bool,
) -> BatchCounts:
    """Judge the pairs of a batch, merge repetitions, and raise the other findings as one command."""
    pairs = {
        (min(near.memory.memory, text.memory), max(near.memory.memory, text.memory)): (near.memory, text, cosine)
        for near in batch
        for text, cosine in near.others
    }
    findings = find_relations(list(pairs.values()), neighbour_density, classifier, rest)
    found = dict(sorted(zip(pairs, findings, strict=True), key=lambda item: item[0]))
    merged = set()
    for finding in found.values():
        if finding is not None:
            rest()
            merged.add(merge(store, finding, confirm, manual))
    keys = {text.memory: text.key for near in batch for text in (near.memory, *(other for other, _ in near.others))}
    by = judge_name()
    alerts = store.alerts.unresolved([near.memory.memory for near in batch])
    by_others = {  # alerts raised by other rules or for other texts
        (alert.a, alert.b): alert.id
        for alert in chain.from_iterable(alerts.values())
        if (alert.a, alert.b) in found
        and (alert.judge == "" or alert.judge.startswith("rules"))
        and (alert.judge != by or alert.keys not in (None, (keys[alert.a], keys[alert.b])))
    }
    outdated = {alert for pair, alert in by_others.items() if found[pair] is None}
    raised = confirmed = removed = 0
    rest()
    with store.command("compare", Actor.SWEEP, manual=manual) as writer:
        confirm(writer)
        for pair, finding in found.items():
            if finding is not None and merged.isdisjoint(pair):
                opened = raise_finding(store, writer, finding, by)
                raised, confirmed = raised + opened, confirmed + (not opened and pair in by_others)
        for alert in sorted(outdated):
            removed += store.alerts.withdraw(writer, alert)
        rows = [_queue_entry(near) for near in batch]
        store.compare_queue.mark(writer.connection, [row for row in rows if row.memory not in merged], label)
        counts = {"found": raised, "confirmed": confirmed, "removed": removed}
        done = ", ".join(f"{count:,} {what}" for what, count in counts.items() if count)
        writer.summarise(f"conflicts: {done}" if done else "")
    return BatchCounts(len(batch), len(found), raised, len(merged - {None}))


def merge(store: Store, finding: PairFinding, confirm: Callable[[Writer], None], manual: bool = False) -> int | None:
    """Merge the two memories of a finding as one command; return the superseded one, or None if it is not allowed.

    The survivor is the memory whose words include the other's, by default the older one. `confirm` is called inside the
    transaction and may raise to abort it.
    """
    if not _may_merge(store, finding):
        return None
    ids = [finding.a.memory, finding.b.memory]
    survivor, other = (
        (finding.b, finding.a) if tokens(finding.a.words) < tokens(finding.b.words) else (finding.a, finding.b)
    )
    with store.command("merge", Actor.SWEEP, f"into memory {survivor.memory}", manual=manual) as writer:
        confirm(writer)
        if not _may_merge(store, finding):
            return None
        merge_into(store, writer, ids, survivor.words, survivor.memory, validated=False)
        store.compare_queue.unmark(writer.connection, [other.memory])  # compare it again after an undo
    return other.memory


def _may_merge(store: Store, finding: PairFinding) -> bool:
    """Return True if two memories may be merged automatically in their current state.

    They may not if the person decided on either of them (validated or pinned it) or on the pair (undid the merge,
    restored one, or resolved that both hold), if their scopes or authors differ, or if either is in quarantine.
    """
    if not (finding.same and settings().conflicts.merge):
        return False
    ids = [finding.a.memory, finding.b.memory]
    found = store.get_many(ids)
    if len({safety.is_grave(one.text) for one in found}) > 1:  # the survivor might have the milder words
        return False
    keys = store.content_keys(ids)
    return (
        len(found) == 2
        and all((one.life, one.review, one.pinned, one.flag) == (Life.LIVE, Review.OPEN, False, None) for one in found)
        and found[0].scope == found[1].scope
        and found[0].author == found[1].author
        and (keys[ids[0]], keys[ids[1]]) == (finding.a.key, finding.b.key)
        and not store.alerts.decided(*ids)
    )

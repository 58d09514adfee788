"""Comparing every memory that waits for it with those it may have to do with, by the rules.

What is done is marked batch by batch, in the transaction that keeps what was found: a scan that was stopped goes on
where it was, and doing a batch twice finds nothing twice.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from curator.conflicts.alert_policy import RULES, find, raise_finding, rules
from curator.conflicts.auto_merge import merge
from curator.conflicts.candidates import Candidates, Near
from store import Store, Writer
from store.model import Actor, Alert, Fingerprint
from store.record.compare_queue import Compared


@dataclass(frozen=True, slots=True)
class Scanned:
    """What a batch came to: memories compared, pairs judged for it, alerts raised, pairs merged."""

    memories: int
    pairs: int
    found: int
    merged: int


def pending(store: Store, limit: int) -> list[int]:
    """Memories that wait to be compared: new, put differently, or compared by other rules."""
    return store.compare_queue.pending(rules(), store.vectors.embedded_by(), limit)


def count_pending(store: Store) -> int:
    """How many of them there are."""
    return store.compare_queue.count(rules(), store.vectors.embedded_by())


def scan(
    store: Store,
    memories: Sequence[int],
    fingerprint: Fingerprint | None,
    confirm: Callable[[Writer], None],
    rest: Callable[[], None] = lambda: None,
    manual: bool = False,
) -> Iterator[Scanned]:
    """Compare these memories with all, a batch a step; whoever takes no further step has stopped it.

    Alerts of a batch are one command, and each merge is one; all by Actor.SWEEP, and with `manual` those of a scan
    that the person started. `confirm` is asked inside of each
    transaction and raises where it must not be; `rest` is called outside of them, between small pieces, and may wait.
    """
    label = rules()
    for batch in Candidates(store, fingerprint, rest).batches(memories) if memories else ():
        yield _settle(store, batch, label, confirm, rest, manual)


def _settle(
    store: Store,
    batch: Sequence[Near],
    label: str,
    confirm: Callable[[Writer], None],
    rest: Callable[[], None],
    manual: bool,
) -> Scanned:
    findings = {}
    for near in batch:
        rest()
        for text, cosine in near.others:
            findings[_pair(near.memory.memory, text.memory)] = find(near.memory, text, cosine)
    found = {pair: findings[pair] for pair in sorted(findings)}
    gone = set()
    for finding in found.values():
        if finding is not None:
            rest()
            gone.add(merge(store, finding, confirm, manual))
    outdated = _outdated(store, batch, {pair for pair, finding in found.items() if finding is None})
    raised = 0
    rest()
    with store.command("compare", Actor.SWEEP, manual=manual) as writer:
        confirm(writer)
        for pair, finding in found.items():
            if finding is not None and gone.isdisjoint(pair):
                raised += raise_finding(store, writer, finding)
        for alert in outdated:
            store.alerts.withdraw(writer, alert)
        rows = [Compared(near.memory.memory, near.memory.key, near.embedded, near.marks) for near in batch]
        store.compare_queue.mark(writer.connection, [row for row in rows if row.memory not in gone], label)
        writer.summarise(f"{raised} found" if raised else "")
    return Scanned(len(batch), len(found), raised, len(gone - {None}))


def _outdated(store: Store, batch: Sequence[Near], nothing: set[tuple[int, int]]) -> list[int]:
    """Alerts that the rules raised in another version, or for other texts, and would not raise now."""
    keys = {text.memory: text.key for near in batch for text in (near.memory, *(other for other, _ in near.others))}
    alerts = store.alerts.unresolved([near.memory.memory for near in batch])
    return sorted(
        {
            alert.id
            for found in alerts.values()
            for alert in found
            if (alert.a, alert.b) in nothing and _by_other_rules(alert, keys)
        }
    )


def _by_other_rules(alert: Alert, keys: dict[int, str]) -> bool:
    if alert.judge != "" and not alert.judge.startswith("rules"):
        return False
    return alert.judge != RULES or alert.keys not in (None, (keys[alert.a], keys[alert.b]))


def _pair(one: int, other: int) -> tuple[int, int]:
    return (one, other) if one < other else (other, one)

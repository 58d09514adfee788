"""The one thing that is done without a person: two memories that say the same become one. Both texts and all quotes stay."""

from collections.abc import Callable

from curator.compare import tokens
from curator.config import settings
from curator.conflicts.finding import Finding, Text, raise_finding
from curator.curation.merging import merge_into
from store import Store, Writer
from store.model import Actor, Life, Memory, Review


def may_merge(store: Store, finding: Finding) -> bool:
    """Whether a machine may make one memory of two as they are now.

    Never where the person decided on one of them (validated, pinned, took this very merge back), where they hold in
    different scopes, or where one is in quarantine.
    """
    if not (finding.same and settings().conflicts.merge):
        return False
    ids = [finding.a.memory, finding.b.memory]
    found = store.get_many(ids)
    keys = store.content_keys(ids)
    return (
        len(found) == 2
        and all(map(_untouched, found))
        and found[0].scope == found[1].scope
        and (keys[ids[0]], keys[ids[1]]) == (finding.a.key, finding.b.key)
        and not store.merge_taken_back(*ids)
    )


def _untouched(memory: Memory) -> bool:
    return memory.life is Life.LIVE and memory.review is Review.OPEN and not memory.pinned and memory.flag is None


def merge(store: Store, finding: Finding, confirm: Callable[[Writer], None]) -> bool:
    """Merge the two of a finding in one command of their own, or else raise it; returns whether they were merged.

    The one stays that says more; of two that say as much, the older. `confirm` is asked inside of the transaction, and
    raises where it must not be.
    """
    survivor = _fuller(finding.a, finding.b)
    with store.command("merge", Actor.SWEEP, f"into memory {survivor.memory}") as writer:
        confirm(writer)
        if may_merge(store, finding):
            both = [finding.a.memory, finding.b.memory]
            merge_into(store, writer, both, survivor.words, survivor.memory, validated=False)
            return True
    with store.command("compare", Actor.SWEEP) as writer:
        confirm(writer)
        raise_finding(store, writer, finding)
    return False


def _fuller(a: Text, b: Text) -> Text:
    return b if tokens(a.words) < tokens(b.words) else a

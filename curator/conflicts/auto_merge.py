"""The one thing that is done without a person: two memories that say the same become one. Texts and quotes stay."""

from collections.abc import Callable

from curator.config import settings
from curator.conflicts.alert_policy import Finding
from curator.curation.merge import merge_into
from curator.text import tokens
from store import Store, Writer
from store.model import Actor, Life, Memory, Review


def merge(store: Store, finding: Finding, confirm: Callable[[Writer], None], manual: bool = False) -> int | None:
    """Merge the two of a finding, if that may be, in a command of its own; returns the memory that gave way.

    The one stays that says more; of two that say as much, the older. `confirm` is asked inside of the transaction, and
    raises where it must not be.
    """
    if not _may_merge(store, finding):
        return None
    ids = [finding.a.memory, finding.b.memory]
    survivor = finding.b if tokens(finding.a.words) < tokens(finding.b.words) else finding.a
    (other,) = (number for number in ids if number != survivor.memory)
    with store.command("merge", Actor.SWEEP, f"into memory {survivor.memory}", manual=manual) as writer:
        confirm(writer)
        if not _may_merge(store, finding):
            return None
        merge_into(store, writer, ids, survivor.words, survivor.memory, validated=False)
        store.compare_queue.unmark(writer.connection, [other])  # so that it is looked at if this is taken back
    return other


def _may_merge(store: Store, finding: Finding) -> bool:
    """Whether a machine may make one memory of two as they are now.

    Never where the person decided on one of them (validated, pinned) or on the two (took this very merge back, restored
    one, said that both hold), where they hold in different scopes, or where one is in quarantine.
    """
    if not (finding.same and settings().conflicts.merge):
        return False
    ids = [finding.a.memory, finding.b.memory]
    found = store.get_many(ids)
    keys = store.content_keys(ids)
    return (
        len(found) == 2
        and all(map(_undecided, found))
        and found[0].scope == found[1].scope
        and (keys[ids[0]], keys[ids[1]]) == (finding.a.key, finding.b.key)
        and not store.alerts.decided(*ids)
    )


def _undecided(memory: Memory) -> bool:
    open_still = memory.life is Life.LIVE and memory.review is Review.OPEN
    return open_still and not memory.pinned and memory.flag is None

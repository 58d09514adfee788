"""Release received memories that a trusted member validated, before the person's own review."""

from collections import defaultdict
from dataclasses import replace

from curator.share.members import MemberList
from curator.share.outbox import text_digest
from curator.share.project import Share
from curator.share.received import ReceivedCounts, is_undecided
from store import Store, Writer
from store.model import SHARED, Life
from store.record.shares import VALIDATED, MemberStatement


def apply_verdicts(store: Store, share: Share, members: MemberList, writer: Writer, *, strict: bool) -> ReceivedCounts:
    """Release memories that a trusted member validated; hold them again when that no longer applies.

    Only memories whose verdicts changed since the last call are written, since another device of this person may trust
    other members; with `strict`, hold every memory that no trusted member validated. A verdict applies only to the
    words it was given for; if trusted members disagree, the rejection wins.
    """
    counts, votes = ReceivedCounts(), store.shares.votes(share.id)
    trusted = {one.key for one in members.members if one.validates and one.key in share.trusted}
    of_memory: defaultdict[int, list[MemberStatement]] = defaultdict(list)
    changed: set[int] = set()
    for one in store.shares.statements(share.id).values():
        verdicts = {
            vote.verdict for vote in votes.get(one.id, ()) if vote.digest == one.digest and vote.member in trusted
        }
        released = not one.withdrawn and verdicts - {""} == {VALIDATED}
        if released != one.released:
            store.shares.put_statement(writer.connection, share.id, replace(one, released=released))
            changed.update(() if one.memory is None else (one.memory,))
        if strict and one.memory is not None and not released:
            changed.add(one.memory)
        if one.memory is not None:
            of_memory[one.memory].append(replace(one, released=released))
    for memory in store.get_many(sorted(changed)):
        if memory.life is not Life.LIVE or not is_undecided(store, memory):
            continue
        statements = of_memory[memory.id]
        present = text_digest(share, memory.text)
        released = any(one.released and one.text_digest == present for one in statements)
        if released and (memory.flag or "").startswith(SHARED):
            writer.update("memories", [memory.id], {"flag": None})
            counts.released += 1
        elif not released and memory.flag is None:
            names = members.names
            by = next((names[one.member] for one in statements if one.member in names), memory.author)
            writer.update("memories", [memory.id], {"flag": f"{SHARED}{by}"})
            counts.held += 1
    return counts


def in_words(counts: ReceivedCounts) -> str:
    """Return a summary of released and held memories, for the history."""
    parts = [(counts.released, "validated by people you trust"), (counts.held, "held back again")]
    return ", ".join(f"{number} {what}" for number, what in parts if number)

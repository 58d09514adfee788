"""Memories as JSON objects. Fields are only added, never removed."""

from collections.abc import Sequence
from dataclasses import asdict

from store import Store, clock
from store.model import Command, Evidence, Memory, Version
from store.record.command_log import ReasonedChange

Json = str | int | float | bool | None | list["Json"] | dict[str, "Json"]


def memory_row(memory: Memory) -> dict[str, Json]:
    """Return a memory as printed in listings."""
    return {
        "id": memory.id,
        "uid": memory.uid,
        "external_id": memory.external_id,
        "text": memory.text,
        "kind": memory.kind.value,
        "tier": memory.tier.value,
        "state": memory.state,
        "review": memory.review.value,
        "pinned": memory.pinned,
        "given": memory.given.value,
        "created_at": _iso(memory.created_at),
        "origin": memory.origin.value,
        "confidence": memory.confidence,
        "user_score": memory.user_score,
        "importance": memory.importance,
        "scope": memory.scope,
        "project": memory.project,
        "source": memory.source,
        "session": memory.session,
        "ordinal": memory.ordinal,
        "tags": list(memory.tags),
        "flag": memory.flag,
    }


def full_row(memory: Memory, evidence: Sequence[Evidence], versions: Sequence[Version]) -> dict[str, Json]:
    """Return a memory with its evidence and versions, as `show --json` prints it and an export stores it."""
    surprise = memory.surprise
    return {
        **memory_row(memory),
        "rank": memory.rank.value,
        "life": memory.life.value,
        "subject": memory.subject,
        "relation": memory.relation,
        "object": memory.object,
        "span": memory.span,
        "distiller": memory.distiller,
        "added_at": clock.to_iso(memory.added_at),
        "expires_at": _iso(memory.expires_at),
        "superseded_by": memory.superseded_by,
        "surprise": None if surprise is None else {**asdict(surprise), "total": round(surprise.total, 4)},
        "evidence": [
            {
                "quote": item.quote,
                "start": item.start,
                "end": item.end,
                "reference": item.reference,
                "source": item.source,
                "title": item.title,
                "said_at": _iso(item.said_at),
            }
            for item in evidence
        ],
        "versions": [
            {"text": version.text, "at": clock.to_iso(version.at), "merged_from": version.merged_from}
            for version in versions
        ],
    }


def command_row(command: Command) -> dict[str, Json]:
    """Return a command of the history."""
    return {
        "id": command.id,
        "uid": command.uid,
        "at": clock.to_iso(command.at),
        "actor": command.actor.value,
        "verb": command.verb,
        "count": command.count,
        "summary": command.summary,
        "undone": command.undone,
        "undoable": command.undoable,
        "target": command.target,
    }


def reason_row(item: ReasonedChange) -> dict[str, Json]:
    """Return a change that a sweep made to a memory, with the reason."""
    return {
        "command": item.command.id,
        "at": clock.to_iso(item.command.at),
        "column": item.column,
        "before": item.before,
        "after": item.after,
        "why": item.why,
    }


def export_id(store: Store, memory: Memory) -> str:
    """Return the id of a memory in exported files: its own external id, else one that names this store."""
    return memory.external_id or f"{store.prefix}{memory.id}"


def _iso(micros: int | None) -> str | None:
    return None if micros is None else clock.to_iso(micros)

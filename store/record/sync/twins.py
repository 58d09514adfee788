"""Unite memories of two devices that say the same, with what the person decided on either.

Devices that imported one log before they synced have a memory each of every statement in it. What the person decided on
one of them holds for both, as if the other device had imported the log after the decision.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext

import orjson

from store.model import Actor, Relation
from store.record.alerts import Alerts
from store.record.changes import Value
from store.record.journal import Writer, command
from store.record.memories import Memories
from store.record.repository import first_column, grouped, json_list
from store.record.sync.names import MEMORY, References
from store.record.sync.values import Values
from store.record.tombstones import Tombstones

JUDGE = "sync/1"
"""The judge of conflicts between devices."""
_LISTED = "(SELECT value FROM json_each(?1))"
_SAME = f"(SELECT content_key FROM memories WHERE id IN {_LISTED})"
_DECIDED_ON = (
    "kind tier given review pinned user_score importance expires_at later_until".split()  # columns that go along
)
_STANDS = ("life", "review", "pinned", "text")  # a decision on one of these says that a memory holds
_CHANGES = ("life", "text", "scope")  # a decision on one of these changes what holds, or where
_CANDIDATES = f"""
SELECT l.id FROM memories l
WHERE +l.owner = ?2 AND l.life = 'live' AND l.origin <> 'person' AND l.external_id IS NULL
    AND (l.id IN {_LISTED} OR l.content_key IN {_SAME}
        OR l.content_key IN (SELECT content_key FROM versions WHERE memory IN {_LISTED}))
    AND (EXISTS (SELECT 1 FROM memories h WHERE h.content_key = l.content_key AND h.id <> l.id
            AND (h.life = 'superseded' OR h.scope <> l.scope))
        OR EXISTS (SELECT 1 FROM versions v WHERE v.content_key = l.content_key AND v.memory <> l.id))
"""
_HOLDERS = """
SELECT h.id, h.scope <> l.scope AS moved FROM memories l
JOIN memories h ON h.id IN (SELECT id FROM memories WHERE content_key = l.content_key
    UNION SELECT memory FROM versions WHERE content_key = l.content_key)
WHERE l.id = ? AND h.id <> l.id AND +h.owner = l.owner AND (h.origin = 'shared') = (l.origin = 'shared')
    AND (h.life = 'superseded' OR h.life = 'live' AND (h.content_key <> l.content_key OR h.scope <> l.scope)
        OR h.life = 'forgotten' AND h.id IN (SELECT memory FROM tombstones)
        AND EXISTS (SELECT 1 FROM versions v
            WHERE v.memory = h.id AND v.content_key = l.content_key AND v.merged_from IS NULL)
        AND NOT EXISTS (SELECT 1 FROM versions v WHERE v.memory = h.id AND v.merged_from = l.id))
"""
_SAME_QUOTE = """
SELECT 1 FROM evidence a JOIN evidence b ON b.memory = ?2 AND b.start = a.start AND b.quote = a.quote
LEFT JOIN messages m ON m.id = a.message LEFT JOIN messages n ON n.id = b.message
WHERE a.memory = ?1 AND (a.message IS b.message AND a.reference IS b.reference
    OR m.text = n.text AND m.external_id IS n.external_id AND m.created_at IS n.created_at)
"""


def _command(connection: sqlite3.Connection, owner: str, verb: str, summary: str) -> AbstractContextManager[Writer]:
    return command(nullcontext(connection), owner, verb, Actor.SWEEP, summary)


def recognise(connection: sqlite3.Connection, owner: str, own: Sequence[int]) -> None:
    """Merge live memories into those that said the same before another device superseded, reworded or moved them.

    Those of which the reworded one was forgotten are forgotten. As in an import (`said_before`), a statement later than
    what superseded it is new. A memory on which the person decided later stays too.
    """
    names = References(connection)
    values, memories = Values(connection, names), Memories.on(connection, owner)
    found = first_column(connection, _CANDIDATES, json_list(own), owner)
    with _command(connection, owner, "merge", "decided on another device") as writer:
        known = [
            (*_decided_at(values, memories, holder), memory, holder) for memory, holder in said_elsewhere(values, found)
        ]
        for _, _, memory, holder in sorted(known, key=lambda one: (*one[:2], names.order(one[2])), reverse=True):
            chain = memories.chain(holder)
            (here,) = memories.chain(memory)[:1]
            said, last = memories.last_said([here]), memories.last_said(chain)
            again = said is not None and last is not None and said > last
            if here["life"] != "live" or memory in [link["id"] for link in chain]:
                continue
            if chain[0]["life"] == "forgotten":
                writer.update("memories", [memory], {"life": "forgotten"})
                Tombstones.add(writer, [memory])
            elif not again:
                Memories.absorb(writer, holder, [memory])
                writer.update("memories", [memory], {"life": "superseded", "superseded_by": holder})
                if chain[0]["life"] == "live":
                    _take_decisions(writer, values, holder, [memory])


def said_elsewhere(values: Values, memories: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield memories with one that was the same, unless the person decided later that the first holds."""
    connection = values.connection
    for memory in memories:
        stands = max((found[:2] for name in _STANDS if (found := values.decision(memory, name))), default=None)
        for holder, moved in connection.execute(_HOLDERS, (memory,)).fetchall():
            if moved and (
                values.decision(holder, "scope") is None
                or values.decision(memory, "scope") is not None
                or connection.execute(_SAME_QUOTE, (memory, holder)).fetchone() is None
            ):
                continue
            if stands is None or stands < _decided_at(values, Memories.on(connection, ""), holder):
                yield memory, holder


def _decided_at(values: Values, memories: Memories, holder: int) -> tuple[int, str]:
    """Return the clock and device of the last decision that superseded, reworded or moved a memory; (0, "") if none."""
    made = (values.decision(link["id"], name) for link in memories.chain(holder) for name in _CHANGES)
    return max((found[:2] for found in made if found is not None), default=(0, ""))


def _take_decisions(writer: Writer, values: Values, survivor: int, others: Sequence[int]) -> None:
    """Write to a memory what the person decided last, on it or on those merged into it."""
    after: dict[str, Value] = {}
    for name in _DECIDED_ON:
        made = [found for one in (survivor, *others) if (found := values.decision(one, name)) is not None]
        if made:
            after[name] = max(made, key=lambda one: one[:2])[2]
    if after:
        writer.update("memories", [survivor], after)


def merge_twins(connection: sqlite3.Connection, owner: str, own: Sequence[int]) -> None:
    """Merge live memories with the same statement and scope; if the person kept both, raise an alert instead.

    The one on which the person decided survives. Memories shared by other members are only merged with each other, not
    with the person's own words.
    """
    names = References(connection)
    values = Values(connection, names)
    groups = grouped(
        (row[0], row[1:])
        for row in connection.execute(
            "SELECT DISTINCT m.content_key || (m.origin = 'shared') || ' ' || m.scope, o.id,"
            " o.review = 'validated' OR o.pinned,"
            " EXISTS (SELECT 1 FROM sync_decided d WHERE d.sort = ?3 AND d.item = o.id)"
            " OR EXISTS (SELECT 1 FROM alerts t WHERE o.id IN (t.a, t.b) AND t.settled NOT NULL)"
            " FROM memories m JOIN memories o ON o.content_key = m.content_key AND +o.owner = m.owner"
            " AND o.scope = m.scope AND o.life = 'live' AND o.external_id IS NULL"
            " AND (o.origin = 'shared') = (m.origin = 'shared')"
            f" WHERE m.id IN {_LISTED} AND m.life = 'live' AND m.external_id IS NULL AND +m.owner = ?2",
            (json_list(own), owner, MEMORY),
        )
    )
    with _command(connection, owner, "merge", "said on two devices") as writer:
        for members in groups.values():
            ordered = sorted(members, key=lambda one: (not one[1], not one[2], names.order(one[0])))
            (survivor, *_), others = ordered[0], ordered[1:]
            losers = [memory for memory, decided, _ in others if not decided]
            if losers:
                Memories.absorb(writer, survivor, losers)
                writer.update("memories", losers, {"life": "superseded", "superseded_by": survivor})
                _take_decisions(writer, values, survivor, losers)
            for memory, decided, _ in others:
                if decided:
                    reasons = ["kept on two devices without knowing of each other"]
                    Alerts.put(writer, survivor, memory, Relation.DUPLICATE, 1.0, reasons, judge=JUDGE)


def keep_conflicts(connection: sqlite3.Connection, owner: str, own: Sequence[int]) -> None:
    """Give memories the conflicts of those merged into them, which say the same: resolved, snoozed, or open."""
    rows = connection.execute(
        "SELECT t.* FROM memories m JOIN alerts t ON m.id IN (t.a, t.b) WHERE m.life = 'superseded' AND +m.owner = ?2"
        f" AND m.content_key IN {_SAME} GROUP BY t.id ORDER BY t.settled IS NULL, t.later_until IS NULL, t.at, t.id",
        (json_list(own), owner),
    ).fetchall()
    with _command(connection, owner, "conflict", "of memories that were said on two devices") as writer:
        for row in rows:
            a, b = (heir_of(connection, row[side]) for side in "ab")
            if a is None or b is None or a["id"] == b["id"] or (a["id"], b["id"]) == (row["a"], row["b"]):
                continue
            if row["a_key"] is not None and (row["a_key"], row["b_key"]) != (a["content_key"], b["content_key"]):
                continue
            present = _alert_between(connection, a["id"], b["id"])
            if present is None:
                reasons, judged = orjson.loads(row["reasons"]), {"judge": row["judge"], "cosine": row["cosine"]}
                Alerts.put(writer, a["id"], b["id"], Relation(row["relation"]), row["score"], reasons, **judged)
                present = _alert_between(connection, a["id"], b["id"])
            if present is None or present["settled"] is not None:
                continue
            if row["settled"] is not None:
                Alerts.resolve(writer, [present["id"]], row["settled"])
            elif present["later_until"] is None and row["later_until"] is not None:
                Alerts.postpone(writer, [present["id"]], row["later_until"])


def _alert_between(connection: sqlite3.Connection, a: int, b: int) -> sqlite3.Row | None:
    """Return the alert of two memories, or None."""
    query = "SELECT id, settled, later_until FROM alerts WHERE (a = ?1 AND b = ?2) OR (a = ?2 AND b = ?1)"
    found: sqlite3.Row | None = connection.execute(query, (a, b)).fetchone()
    return found


def heir_of(connection: sqlite3.Connection, memory: int) -> sqlite3.Row | None:
    """Return the live memory with the same statement that a memory is, or was merged into; None if there is none."""
    found: sqlite3.Row | None = connection.execute(
        "WITH RECURSIVE links AS (SELECT id, life, content_key, superseded_by, 0 AS place FROM memories WHERE id = ?"
        " UNION ALL SELECT m.id, m.life, m.content_key, m.superseded_by, place + 1 FROM links l"
        " JOIN memories m ON m.id = l.superseded_by AND m.content_key = l.content_key"
        " WHERE l.life = 'superseded' AND place < 1000) SELECT * FROM links WHERE life = 'live'",
        (memory,),
    ).fetchone()
    return found

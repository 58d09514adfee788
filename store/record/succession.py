"""What was said before: by memories that were put better since, or that another has taken the place of.

A machine does not go back behind that. A person may: what is typed is not asked for here.
"""

import sqlite3
from collections.abc import Iterable

import orjson

_LONGEST = 1_000  # links of a chain that are followed; one more is made each time the person changes their mind


def said_before(
    connection: sqlite3.Connection,
    owner: str,
    hashed_key: str,
    scope: str,
    said_at: int | None,
    exporter: str | None = None,
) -> tuple[int | None, int | None]:
    """The memory that said this in this scope and still counts, and one of any that was let go of; one is None.

    A live memory counts that said so before it was put better or merged. A superseded one counts, by its words of now
    or before, while the memory at the end of its chain is live or not known (an import names none), and is let go of
    with that one. But what is said anew, later than all of the chain and than every quote behind the superseded memory,
    is news. Without a date it is none.

    With `exporter`, the beginning of the external ids of one store, memories of that store do not count that are as
    they were imported: it has both, so both come.
    """
    forgotten: int | None = None
    for row in _holders(connection, owner, hashed_key, scope):
        if exporter is not None and _as_imported(connection, row["id"], exporter):
            continue
        if row["life"] == "live":
            return row["id"], None
        if row["life"] == "forgotten":
            forgotten = row["id"]
            continue
        links = chain(connection, row["id"])
        last = _last_said(connection, links)
        if said_at is not None and last is not None and said_at > last:
            continue
        if links[-1]["life"] in ("live", "superseded"):
            return row["id"], None
        if links[-1]["life"] in ("forgotten", "purged"):
            forgotten = links[-1]["id"]
    return None, forgotten


def chain(connection: sqlite3.Connection, memory: int) -> list[sqlite3.Row]:
    """A memory, the one that took its place, and so on: id, life and created_at of each, the end last."""
    links: list[sqlite3.Row] = []
    following: int | None = memory
    while following is not None and len(links) < _LONGEST:
        row = connection.execute(
            "SELECT id, life, created_at, superseded_by FROM memories WHERE id = ?", (following,)
        ).fetchone()
        if row is None:
            break
        links.append(row)
        following = None if row["life"] == "live" else row["superseded_by"]
    return links


def circle(connection: sqlite3.Connection, memories: Iterable[int]) -> tuple[int, int] | None:
    """One of these memories that would be superseded by itself, through others, and the memory next to it there."""
    following: dict[int, int] = {}
    asked: set[int] = set()
    ahead = set(memories)
    while ahead:
        asked |= ahead
        rows = connection.execute(
            "SELECT id, superseded_by FROM memories WHERE superseded_by IS NOT NULL"
            " AND id IN (SELECT value FROM json_each(?))",
            (orjson.dumps(sorted(ahead)).decode(),),
        ).fetchall()
        following.update((row[0], row[1]) for row in rows)
        ahead = {row[1] for row in rows} - asked
    done: set[int] = set()
    for memory in following:
        walked: set[int] = set()
        link: int | None = memory
        while link is not None and link not in done:
            if link in walked:
                return link, following[link]
            walked.add(link)
            link = following.get(link)
        done |= walked
    return None


def _holders(connection: sqlite3.Connection, owner: str, hashed_key: str, scope: str) -> list[sqlite3.Row]:
    """Memories that say this and are superseded, or said it before; live ones first, forgotten ones of any scope."""
    rows = connection.execute(
        "SELECT m.id, m.life FROM memories m"
        " WHERE m.content_key = ?1 AND +m.owner = ?2 AND m.scope = ?3 AND +m.life = 'superseded'"
        " UNION SELECT m.id, m.life FROM versions v JOIN memories m ON m.id = v.memory"
        " WHERE v.content_key = ?1 AND +m.owner = ?2"
        " AND (+m.life = 'forgotten' OR m.scope = ?3 AND +m.life IN ('live', 'superseded'))",
        (hashed_key, owner, scope),
    )
    return sorted(rows, key=lambda row: (row["life"] != "live", row["id"]))


def _as_imported(connection: sqlite3.Connection, memory: int, exporter: str) -> bool:
    """Return whether a memory came from a store, and no command but its import has touched it."""
    row = connection.execute(
        "SELECT 1 FROM memories m WHERE m.id = ?1 AND substr(m.external_id, 1, length(?2)) = ?2"
        " AND (SELECT count(DISTINCT e.command) FROM touched t JOIN events e ON e.seq = t.seq"
        " WHERE t.memory = m.id) < 2",
        (memory, exporter),
    ).fetchone()
    return row is not None


def _last_said(connection: sqlite3.Connection, links: list[sqlite3.Row]) -> int | None:
    """The latest time at which a chain, or a quote behind its first memory, was said, of those that are known."""
    (quoted,) = connection.execute(
        "SELECT max(coalesce(m.created_at, c.created_at, v.said_at)) FROM evidence v"
        " LEFT JOIN messages m ON m.id = v.message LEFT JOIN conversations c ON c.id = m.conversation"
        " WHERE v.memory = ?",
        (links[0]["id"],),
    ).fetchone()
    return max((at for at in (quoted, *(link["created_at"] for link in links)) if at is not None), default=None)

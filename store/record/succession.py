"""Succession of memories: which one superseded which, and what was said before."""

import sqlite3
from collections.abc import Iterable

from store.record.repository import Repository, json_list

_LONGEST = 1_000  # links of a chain that are followed; one more is made each time the person changes their mind


class Succession(Repository):
    """Chains of memories that superseded each other. A machine does not go back behind them; a person may."""

    def said_before(
        self, hashed_key: str, scope: str, said_at: int | None, exporter: str | None = None
    ) -> tuple[int | None, int | None]:
        """Return the memory that said this in this scope and still counts, or the forgotten one of any scope.

        A live memory counts that said so before it was reworded or merged. A superseded one counts, by its present or
        former texts, while the memory at the end of its chain is live or not known (an import names none), and is
        forgotten with that one. But a statement later than all of the chain and than every quote behind the superseded
        memory is news. Without a date it is not.

        With `exporter`, the prefix of the external ids of one store, memories of that store do not count that are as
        they were imported: it has both, so both come.
        """
        forgotten: int | None = None
        for row in self._holders(hashed_key, scope):
            if exporter is not None and self._is_as_imported(row["id"], exporter):
                continue
            if row["life"] == "live":
                return row["id"], None
            if row["life"] == "forgotten":
                forgotten = row["id"]
                continue
            links = self.chain(row["id"])
            last = self._last_said(links)
            if said_at is not None and last is not None and said_at > last:
                continue
            if links[-1]["life"] in ("live", "superseded"):
                return row["id"], None
            if links[-1]["life"] in ("forgotten", "purged"):
                forgotten = links[-1]["id"]
        return None, forgotten

    def chain(self, memory: int) -> list[sqlite3.Row]:
        """Return a memory, the one that superseded it, and so on: id, life and created_at of each, the end last."""
        links: list[sqlite3.Row] = []
        following: int | None = memory
        while following is not None and len(links) < _LONGEST:
            row = self._row("SELECT id, life, created_at, superseded_by FROM memories WHERE id = ?", following)
            if row is None:
                break
            links.append(row)
            following = None if row["life"] == "live" else row["superseded_by"]
        return links

    def circle(self, memories: Iterable[int]) -> tuple[int, int] | None:
        """Return one of these memories that would supersede itself, through others, and its successor."""
        following: dict[int, int] = {}
        read: set[int] = set()
        ahead = set(memories)
        while ahead:
            read |= ahead
            rows = self._rows(
                "SELECT id, superseded_by FROM memories WHERE superseded_by IS NOT NULL"
                " AND id IN (SELECT value FROM json_each(?))",
                json_list(sorted(ahead)),
            )
            following |= {row[0]: row[1] for row in rows}
            ahead = {row[1] for row in rows} - read
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

    def _holders(self, hashed_key: str, scope: str) -> list[sqlite3.Row]:
        """Return superseded memories that say this, and those that said it before: live ones first."""
        rows = self._rows(
            "SELECT m.id, m.life FROM memories m"
            " WHERE m.content_key = ?1 AND +m.owner = ?2 AND m.scope = ?3 AND +m.life = 'superseded'"
            " UNION SELECT m.id, m.life FROM versions v JOIN memories m ON m.id = v.memory"
            " WHERE v.content_key = ?1 AND +m.owner = ?2"
            " AND (+m.life = 'forgotten' OR m.scope = ?3 AND +m.life IN ('live', 'superseded'))",
            hashed_key,
            self.owner,
            scope,
        )
        return sorted(rows, key=lambda row: (row["life"] != "live", row["id"]))

    def _is_as_imported(self, memory: int, exporter: str) -> bool:
        """Return whether a memory came from a store, and no command but its import has touched it."""
        return bool(
            self._rows(
                "SELECT 1 FROM memories m WHERE m.id = ?1 AND substr(m.external_id, 1, length(?2)) = ?2"
                " AND (SELECT count(DISTINCT e.command) FROM touched t JOIN events e ON e.seq = t.seq"
                " WHERE t.memory = m.id) < 2",
                memory,
                exporter,
            )
        )

    def _last_said(self, links: list[sqlite3.Row]) -> int | None:
        """Return the latest known time at which a chain, or a quote behind its first memory, was said."""
        quoted = self._id(
            "SELECT max(coalesce(m.created_at, c.created_at, v.said_at)) FROM evidence v"
            " LEFT JOIN messages m ON m.id = v.message LEFT JOIN conversations c ON c.id = m.conversation"
            " WHERE v.memory = ?",
            links[0]["id"],
        )
        return max((time for time in (quoted, *(row["created_at"] for row in links)) if time is not None), default=None)

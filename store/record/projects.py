"""Labels of projects: what memories and conversations name, one for each project. Not journaled.

A project is recognized by its identities, of which keyed hashes are stored: folders and remotes stay unknown. It gets
its folder's name as the label, unless another one has that.
"""

from collections.abc import Sequence

from store.record.journal import Writer
from store.record.meta import hashed
from store.record.repository import Repository
from store.sanitize import storable


class Projects(Repository):
    """Reached as `Store.projects`."""

    def label(self, known_by: Sequence[str], name: str, full: str) -> str:
        """Return the label of a project by the first identity that has one; if none has, the one `claim` would give.

        Names that no project has claimed, as those of older stores, belong to whichever has that name.
        """
        rows = self._pairs("SELECT ident, label FROM projects WHERE owner = ?", self.owner)
        known, taken = dict(rows), {label for _, label in rows}
        for ident in (hashed(self._key(), one) for one in known_by):
            if ident in known:
                return str(known[ident])
        numbered = (f"{full} {number}" for number in range(2, len(taken) + 3))
        return storable(next(one for one in (name, full, *numbered) if one not in taken))

    @staticmethod
    def claim(writer: Writer, known_by: Sequence[str], name: str, full: str) -> str:
        """Return the label of a project, and keep it: `name`, or `full` if another project has that.

        It is kept under the two surest identities; a third one, its place, is given up: another project may come there.
        """
        label = Projects.on(writer.connection, writer.owner).label(known_by, name, full)
        kept, given_up = known_by[:2], known_by[2:]
        for query, idents in (
            ("INSERT OR IGNORE INTO projects (owner, ident, label) VALUES (?, ?, ?)", kept),
            ("DELETE FROM projects WHERE owner = ? AND ident = ? AND label = ?", given_up),
        ):
            rows = [(writer.owner, hashed(writer.key, ident), label) for ident in idents]
            writer.connection.executemany(query, rows)
        return label

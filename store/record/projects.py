"""Labels of projects, by which memories and conversations refer to them. Not journaled.

A project is recognised by identities such as its folder and remote, which are stored as keyed hashes only. Its label is
the name of its folder, unless another project has that label.
"""

from collections.abc import Sequence
from itertools import chain, count

from store.record import meta
from store.record.journal import Writer
from store.record.meta import hashed
from store.record.repository import Repository
from store.sanitize import storable


class Projects(Repository):
    """Labels of projects (`Store.projects`)."""

    def label(self, known_by: Sequence[str], name: str, full: str) -> str:
        """Return the label of a project, from its first known identity, or else the label that `claim` would store.

        A label without identities, as from an older version, belongs to any project with that name.
        """
        for ident in (hashed(key, one) for one in known_by for key in self._keys()):
            for row in self._rows("SELECT label FROM projects WHERE owner = ? AND ident = ?", self.owner, ident):
                return str(row["label"])
        numbered = (f"{full} {number}" for number in count(2))
        return storable(next(one for one in chain((name, full), numbered) if not self._is_taken(one)))

    def _is_taken(self, label: str) -> bool:
        return bool(self._rows("SELECT 1 FROM projects WHERE owner = ? AND label = ? LIMIT 1", self.owner, label))

    @staticmethod
    def claim(writer: Writer, known_by: Sequence[str], name: str, full: str) -> str:
        """Store and return the label of a project: its known one, or `name`, or `full` if another project has that.

        It is stored for the first two identities. A third one, the project's place, is removed, because another project
        may be there later.
        """
        label = Projects.on(writer.connection, writer.owner).label(known_by, name, full)
        kept, removed = known_by[:2], known_by[2:]
        for query, idents in (
            ("INSERT OR IGNORE INTO projects (owner, ident, label) VALUES (?, ?, ?)", kept),
            ("DELETE FROM projects WHERE owner = ? AND ident = ? AND label = ?", removed),
        ):
            keys = [writer.key] if idents is kept else meta.keys(writer.connection)
            rows = [(writer.owner, hashed(key, ident), label) for ident in idents for key in keys]
            writer.connection.executemany(query, rows)
        return label

"""Labels of projects: what memories and conversations name, one for each project. Not journaled.

A project is recognized by its identities, of which keyed hashes are stored: folders and remotes stay unknown. It gets
its folder's name as the label, unless another one has that.
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
        """Return the label of a project by the first identity that has one; if none has, the one `claim` would give.

        Names that no project has claimed, as those of older stores, belong to whichever has that name.
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
        """Return the label of a project, and keep it: `name`, or `full` if another project has that.

        It is kept under the two surest identities; a third one, its place, is given up: another project may come there.
        """
        label = Projects.on(writer.connection, writer.owner).label(known_by, name, full)
        kept, given_up = known_by[:2], known_by[2:]
        for query, idents in (
            ("INSERT OR IGNORE INTO projects (owner, ident, label) VALUES (?, ?, ?)", kept),
            ("DELETE FROM projects WHERE owner = ? AND ident = ? AND label = ?", given_up),
        ):
            keys = [writer.key] if idents is kept else meta.keys(writer.connection)
            rows = [(writer.owner, hashed(key, ident), label) for ident in idents for key in keys]
            writer.connection.executemany(query, rows)
        return label

"""Inputs of topics: each memory's place in its conversation, and the words that name its topic."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from store.record.repository import Repository, json_list


@dataclass(frozen=True, slots=True)
class TopicPlace:
    """A memory that is not purged. `group` is its conversation, and `tag` the first of its tags with a prefix."""

    id: int
    live: bool
    flagged: bool  # and not validated
    project: str | None
    tag: str | None
    group: str | None
    ordinal: int


class TopicPlaces(Repository):
    """Places of memories in topics (`Store.topic_places`)."""

    def state(self, prefix: str) -> tuple[object, ...]:
        """Return a value that changes with every change of vectors, memories, or tags with a prefix; not with lives."""
        with self._connect() as connection:
            numbers = connection.execute(
                "SELECT (SELECT max(id) FROM vectors), (SELECT count(*) FROM vectors), (SELECT max(id) FROM memories),"
                " (SELECT count(*) FROM memories WHERE life <> 'purged')"
            ).fetchone()
            tags = connection.execute(
                "SELECT memory, tag FROM tags WHERE substr(tag, 1, length(?1)) = ?1 ORDER BY memory, tag", (prefix,)
            ).fetchall()
            return (*numbers, *map(tuple, tags))

    def rows(self, prefix: str) -> list[TopicPlace]:
        """Return the place of each memory, lowest id first."""
        with self._connect() as connection:
            said: dict[int, tuple[int, int]] = {}
            for memory, conversation, message in connection.execute(
                "SELECT v.memory, g.conversation, g.id FROM evidence v JOIN messages g ON g.id = v.message"
                " JOIN memories m ON m.id = v.memory AND +m.owner = ? ORDER BY v.id",
                (self.owner,),
            ):
                said.setdefault(memory, (conversation, message))
            tags = dict(
                connection.execute(
                    "SELECT memory, min(tag) FROM tags WHERE substr(tag, 1, length(?1)) = ?1 GROUP BY memory", (prefix,)
                ).fetchall()
            )
            found = []
            for memory, live, flagged, project, session, ordinal in connection.execute(
                "SELECT id, life = 'live', flag IS NOT NULL AND review <> 'validated', project, session, ordinal"
                " FROM memories WHERE +owner = ? AND life <> 'purged' ORDER BY id",
                (self.owner,),
            ):
                here = said.get(memory)
                group = (
                    f"s{session}" if here is None and session is not None else None if here is None else str(here[0])
                )
                place = (ordinal or 0) if here is None else here[1]
                found.append(TopicPlace(memory, bool(live), bool(flagged), project, tags.get(memory), group, place))
            return found

    def texts(self, ids: Sequence[int]) -> dict[int, str]:
        """Return the texts of the owner's memories among these."""
        return dict(
            self._pairs(
                "SELECT m.id, m.text FROM json_each(?) w CROSS JOIN memories m ON m.id = w.value WHERE +m.owner = ?",
                json_list(ids),
                self.owner,
            )
        )

    def titles(self, groups: Collection[str]) -> dict[str, str]:
        """Return the titles of the owner's conversations among these groups, by group."""
        return {
            str(conversation): title
            for conversation, title in self._pairs(
                "SELECT c.id, c.title FROM json_each(?) w CROSS JOIN conversations c ON c.id = w.value"
                " WHERE +c.owner = ? AND c.title <> ''",
                json_list([int(group) for group in groups if group.isdigit()]),
                self.owner,
            )
        }

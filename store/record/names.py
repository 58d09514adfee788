"""The person's names in chats among several people, as given to imports."""

from collections.abc import Sequence

import orjson

from store.record import meta
from store.record.repository import Repository

_NAMES = "me"


class PersonNames(Repository):
    """The person's names (`Store.names`)."""

    def known(self) -> list[list[str]]:
        """Return the names given to each import, latest first."""
        with self._connect() as connection:
            value = meta.find(connection, _NAMES)
        found: list[list[str]] = [] if value is None else orjson.loads(value)
        return found

    def add(self, names: Sequence[str]) -> None:
        """Save the names given to an import, if any."""
        given = list(dict.fromkeys(names))
        if given and self.known()[:1] != [given]:
            with self._writing() as connection:
                others = [one for one in self.known() if one != given]  # another process may have added some
                meta.put(connection, _NAMES, orjson.dumps([given, *others]))

"""The names that the person has in chats among people, as they told an import."""

from collections.abc import Sequence

import orjson

from store.record import meta
from store.record.repository import Repository

_NAMES = "me"


class Names(Repository):
    """Reached as `Store.names`."""

    def known(self) -> list[list[str]]:
        """Return the names of each import that was told some, latest first."""
        with self._connect() as connection:
            value = meta.find(connection, _NAMES)
        found: list[list[str]] = [] if value is None else orjson.loads(value)
        return found

    def add(self, names: Sequence[str]) -> None:
        """Remember the names that an import was told, if any."""
        told, known = list(dict.fromkeys(names)), self.known()
        if told and known[:1] != [told]:
            with self._writing() as connection:
                meta.put(connection, _NAMES, orjson.dumps([told, *(one for one in known if one != told)]))

"""The names that the person has in chats among people, as they told an import."""

import orjson

from store.record import meta
from store.record.repository import Repository

_NAMES = "me"


class Names(Repository):
    """Reached as `Store.names`."""

    def known(self) -> tuple[str, ...]:
        """Return the names."""
        with self._connect() as connection:
            value = meta.find(connection, _NAMES)
        return () if value is None else tuple(orjson.loads(value))

    def add(self, names: tuple[str, ...]) -> None:
        """Remember more names."""
        known = self.known()
        if wanted := [name for name in dict.fromkeys(names) if name not in known]:
            with self._writing() as connection:
                meta.put(connection, _NAMES, orjson.dumps([*known, *wanted]))

"""Names for what a log gives no ids, from its original text, so that a better secrets detector doubles nothing."""

from collections.abc import Sequence

from curator.importers.coerce import digest
from store.model import Role


def opening(title: str, said: Sequence[tuple[Role, str]]) -> str:
    """A name for a conversation: from its title and everything up to the first answer, which stay as it grows."""
    parts = [title]
    for role, text in said:
        parts += (role, text)
        if role is Role.ASSISTANT and text.strip():
            break
    return digest(*parts)


class Names:
    """Names for the messages of one conversation: by id, else by role, text and how often the same came before."""

    def __init__(self, conversation: str) -> None:
        self._conversation = conversation
        self._seen: dict[str, int] = {}

    def of(self, id_: str | None, role: Role, text: str) -> str:
        """The identity of the next message."""
        key = id_ or digest(role, text)
        self._seen[key] = nth = self._seen.get(key, 0) + 1
        return f"{self._conversation}:{key}" + (f":{nth}" if nth > 1 else "")

"""What a text states, as numbers: two texts with one in common speak of the same thing and are worth comparing.

They are keyed hashes, since the store keeps them after the words are gone from memory.
"""

from collections.abc import Iterator
from hashlib import blake2b

from curator.compare.data import slots
from curator.compare.statement import statements
from curator.text import plain_words


def marks(text: str, key: bytes, subject: str | None = None, relation: str | None = None) -> tuple[int, ...]:
    """The marks of a text, and of subject and relation as a distiller gave them. `key` is the store's."""
    found = (_number(part, key) for part in dict.fromkeys(_parts(text, subject, relation)))
    return tuple(dict.fromkeys(found))


def _parts(text: str, subject: str | None, relation: str | None) -> Iterator[str]:
    """Where only one value holds at a time, any value of the same subject; else only what is said of the same thing."""
    yield f"words|{' '.join(plain_words(text))}"
    known = slots().by_name
    for one in statements(text):
        if one.implied:
            continue
        slot = known.get(one.slot)
        value = "" if slot is not None and slot.one else one.head
        yield "|".join((one.slot, " ".join(sorted(one.subject)), " ".join(sorted(one.key)), value))
    if subject and relation:
        yield f"said|{subject.casefold()}|{relation.casefold()}"


def _number(part: str, key: bytes) -> int:
    return int.from_bytes(blake2b(part.encode(), key=key, digest_size=8).digest(), "big", signed=True)

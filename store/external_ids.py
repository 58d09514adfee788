"""Ids that memories bring from files: those of another store, and those that no signature proves.

`curator:STORE:NUMBER` names a memory of a store. Anybody can write that into a file, so one without a trusted
signature is kept as `unproven:curator:STORE:NUMBER`: it does not stand in the way of the memory that it names.
"""

_OF_STORES = "curator:"
_UNPROVEN = "unproven:"


def prefix(identity: str) -> str:
    """Return the beginning of the ids of a store's memories."""
    return f"{_OF_STORES}{identity}:"


def unproven(external_id: str) -> str:
    """Return what an id is kept as that no trusted signature proves; ids of other programs stay as they are."""
    return f"{_UNPROVEN}{external_id}" if external_id.startswith(_OF_STORES) else external_id


def is_unproven(external_id: str) -> bool:
    """Return whether an id is marked as unproven."""
    return external_id.startswith(_UNPROVEN + _OF_STORES)


def claimed(external_id: str) -> str:
    """Return the id without the mark."""
    return external_id.removeprefix(_UNPROVEN) if is_unproven(external_id) else external_id


def counterpart(external_id: str) -> str | None:
    """Return the same id with the mark if it has none, and without it if it has; None for ids of other programs."""
    if is_unproven(external_id):
        return claimed(external_id)
    return unproven(external_id) if external_id.startswith(_OF_STORES) else None


def exporter(external_id: str) -> str | None:
    """Return the beginning that the ids of all memories from the same store have; None for ids of other programs."""
    beginning, colon, _ = external_id.rpartition(":")
    return beginning + colon if counterpart(external_id) is not None else None

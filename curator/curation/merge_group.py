"""Taking one of several ways to say the same: the others go behind it, with their words and quotes."""

from collections.abc import Mapping, Sequence

from curator.curation.merge import merge_into
from store import Conflict, Store


def gather(store: Store, groups: Mapping[int, Sequence[int]], alone: Sequence[int] = ()) -> int:
    """Each key stays as it is worded and is validated, its others are superseded by it (`merge`); `alone` validated.

    One command. Returns how many memories changed. Raises Conflict, and changes nothing, unless all are live, and those
    of a group hold in one scope.
    """
    store.check_owned([*groups, *(other for others in groups.values() for other in others), *alone])
    with store.command("merge", summary=f"into memory {' '.join(map(str, list(groups)[:5]))}") as writer:
        texts = {memory.id: memory.text for memory in store.get_many(list(groups))}
        changed = sum(
            merge_into(store, writer, [taken, *others], texts[taken], taken) for taken, others in groups.items()
        )
        gone = writer.where("life <> 'live'", list(alone))
        if gone:
            raise Conflict(f"memory {gone[0]} is not live; `curator restore {gone[0]}` brings it back")
        return changed + len(writer.update("memories", list(alone), {"review": "validated"}))

"""Changes of memories, in their text or otherwise, as one undoable step."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from curator.curation.commands import checked_importance, checked_tags, give_safety_always, tag_within
from curator.curation.create import checked
from curator.curation.forgotten_match import index_forgotten, refuse_forgotten
from store import Conflict, Store, StoreError, Value
from store.model import Given, Kind, Life, Tier


@dataclass(frozen=True, slots=True)
class Revision:
    """Changes of a memory; fields that are None stay unchanged."""

    text: str | None = None
    kind: Kind | None = None
    tier: Tier | None = None
    importance: int | None = None
    pinned: bool | None = None
    add_tags: Sequence[str] = ()
    remove_tags: Sequence[str] = ()
    given: Given | None = None

    def columns(self) -> dict[str, Value]:
        """Return the new values of columns. Raises ValueError for an invalid importance."""
        values: dict[str, Value] = {}
        if self.kind is not None:
            values["kind"] = self.kind.value
        if self.tier is not None:
            values["tier"] = self.tier.value
        if self.importance is not None:
            values["importance"] = checked_importance(self.importance)
        if self.given is not None:
            values["given"] = self.given.value
        if self.pinned is not None:
            values["pinned"] = int(self.pinned)
        return values


def revise(store: Store, memory: int, wanted: Revision) -> int:
    """Change a memory; return 1, or 0 if nothing changed.

    Raises Refused, ValueError, Conflict if it is not live or another live memory says the same, Forgotten if a
    forgotten one does.
    """
    return revise_all(store, {memory: wanted})


def edit(store: Store, memory: int, text: str, by: str = "") -> int:
    """Edit the text of a memory; the old text stays as a version. Return 1, or 0 if nothing changed.

    `by` names the model that worded it in the journal. Raises the errors of `revise`.
    """
    return revise_all(store, {memory: Revision(text=text)}, by=by)


def accept_wording(store: Store, memory: int, text: str) -> int:
    """Apply a wording that a model proposed, as an edit; undoing it restores the proposal. Return 1.

    Raises Conflict if `text` is not (or no longer) proposed, and the errors of `edit`.
    """
    by = next((wording.distiller for wording in store.wordings.of(memory) if wording.text == text), None)
    if by is None:
        raise Conflict(f"the suggestion is no longer available for memory {memory}")
    return edit(store, memory, text, by)


def dismiss_wording(store: Store, memory: int) -> int:
    """Discard the wordings proposed for a memory; return their number."""
    found = store.wordings.of(memory)
    store.wordings.drop(memory)
    return len(found)


def revise_all(
    store: Store,
    wanted: Mapping[int, Revision],
    refused: Callable[[int, Exception], None] | None = None,
    by: str = "",
) -> int:
    """Change memories as one undoable step; return the number changed.

    `refused` is called with a memory that cannot be changed and the error of `revise`; it stays as it was. Without it
    the error is raised, and nothing is changed. `by` names the model that worded the texts in the journal.
    """
    from curator.text import content_key

    @contextlib.contextmanager
    def refusing(memory: int) -> Iterator[None]:
        try:
            yield
        except (StoreError, ValueError) as error:
            if refused is None:
                raise
            refused(memory, error)

    valid: dict[int, tuple[str | None, dict[str, Value]]] = {}
    for memory, one in wanted.items():
        with refusing(memory):
            store.check_owned([memory])
            checked_tags(one.add_tags, one.remove_tags)
            valid[memory] = (None if one.text is None else checked(one.text), one.columns())
    if any(words is not None for words, _ in valid.values()):
        index_forgotten(store)
    changed = 0
    with store.command("edit", summary=f"in the words of {by}" if by else "") as writer:
        for memory, (words, values) in valid.items():
            one = wanted[memory]
            with refusing(memory):
                former = store.get(memory)
                if former.life is not Life.LIVE:
                    raise Conflict(f"memory {memory} is {former.life}; only a live one can be edited")
                touched = False
                if words is not None and words != former.text:
                    refuse_forgotten(store, words)
                    touched = bool(store.reword(writer, former, words, content_key(words)))
                    if "given" not in values:
                        give_safety_always(store, writer, [memory])
                if values:  # nothing is refused from here on
                    touched |= bool(writer.update("memories", [memory], values))
                touched |= bool(tag_within(writer, [memory], one.add_tags, one.remove_tags))
                changed += touched
    return changed

"""Which embedder this machine and this store can use, and opening a search with it. Whatever is not as it should be
is said, never passed over in silence."""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from curator.config import settings
from curator.jobs.embedding import embed_missing
from curator.models import Embedder, FetchFailed, ModelError, load_embedder
from curator.paths import cache_folder

if TYPE_CHECKING:
    from store import Store
    from store.index import Index

LEXICAL = (
    "searching by letters and words only: the model that understands meaning is not installed; "
    "run `curator setup` to fetch it (83 MB)"
)
BY_WORDS = "searching by words only, not by meaning: {error}"
CHANGING = "the vectors of {wanted} are not all made yet (`curator work` makes them); until then {former} is searched"
_AT_ONCE = 256  # texts embedded before a search rather than left out of it
_ASKED_AT_ONCE = 32  # the same where a server is asked, which takes ten times as long


@dataclass(frozen=True, slots=True)
class Searching:
    """What a search needs: the index, and the embedder of its vectors, None if words alone are searched.

    `notes` must be shown to the person.
    """

    index: "Index"
    embedder: Embedder | None
    notes: tuple[str, ...]


def installed_embedder() -> tuple[Embedder, tuple[str, ...]]:
    """The embedder the settings ask for, or the lexical one with the note that says so."""
    wanted = settings().embed.provider
    try:
        return load_embedder(wanted, cache_folder()), ()
    except ModelError as error:
        note = LEXICAL if wanted == "minilm" else f"searching by letters and words only: {error}"
        return load_embedder("hashing", cache_folder()), (note,)


def fetched_embedder(
    store: "Store", allow: Callable[[str], bool], progress: Callable[[int], None] | None = None
) -> tuple[Embedder, tuple[str, ...]]:
    """Like `working_embedder`, but fetches missing weights first if `allow` says yes to the question it is given."""
    from curator.models import weights

    failed: tuple[str, ...] = ()
    if settings().embed.provider == "minilm" and weights.installed(cache_folder()) is None:
        question = f"fetch the model that finds memories by meaning ({weights.DOWNLOAD_BYTES // 1_000_000} MB, once)?"
        if allow(question):
            try:
                weights.fetch(cache_folder(), progress)
            except FetchFailed as error:
                failed = (str(error),)
    embedder, notes = working_embedder(store)
    return embedder, (*failed, *notes)


def working_embedder(store: "Store") -> tuple[Embedder, tuple[str, ...]]:
    """The embedder whose vectors the store's memories have, and what must be said of it.

    That is the one the settings ask for, unless many have no vector by it yet: while those are made in the background,
    the former one is used, if it is here.
    """
    embedder, notes = installed_embedder()
    if _complete(store, embedder):
        return embedder, notes
    former = store.embedded_by()
    if former is not None and former != embedder.fingerprint:
        with contextlib.suppress(ModelError, ValueError):
            old = load_embedder(former.provider, cache_folder())
            if old.fingerprint == former and _complete(store, old):
                return old, (*notes, CHANGING.format(wanted=_name(embedder), former=_name(old)))
    lexical = load_embedder("hashing", cache_folder())
    if embedder is not lexical and _complete(store, lexical):
        embedder = lexical
    return embedder, (
        *notes,
        "many memories have no vector by the installed model yet: run `curator setup` to make them",
    )


def _complete(store: "Store", embedder: Embedder) -> bool:
    """Whether all memories have a vector by this embedder, or so few have none that they are made at once."""
    few = _ASKED_AT_ONCE if embedder.fingerprint.provider == "ollama" else _AT_ONCE
    return len(store.missing_vectors(embedder.fingerprint, few + 1)) <= few


def _name(embedder: Embedder) -> str:
    kind = embedder.fingerprint
    return kind.model if kind.provider == "ollama" else kind.provider


def open_index(store: "Store") -> "Index":
    """The index over the vectors this store has most of."""
    from store.index import Index

    return Index.open(store, store.embedded_by() or installed_embedder()[0].fingerprint)


def open_search(store: "Store") -> Searching:
    """Open the index for searching; a few texts without a vector get theirs first, many are left and said.

    Where a server makes the vectors and is not there, words alone are searched, in the index there is; that is said.
    """
    from store.index import Index

    if settings().embed.provider == "ollama":
        former = store.embedded_by()
        try:
            load_embedder("ollama", cache_folder())
        except ModelError as error:
            if former is not None and former.provider == "ollama":
                return Searching(Index.open(store, former), None, (BY_WORDS.format(error=error),))
    embedder, notes = working_embedder(store)
    try:
        if _complete(store, embedder):
            embed_missing(store, embedder)
    except ModelError as error:
        return Searching(Index.open(store, embedder.fingerprint), None, (*notes, BY_WORDS.format(error=error)))
    return Searching(Index.open(store, embedder.fingerprint), embedder, notes)

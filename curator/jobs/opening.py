"""Which embedder this machine and this store can use, and opening a search with it. Whatever is not as it should be
is said, never passed over in silence."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from curator.config import settings
from curator.jobs.embedding import embed_missing
from curator.models import Embedder, FetchFailed, ModelMissing, load_embedder
from curator.paths import cache_folder

if TYPE_CHECKING:
    from store import Store
    from store.index import Index

LEXICAL = (
    "searching by letters and words only: the model that understands meaning is not installed; "
    "run `curator setup` to fetch it (83 MB)"
)
_AT_ONCE = 256  # texts embedded before a search rather than left out of it


@dataclass(frozen=True, slots=True)
class Searching:
    """What a search needs: the index, and the embedder of its vectors. `notes` must be shown to the person."""

    index: "Index"
    embedder: Embedder
    notes: tuple[str, ...]


def installed_embedder() -> tuple[Embedder, tuple[str, ...]]:
    """The embedder the settings ask for, or the lexical one with the note that says so."""
    wanted = settings().embed.provider
    try:
        return load_embedder(wanted, cache_folder()), ()
    except ModelMissing:
        return load_embedder("hashing", cache_folder()), (LEXICAL,)


def fetched_embedder(
    allow: Callable[[str], bool], progress: Callable[[int], None] | None = None
) -> tuple[Embedder, tuple[str, ...]]:
    """Like `installed_embedder`, but fetches missing weights first if `allow` says yes to the question it is given."""
    from curator.models import weights

    if settings().embed.provider == "minilm" and weights.installed(cache_folder()) is None:
        question = f"fetch the model that finds memories by meaning ({weights.DOWNLOAD_BYTES // 1_000_000} MB, once)?"
        if allow(question):
            try:
                weights.fetch(cache_folder(), progress)
            except FetchFailed as error:
                embedder, notes = installed_embedder()
                return embedder, (str(error), *notes)
    return installed_embedder()


def open_index(store: "Store") -> "Index":
    """The index over the vectors this store has most of."""
    from store.index import Index

    embedder, _ = installed_embedder()
    return Index.open(store, embedder.fingerprint)


def open_search(store: "Store") -> Searching:
    """Open the index for searching; a few texts without a vector get theirs first, many are left and said."""
    from store.index import Index

    embedder, notes = installed_embedder()
    missing = store.missing_vectors(embedder.fingerprint, _AT_ONCE + 1)
    if len(missing) > _AT_ONCE:
        lexical = load_embedder("hashing", cache_folder())
        if not store.missing_vectors(lexical.fingerprint, 1):
            embedder = lexical
        notes = (*notes, "many memories have no vector by the installed model yet: run `curator setup` to make them")
    elif missing:
        embed_missing(store, embedder)
    return Searching(Index.open(store, embedder.fingerprint), embedder, notes)

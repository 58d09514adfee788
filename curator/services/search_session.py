"""Choice of the embedder that this machine and this store can use, and of the search with it. Whatever is missing
is said, never passed over in silence.
"""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from curator.config import settings
from curator.errors import ModelError
from curator.models import Embedder, FetchFailed, load_embedder, weights
from curator.models.errors import CallFailed
from curator.paths import cache_folder
from curator.services.embeddings import embed_missing
from store.errors import Unwritable
from store.model import Fingerprint, Life

if TYPE_CHECKING:
    from store import Store
    from store.index import Index

LEXICAL = (
    "searching by letters and words only: the model that understands meaning is not installed; "
    "run `curator setup` to fetch it (83 MB)"
)
BY_LETTERS = "searching by letters and words only: {error}"
BY_WORDS = "searching by words only, not by meaning: {error}"
CHANGING = "the vectors of {wanted} are not all made yet (`curator work` makes them); until then {former} is searched"
INSTEAD = "{former} is searched meanwhile: {error}"
MISSING = "many memories have no vector yet and are found by their words only: `curator work --once` makes the vectors"
SOME = "some memories have no vector and are found by their words only: {error}"
_AT_ONCE = 256  # texts embedded before a search rather than left out of it
_ASKED_AT_ONCE = 32  # the same where a server is asked, which takes ten times as long


@dataclass(frozen=True, slots=True)
class Searching:
    """Open search: the index, and the embedder of its vectors, None if words alone are searched.

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
        return load_embedder("hashing", cache_folder()), (_lexical_note(error),)


def fetched_embedder(
    store: "Store", allow: Callable[[str], bool], progress: Callable[[int], None] | None = None
) -> tuple[Embedder, tuple[str, ...]]:
    """Like `working_embedder`, but fetches missing weights first if `allow` says yes to the question it is given."""
    failed: tuple[str, ...] = ()
    wrong = weights.damage(cache_folder()) if settings().embed.provider == "minilm" else ""
    if wrong:
        again = f"{wrong}. Now: " if weights.installed(cache_folder()) is not None else ""
        question = (
            f"{again}fetch the model that finds memories by meaning ({weights.DOWNLOAD_BYTES // 1_000_000} MB, once)?"
        )
        if allow(question):
            try:
                weights.fetch(cache_folder(), progress)
            except FetchFailed as error:
                failed = (str(error),)
    embedder, notes = working_embedder(store)
    return embedder, (*failed, *notes)


def working_embedder(store: "Store") -> tuple[Embedder, tuple[str, ...]]:
    """Like `searched_embedder`; the lexical one, with the note that says so, where that is not here."""
    try:
        return searched_embedder(store)
    except ModelError as error:
        return load_embedder("hashing", cache_folder()), (BY_LETTERS.format(error=error),)


def searched_embedder(store: "Store") -> tuple[Embedder, tuple[str, ...]]:
    """The embedder whose vectors the store's memories have, and what must be said of it.

    That is the one the settings ask for, unless many have no vector by it yet, or it is not here: then the former one
    is used. Raises ModelError if what made the vectors is not here, and the lexical one would be a poor stand-in.
    """
    wanted: Embedder | None = None
    problem: ModelError | None = None
    try:
        wanted = load_embedder(settings().embed.provider, cache_folder())
        if _complete(store, wanted):
            return wanted, ()
    except ModelError as error:
        problem = error
    former = store.vectors.embedded_by()
    if former is not None and former.provider != "hashing" and (wanted is None or former != wanted.fingerprint):
        old = _loaded(former)
        if old is not None and wanted is not None:
            return old, (CHANGING.format(wanted=_name(wanted), former=_name(old)),)
        if old is not None:
            return old, (INSTEAD.format(former=_name(old), error=problem),)
        if problem is not None:
            raise problem
    lexical = load_embedder("hashing", cache_folder())
    if wanted is not None:
        if former == lexical.fingerprint and former != wanted.fingerprint and _complete(store, lexical):
            return lexical, (CHANGING.format(wanted=_name(wanted), former=_name(lexical)),)
        return wanted, (MISSING,)
    if problem is not None and settings().embed.provider == "ollama" and former is None:
        raise problem
    return lexical, (_lexical_note(problem),)


def _lexical_note(problem: ModelError | None) -> str:
    """Return the note that only letters and words are searched, with the reason."""
    absent = settings().embed.provider == "minilm" and weights.installed(cache_folder()) is None
    return LEXICAL if absent or problem is None else BY_LETTERS.format(error=problem)


def _loaded(fingerprint: Fingerprint) -> Embedder | None:
    """The embedder that made these vectors; None if it is not here any more."""
    with contextlib.suppress(ModelError, ValueError):
        found = load_embedder(fingerprint.provider, cache_folder(), fingerprint.model)
        return found if found.fingerprint == fingerprint else None
    return None


def _complete(store: "Store", embedder: Embedder) -> bool:
    """Return whether all memories have a vector by this embedder, or so few have none that they are made at once."""
    few = _ASKED_AT_ONCE if embedder.fingerprint.provider == "ollama" else _AT_ONCE
    return len(store.vectors.missing(embedder.fingerprint, few + 1)) <= few


def _name(embedder: Embedder) -> str:
    kind = embedder.fingerprint
    return kind.model if kind.provider == "ollama" else kind.provider


def open_index(store: "Store") -> "Index":
    """The index over the vectors this store has most of."""
    from store.index import Index

    return Index(store, store.vectors.embedded_by() or installed_embedder()[0].fingerprint)


def open_search(store: "Store") -> Searching:
    """Open the index for searching; a few texts without a vector get theirs first, many are left and said.

    Where a server makes the vectors and is not there, words alone are searched, in the index there is; that is said.
    """
    from store.index import Index

    try:
        embedder, notes = searched_embedder(store)
    except ModelError as error:
        known = store.vectors.embedded_by() or load_embedder("hashing", cache_folder()).fingerprint
        return Searching(Index(store, known), None, (BY_WORDS.format(error=error),))
    try:
        if _complete(store, embedder):
            embed_missing(store, embedder, lives=(Life.LIVE,))
    except Unwritable as error:
        notes = (*notes, SOME.format(error=error))
    except CallFailed as error:  # of these texts: all others are found by meaning as ever
        notes = (*notes, SOME.format(error=error))
    except ModelError as error:
        return Searching(Index(store, embedder.fingerprint), None, (*notes, BY_WORDS.format(error=error)))
    return Searching(Index(store, embedder.fingerprint), embedder, notes)

"""Choose the embedder for this machine and store, compute missing vectors, and open the search.

Anything missing is reported in notes. Embedding is idempotent, in pieces and resumable.
"""

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

from curator.config import settings
from curator.errors import ModelError
from curator.models import CallFailed, Embedder, FetchFailed, load_embedder, weights
from curator.paths import cache_folder
from store import Store, Unwritable
from store.model import Fingerprint, Life

if TYPE_CHECKING:
    from store.index import Index

SWEEP = "embed"
"""Key of stored failures: the item is a memory, `first` the `sign` of its text, the model a fingerprint."""
_PIECE = 512  # texts embedded together
LEXICAL = f"searching by letters and words only; {weights.GET_MODEL}"
BY_LETTERS = "searching by letters and words only: {error}"
BY_WORDS = "searching by words only, not by meaning: {error}"
CHANGING = "the vectors of {wanted} are not all made yet (`curator work` makes them); until then {former} is searched"
INSTEAD = "{former} is searched meanwhile: {error}"
MISSING = "many memories have no vector yet and are found by their words only: `curator work --once` makes the vectors"
SOME = "some memories have no vector and are found by their words only: {error}"
_kept: "dict[tuple[Path, str], tuple[object, SearchSession]] | None" = (
    None  # open searches of a process that answers many
)
_AT_ONCE = 256  # texts embedded before a search; more are left out of it
_ASKED_AT_ONCE = 32  # the same for an embedder on a server, which takes ten times as long


@dataclass(frozen=True, slots=True)
class SearchSession:
    """Open search: the index, and the embedder of its vectors, or None for a search by words only.

    `notes` must be shown to the person.
    """

    index: "Index"
    embedder: Embedder | None
    notes: tuple[str, ...]


def installed_embedder() -> Embedder:
    """Return the embedder of the settings, or the lexical one if that is unavailable."""
    try:
        return load_embedder(settings().embed.provider, cache_folder())
    except ModelError:
        return load_embedder("hashing", cache_folder())


def fetched_embedder(
    store: Store, allow: Callable[[str], bool], progress: Callable[[int], None] | None = None
) -> tuple[Embedder, tuple[str, ...]]:
    """Return the embedder of `working_embedder`; fetch missing weights first if `allow` accepts the question it is
    given.
    """
    failed: tuple[str, ...] = ()
    wrong = weights.verification_error(cache_folder()) if settings().embed.provider == "minilm" else ""
    if wrong:
        again = f"{wrong}. Now: " if weights.installed(cache_folder()) is not None else ""
        if allow(f"{again}Download the model for search by meaning ({weights.DOWNLOAD_BYTES // 1_000_000} MB, once)?"):
            try:
                weights.fetch(cache_folder(), progress)
            except FetchFailed as error:
                failed = (str(error),)
    embedder, notes = working_embedder(store)
    return embedder, (*failed, *notes)


def working_embedder(store: Store) -> tuple[Embedder, tuple[str, ...]]:
    """Return the embedder of `searched_embedder`, or the lexical one with a note if that is unavailable."""
    try:
        return searched_embedder(store)
    except ModelError as error:
        return load_embedder("hashing", cache_folder()), (BY_LETTERS.format(error=error),)


def searched_embedder(store: Store) -> tuple[Embedder, tuple[str, ...]]:
    """Return the embedder of the store's vectors, and notes for the person.

    That is the embedder of the settings, unless many memories have no vector by it yet or it is unavailable: then the
    former one is used. Raises ModelError if the former one is unavailable too, and the lexical one would be a poor
    substitute.
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
    if former is not None and former.by_meaning and (wanted is None or former != wanted.fingerprint):
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
    absent = settings().embed.provider == "minilm" and weights.installed(cache_folder()) is None
    return lexical, (LEXICAL if absent or problem is None else BY_LETTERS.format(error=problem),)


def _loaded(fingerprint: Fingerprint) -> Embedder | None:
    """Return the embedder with this fingerprint; None if it is no longer available."""
    with contextlib.suppress(ModelError, ValueError):
        found = load_embedder(fingerprint.provider, cache_folder(), fingerprint.model)
        return found if found.fingerprint == fingerprint else None
    return None


def _complete(store: Store, embedder: Embedder) -> bool:
    """Return True if few enough memories lack a vector by this embedder to embed them at once."""
    few = _ASKED_AT_ONCE if embedder.fingerprint.provider == "ollama" else _AT_ONCE
    return len(store.vectors.missing(embedder.fingerprint, few + 1)) <= few


def _name(embedder: Embedder) -> str:
    kind = embedder.fingerprint
    return kind.model if kind.provider == "ollama" else kind.provider


def open_index(store: Store, fingerprint: Fingerprint | None = None) -> "Index":
    """Return the index over vectors of a fingerprint, or of the embedder with the most vectors in the store."""
    from store.index import Index

    chosen = fingerprint or store.vectors.embedded_by() or installed_embedder().fingerprint
    return Index(store, chosen, settings().index.uri)


def enable_cache() -> None:
    """Keep the searches that `open_search` returns from now on, each until its record changes."""
    global _kept
    _kept = {} if _kept is None else _kept


def clear_cache() -> None:
    """Drop the searches that are kept: the settings have changed, or words were purged."""
    if _kept is not None:
        _kept.clear()


def evict(store: Store) -> None:
    """Drop the search that is kept for a store, which is about to be closed."""
    if _kept is not None:
        _kept.pop((store.folder, store.owner), None)


def open_search(store: Store) -> SearchSession:
    """Open the index for searching. A few texts without a vector are embedded first; many are left, with a note.

    If the vectors' server is offline, search by words only in the existing index, with a note.
    """
    if _kept is None:
        return _opened(store)
    from store.index.reader import last

    former = _kept.get((store.folder, store.owner))
    state = (store.epoch, last(store))
    if former is not None and former[0] == state:
        return former[1]
    opened = _opened(store)
    if former is not None and former[1].index.fingerprint == opened.index.fingerprint:
        opened = replace(opened, index=former[1].index)
    _kept[store.folder, store.owner] = (store.epoch, last(store)), opened
    return opened


def _opened(store: Store) -> SearchSession:
    try:
        embedder, notes = searched_embedder(store)
    except ModelError as error:
        known = store.vectors.embedded_by() or load_embedder("hashing", cache_folder()).fingerprint
        return SearchSession(open_index(store, known), None, (BY_WORDS.format(error=error),))
    try:
        if _complete(store, embedder):
            embed_missing(store, embedder, lives=(Life.LIVE,))
    except (Unwritable, CallFailed) as error:  # only these texts failed: all others are still found by meaning
        notes = (*notes, SOME.format(error=error))
    except ModelError as error:
        return SearchSession(open_index(store, embedder.fingerprint), None, (*notes, BY_WORDS.format(error=error)))
    return SearchSession(open_index(store, embedder.fingerprint), embedder, notes)


def embed_missing(
    store: Store,
    embedder: Embedder,
    progress: Callable[[int], None] | None = None,
    lives: Sequence[Life] = (Life.LIVE, Life.FORGOTTEN),
) -> int:
    """Embed memories without a vector, storing each piece before the next begins; return the number embedded.

    Forgotten memories are embedded too, so that they are recognized by meaning when said again, unless `lives` excludes
    them. `progress` is called with the number embedded so far. Memories with a stored failure are skipped.
    """
    made = 0
    for life in lives:
        while missing := missing_texts(store, embedder.fingerprint, _PIECE, life):
            store.vectors.add(embedder.fingerprint, embedded(embedder, missing))
            made += len(missing)
            if progress is not None:
                progress(made)
    return made


def embedded(embedder: Embedder, texts: Sequence[tuple[int, str]]) -> list[tuple[int, str, bytes]]:
    """Return the texts of memories with their vectors, as `Store.vectors` takes them."""
    vectors = embedder.embed([text for _, text in texts])
    return [(memory, text, row.tobytes()) for (memory, text), row in zip(texts, vectors, strict=True)]


def missing_texts(store: Store, fingerprint: Fingerprint, limit: int, life: Life = Life.LIVE) -> list[tuple[int, str]]:
    """Return memories of a life, with their texts, that have neither a vector nor a stored failure."""
    failed = {(one.item, one.first) for one in store.sweeps.failures(SWEEP) if one.model == fingerprint.label}
    missing = store.vectors.missing(fingerprint, limit + len(failed), life)
    return [one for one in missing if (one[0], sign(one[1])) not in failed][:limit]


def sign(text: str) -> int:
    """Return a number for a text, to detect that it was changed."""
    return crc32(text.encode("utf-8", "surrogatepass"))

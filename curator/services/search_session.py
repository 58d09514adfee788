"""Choose the embedder for a store, compute missing vectors, and open a search session.

Fallbacks are reported as notes for the person. Embedding is idempotent and can be resumed.
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
"""Sweep name of stored failures: `item` is a memory, `first` its `text_checksum`, `model` a fingerprint's label."""
_TEXTS_PER_CALL = 512  # texts embedded and stored together
LEXICAL = f"searching by letters and words only; {weights.GET_MODELS}"
BY_LETTERS = "searching by letters and words only: {error}"
BY_WORDS = "searching by words only, not by meaning: {error}"
CHANGING = "the vectors of {wanted} are not all made yet (`curator work` makes them); until then {former} is searched"
INSTEAD = "{former} is searched meanwhile: {error}"
MISSING = "many memories have no vector yet and are found by their words only: `curator work --once` makes the vectors"
SOME = "some memories have no vector and are found by their words only: {error}"
_cached_sessions: "dict[tuple[Path, str], tuple[object, SearchSession]] | None" = (
    None  # open sessions of a long-running process; None if the cache is disabled
)
_MAX_EMBEDDED_FIRST = 256  # texts embedded before a search; if more are missing, none is
_MAX_EMBEDDED_FIRST_BY_SERVER = 32  # the same for an embedding server, which takes ten times as long


@dataclass(frozen=True, slots=True)
class SearchSession:
    """An open search index and the embedder of its vectors, which is None for a search by words only.

    `notes` must be shown to the person.
    """

    index: "Index"
    embedder: Embedder | None
    notes: tuple[str, ...]


def installed_embedder() -> Embedder:
    """Return the configured embedder, or the lexical one if that is unavailable."""
    try:
        return load_embedder(settings().embed.provider, cache_folder())
    except ModelError:
        return load_embedder("hashing", cache_folder())


def fetch_embedder(
    store: Store, allow: Callable[[list[weights.Weights]], bool], progress: Callable[[int, int], None] | None = None
) -> tuple[Embedder, tuple[str, ...]]:
    """Return `working_embedder`, after downloading missing weights if `allow(missing)` returns True.

    `progress` is called with the bytes so far and of all. The classifiers' weights are fetched too, as `can_classify`
    needs them.
    """
    failed = []
    missing = weights.missing(cache_folder()) if settings().embed.provider == "minilm" else []
    if not settings().classify.enabled:
        missing = [model for model in missing if model is not weights.MPNET]
    if missing and allow(missing):
        before, total = 0, sum(model.download_bytes for model in missing)

        def report(done: int) -> None:
            if progress is not None:
                progress(before + done, total)

        for model in missing:
            try:
                weights.fetch(model, cache_folder(), report)
            except FetchFailed as error:
                failed.append(str(error))
                break  # the next would wait for the same index
            before += model.download_bytes
    embedder, notes = working_embedder(store)
    return embedder, (*failed, *notes)


def working_embedder(store: Store) -> tuple[Embedder, tuple[str, ...]]:
    """Return `embedder_for_search`, or the lexical embedder with a note if that is unavailable.

    Another note says if the classifiers are wanted and their weights are missing or damaged.
    """
    notes: tuple[str, ...] = ()
    wanted = settings().embed.provider == "minilm" and settings().classify.enabled
    if wanted and weights.installed(weights.MINILM, cache_folder()) is not None:  # else another note says so
        absent = weights.installed(weights.MPNET, cache_folder()) is None
        wrong = weights.BY_WORDS_ONLY if absent else weights.verification_error(weights.MPNET, cache_folder())
        notes = (wrong,) if wrong else ()
    try:
        embedder, others = embedder_for_search(store)
        return embedder, (*others, *notes)
    except ModelError as error:
        return load_embedder("hashing", cache_folder()), (BY_LETTERS.format(error=error), *notes)


def embedder_for_search(store: Store) -> tuple[Embedder, tuple[str, ...]]:
    """Return the embedder to search with, and notes for the person.

    This is the configured embedder, unless it is unavailable or most memories have no vector by it yet: then it is the
    embedder of the existing vectors. Raises ModelError if that is unavailable too and captures meaning, for which the
    lexical embedder would be a poor substitute.
    """
    wanted: Embedder | None = None
    problem: ModelError | None = None
    try:
        wanted = load_embedder(settings().embed.provider, cache_folder())
        if _is_nearly_complete(store, wanted):
            return wanted, ()
    except ModelError as error:
        problem = error
    former = store.vectors.embedded_by()
    if former is not None and former.by_meaning and (wanted is None or former != wanted.fingerprint):
        old = None
        with contextlib.suppress(ModelError, ValueError):  # it may no longer be available
            old = load_embedder(former.provider, cache_folder(), former.model)
        if old is not None and old.fingerprint == former:
            if wanted is not None:
                return old, (CHANGING.format(wanted=_name(wanted), former=_name(old)),)
            return old, (INSTEAD.format(former=_name(old), error=problem),)
        if problem is not None:
            raise problem
    lexical = load_embedder("hashing", cache_folder())
    if wanted is not None:
        if former == lexical.fingerprint and former != wanted.fingerprint and _is_nearly_complete(store, lexical):
            return lexical, (CHANGING.format(wanted=_name(wanted), former=_name(lexical)),)
        return wanted, (MISSING,)
    if problem is not None and settings().embed.provider == "ollama" and former is None:
        raise problem
    absent = settings().embed.provider == "minilm" and weights.installed(weights.MINILM, cache_folder()) is None
    return lexical, (LEXICAL if absent or problem is None else BY_LETTERS.format(error=problem),)


def _is_nearly_complete(store: Store, embedder: Embedder) -> bool:
    """Return True if so few memories lack a vector by this embedder that they can be embedded before a search."""
    few = _MAX_EMBEDDED_FIRST_BY_SERVER if embedder.fingerprint.provider == "ollama" else _MAX_EMBEDDED_FIRST
    return len(store.vectors.missing(embedder.fingerprint, few + 1)) <= few


def _name(embedder: Embedder) -> str:
    kind = embedder.fingerprint
    return kind.model if kind.provider == "ollama" else kind.provider


def open_index(store: Store, fingerprint: Fingerprint | None = None) -> "Index":
    """Return the index of the vectors with a fingerprint, or else of the embedder with the most vectors."""
    from store.index import Index

    chosen = fingerprint or store.vectors.embedded_by() or installed_embedder().fingerprint
    return Index(store, chosen, settings().index.uri)


def enable_cache() -> None:
    """Make `open_search` reuse sessions from now on, each until its record changes."""
    global _cached_sessions
    _cached_sessions = {} if _cached_sessions is None else _cached_sessions


def clear_cache() -> None:
    """Drop all cached sessions, because settings changed or words were purged."""
    if _cached_sessions is not None:
        _cached_sessions.clear()


def evict_session(store: Store) -> None:
    """Drop the cached session of a store that is about to be closed."""
    if _cached_sessions is not None:
        _cached_sessions.pop((store.folder, store.owner), None)


def open_search(store: Store) -> SearchSession:
    """Open a search session. A few texts without a vector are embedded first; if there are many, a note says so.

    If the embedding server is offline, the session searches by words only, with a note.
    """
    if _cached_sessions is None:
        return _open_session(store)
    from store.index.reader import last

    former = _cached_sessions.get((store.folder, store.owner))
    state = (store.epoch, last(store))
    if former is not None and former[0] == state:
        return former[1]
    opened = _open_session(store)
    if former is not None and former[1].index.fingerprint == opened.index.fingerprint:
        opened = replace(opened, index=former[1].index)
    _cached_sessions[store.folder, store.owner] = state, opened  # read first: opening takes seconds
    return opened


def _open_session(store: Store) -> SearchSession:
    try:
        embedder, notes = embedder_for_search(store)
    except ModelError as error:
        fingerprint = store.vectors.embedded_by() or load_embedder("hashing", cache_folder()).fingerprint
        return SearchSession(open_index(store, fingerprint), None, (BY_WORDS.format(error=error),))
    try:
        if _is_nearly_complete(store, embedder):
            embed_missing(store, embedder, lives=(Life.LIVE,))
    except (Unwritable, CallFailed) as error:  # only these texts have no vector; the others can be searched
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
    """Embed memories without a vector, storing them in chunks; return the number embedded.

    By default forgotten memories are embedded too, so that repetitions of them are recognised. `progress` is called
    with the number embedded so far. Memories with a stored failure are skipped.
    """
    made = 0
    for life in lives:
        while missing := missing_texts(store, embedder.fingerprint, _TEXTS_PER_CALL, life):
            store.vectors.add(embedder.fingerprint, embed_texts(embedder, missing))
            made += len(missing)
            if progress is not None:
                progress(made)
    return made


def embed_texts(embedder: Embedder, texts: Sequence[tuple[int, str]]) -> list[tuple[int, str, bytes]]:
    """Return (memory, text, vector) for each text, in the form that `Store.vectors.add` expects."""
    vectors = embedder.embed([text for _, text in texts])
    return [(memory, text, row.tobytes()) for (memory, text), row in zip(texts, vectors, strict=True)]


def missing_texts(store: Store, fingerprint: Fingerprint, limit: int, life: Life = Life.LIVE) -> list[tuple[int, str]]:
    """Return memories, with their texts, that have neither a vector nor a stored failure."""
    failed = {
        (failure.item, failure.first) for failure in store.sweeps.failures(SWEEP) if failure.model == fingerprint.label
    }
    missing = store.vectors.missing(fingerprint, limit + len(failed), life)
    return [item for item in missing if (item[0], text_checksum(item[1])) not in failed][:limit]


def text_checksum(text: str) -> int:
    """Return a checksum of a text, to detect changes."""
    return crc32(text.encode("utf-8", "surrogatepass"))

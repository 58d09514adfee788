"""The sweep that embeds every memory, and switches to another embedding model once all memories have its vectors."""

from curator.config import settings
from curator.models import CallFailed, Embedder, TimedOut, weights
from curator.paths import cache_folder
from curator.services.search_session import LEXICAL, SWEEP, embed_texts, missing_texts, open_index, text_checksum
from curator.sweeps.base import Attempt, BaseSweep, SweepItem, Tools
from store import NotFound
from store.model import Failure, Fingerprint, Life

_PIECE = 32  # texts embedded between chances to stop: a quarter of a second locally, one call to a server
_FEW = 256  # pending memories up to which the sweep does not wait for the interval
_TRIES = 2  # attempts at a single text, after it failed with others
_TROUBLE = 3  # failing texts at the start of a piece after which the server is blamed
_UNKNOWN = Fingerprint("", "", "", 0)  # has no vectors

_Bad = tuple[tuple[int, str], CallFailed]  # a memory, its text, and why it has no vector


class Embed(BaseSweep):
    """One lease for all: two processes would embed the same texts."""

    name = "embed"
    version = SWEEP

    def __init__(self, tools: Tools) -> None:
        super().__init__(tools)
        self._embedder: Embedder | None = None

    def off(self) -> str:
        """See `BaseSweep.off`. Off if weights are missing: an import then makes lexical vectors."""
        absent = settings().embed.provider == "minilm" and weights.installed(weights.MINILM, cache_folder()) is None
        return LEXICAL if absent else ""

    def model(self) -> str:
        """See `BaseSweep.model`."""
        config = settings().embed
        return config.model if config.provider == "ollama" else config.provider

    @property
    def mark(self) -> str:
        """See `BaseSweep.mark`. Each model has its own, so that a new one does not wait for the interval."""
        return f"{super().mark} {self.model()}"

    def pending(self) -> int:
        """See `BaseSweep.pending`. Includes forgotten memories, which must be recognized when said again."""
        return min(map(self._pending, self._fingerprints()))

    def has_work(self) -> bool:
        """See `BaseSweep.has_work`."""
        return not self.off() and all(self._missing(fingerprint, 1) for fingerprint in self._fingerprints())

    def _fingerprints(self) -> list[Fingerprint]:
        """Return those that may be of the model of the settings, as long as it is not loaded."""
        embedder, config = self._embedder, settings().embed
        if embedder is not None:
            return [embedder.fingerprint]
        own = [
            space
            for space in self._store.vectors.spaces()
            if space.provider == config.provider
            and (
                config.provider != "ollama"
                or space.model.removesuffix(":latest") == config.model.removesuffix(":latest")
            )
        ]
        return own or [_UNKNOWN]

    def skips_interval(self, pending: int) -> bool:
        """See `BaseSweep.skips_interval`. A new memory should be found by its meaning, as long as no server has to
        load another model for it.
        """
        return 0 < pending <= _FEW and settings().embed.provider != "ollama"

    def _pending(self, fingerprint: Fingerprint) -> int:
        """Count texts without a vector, except those that failed."""
        failed = sum(bool(self._text_of(failure, fingerprint)) for failure in self._store.sweeps.failures(SWEEP))
        return self._store.vectors.count_missing(fingerprint) - failed

    def title(self, memory_id: int) -> str:
        """See `BaseSweep.title`."""
        return f"memory {self._store.get(memory_id).id}"

    async def open(self) -> None:
        """See `BaseSweep.open`. Failures of another model are retried with this one."""
        embedder = await self._run(self._tools.models.target_embedder)
        self._embedder = embedder
        await self._run(lambda: self._forgive(embedder.fingerprint))

    async def do(self, item: SweepItem, attempt: Attempt) -> None:
        """See `BaseSweep.do`. Texts are embedded in pieces, and each piece is stored before the next begins."""
        run, embedder = self._run, self._embedder
        assert embedder is not None
        fingerprint, failure = embedder.fingerprint, item.failure
        if failure is not None:
            await self._piece(embedder, await run(lambda: self._text_of(failure, fingerprint)), attempt)
        left = item.number if failure is None else 0
        while left > 0 and attempt.go_on():
            piece = min(left, _PIECE)
            missing = await run(lambda piece=piece: self._missing(fingerprint, piece))  # type: ignore[misc]
            if not missing:
                break
            await self._piece(embedder, missing, attempt)
            left -= len(missing)
        if not await run(lambda: self._missing(fingerprint, 1)):
            await run(lambda: self._change_over(embedder))

    async def _piece(self, embedder: Embedder, texts: list[tuple[int, str]], attempt: Attempt) -> None:
        """Embed a piece of texts and store the vectors; a text that fails does not stop the others.

        Raises the embedder's error if all fail: the texts are then not to blame.
        """
        run = self._run
        bad: list[_Bad] = []
        try:
            await run(lambda: self._keep(embedder, texts, attempt))
        except TimedOut:
            raise
        except CallFailed:
            for index, pair in enumerate(texts):
                await self._embed_alone(embedder, pair, attempt, bad)
                if len(bad) == index + 1 == min(_TROUBLE, len(texts)) > 1:
                    raise
            await run(lambda: self._fail(embedder, bad, attempt))
            attempt.run.failed += len(bad)
        else:
            attempt.run.record_success()
        attempt.step(len(texts))

    async def _embed_alone(self, embedder: Embedder, pair: tuple[int, str], attempt: Attempt, bad: list[_Bad]) -> None:
        for left in reversed(range(_TRIES)):
            try:
                return await self._run(lambda: self._keep(embedder, [pair], attempt))
            except TimedOut:
                raise
            except CallFailed as error:
                if not left:
                    bad.append((pair, error))

    def _keep(self, embedder: Embedder, texts: list[tuple[int, str]], attempt: Attempt) -> None:
        store = self._store
        if not texts:
            return
        self._tools.rest()
        rows = embed_texts(embedder, texts)
        with store.sweeps.holding(attempt.lease) as connection:
            store.vectors.put(connection, embedder.fingerprint, rows)
        self._forgive(embedder.fingerprint)

    def _fail(self, embedder: Embedder, bad: list[_Bad], attempt: Attempt) -> None:
        store, label = self._store, embedder.fingerprint.label
        with store.sweeps.holding(attempt.lease):
            there = {memory.id: memory.text for memory in store.get_many([memory for (memory, _), _ in bad])}
            for (memory, text), error in bad:
                if there.get(memory) == text:  # otherwise its error may cite words purged since
                    self.put_failure(memory, error, label, text_checksum(text))

    def _forgive(self, fingerprint: Fingerprint) -> None:
        """Delete failures of another model or an outdated text, and of memories that need no vector any more."""
        failures = self._store.sweeps.failures(SWEEP)
        gone = [failure.id for failure in failures if not self._text_of(failure, fingerprint)]
        if gone:
            self._store.sweeps.drop_failures(gone)

    def _text_of(self, failure: Failure, fingerprint: Fingerprint) -> list[tuple[int, str]]:
        """Return the failed memory and its text if that text failed and still has no vector; else nothing."""
        store = self._store
        try:
            memory = store.get(failure.item)
        except NotFound:
            return []
        same = failure.model == fingerprint.label and failure.first == text_checksum(memory.text)
        wanted = memory.life in (Life.LIVE, Life.FORGOTTEN) and store.vectors.of(memory.id, fingerprint) is None
        return [(memory.id, memory.text)] if same and wanted else []

    def _missing(self, fingerprint: Fingerprint, limit: int) -> list[tuple[int, str]]:
        """Return texts without a vector that have not failed, live memories first."""
        live = missing_texts(self._store, fingerprint, limit)
        return live or missing_texts(self._store, fingerprint, limit, Life.FORGOTTEN)

    def _change_over(self, embedder: Embedder) -> None:
        """Delete all other vectors, now that every memory has one by the target model.

        They would not be searched again, take more room than the texts, and can be recomputed. With the lexical
        embedder nothing is deleted: it is only a fallback for an unavailable one.
        """
        store, own = self._store, embedder.fingerprint
        others = [space for space in store.vectors.spaces() if space != own]
        if not others or not own.by_meaning or own not in store.vectors.spaces():
            return
        open_index(store, own).catch_up()  # so that the first search by the new vectors does not wait for it
        for space in others:
            store.vectors.drop(space)

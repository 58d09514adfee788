"""The sweep that gives every memory its vector, and changes to another embedding model when all have one by it."""

from curator.config import settings
from curator.jobs.opening import LEXICAL
from curator.jobs.sweeps.work import Item, Shift, Tools
from curator.models import Embedder
from store.model import Failure, Fingerprint, Life

_PIECE = 32  # texts embedded before anybody can stop it: a quarter of a second here, one call to a server
_UNKNOWN = Fingerprint("", "", "", 0)  # of which nothing has a vector


class Embed:
    """One lease for all: two processes that embed would do the same texts."""

    name = "embed"

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._embedder: Embedder | None = None

    def off(self) -> str:
        """See `Work.off`. Nobody asked for vectors by letters; an import makes them where the weights are not there."""
        from curator.models import weights
        from curator.paths import cache_folder

        missing = settings().embed.provider == "minilm" and weights.installed(cache_folder()) is None
        return LEXICAL if missing else ""

    def model(self) -> str:
        """See `Work.model`."""
        now = settings().embed
        return now.model if now.provider == "ollama" else now.provider

    def pending(self) -> int:
        """See `Work.pending`. The forgotten count too: what says the same must be known when it comes again."""
        store, known = self._tools.store, self._embedder
        if known is not None:
            return store.count_missing(known.fingerprint)
        now = settings().embed
        own = [
            space
            for space in store.spaces()
            if space.provider == now.provider
            and (now.provider != "ollama" or space.model.removesuffix(":latest") == now.model.removesuffix(":latest"))
        ]
        return min(map(store.count_missing, own)) if own else store.count_missing(_UNKNOWN)

    def failed(self) -> int:
        """See `Work.failed`."""
        return 0

    def failures(self, limit: int) -> list[Failure]:
        """See `Work.failures`."""
        return []

    def items(self, limit: int, again: bool) -> list[Item]:
        """See `Work.items`."""
        return [] if again else [Item("embed", number=limit)]

    async def open(self) -> None:
        """See `Work.open`."""
        self._embedder = await self._tools.run(self._tools.models.wanted)

    async def do(self, item: Item, shift: Shift) -> None:
        """See `Work.do`. Texts are embedded a piece at a time, and each piece is kept before the next begins."""
        store, run, embedder = self._tools.store, self._tools.run, self._embedder
        assert embedder is not None
        fingerprint = embedder.fingerprint
        left = item.number
        while left > 0 and shift.go_on():
            piece = min(left, _PIECE)
            missing = await run(lambda piece=piece: self._missing(fingerprint, piece))  # type: ignore[misc]
            if not missing:
                break
            vectors = await run(lambda missing=missing: embedder.embed([text for _, text in missing]))  # type: ignore[misc]
            rows = [(memory, text, row.tobytes()) for (memory, text), row in zip(missing, vectors, strict=True)]
            await run(lambda rows=rows: store.sweeps.put_vectors(shift.lease, fingerprint, rows))  # type: ignore[misc]
            left -= len(missing)
            shift.step(len(missing))
            shift.tally.went_well()
        if not await run(lambda: self._missing(fingerprint, 1)):
            await run(lambda: self._change_over(embedder))

    def _missing(self, fingerprint: Fingerprint, limit: int) -> list[tuple[int, str]]:
        """What has no vector: first what is live."""
        store = self._tools.store
        live = store.missing_vectors(fingerprint, limit)
        return live or store.missing_vectors(fingerprint, limit, Life.FORGOTTEN)

    def _change_over(self, embedder: Embedder) -> None:
        """Let go of all other vectors, now that every memory has one by the model that is wanted.

        Nobody would search them again, they take more room than the texts, and can be made again. Only for the lexical
        embedder nothing is let go of: it stands in where another is not there.
        """
        from store.index import Index

        store, own = self._tools.store, embedder.fingerprint
        others = [space for space in store.spaces() if space != own]
        if not others or own.provider == "hashing" or own not in store.spaces():
            return
        Index.open(store, own).catch_up()  # so that the first search by the new ones does not wait for it
        for space in others:
            store.drop_vectors(space)

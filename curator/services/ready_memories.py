"""Ready memories imported from a file: which claims count, what their quotes cite, and which match forgotten ones."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from curator.compare import relate
from curator.curation import Return, find_forgotten, match_texts
from curator.importers import ReadyMemory
from curator.injection import flag_memory
from curator.models import Embedder
from curator.secrets import redact
from curator.services.import_summary import Summary
from curator.services.neighbours import nearest_stored
from curator.signature import own_fingerprint, trust, trusted
from curator.text import content_key
from store import Store, uids
from store.model import Life, NewEvidence, NewMemory, Review

Ask = Callable[[str], bool]
"""Asks the person whether to trust the key with this fingerprint."""


@dataclass(slots=True)
class ClaimCheck:
    """Decides by signatures whether the claimed decisions of ready memories count; `proven` are ids with valid
    signatures.
    """

    store: Store
    summary: Summary
    ask: Ask | None = None
    proven: set[str | None] = field(default_factory=set)
    _trusted: dict[str, bool] = field(default_factory=dict)  # by fingerprint

    def checked(self, item: ReadyMemory, path: Path) -> NewMemory:
        """Return the memory as it is to be stored; count ignored claims by reason.

        An id of another store is a claim too, but is not reported.
        """
        summary = self.summary
        if item.unknown_kind is not None:
            summary.unknown_kinds[item.unknown_kind] += 1
        if item.signer is not None and self._trusts(item.signer):
            memory = self._identified(item.claimed)
            self.proven.add(memory.external_id)
            return memory
        if item.changed:
            summary.unproven["bad_signature"] += 1
        elif item.unproven != item.claimed:
            summary.unproven["unsigned" if item.signer is None else "untrusted_key"] += 1
            if item.signer is not None:
                summary.signers[item.signer] += 1
                summary.signed_files.setdefault(item.signer, {})[str(path)] = None
        name = item.unproven.external_id
        return self._identified(replace(item.unproven, external_id=None if name is None else uids.mark_unproven(name)))

    def _trusts(self, signer: str) -> bool:
        if signer not in self._trusted:
            known = signer == own_fingerprint() or signer in trusted()
            if not known and self.ask is not None and self.ask(signer):
                trust(signer)
                known = True
            self._trusted[signer] = known
        return self._trusted[signer]

    def _identified(self, memory: NewMemory) -> NewMemory:
        """Replace an id that looks like it contains a secret by a keyed hash of it, so that ids stay distinct.

        A memory imported when such ids were redacted keeps its redacted id.
        """
        if memory.external_id is None or not (found := redact(memory.external_id)).count:
            return memory
        former = replace(memory, external_id=found.text)
        known = self.store.peek_memory(former).known
        if known is not None and self.store.get(known).text == memory.text:
            return former
        return replace(memory, external_id=self.store.hashed_id(memory.external_id))


def without_purged(store: Store, memory: NewMemory) -> NewMemory:
    """Return a memory without former texts, quotes and titles that contain purged words."""
    if not (memory.versions or memory.evidence) or not store.tombstones.any():
        return memory

    def purged(text: str | None) -> bool:
        return bool(text) and store.tombstones.matching(content_key(text or ""), purged_only=True) is not None

    quotes = [one for one in memory.evidence if not purged(one.quote)]
    return replace(
        memory,
        versions=tuple(one for one in memory.versions if not purged(one.text)),
        evidence=tuple(replace(one, title=None) if purged(one.title) else one for one in quotes),
    )


def link_evidence(memory: NewMemory, messages: Mapping[str, tuple[int, str]]) -> NewMemory:
    """Link quotes to the stored messages that contain them verbatim, by reference; flag instructions to a model."""

    def link(quote: NewEvidence) -> NewEvidence:
        message, text = messages.get(quote.reference or "", (None, ""))
        return quote if text[quote.start : quote.end] != quote.quote else replace(quote, message=message)

    memory = replace(memory, evidence=tuple(map(link, memory.evidence)))
    flag = flag_memory(memory.text, memory.project, memory.tags)
    return memory if flag is None else quarantined(memory, memory.flag or flag)


def quarantined(memory: NewMemory, flag: str) -> NewMemory:
    """Return a memory in quarantine: only a person who reads it releases it, not a file, signed or not."""
    review = Review.OPEN if memory.review is Review.VALIDATED else memory.review
    return replace(memory, flag=flag, review=review)


def find_matches(store: Store, texts: Sequence[str], embedder: Embedder | None = None) -> dict[int, tuple[int, Return]]:
    """Return the forgotten memory that a text matches, by place, and the certainty; without embedder by words alone."""
    found: dict[int, tuple[int, Return]] = {}
    near: Sequence[Sequence[tuple[int, float]]] = [()] * len(texts)
    if embedder is not None:
        near = nearest_stored(store, embedder, embedder.embed(texts), Life.FORGOTTEN)
    forgotten = store.tombstones.texts(sorted({memory for row in near for memory, _ in row}))
    for place, text in enumerate(texts):
        said = find_forgotten(store, text)
        if said is not None:
            found[place] = (said, Return.SAME)
            continue
        for memory, cosine in near[place]:
            old = forgotten.get(memory)
            match = None if old is None else match_texts(old, text, relate(old, text, cosine))
            if match is not None and (place not in found or match is Return.SAME):
                found[place] = (memory, match)
            if match is Return.SAME:
                break
    return found

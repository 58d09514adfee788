"""From stored conversations to admitted memories: candidates, embeddings, comparison with what is known, surprise.

Everything slow is done before the write lock is taken; the lock is held for the decisions only. The work asks the
store what is pending, so that it goes on where it was stopped.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from curator.compare import Verdict, content_key, relate
from curator.config import settings
from curator.curation.scopes import scope_of
from curator.distill import DISTILLER, Candidate, distil, surprise
from curator.jobs.summary import Progress, Report, Summary
from curator.models import Embedder
from store import Store, Writer
from store.model import (
    Channel,
    Conversation,
    Life,
    NewEvidence,
    NewMemory,
    Origin,
    Refusal,
    Relation,
    Surprise,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BATCH = 2_048  # candidates compared and written together
_NEAREST = 5
_WORTH_RELATING = 0.5  # cosine; measured: paraphrases begin near 0.49
_OPPOSED = frozenset({Relation.CONTRADICTION, Relation.UPDATE})
_ALARMING = 0.6  # conflict score; below it most findings were merely alike
_TOLD = 10  # importance of "remember that …": kept whatever the surprise


@dataclass(frozen=True, slots=True)
class _Draft:
    """A candidate with the conversation it comes from."""

    candidate: Candidate
    conversation: Conversation
    channel: Channel


@dataclass(frozen=True, slots=True)
class _Read:
    """One conversation, read as far as it goes."""

    conversation: int
    upto: int
    drafts: tuple[_Draft, ...]
    refusals: tuple[Refusal, ...]


@dataclass(frozen=True, slots=True)
class _Neighbour:
    """Something a draft was compared with: a stored memory, or an earlier draft of the batch by its place."""

    verdict: Verdict
    memory: int | None
    place: int | None


def distil_pending(
    store: Store, writer: Writer, embedder: Embedder, summary: Summary, report: Report | None = None
) -> None:
    """Distil every conversation that has messages the distiller has not seen, inside the writer's command.

    The writer must be paused, and is paused again at the end; each batch is committed as it is done.
    """
    pending = store.undistilled(DISTILLER)
    batch: list[_Read] = []
    for done, number in enumerate(pending, 1):
        batch.append(_read(store, number, summary))
        if sum(len(read.drafts) for read in batch) >= _BATCH or done == len(pending):
            _settle(store, writer, embedder, batch, summary)
            batch = []
        if report is not None:
            report(Progress("distilling", done, len(pending), summary))


def _read(store: Store, number: int, summary: Summary) -> _Read:
    """Run the distiller over one conversation and keep what its new messages gave."""
    wanted = settings().distil
    conversation = store.conversation(number)
    messages = store.messages(number)
    upto = store.distilled_upto(number, DISTILLER)
    found = distil(conversation, messages, limit=wanted.per_exchange, shortest_session=wanted.agent_messages)
    refusals = tuple(refusal for refusal in found.refusals if refusal.message > upto)
    summary.reasons.update(refusal.reason for refusal in refusals)
    summary.forget_requests += [request.query for request in found.forget_requests if request.message > upto]
    channels = {message.id: message.channel for message in messages}
    return _Read(
        number,
        max(message.id for message in messages),
        tuple(
            _Draft(candidate, conversation, channels[candidate.message])
            for candidate in found.candidates
            if candidate.message > upto
        ),
        refusals,
    )


def _settle(store: Store, writer: Writer, embedder: Embedder, batch: Sequence[_Read], summary: Summary) -> None:
    """Embed, compare and write one batch."""
    drafts = [draft for read in batch for draft in read.drafts]
    vectors = embedder.embed([draft.candidate.text for draft in drafts])
    neighbours = _neighbours(store, embedder, drafts, vectors)
    switches = list(_switches(drafts, vectors))
    writer.resume()
    stored = {near.memory for draft in neighbours for near in draft if near.memory is not None}
    live = {memory.id for memory in store.get_many(sorted(stored)) if memory.life is Life.LIVE}
    admitted: list[int | None] = []
    rows: list[tuple[int, str, bytes]] = []
    refusals = [refusal for read in batch for refusal in read.refusals]
    for place, draft in enumerate(drafts):
        known = [
            (neighbour.verdict, neighbour.memory if neighbour.place is None else admitted[neighbour.place])
            for neighbour in neighbours[place]
        ]
        near = [(verdict, memory) for verdict, memory in known if memory in live]
        score = surprise(draft.candidate.text, [verdict for verdict, _ in near], switches[place])
        memory, reason = _admit(store, writer, draft, near, score, summary)
        admitted.append(memory)
        if memory is not None:
            live.add(memory)
        if reason is not None:
            summary.reasons[reason] += 1
            refusals.append(_refusal(draft.candidate, reason))
        elif memory is not None:
            rows.append((memory, draft.candidate.text, vectors[place].tobytes()))
    store.put_vectors(writer, embedder.fingerprint, rows)
    store.put_refusals(writer, DISTILLER, refusals)
    for read in batch:
        store.mark_distilled(writer, read.conversation, DISTILLER, read.upto)
    writer.pause()


def _admit(
    store: Store,
    writer: Writer,
    draft: _Draft,
    near: Sequence[tuple[Verdict, int]],
    score: Surprise,
    summary: Summary,
) -> tuple[int | None, str | None]:
    """Write a draft, or give its quote to the memory that says so already, or refuse it with a reason.

    What speaks against a known memory is never refused for want of surprise: the older one would stand unopposed.
    Returns the memory that now says it, and the reason if it was refused.
    """
    candidate = draft.candidate
    quote = NewEvidence(candidate.quote, candidate.start, candidate.end, message=candidate.message)
    twin = next((memory for verdict, memory in near if verdict.relation is Relation.DUPLICATE), None)
    if twin is not None:
        summary.evidence += store.add_evidence(writer, twin, [quote])
        return twin, None
    opposed = [
        (verdict, memory)
        for verdict, memory in near
        if verdict.relation in _OPPOSED and verdict.conflict_score >= _ALARMING
    ]
    told = candidate.importance >= _TOLD or draft.channel is not Channel.SPOKEN
    if not (told or opposed) and score.total < settings().distil.surprise:
        return None, "low_surprise"
    outcome = store.admit(writer, _memory(draft, quote, score))
    if outcome.forgotten is not None:
        return None, "forgotten"
    if outcome.known is not None:
        summary.evidence += outcome.grown
        return outcome.known, None
    assert outcome.added is not None
    summary.memories += 1
    for verdict, memory in near:
        if verdict.relation in (Relation.CONTRADICTION, Relation.UPDATE):
            store.raise_alert(writer, memory, outcome.added, verdict.relation, verdict.conflict_score, verdict.reasons)
    return outcome.added, None


def _memory(draft: _Draft, quote: NewEvidence, score: Surprise) -> NewMemory:
    candidate, conversation = draft.candidate, draft.conversation
    return NewMemory(
        text=candidate.text,
        key=content_key(candidate.text),
        kind=candidate.kind,
        origin=Origin.RULES,
        tier=candidate.tier,
        confidence=candidate.confidence,
        importance=candidate.importance,
        scope=scope_of(conversation, candidate.kind),
        project=conversation.project,
        source=conversation.source,
        subject=candidate.subject,
        relation=candidate.relation,
        object=candidate.object,
        flag=candidate.flag,
        surprise=score,
        distiller=DISTILLER,
        created_at=candidate.said_at or conversation.created_at,
        evidence=(quote,),
    )


def _refusal(candidate: Candidate, reason: str) -> Refusal:
    return Refusal(candidate.message, candidate.start, candidate.end, reason, candidate.kind, candidate.confidence)


def _neighbours(
    store: Store, embedder: Embedder, drafts: Sequence[_Draft], vectors: "NDArray[np.float32]"
) -> list[list[_Neighbour]]:
    """For each draft its verdicts against the nearest stored memories and the nearest earlier drafts."""
    found: list[list[_Neighbour]] = []
    stored = _nearest_stored(store, embedder, vectors)
    texts = {memory.id: memory.text for memory in store.get_many(sorted({m for near in stored for m, _ in near}))}
    similar = vectors @ vectors.T
    for place, draft in enumerate(drafts):
        text = draft.candidate.text
        near = [
            _Neighbour(relate(texts[memory], text, cosine), memory, None)
            for memory, cosine in stored[place]
            if memory in texts
        ]
        earlier = similar[place, :place]
        for other in sorted((-earlier).argsort()[:_NEAREST].tolist()):
            if earlier[other] >= _WORTH_RELATING:
                verdict = relate(drafts[other].candidate.text, text, float(earlier[other]))
                near.append(_Neighbour(verdict, None, other))
        found.append(near)
    return found


def _nearest_stored(store: Store, embedder: Embedder, vectors: "NDArray[np.float32]") -> list[list[tuple[int, float]]]:
    """The nearest live memories of each row, by exact product with the vectors in blocks: memory stays flat."""
    import numpy as np

    best: list[list[tuple[int, float]]] = [[] for _ in vectors]
    for ids, data in store.vectors(embedder.fingerprint):
        block = np.frombuffer(data, np.float32).reshape(len(ids), -1)
        cosines = vectors @ block.T
        few = min(_NEAREST, len(ids))
        top = np.argpartition(-cosines, few - 1, axis=1)[:, :few]
        for row, columns in enumerate(top):
            hits = [(ids[column], float(cosines[row, column])) for column in columns]
            close = [hit for hit in hits if hit[1] >= _WORTH_RELATING]
            if close:
                best[row] = sorted(best[row] + close, key=lambda hit: -hit[1])[:_NEAREST]
    return best


def _switches(drafts: Sequence[_Draft], vectors: "NDArray[np.float32]") -> Iterator[float | None]:
    """Cosine of each draft with the mean of the three before it in its conversation; None for the first.

    Drafts stand in for the turns they are from: embedding every turn would cost ten times as much.
    """
    for place, draft in enumerate(drafts):
        before = [
            other for other in range(max(0, place - 3), place) if drafts[other].conversation.id == draft.conversation.id
        ]
        if not before:
            yield None
        else:
            mean = vectors[before].mean(axis=0)
            norm = float((mean @ mean) ** 0.5)
            yield float(vectors[place] @ mean) / norm if norm else None

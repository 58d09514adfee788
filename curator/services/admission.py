"""From candidates to memories, whichever distiller found them: compared with what is known, then admitted or refused.

Comparing is slow and needs no lock; deciding is quick and happens in one transaction.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from curator.compare import Guard, Verdict, differences, relate
from curator.config import settings
from curator.conflicts import RULES, covered, same, worth
from curator.curation.forgotten_match import Return, quarantine, returning, said_again
from curator.curation.redaction import redact_names
from curator.curation.scopes import GLOBAL, overlap, scope_of
from curator.distill import Candidate, surprise
from curator.injection import FLAG, flag_memory
from curator.models import Embedder
from curator.services.due_dates import due
from curator.services.import_summary import CameBack, Summary
from curator.text import content_key, plain_words, tokens
from store import Store, Writer
from store.model import (
    Channel,
    Conversation,
    Evidence,
    Life,
    Memory,
    NewEvidence,
    NewMemory,
    Origin,
    Refusal,
    Relation,
    Review,
    Surprise,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_NEAREST = 5
_WORTH_RELATING = 0.5  # cosine; measured: paraphrases begin near 0.49
_OPPOSED = frozenset({Relation.CONTRADICTION, Relation.UPDATE})
_TOLD = 10  # importance of "remember that …": kept whatever the surprise
_HARD = frozenset({Guard.NUMBER, Guard.DATE, Guard.UNIT, Guard.NEGATION, Guard.POLARITY, Guard.DIRECTION})
_MOST = 2 / 3  # of each of two quotes that is common to both where they are of one passage


@dataclass(frozen=True, slots=True)
class Distiller:
    """Who proposes: `name` is marked on what is made, and says version and model."""

    name: str
    origin: Origin


@dataclass(frozen=True, slots=True)
class Draft:
    """A candidate with the conversation it comes from."""

    candidate: Candidate
    conversation: Conversation
    channel: Channel

    @property
    def scope(self) -> str:
        """Where it holds."""
        return scope_of(self.conversation, self.candidate.kind)

    @property
    def said_at(self) -> int | None:
        """When it was said, where that is known."""
        return self.candidate.said_at or self.conversation.created_at


@dataclass(frozen=True, slots=True)
class Compared:
    """Drafts with what they were compared with; all by place."""

    drafts: Sequence[Draft]
    vectors: "NDArray[np.float32]"
    neighbours: list[list["_Neighbour"]]
    switches: list[float | None]
    same_passage: dict[int, int]  # the memory that says the same passage, by place


@dataclass(frozen=True, slots=True)
class _Neighbour:
    """Something a draft was compared with: a stored memory, or an earlier draft of the batch by its place.

    `holds` is whether it says all that the draft says, for all the machine can tell; `equal`, in the same words;
    `covers`, whether the draft says nothing besides, though it may be told in other words.
    `returns` is how surely the draft is what it says, where it was let go.
    """

    verdict: Verdict
    cosine: float
    scope: str
    holds: bool
    equal: bool
    covers: bool
    returns: Return | None
    memory: int | None = None
    place: int | None = None


def compare(store: Store, embedder: Embedder, drafts: Sequence[Draft], distiller: Distiller) -> Compared:
    """Embed drafts and relate them to each other, to what is known and to what was forgotten. Takes no lock."""
    vectors = embedder.embed([draft.candidate.text for draft in drafts])
    neighbours = _neighbours(store, embedder, drafts, vectors)
    passages = _same_passages(store, drafts, neighbours) if distiller.origin is Origin.MODEL else {}
    return Compared(drafts, vectors, neighbours, list(_switches(drafts, vectors)), passages)


def settle(
    store: Store,
    writer: Writer,
    embedder: Embedder,
    compared: Compared,
    refused: Iterable[Refusal],
    distiller: Distiller,
    summary: Summary,
) -> None:
    """Admit or refuse each draft in the writer's open transaction, and keep what was `refused` before, with these.

    A draft whose quote is not in its message any more is dropped: that was purged, or hidden, since it was read.
    """
    near_ones = {near.memory for draft in compared.neighbours for near in draft if near.memory is not None}
    stored = {m.id: m for m in store.get_many(sorted(near_ones | {*compared.same_passage.values()}))}
    buried = store.tombstones.among(list(stored))
    live = {number for number, memory in stored.items() if memory.life is Life.LIVE}
    written: dict[int, int] = {}  # memories that were made of drafts, by place
    rows: list[tuple[int, str, bytes]] = []
    refusals = list(refused)
    any_gone = store.tombstones.any()
    messages = store.raw.visible_messages(sorted({draft.candidate.message for draft in compared.drafts}))
    for place, draft in enumerate(compared.drafts):
        said = messages.get(draft.candidate.message)
        if said is None or said.text[draft.candidate.start : draft.candidate.end] != draft.candidate.quote:
            continue
        known = [
            (near, near.memory if near.place is None else written.get(near.place))
            for near in compared.neighbours[place]
        ]
        near = [(one, memory) for one, memory in known if memory in live and overlap(one.scope, draft.scope)]
        gone = {one.returns: memory for one, memory in reversed(known) if one.returns and memory in buried}
        twin = _twin(store, draft, near, stored)
        passage = stored.get(compared.same_passage.get(place, 0)) if twin is None else None
        if twin is not None or (passage is not None and passage.id not in buried):
            number = twin if passage is None else passage.id
            assert number is not None
            summary.evidence += store.add_evidence(writer, number, [_quote(draft.candidate)])
            _propose(store, writer, stored.get(number), draft.candidate, distiller)
            continue
        memory: int | None = None
        reason: str | None = "forgotten"
        back = gone.get(Return.SAME) or (passage.id if passage is not None else None)
        if back is None and any_gone:  # what has no vector yet is told by its words
            back = said_again(store, draft.candidate.text)
        if back is None:
            score = surprise(draft.candidate.text, [one.verdict for one, _ in near], compared.switches[place])
            ordered = draft.candidate.flag or flag_memory("", draft.conversation.project, ())
            flag = ordered or (quarantine(gone[Return.ALIKE]) if Return.ALIKE in gone else None)
            memory, reason = _admit(store, writer, draft, near, score, flag, distiller, summary)
        else:
            summary.refuse_returning(_back(draft, back))
        if memory is not None:
            written[place] = memory
            live.add(memory)
        if reason is not None:
            summary.reasons[reason] += 1
            refusals.append(_refusal(draft.candidate, reason))
        elif memory is not None:
            rows.append((memory, draft.candidate.text, compared.vectors[place].tobytes()))
    store.vectors.put(writer.connection, embedder.fingerprint, rows)
    store.distillation.put_refusals(writer, distiller.name, refusals)


def _twin(
    store: Store, draft: Draft, near: Sequence[tuple[_Neighbour, int]], stored: Mapping[int, Memory]
) -> int | None:
    """The memory that says so already, and holds wherever the draft does; of several the one that has this very quote,
    so that a second reading adds nothing.

    One that the person decided on takes in the same words and no others: they are for the person to look at.
    """
    candidate = draft.candidate
    twins = [
        memory
        for one, memory in near
        if one.scope in (draft.scope, GLOBAL) and (one.equal or (one.holds and _undecided(stored.get(memory))))
    ]
    if len(twins) < 2:
        return next(iter(twins), None)
    place = (candidate.message, candidate.start, candidate.quote)
    cited = (m for m in twins if any((v.message, v.start, v.quote) == place for v in store.evidence(m)))
    return next(cited, twins[0])


def _propose(store: Store, writer: Writer, memory: Memory | None, candidate: Candidate, distiller: Distiller) -> None:
    """Keep a model's words for what another distiller found, where the person has not decided on it."""
    if memory is None or distiller.origin is not Origin.MODEL or candidate.flag is not None:
        return
    if _undecided(memory) and memory.distiller not in (None, distiller.name) and memory.text != candidate.text:
        store.wordings.put(writer, memory.id, distiller.name, candidate.text)


def _undecided(memory: Memory | None) -> bool:
    """Whether a machine may add to a memory; None is one of this very batch."""
    return memory is None or (memory.life is Life.LIVE and memory.review is Review.OPEN and not memory.pinned)


def _admit(
    store: Store,
    writer: Writer,
    draft: Draft,
    near: Sequence[tuple[_Neighbour, int]],
    score: Surprise,
    flag: str | None,
    distiller: Distiller,
    summary: Summary,
) -> tuple[int | None, str | None]:
    """Write a draft, or refuse it with a reason.

    What falls below the surprise threshold is refused, unless the person asked for it to be remembered, ordered it for
    every answer or wrote it into their instructions, or it speaks against a known memory, which would stand unopposed.
    Another value, person, name or number than in the known memories is new, however alike the words are.
    Returns the memory that now says it, and the reason if it was refused.
    """
    candidate = draft.candidate
    found = [(one, memory, finding) for one, memory in near if (finding := worth(one.verdict)) is not None]
    opposed = any(relation in _OPPOSED for _, _, (relation, _) in found)
    told = candidate.importance >= _TOLD or draft.channel is not Channel.SPOKEN
    known = any(one.covers for one, _ in near)
    surprising = score if known else replace(score, novelty=1.0)
    if not (told or opposed or candidate.standing) and surprising.total < settings().distil.surprise:
        return None, "low_surprise"
    outcome = store.admit(writer, _memory(draft, score, flag, distiller))
    if outcome.forgotten is not None:
        summary.refuse_returning(_back(draft, outcome.forgotten))
        return None, "forgotten"
    if outcome.known is not None:
        summary.evidence += outcome.grown
        return outcome.known, None
    assert outcome.added is not None
    summary.memories += 1
    summary.held += flag not in (None, FLAG)
    summary.quarantined += flag == FLAG
    for one, memory, (relation, strength) in found:
        store.alerts.put(
            writer,
            memory,
            outcome.added,
            relation,
            strength,
            one.verdict.reasons,
            judge=RULES,
            cosine=one.cosine,
        )
    return outcome.added, None


def _memory(draft: Draft, score: Surprise, flag: str | None, distiller: Distiller) -> NewMemory:
    candidate, conversation = draft.candidate, draft.conversation
    memory = NewMemory(
        text=candidate.text,
        key=content_key(candidate.text),
        kind=candidate.kind,
        origin=distiller.origin,
        tier=candidate.tier,
        confidence=candidate.confidence,
        importance=candidate.importance,
        scope=draft.scope,
        project=conversation.project,
        source=conversation.source,
        subject=candidate.subject,
        relation=candidate.relation,
        object=candidate.object,
        flag=flag,
        surprise=score,
        distiller=distiller.name,
        created_at=draft.said_at,
        expires_at=candidate.expires_at or due(candidate.kind, candidate.text, draft.said_at),
        evidence=(_quote(candidate),),
    )
    return redact_names(memory)


def _back(draft: Draft, memory: int) -> CameBack:
    where = draft.conversation
    return CameBack(memory, draft.candidate.text, where.source, where.title, draft.said_at)


def _quote(candidate: Candidate) -> NewEvidence:
    return NewEvidence(candidate.quote, candidate.start, candidate.end, message=candidate.message)


def _refusal(candidate: Candidate, reason: str) -> Refusal:
    return Refusal(candidate.message, candidate.start, candidate.end, reason, candidate.kind, candidate.confidence)


def _neighbours(
    store: Store, embedder: Embedder, drafts: Sequence[Draft], vectors: "NDArray[np.float32]"
) -> list[list[_Neighbour]]:
    """For each draft its verdicts against the nearest memories, live or forgotten, and the nearest earlier drafts."""
    found: list[list[_Neighbour]] = []
    stored = [
        [*live, *gone]
        for live, gone in zip(
            *(nearest_stored(store, embedder, vectors, life) for life in (Life.LIVE, Life.FORGOTTEN)), strict=True
        )
    ]
    known = {memory.id: memory for memory in store.get_many(sorted({m for near in stored for m, _ in near}))}
    similar = vectors @ vectors.T
    for place, draft in enumerate(drafts):
        near = [
            replace(
                _neighbour(one.text, one.created_at, one.scope, draft, cosine, one.life is Life.FORGOTTEN),
                memory=memory,
            )
            for memory, cosine in stored[place]
            if (one := known.get(memory)) is not None
        ]
        earlier = similar[place, :place]
        for other in sorted((-earlier).argsort()[:_NEAREST].tolist()):
            if earlier[other] >= _WORTH_RELATING:
                one = drafts[other]
                beside = _neighbour(one.candidate.text, one.said_at, one.scope, draft, float(earlier[other]))
                near.append(replace(beside, place=other))
        found.append(near)
    return found


def _neighbour(
    text: str, said_at: int | None, scope: str, draft: Draft, cosine: float, let_go: bool = False
) -> _Neighbour:
    """How a draft stands to what is known. What was said at an unknown time was said last."""
    own = draft.candidate.text
    said = None if said_at is None or draft.said_at is None else (said_at, draft.said_at)
    verdict = relate(text, own, cosine, said)
    equal = plain_words(text) == plain_words(own)
    holds = equal or (same(text, own, verdict, cosine) and tokens(own) <= tokens(text))
    back = returning(text, own, verdict) if let_go else None
    return _Neighbour(verdict, cosine, scope, holds, equal, equal or covered(text, own, verdict), back)


def nearest_stored(
    store: Store, embedder: Embedder, vectors: "NDArray[np.float32]", life: Life
) -> list[list[tuple[int, float]]]:
    """The nearest memories of each row, by exact product with the vectors in blocks: memory stays flat."""
    import numpy as np

    best: list[list[tuple[int, float]]] = [[] for _ in vectors]
    for ids, data in store.vectors.blocks(embedder.fingerprint, life=life):
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


def _switches(drafts: Sequence[Draft], vectors: "NDArray[np.float32]") -> Iterator[float | None]:
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


def _same_passages(store: Store, drafts: Sequence[Draft], neighbours: Sequence[Sequence[_Neighbour]]) -> dict[int, int]:
    """Which memory, whatever became of it, rests on the passage of each draft and says nothing hard that differs.

    A passage may say several things: of the drafts that would be the same as one memory, the one most like it is, and
    the others go their own way. What was forgotten stands for all that its passage says.
    """
    quotes: dict[int, list[Evidence]] = {}
    for number in {draft.conversation.id for draft in drafts}:
        for quote in store.raw.quotes(number):
            if quote.message is not None:
                quotes.setdefault(quote.message, []).append(quote)
    texts = {m.id: m for m in store.get_many(sorted({q.memory for found in quotes.values() for q in found}))}
    buried = store.tombstones.among(list(texts))
    pairs: list[tuple[float, int, int]] = []
    for place, draft in enumerate(drafts):
        if any(near.holds for near in neighbours[place]):
            continue
        for memory in {q.memory for q in quotes.get(draft.candidate.message, ()) if _overlap(q, draft.candidate)}:
            found = texts.get(memory)
            if found is None or (found.life not in (Life.LIVE, Life.SUPERSEDED) and memory not in buried):
                continue  # what a machine let go may come back
            if memory in buried or not _hard(found.text, draft.candidate.text):
                pairs.append((relate(found.text, draft.candidate.text).duplicate_score, place, memory))
    chosen: dict[int, int] = {}
    for _, place, memory in sorted(pairs, key=lambda pair: (-pair[0], pair[1:])):
        taken = memory in chosen.values() and memory not in buried
        if place not in chosen and not taken:
            chosen[place] = memory
    return chosen


def _hard(a: str, b: str) -> bool:
    return any(difference.guard in _HARD for difference in differences(a, b))


def _overlap(quote: Evidence, candidate: Candidate) -> bool:
    """Whether two quotes of a message are most of each other."""
    common = min(quote.end, candidate.end) - max(quote.start, candidate.start)
    return common >= _MOST * max(quote.end - quote.start, candidate.end - candidate.start, 1)

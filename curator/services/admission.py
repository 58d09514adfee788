"""Admission of candidates: each becomes a new memory, adds a quote to a known memory, or is refused with a reason.

All decisions are made in one short transaction. The slow comparison with known memories happens beforehand, in
`curator.services.neighbours`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, timedelta

from curator.config import settings
from curator.conflicts import RULES, alert_for
from curator.curation.expiry import goes_on, recurs
from curator.curation.forgotten_match import MatchCertainty, find_forgotten, keys_around, like_forgotten_flag
from curator.curation.names import GLOBAL, overlap, redact_names
from curator.distill.candidate import REQUESTED, Candidate
from curator.distill.surprise import surprise
from curator.injection import FLAG, flag_memory
from curator.llm.relative_dates import meant
from curator.recall.dates import spans
from curator.services.import_summary import ForgottenMatch, Summary
from curator.services.neighbours import CandidateComparison, Neighbour, SourcedCandidate
from curator.text import content_key
from curator.text.dates import without_dates
from curator.text.stated_expiry import stated_expiry
from store import Admitted, Writer
from store.clock import day_of, end_of
from store.model import Channel, Given, Kind, Life, Memory, NewEvidence, NewMemory, Origin, Refusal, Review, Surprise


def admit(writer: Writer, compared: CandidateComparison, refused: Iterable[Refusal], summary: Summary) -> None:
    """Admit or refuse each candidate in the writer's open transaction, and store the distiller's refusals in `refused`.

    A candidate is dropped if its message no longer contains its quote, because the message was purged or hidden
    meanwhile.
    """
    store = compared.store
    messages = store.raw.visible_messages(sorted({sourced.candidate.message for sourced in compared.candidates}))
    admission = _Admission(writer, compared, refused, summary)
    for index, sourced in enumerate(compared.candidates):
        own, message = sourced.candidate, messages.get(sourced.candidate.message)
        if message is not None and message.text[own.start : own.end] == own.quote:
            admission.decide(index, sourced, message.text)
    store.vectors.put(writer.connection, compared.embedder.fingerprint, admission.rows)
    store.distillation.put_refusals(writer, compared.distiller.name, admission.refusals)


def expiry_on_admission(kind: Kind, text: str, said_at: int | None) -> int | None:
    """Return the expiry that a text states (microseconds), or None; defaults for the kind are not considered.

    Any memory expires at the end of a stated "until" date. A commitment that does not recur or go on also expires at
    the end of the last date it mentions, if that date was in the future when it was said. A weekday means the next one
    after it was said; a date without a year is ambiguous and ignored.
    """
    if (end := stated_expiry(text, said_at)) is not None:
        return end
    if kind is not Kind.COMMITMENT or said_at is None or goes_on(text) or recurs(text, said_at):
        return None
    said_on, text = day_of(said_at), without_dates(text)
    named = [span.end - timedelta(1) for span in spans(text, said_at) if span.year and span.end > said_on]
    relative = sorted(
        day for word in meant(text, said_at) if len(word) == 10 and (day := date.fromisoformat(word)) > said_on
    )
    last = max((*named, *relative[:1]), default=None)
    return None if last is None else end_of(last)


class _Admission:
    """Decides on candidates, in order, within one transaction."""

    def __init__(
        self, writer: Writer, compared: CandidateComparison, refused: Iterable[Refusal], summary: Summary
    ) -> None:
        self.store, self.writer, self.compared, self.summary = compared.store, writer, compared, summary
        self.refusals = [*refused]
        self.rows: list[tuple[int, str, bytes]] = []  # (memory, text, vector) of each memory written
        self.written: dict[int, int] = {}  # index of a candidate -> the memory made from it
        near = {
            neighbour.memory_id
            for neighbours in compared.neighbours
            for neighbour in neighbours
            if neighbour.memory_id is not None
        }
        ids = sorted(near.union(compared.same_passage.values()))
        self.stored = {memory.id: memory for memory in self.store.get_many(ids)}
        self.forgotten = self.store.tombstones.among(list(self.stored))
        self.live = {memory_id for memory_id, memory in self.stored.items() if memory.life is Life.LIVE}
        self.any_forgotten = self.store.tombstones.any()

    def decide(self, index: int, sourced: SourcedCandidate, message_text: str) -> None:
        """Admit a candidate, add its quote to a memory that makes the same statement, or refuse the candidate."""
        neighbours = [
            (neighbour, neighbour.memory_id if neighbour.index is None else self.written.get(neighbour.index))
            for neighbour in self.compared.neighbours[index]
        ]
        near = [
            (neighbour, memory_id)
            for neighbour, memory_id in neighbours
            if memory_id in self.live and overlap(neighbour.scope, sourced.scope)
        ]
        same = self._find_equivalent(sourced, near)
        passage = None if same is not None else self.stored.get(self.compared.same_passage.get(index, 0))
        if same is None and passage is not None and passage.id not in self.forgotten:
            same = passage.id
        if same is not None:
            self.summary.evidence += self.store.add_evidence(self.writer, same, [_new_evidence(sourced.candidate)])
            self._propose(self.stored.get(same), sourced.candidate)
            return
        matches = {
            neighbour.match: memory_id
            for neighbour, memory_id in reversed(neighbours)
            if neighbour.match and memory_id in self.forgotten
        }
        forgotten = matches.get(MatchCertainty.SAME) or (passage.id if passage is not None else None)
        if forgotten is None and sourced.candidate.whole:
            whole = self._find_whole(sourced)
            if whole.known is not None:
                own = sourced.candidate
                quotes = [quote for quote in self.store.evidence(whole.known) if quote.message == own.message]
                if not any(quote.start <= own.start and own.end <= quote.end for quote in quotes):
                    self.summary.evidence += self.store.add_evidence(self.writer, whole.known, [_new_evidence(own)])
                return
            forgotten = whole.forgotten
        if forgotten is None and self.any_forgotten:  # forgotten memories without a vector are matched by words
            own = sourced.candidate
            around = self.compared.around[index] or keys_around(message_text, own.start, own.end)
            forgotten = find_forgotten(self.store, own.text) or self.store.tombstones.any_of(around)
        if forgotten is not None:
            self._refuse_forgotten(sourced, forgotten)
            return
        flag = sourced.candidate.flag or flag_memory("", sourced.conversation.project, ())
        if flag is None and MatchCertainty.ALIKE in matches:
            flag = like_forgotten_flag(self.store, matches[MatchCertainty.ALIKE])
        memory_id = self._admit(index, sourced, near, flag)
        if memory_id is not None:
            self.written[index] = memory_id
            self.live.add(memory_id)
            self.rows.append((memory_id, sourced.candidate.text, self.compared.vectors[index].tobytes()))

    def _find_equivalent(self, sourced: SourcedCandidate, near: Sequence[tuple[Neighbour, int]]) -> int | None:
        """Return the id of a memory that makes the candidate's statement and applies in its scope, or None.

        A memory that already has this exact quote is preferred, so that reading a log again adds nothing. A memory
        that the person decided on matches only if its words are equal.
        """
        own = sourced.candidate
        matching = [
            memory_id
            for neighbour, memory_id in near
            if neighbour.scope in (sourced.scope, GLOBAL)
            and (neighbour.equal or (neighbour.holds and _is_undecided(self.stored.get(memory_id))))
        ]
        if len(matching) < 2:
            return next(iter(matching), None)
        passage = (own.message, own.start, own.quote)

        def cites(memory_id: int) -> bool:
            return any((quote.message, quote.start, quote.quote) == passage for quote in self.store.evidence(memory_id))

        return next(filter(cites, matching), matching[0])

    def _find_whole(self, sourced: SourcedCandidate) -> Admitted:
        """Return the memory, live or forgotten, of the whole text that the candidate was split from, if there is one.

        Earlier versions of the distiller did not split texts into statements or resolve dates.
        """
        own, distiller = sourced.candidate, self.compared.distiller
        whole = NewMemory(
            text=own.whole,
            key=content_key(own.whole),
            kind=own.kind,
            origin=distiller.origin,
            scope=sourced.scope,
            created_at=sourced.said_at,
        )
        outcome = self.store.peek_memory(whole)
        if outcome == Admitted() and self.any_forgotten:
            return Admitted(forgotten=find_forgotten(self.store, own.whole))
        return outcome

    def _propose(self, memory: Memory | None, candidate: Candidate) -> None:
        """Store a chat model's wording of a memory from another distiller, unless the person decided on the memory."""
        distiller = self.compared.distiller
        if memory is None or distiller.origin is not Origin.MODEL or candidate.flag is not None:
            return
        if _is_undecided(memory) and memory.distiller not in (None, distiller.name) and memory.text != candidate.text:
            self.store.wordings.put(self.writer, memory.id, distiller.name, candidate.text)

    def _admit(
        self, index: int, sourced: SourcedCandidate, near: Sequence[tuple[Neighbour, int]], flag: str | None
    ) -> int | None:
        """Store a candidate and return the id of the live memory that makes its statement; None if there is none.

        A candidate below the surprise threshold is refused unless the person asked to remember it, made it a standing
        order or wrote it in an instruction file, or unless it contradicts a known memory. A candidate that differs from
        all known memories in a value, person, name or number has a novelty of 1, however similar its words are.
        """
        own = sourced.candidate
        alerts = [
            (neighbour, memory_id, alert)
            for neighbour, memory_id in near
            if (alert := alert_for(neighbour.verdict)) is not None
        ]
        opposed = any(relation.is_opposed for _, _, (relation, _) in alerts)
        ordered = own.importance >= REQUESTED or own.standing or sourced.channel is not Channel.SPOKEN
        score = surprise(own.text, [neighbour.verdict for neighbour, _ in near], self.compared.switches[index])
        surprising = score if any(neighbour.covers for neighbour, _ in near) else replace(score, novelty=1.0)
        if not (ordered or opposed) and surprising.total < settings().distil.surprise:
            self._refuse(own, "low_surprise")
            return None
        memory = self._new_memory(sourced, flag, score)
        outcome = self.store.admit(self.writer, redact_names(memory))
        if outcome.forgotten is not None:
            self._refuse_forgotten(sourced, outcome.forgotten)
        elif outcome.known is not None:
            self.summary.evidence += outcome.grown
            for known in self.store.get_many([outcome.known]):
                if known.life is Life.LIVE and content_key(known.text) == memory.key:  # else it states something else
                    self.stored[known.id] = known
                    return known.id
        elif outcome.added is not None:
            self.summary.memories += 1
            self.summary.held += flag not in (None, FLAG)
            self.summary.quarantined += flag == FLAG
            judge = f"{RULES} at import"  # preliminary: a scan compares all memories
            for neighbour, memory_id, (relation, strength) in alerts:
                why, cosine = neighbour.verdict.reasons, neighbour.cosine
                self.store.alerts.put(
                    self.writer, memory_id, outcome.added, relation, strength, why, judge=judge, cosine=cosine
                )
        return outcome.added

    def _new_memory(self, sourced: SourcedCandidate, flag: str | None, score: Surprise) -> NewMemory:
        """Return the memory to make from a candidate."""
        own, distiller, conversation = sourced.candidate, self.compared.distiller, sourced.conversation
        spoken = distiller.origin is Origin.RULES and sourced.channel is Channel.SPOKEN and flag is None
        return NewMemory(
            text=own.text,
            key=content_key(own.text),
            kind=own.kind,
            origin=distiller.origin,
            given=Given.ALWAYS if spoken and own.always else Given.RELEVANT,
            tier=own.tier,
            confidence=own.confidence,
            importance=own.importance,
            scope=sourced.scope,
            project=conversation.project,
            source=conversation.source,
            subject=own.subject,
            relation=own.relation,
            object=own.object,
            flag=flag,
            surprise=score,
            distiller=distiller.name,
            created_at=sourced.said_at,
            expires_at=own.expires_at or expiry_on_admission(own.kind, own.text, sourced.said_at),
            evidence=(_new_evidence(own),),
        )

    def _refuse_forgotten(self, sourced: SourcedCandidate, memory_id: int) -> None:
        where = sourced.conversation
        self.summary.add_forgotten(
            ForgottenMatch(memory_id, sourced.candidate.text, where.source, where.title, sourced.said_at)
        )
        self._refuse(sourced.candidate, "forgotten")

    def _refuse(self, own: Candidate, reason: str) -> None:
        self.summary.reasons[reason] += 1
        self.refusals.append(Refusal(own.message, own.start, own.end, reason, own.kind, own.confidence))


def _is_undecided(memory: Memory | None) -> bool:
    """Return True if the person has not decided on a memory; None stands for a memory made in this batch."""
    return memory is None or (memory.life is Life.LIVE and memory.review is Review.OPEN and not memory.pinned)


def _new_evidence(candidate: Candidate) -> NewEvidence:
    return NewEvidence(candidate.quote, candidate.start, candidate.end, message=candidate.message)

"""Distil stored conversations by rules, in batches.

The write lock is held only while decisions are stored, not while candidates are compared. The store records which
messages were read, so an interrupted run can be resumed.
"""

import contextlib
import time
from collections.abc import Sequence
from dataclasses import dataclass

from curator.config import settings
from curator.distill import DISTILLER, mark_of, marks
from curator.distill.candidate import ForgetRequest
from curator.distill.reasons import SHORT_SESSION
from curator.distill.rules import distil
from curator.distill.scores.chats import SentenceClassifier, sentence_classifier
from curator.models import Embedder
from curator.services.admission import admit
from curator.services.import_run import ImportRun
from curator.services.import_summary import Progress, Report, Summary
from curator.services.neighbours import Distiller, SourcedCandidate, compare
from curator.services.search_session import embed_missing
from store import NotFound, Store
from store.model import Actor, Origin, Refusal, Role
from store.record.distillation import Place

_BATCH = 2_048  # candidates compared and written together
_CONVERSATIONS = 256  # conversations per batch at most, even if they have few candidates
_CHARACTERS = 4_000  # read by the classifier per batch at most, some seconds of work; without it, ten times as many
_WRITING = 0.1  # share of writing in the time after a batch was read; comparing takes the rest
_RULES = Distiller(DISTILLER, Origin.RULES)


@dataclass(slots=True)
class _Pace:
    """Estimates how a batch's time divides between reading and comparing, for progress reports.

    Reading is measured in processor time of this thread, which other programs do not affect.
    """

    candidate: float = 0.003
    """Seconds to compare and write a candidate; the initial value is that of the built-in model."""
    read: float = 0.0
    """Processor seconds spent reading the batch so far."""
    clock: float = 0.0
    """Wall-clock seconds spent reading the batch so far."""

    def add(self, processor: float, clock: float) -> None:
        """Add the reading of one conversation, which began at these processor and wall-clock times."""
        self.read += time.thread_time() - processor
        self.clock += time.perf_counter() - clock

    def share(self, candidates: int) -> float:
        """Return the share of the batch's time that reading takes, with `candidates` to compare so far."""
        return self.read / max(self.read + candidates * self.candidate, 1e-9)

    def end_batch(self, candidates: int, seconds: float) -> None:
        """Update the estimate from the wall-clock seconds that comparing and writing took, and reset the counts."""
        if candidates and self.clock:
            self.candidate = seconds / candidates * self.read / self.clock
        self.read = self.clock = 0.0


@dataclass(frozen=True, slots=True)
class ReadConversation:
    """A conversation, and the candidates found in its new messages.

    `characters` is the length of what the person said, a measure of the work that does not depend on the machine.
    """

    conversation: int
    characters: int
    agent: bool
    mark: str  # name of the distiller that read it
    upto: int  # last message read
    candidates: tuple[SourcedCandidate, ...]
    refusals: tuple[Refusal, ...]
    forget_requests: tuple[ForgetRequest, ...]

    @property
    def places(self) -> set[Place]:
        """The places of the requests to forget."""
        return {(request.message, request.start, request.end) for request in self.forget_requests}


def read_conversation(
    store: Store, conversation_id: int, classifier: SentenceClassifier | None, distillers: Sequence[str]
) -> ReadConversation:
    """Distil the messages of a conversation that none of the distillers has read.

    Raises NotFound if the conversation is hidden or purged.
    """
    config = settings().distil
    conversation = store.raw.conversation(conversation_id)
    messages = store.raw.messages(conversation_id)
    if not messages:
        raise NotFound(f"there is no conversation {conversation_id}")
    upto = store.distillation.upto(conversation_id, distillers)
    found = distil(
        conversation,
        messages,
        limit=config.per_exchange,
        confidence=config.confidence,
        classifier=classifier,
        after=upto,
    )
    channels = {message.id: message.channel for message in messages}
    characters = sum(len(message.text) for message in messages if message.id > upto and message.role is Role.USER)
    return ReadConversation(
        conversation_id,
        characters // 10 if conversation.agent or classifier is None else characters,
        conversation.agent,
        mark_of(conversation.agent, classifier is None),
        max(message.id for message in messages),
        tuple(
            SourcedCandidate(candidate, conversation, channels[candidate.message])
            for candidate in found.candidates
            if candidate.message > upto
        ),
        tuple(refusal for refusal in found.refusals if refusal.message > upto),
        tuple(request for request in found.forget_requests if request.asked_in > upto),
    )


def distil_pending(
    run: ImportRun, embedder: Embedder, summary: Summary, report: Report | None, imported_by: Actor | None = None
) -> None:
    """Distil every conversation with unread messages, inside the run's command.

    With `imported_by`, only conversations imported by this actor are read. Memories without a vector are embedded
    first. The run's writer must be paused, and is paused again at the end; each batch is committed separately. Batches
    depend on the conversations alone: after a stop the rest is read in the same ones, with the same results.
    """
    store, writer = run.store, run.writer
    distillers = marks()
    run.begin_distilling()
    pending = store.distillation.undistilled(distillers, imported_by)
    batch: list[ReadConversation] = []
    pace = _Pace()
    candidates = characters = written = done = 0
    reported = 0.0

    def tell(share: float) -> None:
        """Report a share of the batch. The report never decreases, although the share of reading is an estimate."""
        nonlocal reported
        reported = max(reported, written + share * (done - written))
        if report is not None:
            report(Progress("distilling", reported, len(pending), summary))

    def tell_after_reading(share: float) -> None:
        reading = pace.share(candidates)
        tell(reading + (1 - reading) * share)

    if pending:
        tell(0)  # loading the embedder and the rules takes seconds
        embed_missing(store, embedder)
    classifier = sentence_classifier() if pending else None
    for done, conversation_id in enumerate(pending, 1):
        began = time.thread_time(), time.perf_counter()
        with contextlib.suppress(NotFound):  # its import was undone meanwhile
            read = read_conversation(store, conversation_id, classifier, distillers)
            summary.reasons.update(refusal.reason for refusal in read.refusals)
            summary.forget_requests += [request.query for request in read.forget_requests]
            batch.append(read)
            candidates += len(read.candidates)
            characters += read.characters
        pace.add(*began)
        tell_after_reading(0)
        is_full = candidates >= _BATCH or characters >= _CHARACTERS or done - written == _CONVERSATIONS
        if is_full or done == len(pending):
            compared_from = time.perf_counter()
            in_batch = [sourced for read in batch for sourced in read.candidates]
            compared = compare(
                store, embedder, in_batch, _RULES, lambda share: tell_after_reading((1 - _WRITING) * share)
            )
            writer.resume()
            for read in batch:
                if read.agent:  # earlier versions refused short sessions
                    store.distillation.drop_refusals(writer, read.conversation, SHORT_SESSION)
            admit(writer, compared, [refusal for read in batch for refusal in read.refusals], summary)
            requests = {place for read in batch for place in read.places}
            store.forget_requests.put(writer, sorted(requests))
            for read in batch:
                if store.distillation.upto(read.conversation, (read.mark,)) < read.upto:  # else another process did it
                    store.distillation.mark(writer, read.conversation, read.mark, read.upto)
            run.save(summary, requests)
            writer.pause()
            tell(1)
            pace.end_batch(candidates, time.perf_counter() - compared_from)
            batch, written, candidates, characters = [], done, 0, 0
    summary.held_back += run.match_requests()

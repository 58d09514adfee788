"""Distil stored conversations by rules, in batches.

Slow work is done before the write lock is taken; the lock is held for the decisions only. The store knows what is
pending, so a stopped run continues where it stopped.
"""

import contextlib
import time
from collections.abc import Sequence
from dataclasses import dataclass

from curator.config import settings
from curator.distill import DISTILLER, mark_of, marks
from curator.distill.chat_score import SentenceClassifier, sentence_classifier
from curator.distill.reasons import SHORT_SESSION
from curator.distill.rules import distil
from curator.models import Embedder
from curator.services.admission import admit
from curator.services.forget_requests import hold_back
from curator.services.import_summary import Progress, Report, Summary
from curator.services.neighbours import Distiller, Draft, compare
from curator.services.search_session import embed_missing
from store import NotFound, Store, Writer
from store.model import Actor, Origin, Refusal

_BATCH = 2_048  # candidates compared and written together
_CONVERSATIONS = 256  # the same: where little is found, few conversations may have that many candidates
_WRITING = 0.1  # share of the time after reading a batch; comparing takes the rest
_RULES = Distiller(DISTILLER, Origin.RULES)


@dataclass(slots=True)
class _Pace:
    """Share of a batch's time that its reading takes: a log has much to read, or many candidates to compare.

    Reading is measured in seconds of this thread's processor time, which other programs do not stretch.
    """

    candidate: float = 0.003
    """Seconds to compare and write a candidate, with the built-in model until the first batch has shown them."""
    read: float = 0.0
    clock: float = 0.0

    def add(self, processor: float, clock: float) -> None:
        """Count the reading of a conversation that began at these times."""
        self.read += time.thread_time() - processor
        self.clock += time.perf_counter() - clock

    def share(self, candidates: int) -> float:
        """Return the share of reading in a batch of so many candidates so far."""
        return self.read / max(self.read + candidates * self.candidate, 1e-9)

    def end_batch(self, candidates: int, seconds: float) -> None:
        """Learn from the seconds by the clock that it took to compare and write a batch."""
        if candidates and self.clock:
            self.candidate = seconds / candidates * self.read / self.clock
        self.read = self.clock = 0.0


@dataclass(frozen=True, slots=True)
class _Read:
    """A conversation, and the candidates found in its new messages."""

    conversation: int
    agent: bool
    mark: str  # names who has read it
    upto: int  # the last message that need not be read again
    drafts: tuple[Draft, ...]
    refusals: tuple[Refusal, ...]
    asked: tuple[tuple[int, int, int], ...]

    @classmethod
    def of(
        cls, store: Store, number: int, classifier: SentenceClassifier | None, known: Sequence[str], summary: Summary
    ) -> "_Read":
        """Run the distiller over what no distiller of the `known` marks has read of a conversation.

        Raises NotFound if it is hidden or purged.
        """
        wanted = settings().distil
        conversation = store.raw.conversation(number)
        messages = store.raw.messages(number)
        if not messages:
            raise NotFound(f"there is no conversation {number}")
        upto, mark = store.distillation.upto(number, known), mark_of(conversation.agent, classifier is None)
        found = distil(
            conversation,
            messages,
            limit=wanted.per_exchange,
            confidence=wanted.confidence,
            classifier=classifier,
            after=upto,
        )
        refusals = tuple(refusal for refusal in found.refusals if refusal.message > upto)
        summary.reasons.update(refusal.reason for refusal in refusals)
        asked = [request for request in found.forget_requests if request.message > upto]
        summary.forget_requests += [request.query for request in asked]
        channels = {message.id: message.channel for message in messages}
        candidates = (candidate for candidate in found.candidates if candidate.message > upto)
        return cls(
            number,
            conversation.agent,
            mark,
            max(message.id for message in messages),
            tuple(Draft(candidate, conversation, channels[candidate.message]) for candidate in candidates),
            refusals,
            tuple((request.message, request.start, request.end) for request in asked),
        )


def distil_pending(
    store: Store,
    writer: Writer,
    embedder: Embedder,
    summary: Summary,
    report: Report | None = None,
    imported_by: Actor | None = None,
) -> None:
    """Distil every conversation with messages the distiller has not seen, inside the writer's command.

    With `imported_by`, only conversations that this actor imported. Known memories are embedded first, for comparison.
    The writer must be paused, and is paused again at the end; each batch is committed when it is done.
    """
    known, since, asked = marks(), store.journal.seq(), set[tuple[int, int, int]]()
    pending = store.distillation.undistilled(known, imported_by)
    batch: list[_Read] = []
    pace = _Pace()
    candidates = written = done = 0
    reported = 0.0

    def tell(share: float) -> None:
        """Report a share of the batch; never less than before, as the share of reading is an estimate."""
        nonlocal reported
        reported = max(reported, written + share * (done - written))
        if report is not None:
            report(Progress("distilling", reported, len(pending), summary))

    def tell_after_reading(share: float) -> None:
        reading = pace.share(candidates)
        tell(reading + (1 - reading) * share)

    if pending:
        tell(0)  # the embedder and the rules are loaded first, which takes seconds
        embed_missing(store, embedder)
    classifier = sentence_classifier() if pending else None
    for done, number in enumerate(pending, 1):
        began = time.thread_time(), time.perf_counter()
        with contextlib.suppress(NotFound):  # its import was undone meanwhile
            batch.append(_Read.of(store, number, classifier, known, summary))
            candidates += len(batch[-1].drafts)
        pace.add(*began)
        tell_after_reading(0)
        if candidates >= _BATCH or done - written == _CONVERSATIONS or done == len(pending):
            compared_from = time.perf_counter()
            drafts = [draft for read in batch for draft in read.drafts]
            compared = compare(
                store, embedder, drafts, _RULES, lambda share: tell_after_reading((1 - _WRITING) * share)
            )
            writer.resume()
            for read in batch:
                if read.agent:  # by a version that did not read short sessions
                    store.distillation.drop_refusals(writer, read.conversation, SHORT_SESSION)
            admit(writer, compared, [refusal for read in batch for refusal in read.refusals], summary)
            asked.update(request for read in batch for request in read.asked)
            store.forget_requests.put(writer, sorted(asked))
            for read in batch:
                store.distillation.mark(writer, read.conversation, read.mark, read.upto)
            writer.pause()
            tell(1)
            pace.end_batch(candidates, time.perf_counter() - compared_from)
            batch, written, candidates = [], done, 0
    summary.held_back += hold_back(store, writer, since, asked)

"""Distil stored conversations by rules, in batches.

Slow work is done before the write lock is taken; the lock is held for the decisions only. The store knows what is
pending, so a stopped run continues where it stopped.
"""

import contextlib
from dataclasses import dataclass

from curator.config import settings
from curator.distill import DISTILLER
from curator.distill.chat_score import sentence_reader
from curator.distill.reasons import SHORT_SESSION
from curator.distill.rules import distil
from curator.models import Embedder
from curator.services.admission import admit
from curator.services.import_summary import Progress, Report, Summary
from curator.services.neighbours import Distiller, Draft, compare
from curator.services.search_session import embed_missing
from store import NotFound, Store, Writer
from store.model import Actor, Origin, Refusal

_BATCH = 2_048  # candidates compared and written together
_CONVERSATIONS = 256  # the same: where little is found, few conversations may have that many candidates
_READING, _WRITING = 0.08, 0.06  # shares of the time of a batch; comparing takes the rest
_RULES = Distiller(DISTILLER, Origin.RULES)


@dataclass(frozen=True, slots=True)
class _Read:
    """A conversation, and the candidates found in its new messages."""

    conversation: int
    agent: bool
    upto: int  # the last message that need not be read again
    drafts: tuple[Draft, ...]
    refusals: tuple[Refusal, ...]
    asked: tuple[tuple[int, int, int], ...]

    @classmethod
    def of(cls, store: Store, number: int, summary: Summary) -> "_Read":
        """Run the distiller over a conversation. Raises NotFound if it is hidden or purged."""
        wanted = settings().distil
        conversation = store.raw.conversation(number)
        messages = store.raw.messages(number)
        if not messages:
            raise NotFound(f"there is no conversation {number}")
        upto = store.distillation.upto(number, DISTILLER)
        found = distil(
            conversation,
            messages,
            limit=wanted.per_exchange,
            confidence=wanted.confidence,
            reader=sentence_reader(),
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
    pending = store.distillation.undistilled(DISTILLER, imported_by)
    batch: list[_Read] = []
    written = done = 0

    def tell(share: float) -> None:
        """Report a share of the batch."""
        if report is not None:
            report(Progress("distilling", written + share * (done - written), len(pending), summary))

    if pending:
        tell(0)  # the embedder and the rules are loaded first, which takes seconds
        embed_missing(store, embedder)
    for done, number in enumerate(pending, 1):
        with contextlib.suppress(NotFound):  # its import was undone meanwhile
            batch.append(_Read.of(store, number, summary))
        tell(_READING)
        drafts = [draft for read in batch for draft in read.drafts]
        if len(drafts) >= _BATCH or done - written == _CONVERSATIONS or done == len(pending):
            compared = compare(
                store, embedder, drafts, _RULES, lambda share: tell(_READING + (1 - _READING - _WRITING) * share)
            )
            writer.resume()
            for read in batch:
                if read.agent:  # by a version that did not read short sessions
                    store.distillation.drop_refusals(writer, read.conversation, SHORT_SESSION)
            admit(writer, compared, [refusal for read in batch for refusal in read.refusals], summary)
            store.forget_requests.put(writer, [place for read in batch for place in read.asked])
            for read in batch:
                store.distillation.mark(writer, read.conversation, DISTILLER, read.upto)
            writer.pause()
            tell(1)
            batch, written = [], done

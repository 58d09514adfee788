"""The sweep in which the chat model reads the conversations that the rules have already read.

Conversations are read oldest first, as the rules read them: later statements are then compared with earlier ones, and
an alert shows correctly which of two is newer. Newest first would reverse it.

Each chunk is one command, written together with the mark up to which the conversation is done. Undoing an import thus
undoes exactly its results; one command for a whole run would undo everything.
"""

import contextlib
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from curator.config import settings
from curator.display import counted
from curator.distill.scores.chats import sentence_classifier
from curator.llm.chunks import Chunk, chunks
from curator.llm.client import data_tokens
from curator.llm.extract import VERSION, Extracted, extract
from curator.models import CallFailed, ServerFailed, TimedOut
from curator.services.admission import admit
from curator.services.forget_requests import quarantine_matches
from curator.services.import_summary import Summary
from curator.services.model_candidates import filter_candidates
from curator.services.neighbours import CandidateComparison, Distiller, SourcedCandidate, compare
from curator.services.search_session import embed_missing
from curator.sweeps.base import Attempt, SweepItem, Tools
from curator.sweeps.chat_sweep import Answers, ChatSweep
from store import Conflict, NotFound
from store.model import Actor, Conversation, Life, Message, Origin
from store.record.repository import grouped

_TOGETHER = 16  # conversations that are asked about before the first is stored
_AHEAD = 120.0  # seconds after which answers are stored even if fewer have been asked about


@dataclass(frozen=True, slots=True)
class _Loaded:
    """A conversation as read for an item; answers are discarded if it has changed since."""

    item: SweepItem
    attempt: Attempt
    conversation: Conversation
    messages: list[Message]
    chunks: list[Chunk]

    def key(self, chunk: Chunk) -> tuple[str, int, int]:
        """Return a key of a chunk: a long message may span several."""
        return self.item.lease, chunk.first, chunk.own[0].start

    def texts(self, chunk: Chunk) -> dict[int, str]:
        """Return the messages shown in a chunk."""
        shown = {turn.message for turn in chunk.turns}
        return {message.id: message.text for message in self.messages if message.id in shown}


class Distil(ChatSweep):
    """See `ChatSweep`."""

    name = "distil"
    version = VERSION

    def __init__(self, tools: Tools) -> None:
        super().__init__(tools)
        self._asked: dict[tuple[str, int, int], CallFailed | None] = {}

    async def open(self) -> None:
        """See `BaseSweep.open`. Requires the embedder, without which no answer could be admitted."""
        await super().open()
        embedder = await self._run(lambda: self._tools.models.current_embedder(self._store))
        # a server's embedder would have it load two models in turn for every chunk
        self.together = _TOGETHER if embedder.fingerprint.provider == "ollama" else 1
        self._asked.clear()

    def pending(self) -> int:
        """See `BaseSweep.pending`."""
        return len(self._unread())

    def _unread(self) -> list[int]:
        return self._store.sweeps.unswept(VERSION, settings().distil.agent_messages)

    def missing(self, limit: int) -> list[int]:
        """See `ChatSweep.missing`."""
        return self._unread()[:limit]

    def title(self, conversation_id: int) -> str:
        """See `BaseSweep.title`."""
        return self._store.raw.conversation(conversation_id).title or f"conversation {conversation_id}"

    async def ask(self, taken: Sequence[tuple[SweepItem, Attempt]]) -> None:
        """See `BaseSweep.ask`. Good answers are stored at once, and read back when the item is done."""
        ends = time.monotonic() + _AHEAD
        for item, attempt in taken:
            if (loaded := await self._run(partial(self._load, item, attempt))) is None:
                continue
            for chunk in loaded.chunks:
                if not attempt.go_on() or time.monotonic() > ends:
                    return
                wrong = self._asked[loaded.key(chunk)] = await self._ask(loaded, chunk)
                if isinstance(wrong, ServerFailed | TimedOut):
                    return

    async def _ask(self, loaded: _Loaded, chunk: Chunk) -> CallFailed | None:
        """Ask about a chunk and store the answers before using them; return the error, if any.

        Answers about messages that changed meanwhile are discarded, and asked for again.
        """
        asker, answers = self.asker()
        wrong: CallFailed | None = None
        try:
            await extract(asker, chunk)
        except CallFailed as error:
            wrong = error

        def remember() -> None:
            with contextlib.suppress(Conflict), self._store.sweeps.holding(loaded.attempt.lease) as connection:
                self._check_unchanged(loaded, chunk)
                answers.write(connection)

        await self._run(remember)
        return wrong

    async def do(self, item: SweepItem, attempt: Attempt) -> None:
        """See `BaseSweep.do`."""
        loaded = await self._run(lambda: self._load(item, attempt))
        if loaded is None:
            return
        failed: set[int] = set()  # ids where failed chunks begin; two may begin in one message and then share a failure
        for chunk in loaded.chunks:
            if loaded.key(chunk) not in self._asked and not attempt.go_on():
                return
            if not await self._chunk(loaded, chunk):
                failed.add(chunk.first)
        if item.failure is None:
            await self._run(lambda: self._mark_rest_read(loaded))
        elif item.failure.first not in failed:
            await self._run(lambda: self.drop_failure(item))
        attempt.step(1)

    def _load(self, item: SweepItem, attempt: Attempt) -> _Loaded | None:
        """Return the conversation in chunks; None if it is gone because its import was undone."""
        store, failure = self._store, item.failure
        try:
            conversation = store.raw.conversation(item.number)
        except NotFound:
            self.drop_failure(item)
            return None
        messages = store.raw.messages(item.number)
        after = store.sweeps.upto(VERSION, item.number) if failure is None else failure.first - 1
        if failure is not None:
            messages = [message for message in messages if message.id <= failure.last]
        chunked = chunks(messages, data_tokens(self.chat.model.context), after) if messages else []
        return _Loaded(item, attempt, conversation, messages, chunked)

    async def _chunk(self, loaded: _Loaded, chunk: Chunk) -> bool:
        """Ask about a chunk and write the result; return True if the answer was understood."""
        asker, answers = self.asker()
        try:
            if (failure := self._asked.pop(loaded.key(chunk), None)) is not None:
                raise failure
            extracted = await extract(asker, chunk)
        except CallFailed as error:
            await self._run(partial(self._store_failure, loaded, chunk, answers, error))
            loaded.attempt.run.record_failure(error)
            return False
        await self._run(lambda: self._admit_chunk(loaded, chunk, answers, extracted))
        loaded.attempt.run.record_success()
        return True

    def _admit_chunk(self, loaded: _Loaded, chunk: Chunk, answers: Answers, extracted: Extracted) -> None:
        """Compare without a lock, then decide and write in one transaction."""
        store, summary, distiller = self._store, Summary(), Distiller(self.made_by, Origin.MODEL)
        messages = {message.id: message for message in loaded.messages}
        if extracted.candidates and not loaded.conversation.agent:
            quotes = store.raw.quotes(loaded.conversation.id)
            memories = store.get_many(sorted({quote.memory for quote in quotes}))
            live = {memory.id for memory in memories if memory.life is Life.LIVE}
            of_live = grouped((quote.message, quote) for quote in quotes if quote.message and quote.memory in live)
            extracted = filter_candidates(extracted, messages, of_live, sentence_classifier())
        candidates = [
            SourcedCandidate(candidate, loaded.conversation, messages[candidate.message].channel)
            for candidate in extracted.candidates
        ]
        compared: CandidateComparison | None = None
        if candidates:
            embedder = self._tools.models.current_embedder(store)
            embed_missing(store, embedder)
            compared = compare(store, embedder, candidates, distiller)
        before = store.journal.seq()
        with store.command("distil", Actor.MODEL) as writer:
            store.sweeps.confirm(writer.connection, loaded.attempt.lease)
            self._check_unchanged(loaded, chunk)
            if compared is not None:
                admit(writer, compared, extracted.refusals, summary)
            else:
                store.distillation.put_refusals(writer, distiller.name, extracted.refusals)
            self._mark_read(loaded, chunk, answers, writer.connection)
            writer.summarise(
                f"{counted(summary.memories)}, {counted(summary.evidence, 'quote')}, by {self.chat.model.name}"
            )
            writer.pause()
            quarantine_matches(store, writer, before)

    def _store_failure(self, loaded: _Loaded, chunk: Chunk, answers: Answers, error: CallFailed) -> None:
        """Store why a chunk could not be read, and skip it."""
        with self._store.sweeps.holding(loaded.attempt.lease) as connection:
            self._check_unchanged(loaded, chunk)
            self.put_failure(loaded.item.number, error, self.chat.model.label, chunk.first, chunk.last)
            self._mark_read(loaded, chunk, answers, connection)

    def _mark_read(self, loaded: _Loaded, chunk: Chunk, answers: Answers, connection: sqlite3.Connection) -> None:
        """Store the answers about a chunk, and mark it as read."""
        answers.write(connection)
        if loaded.item.failure is None:
            self._store.sweeps.mark(VERSION, loaded.item.number, chunk.upto)

    def _check_unchanged(self, loaded: _Loaded, chunk: Chunk) -> None:
        """Raise Conflict if the messages differ from those shown to the model: purged or hidden since."""
        shown = loaded.texts(chunk)
        if {
            message_id: message.text for message_id, message in self._store.raw.visible_messages(list(shown)).items()
        } != shown:
            raise Conflict("the conversation was changed while the model read it; it is read again")

    def _mark_rest_read(self, loaded: _Loaded) -> None:
        """Mark the messages after the person's last one as read, or all if the person said nothing."""
        last = max((message.id for message in loaded.messages), default=0)
        sweeps, conversation_id = self._store.sweeps, loaded.conversation.id
        if sweeps.upto(VERSION, conversation_id) < last:
            with sweeps.holding(loaded.attempt.lease):
                sweeps.mark(VERSION, conversation_id, last)

"""The sweep in which the chat model reads what the rules have read by themselves.

Conversations are read from the oldest on, as the rules read them: what was said later is then compared with what was
said before, and an alert says which of two is the newer. Newest first would have it the wrong way round.

Each chunk is one command. It is written at once with the mark up to which the conversation is done, and when an import
is taken back, exactly what came of it goes along; one command for a whole run would take everything with it.
"""

import contextlib
import time
from collections.abc import Sequence
from dataclasses import dataclass

from curator.config import settings
from curator.distill import Candidate
from curator.llm import token_budget
from curator.llm.extract import VERSION, Chunk, Extracted, chunks, extract
from curator.models.errors import CallFailed, ServerFailed, TimedOut
from curator.services.admission import admit
from curator.services.embeddings import embed_missing
from curator.services.import_summary import Summary
from curator.services.neighbours import Compared, Distiller, Draft, compare
from curator.sweeps.base import Item, Shift, Tools
from curator.sweeps.chat_sweep import Answers, ChatSweep
from store import Conflict, NotFound
from store.model import Actor, Channel, Conversation, Failure, Message, Origin

_TOGETHER = 16  # conversations that are asked about before the first is settled
_AHEAD = 120.0  # seconds after which what was asked is settled all the same


@dataclass(frozen=True, slots=True)
class _Talk:
    """A conversation as it was read; an answer to what has changed since is of no use."""

    conversation: Conversation
    messages: list[Message]
    chunks: list[Chunk]

    @property
    def channels(self) -> dict[int, Channel]:
        return {message.id: message.channel for message in self.messages}

    def texts(self, chunk: Chunk) -> dict[int, str]:
        """The messages that a chunk shows."""
        shown = {turn.message for turn in chunk.turns}
        return {message.id: message.text for message in self.messages if message.id in shown}


class Distil(ChatSweep):
    """See `Work`."""

    name = "distil"

    def __init__(self, tools: Tools) -> None:
        super().__init__(tools, VERSION)
        self._asked: dict[tuple[str, int, int], CallFailed | None] = {}
        self._turns = False

    @property
    def together(self) -> int:
        """See `AsksAhead.together`. With vectors of a server, which would load two models in turn for every chunk."""
        return _TOGETHER if self._turns else 1

    async def open(self) -> None:
        """See `Work.open`. Without what makes vectors nothing is asked that could not be settled."""
        await super().open()
        store, models = self._tools.store, self._tools.models
        self._turns = (await self._tools.run(lambda: models.working(store))).fingerprint.provider == "ollama"
        self._asked.clear()

    def pending(self) -> int:
        """See `Work.pending`."""
        return len(self._unread())

    def _unread(self) -> list[int]:
        return self._tools.store.sweeps.unswept(VERSION, settings().distil.agent_messages)

    def items(self, limit: int, again: bool) -> list[Item]:
        """See `Work.items`."""
        if again:
            return [Item(f"distil:{f.item}", f.item, f) for f in reversed(self.failures(limit))]
        return [Item(f"distil:{number}", number) for number in self._unread()[:limit]]

    async def ask(self, taken: Sequence[tuple[Item, Shift]]) -> None:
        """See `AsksAhead.ask`. Good answers are kept at once, and found again when the item is done."""
        ends = time.monotonic() + _AHEAD
        for item, shift in taken:
            if (talk := await self._tools.run(lambda item=item: self._read(item))) is None:  # type: ignore[misc]
                continue
            for chunk in talk.chunks:
                if not shift.go_on() or time.monotonic() > ends:
                    return
                wrong = await self._ask(talk, chunk, shift)
                self._asked[_place(item, chunk)] = wrong
                if isinstance(wrong, ServerFailed | TimedOut):
                    return

    async def _ask(self, talk: _Talk, chunk: Chunk, shift: Shift) -> CallFailed | None:
        """Ask about a chunk, and keep what was answered; what went wrong."""
        asker, answers = self.asker()
        wrong: CallFailed | None = None
        try:
            await extract(asker, chunk)
        except CallFailed as error:
            wrong = error
        await self._tools.run(lambda: self._remember(talk, chunk, shift, answers))
        return wrong

    def _remember(self, talk: _Talk, chunk: Chunk, shift: Shift, answers: Answers) -> None:
        """Keep answers before anything is made of them; not of what was changed meanwhile: it is asked anew."""
        store = self._tools.store
        with contextlib.suppress(Conflict), store.sweeps.holding(shift.lease) as connection:
            self._check_unchanged(talk, chunk)
            store.replies.put(connection, answers.rows())

    async def do(self, item: Item, shift: Shift) -> None:
        """See `Work.do`."""
        talk = await self._tools.run(lambda: self._read(item))
        if talk is None:
            return
        failed: set[int] = set()  # where chunks begin; two may begin in one message, and have one failure then
        for chunk in talk.chunks:
            if _place(item, chunk) not in self._asked and not shift.go_on():
                return
            if not await self._chunk(talk, chunk, item, shift):
                failed.add(chunk.first)
        store, ids = self._tools.store, [item.failure.id] if item.failure is not None else []
        if item.failure is None:
            await self._tools.run(lambda: self._done(talk, shift))
        elif item.failure.first not in failed:
            await self._tools.run(lambda: store.sweeps.drop_failures(ids))
        shift.step(1)

    def _read(self, item: Item) -> _Talk | None:
        """The conversation in chunks; None if it is gone: an import was taken back."""
        store, failure = self._tools.store, item.failure
        try:
            conversation = store.raw.conversation(item.number)
        except NotFound:
            if failure is not None:
                store.sweeps.drop_failures([failure.id])
            return None
        messages = store.raw.messages(item.number)
        after = store.sweeps.upto(VERSION, item.number) if failure is None else failure.first - 1
        if failure is not None:
            messages = [message for message in messages if message.id <= failure.last]
        found = chunks(messages, token_budget.room(self.chat.model.context), after) if messages else []
        return _Talk(conversation, messages, found)

    async def _chunk(self, talk: _Talk, chunk: Chunk, item: Item, shift: Shift) -> bool:
        """Ask for a chunk and write what came of it; whether it was understood."""
        asker, answers = self.asker()
        try:
            if (known := self._asked.pop(_place(item, chunk), None)) is not None:
                raise known
            found = await extract(asker, chunk)
        except CallFailed as error:
            wrong = error
            await self._tools.run(lambda: self._fail(talk, chunk, item, shift, answers, wrong))
            shift.tally.went_wrong(error)
            return False
        await self._tools.run(lambda: self._settle(talk, chunk, item, shift, answers, found))
        shift.tally.went_well()
        return True

    def _settle(self, talk: _Talk, chunk: Chunk, item: Item, shift: Shift, answers: Answers, found: Extracted) -> None:
        """Compare without a lock, then decide and write in one transaction."""
        store = self._tools.store
        distiller = Distiller(self.made_by, Origin.MODEL)
        drafts = [self._draft(talk, candidate) for candidate in found.candidates]
        compared: Compared | None = None
        if drafts:
            embedder = self._tools.models.working(store)
            embed_missing(store, embedder)
            compared = compare(store, embedder, drafts, distiller)
        with store.command("distil", Actor.MODEL) as writer:
            store.sweeps.confirm(writer.connection, shift.lease)
            self._check_unchanged(talk, chunk)
            summary = Summary()
            if compared is not None:
                admit(writer, compared, found.refusals, summary)
            else:
                store.distillation.put_refusals(writer, distiller.name, found.refusals)
            store.replies.put(writer.connection, answers.rows())
            if item.failure is None:
                store.sweeps.mark(VERSION, item.number, chunk.upto)
            writer.summarise(f"{summary.memories} memories, {summary.evidence} quotes by {self.chat.model.name}")

    def _fail(self, talk: _Talk, chunk: Chunk, item: Item, shift: Shift, answers: Answers, error: CallFailed) -> None:
        """Keep why a chunk could not be read, and pass it by."""
        store = self._tools.store
        with store.sweeps.holding(shift.lease) as connection:
            self._check_unchanged(talk, chunk)
            store.sweeps.put_failure(
                Failure(
                    0,
                    VERSION,
                    item.number,
                    chunk.first,
                    chunk.last,
                    str(error),
                    error.reply,
                    self.chat.model.label,
                    1,
                    0,
                ),
            )
            store.replies.put(connection, answers.rows())
            if item.failure is None:
                store.sweeps.mark(VERSION, item.number, chunk.upto)

    def _check_unchanged(self, talk: _Talk, chunk: Chunk) -> None:
        """Raise Conflict if the messages are not what the model was shown: purged or hidden while it read."""
        shown = talk.texts(chunk)
        now = self._tools.store.raw.visible_messages(list(shown))
        if {number: message.text for number, message in now.items()} != shown:
            raise Conflict("the conversation was changed while the model read it; it is read again")

    def _done(self, talk: _Talk, shift: Shift) -> None:
        """Pass what stands after the last thing the person said, or all of it where they said nothing."""
        last = max((message.id for message in talk.messages), default=0)
        store = self._tools.store
        if store.sweeps.upto(VERSION, talk.conversation.id) < last:
            with store.sweeps.holding(shift.lease):
                store.sweeps.mark(VERSION, talk.conversation.id, last)

    def _draft(self, talk: _Talk, candidate: Candidate) -> Draft:
        return Draft(candidate, talk.conversation, talk.channels[candidate.message])


def _place(item: Item, chunk: Chunk) -> tuple[str, int, int]:
    """Return a key for a chunk: a long message may be in several."""
    return item.lease, chunk.first, chunk.own[0].start

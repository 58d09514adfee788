"""Chats with models of a server: one question, one complete answer or an error."""

import asyncio
import math
import re
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractContextManager, aclosing
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Protocol

from curator.errors import ModelError
from curator.models.interfaces import BadReply, ChatModel, CutShort, Offline, Question, Reply, TimedOut, TooLong
from curator.models.server_types import Timeouts
from curator.models.tokens import count_tokens

TEMPLATE = 64  # tokens that the chat template may add around the messages
_LONGEST_TOKEN = 64  # characters per allowed token; a longer answer is aborted
_GOODBYE = 1.0  # seconds a server may take to close an answer after its last piece
_BURST = 50  # words that arrive at once before other tasks get a turn
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class AnswerPiece:
    """A piece of an answer. The last ones have `ended`: the reason ("stop", "length", ""), and tokens read and
    written, None if not counted.
    """

    text: str = ""
    thought: str = ""
    ended: str | None = None
    read: int | None = None
    written: int | None = None


class Answering(Protocol):
    """A server as a chat needs it."""

    host: str
    timeouts: Timeouts
    context_remedy: str
    """The remedy where the server reads only part of a prompt."""

    def answer(self, model: ChatModel, question: Question) -> AsyncGenerator[AnswerPiece, None]:
        """Yield an answer piece by piece. Closing the generator closes the connection."""

    def translated(self, model: str, so_far: Callable[[], str]) -> AbstractContextManager[None]:
        """Translate errors of libraries to those of `curator.models`. `so_far` returns the partial reply."""

    async def allocated(self, name: str) -> int | None:
        """Return the actual context size in tokens of a loaded model; None if the server does not report it."""


class ServerChat:
    """A `Chat`. A prompt that may not fit is not sent.

    Silent truncation by the server is detected afterwards: a tokenizer makes at least one token of a word, so fewer
    tokens than words mean that some were not read. Servers may leave cached tokens of the previous prompt out of the
    count; so only words after the common beginning of both prompts are counted, and before a prompt is called
    truncated, the server is asked whether the model runs with too small a context.
    """

    def __init__(self, server: Answering, model: ChatModel) -> None:
        self._server = server
        self.model = model
        self._before = ""

    async def ask(self, question: Question) -> Reply:
        """See `Chat.ask`."""
        room = count_tokens(question.system) + count_tokens(question.user) + question.limit + TEMPLATE
        if room > self.model.context:
            raise TooLong(
                f"the prompt may need {room:,} tokens with its answer, and {self.model.name} is run with "
                f"{self.model.context:,}; make ollama.context larger, or the text shorter"
            )
        begun = time.monotonic()
        text, last = await self._said(question)
        self._check(text, last)
        await self._check_read(question, last, room)
        return Reply(text, last.written, time.monotonic() - begun)

    async def _said(self, question: Question) -> tuple[str, AnswerPiece]:
        """Return the text and the last piece of the answer."""
        said = _Said()
        where = f"{self.model.name} at {self._server.host}"
        deadline = _Deadline(self._server.timeouts)
        try:
            async with asyncio.timeout(self._server.timeouts.first_byte) as clock:
                with self._server.translated(self.model.name, said.text):
                    await self._collect(question, said, deadline, clock)
        except TimeoutError as error:
            if said.last is None:
                raise TimedOut(f"{where} {deadline.lost}; it may be too slow for this machine", said.text()) from error
        except Offline:
            if said.last is None:
                raise
        if said.last is None:
            raise BadReply(f"the answer of {where} has no end", said.text())
        if said.thought and not said.size and said.last.ended != "length":
            raise BadReply(f"{where} only thought, and said nothing")
        return said.text(), said.last

    async def _collect(self, question: Question, said: "_Said", deadline: "_Deadline", clock: asyncio.Timeout) -> None:
        """Add the pieces of the answer to `said`, and move the timeout `clock` with each."""
        now = asyncio.get_running_loop().time
        longest = _LONGEST_TOKEN * (question.limit + TEMPLATE)
        async with aclosing(self._server.answer(self.model, question)) as pieces:
            async for piece in pieces:
                has_ended = said.last is not None
                said.add(piece)
                if said.thought + said.size > longest:
                    raise BadReply(f"{self.model.name} at {self._server.host} did not stop at the limit", said.text())
                if said.last is None:
                    clock.reschedule(deadline.until(now()))
                elif not has_ended:  # for all that follows together
                    clock.reschedule(min(now() + _GOODBYE, clock.when() or math.inf))
                if len(said.pieces) % _BURST == 0:
                    await asyncio.sleep(0)

    def _check(self, text: str, last: AnswerPiece) -> None:
        """Raise CutShort or BadReply for an incomplete answer."""
        name = self.model.name
        if last.ended == "length":
            raise CutShort(f"the answer of {name} is longer than it may be", text)
        if last.ended not in (None, "", "stop"):
            raise BadReply(f"{name} ended with {last.ended[:40]} instead of an answer", text)
        if not text.strip():
            raise BadReply(f"{name} said nothing", text)

    async def _check_read(self, question: Question, last: AnswerPiece, room: int) -> None:
        """Raise TooLong if the server read only part of the prompt."""
        prompt = f"{question.system}\n{question.user}"
        common = takewhile(lambda pair: pair[0] == pair[1], zip(prompt, self._before, strict=False))
        same = sum(1 for _ in common)
        self._before = prompt
        if last.read is None or last.read >= len(_WORD.findall(prompt[same:])):
            return
        try:
            context = await self._server.allocated(self.model.name)
        except ModelError:
            context = None
        if context is None or context < room:
            raise TooLong(
                f"{self.model.name} read {last.read:,} tokens of a longer prompt"
                + ("" if context is None else f": the server runs it with {context:,}")
                + f"; {self._server.context_remedy}"
            )


@dataclass(slots=True)
class _Said:
    """The answer of a server so far; sizes in characters."""

    pieces: list[str] = field(default_factory=list)
    size: int = 0
    thought: int = 0
    last: AnswerPiece | None = None  # once the answer has ended

    def add(self, piece: AnswerPiece) -> None:
        """Add a piece."""
        self.pieces.append(piece.text)
        self.size += len(piece.text)
        self.thought += len(piece.thought)
        self.last = self.last if piece.ended is None else piece

    def text(self) -> str:
        """Return the text so far."""
        return "".join(self.pieces)


class _Deadline:
    """The deadline of the next token, and the reason once it has passed."""

    def __init__(self, waits: Timeouts) -> None:
        self._waits = waits
        self._end = math.inf
        self.lost = f"gave no first word within {waits.first_byte:g} s"

    def until(self, now: float) -> float:
        """Return the next deadline after a token received at `now`."""
        self._end = min(self._end, now + self._waits.total)
        if now + self._waits.between < self._end:
            self.lost = f"stopped in the middle of its answer for {self._waits.between:g} s"
        else:
            self.lost = f"did not end its answer within {self._waits.total:g} s"
        return min(now + self._waits.between, self._end)


def messages(question: Question) -> list[dict[str, str]]:
    """Return the messages of a question, with what UTF-8 cannot encode replaced."""
    return [
        {"role": role, "content": text.encode("utf-8", "replace").decode("utf-8")}
        for role, text in (("system", question.system), ("user", question.user))
        if text
    ]

"""A chat model of an Ollama server: one question, one complete answer or an error."""

import asyncio
import math
import re
import time
from contextlib import aclosing
from itertools import takewhile
from typing import TYPE_CHECKING

from curator.errors import ModelError
from curator.models import BadReply, ChatModel, CutShort, Offline, Question, Reply, TimedOut, TooLong
from curator.models.ollama.types import ChatPart, Timeouts
from curator.models.tokens import count_tokens

if TYPE_CHECKING:
    from curator.models.ollama.server import Server

TEMPLATE = 64  # tokens that the chat template may add around the messages
_LONGEST_TOKEN = 64  # characters per allowed token; a longer answer is aborted
_GOODBYE = 1.0  # seconds a server may take to close an answer after its last line
_BURST = 50  # words that arrive at once before other tasks get a turn
_WORD = re.compile(r"\w+")


class OllamaChat:
    """A `Chat`. Thinking is off, and the context size is fixed (another size would reload the model).

    A prompt that may not fit is not sent. Silent truncation by the server is detected afterwards: a tokenizer makes at
    least one token of a word, so fewer tokens than words mean that some were not read. Servers may leave cached tokens
    of the previous prompt out of the count; so only words after the common beginning of both prompts are counted, and
    before a prompt is called truncated, the server is asked whether the model runs with too small a context.
    """

    def __init__(self, server: "Server", model: ChatModel) -> None:
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
        return Reply(text, last.eval_count, time.monotonic() - begun)

    async def _said(self, question: Question) -> tuple[str, ChatPart]:
        """Return the text and the last part of the answer."""
        said: list[str] = []
        size, thought, last = 0, 0, None
        where = f"{self.model.name} at {self._server.host}"
        patience, now = _Patience(self._server.timeouts), asyncio.get_running_loop().time
        try:
            async with asyncio.timeout(self._server.timeouts.first_byte) as clock:
                with self._server.wire.translated(self.model.name, lambda: "".join(said)):
                    stream = await self._server.wire.lines(ChatPart, "/api/chat", self._body(question))
                    async with aclosing(stream) as parts:
                        async for part in parts:
                            said.append(part.message.content or "")
                            size += len(said[-1])
                            thought += len(part.message.thinking or "")
                            if part.done:
                                last = part
                                clock.reschedule(now() + _GOODBYE)
                                continue
                            if thought + size > _LONGEST_TOKEN * (question.limit + TEMPLATE):
                                raise BadReply(f"{where} did not stop where it was told to", "".join(said))
                            clock.reschedule(patience.until(now()))
                            if len(said) % _BURST == 0:
                                await asyncio.sleep(0)
        except TimeoutError as error:
            if last is None:
                raise TimedOut(
                    f"{where} {patience.lost}; it may be too slow for this machine", "".join(said)
                ) from error
        except Offline:
            if last is None:
                raise
        if last is None:
            raise BadReply(f"the answer of {where} has no end", "".join(said))
        if thought and not size and last.done_reason != "length":
            raise BadReply(f"{where} only thought, and said nothing")
        return "".join(said), last

    def _body(self, question: Question) -> dict[str, object]:
        return {
            "model": self.model.name,
            "messages": [
                {"role": role, "content": readable(text)}
                for role, text in (("system", question.system), ("user", question.user))
                if text
            ],
            "stream": True,
            "think": False,  # if unset, models that can would think first and ignore the schema
            "format": question.schema,
            "truncate": False,
            "shift": False,
            "keep_alive": self._server.keep_alive,
            "options": {
                "num_ctx": self.model.context,
                "num_predict": question.limit,
                "temperature": question.temperature,
                "seed": question.seed,
            },
        }

    def _check(self, text: str, last: ChatPart) -> None:
        """Raise CutShort or BadReply for an incomplete answer."""
        name = self.model.name
        if last.done_reason == "length":
            raise CutShort(f"the answer of {name} is longer than it may be", text)
        if last.done_reason not in (None, "", "stop"):
            raise BadReply(f"{name} ended with {last.done_reason[:40]} instead of an answer", text)
        if not text.strip():
            raise BadReply(f"{name} said nothing", text)

    async def _check_read(self, question: Question, last: ChatPart, room: int) -> None:
        """Raise TooLong if the server read only part of the prompt."""
        prompt = f"{question.system}\n{question.user}"
        common = takewhile(lambda pair: pair[0] == pair[1], zip(prompt, self._before, strict=False))
        same = sum(1 for _ in common)
        self._before = prompt
        if last.prompt_eval_count is None or last.prompt_eval_count >= len(_WORD.findall(prompt[same:])):
            return
        try:
            context = await self._server.allocated(self.model.name)
        except ModelError:
            context = None
        if context is None or context < room:
            raise TooLong(
                f"{self.model.name} read {last.prompt_eval_count:,} tokens of a longer prompt"
                + ("" if context is None else f": the server runs it with {context:,}")
                + "; make ollama.context smaller, and see what Ollama is started with"
            )


class _Patience:
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


def readable(text: str) -> str:
    """Replace characters that UTF-8 cannot encode."""
    return text.encode("utf-8", "replace").decode("utf-8")

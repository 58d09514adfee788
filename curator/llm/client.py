"""Calls to a chat model with retries after a bad answer and cached replies, and the token budget of one call.

Estimates of tokens err high, because a model silently truncates a prompt that is too long.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from typing import Protocol, TypeVar

from curator.models import BadReply, CallFailed, Chat, CutShort, Question, TimedOut, TooLong

T = TypeVar("T")

TRIES = 3
WARMER = 0.2
"""Temperature of the last attempt: at 0 a model would repeat itself."""


MOST_DATA = 3_500
"""Maximum tokens of data per call for any context size: small models lose the middle of long prompts."""
ANSWER = 1_500
FRAME = 950
"""Tokens of the rest of a prompt: rules, example, fences, and the note of a second attempt."""


class Replies(Protocol):
    """Cache of accepted answers. Called through `Asker.run`, so implementations may block."""

    def get(self, key: bytes) -> str | None:
        """Return the answer to the question with this key, or None."""

    def put(self, key: bytes, task: str, model: str, reply: str) -> None:
        """Store an answer. `task` is the task's version, e.g. "extract/1", `model` a `ChatModel.label`."""


class Run(Protocol):
    """Runner of blocking work outside the event loop, e.g. `asyncio.to_thread`."""

    def __call__(self, work: Callable[[], T], /) -> Awaitable[T]:
        """Return the result of `work`, or raise its error."""


@dataclass(frozen=True, slots=True)
class Asker:
    """A chat model with cached replies, if any. `secret`, the store's, keys the fences around data."""

    chat: Chat
    replies: Replies | None
    secret: bytes
    run: Run = asyncio.to_thread

    async def ask(
        self, version: str, question: Question, read: Callable[[str], T], *, tries: int = TRIES, splits: bool = False
    ) -> T:
        """Return the answer as parsed by `read`, after up to `tries` attempts; cache the accepted answer.

        `read` raises BadReply with a short reason that contains none of the data; the model is told that reason. With
        `splits=True` the caller retries with smaller input: truncated and timed-out answers are raised at once, as
        TooLong always is. Raises the last CallFailed, or any other error of the chat model; `reply` of a BadReply is
        filled in.
        """
        key = key_of(version, self.chat.model.digest, question)
        known = None if self.replies is None else await self.run(partial(self.replies.get, key))
        if known is not None:
            with suppress(BadReply):
                return await self.run(partial(read, known))
        asked = question
        for number in range(1, tries + 1):
            failed: CallFailed
            why = ""
            try:
                reply = await self.chat.ask(asked)
            except CallFailed as error:
                if isinstance(error, TooLong) or (splits and isinstance(error, CutShort | TimedOut)):
                    raise
                failed = error
            else:
                try:
                    result = await self.run(partial(read, reply.text))
                except BadReply as error:
                    error.reply = error.reply or reply.text
                    failed, why = error, str(error)
                else:
                    if self.replies is not None:
                        await self.run(partial(self.replies.put, key, version, self.chat.model.label, reply.text))
                    return result
            if number == tries:
                raise failed
            asked = question
            if why:
                fault = f"Your last answer could not be used: {why}. Answer again, with JSON only."
                asked = replace(asked, user=f"{asked.user}\n\n{fault}")
            if number + 1 == tries:
                asked = replace(asked, temperature=WARMER, seed=asked.seed + 1)
        raise ValueError("tries must be at least 1")


def key_of(version: str, digest: str, question: Question) -> bytes:
    """Return the cache key of a question, 16 bytes, a hash of everything that could change the answer."""
    told = [version, digest, question.system, question.user, question.schema, question.limit]
    told += [question.temperature, question.seed]
    return blake2b(json.dumps(told, sort_keys=True).encode(), digest_size=16).digest()


def tokens(text: str) -> int:
    """Estimate the tokens of a text at three bytes each, which errs high."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // 3)


def answer_tokens(context: int) -> int:
    """Return the token limit of an answer when prompt and answer share `context` tokens."""
    return min(ANSWER, context // 4)


def data_tokens(context: int) -> int:
    """Return the tokens of data that fit into one call."""
    return max(200, min(MOST_DATA, context - answer_tokens(context) - FRAME))

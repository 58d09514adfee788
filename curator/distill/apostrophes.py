"""Messages with missing apostrophes restored for reading; results are mapped back to the original spelling."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from curator.apostrophes import Respelt, respell
from curator.distill.candidate import Candidate, Distilled
from store.model import Message


@dataclass(frozen=True, slots=True)
class RespeltMessages:
    """Messages in correct spelling; `changed` has those that were typed otherwise, by message id."""

    messages: tuple[Message, ...]
    changed: dict[int, tuple[str, Respelt]]  # text as typed, and its correct spelling

    @classmethod
    def of(cls, messages: Sequence[Message]) -> Self:
        """Respell messages."""
        respelt = [(message, respell(message.text)) for message in messages]
        return cls(
            tuple(replace(message, text=right.text) if right.places else message for message, right in respelt),
            {message.id: (message.text, right) for message, right in respelt if right.places},
        )

    def restored(self, found: Distilled) -> Distilled:
        """Return the results with spans, quotes and texts as they were typed."""

        def typed(message: int, offset: int) -> int:
            return self.changed[message][1].typed(offset) if message in self.changed else offset

        def as_typed(one: Candidate) -> Candidate:
            if one.message not in self.changed:
                return one
            text, respelt = self.changed[one.message]
            start, end = respelt.typed(one.start), respelt.typed(one.end)
            said, whole = (respelt.as_typed(words, one.start, one.end) for words in (one.text, one.whole))
            return replace(one, start=start, end=end, quote=text[start:end], text=said, whole=whole)

        return replace(
            found,
            candidates=tuple(map(as_typed, found.candidates)),
            refusals=tuple(
                replace(one, start=typed(one.message, one.start), end=typed(one.message, one.end))
                for one in found.refusals
            ),
            forget_requests=tuple(
                replace(
                    one,
                    start=typed(one.message, one.start),
                    end=typed(one.message, one.end),
                    query=self.changed[one.message][1].as_typed(one.query, one.start, one.end)
                    if one.message in self.changed
                    else one.query,
                )
                for one in found.forget_requests
            ),
        )

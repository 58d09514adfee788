"""Split conversations into chunks of one call: the person's turns, with the turns they answer as context."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from curator.distill.mask import MaskedSpan, lower, mask_foreign_text
from curator.distill.message_reader import MOST_READ
from curator.distill.rules import is_own
from curator.distill.statements.clauses import sentences
from curator.llm.client import tokens
from store.model import Channel, Message, Role

MARKS = 30
"""Tokens of the fence around a turn."""
HEARD = 300
"""Characters shown of a context turn: its beginning and its end, where questions usually are."""
LEAST = 400
"""Characters below which a turn is not split."""

_HEARD = (Role.ASSISTANT, Role.OTHER)
_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn as shown to a model; a turn too long for a chunk is split into parts.

    An `own` turn was written by the person and may become memories: `text` is the message from offset `start`, `low`
    the same text in lower case with quoted and pasted passages blanked, `gaps` the larger blanks, as offsets in `text`.
    Other turns are shortened context.
    """

    message: int
    role: Role
    text: str
    at: int | None  # microseconds since 1970 UTC
    channel: Channel = Channel.SPOKEN
    own: bool = False
    start: int = 0
    low: str = ""
    gaps: tuple[MaskedSpan, ...] = ()

    @property
    def end(self) -> int:
        """The offset in the message where the text ends."""
        return self.start + len(self.text)

    @property
    def said(self) -> str:
        """The text with spaces in place of each gap, at the same length."""
        parts = list(self.text)
        for gap in self.gaps:
            parts[gap.start : gap.end] = " " * (gap.end - gap.start)
        return "".join(parts)

    @property
    def view(self) -> str:
        """The text with a note in place of each gap."""
        parts: list[str] = []
        at = 0
        for gap in self.gaps:
            parts += (self.text[at : gap.start], f"[… {gap.reason}: left out]\n")
            at = gap.end
        return "".join((*parts, self.text[at:]))


@dataclass(frozen=True, slots=True)
class Chunk:
    """The turns of one call. Once every chunk up to this one is done, so is every message up to id `upto`."""

    turns: tuple[Turn, ...]
    upto: int

    @property
    def own(self) -> tuple[Turn, ...]:
        """The person's turns in order; the model numbers them from 1."""
        return tuple(turn for turn in self.turns if turn.own)

    @property
    def first(self) -> int:
        """The lowest message id."""
        return min(turn.message for turn in self.own)

    @property
    def last(self) -> int:
        """The highest message id."""
        return max(turn.message for turn in self.own)


def chunks(messages: Sequence[Message], room: int, after: int = 0) -> list[Chunk]:
    """Split a conversation into chunks of at most `room` tokens; return none if the person said nothing.

    `messages` are all messages of the conversation, in order. Those with an id above `after` are read; earlier ones
    serve as context only. Each chunk starts with the end of the person's preceding turn, as context.
    """
    groups: list[list[Turn]] = []
    size = 0
    before: Turn | None = None
    for heard, turn in _exchanges(messages, after):
        for part in _parts(turn, room * 3 // 4) if turn.own else ():
            context = [heard] if heard and part.start == 0 else []
            if groups and size + _cost(*context, part) <= room:
                size += _cost(*context, part)
                groups[-1] += [*context, part]
            else:
                overlap = [_shortened(before)] if before else []
                fitting = (some for some in ([*overlap, *context], context) if _cost(*some, part) <= room)
                context = next(fitting, [])
                size = _cost(*context, part)
                groups.append([*context, part])
            before = part
        before = turn if not turn.own else before
    last = max((message.id for message in messages), default=0)
    lowest = [min(turn.message for turn in group if turn.own) for group in groups]
    return [Chunk(tuple(group), min(lowest[number + 1 :], default=last + 1) - 1) for number, group in enumerate(groups)]


def halves(chunk: Chunk) -> list[Chunk]:
    """Split a chunk between its turns, or within its only turn; return it unchanged if that is too short."""
    own = chunk.own
    if len(own) > 1:
        costs = list(accumulate(map(_cost, own)))
        middle = min(max(1, bisect_left(costs, costs[-1] / 2)), len(own) - 1)
        offset = chunk.turns.index(own[middle])
        while not chunk.turns[offset - 1].own:
            offset -= 1
        rest = (_shortened(own[middle - 1]), *chunk.turns[offset:])
        return [replace(chunk, turns=chunk.turns[:offset]), replace(chunk, turns=rest)]
    (turn,) = own
    if len(turn.text) < LEAST:
        return [chunk]
    parts = _parts(turn, tokens(turn.view) * 6 // 10)
    context = chunk.turns[: chunk.turns.index(turn)]
    return [
        replace(chunk, turns=(*(context if not number else (_shortened(parts[number - 1]),)), part))
        for number, part in enumerate(parts)
    ] or [chunk]


def _exchanges(messages: Sequence[Message], after: int) -> Iterator[tuple[Turn | None, Turn]]:
    """Yield the person's turns, each with the turn it answers. Turns already read become context."""
    heard: Turn | None = None
    for message in messages:
        if is_own(message):
            turn = _context(message)
            if message.id > after:
                text = message.text[:MOST_READ]
                low, gaps = mask_foreign_text(text) if message.channel is Channel.SPOKEN else (lower(text), [])
                turn = replace(turn, text=text, own=True, low=low, gaps=tuple(gaps))
            yield heard, turn
            heard = None
        elif message.channel is Channel.SPOKEN and message.role in _HEARD and not message.hidden:
            heard = _context(message) if message.active else heard


def _context(message: Message) -> Turn:
    return _shortened(Turn(message.id, message.role, message.text, message.created_at, message.channel))


def _shortened(turn: Turn) -> Turn:
    text = turn.view
    if len(text) > HEARD:
        text = f"{text[: HEARD // 3]} […] {text[-HEARD * 2 // 3 :]}"
    return replace(turn, text=text, own=False, low="", gaps=())


def _cost(*turns: Turn) -> int:
    return sum(tokens(turn.view) + MARKS for turn in turns)


def _parts(turn: Turn, room: int) -> list[Turn]:
    """Split a turn into parts of at most `room` tokens, after paragraphs or sentences; drop parts without words."""
    sizes = [1 if char < "\x80" else len(char.encode("utf-8", "surrogatepass")) for char in turn.text]
    for gap in turn.gaps:  # in the view, a gap has the bytes of its note
        sizes[gap.start : gap.end] = [32, *[0] * (gap.end - gap.start - 1)]
    ends = [0, *accumulate(sizes)]
    sentence_ends = [end for _, end, _ in sentences(turn.low)]
    paragraph_ends = [found.end() for found in _PARAGRAPH.finditer(turn.text)]
    parts: list[Turn] = []
    at = 0
    while at < len(turn.text):
        stop = bisect_right(ends, ends[at] + room * 3) - 1
        if stop < len(turn.text):
            stop = (
                _last(paragraph_ends, at + (stop - at) // 2, stop)
                or _last(sentence_ends, at, stop)
                or turn.text.rfind(" ", at + 1, stop) + 1
                or max(stop, at + 1)
            )
        if any(map(str.isalpha, turn.low[at:stop])):
            gaps = tuple(
                MaskedSpan(max(gap.start, at) - at, min(gap.end, stop) - at, gap.reason)
                for gap in turn.gaps
                if gap.start < stop and gap.end > at
            )
            text, low = turn.text[at:stop], turn.low[at:stop]
            parts.append(replace(turn, start=turn.start + at, text=text, low=low, gaps=gaps))
        at = stop
    return parts


def _last(offsets: Sequence[int], above: int, most: int) -> int:
    """Return the last offset up to `most`, or 0 if it is not above `above`."""
    number = bisect_right(offsets, most)
    return offsets[number - 1] if number and offsets[number - 1] > above else 0

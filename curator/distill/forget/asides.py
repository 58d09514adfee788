"""Requests to forget said in passing, and the passage that each of them means, in this message or an earlier one."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from curator.distill.forget.classified import asking_spans, empty_words, end_of_request, find_wanted
from curator.distill.forget.groups import is_rule
from curator.distill.forget.spans import forgotten_before, order_after, restated
from curator.distill.forget.wordings import OPENING, REASON, TOLD, asks_silence, find_wording, points_at_subject
from curator.distill.language import english
from curator.distill.requests.commands import forget_command
from curator.distill.requests.standing_orders import is_standing_order
from curator.distill.scores.chats import SentenceClassifier
from curator.distill.statements.clauses import sentences
from curator.text import plain_words, stem
from store.model import Message

_HINT = re.compile(
    r"\b(?:forg[eo]t\w*|un-?(?:remember|know|learn|hear|say)\w*|delet\w+|eras\w+|remov\w+|wip(?:e|ing)\w*|scrub\w*"
    r"|scrap\w*|scratch\w*|strik\w+|drop\w*|los(?:e|ing)|clear\w*|dump\w*|bin|binning|ditch|chuck|toss|trash|purge|rid"
    r"|disregard|discard|let go|remember\w*|keep\w*|kept|stor\w+|sav(?:e|ed|ing)|retain\w*|hold\w*|hang|cling"
    r"|memor\w+|record\w*|log|bring\w*|raise|mention\w*|pretend|heard|hear|out|off ur|off your|stop|quit|go on about"
    r"|(?:can|should|must) (?:now )?go|(?:to|you|didn't|did not) (?:know|have)|gone|don't|do not|wish you|that name)\b"
)
"""Words of which every wording has one."""
_REMEMBER = re.compile(r"(?:\w+,? ){0,2}?(?:you )?remember\b")
_DO_NOT = re.compile(
    r"(?:(?:well|please|actually|so|and|but|just),? )*(?:(?:don't|do not|i wish you wouldn't)(?: any ?more)?"
    r"|forget (?:it|that|them))"
    r"(?: please)?(?:[.!…]|$)"
)
_OF_OTHER = re.compile(r"(?:ever |even )?(?:said|told|mentioned)\b|(?:him|her|it|them|this|that)\b")
_DURATION = re.compile(r"(?:for |after |over |almost |nearly )*[\w½]+(?: and a half)? (?:year|month|week|day)s?\W*$")
"""A bare duration, which is nothing to forget: "3 years."."""
_OF_THAT = re.compile(r"(?:that|this|it)(?: one)?(?:'s| is| was) ")
_RAISES = re.compile(r"\b(?:bring|raise)\b")
"""Verbs with which no order is read for sure, unlike "mention": "don't bring him up again"."""
_HE, _SHE = re.compile(r"\b(?:he|he's|him|his)\b"), re.compile(r"\b(?:she|she's|her|hers)\b")
_OTHERS = (
    (re.compile(r"\bher(?= (?:again|ever|up|any ?more|please|unless|from)\b|\s?[,.!;]|\s*$)"), (_HE, _SHE)),
    (re.compile(r"\bhim\b"), (_SHE, _HE)),
)
_SENTENCES = 30  # earlier sentences of a message that a request in it may point at
_MESSAGES = 3  # earlier messages that a request without an object may point at
_SOON = 24 * 3600 * 1_000_000  # microseconds between a request and an earlier message that it may point at
_MIN_MENTIONED = 0.5  # of the content words of an unsure request that the chat must have said before


@dataclass(frozen=True, slots=True)
class PassingRequest:
    """A request: the span that asks, and the span to forget in the message `back` messages before it, if any.

    The span of a request that is also an order is empty, at the end of its message: the reader reads the order itself.
    """

    start: int
    end: int
    meant: tuple[int, int] | None
    back: int = 0


@dataclass(frozen=True, slots=True)
class EarlierMessage:
    """An earlier message of the person, its text in lower case, and the requests in it."""

    message: Message
    low: str
    requests: tuple[PassingRequest, ...]


def passing_requests(
    low: str,
    message: Message,
    withheld: Sequence[tuple[int, int]],
    earlier: Sequence[EarlierMessage],
    classifier: SentenceClassifier | None,
) -> list[PassingRequest]:
    """Return the requests in a message that `forget_command` does not match; `low` is its text as read, in lower case.

    `withheld` has the spans that the person asked not to keep; `earlier` the earlier messages of the chat, latest last.
    Without a classifier, only requests in known wordings are found.
    """
    spans = [(start, end) for start, end, _ in sentences(low)]
    asking = asking_spans(message.text, low, spans, classifier) if classifier else set()
    if not asking and not _HINT.search(low):
        return []
    reading = _Reading(low, spans, withheld, earlier, message.created_at, asking)
    found = reading.found
    for place, (start, end) in enumerate(reading.spans):
        if one := reading.request_at(place):
            known = one.meant and any((each.meant, each.back) == (one.meant, one.back) for each in found)
            found.append(replace(one, meant=None) if known else one)
        elif found and found[-1].end == reading.spans[place - 1][1] and REASON.search(low, start, end):
            found.append(PassingRequest(start, end, None))
    return found


@dataclass(slots=True)
class _Reading:
    """A message, the spans of its sentences, and the requests found in those read so far.

    `stems` are those of the earlier messages and of the first `counted` sentences.
    """

    low: str
    spans: Sequence[tuple[int, int]]
    withheld: Sequence[tuple[int, int]]
    earlier: Sequence[EarlierMessage]
    said_at: int | None
    asking: Collection[tuple[int, int]]  # spans that the classifier takes for requests
    found: list[PassingRequest] = field(default_factory=list)
    stems: set[str] = field(default_factory=set)
    counted: int = -1

    def stems_before(self, place: int) -> set[str]:
        """Return the stems of all that the chat said before a sentence."""
        texts = [message.low for message in self.earlier] if self.counted < 0 else []
        texts += [self.low[slice(*span)] for span in self.spans[max(self.counted, 0) : place]]
        self.stems |= {stem(word) for text in texts for word in plain_words(text)}
        self.counted = place
        return self.stems

    def request_at(self, place: int) -> PassingRequest | None:
        """Return the request in a sentence, or None."""
        low, spans = self.low, self.spans
        start, end = spans[place]
        before = spans[place - 1] if place else None
        if (
            before
            and _DO_NOT.match(low, start, end)
            and _REMEMBER.match(low, *before)
            and (mention := TOLD.search(low, *before))
        ):
            rest = (mention.end(), before[1])
            rest = rest[0], rest[0] + len(low[slice(*rest)].rstrip(" .!?…"))
            whole = (low.index("remember", before[0]) + len("remember"), mention.start())
            return PassingRequest(before[0], end, rest if _contents(low, *rest) else whole)
        is_asking = (start, end) in self.asking
        if not is_asking and not _HINT.search(low, start, end):
            return None
        is_withheld = any(first < end and start < last for first, last in self.withheld)
        if not is_withheld:
            starts = [start, *(one.end() for one in english().cues["forget_after"].finditer(low, start + 1, end))]
            bodies = (forget_command(low, first, end) for first in starts)
            body = next((one for one in bodies if one is not None), None)
            topic = forgotten_before(low, start, end) if body is None else None
            if (body is not None and not _OF_OTHER.match(low, body, end)) or (topic and _contents(low, *topic)):
                return None  # the reader finds it without this module
        near = " . ".join(low[slice(*spans[at])] for at in (place - 1, place + 1) if 0 <= at < len(spans))
        said = low[start:end]
        after = low[slice(*spans[place + 1])] if place + 1 < len(spans) else ""
        is_silence = not _RAISES.search(said) and asks_silence(said, near, after)
        is_pointing = is_silence and points_at_subject(said)
        if is_silence and not is_pointing and is_standing_order(said, asked=False, by_score=False):
            return None  # an order that names its subject
        wording = find_wording(said, near) or (find_wanted(said) if is_asking else None)
        if wording is None:
            return None
        wording = replace(wording, sure=wording.sure or is_asking)
        asks = start + wording.start
        meant = wording.body and (start + wording.body[0], start + wording.body[1])
        back, told = 0, wording.told
        if meant is None or not _contents(low, *meant):
            inside = _said_before(low, spans[:place], self.found, said)
            if inside and not inside[1] and forget_command(low, *inside[0]) is not None:
                return PassingRequest(asks, end_of_request(low, asks, end), None)  # the reason of that request
            if inside:
                meant, back, told = inside[0], inside[1], told or inside[2]
                if is_withheld and not told and not back:
                    return None
            elif is_pointing:
                return None  # its pronoun may point at anything
            else:
                meant, back = self.said_in_earlier(said) or (None, 0)
            if not (wording.sure or told):
                return None
        elif is_withheld and not told and not wording.named:
            return None
        elif not wording.sure and not told:
            wanted = {stem(word) for word in _contents(low, *meant)}
            if len(wanted & self.stems_before(place)) < max(1, len(wanted) * _MIN_MENTIONED):
                return None
        if meant is None and not wording.sure:
            return None
        if meant and is_rule(said):
            return PassingRequest(len(low), len(low), meant, back)
        first = start if meant and not back and start <= meant[0] < asks else asks
        named = meant is not None and not back and meant[0] >= asks
        instead = (restated(low, meant[0], end) if meant and named else None) or order_after(low, asks, end)
        return PassingRequest(first, instead[1] if instead else end_of_request(low, asks, end), meant, back)

    def said_in_earlier(self, said: str) -> tuple[tuple[int, int], int] | None:
        """Return the latest passage of the messages just before that a request may point at, and how many back."""
        for at, message in enumerate(reversed(self.earlier[-_MESSAGES:]), 1):
            if self.said_at and message.message.created_at and self.said_at - message.message.created_at > _SOON:
                break
            passages = [(first, last) for first, last, _ in sentences(message.low)]
            if found := _said_before(message.low, passages, message.requests, said):
                return found[0], at + found[1]
        return None


def _said_before(
    low: str, spans: Sequence[tuple[int, int]], found: Sequence[PassingRequest], said: str
) -> tuple[tuple[int, int], int, bool] | None:
    """Return the latest passage before a request in its message, how many messages back, and if it was told before.

    What is about a man is not meant by a request `said` about "her", nor the reverse.
    """
    other = next((other for pointing, other in _OTHERS if pointing.search(said)), None)
    found = found[-2 * _SENTENCES :]  # a sentence has at most two
    for start, end in reversed(spans[-_SENTENCES:]):
        same = next((one for one in found if one.start < end and start < one.end), None)
        if same:
            if same.meant:
                return same.meant, same.back, True
            continue
        if low[start:end].rstrip().endswith("?") or _DURATION.match(low, start, end):
            continue
        if other and other[0].search(low, start, end) and not other[1].search(low, start, end):
            continue
        told = TOLD.search(low, start, end)
        if told and _contents(low, told.end(), end):
            return (told.end(), end), 0, True
        first = opening.end() if (opening := OPENING.match(low, start, end)) else start
        if _contents(low, first, end) and not _OF_THAT.match(low, first, end):
            return (first, end), 0, False
    return None


def _contents(low: str, start: int, end: int) -> list[str]:
    """Return the words of a span that may name a thing."""
    empty = empty_words()
    return [
        word for word in plain_words(low[start:end]) if word[0].isalnum() and not {word, word.partition("'")[0]} & empty
    ]

"""Rule-based distiller: finds statements people make about themselves by pattern, without a model."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import astuple, dataclass, field, replace

from curator.distill.atoms import Part, parts_of
from curator.distill.candidate import REQUESTED, Distilled, ForgetRequest
from curator.distill.chat_score import (
    LASTING_IN_SESSION,
    NO_ORDER,
    NO_ORDER_IN_SESSION,
    NO_REQUEST,
    ORDER,
    ORDER_IN_SESSION,
    REQUEST,
    STATED,
    UNLIKELY_ORDER,
    UNREAD,
    Reader,
    Scores,
    scores,
)
from curator.distill.clauses import (
    EXTEND_TO,
    Statement,
    clauses,
    forget_command,
    presupposed_fact,
    remember_command,
    sentences,
    statements,
    to_remember,
)
from curator.distill.collector import HEDGED, MAX_CONFIDENCE, MAX_TEXT, Collector, cut
from curator.distill.filters import without_statement
from curator.distill.for_good import asks_unmarked, is_question
from curator.distill.language import (
    CLEARLY,
    english,
    english_share,
    is_english,
    of_sessions,
    orders,
    scored,
    told,
)
from curator.distill.mask import blank, lower
from curator.distill.other_languages import (
    family_of,
    is_likelier_other,
    language_of,
    languages_in,
    long_enough,
    read,
    unaccented,
)
from curator.distill.remember_requests import (
    ask_to_remember,
    is_bare_request,
    is_unnamed,
    keep_asked,
    says_nothing,
)
from curator.distill.session_score import scale
from curator.secrets import MARK
from curator.text import first_person, worded
from store.model import DISTILLED_CHANNELS, Channel, Conversation, Kind, Message, Refusal, Role, Tier

MOST_READ = 150_000
"""Maximum characters read of a message; longer ones were not typed."""
MOST = 30
PER_CANDIDATE = 120
"""Characters of the person's own words that allow one candidate above the limit, up to `MOST`."""
TYPED = 400
"""Maximum characters of a message that was hardly pasted: its sentences need not name the person to tell of them."""

_HEADING = re.compile(r"#{1,6}\s.*|(\*\*|__)[^*_]+\1:?|\*\*[^*]+:\*\*")


def distil(
    conversation: Conversation,
    messages: Sequence[Message],
    *,
    limit: int = 5,
    confidence: float = 0.5,
    reader: Reader | None = None,
    after: int = 0,
) -> Distilled:
    """Return candidates from the person's own turns of one conversation, in text order.

    `limit` is the maximum number of candidates per message; long messages may have one more per 120 characters of the
    person's own words, up to 30; standing instructions and saved memories are unlimited. `confidence` is the
    minimum for pattern matches (0-1). Of a coding session only what lasts beyond it counts: orders, conventions,
    decisions, the person. In a chat among people, nothing is asked of an assistant. `reader` reads the sentences of
    chats, in messages with ids above `after`. Every refused statement is returned as a refusal with its reason.
    """
    language = of_sessions() if conversation.agent else english()
    roles = {message.role for message in messages}
    among = Role.OTHER in roles and Role.ASSISTANT not in roles
    readings = [_Reading(Collector(message, language), among) for message in messages if is_own(message)]
    for reading in readings:
        if reading.kept.message.channel is not Channel.SPOKEN:
            reading.read_saved()
        else:
            reading.read_spoken(confidence, reader if reading.kept.message.id > after else None)
            if among:
                reading.kept.candidates = [replace(one, always=False) for one in reading.kept.candidates]
            reading.kept.limit(most_of(limit, reading.kept.low) + reading.kept.more)
    refusals = tuple(refusal for reading in readings for refusal in reading.kept.refusals)
    return Distilled(
        candidates=tuple(candidate for reading in readings for candidate in reading.kept.candidates),
        refusals=refusals,
        forget_requests=tuple(forget for reading in readings for forget in reading.forgets),
        counts=dict(Counter(refusal.reason for refusal in refusals)),
    )


def is_order(text: str) -> bool:
    """Return True if a typed text is a standing order ("always …", "from now on …") or a request to remember."""
    said = Message(id=0, conversation=0, ordinal=0, role=Role.USER, text=text)
    found = distil(Conversation(id=0, source="typed", messages=1), [said], confidence=0.0)
    return any(one.always for one in found.candidates)


def read_sentences(text: str, spans: Sequence[tuple[int, int]], reader: Reader) -> dict[tuple[int, int], Scores]:
    """Return the scores of sentences of a text by a classifier, but of those that say nothing by their words."""
    places = [(start, end) for start, end in spans if max(astuple(scores(text[start:end]))) >= UNREAD]
    return dict(zip(places, reader([text[start:end] for start, end in places]), strict=True)) if places else {}


def outlasts_session(reading: Scores) -> bool:
    """Return True if the classifier is sure that a line of a coding session holds beyond it."""
    return reading.order >= ORDER_IN_SESSION or reading.lasting >= LASTING_IN_SESSION


def most_of(limit: int, said: str) -> int:
    """Return the maximum number of candidates of a message: `limit`, or more for a long text."""
    return max(limit, min(MOST, len("".join(said.split())) // PER_CANDIDATE))


def is_own(message: Message) -> bool:
    """Return whether a message is an active turn or an instruction of the person, or saved about them."""
    if message.channel not in DISTILLED_CHANNELS or not message.active:
        return False
    return message.channel is not Channel.SPOKEN or (message.role is Role.USER and not message.hidden)


@dataclass(slots=True)
class _Reading:
    """A message that is read sentence by sentence into a collector, with its requests to forget."""

    kept: Collector
    among: bool = False  # people, who are asked to remember and told what to do in place of an assistant
    plain: str = ""  # `low` as other languages are matched
    given: int = 0  # end of text that was given to be worked on
    forgets: list[ForgetRequest] = field(default_factory=list)
    read: dict[tuple[int, int], Scores] = field(default_factory=dict)  # sentences by a classifier

    def read_saved(self) -> None:
        """Read standing instructions, or memories saved by another system: every sentence counts."""
        text = self.kept.message.text
        low = self.kept.low = lower(text)
        saved = self.kept.message.channel is Channel.SAVED
        for start, end, _ in sentences(low):
            line_end = low.find("\n", end)
            line = low[low.rfind("\n", 0, start) + 1 : line_end if line_end >= 0 else len(low)].strip()
            if not long_enough(low[start:end]):
                self.kept.refuse(start, end, "too_short")
            elif MARK in text[start:end]:
                self.kept.refuse(start, end, "secret")
            elif _HEADING.fullmatch(line):
                self.kept.refuse(start, end, "heading")
            else:
                plain = first_person(low[start:end])
                family = english().family(plain, 0, len(plain), plain)
                family = family or family_of(unaccented(low[start:end]), text[start:end])
                for part in parts_of(low, text, start, cut(low, start, end), family, english()):
                    self.kept.candidates.append(
                        replace(
                            self.kept.candidate(part, text[start : cut(low, start, end)]),
                            kind=part.family.kind if part.family else Kind.FACT if saved else Kind.PREFERENCE,
                            confidence=0.85 if saved else 0.8,
                            importance=8,
                            tier=Tier.MEDIUM if saved else Tier.CORE,
                        )
                    )

    def read_spoken(self, least: float, reader: Reader | None) -> None:
        """Read a turn of the person; pattern matches need a confidence of at least `least`."""
        text = self.kept.message.text
        if len(text) > MOST_READ:
            self.kept.refuse(MOST_READ, len(text), "too_long")
        self.kept.low, blocks = blank(text[:MOST_READ])
        for block in blocks:
            self.kept.refuse(block.start, block.end, block.reason)
        if not self.kept.low.strip():
            return
        self.plain = unaccented(self.kept.low)
        foreign = not is_english(self.kept.low)
        missed: list[tuple[int, int]] = []
        spans = list(sentences(self.kept.low))
        strict = self.kept.language.strict
        if reader is not None and not foreign:
            self.read = read_sentences(text, [(start, end) for start, end, _ in spans], reader)
        before: tuple[int, int] | None = None
        asking: tuple[int, int] | None = None  # a request to remember what the next sentence says
        for start, end, is_item in spans:
            reading = self.read.get((start, end))
            self.kept.read = None if strict else reading
            self.kept.outlasts = strict and reading is not None and outlasts_session(reading)
            if start < self.given:
                self.kept.refuse(start, end, "quoted")
                continue
            if is_bare_request(self.kept, self.plain, start, end):
                if self.among:
                    self.kept.refuse(start, end, "no_pattern")
                elif before is None:
                    asking = start, end
                elif not ask_to_remember(self.kept, before, (start, end)):
                    self.kept.refuse(start, end, "no_pattern")
                continue
            if asking and before:
                ask_to_remember(self.kept, before, asking)
                asking = None
            before = start, end
            said = self.kept.low[start:end]
            share = english_share(said)
            other = foreign or not is_english(said) or not share
            other = other or (share < 2 * CLEARLY and is_likelier_other(self.plain[start:end]))
            if other and self.read_other(start, end, least):
                continue
            if foreign and english_share(said) < CLEARLY:
                missed.append((start, end))
            else:
                self.read_sentence(start, end, is_item, least)
        if asking and not (before and ask_to_remember(self.kept, before, asking)):
            self.kept.refuse(*asking, "no_pattern")
        if missed and not self.kept.candidates and not self.forgets and not self.kept.refusals[len(blocks) :]:
            missed = [(0, len(self.kept.low))]
        for start, end in missed:
            self.kept.refuse(start, end, "language")

    def read_other(self, start: int, end: int, least: float) -> bool:
        """Read a sentence in a language other than English; return False if nothing in it is understood."""
        message = self.kept.message
        for code in languages_in(self.plain[start:end], self.plain):
            language = language_of(code)
            found = read(self.plain, message.text, start, end, language)
            for said in found:
                first, last, family = said.start, cut(self.kept.low, said.start, said.end), said.family
                part, whole = Part(first, last, family), message.text[first:last]
                if said.sort == "forget":
                    query = worded(message.text[first:last])[:MAX_TEXT].rstrip(".!。")
                    self.forgets.append(ForgetRequest(message.id, first, last, query, message.created_at))
                elif MARK in whole:
                    self.kept.refuse(first, last, "secret")
                elif said.sort == "remember" and self.among:
                    self.kept.refuse(first, last, "no_pattern")
                elif said.sort == "remember":
                    kept = replace(self.kept.candidate(part, whole), confidence=MAX_CONFIDENCE, importance=REQUESTED)
                    self.kept.candidates.append(replace(kept, tier=Tier.CORE, always=True))
                elif said.sort != "fact" or family is None:
                    self.kept.refuse(first, last, said.sort)
                    if said.sort == "quoted":
                        line_end = self.plain.find("\n", end) if self.plain[end - 1] != ":" else -1
                        self.given = line_end if line_end >= 0 else len(self.plain)
                elif self.kept.language.strict and not family.standing and family.kind is not Kind.IDENTITY:
                    self.kept.refuse(first, last, "transient")
                elif (confidence := round(family.confidence - (HEDGED if said.hedged else 0.0), 2)) < least:
                    low = Refusal(message.id, first, last, "low_confidence", family.kind, confidence)
                    self.kept.refusals.append(low)
                else:
                    self.kept.candidates.append(replace(self.kept.candidate(part, whole), confidence=confidence))
            if found:
                return True
        return False

    def read_sentence(self, start: int, end: int, is_item: bool, least: float) -> None:
        message, low = self.kept.message, self.kept.low
        for later in english().cues["forget_after"].finditer(low, start + 1, end):
            if forget_command(low, later.end(), end) is not None:
                self.read_sentence(later.end(), end, is_item, least)
                end = later.start()
                break
        while (body := forget_command(low, start, end)) is not None:
            stop = low.find("; ", body, end)  # what follows is another statement
            last = stop if stop >= 0 else end - (low[end - 1] == "?")
            query = worded(message.text[body:last])[:MAX_TEXT].rstrip(".!")
            self.forgets.append(ForgetRequest(message.id, body, last, query, message.created_at))
            if stop < 0 or not low[stop + 2 : end].strip():
                return
            start = stop + 2
        self.kept.sorts = set()
        score = self.kept.score(start, end)
        asked = remember_command(low, start, end, self.kept.language)
        if asked and (score.request < NO_REQUEST or says_nothing(self.kept, *asked, score.request)):
            asked = None
        performed = english().cues["performed"].search(low, start, end)
        if not asked and not performed and low[end - 1] != ":" and score.request >= max(REQUEST, score.order):
            asked = to_remember(low, start, end, score.request >= REQUEST + 1)
            asked = None if asked and says_nothing(self.kept, *asked, score.request) else asked
        if asked and asks_unmarked(low[slice(*asked)]):
            asked = None
        if asked and MARK not in message.text[slice(*asked)]:
            if self.among:
                family = self.kept.language.family(low, *asked, message.text)
                if family and not is_unnamed(low, *asked):
                    self.kept.admit(Statement(*asked, family), is_item, False, least)
                else:
                    self.kept.refuse(start, end, "no_pattern")
            else:
                keep_asked(self.kept, (start, end), asked)
            return
        if english().cues["declared"].match(low, start, end) and low[end - 1] != "?":
            decision = next(family for family in english().families if family.name == "decision")
            self.kept.admit(Statement(start, end, decision), is_item, False, least)
            return
        if performed:
            self.kept.refuse(start, end, "quoted")
            return
        parts = clauses(low, message.text, start, end, self.kept.language)
        asking = any(part.sort == "question" or (part.family and part.family.asking) for part in parts)
        if parts and not asking and (low[end - 1] == "?" or asks_unmarked(low[start:end])):
            parts[-1] = replace(parts[-1], sort="question", family=None)
        least_order = NO_ORDER_IN_SESSION if self.kept.language.strict else NO_ORDER
        found = [
            one
            for one in statements(parts)
            if not one.family.standing
            or one.family.sure
            or one.family.kind is Kind.IDENTITY
            or score.order >= least_order
        ]
        is_order = score.order >= ORDER + (STATED if found else 0) and self.is_plain(start, end)
        is_order = is_order and (score.lasting < self.kept.least_lasting or score.order >= score.lasting)
        is_order = is_order and not (low[end - 1] == "?" and is_question(low[start:end]))
        if is_order and self.kept.read is not None:
            by_words = scores(message.text[start:end])
            is_order = max(by_words.order, by_words.lasting) >= UNLIKELY_ORDER
        if is_order and not any(one.family.standing for one in found):
            opener = english().cues["opener"].match(low, start, end)
            first = opener.end() if opener and opener.end() < end else start
            found = [Statement(first, end, orders().families[0])]
        self.kept.sorts = {part.sort for part in parts} - {"", "fact"} | ({"asks"} if low[end - 1] == "?" else set())
        ours = len(low) <= TYPED or english().cues["personal"].search(low, start, end)
        may_tell = not self.kept.language.strict and not self.kept.sorts & {"asks", "hypothetical"}
        if (
            not found
            and may_tell
            and low[end - 1] != ":"
            and ours
            and is_english(low[start:end])
            and self.is_plain(start, end)
        ):
            opener = english().cues["opener"].match(low, start, end)
            first = opener.end() if opener and opener.end() < end else start
            lasts = self.kept.score(start, end).lasting >= self.kept.least_lasting
            if lasts and (family := told().family(low, first, end, message.text)):
                found = [Statement(start, end, family)]
        brief = self.kept.language.strict and end - start <= EXTEND_TO and low[end - 1] != "?"
        if not found and brief and (self.kept.outlasts or scale().score(message.text[start:end]) >= scale().least):
            opener = self.kept.language.cues["opener"].match(low, start, end)
            first = opener.end() if opener and opener.end() < end and not low.startswith("no ", start) else start
            family = scored().family(low, first, end, message.text)
            if family and (self.kept.outlasts or not family.standing or score.order >= least_order):
                found = [Statement(first, end, family)]
        if not found and (fact := presupposed_fact(low, start, end)):
            health = next(family for family in english().families if family.name == "health")
            found = [Statement(*fact, health)]
        if not found:
            reason = without_statement(low, start, end, parts)
            if reason == "language" or not self.read_other(start, end, least):
                self.kept.refuse(start, end, reason)
        corrected = bool(english().cues["correction"].match(low, start, end))
        for statement in found:
            self.kept.admit(statement, is_item, corrected, least, (found[0].start, found[-1].end))

    def is_plain(self, start: int, end: int) -> bool:
        """Return True unless a sentence has accents and few English words: short Spanish passes for English."""
        said = self.kept.low[start:end]
        return said.isascii() or english_share(said) >= 1.5 * CLEARLY

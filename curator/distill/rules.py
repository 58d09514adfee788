"""Rule-based distiller: finds statements people make about themselves by pattern, without a model."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from curator.distill.atoms import Part, parts_of, without_fillers
from curator.distill.candidate import Candidate, Distilled, ForgetRequest
from curator.distill.chat_score import (
    DATED,
    DOUBTFUL,
    LEAST,
    NO_ORDER,
    NO_ORDER_IN_SESSION,
    NO_REQUEST,
    ORDER,
    REQUEST,
    SAYING,
    STATED,
    Scores,
    weights,
)
from curator.distill.clauses import (
    EXTEND_TO,
    Statement,
    clauses,
    forget_command,
    remember_command,
    sentences,
    statements,
    to_remember,
)
from curator.distill.features import IN_SESSION, features
from curator.distill.filters import SHORTEST, refuse, refuse_in_session, without_statement
from curator.distill.language import (
    CLEARLY,
    Language,
    english,
    english_share,
    is_english,
    of_sessions,
    orders,
    scored,
    told,
)
from curator.distill.mask import blank, lower
from curator.distill.other_languages import family_of, language_of, languages_in, long_enough, read, unaccented
from curator.distill.session_score import scale
from curator.distill.surprise import signals
from curator.injection import flag_injection
from curator.secrets import MARK
from curator.text import first_person, worded
from curator.text.dates import with_dates, without_dates
from curator.text.normalize import EDGES
from store.model import DISTILLED_CHANNELS, Channel, Conversation, Kind, Message, Refusal, Role, Tier

MAX_TEXT = 500
MAX_CONFIDENCE = 0.9
MOST_READ = 150_000
"""Maximum characters read of a message; longer ones were not typed."""
HEDGED = 0.15
MOST = 30
PER_CANDIDATE = 120
"""Characters of the person's own words that allow one candidate above the limit, up to `MOST`."""
ALIKE = 2
OPENING = 5
"""`ALIKE` candidates of a message may begin with the same `OPENING` words."""

TYPED = 400
"""Maximum characters of a message that was hardly pasted: its sentences need not name the person to tell of them."""

_GLUE = 30
_HEADING = re.compile(r"#{1,6}\s.*|(\*\*|__)[^*_]+\1:?|\*\*[^*]+:\*\*")


def distil(
    conversation: Conversation,
    messages: Sequence[Message],
    *,
    limit: int = 5,
    confidence: float = 0.5,
) -> Distilled:
    """Return candidates from the person's own turns of one conversation, in text order.

    `limit` is the maximum number of candidates per message; long messages may have one more per 120 characters of the
    person's own words, up to 30; standing instructions and saved memories are unlimited. `confidence` is the
    minimum for pattern matches (0-1). Of a coding session only what lasts beyond it counts: orders, conventions,
    decisions, the person. Every refused statement is returned as a refusal with its reason.
    """
    language = of_sessions() if conversation.agent else english()
    readings = [_Reading(message, language) for message in messages if is_own(message)]
    for reading in readings:
        if reading.message.channel is not Channel.SPOKEN:
            reading.read_saved()
        else:
            reading.read_spoken(confidence)
            reading.limit(most_of(limit, reading.low) + reading.more)
    refusals = tuple(refusal for reading in readings for refusal in reading.refusals)
    return Distilled(
        candidates=tuple(candidate for reading in readings for candidate in reading.candidates),
        refusals=refusals,
        forget_requests=tuple(forget for reading in readings for forget in reading.forgets),
        counts=dict(Counter(refusal.reason for refusal in refusals)),
    )


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
    """A message with its candidates, refusals and requests to forget; `low` is its text as read, in lower case."""

    message: Message
    language: Language
    low: str = ""
    plain: str = ""  # `low` as other languages are matched
    given: int = 0  # end of text that was given to be worked on
    candidates: list[Candidate] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    forgets: list[ForgetRequest] = field(default_factory=list)
    sorts: set[str] = field(default_factory=set)  # of the clauses of the sentence at hand that state nothing
    more: int = 0  # parts beyond the first of a statement, which count as one

    def refuse(self, start: int, end: int, reason: str) -> None:
        self.refusals.append(Refusal(self.message.id, start, end, reason))

    def read_saved(self) -> None:
        """Read standing instructions, or memories saved by another system: every sentence counts."""
        text = self.message.text
        low = self.low = lower(text)
        saved = self.message.channel is Channel.SAVED
        for start, end, _ in sentences(low):
            line_end = low.find("\n", end)
            line = low[low.rfind("\n", 0, start) + 1 : line_end if line_end >= 0 else len(low)].strip()
            if not long_enough(low[start:end]):
                self.refuse(start, end, "too_short")
            elif MARK in text[start:end]:
                self.refuse(start, end, "secret")
            elif _HEADING.fullmatch(line):
                self.refuse(start, end, "heading")
            else:
                plain = first_person(low[start:end])
                family = english().family(plain, 0, len(plain), plain)
                family = family or family_of(unaccented(low[start:end]), text[start:end])
                for part in parts_of(low, text, start, _cut(low, start, end), family, english()):
                    self.candidates.append(
                        replace(
                            self.candidate(part, text[start : _cut(low, start, end)]),
                            kind=part.family.kind if part.family else Kind.FACT if saved else Kind.PREFERENCE,
                            confidence=0.85 if saved else 0.8,
                            importance=8,
                            tier=Tier.MEDIUM if saved else Tier.CORE,
                        )
                    )

    def read_spoken(self, least: float) -> None:
        """Read a turn of the person; pattern matches need a confidence of at least `least`."""
        text = self.message.text
        if len(text) > MOST_READ:
            self.refuse(MOST_READ, len(text), "too_long")
        self.low, blocks = blank(text[:MOST_READ])
        for block in blocks:
            self.refuse(block.start, block.end, block.reason)
        if not self.low.strip():
            return
        self.plain = unaccented(self.low)
        foreign = not is_english(self.low)
        missed: list[tuple[int, int]] = []
        for start, end, is_item in sentences(self.low):
            if start < self.given:
                self.refuse(start, end, "quoted")
                continue
            said = self.low[start:end]
            other = foreign or not is_english(said)
            if other and self.read_other(start, end, least):
                continue
            if foreign and english_share(said) < CLEARLY:
                missed.append((start, end))
            else:
                self.read_sentence(start, end, is_item, least)
        if missed and not self.candidates and not self.forgets and not self.refusals[len(blocks) :]:
            missed = [(0, len(self.low))]
        for start, end in missed:
            self.refuse(start, end, "language")

    def read_other(self, start: int, end: int, least: float) -> bool:
        """Read a sentence in a language other than English; return False if nothing in it is understood."""
        message = self.message
        for code in languages_in(self.plain[start:end], self.plain):
            language = language_of(code)
            found = read(self.plain, message.text, start, end, language)
            for said in found:
                first, last, family = said.start, _cut(self.low, said.start, said.end), said.family
                part, whole = Part(first, last, family), message.text[first:last]
                if said.sort == "forget":
                    query = worded(message.text[first:last])[:MAX_TEXT].rstrip(".!。")
                    self.forgets.append(ForgetRequest(message.id, first, last, query, message.created_at))
                elif MARK in whole:
                    self.refuse(first, last, "secret")
                elif said.sort == "remember":
                    kept = replace(self.candidate(part, whole), confidence=MAX_CONFIDENCE, importance=10)
                    self.candidates.append(replace(kept, tier=Tier.CORE))
                elif said.sort != "fact" or family is None:
                    self.refuse(first, last, said.sort)
                    if said.sort == "quoted":
                        line_end = self.plain.find("\n", end) if self.plain[end - 1] != ":" else -1
                        self.given = line_end if line_end >= 0 else len(self.plain)
                elif self.language.strict and not family.standing and family.kind is not Kind.IDENTITY:
                    self.refuse(first, last, "transient")
                elif (confidence := round(family.confidence - (HEDGED if said.hedged else 0.0), 2)) < least:
                    low = Refusal(message.id, first, last, "low_confidence", family.kind, confidence)
                    self.refusals.append(low)
                else:
                    self.candidates.append(replace(self.candidate(part, whole), confidence=confidence))
            if found:
                return True
        return False

    def read_sentence(self, start: int, end: int, is_item: bool, least: float) -> None:
        message, low = self.message, self.low
        if (body := forget_command(low, start, end)) is not None:
            stop = low.find("; ", body, end)  # what follows is another statement
            last = stop if stop >= 0 else end - (low[end - 1] == "?")
            query = worded(message.text[body:last])[:MAX_TEXT].rstrip(".!")
            self.forgets.append(ForgetRequest(message.id, body, last, query, message.created_at))
            if stop >= 0:
                self.read_sentence(stop + 2, end, is_item, least)
            return
        scores = self.scores(start, end)
        asked = remember_command(low, start, end, self.language)
        if asked and (scores.request < NO_REQUEST or self.says_nothing(*asked, scores.request)):
            asked = None
        performed = english().cues["performed"].search(low, start, end)
        if not asked and not performed and scores.request >= max(REQUEST, scores.order):
            asked = to_remember(low, start, end, scores.request - REQUEST >= STATED)
            asked = None if asked and self.says_nothing(*asked, scores.request) else asked
        if asked and MARK not in message.text[slice(*asked)]:
            family = self.language.family(low, *asked, message.text)
            stop = _cut(low, *asked)
            for part in parts_of(low, message.text, asked[0], stop, family, self.language):
                candidate = self.candidate(part, message.text[asked[0] : stop])
                self.candidates.append(replace(candidate, confidence=MAX_CONFIDENCE, importance=10, tier=Tier.CORE))
            return
        if english().cues["declared"].match(low, start, end) and low[end - 1] != "?":
            decision = next(family for family in english().families if family.name == "decision")
            self.admit(Statement(start, end, decision), is_item, False, least)
            return
        if performed:
            self.refuse(start, end, "quoted")
            return
        parts = clauses(low, message.text, start, end, self.language)
        asking = any(part.sort == "question" or (part.family and part.family.asking) for part in parts)
        if low[end - 1] == "?" and parts and not asking:
            parts[-1] = replace(parts[-1], sort="question", family=None)
        least_order = NO_ORDER_IN_SESSION if self.language.strict else NO_ORDER
        found = [
            one
            for one in statements(parts)
            if not one.family.standing or one.family.kind is Kind.IDENTITY or scores.order >= least_order
        ]
        if scores.order >= ORDER + (STATED if found else 0) and not any(one.family.standing for one in found):
            opener = english().cues["opener"].match(low, start, end)
            first = opener.end() if opener and opener.end() < end else start
            found = [Statement(first, end, orders().families[0])]
        self.sorts = {part.sort for part in parts} - {"", "fact"} | ({"asks"} if low[end - 1] == "?" else set())
        ours = len(low) <= TYPED or english().cues["personal"].search(low, start, end)
        may_tell = not self.language.strict and not self.sorts & {"asks", "hypothetical", "question"}
        if not found and may_tell and ours and is_english(low[start:end]) and self.is_plain(start, end):
            opener = english().cues["opener"].match(low, start, end)
            first = opener.end() if opener and opener.end() < end else start
            lasts = weights().scores(features(message.text[start:end], "", self.sorts)).lasting >= LEAST
            if lasts and (family := told().family(low, first, end, message.text)):
                found = [Statement(start, end, family)]
        brief = self.language.strict and end - start <= EXTEND_TO and low[end - 1] != "?"
        if not found and brief and scale().score(message.text[start:end]) >= scale().least:
            opener = self.language.cues["opener"].match(low, start, end)
            first = opener.end() if opener and opener.end() < end and not low.startswith("no ", start) else start
            family = scored().family(low, first, end, message.text)
            if family and (not family.standing or scores.order >= least_order):
                found = [Statement(first, end, family)]
        if not found:
            reason = without_statement(low, start, end, parts)
            if reason == "language" or not self.read_other(start, end, least):
                self.refuse(start, end, reason)
        corrected = bool(english().cues["correction"].match(low, start, end))
        for statement in found:
            self.admit(statement, is_item, corrected, least)

    def is_plain(self, start: int, end: int) -> bool:
        """Return True unless a sentence has accents and few English words: short Spanish passes for English."""
        said = self.low[start:end]
        return said.isascii() or english_share(said) >= 1.5 * CLEARLY

    def says_nothing(self, start: int, end: int, request: float) -> bool:
        """Return True for a saying of a general chat: "remember, believe in yourself"; `request` is its score."""
        if self.language.strict or english().cues["personal"].search(self.low, start, end):
            return False
        return self.scores(start, end).lasting + request < SAYING

    def scores(self, start: int, end: int) -> Scores:
        """Return the scores of a sentence."""
        found = features(self.message.text[start:end])
        return weights().scores(found | {IN_SESSION} if self.language.strict else found)

    def admit(self, statement: Statement, is_item: bool, corrected: bool, least: float) -> None:
        """Add each part of a statement as a candidate; all of it, if one would be refused."""
        family, start, end, text = statement.family, statement.start, statement.end, self.message.text
        strict = self.language.strict
        if strict and (tail := self.language.cues["tail"].search(self.low, start + SHORTEST, end)):
            end = tail.start()
        whole = text[start : _cut(self.low, start, end)]
        clean = without_fillers(self.low, start, end, family.standing)
        if clean[1] - clean[0] >= SHORTEST:
            start, end = clean
        end = _cut(self.low, start, end)
        score = weights().scores(features(text[start:end], family.name, self.sorts)).lasting
        parts = [] if strict else list(parts_of(self.low, text, start, end, family, self.language))
        while len(parts) > 1:  # a part that would be refused belongs to the one before
            words = [part.words(text) for part in parts]
            places = (
                place
                for place, (part, said) in enumerate(zip(parts, words, strict=True))
                if not part.family or refuse(part.family, said, lower(said), signals(said), is_item)
            )
            if (odd := next(places, None)) is None:
                break
            at = max(odd, 1)
            parts[at - 1 : at + 1] = [replace(parts[at - 1], end=parts[at].end)]
        if len(parts) < 2:
            parts = [Part(start, end, family)]
        self.more += len(parts) - 1
        for part in parts:
            self.admit_part(part, whole, score, is_item, corrected, least)

    def admit_part(self, part: Part, whole: str, score: float, is_item: bool, corrected: bool, least: float) -> None:
        """Add a part of a statement with a lasting score, join it to the previous one it refers to, or refuse it."""
        family, start, end = part.family, part.start, part.end
        if family is None:
            return
        said = part.words(self.message.text)
        low = self.low[start:end] if part.subject is None else lower(said)
        hedged = bool(english().cues["hedge"].search(low))
        found = signals(said)
        confidence = family.confidence + 0.03 * min(found.specifics, 3) - (HEDGED if hedged else 0.0)
        confidence = min(MAX_CONFIDENCE, confidence)
        strict = self.language.strict
        if MARK in said:
            reason: str | None = "secret"
        else:
            reason = (
                refuse_in_session(family, said, low, found) if strict else refuse(family, said, low, found, is_item)
            )
        if not strict and not family.standing:
            if score < DOUBTFUL - (DATED if found.dates or family.kind is Kind.IDENTITY else 0):
                reason = reason or "transient"
            elif score >= LEAST and reason in ("vague", "generic") and not english().cues["pointing"].search(low):
                reason = None
        if reason == "vague" and found.specifics and self.candidates and not strict:
            last = self.candidates[-1]
            between = self.low[last.end : start]
            joined = worded(last.quote)[:MAX_TEXT] == without_dates(last.text)
            if joined and len(between) <= _GLUE and "\n\n" not in between and end - last.start <= MAX_TEXT:
                quote = self.message.text[last.start : end]
                flag = _flag(self.message.text, last.start, end)
                self.candidates[-1] = replace(last, end=end, quote=quote, flag=flag, **self.words(quote, quote))
                return
        if reason is None and confidence < least:
            reason = "low_confidence"
        confidence = round(confidence, 2)
        if reason:
            self.refusals.append(Refusal(self.message.id, start, end, reason, family.kind, confidence))
            return
        candidate = self.candidate(part, whole)
        raised = candidate.importance + (1 if corrected or family.change else 0)
        self.candidates.append(replace(candidate, confidence=confidence, importance=min(9, raised)))

    def candidate(self, part: Part, whole: str) -> Candidate:
        """Return the candidate of a part of `whole`."""
        message, family, start, end = self.message, part.family, part.first, part.end
        said, value = part.words(message.text), None
        if family and family.relation:
            found = family.match(lower(said), 0, len(said))
            if found and "object" in found.re.groupindex and found["object"] is not None:
                value = worded(said[slice(*found.span("object"))])[:MAX_TEXT] or None
        return Candidate(
            message=message.id,
            start=start,
            end=end,
            quote=message.text[start:end],
            **self.words(said, whole),
            kind=family.kind if family else Kind.FACT,
            tier=family.tier if family else Tier.MEDIUM,
            confidence=family.confidence if family else 0.5,
            importance=family.importance if family else 5,
            said_at=message.created_at,
            flag=_flag(message.text, start, end),
            subject="user" if value else None,
            relation=family.relation if family and value else None,
            object=value,
            standing=family is not None and family.standing,
            rule=family.name if family else "",
        )

    def words(self, said: str, whole: str) -> dict[str, Any]:
        """Return the text of what was said as a part of `whole`: instructions, sent every day, get no dates."""
        said_at = None if self.message.channel is Channel.INSTRUCTIONS else self.message.created_at
        plain, everything = worded(said)[:MAX_TEXT], worded(whole)[:MAX_TEXT]
        text = with_dates(plain, said_at)
        text = text if len(text) <= MAX_TEXT else plain
        return {"text": text, "whole": everything if text != everything else ""}

    def limit(self, most: int) -> None:
        """Keep the best `most` candidates by importance and confidence, then position, without repeated openings."""
        begun: Counter[str] = Counter()
        kept: list[Candidate] = []
        excess: list[tuple[Candidate, str]] = []
        for one in self.candidates:
            opening = " ".join(one.text.lower().split()[:OPENING])
            begun[opening] += 1
            if begun[opening] > ALIKE:
                excess.append((one, "repetition"))
            else:
                kept.append(one)
        best = sorted(kept, key=lambda one: (-one.importance * one.confidence, one.start))
        excess += [(one, "limit") for one in best[most:]]
        self.refusals += [
            Refusal(one.message, one.start, one.end, reason, one.kind, one.confidence) for one, reason in excess
        ]
        self.candidates = sorted(best[:most], key=lambda one: (one.start, one.end))


def _flag(text: str, start: int, end: int) -> str | None:
    """Return the flag of the line around a quote, if it looks like instructions to a model."""
    first = max(text.rfind("\n", 0, start) + 1, start - MAX_TEXT)
    last = text.find("\n", end)
    return _flag_line(text[first : min(last if last >= 0 else len(text), end + MAX_TEXT)])


_flag_line = lru_cache(maxsize=64)(flag_injection)  # candidates of one paragraph share a line


def _cut(low: str, start: int, end: int) -> int:
    """Return `end` without trailing commas, moved back to a comma or space if the text would be too long."""
    if end - start > MAX_TEXT:
        comma = low.rfind(", ", start + MAX_TEXT // 2, start + MAX_TEXT)
        space = low.rfind(" ", start + MAX_TEXT // 2, start + MAX_TEXT)
        end = comma if comma > 0 else space if space > 0 else start + MAX_TEXT
    while end > start + 1 and low[end - 1] in EDGES:
        end -= 1
    return end

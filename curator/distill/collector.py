"""Collector of the candidates and refusals of a message: splits and words statements, and limits their number."""

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TypedDict

from curator import safety
from curator.distill.candidate import Candidate
from curator.distill.filters import SCORED_ORDER, SHORTEST, is_joke, refuse, refuse_in_session
from curator.distill.language import CLEARLY, Family, Language, english, english_share, is_english
from curator.distill.mask import lower
from curator.distill.other_languages import is_likelier_other, unaccented
from curator.distill.requests.standing_orders import is_about_that, is_for_one_thing, is_standing_order, says_for_good
from curator.distill.scores.chats import (
    ASIDE,
    DATED,
    DOUBTFUL,
    DOUBTFUL_CLASSIFIED,
    DOUBTFUL_SAFETY,
    LEAST,
    NO_ORDER,
    NO_ORDER_IN_SESSION,
    SURE,
    Scores,
    chance,
    scores,
)
from curator.distill.statements.atoms import StatementPart, parts_of, without_fillers, without_inner_fillers
from curator.distill.statements.clauses import EXTEND_TO, StatementSpan
from curator.distill.surprise import Signals, signals
from curator.distill.third_party.close_people import PRONOUN, is_of_somebody
from curator.injection import flag_injection
from curator.secrets import MARK
from curator.text import worded
from curator.text.dates import with_dates, without_dates
from curator.text.normalize import EDGES
from store.model import Channel, Kind, Message, Refusal, Tier

MAX_TEXT = 500
"""Maximum characters of the text of a candidate."""
MOST = 30
"""Maximum number of candidates of a message, not counting safety facts."""
MAX_CONFIDENCE = 0.9
SPECIFIC, SPECIFICS = 0.03, 3
"""Confidence added for each name, number and date of a statement, and the number of them that count."""
HEDGED = 0.15
"""Confidence deducted if the person is not sure ("I think")."""
_UNKNOWN = Kind.FACT, Tier.MEDIUM, 5
"""Kind, tier and importance of a candidate without a family."""
UNLIKELY, UNLIKELY_IMPORTANCE = 0.5, 3
"""A statement with less confidence than this is probably not a lasting one: it gets the low tier, and at most this
importance.
"""
_GRAVE = 9
"""Importance of facts that may cost a life."""
LISTED, BETWEEN, SKIPPED = 4, 12, 2
"""Minimum candidates in a row that form a list; maximum letters between two of them (a bullet, a number, "and also");
maximum list items between them without a candidate.
"""
ALIKE = 2
OPENING = 5
"""`ALIKE` candidates of a message may begin with the same `OPENING` words."""
_MAX_GAP = 30
"""Maximum letters between a statement and the previous one that it refers to, for the two to be joined."""
_LOOK_BACK = 200
"""Maximum letters of its sentence that are read before an order, for what it is limited to."""
_LAUGHTER = 20
"""Maximum letters after a statement that are read for laughter."""
_ENDINGS = ("\n", ". ", "! ", "? ")


class CandidateText(TypedDict):
    """The text of a candidate, and the full words as said if they differ from it."""

    text: str
    whole: str


@dataclass(slots=True)
class Collector:
    """The candidates and refusals of a message; `low` is its text as read, in lower case."""

    message: Message
    language: Language
    min_confidence: float  # of statements found by pattern
    low: str = ""
    candidates: list[Candidate] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    sorts: set[str] = field(default_factory=set)  # of clauses of the current sentence that are not statements
    classified: Scores | None = None  # of the current sentence by the classifier, if there is one
    outlasts: bool = False  # the classifier is sure that the current sentence outlasts its session
    requests: bool = False  # the classifier is sure that the current sentence of a session asks to remember something
    is_item: bool = False  # the current sentence is an item of a list
    asks: bool = False  # the current sentence is a question without a question mark
    aside: int | None = None  # start of the enclosing question, if the current span is a statement within one
    items: list[tuple[int, int]] = field(default_factory=list)  # spans of list items
    more: int = 0  # extra parts of split statements, which do not count towards the limit

    @property
    def least_lasting(self) -> float:
        """Minimum lasting score of a sentence in which no pattern found a statement."""
        return LEAST if self.aside is None else ASIDE

    @property
    def least_order(self) -> float:
        """Minimum order score of an order found by a pattern."""
        return NO_ORDER_IN_SESSION if self.language.strict else NO_ORDER

    def refuse(self, start: int, end: int, reason: str) -> None:
        """Add a refusal."""
        self.refusals.append(Refusal(self.message.id, start, end, reason))

    def score(self, start: int, end: int, family: str = "") -> Scores:
        """Return the scores of a statement of the current sentence, found by the pattern family with that name, if any.

        The classifier scores the whole sentence; scores by words add nothing to it.
        """
        if self.classified is not None:
            return self.classified
        return scores(self.message.text[start:end], family, self.sorts, session=self.language.strict)

    def admit(
        self,
        statement: StatementSpan,
        corrected: bool = False,
        around: tuple[int, int] | None = None,
    ) -> None:
        """Add each part of a statement as a candidate; a part that would be refused stays joined to the one before.

        `around` spans all statements of its sentence: an earlier version may have stored them as one memory.
        """
        family, start, end, text = statement.family, statement.start, statement.end, self.message.text
        strict = self.language.strict
        if strict and (tail := self.language.cues["tail"].search(self.low, start + SHORTEST, end)):
            end = tail.start()
        first, last = around if around and around[1] - around[0] <= EXTEND_TO else (start, end)
        if statement.subject:  # an earlier version may have stored it with its pronoun
            first = statement.subject[0] if statement.pronoun is None else statement.pronoun
        whole = text[first : cut(self.low, first, last)]
        clean = without_fillers(self.low, start, end, family.standing)
        if clean[1] - clean[0] >= SHORTEST:
            start, end = clean
        end = cut(self.low, start, end)
        score = self.score(start, end, family.name)
        parts = [] if strict or statement.subject else list(parts_of(self.low, text, start, end, family, self.language))
        while len(parts) > 1:  # join a part that would be refused to the one before
            words = [part.words(text) for part in parts]
            places = (
                place
                for place, (part, said) in enumerate(zip(parts, words, strict=True))
                if not part.family or refuse(part.family, said, lower(said), signals(said), self.is_item)
            )
            if (odd := next(places, None)) is None:
                break
            at = max(odd, 1)
            parts[at - 1 : at + 1] = [replace(parts[at - 1], end=parts[at].end)]
        if len(parts) < 2:
            parts = [StatementPart(start, end, family, statement.subject)]
        self.more += len(parts) - 1
        for part in parts:
            self.admit_part(without_inner_fillers(self.low, part), whole, score, corrected)

    def admit_part(self, part: StatementPart, whole: str, score: Scores, corrected: bool) -> None:
        """Add a part of a statement as a candidate, join it to the previous one that it refers to, or refuse it."""
        family, start, end = part.family, part.start, part.end
        if family is None:
            return
        said = part.words(self.message.text)
        low = lower(said) if part.subject or part.fillers else self.low[start:end]
        found = signals(said)
        reason = self.refusal(family, said, low, end, found, score)
        if reason == "vague" and found.specifics and self.join_previous(start, end):
            return
        if reason == "vague" and self.aside is not None and score.lasting >= LEAST:
            part, reason = replace(part, start=self.aside, subject=None), None
        hedged = HEDGED if english().cues["hedge"].search(low) else 0.0
        confidence = min(MAX_CONFIDENCE, family.confidence + SPECIFIC * min(found.specifics, SPECIFICS) - hedged)
        if reason is None and confidence < self.min_confidence:
            reason = "low_confidence"
        certain = self.language.strict or family.sure or family.standing or safety.states(said)
        if self.classified is not None and not certain:
            confidence = min(confidence, chance(score.lasting))
        confidence = round(confidence, 2)
        if reason:
            self.refusals.append(Refusal(self.message.id, start, end, reason, family.kind, confidence))
            return
        candidate = self.candidate(part, whole)
        raised = candidate.importance + (1 if corrected or family.change else 0)
        if confidence < UNLIKELY:
            candidate, raised = replace(candidate, tier=Tier.LOW), min(raised, UNLIKELY_IMPORTANCE)
        self.candidates.append(replace(candidate, confidence=confidence, importance=min(9, raised)))

    def refusal(self, family: Family, said: str, low: str, end: int, found: Signals, score: Scores) -> str | None:
        """Return the reason for refusing the statement `said`, which ends at `end`, by the gates and its score."""
        if MARK in said:
            return "secret"
        strict = self.language.strict
        reason = (
            refuse_in_session(family, said, low, found) if strict else refuse(family, said, low, found, self.is_item)
        )
        if not family.standing and is_joke(said, low, self.low[end : end + _LAUGHTER]):
            reason = "transient"
        if strict:
            sure = self.outlasts or (family.standing and score.order >= SURE and not is_for_one_thing(said))
            return None if sure and reason in ("transient", "vague") else reason
        if family.standing or family.sure:
            return reason
        grave = safety.states(said)
        ordered = score.order > 0 and grave  # "I'm allergic to nuts, so never give me any": the score is of the order
        lasting = score.lasting if self.classified is None else score.worth_keeping
        if lasting < self.least_for(family, found, grave) and not ordered:
            return reason or "transient"
        specific = score.lasting >= self.least_lasting and not english().cues["pointing"].search(low)
        return None if specific and reason in ("vague", "generic") else reason

    def least_for(self, family: Family, found: Signals, grave: bool) -> float:
        """Return the minimum lasting score of a statement found by a pattern."""
        about_person = DATED if family.kind is Kind.IDENTITY else 0
        if self.aside is not None:
            return ASIDE - about_person
        least = DOUBTFUL if self.classified is None else DOUBTFUL_SAFETY if grave else DOUBTFUL_CLASSIFIED
        return least - (DATED if found.dates else about_person)

    def join_previous(self, start: int, end: int) -> bool:
        """Extend the previous candidate by a vague statement right after it; return False if it cannot be extended."""
        if not self.candidates or self.language.strict:
            return False
        last = self.candidates[-1]
        between = self.low[last.end : start]
        whole = worded(last.quote)[:MAX_TEXT] == without_dates(last.text)
        if not whole or len(between) > _MAX_GAP or "\n\n" in between or end - last.start > MAX_TEXT:
            return False
        self.candidates[-1] = self.widened(last, last.start, end)
        return True

    def candidate(self, part: StatementPart, whole: str) -> Candidate:
        """Return the candidate of a part of `whole`."""
        message, family, start, end = self.message, part.family, part.first, part.end
        said, value = part.words(message.text), None
        if family and family.relation:
            found = family.match(lower(said), 0, len(said))
            if found and "object" in found.re.groupindex and found["object"] is not None:
                value = worded(said[slice(*found.span("object"))])[:MAX_TEXT] or None
        order = family is not None and family.standing
        always = family is not None and order and self.is_standing(said, end, family.name == SCORED_ORDER)
        before = self.said_before(start)
        limited_before = order and is_for_one_thing(f"{before}{said[:1]}")  # "in this book: never ..."
        about_that = is_about_that(self.low[start:end])
        always = always and not limited_before and not about_that
        kind, tier, importance = (family.kind, family.tier, family.importance) if family else _UNKNOWN
        by_score = family is not None and family.name == SCORED_ORDER and not self.language.strict
        if (
            order
            and not always
            and not safety.is_grave(said)
            and (limited_before or about_that or is_for_one_thing(said) or (by_score and not says_for_good(said)))
        ):
            tier = Tier.MEDIUM  # it may be for the text at hand
        if not order and safety.is_grave(said):
            kind = kind if kind is Kind.RELATIONSHIP else Kind.IDENTITY
            tier, importance = Tier.CORE, _GRAVE
        elif kind is Kind.IDENTITY and not order and is_of_somebody(lower(said)):
            tier = Tier.MEDIUM
        if kind is Kind.IDENTITY and not order and is_of_somebody(lower(said)):
            kind = Kind.FACT  # of whom is not known
        return Candidate(
            message=message.id,
            start=start,
            end=end,
            quote=message.text[start:end],
            **self.words(said, whole, before),
            kind=kind,
            tier=tier,
            confidence=family.confidence if family else 0.5,
            importance=importance,
            said_at=message.created_at,
            flag=_flag(message.text, start, end),
            subject="user" if value else None,
            relation=family.relation if family and value else None,
            object=value,
            standing=order and (always or (family is not None and family.name != SCORED_ORDER)),
            always=always,
            rule=family.name if family else "",
        )

    def name_pronoun(self, known: int, statement: StatementSpan) -> None:
        """Name the person whom the first pronoun of a statement means, in its candidate after the first `known`."""
        for at, one in enumerate(self.candidates[known:], known):
            named = PRONOUN.search(one.text)
            if one.start != statement.start or named is None:
                continue
            text = f"{one.text[: named.start()]}{statement.name}{one.text[named.end() :]}"
            text = f"{text[0].upper()}{text[1:]}"
            if len(text) <= MAX_TEXT:
                kind = one.kind if one.standing else Kind.RELATIONSHIP
                self.candidates[at] = replace(one, text=text, whole=one.whole or one.text, kind=kind)

    def widened(self, one: Candidate, start: int, end: int) -> Candidate:
        """Return a candidate extended to the words from `start` to `end`."""
        quote = self.message.text[start:end]
        flag = _flag(self.message.text, start, end)
        return replace(
            one, start=start, end=end, quote=quote, flag=flag, **self.words(quote, quote, self.said_before(start))
        )

    def is_standing(self, said: str, end: int, by_score: bool) -> bool:
        """Return True for a standing order; in languages other than English, any order that is not a question."""
        asked = self.message.text[end:].lstrip()[:1] == "?"
        low = lower(said)
        english_order = is_english(low) and not (english_share(low) < CLEARLY and is_likelier_other(unaccented(low)))
        return is_standing_order(said, asked, by_score) if english_order else not asked

    def said_before(self, start: int) -> str:
        """Return what the sentence of an offset says before it, in lower case."""
        begin = max(0, start - _LOOK_BACK)
        return self.low[max(begin, *(self.low.rfind(mark, begin, start) + 1 for mark in _ENDINGS)) : start]

    def words(self, said: str, whole: str, before: str = "") -> CandidateText:
        """Return the text of `said`, a part of `whole`, with resolved dates unless an instruction (sent daily).

        `before` is what its sentence says before it.
        """
        said_at = None if self.message.channel is Channel.INSTRUCTIONS else self.message.created_at
        plain, everything = worded(said)[:MAX_TEXT], worded(whole)[:MAX_TEXT]
        text = with_dates(plain, said_at, before=before)
        text = text if len(text) <= MAX_TEXT else plain
        return {"text": text, "whole": everything if text != everything else ""}

    def listed(self) -> int:
        """Return the number of candidates that directly follow one another, as in a list of facts about the person."""
        runs, at = [0], 0
        for one in sorted(self.candidates, key=lambda one: (one.start, one.end)):
            between = self.low[at : one.start]
            skipped = [item for item in self.items if at <= item[0] and item[1] <= one.start]
            if len(skipped) <= SKIPPED:
                for start, end in reversed(skipped):
                    between = between[: start - at] + between[end - at :]
            if len("".join(between.split())) > BETWEEN:
                runs.append(0)
            runs[-1] += 1
            at = max(at, one.end)
        return sum(run for run in runs if run >= LISTED)

    def limit(self, most: int) -> None:
        """Keep the best `most` candidates by importance and confidence, then position, without repeated openings.

        The first `MOST` safety facts are kept in addition: each is important and says something different.
        """
        begun: Counter[str] = Counter()
        kept: list[Candidate] = []
        spared: list[Candidate] = []
        excess: list[tuple[Candidate, str]] = []
        for one in self.candidates:
            is_safety = len(spared) < MOST and safety.states(one.text, (*safety.LASTING, "treatment"))
            opening = one.text.lower() if is_safety else " ".join(one.text.lower().split()[:OPENING])
            begun[opening] += 1
            if begun[opening] > ALIKE:
                excess.append((one, "repetition"))
            else:
                (spared if is_safety else kept).append(one)
        best = sorted(kept, key=lambda one: (-one.importance * one.confidence, one.start))
        excess += [(one, "limit") for one in best[most:]]
        self.refusals += [
            Refusal(one.message, one.start, one.end, reason, one.kind, one.confidence) for one, reason in excess
        ]
        self.candidates = sorted([*spared, *best[:most]], key=lambda one: (one.start, one.end))


def _flag(text: str, start: int, end: int) -> str | None:
    """Return the injection flag if the line around a quote looks like instructions to a model, else None."""
    first = max(text.rfind("\n", 0, start) + 1, start - MAX_TEXT)
    last = text.find("\n", end)
    return _flag_line(text[first : min(last if last >= 0 else len(text), end + MAX_TEXT)])


_flag_line = lru_cache(maxsize=64)(flag_injection)  # candidates of one paragraph share a line


def cut(low: str, start: int, end: int) -> int:
    """Return `end` without trailing commas, moved back to a comma or space if the text would be too long."""
    if end - start > MAX_TEXT:
        comma = low.rfind(", ", start + MAX_TEXT // 2, start + MAX_TEXT)
        space = low.rfind(" ", start + MAX_TEXT // 2, start + MAX_TEXT)
        end = comma if comma > 0 else space if space > 0 else start + MAX_TEXT
    while end > start + 1 and low[end - 1] in EDGES:
        end -= 1
    return end

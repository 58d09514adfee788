"""Reader of one sentence of a person: its requests to forget or remember, else its statements."""

from bisect import bisect_left
from dataclasses import dataclass, field, replace
from itertools import accumulate

from curator.distill.candidate import REQUESTED, ForgetRequest
from curator.distill.collector import HEDGED, MAX_CONFIDENCE, MAX_TEXT, Collector, cut
from curator.distill.filters import without_statement
from curator.distill.forget.asides import EarlierMessage
from curator.distill.forget.spans import forgotten_before, forgotten_part, unmatched_request
from curator.distill.language import english
from curator.distill.other_languages import language_of, languages_in, read
from curator.distill.requests.commands import forget_command, forget_query, without_time
from curator.distill.requests.remember import addition_start, keep_asked, keep_stated, requested_span
from curator.distill.requests.scope_sentences import is_task_parts
from curator.distill.requests.standing_orders import asks_unmarked, says_for_good
from curator.distill.scores.chats import Scores
from curator.distill.scores.recognition import (
    chat_statement_by_score,
    is_ban,
    order_by_score,
    session_statement_by_score,
)
from curator.distill.statements.about_me import keep_safety
from curator.distill.statements.atoms import StatementPart, before_filler
from curator.distill.statements.clauses import (
    FEWEST_WORDS,
    ClauseSpan,
    StatementSpan,
    after_opener,
    clauses,
    grave_fact,
    presupposed_fact,
    statements,
)
from curator.distill.statements.corrections import corrected_value, replace_named, replace_value, start_of_correction
from curator.distill.statements.in_questions import presupposed_health
from curator.distill.third_party.close_people import health_of_others, with_person
from curator.distill.third_party.drafts import DraftState
from curator.distill.third_party.statements import told_of_others
from curator.secrets import MARK
from store.model import Kind, Message, Refusal, Tier


@dataclass(slots=True)
class SentenceReader:
    """Reads sentences of a message into a collector; state that a later sentence depends on is kept between them."""

    collector: Collector
    among_people: bool = False  # in a chat among people, where requests are not to an assistant
    draft: DraftState | None = None  # the text being written in a chat
    previous: Collector | None = None  # of the previous message
    earlier: list[EarlierMessage] = field(default_factory=list)  # of the chat; shared by the readers, which add to it
    plain: str = ""  # `low` without accents, to match other languages
    about_me: bool = False  # in a list of facts about the person
    asked: int = 0  # end of the last request to remember
    given: int = 0  # end of a text given to the assistant to work on
    forgets: list[ForgetRequest] = field(default_factory=list)

    def read_english(self, start: int, end: int) -> None:
        """Read an English sentence: its requests to forget or remember, else its statements; else refuse it."""
        span = self.collect_forget_requests(start, end)
        if span is None or replace_named(self.collector, self.previous, *span):
            return
        start, end = span
        low = self.collector.low
        self.collector.sorts = set()
        corrects = english().cues["correction"].match(low, start, end) is not None
        start = start_of_correction(self.collector, self.previous, start, end)
        own = self.start_outside_draft(start, end)
        if own is None:
            self.collector.refuse(start, end, "quoted")
            return
        start = own
        score = self.collector.score(start, end)
        performed = english().cues["performed"].search(low, start, end) is not None
        if (
            self.keep_request(start, end, score, performed)
            or replace_value(self.collector, self.previous, start, end)
            or self.keep_decision(start, end)
        ):
            return
        if self.collector.language.strict and self.collector.language.cues["tool_command"].match(low, start, end):
            self.collector.refuse(start, end, "code")
        elif performed or is_task_parts(low, start, end):
            self.collector.refuse(start, end, "quoted" if performed else "vague")
        elif not (self.about_me and keep_safety(self.collector, start, end)):
            self.collect_statements(start, end, score, corrects)

    def start_outside_draft(self, start: int, end: int) -> int | None:
        """Return where the person's own words begin in a sentence of a chat about a text; None if it is of the text."""
        if self.draft and (written := self.draft.end_of_text(self.collector.low, start, end)):
            self.given = max(self.given, written)
            return None
        if self.draft and (added := self.draft.addition(self.collector.low, start, end)):
            self.collector.classified = None  # the score was of the whole sentence
            return None if self.draft.of_other else added
        return start

    def keep_request(self, start: int, end: int, score: Scores, performed: bool) -> bool:
        """Keep what a sentence asks to remember, or adds to such a request before it; return False if it does not."""
        asked = requested_span(self.collector, start, end, score, performed)
        more = None if asked or not self.asked else addition_start(self.collector, self.asked, start, end)
        if not asked and not more:
            return False
        wanted = asked or (more or start, end)
        if self.among_people:
            keep_stated(self.collector, (start, end), wanted)
        else:
            keep_asked(self.collector, (start, end), wanted, more is not None)
        self.asked = end
        return True

    def keep_decision(self, start: int, end: int) -> bool:
        """Admit a sentence that corrects a value or is a decision as a whole; return False for any other."""
        corrected = corrected_value(self.collector, self.previous, start, end)
        decided = corrected or self.decided(start, end)
        if decided:
            self.collector.admit(decided, corrected is not None)
        return decided is not None

    def collect_statements(self, start: int, end: int, score: Scores, corrects: bool) -> None:
        """Admit the statements of a sentence, and refuse the clauses that are none; `corrects` what was said before."""
        low, message = self.collector.low, self.collector.message
        parts = clauses(low, message.text, start, before_filler(low, start, end), self.collector.language)
        asking = any(part.sort == "question" or (part.family and part.family.asking) for part in parts)
        marked = low[end - 1] == "?" or self.collector.asks
        if parts and not asking and (marked or asks_unmarked(low[start:end])):
            parts[-1] = replace(parts[-1], sort="question", family=None)
        matched = self.matched_statements(parts, score)
        if not any(one.family.standing for one in matched):
            matched = order_by_score(self.collector, start, end, score, bool(matched)) or matched
        found = [one for one in matched if not self.is_for_draft(one, end)]
        passing = len(found) < len(matched)
        self.collector.sorts = {part.sort for part in parts} - {"", "fact"} | ({"asks"} if marked else set())
        found = found or ([] if passing else chat_statement_by_score(self.collector, start, end))
        if found and not (found := self.with_person(found)):
            self.collector.refuse(start, end, "vague")
            return
        found = found or session_statement_by_score(self.collector, start, end, score) or self.presupposed(start, end)
        if not self.collector.language.strict:
            others = health_of_others(low, message.text, start, end, found, self.before)
            found = sorted([*found, *others], key=lambda one: one.start)
        if not found:
            reason = "transient" if passing else without_statement(low, start, end, parts)
            if reason == "language" or not self.read_other(start, end):
                self.collector.refuse(start, end, reason)
            return
        ends = list(accumulate((one.end for one in found), max))
        for part in parts:
            before = bisect_left(found, part.end, key=lambda one: one.start)
            if not (before and part.start < ends[before - 1]):
                self.collector.refuse(
                    part.start, part.end, {"": "no_pattern", "fact": "vague"}.get(part.sort, part.sort)
                )
        for statement in found:
            known = len(self.collector.candidates)
            self.collector.admit(statement, corrects, (found[0].start, found[-1].end))
            if statement.name:
                self.collector.name_pronoun(known, statement)

    def presupposed(self, start: int, end: int) -> list[StatementSpan]:
        """Return facts of health that a sentence presupposes, or else what it tells about others."""
        low, strict = self.collector.low, self.collector.language.strict
        fact = presupposed_fact(low, start, end) or (None if strict else grave_fact(low, start, end))
        if fact:
            return [StatementSpan(*fact, english().named("health"))]
        if strict:
            return []
        asked = presupposed_health(low, start, end) if "question" in self.collector.sorts else []
        found = [StatementSpan(first, last, replace(english().named(name), sure=True)) for first, last, name in asked]
        if found or (self.draft and self.draft.begun):
            return found
        return told_of_others(self.collector, start, end, self.earlier)

    @property
    def before(self) -> tuple[str, str]:
        """The previous message, in lower case and as written, if it may name whom this one is about."""
        if self.previous is None or self.collector.language.strict:
            return "", ""
        return self.previous.low.rstrip(), self.previous.message.text

    def with_person(self, found: list[StatementSpan]) -> list[StatementSpan]:
        """Return statements with the person named where one is about a pronoun; see `close_people.with_person`."""
        text, aside = self.collector.message.text, self.collector.aside is not None
        return list(with_person(self.collector.low, text, found, aside, self.before))

    def read_other(self, start: int, end: int) -> bool:
        """Read a sentence in a language other than English; return False if it is not understood."""
        message = self.collector.message
        for code in languages_in(self.plain[start:end], self.plain):
            language = language_of(code)
            found = read(self.plain, message.text, start, end, language)
            for said in found:
                first, last, family = said.start, cut(self.collector.low, said.start, said.end), said.family
                part, whole = StatementPart(first, last, family), message.text[first:last]
                if said.sort == "forget":
                    self.ask_to_forget(first, last)
                elif MARK in whole:
                    self.collector.refuse(first, last, "secret")
                elif said.sort == "remember" and self.among_people:
                    self.collector.refuse(first, last, "no_pattern")
                elif said.sort == "remember":
                    kept = replace(
                        self.collector.candidate(part, whole), confidence=MAX_CONFIDENCE, importance=REQUESTED
                    )
                    self.collector.candidates.append(replace(kept, tier=Tier.CORE, always=True))
                elif said.sort != "fact" or family is None:
                    self.collector.refuse(first, last, said.sort)
                    if said.sort == "quoted":
                        line_end = self.plain.find("\n", end) if self.plain[end - 1] != ":" else -1
                        self.given = line_end if line_end >= 0 else len(self.plain)
                elif self.collector.language.strict and not family.standing and family.kind is not Kind.IDENTITY:
                    self.collector.refuse(first, last, "transient")
                elif (confidence := round(family.confidence - (HEDGED if said.hedged else 0.0), 2)) < (
                    self.collector.min_confidence
                ):
                    low = Refusal(message.id, first, last, "low_confidence", family.kind, confidence)
                    self.collector.refusals.append(low)
                else:
                    self.collector.candidates.append(
                        replace(self.collector.candidate(part, whole), confidence=confidence)
                    )
            if found:
                return True
        return False

    def is_for_draft(self, one: StatementSpan, end: int) -> bool:
        """Return True if a statement is an order for the text being written only; `end` is the end of its sentence."""
        if not self.draft or not one.family.standing or one.family.name == "call me":
            return False
        return self.draft.is_instruction(self.collector.low, one.start, one.end) and not any(
            says_for_good(said) for said in (self.collector.low[one.start : one.end], self.collector.low[one.end : end])
        )

    def decided(self, start: int, end: int) -> StatementSpan | None:
        """Return a sentence if it is a decision as a whole ("decision: ...", "no longer X but Y"), else None."""
        low, language = self.collector.low, self.collector.language
        if low[end - 1] == "?":
            return None
        first = after_opener(low, start, end, language)
        if language.strict and language.cues["succeeded"].match(low, first, end):
            return StatementSpan(first, end, language.named("session change"))
        for family in map(english().named, ("succession", "diagnosis")):
            if family.match(low, first, end):
                return StatementSpan(first, end, family)
        if english().cues["declared"].match(low, start, end):
            named = language.named("session change") if language.strict else english().named("decision")
            return StatementSpan(start, end, named)
        return None

    def matched_statements(self, parts: list[ClauseSpan], score: Scores) -> list[StatementSpan]:
        """Return the statements that patterns found in clauses, except orders with too low a score."""
        return [
            one
            for one in statements(parts)
            if not one.family.standing
            or one.family.sure
            or one.family.kind is Kind.IDENTITY
            or score.order >= self.collector.least_order
            or is_ban(self.collector, one, parts)
        ]

    def collect_forget_requests(self, start: int, end: int) -> tuple[int, int] | None:
        """Collect the requests to forget in a sentence; return the span of the rest, or None if nothing is left."""
        low = self.collector.low
        if before := forgotten_before(low, start, end):
            self.ask_to_forget(*before)
            return None
        after = [*english().cues["forget_after"].finditer(low, start + 1, end)]
        stops = [*(one.start() for one in after), end][1:]
        later = [
            one for one, stop in zip(after, stops, strict=False) if forget_command(low, one.end(), stop) is not None
        ]
        stops = [*(one.start() for one in later), end]
        for one, stop in zip(later, stops[1:], strict=True):
            self.read_english(one.end(), stop)
        end = stops[0]
        while (body := forget_command(low, start, end)) is not None:
            stop = low.find("; ", body, end)  # another statement follows
            last, instead = forgotten_part(low, body, stop if stop >= 0 else end - (low[end - 1] == "?"))
            self.ask_to_forget(body, last)
            instead = instead or (stop + 2 if stop >= 0 else end)
            self.refuse_rest(last, instead)
            if not low[instead:end].strip():
                return None
            start, self.collector.classified = instead, None  # the score was of the request
        if not self.collector.language.strict and (found := unmatched_request(low, start, end)):
            self.collector.refuse(start, found[0], "no_pattern")
            start, self.collector.classified = found[1], None
        return (start, end) if start < end else None

    def refuse_rest(self, start: int, end: int) -> None:
        """Refuse the words between a thing to forget and the end of the request, if they say something."""
        said = self.collector.low[start:end]
        start += len(said) - len(said.lstrip(" ,;:.!?–—-"))
        end -= len(said) - len(said.rstrip(" ,;:.!?–—-\n"))
        if len(self.collector.low[start:end].split()) >= FEWEST_WORDS:
            self.collector.refuse(start, end, "no_pattern")

    def ask_to_forget(self, start: int, end: int, of: Message | None = None) -> None:
        """Add a request to forget the text of a span of this message, or of an earlier one."""
        asked_in = self.collector.message
        message = of or asked_in
        said = without_time(message.text[start:end])
        end = start + len(said)
        query = forget_query(said)[:MAX_TEXT]
        self.forgets.append(ForgetRequest(message.id, start, end, query, asked_in.created_at, asked_in.id))

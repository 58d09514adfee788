"""Reader of a person's message: turns its sentences into candidates and refusals, by patterns and scores."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from curator.distill.about_me import keep_safety, read_list_item
from curator.distill.assigned_roles import limit_to_roles
from curator.distill.atoms import StatementPart, before_filler
from curator.distill.back_references import remember_before
from curator.distill.by_score import chat_statement_by_score, is_ban, order_by_score, session_statement_by_score
from curator.distill.candidate import REQUESTED, ForgetRequest
from curator.distill.chat_score import (
    NO_REQUEST,
    Scores,
    SentenceClassifier,
    classify_sentences,
    outlasts_session,
    scores_of_words,
)
from curator.distill.clauses import (
    FEWEST_WORDS,
    ClauseSpan,
    StatementSpan,
    after_opener,
    clauses,
    end_of_assertion,
    grave_fact,
    presupposed_fact,
    sentences,
    split_task_material,
    statements,
)
from curator.distill.close_people import health_of_others, with_person
from curator.distill.collector import HEDGED, MAX_CONFIDENCE, MAX_TEXT, Collector, cut
from curator.distill.corrected import corrected_value, is_new_value, replace_named, replace_value, start_of_correction
from curator.distill.drafts import DraftState
from curator.distill.filters import without_statement
from curator.distill.forget_asides import EarlierMessage, passing_requests
from curator.distill.forget_classified import as_meant
from curator.distill.forget_spans import forgotten_before, forgotten_part, unmatched_request
from curator.distill.given_texts import end_of_given
from curator.distill.joined import join_more, join_reversal, keep_further_allergy, name_substance
from curator.distill.language import CLEARLY, english, english_share, is_english
from curator.distill.mask import MaskedSpan, cut_out, lower, mask_foreign_text
from curator.distill.of_others import name_person, told_of_others
from curator.distill.off_the_record import WITHHELD
from curator.distill.other_languages import is_likelier_other, language_of, languages_in, read, unaccented
from curator.distill.own_letters import keep_letter_facts, letter_body, read_letter
from curator.distill.questions import pieces, presupposed_health
from curator.distill.remember_requests import (
    addition_start,
    ask_to_remember,
    is_bare_request,
    keep_asked,
    keep_stated,
    requested_span,
)
from curator.distill.retracted import RETRACTED
from curator.distill.role_play import RolePlay
from curator.distill.scope_sentences import insists, is_of_project, is_scope_sentence, is_task_parts, set_scope
from curator.distill.standing_orders import asks_unmarked, says_for_good
from curator.distill.user_commands import forget_command, forget_query, without_time
from curator.secrets import MARK
from store.model import Kind, Message, Refusal, Tier

MOST_READ = 150_000
"""Maximum characters read of a message; longer ones were not typed."""
_KEEPING = re.compile(
    r"\b(?:remember|rmbr|remeber|memori[sz]e|mind|forget|notes?|store|save|keep|retain|record|log|pin|jot|down|memory"
    r"|fyi)\b"
)
"""Words of requests to remember, which are never split into pieces."""


@dataclass(slots=True)
class MessageReader:
    """Reads a message sentence by sentence into a collector, and lists its requests to forget."""

    kept: Collector
    among_people: bool = False  # in a chat among people, where requests are not to an assistant
    role_play: RolePlay | None = None  # role play of the person; None in chats without an assistant
    draft: DraftState | None = None  # the text being written in a chat
    others: Sequence[tuple[int, int]] = ()  # spans of texts for others
    previous: Collector | None = None  # of the previous message
    plain: str = ""  # `low` without accents, to match other languages
    about_me: bool = False  # in a list of facts about the person
    asked: int = 0  # end of the last request to remember
    given: int = 0  # end of a text given to the assistant to work on
    letter: int = 0  # end of such a text that is a letter in the person's name
    earlier: list[EarlierMessage] = field(default_factory=list)  # of the chat; shared by the readers, which add to it
    forgets: list[ForgetRequest] = field(default_factory=list)
    leads: set[tuple[int, int]] = field(default_factory=set)  # spans of the questions that open such sentences
    asides: dict[tuple[int, int], int] = field(default_factory=dict)  # statements within questions -> sentence start
    classified: dict[tuple[int, int], Scores] = field(default_factory=dict)  # by a classifier, by sentence

    def read_spoken(self, least: float, classifier: SentenceClassifier | None) -> None:
        """Read a message of the person; pattern matches need a confidence of at least `least`."""
        text = self.kept.message.text
        if len(text) > MOST_READ:
            self.kept.refuse(MOST_READ, len(text), "too_long")
        self.kept.low, blocks = mask_foreign_text(text[:MOST_READ])
        if self.others:
            blocks += [MaskedSpan(start, end, "quoted") for start, end in self.others]
            self.kept.low = cut_out(self.kept.low, self.others)
        for block in blocks:
            self.kept.refuse(block.start, block.end, block.reason)
        taken_back = [(one.start, one.end) for one in blocks if one.reason in (WITHHELD, RETRACTED)]
        self.read_passing(text, taken_back, classifier)
        if not self.kept.low.strip():
            return
        self.plain = unaccented(self.kept.low)
        if self.draft:
            self.draft.asked_here = False
        foreign, strict = not is_english(self.kept.low), self.kept.language.strict
        missed: list[tuple[int, int]] = []
        spans: list[tuple[int, int, bool]] = []
        for start, end, is_item in split_task_material(self.kept.low, sentences(self.kept.low)):
            if not strict and letter_body(self.kept.low, start, end, text) is not None:
                spans.append((start, end, is_item))
                continue
            if not foreign and not strict and (read := self.split_question(start, end)):
                spans += ((*span, is_item) for span in read)
                continue
            stop = end if foreign else end_of_assertion(self.kept.low, start, end)
            stop = end if scores_of_words(text[stop:end]).request >= NO_REQUEST else stop
            spans.append((start, stop, is_item))
            if stop < end:
                aside = stop + len(self.kept.low[stop:end]) - len(self.kept.low[stop:end].lstrip(",;(–— -"))
                self.kept.refuse(aside, end, "question")
        if classifier is not None and not foreign:
            self.classified = {span: scores_of_words(text[slice(*span)]) for span in self.asides}
            found = classify_sentences(text, [(start, end) for start, end, _ in spans], classifier)
            self.classified |= {span: as_meant(self.kept.low[slice(*span)], score) for span, score in found.items()}
        before: tuple[int, int] | None = None
        asking: tuple[int, int] | None = None  # a request to remember the next sentence
        for start, end, is_item in spans:
            by_classifier = self.classified.get((start, end))
            self.kept.classified = None if strict else by_classifier
            self.kept.outlasts = strict and by_classifier is not None and outlasts_session(by_classifier)
            self.kept.asks = (start, end) in self.leads
            self.kept.aside = None if by_classifier is None else self.asides.get((start, end))
            if start < self.given:
                if start < self.letter and forget_command(self.kept.low, start, end) is not None:
                    self.collect_forget_requests(start, end, is_item, least)
                elif start >= self.letter or not keep_letter_facts(self.kept, start, end):
                    self.kept.refuse(start, end, "quoted")
                continue
            if self.role_play and self.role_play.read(self.kept.low, text, start, end):
                self.kept.refuse(start, end, "quoted")
                continue
            if not self.among_people and remember_before(self.kept, before, (start, end)):
                continue
            if is_bare_request(self.kept, self.plain, start, end):
                if self.among_people:
                    self.kept.refuse(start, end, "no_pattern")
                elif before is None:
                    asking = start, end
                elif not ask_to_remember(self.kept, before, (start, end)):
                    self.kept.refuse(start, end, "no_pattern")
                continue
            if before and insists(self.kept, before, start, end) and ask_to_remember(self.kept, before, (start, end)):
                continue
            if is_scope_sentence(self.kept.low, start, end) or (strict and is_of_project(self.kept.low, start, end)):
                set_scope(self.kept, (start, end), spans, self.previous)
                continue
            if asking and before:
                ask_to_remember(self.kept, before, asking)
                asking = None
            joining = (self.kept, before, start, end)
            if join_reversal(*joining) or join_more(*joining) or keep_further_allergy(*joining):
                before = start, end
                continue
            fiction = self.role_play is not None and self.role_play.fiction
            letter, states = read_letter(self.kept, start, end, self.draft, fiction)
            self.letter = max(self.letter, letter)
            if states:
                self.given, before = max(self.given, letter), (start, end)
                continue
            if (given := end_of_given(self.kept.low, self.plain, start, end, "" if strict else text)) is not None:
                self.given = given
                self.kept.refuse(start, end, "quoted")
                continue
            self.about_me = read_list_item(self.kept, self.about_me, before, (start, end), is_item)
            previous, before, known = before, (start, end), len(self.kept.candidates)
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
                name_substance(self.kept, previous, known)
                name_person(self.kept, previous, (start, end), known)
        if asking and not (before and ask_to_remember(self.kept, before, asking)):
            self.kept.refuse(*asking, "no_pattern")
        if missed and not self.kept.candidates and not self.forgets and not self.kept.refusals[len(blocks) :]:
            missed = [(0, len(self.kept.low))]
        for start, end in missed:
            self.kept.refuse(start, end, "language")
        if not self.among_people:
            limit_to_roles(self.kept, spans)

    def read_passing(self, text: str, taken_back: list[tuple[int, int]], classifier: SentenceClassifier | None) -> None:
        """Collect the requests to forget said in passing, hide their words, and add the message to the earlier ones.

        The spans `taken_back` are hidden already, but they may ask to forget what an earlier message says.
        """
        if self.among_people or self.kept.language.strict:
            return
        low = self.kept.low
        for start, end in taken_back:
            low = f"{low[:start]}{lower(text[start:end])}{low[end:]}"
        found = passing_requests(low, self.kept.message, taken_back, self.earlier, classifier)
        said = EarlierMessage(self.kept.message, self.kept.low, tuple(found))
        for one in found:
            if one.meant:
                self.ask_to_forget(*one.meant, (self.earlier[-one.back] if one.back else said).message)
                if not one.back and one.start <= one.meant[0]:
                    self.refuse_rest(one.meant[1], one.end)
            hidden = re.sub(r"[^\n]", " ", self.kept.low[one.start : one.end])
            self.kept.low = f"{self.kept.low[: one.start]}\n{hidden[1:]}{self.kept.low[one.end :]}"
        self.earlier.append(said)

    def split_question(self, start: int, end: int) -> list[tuple[int, int]]:
        """Return the spans to read in a question or task that contains statements; none if it contains none.

        These are the statements and the first piece, which may be an order. The other pieces are refused.
        """
        low = self.kept.low
        found = [] if is_new_value(low, start, end) else pieces(low, start, end)
        if not found or (_KEEPING.search(low, start, end) and scores_of_words(low[start:end]).request >= NO_REQUEST):
            return []
        for one in found:
            if one.sort == "states":
                self.asides[one.start, one.end] = start
            elif one.start > start:
                self.kept.refuse(one.start, one.end, "question")
            elif one.sort == "asks":
                self.leads.add((start, one.end))
        return [(one.start, one.end) for one in found if one.sort == "states" or one.start == start]

    def read_other(self, start: int, end: int, least: float) -> bool:
        """Read a sentence in a language other than English; return False if it is not understood."""
        message = self.kept.message
        for code in languages_in(self.plain[start:end], self.plain):
            language = language_of(code)
            found = read(self.plain, message.text, start, end, language)
            for said in found:
                first, last, family = said.start, cut(self.kept.low, said.start, said.end), said.family
                part, whole = StatementPart(first, last, family), message.text[first:last]
                if said.sort == "forget":
                    self.ask_to_forget(first, last)
                elif MARK in whole:
                    self.kept.refuse(first, last, "secret")
                elif said.sort == "remember" and self.among_people:
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
        """Read an English sentence: its requests to forget or remember, else its statements; else refuse it."""
        span = self.collect_forget_requests(start, end, is_item, least)
        if span is None or replace_named(self.kept, self.previous, *span):
            return
        start, end = span
        message, low = self.kept.message, self.kept.low
        self.kept.sorts = set()
        corrects = english().cues["correction"].match(low, start, end) is not None
        start = start_of_correction(self.kept, self.previous, start, end)
        if self.draft and (written := self.draft.end_of_text(low, start, end)):
            self.given = max(self.given, written)
            self.kept.refuse(start, end, "quoted")
            return
        if self.draft and (added := self.draft.addition(low, start, end)):
            if self.draft.of_other:
                return self.kept.refuse(start, end, "quoted")
            start, self.kept.classified = added, None
        score = self.kept.score(start, end)
        performed = english().cues["performed"].search(low, start, end) is not None
        asked = requested_span(self.kept, start, end, score, performed)
        more = None if asked or not self.asked else addition_start(self.kept, self.asked, start, end)
        if asked or more:
            wanted = asked or (more or start, end)
            if self.among_people:
                keep_stated(self.kept, (start, end), wanted, is_item, least)
            else:
                keep_asked(self.kept, (start, end), wanted, more is not None)
            self.asked = end
            return
        if replace_value(self.kept, self.previous, start, end):
            return
        corrected = corrected_value(self.kept, self.previous, start, end)
        if decided := corrected or self.decided(start, end):
            self.kept.admit(decided, is_item, corrected is not None, least)
            return
        if self.kept.language.strict and self.kept.language.cues["tool_command"].match(low, start, end):
            self.kept.refuse(start, end, "code")
            return
        if performed or is_task_parts(low, start, end):
            self.kept.refuse(start, end, "quoted" if performed else "vague")
            return
        if self.about_me and keep_safety(self.kept, start, end):
            return
        parts = clauses(low, message.text, start, before_filler(low, start, end), self.kept.language)
        asking = any(part.sort == "question" or (part.family and part.family.asking) for part in parts)
        marked = low[end - 1] == "?" or self.kept.asks
        if parts and not asking and (marked or asks_unmarked(low[start:end])):
            parts[-1] = replace(parts[-1], sort="question", family=None)
        found = self.matched_statements(parts, score)
        if not any(one.family.standing for one in found):
            found = order_by_score(self.kept, start, end, score, bool(found)) or found
        passing = [one for one in found if self.is_for_draft(one, end)]
        found = [one for one in found if one not in passing]
        self.kept.sorts = {part.sort for part in parts} - {"", "fact"} | ({"asks"} if marked else set())
        if found and not (found := list(with_person(low, message.text, found, self.kept.aside is not None))):
            self.kept.refuse(start, end, "vague")
            return
        scored = [] if found or passing else chat_statement_by_score(self.kept, start, end)
        if scored and not (found := list(with_person(low, message.text, scored, self.kept.aside is not None))):
            self.kept.refuse(start, end, "vague")
            return
        found = found or session_statement_by_score(self.kept, start, end, score)
        fact = presupposed_fact(low, start, end) or (None if self.kept.language.strict else grave_fact(low, start, end))
        if not found and fact:
            found = [StatementSpan(*fact, english().named("health"))]
        if not found and not self.kept.language.strict and "question" in self.kept.sorts:
            found = [
                StatementSpan(first, last, replace(english().named(family), sure=True))
                for first, last, family in presupposed_health(low, start, end)
            ]
        if not found and not self.kept.language.strict and not (self.draft and self.draft.begun):
            found = told_of_others(self.kept, start, end, self.earlier)
        if not self.kept.language.strict:
            others = health_of_others(low, message.text, start, end, found)
            found = sorted([*found, *others], key=lambda one: one.start)
        if not found:
            reason = "transient" if passing else without_statement(low, start, end, parts)
            if reason == "language" or not self.read_other(start, end, least):
                self.kept.refuse(start, end, reason)
        ends = list(accumulate((one.end for one in found), max))
        for part in parts if found else ():
            before = bisect_left(found, part.end, key=lambda one: one.start)
            if not (before and part.start < ends[before - 1]):
                self.kept.refuse(part.start, part.end, {"": "no_pattern", "fact": "vague"}.get(part.sort, part.sort))
        for statement in found:
            self.kept.admit(statement, is_item, corrects, least, (found[0].start, found[-1].end))

    def is_for_draft(self, one: StatementSpan, end: int) -> bool:
        """Return True if a statement is an order for the text being written only; `end` is the end of its sentence."""
        if not self.draft or not one.family.standing or one.family.name == "call me":
            return False
        return self.draft.is_instruction(self.kept.low, one.start, one.end) and not any(
            says_for_good(said) for said in (self.kept.low[one.start : one.end], self.kept.low[one.end : end])
        )

    def decided(self, start: int, end: int) -> StatementSpan | None:
        """Return a sentence if it is a decision as a whole ("decision: ...", "no longer X but Y"), else None."""
        low, language = self.kept.low, self.kept.language
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

    def collect_forget_requests(self, start: int, end: int, is_item: bool, least: float) -> tuple[int, int] | None:
        """Collect the requests to forget in a sentence; return the span of the rest, or None if nothing is left."""
        low = self.kept.low
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
            self.read_sentence(one.end(), stop, is_item, least)
        end = stops[0]
        while (body := forget_command(low, start, end)) is not None:
            stop = low.find("; ", body, end)  # another statement follows
            last, instead = forgotten_part(low, body, stop if stop >= 0 else end - (low[end - 1] == "?"))
            self.ask_to_forget(body, last)
            instead = instead or (stop + 2 if stop >= 0 else end)
            self.refuse_rest(last, instead)
            if not low[instead:end].strip():
                return None
            start, self.kept.classified = instead, None  # the score was of the request
        if not self.kept.language.strict and (found := unmatched_request(low, start, end)):
            self.kept.refuse(start, found[0], "no_pattern")
            start, self.kept.classified = found[1], None
        return (start, end) if start < end else None

    def refuse_rest(self, start: int, end: int) -> None:
        """Refuse the words between a thing to forget and the end of the request, if they say something."""
        said = self.kept.low[start:end]
        start += len(said) - len(said.lstrip(" ,;:.!?–—-"))
        end -= len(said) - len(said.rstrip(" ,;:.!?–—-\n"))
        if len(self.kept.low[start:end].split()) >= FEWEST_WORDS:
            self.kept.refuse(start, end, "no_pattern")

    def ask_to_forget(self, start: int, end: int, of: Message | None = None) -> None:
        """Add a request to forget the text of a span of this message, or of an earlier one."""
        asked_in = self.kept.message
        message = of or asked_in
        said = without_time(message.text[start:end])
        end = start + len(said)
        query = forget_query(said)[:MAX_TEXT]
        self.forgets.append(ForgetRequest(message.id, start, end, query, asked_in.created_at, asked_in.id))

    def matched_statements(self, parts: list[ClauseSpan], score: Scores) -> list[StatementSpan]:
        """Return the statements that patterns found in clauses, except orders with too low a score."""
        return [
            one
            for one in statements(parts)
            if not one.family.standing
            or one.family.sure
            or one.family.kind is Kind.IDENTITY
            or score.order >= self.kept.least_order
            or is_ban(self.kept, one, parts)
        ]

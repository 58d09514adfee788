"""Reader of a person's message: finds the sentences to read in it, and refuses what is not the person's statement."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from curator.distill.collector import Collector
from curator.distill.forget.asides import EarlierMessage, passing_requests
from curator.distill.forget.classified import as_meant
from curator.distill.forget.off_the_record import WITHHELD
from curator.distill.language import CLEARLY, english_share, is_english
from curator.distill.mask import MaskedSpan, cut_out, lower, mask_foreign_text
from curator.distill.other_languages import is_likelier_other, unaccented
from curator.distill.requests.assigned_roles import limit_to_roles
from curator.distill.requests.back_references import remember_before
from curator.distill.requests.commands import forget_command
from curator.distill.requests.remember import ask_to_remember, is_bare_request
from curator.distill.requests.scope_sentences import insists, is_of_project, is_scope_sentence, set_scope
from curator.distill.role_play import RolePlay
from curator.distill.scores.chats import (
    NO_REQUEST,
    REQUEST_IN_SESSION,
    Scores,
    SentenceClassifier,
    classify_sentences,
    outlasts_session,
    scores_of_words,
)
from curator.distill.sentence_reader import SentenceReader
from curator.distill.statements.about_me import read_list_item
from curator.distill.statements.clauses import end_of_assertion, sentences, split_task_material
from curator.distill.statements.corrections import is_new_value
from curator.distill.statements.follow_ups import (
    join_instead,
    join_more,
    join_reversal,
    keep_further_allergy,
    name_substance,
)
from curator.distill.statements.in_questions import pieces
from curator.distill.statements.retractions import RETRACTED
from curator.distill.third_party.forwarded import end_of_passed_on
from curator.distill.third_party.given_texts import end_of_given
from curator.distill.third_party.own_letters import keep_letter_facts, letter_body, read_letter
from curator.distill.third_party.statements import name_person

MOST_READ = 150_000
"""Maximum characters read of a message; longer ones were not typed."""
_KEEPING = re.compile(
    r"\b(?:remember|rmbr|remeber|memori[sz]e|mind|forget|notes?|store|save|keep|retain|record|log|pin|jot|down|memory"
    r"|fyi)\b"
)
"""Words of requests to remember, which are never split into pieces."""


@dataclass(slots=True)
class MessageReader:
    """Reads a message sentence by sentence into the collector of its sentence reader."""

    sentence: SentenceReader
    role_play: RolePlay | None = None  # role play of the person; None in chats without an assistant
    others: Sequence[tuple[int, int]] = ()  # spans of texts for others
    letter: int = 0  # end of a given text that is a letter in the person's name
    before: tuple[int, int] | None = None  # the sentence before
    asking: tuple[int, int] | None = None  # a request to remember the next sentence
    missed: list[tuple[int, int]] = field(default_factory=list)  # sentences in a language that is not read
    leads: set[tuple[int, int]] = field(default_factory=set)  # spans of the questions that open such sentences
    asides: dict[tuple[int, int], int] = field(default_factory=dict)  # statements within questions -> sentence start
    classified: dict[tuple[int, int], Scores] = field(default_factory=dict)  # by a classifier, by sentence

    @property
    def collector(self) -> Collector:
        """Return the collector of the message."""
        return self.sentence.collector

    def read_spoken(self, classifier: SentenceClassifier | None) -> None:
        """Read a message of the person."""
        text = self.collector.message.text
        if len(text) > MOST_READ:
            self.collector.refuse(MOST_READ, len(text), "too_long")
        self.collector.low, blocks = mask_foreign_text(text[:MOST_READ])
        if self.others:
            blocks += [MaskedSpan(start, end, "quoted") for start, end in self.others]
            self.collector.low = cut_out(self.collector.low, self.others)
        for block in blocks:
            self.collector.refuse(block.start, block.end, block.reason)
        taken_back = [(one.start, one.end) for one in blocks if one.reason in (WITHHELD, RETRACTED)]
        self.read_passing(text, taken_back, classifier)
        if not self.collector.low.strip():
            return
        self.sentence.plain = unaccented(self.collector.low)
        if self.sentence.draft:
            self.sentence.draft.asked_here = False
        foreign = not is_english(self.collector.low)
        spans = self.spans(foreign)
        if classifier is not None and not foreign:
            self.classified = {span: scores_of_words(text[slice(*span)]) for span in self.asides}
            found = classify_sentences(text, [(start, end) for start, end, _ in spans], classifier)
            self.classified |= {
                span: as_meant(self.collector.low[slice(*span)], score) for span, score in found.items()
            }
        for start, end, is_item in spans:
            self.score(start, end)
            self.collector.is_item = is_item
            if not self.read_given(start, end) and not self.read_on_others(start, end, spans):
                self.read_own(start, end, foreign)
        self.refuse_unread(len(blocks))
        if not self.sentence.among_people:
            limit_to_roles(self.collector, spans)

    def spans(self, foreign: bool) -> list[tuple[int, int, bool]]:
        """Return the spans to read, each with True for an item of a list; refuse the questions beside them."""
        low, text, strict = self.collector.low, self.collector.message.text, self.collector.language.strict
        spans: list[tuple[int, int, bool]] = []
        for start, end, is_item in split_task_material(low, sentences(low)):
            if not strict and letter_body(low, start, end, text) is not None:
                spans.append((start, end, is_item))
                continue
            if not foreign and not strict and (read := self.split_question(start, end)):
                spans += ((*span, is_item) for span in read)
                continue
            stop = end if foreign else end_of_assertion(low, start, end)
            stop = end if scores_of_words(text[stop:end]).request >= NO_REQUEST else stop
            spans.append((start, stop, is_item))
            if stop < end:
                aside = stop + len(low[stop:end]) - len(low[stop:end].lstrip(",;(–— -"))
                self.collector.refuse(aside, end, "question")
        return spans

    def score(self, start: int, end: int) -> None:
        """Give the collector what a classifier and the split of questions say of a sentence."""
        strict, by_classifier = self.collector.language.strict, self.classified.get((start, end))
        self.collector.classified = None if strict else by_classifier
        self.collector.outlasts = strict and by_classifier is not None and outlasts_session(by_classifier)
        self.collector.requests = strict and by_classifier is not None and by_classifier.request >= REQUEST_IN_SESSION
        self.collector.asks = (start, end) in self.leads
        self.collector.aside = None if by_classifier is None else self.asides.get((start, end))

    def read_given(self, start: int, end: int) -> bool:
        """Read or refuse a sentence of a given text or a role; return False for the person's own words."""
        if start < self.sentence.given:
            if start < self.letter and forget_command(self.collector.low, start, end) is not None:
                self.sentence.collect_forget_requests(start, end)
            elif start >= self.letter or not keep_letter_facts(self.collector, start, end):
                self.collector.refuse(start, end, "quoted")
            return True
        if self.role_play and self.role_play.read(self.collector.low, self.collector.message.text, start, end):
            self.collector.refuse(start, end, "quoted")
            return True
        return False

    def read_on_others(self, start: int, end: int, spans: Sequence[tuple[int, int, bool]]) -> bool:
        """Read a sentence that is on other sentences: a request to remember one, or a scope; else return False."""
        span, before, among = (start, end), self.before, self.sentence.among_people
        if not among and remember_before(self.collector, before, span):
            return True
        if is_bare_request(self.collector, self.sentence.plain, start, end):
            if before is None and not among:
                self.asking = span
            elif before is None or among or not ask_to_remember(self.collector, before, span):
                self.collector.refuse(start, end, "no_pattern")
            return True
        if before and insists(self.collector, before, start, end) and ask_to_remember(self.collector, before, span):
            return True
        low = self.collector.low
        if is_scope_sentence(low, start, end) or (self.collector.language.strict and is_of_project(low, start, end)):
            set_scope(self.collector, span, spans, self.sentence.previous)
            return True
        return False

    def read_own(self, start: int, end: int, foreign: bool) -> None:
        """Read a sentence in the person's own words: with the one before it, as the opener of a text, or by itself."""
        previous = self.before
        if self.asking and previous:
            ask_to_remember(self.collector, previous, self.asking)
            self.asking = None
        joining = (self.collector, previous, start, end)
        if join_reversal(*joining) or join_more(*joining) or keep_further_allergy(*joining):
            self.before = start, end
            return
        if self.read_opener(start, end):
            return
        self.sentence.about_me = read_list_item(self.collector, self.sentence.about_me, previous, (start, end))
        self.before, known = (start, end), len(self.collector.candidates)
        said = self.collector.low[start:end]
        share = english_share(said)
        other = foreign or not is_english(said) or not share
        other = other or (share < 2 * CLEARLY and is_likelier_other(self.sentence.plain[start:end]))
        if other and self.sentence.read_other(start, end):
            return
        if foreign and share < CLEARLY:
            self.missed.append((start, end))
            return
        self.sentence.read_english(start, end)
        name_substance(self.collector, previous, known)
        join_instead(self.collector, (start, end), known)
        earlier = self.sentence.previous
        name_person(self.collector, previous, (start, end), known, earlier.low if earlier else "")

    def read_opener(self, start: int, end: int) -> bool:
        """Read a sentence that opens a letter or a given text; return False if it opens none or may say more."""
        if not (self.collector.language.strict or self.sentence.among_people):
            passed_on = end_of_passed_on(self.collector.low, start)
            if passed_on is not None:
                self.sentence.given = passed_on
                self.collector.refuse(start, end, "quoted")
                return True
        fiction = self.role_play is not None and self.role_play.fiction
        letter, states = read_letter(self.collector, start, end, self.sentence.draft, fiction)
        self.letter = max(self.letter, letter)
        if states:
            self.sentence.given, self.before = max(self.sentence.given, letter), (start, end)
            return True
        text = "" if self.collector.language.strict else self.collector.message.text
        given = end_of_given(self.collector.low, self.sentence.plain, start, end, text)
        if given is None:
            return False
        self.sentence.given = given
        self.collector.refuse(start, end, "quoted")
        return True

    def refuse_unread(self, masked: int) -> None:
        """Refuse a request with no sentence to remember, and the sentences in languages that are not read.

        `masked` is the number of refusals of masked texts; a message with no others is refused as a whole.
        """
        if self.asking and not (self.before and ask_to_remember(self.collector, self.before, self.asking)):
            self.collector.refuse(*self.asking, "no_pattern")
        if self.missed and not (self.collector.candidates or self.sentence.forgets or self.collector.refusals[masked:]):
            self.missed = [(0, len(self.collector.low))]
        for start, end in self.missed:
            self.collector.refuse(start, end, "language")

    def read_passing(self, text: str, taken_back: list[tuple[int, int]], classifier: SentenceClassifier | None) -> None:
        """Collect the requests to forget said in passing, hide their words, and add the message to the earlier ones.

        The spans `taken_back` are hidden already, but they may ask to forget what an earlier message says.
        """
        if self.sentence.among_people or self.collector.language.strict:
            return
        low = self.collector.low
        for start, end in taken_back:
            low = f"{low[:start]}{lower(text[start:end])}{low[end:]}"
        found = passing_requests(low, self.collector.message, taken_back, self.sentence.earlier, classifier)
        said = EarlierMessage(self.collector.message, self.collector.low, tuple(found))
        for one in found:
            if one.meant:
                self.sentence.ask_to_forget(
                    *one.meant, (self.sentence.earlier[-one.back] if one.back else said).message
                )
                if not one.back and one.start <= one.meant[0]:
                    self.sentence.refuse_rest(one.meant[1], one.end)
            hidden = re.sub(r"[^\n]", " ", self.collector.low[one.start : one.end])
            self.collector.low = f"{self.collector.low[: one.start]}\n{hidden[1:]}{self.collector.low[one.end :]}"
        self.sentence.earlier.append(said)

    def split_question(self, start: int, end: int) -> list[tuple[int, int]]:
        """Return the spans to read in a question or task that contains statements; none if it contains none.

        These are the statements and the first piece, which may be an order. The other pieces are refused.
        """
        low = self.collector.low
        found = [] if is_new_value(low, start, end) else pieces(low, start, end)
        if not found or (_KEEPING.search(low, start, end) and scores_of_words(low[start:end]).request >= NO_REQUEST):
            return []
        for one in found:
            if one.sort == "states":
                self.asides[one.start, one.end] = start
            elif one.start > start:
                self.collector.refuse(one.start, one.end, "question")
            elif one.sort == "asks":
                self.leads.add((start, one.end))
        return [(one.start, one.end) for one in found if one.sort == "states" or one.start == start]

"""Splitting of messages into sentences and clauses: statements, questions, complaints, fillers and commands."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from curator import safety
from curator.distill.language import Family, Language, english
from curator.distill.statements.joint_subjects import within_joint_subject
from store.model import Kind

_STOP = re.compile(r"[.!?…]{1,20}[\"')\]”’*]{0,3}(?=\s)|[。！？]")
_LEAD = re.compile(r"(?:[ \t]{0,20}(?:[-*+•‣◦–—]|\d{1,3}[.)]|[a-z][.)]|#{1,6}|\[[ x]\])[ \t]{1,8}){0,3}[ \t]{0,200}")
_WORD_BEFORE = re.compile(r"([\w.]+)$")
_SIGNED = re.compile(
    r"[.!?] (?:(?:best|kind|warm)(?: (?:regards|wishes))?|regards|yours(?: \w+)?|sincerely|thanks|thank you|cheers"
    r"|love),?"
    r" [\w'-]+(?: [\w'-]+)?\Z"
)
"""The end of a letter with the name of its author."""
_PRESUPPOSED = re.compile(r"\bthat (i(?:'m| am|) (?:on|take|have to take)\b[^?,;]*)")
_OWN = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|me|my)\b")
_NOT_MEANT = re.compile(
    r"\b(?:imagine|suppose|pretend|what if|would|wouldn't|might|maybe|wonder|if i (?:had|were|was))\b|[\"“”]"
)
OF_THAT = re.compile(r"(?:i'm|i am|we're|we are) the (?:\w+ ){0,2}?(?!\w+(?:ing|ed)\b)[\w-]+[.!]*$")
"""A part in what was said before it: "I'm the witness"."""
_AGE_SINCE = re.compile(
    r",?\s(?:and |but )?(?:ever )?since (?:i|we)(?:'m|'re|'ve|'d| am| are| have| had| was| were| turned)?"
    r" (?:about |around |only |just |like |aged? )*"
    r"(?:\d{1,2}|(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:-\w+)?|(?:ten|eleven|twelve|[a-z]{3,5}teen)"
    r"|(?:two|three|four|five|six|seven|eight|nine)|(?:an? )?(?:very )?(?:little |small |young )?"
    r"(?:child(?:ren)?|kids?|baby|babies|boy|girl|teen(?:ager)?s?|toddlers?|students?|little|small|young))"
    r"(?:[ -](?:years?|yrs?)(?:[ -]old)?| or so)?\b"
    r"(?=\s*(?:$|[.,;:!?)(–—-]|(?:and|but|so|or|because|which|now)\b))"
)
"""The start of a statement, by the age of the person: "I wear glasses since I am 8"."""
WRAPPED = 50
"""Minimum characters of a line that may be wrapped into the next."""
EXTEND_TO = 320
"""Maximum characters of a statement including the clauses joined to it."""
ABOUT_PEOPLE = (Kind.RELATIONSHIP, Kind.IDENTITY)
FEWEST_WORDS = 3
"""Minimum words of a sentence; shorter ones only limit a task ("6k", "by Friday")."""


def sentences(low: str) -> Iterator[tuple[int, int, bool]]:
    """Yield the spans of the sentences of a blanked, lower-case text, and whether each is a list item.

    A line ends a sentence unless it looks wrapped: long, without a full stop, and the next begins with a letter.
    """
    start = 0
    size = len(low)
    while start < size:
        end = low.find("\n", start)
        end = size if end < 0 else end
        if not low[start:end].strip():
            start = end + 1
            continue
        while end < size and (
            end - max(low.rfind("\n", 0, end) + 1, start) > WRAPPED
            and low[end + 1 : end + 2].isalpha()
            and low[end + 2 : end + 3] not in ".)"
            and low[max(start, end - 1) : end] not in ".!?:;…"
            and not _SIGNED.search(low[max(start, end - WRAPPED) : end])
        ):
            following = low.find("\n", end + 1)
            end = size if following < 0 else following
        lead = _LEAD.match(low, start, end)
        body = lead.end() if lead else start
        stops, is_item = [body], bool(low[start:body].strip())
        for stop in _STOP.finditer(low, body, end):
            word = _WORD_BEFORE.search(low, max(body, stop.start() - 12), stop.start()) if stop[0] == "." else None
            letter = word and len(word[1]) == 1 and word[1].isalpha() and word[1] != "i"
            short = word and (word[1] in english().abbreviations or letter)
            if word and word[1] == "no":  # "no. 5", or the answer "no."
                short = low[stop.end() : stop.end() + 2].strip()[:1].isdigit()
            if not short:
                stops.append(stop.end())
        for first, last in pairwise([*stops, end]):
            if said := low[first:last].strip():
                begin = low.index(said, first)
                yield begin, begin + len(said), is_item
        start = end + 1


@dataclass(frozen=True, slots=True)
class ClauseSpan:
    """A clause of the message from `start` (after its opener) to `end`; `sort` is "fact", "" or a refusal reason."""

    begin: int  # opener included
    start: int
    end: int
    sort: str
    family: Family | None = None
    spares: bool = False  # an order to spare the person something ("so no nuts"), justified by the fact before it


def clauses(low: str, text: str, start: int, end: int, language: Language) -> list[ClauseSpan]:
    """Split the sentence `text[start:end]`, `low` in lower case, into clauses."""
    spans: list[tuple[int, int]] = []

    def body(begin: int, stop: int) -> int:
        """Return the offset after the opener; the `no` of "no new dependencies" is not an opener."""
        first = after_opener(low, begin, stop, language)
        bans = first > begin and low.startswith("no ", begin) and language.family(low, begin, stop, text)
        return begin if bans else first

    at = body(start, end)
    boundaries = [*language.cues["boundary"].finditer(low, at, end)]
    within = within_joint_subject(text, at, end, boundaries)
    for found in boundaries:
        spans.append((at, found.start()))
        at = found.end()
    spans.append((at, end))
    parts: list[ClauseSpan] = []
    for begin, stop in spans:
        if not low[begin:stop].strip():
            continue
        if parts and parts[-1].sort in ("", "fact") and _AGE_SINCE.match(low, parts[-1].end, stop):
            parts[-1] = replace(parts[-1], end=stop)
            continue
        first = body(begin, stop)
        empty = language.empty.match(low, first, stop)
        sort = (empty.lastgroup or "") if empty else ""
        family = language.family(low, first, stop, text)
        if family and sort == "hypothetical" and not language.strict and not family.standing:
            family = None
        if not family and not sort and (lead := language.cues["lead_in"].match(low, first, stop)):
            family = language.family(low, lead.end(), stop, text)
        asked = low[end - 1] == "?" and family is not None and family.standing and not family.asking
        stated = family is not None and not asked and (family.standing or language.strict or not sort)
        spares = english().cues["spared"].match(low, first, stop) is not None
        part = ClauseSpan(begin, first, stop, "fact" if stated else sort, family if stated else None, spares)
        before = parts[-1].family if parts else None
        if before and not before.standing and part.sort == "fact" and OF_THAT.match(low[first:stop]):
            parts[-1] = replace(parts[-1], end=stop)
            continue
        if before and begin in within:  # "my son Finn" and "I have asthma"
            member = parts.pop()
            part = part if part.sort else replace(part, sort="fact", family=before)
            part = replace(part, begin=member.begin, start=member.start)
        parts.append(part)
    if parts and parts[0].sort == "hypothetical":
        # after an `if`, only a standing wish counts: "if I ask for code, always use types"
        return [part if part.family and part.family.standing else replace(part, sort="hypothetical") for part in parts]
    return parts


def after_opener(low: str, start: int, end: int, language: Language) -> int:
    """Return the offset after the opener of a sentence or clause ("well, so"), or `start` if it has none."""
    opener = language.cues["opener"].match(low, start, end)
    return opener.end() if opener and opener.end() < end else start


@dataclass(frozen=True, slots=True)
class StatementSpan:
    """Consecutive clauses that belong to one fact."""

    start: int
    end: int
    family: Family
    subject: tuple[int, int] | None = None  # span of the subject, if it precedes the statement
    pronoun: int | None = None  # start of the pronoun in whose place the subject stands
    name: str = ""  # who an opening pronoun means, if the text of its message cannot give the words


def statements(parts: list[ClauseSpan]) -> Iterator[StatementSpan]:
    """Yield facts with the clauses that belong to them.

    A clause without a sort extends the fact before it; so does an order whose reason is a fact about people. A clause
    without a sort that opens the sentence belongs to the fact after it, and a transient clause to a fact that refers
    back to it.
    """
    held: StatementSpan | None = None
    leading: ClauseSpan | None = None
    before: ClauseSpan | None = None
    for part in parts:
        if part.sort == "fact" and part.family:
            if held:
                yield held
            start = part.start
            lead = leading or (before if part.family.back and before and before.sort == "transient" else None)
            if lead and part.end - lead.start <= EXTEND_TO:
                start = lead.start
            held, leading = StatementSpan(start, part.end, part.family), None
        elif part.sort:
            if held:
                spares = part.spares and held.family.kind in ABOUT_PEOPLE and part.end - held.start <= EXTEND_TO
                yield replace(held, end=part.end) if spares else held
            held = leading = None
        elif held and part.end - held.start <= EXTEND_TO:
            held = StatementSpan(held.start, part.end, held.family)
        elif part is parts[0]:
            leading = part
        before = part
    if held:
        yield held


def is_task(low: str, start: int, end: int) -> bool:
    """Return True if the sentence `low[start:end]` begins with something for the assistant to make or find."""
    return english().cues["task"].match(low, start, end) is not None


def end_of_written(low: str, start: int, end: int) -> int | None:
    """Return the end of the words that a sentence asks to write or send ("write to Jo: I ..."), or None.

    These words are the rest of the line or, if they begin on a later line, of the message.
    """
    if not english().cues["written"].match(low, start, end):
        return None
    line = low.find("\n", end) if low[end - 1] != ":" or low[end : end + 1] == " " else -1
    return line if line >= 0 else len(low)


def split_task_material(low: str, spans: Iterable[tuple[int, int, bool]]) -> Iterator[tuple[int, int, bool]]:
    """Yield the sentences, splitting a task from the material for it that follows a colon."""
    for start, end, is_item in spans:
        given = english().cues["task_with"].match(low, start, end) if is_task(low, start, end) else None
        if given:
            yield start, low.rindex(":", start, given.end()) + 1, is_item
            start = given.end()
        yield start, end, is_item


def end_of_assertion(low: str, start: int, end: int) -> int:
    """Return the start of a task or question after the statement of a sentence, or `end`.

    "I live in Aarhus, what's a good desk?" states where somebody lives. A standing order belongs to the statement.
    """
    cues = english().cues
    for found in re.finditer(r"(?=,|;| [-–—]| \()", low[start:end]):
        at = start + found.start()
        if cues["task_after"].match(low, at, end) and cues["asserted"].match(low, start, at):
            return end if cues["lasting_task"].search(low, at, end) else at
    return end


def is_limit(low: str, start: int, end: int) -> bool:
    """Return True if a sentence only limits a task ("budget 6k"), or has one or two words and no safety fact."""
    said = low[start:end]
    few = len(said.split()) < FEWEST_WORDS and not safety.states(said)
    return few or english().cues["limit"].match(low, start, end) is not None


def presupposed_fact(low: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the span of a lasting safety fact that a question presupposes, or None.

    "Does it matter that I take levothyroxine?" does; "could it be that I have diabetes?" does not.
    """
    found = _PRESUPPOSED.search(low, start, end) if low[end - 1] == "?" else None
    return found.span(1) if found and safety.states(found[1], (*safety.LASTING, "treatment")) else None


def grave_fact(low: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the span of a sentence about a danger to the person's life ("peanuts send me to hospital"), or None.

    Such sentences are rare and dangerous to miss, so they need no pattern. A condition belongs to the fact.
    """
    said = low[start:end]
    if low[end - 1] == "?" or not _OWN.search(said) or _NOT_MEANT.search(said) or not safety.is_grave(said):
        return None
    return start, end

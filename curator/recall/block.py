"""Recall blocks: recalled memories as text for a model, framed as data."""

import secrets
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from curator.block_text import (
    ABOUT_PERSON,
    BY_WORDS,
    HEADINGS,
    NO_DATE,
    Section,
    leads_of,
    line_of,
    reworded_at,
    sanitised,
    section_of,
)
from curator.config import settings
from curator.curation.disclosure import Disclosure
from curator.display import iso_date
from curator.models.tokens import Counter, count_tokens
from curator.recall.always_given import hidden_reason, ordered_standing_memories
from curator.recall.open_conflicts import conflict_notes, conflict_sides, newer_sides
from curator.recall.types import Hit, OmissionKind
from store import Filter, Store, clock
from store.model import Life, Memory, Review


class Style(StrEnum):
    """Style of the block: notes in a system prompt, or a preamble by the assistant."""

    SYSTEM = "system"
    PREAMBLE = "preamble"


class Detail(StrEnum):
    """Amount of detail: only the memory's line, or also its kind, confirmation and quote."""

    COMPACT = "compact"
    DETAILED = "detailed"


SHARE = {Section.IDENTITY: 2, Section.PREFERENCE: 3, Section.PROJECT: 3, Section.CONTEXT: 2}
"""Relative shares of the budget; what a section does not use goes to the next one."""

_PREAMBLE = (
    "This is what I remember about you. These are only notes.",
    'This is what I remember about you. I keep to the wishes under "always"; the rest are only notes.',
)
Lines = dict[Section, list[tuple[int, str]]]
"""(memory id, line) of each section, best first."""

_ALL = Filter()
_TITLE, _QUOTE, _NAME = 60, 200, 60  # maximum characters of a title, a quote and a project's name


@dataclass(frozen=True, slots=True)
class Block:
    """A recall block. The text contains `id`, for feedback; it is empty if no memory qualifies or fits.

    `sections` are the tokens of each section, including its heading but not the frame.
    """

    id: str
    text: str
    tokens: int
    memories: tuple[int, ...]
    dropped: dict[int, OmissionKind]  # reasons for leaving out hits and standing memories
    sections: dict[str, int] = field(default_factory=dict)
    standing: tuple[int, ...] = ()  # those of `memories` that are always given
    unfit: tuple[int, ...] = ()  # those that are always given, but did not fit
    newer: tuple[int, ...] = ()  # those of `memories` that are no hits, but in conflict with an older one that is

    @property
    def recalled(self) -> tuple[int, ...]:
        """The memories recalled for the prompt; only these count as used, not standing ones."""
        return tuple(memory for memory in self.memories if memory not in self.standing)


@dataclass(frozen=True, slots=True)
class Frame:
    """The opening and closing lines of a block; the opening depends on whether there are standing memories."""

    opening: str
    notes: str
    orders: str
    closing: str = "</memories>"

    def tokens(self, standing: bool, count: Counter) -> int:
        """Return the tokens of the frame and a newline, with the longer opening if standing memories may follow."""
        return count("\n".join((self.opening, self.orders if standing else self.notes, self.closing))) + 1

    def around(self, bodies: Iterable[Sequence[str]]) -> str:
        """Return the text of a block from the lines of its sections, each of which begins with a heading."""
        lines = [line for body in bodies for line in body]
        standing = HEADINGS[Section.STANDING] in lines
        return "\n".join((self.opening, self.orders if standing else self.notes, *lines, self.closing))


def block(
    store: Store,
    hits: Sequence[Hit],
    budget: int,
    style: Style = Style.SYSTEM,
    detail: Detail = Detail.COMPACT,
    now: int | None = None,
    count: Counter = count_tokens,
    by_words: bool = False,
    memory_filter: Filter = _ALL,
    had: Collection[int] = (),
) -> Block:
    """Return a `<memories>` block of hits with at most `budget` tokens, measured by `count` and including the frame.

    With `by_words`, the block states that only words were searched. Safety matters come first, whatever room they take,
    then standing memories within the scopes of `memory_filter`, except those that the model `had` before. These get
    what safety matters leave of the share `recall.standing` of the budget, and whatever the other memories leave.

    Sections are in order of priority; within a section, validated memories come first, then better hits. Memories that
    are not live, expired at `now` (microseconds; default: the current time) or in quarantine are left out. A memory in
    an open conflict is marked as possibly outdated and accompanied by the one that was said later; it is dropped if
    that one does not fit. Memories of a project name it, unless `memory_filter` is limited to that project.
    """
    moment = clock.now() if now is None else now
    name = f"r{secrets.token_hex(5)}"
    dropped = {hit.memory.id: reason for hit in hits if (reason := exclusion_reason(hit.memory, moment))}
    found = [hit.memory.id for hit in hits]
    always = {
        memory.id: memory
        for memory in ordered_standing_memories(store, memory_filter, moment, found)
        if memory.id not in had
    }
    fresh = [hit.memory for hit in hits if hit.memory.id not in dropped and hit.memory.id not in always]
    newer = {
        older: memory
        for older, memory in newer_sides(store, fresh, memory_filter, {*found, *always}).items()
        if exclusion_reason(memory, moment) is None
    }
    brought = {memory.id: memory for memory in newer.values() if memory.id not in had}
    both = (one for memory in fresh for one in (newer.get(memory.id), memory) if one and one.id not in had)
    others = list({one.id: one for one in both}.values())
    urgent = {hit.memory.id for hit in hits if hit.safety}
    others.sort(key=lambda memory: memory.review is not Review.VALIDATED)
    given = [*always.values(), *others]
    known = {memory.id: memory for memory in (*given, *newer.values())}
    sides = conflict_sides(store, known)
    lines = lines_of(store, given, always, urgent, conflict_notes(known, sides), memory_filter, detail)
    leads = _PREAMBLE if style is Style.PREAMBLE else leads_of(ABOUT_PERSON)
    frame = Frame(f'<memories id="{name}">', *(lead + (BY_WORDS if by_words else "") for lead in leads))
    listed, outdated = {one for members in lines.values() for one, _ in members}, set[int]()
    while True:  # repeat: dropping the older memory of a conflict may make room for the newer one
        room = {section: [one for one in members if one[0] not in outdated] for section, members in lines.items()}
        chosen = distribute(room, frame, budget, count)
        taken = set[int]().union(*chosen.values())
        alone = {older for older, later in sides if older in taken and later in listed - taken} - urgent - always.keys()
        if not alone:
            break
        outdated |= alone
    kept = tuple(one for section, members in lines.items() for one, _ in members if one in chosen[section])
    dropped |= {one: OmissionKind.BUDGET for members in lines.values() for one, _ in members if one not in kept}
    unfit = tuple(one for one in always if one not in kept)
    if not kept:
        return Block(name, "", 0, (), dropped, unfit=unfit)
    bodies = _bodies(lines, chosen)
    text = frame.around(bodies.values())
    sections = {section.value: count("".join(f"{line}\n" for line in body)) for section, body in bodies.items()}
    standing = tuple(one for one in kept if one in always)
    later = tuple(memory for memory in brought if memory in kept)
    return Block(name, text, count(text), kept, dropped, sections, standing, unfit, later)


def exclusion_reason(memory: Memory, now: int) -> OmissionKind | None:
    """Return the reason for excluding a memory from blocks, or None if it may be included."""
    if memory.review is Review.REJECTED and memory.life is Life.LIVE:
        return OmissionKind.REJECTED
    return OmissionKind.of_life(memory.life) or hidden_reason(memory, now, True)


def lines_of(
    store: Store,
    memories: Sequence[Memory],
    always: Collection[int],
    urgent: Collection[int],
    noted: Mapping[int, str],
    memory_filter: Filter,
    detail: Detail,
) -> Lines:
    """Return the lines of memories by section. Memories of a project name it, unless the filter is limited to it."""
    lines: Lines = {section: [] for section in Section}
    disclosure = Disclosure(store)
    said = last_said(store, memories, disclosure, detail)
    for memory in memories:
        last = said[memory.id]
        notes = [memory.kind.value, confirmed(memory)] if detail is Detail.DETAILED else []
        if memory.id not in always or notes:  # standing memories have no date, which would be a third of their tokens
            notes += filter(None, (last.day, last.title))
            if memory.scope.startswith("project:") and memory.scope not in memory_filter.scopes:
                name = sanitised(disclosure.words(memory.scope.removeprefix("project:")) or "", _NAME)
                notes.append(f"in project {name}" if name else "in a project")
        notes += filter(None, (noted.get(memory.id),))
        section = Section.STANDING if memory.id in always else section_of(memory.kind, memory.project)
        section = Section.SAFETY if memory.id in urgent else section
        lines[section].append((memory.id, format_line(memory, notes, last)))
    return lines


def distribute(lines: Lines, frame: Frame, budget: int, count: Counter) -> dict[Section, set[int]]:
    """Return the memories of each section that fit into a budget of tokens, including the frame.

    Safety matters get what they need, standing memories what these leave of their common share, each other section its
    share and what the sections before it did not use. The remainder is then offered to all, to standing memories last.
    """
    chosen: dict[Section, set[int]] = {section: set() for section in lines}
    left, shares = budget - frame.tokens(bool(lines[Section.STANDING]), count), sum(SHARE.values())
    own = int(left * settings().recall.standing)
    safety = _take(chosen[Section.SAFETY], Section.SAFETY, lines[Section.SAFETY], left, count)
    standing = _take(chosen[Section.STANDING], Section.STANDING, lines[Section.STANDING], max(0, own - safety), count)
    left -= safety + standing
    for section, share in SHARE.items():
        left -= _take(chosen[section], section, lines[section], left * share // shares, count)
        shares -= share
    for section in (*SHARE, Section.STANDING):
        left -= _take(chosen[section], section, lines[section], left, count)
    order = [(section, one) for section, members in lines.items() for one, _ in members if one in chosen[section]]
    while order and count(frame.around(_bodies(lines, chosen).values())) > budget:
        section, one = order.pop()  # the whole text may have more tokens than the sum of its lines
        chosen[section].remove(one)
    return chosen


def _bodies(lines: Lines, chosen: Mapping[Section, set[int]]) -> dict[Section, list[str]]:
    """Return the heading and lines of each non-empty section."""
    return {
        section: [HEADINGS[section], *(text for memory, text in members if memory in chosen[section])]
        for section, members in lines.items()
        if chosen[section]
    }


def _take(chosen: set[int], section: Section, members: Iterable[tuple[int, str]], budget: int, count: Counter) -> int:
    """Add the memories of a section that fit into the budget to `chosen`; return the tokens used."""
    spent = 0
    for memory, line in members:
        cost = count(f"{line}\n") + (0 if chosen else count(f"{HEADINGS[section]}\n"))
        if memory not in chosen and spent + cost <= budget:
            chosen.add(memory)
            spent += cost
    return spent


@dataclass(frozen=True, slots=True)
class LastSaid:
    """Last mention of a memory: its day (YYYY-MM-DD or "no date"), the conversation's title, and the quote.

    The quote is omitted if it equals the text.
    """

    day: str
    title: str | None
    quote: str


def last_said(store: Store, memories: Sequence[Memory], disclosure: Disclosure, detail: Detail) -> dict[int, LastSaid]:
    """Return the last mention of each memory, or the date of a later edit. Quotes are omitted with compact detail."""
    found, ids = dict[int, LastSaid](), [memory.id for memory in memories]
    evidence, versions = store.evidence_of(ids), store.versions_of(ids)
    for memory in memories:
        last = evidence[memory.id][-1] if memory.id in evidence else None  # sorted oldest first
        at = last.said_at if last and last.said_at else memory.created_at
        former = ((one.text, one.at) for one in versions.get(memory.id, ()) if one.merged_from is None)
        put = reworded_at(memory.text, former)
        reworded = put is not None and (at is None or put > at)
        title = disclosure.title(last) if last and not reworded else None
        if title and (len(title) > _TITLE or title.rstrip(" .!").casefold() in memory.text.casefold()):
            title = None  # the first message of a session, which has no other title
        quote = ""
        if last and detail is Detail.DETAILED and sanitised(last.quote, _QUOTE) != sanitised(memory.text):
            quote = sanitised(disclosure.words(last.quote) or "", _QUOTE)
        when = put if reworded else at
        day = iso_date(when, NO_DATE)
        found[memory.id] = LastSaid(day, None if title is None else sanitised(title, _TITLE), quote)
    return found


def text_with_author(memory: Memory) -> str:
    """Return the text of a memory; if it was shared by another member, with the member's name."""
    text = sanitised(memory.text)
    return text if memory.author is None else f"{sanitised(memory.author)} says: {text}"


def confirmed(memory: Memory) -> str:
    """Return "confirmed" or "unconfirmed"."""
    return "confirmed" if memory.review is Review.VALIDATED else "unconfirmed"


def format_line(memory: Memory, notes: Iterable[str], last: LastSaid) -> str:
    """Return the line of a memory in a block: its text with notes, and the quote if any."""
    line = line_of(text_with_author(memory), notes)
    return f'{line} said: "{last.quote}"' if last.quote else line

"""Blocks of a project's memories for the start of a session."""

import secrets
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType

from curator.block_text import ABOUT_PERSON, HEADINGS, Section, leads_of, sanitised
from curator.config import settings
from curator.curation.disclosure import Disclosure
from curator.curation.expiry import expired_at
from curator.display import iso_date
from curator.models.tokens import Counter, count_tokens
from curator.recall.always_given import ordered_standing_memories
from curator.recall.block import Block, Detail, Frame, LastSaid, confirmed, exclusion_reason, format_line, last_said
from curator.recall.open_conflicts import conflict_notes, conflict_sides, newer_sides
from curator.recall.types import OmissionKind
from store import Filter, Sort, Store, clock
from store.model import Kind, Memory, Rank, Review, Tier

KINDS = (
    Kind.PROJECT,
    Kind.DECISION,
    Kind.CONSTRAINT,
    Kind.COMMITMENT,
    Kind.TASK,
    Kind.PREFERENCE,
    Kind.SKILL,
    Kind.ENTITY,
    Kind.FACT,
    Kind.RELATIONSHIP,
    Kind.IDENTITY,
    Kind.TRAIT,
    Kind.EVENT,
    Kind.CONTEXT,
)
"""Order of the kinds in the block."""
_TOGETHER = 100  # memories whose last mention is read together
_MISSES = 100
"""Consecutive memories that do not fit before the rest is skipped, since reading thousands takes seconds."""
_CANDIDATES = 1_000
"""Minimum number of memories per filter that are read for a block with a budget."""
_STANDING = HEADINGS[Section.STANDING]
_PERSONAL = "about the person:"
_PERSON = (Kind.IDENTITY, Kind.TRAIT, Kind.PREFERENCE, Kind.CONSTRAINT)
_TIERS = (Tier.CORE, Tier.MEDIUM, Tier.LOW)
_RANKS = (Rank.HIGH, Rank.NEW, Rank.LOW)


def project_context(
    store: Store,
    name: str | None,
    budget: int | None = None,
    detail: Detail = Detail.COMPACT,
    *,
    person: bool = False,
    validated: bool = False,
    count: Counter = count_tokens,
    had: Collection[int] = (),
) -> Block:
    """Return a block of the active memories of a project, or of the global ones without a name.

    If the name is "", the block is for a place outside all projects: it has standing memories and those on the
    `person`. Memories that the model `had` before are left out.

    With a `budget` (tokens), the least important memories are left out; `dropped` lists the first of them.
    Standing memories of the project and global ones come first; they get the share `recall.standing` of the budget and
    what the others leave. Active memories are live, not in quarantine and not expired, neither by their own date nor by
    the default of their kind; with `validated`, they must be validated too. With `person`, validated and pinned global
    memories on the person's identity and preferences are added. A memory in an open conflict is only included if the
    one that was said later fits too.
    """
    now = clock.now()
    scopes = Filter(scopes=("global", f"project:{name}") if name else ("global",))
    scopes = scopes.validated_only() if validated else scopes
    always = ordered_standing_memories(store, scopes, now)
    standing = {memory.id for memory in always}
    found = [memory for memory in candidates(store, name, budget, person) if memory.id not in standing]
    dropped = {memory.id: why for memory in found if (why := _inactive(memory, now, validated)) is not None}
    active = [memory for memory in found if memory.id not in dropped]
    known = {memory.id for memory in found} | standing
    brought = {memory.id: memory for memory in newer_sides(store, active, scopes, known).values()}
    active += [memory for memory in brought.values() if _inactive(memory, now, validated=False) is None]
    personal = {
        memory.id
        for memory in active
        if name not in (None, memory.project) and memory.scope == "global" and memory.kind in _PERSON
    }
    active.sort(key=partial(_priority, personal))
    both = {memory.id: memory for memory in active}
    newer: dict[int, list[int]] = {}
    for older, later in conflict_sides(store, both):
        newer.setdefault(older, []).append(later)
    active = list(_newer_first(both, newer))
    disclosure = Disclosure(store)
    ident = f"r{secrets.token_hex(5)}"
    label = sanitised(disclosure.words(name or "") or "").replace('"', "'")
    about = f"What is known of the project{label and f' {label}'}." if name else ABOUT_PERSON
    opening = f'<memories id="{ident}" project="{label}">' if label else f'<memories id="{ident}">'
    frame = Frame(opening, *leads_of(about))
    shown = {memory.id: memory for memory in (*always, *active)}
    noted = conflict_notes(shown, conflict_sides(store, shown))
    headings = {one.id: _PERSONAL if one.id in personal else f"{one.kind}:" for one in active}
    always, active = ([one for one in part if one.id not in had] for part in (always, active))
    newer = {older: [one for one in later if one not in had] for older, later in newer.items()}
    orders = list(_lines(store, always, {memory.id: _STANDING for memory in always}, disclosure, detail, noted))
    others = _lines(store, active, headings, disclosure, detail, noted)
    left = None if budget is None else budget - frame.tokens(bool(always), count)
    kept = _fitting(orders, others, newer, left, count)
    while kept and budget is not None and count(_text(frame, kept)) > budget:
        kept.popitem()  # the whole text may have more tokens than the sum of its lines
    dropped |= {number: OmissionKind.BUDGET for number in shown if number not in kept and number not in had}
    unfit = tuple(memory.id for memory in always if memory.id not in kept)
    if not kept:
        return Block(ident, "", 0, (), dropped, unfit=unfit)
    text = _text(frame, kept)
    given = tuple(memory.id for memory in always if memory.id in kept)
    memories = (*given, *(line.memory.id for line in _by_kind(kept)))
    return Block(ident, text, count(text), memories, dropped, standing=given, unfit=unfit)


def _inactive(memory: Memory, now: int, validated: bool) -> OmissionKind | None:
    """Return the reason why a memory is not active, or, with `validated`, not validated; None if it is."""
    if reason := exclusion_reason(memory, now):
        return reason
    if validated and memory.review is not Review.VALIDATED:
        return OmissionKind.NOT_VALIDATED
    return OmissionKind.EXPIRED if expired_at(memory, now) is not None else None


def candidates(store: Store, name: str | None, budget: int | None, person: bool) -> list[Memory]:
    """Return the memories of a project, or the global ones.

    With `person`, validated and pinned memories about the person are added; if the name is "", there are no others.
    With a budget, only the most important memories that may fit are read.
    """
    filters = [Filter(scopes=("global",))] if name is None else []
    if name:
        filters = [Filter(projects=(name,)), Filter(scopes=(f"project:{name}",))]
    if budget is not None:
        filters = [one for memory_filter in filters for one in (*_decided(memory_filter), memory_filter)]
    if person and name is not None:
        filters += _decided(Filter(kinds=_PERSON, scopes=("global",)))
    most = None if budget is None else max(budget, _CANDIDATES)
    ids = (number for memory_filter in filters for number in store.list_ids(memory_filter, Sort.MATTERS, most))
    return store.get_many(list(dict.fromkeys(ids)))


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a block: a memory, its text and its heading."""

    memory: Memory
    heading: str
    text: str


def _fitting(
    orders: Sequence[_Line],
    others: Iterable[_Line],
    newer: Mapping[int, Sequence[int]],
    left: int | None,
    count: Counter,
) -> dict[int, _Line]:
    """Return the lines that fit into the budget `left` (None: all), by memory.

    Orders get their share first, and what the others leave. Of a memory in an open conflict, the `newer` sides must
    fit too.
    """
    kept: dict[int, _Line] = {}
    spent = _take(kept, orders, None if left is None else int(left * settings().recall.standing), count)
    misses = 0
    for line in others:
        if misses == _MISSES:
            break
        if any(later not in kept for later in newer.get(line.memory.id, ())):
            continue
        cost = _take(kept, [line], None if left is None else left - spent, count)
        spent, misses = spent + cost, 0 if cost or left is None else misses + 1
    _take(kept, orders, None if left is None else left - spent, count)
    return kept


def _take(kept: dict[int, _Line], lines: Sequence[_Line], budget: int | None, count: Counter) -> int:
    """Add the lines that fit into the budget (None: all); return the tokens used."""
    spent = 0
    for line in lines:
        if line.memory.id in kept:
            continue
        if budget is not None:
            headed = any(other.heading == line.heading for other in kept.values())
            cost = count(f"{line.text}\n") + (0 if headed else count(f"{line.heading}\n"))
            if spent + cost > budget:
                continue
            spent += cost
        kept[line.memory.id] = line
    return spent


def _lines(
    store: Store,
    memories: Sequence[Memory],
    headings: Mapping[int, str],
    disclosure: Disclosure,
    detail: Detail,
    noted: Mapping[int, str] = MappingProxyType({}),
) -> Iterator[_Line]:
    """Yield the lines of memories, with the notes in `noted`; standing memories have no date."""
    said = dict[int, LastSaid]()
    for place, memory in enumerate(memories):
        if memory.id not in said:  # read in batches: single reads of 120 memories took 40 ms
            said |= last_said(store, memories[place : place + _TOGETHER], disclosure, detail)
        last = said[memory.id]
        notes = [confirmed(memory), f"{memory.tier} tier"] if detail is Detail.DETAILED else []
        if notes and memory.expires_at is not None and memory.expires_at < clock.LATEST:
            notes.append(f"until {iso_date(memory.expires_at)}")
        heading = headings[memory.id]
        notes = [last.day, *notes] if notes or heading != _STANDING else []
        notes += [noted[memory.id]] if memory.id in noted else []
        text = format_line(memory, notes, last)
        yield _Line(memory, heading, text)


def _newer_first(memories: Mapping[int, Memory], newer: Mapping[int, Sequence[int]]) -> Iterator[Memory]:
    """Yield the memories in order, but each after the `newer` ones that may outdate it."""
    done, waiting = set[int](), [*memories][::-1]
    while waiting:
        if before := [one for one in newer.get(waiting[-1], ()) if one not in done]:
            waiting += before
        elif (number := waiting.pop()) not in done:
            done.add(number)
            yield memories[number]


def _decided(memory_filter: Filter) -> list[Filter]:
    return [replace(memory_filter, reviews=(Review.VALIDATED,)), replace(memory_filter, pinned=True)]


def _priority(personal: Collection[int], memory: Memory) -> tuple[bool, bool, int, int, int, int]:
    """Return a sort key by the person's decision, project, tier, use, importance and recency."""
    decided = memory.pinned or memory.review is Review.VALIDATED
    return (
        not decided,
        memory.id in personal,
        _TIERS.index(memory.tier),
        _RANKS.index(memory.rank),
        -memory.importance,
        -memory.said_order,
    )


def _by_kind(kept: Mapping[int, _Line]) -> list[_Line]:
    """Return the lines of memories that are not standing, by kind and importance; those about the person come last."""
    others = [line for line in kept.values() if line.heading != _STANDING]

    def place(line: _Line) -> tuple[object, ...]:
        return line.heading == _PERSONAL, KINDS.index(line.memory.kind), _priority((), line.memory)

    return sorted(others, key=place)


def _text(frame: Frame, kept: Mapping[int, _Line]) -> str:
    bodies: dict[str, list[str]] = {}
    for line in (*(line for line in kept.values() if line.heading == _STANDING), *_by_kind(kept)):
        bodies.setdefault(line.heading, []).append(line.text)
    return frame.around((head, *body) for head, body in bodies.items())

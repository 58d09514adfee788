"""Taking a sentence apart: which clauses say something about the person, and which ask, complain or fill."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from curator.distill.language import Family, Language

EXTEND_TO = 320
"""Characters up to which a statement takes in the clauses that follow it."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of the message from `start` (after its opener) to `end`; `sort` is "fact", "" or a refusal reason."""

    begin: int  # opener included
    start: int
    end: int
    sort: str
    family: Family | None = None


def clauses(low: str, text: str, start: int, end: int, language: Language) -> list[Clause]:
    """Cut the sentence `text[start:end]`, `low` in lower case, and say what each clause does."""
    spans: list[tuple[int, int]] = []
    opener = language.cues["opener"].match(low, start, end)
    at = opener.end() if opener and opener.end() < end else start
    for found in language.cues["boundary"].finditer(low, at, end):
        spans.append((at, found.start()))
        at = found.end()
    spans.append((at, end))
    parts = [_sorted(low, text, a, b, language) for a, b in spans if low[a:b].strip()]
    if parts and parts[0].sort == "hypothetical":
        return [part if _stands(part) else replace(part, sort="hypothetical") for part in parts]
    return parts


def _stands(part: Clause) -> bool:
    """Whether a clause holds even after an `if`: "if I ask for code, always use types"."""
    return bool(part.family and part.family.standing)


def _sorted(low: str, text: str, begin: int, end: int, language: Language) -> Clause:
    opener = language.cues["opener"].match(low, begin, end)
    start = opener.end() if opener and opener.end() < end else begin
    found = language.empty.match(low, start, end)
    sort = (found.lastgroup or "") if found else ""
    if sort == "hypothetical":
        return Clause(begin, start, end, sort)
    family = language.family(low, start, end, text)
    if not family and not sort and (lead := language.cues["lead_in"].match(low, start, end)):
        family = language.family(low, lead.end(), end, text)
    if family and (family.standing or not sort):
        return Clause(begin, start, end, "fact", family)
    return Clause(begin, start, end, sort)


@dataclass(frozen=True, slots=True)
class Statement:
    """A run of clauses that belong to one fact."""

    start: int
    end: int
    family: Family


def statements(parts: list[Clause]) -> Iterator[Statement]:
    """Facts with the clauses that hang on to them.

    A clause that fits nothing goes on with what stands before it: a fact grows by it, a question keeps it. One that
    opens the sentence belongs to the fact it leads up to, and a trouble to what is then said of it.
    """
    held: Statement | None = None
    leading: Clause | None = None
    before: Clause | None = None
    for part in parts:
        if part.sort == "fact" and part.family:
            if held:
                yield held
            start = part.start
            lead = leading or (before if part.family.back and before and before.sort == "transient" else None)
            if lead and part.end - lead.start <= EXTEND_TO:
                start = lead.start
            held, leading = Statement(start, part.end, part.family), None
        elif part.sort:
            if held:
                yield held
            held = leading = None
        elif held and part.end - held.start <= EXTEND_TO:
            held = Statement(held.start, part.end, held.family)
        elif part is parts[0]:
            leading = part
        before = part
    if held:
        yield held

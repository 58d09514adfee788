"""The details of a memory as one text with theme colours. Nothing from a log is read as markup."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from textual.content import Content

from curator.injection import describe_flag
from curator.tui.glyphs import Glyphs
from curator.tui.labels import (
    ACTORS,
    ORIGINS,
    RELATIONS,
    decimal,
    flow,
    heading,
    hung,
    maker,
    reasons,
    shortened,
    source,
)
from curator.tui.memories.detail_queries import FORMER, Details, Found, Quoted
from curator.tui.memories.evidence_render import evidence
from curator.tui.text_diff import Change, Piece
from curator.tui.text_format import counted, day, one_line, said
from store import clock
from store.model import Judgment, Life, Memory, Origin, Relation, Review, Uses, is_over, own_end

if TYPE_CHECKING:
    from curator.compare.related import Near

TEXT = 12_000  # characters of a memory's own text
OTHER = 200  # of another memory's
CHANGED = 600  # of a former text: what was put in or taken out in one place
BESIDE = 60  # before and after that

NOVELTY = {
    "novelty": (0.40, "new to what is known"),
    "contradiction": (0.25, "contradicts what is known"),
    "specificity": (0.20, "specific"),
    "emphasis": (0.10, "you stressed it"),
    "switch": (0.05, "marks a change"),
}
"""The weight of each part in `Surprise.total`, and its label."""

_ENDS = {
    Life.FORGOTTEN: "forgotten",
    Life.SUPERSEDED: "superseded",
    Life.EXPIRED: "expired",
    Life.PURGED: "purged",
}
_REMEDIES = {
    Life.PURGED: "its text was erased and cannot be restored",
    Life.SUPERSEDED: "restore brings it back; the other stays",
}
_PLAIN = ("forget", "reject", "supersede", "expire", "purge")  # verbs that the words for their outcome name
_DIFF = {Change.REMOVED: ("[-", "-]", "$diff-old", "strike"), Change.ADDED: ("{+", "+}", "$diff-new", "")}
_CONFLICTS = {
    Relation.CONTRADICTION: "contradiction",
    Relation.UPDATE: "update",
    Relation.DUPLICATE: "duplicate",
    Relation.UNSURE: "undecided",
}


def content(details: Details, glyphs: Glyphs, width: int, inbox: bool = False) -> Content:
    """Return the details in `width` cells; in the inbox, what a review needs comes first."""
    memory = details.memory
    lines = [Content(line).stylize("bold $text") for line in shortened(memory.text, TEXT).split("\n")]
    if inbox:
        lines = [Content(), *lines, *_duplicates(details.alerts, width), Content()]
    else:
        lines.append(Content())
    lines += flow(nature(memory, glyphs), width)
    if not inbox:
        lines += _scores(details, width)
    lines += [*_flag(memory, glyphs), *_end(details, width)]
    if details.proposed is not None:
        lines += [Content(), heading("SUGGESTED WORDING", f"by {maker(details.proposed.wording.distiller)[0]}")]
        lines += hung(Content("  "), compared(details.proposed.pieces), width)
    lines += _conflicts(details.alerts, glyphs, width)
    count = len(details.evidence) + details.more
    if inbox and count > 1:
        lines += _quotes("EVIDENCE", f"1 of {count:,}", details.evidence[:1], glyphs, width)
        lines += _related("SIMILAR", details.related, width)
        lines += _quotes("MORE EVIDENCE", f"{count - 1:,}", details.evidence[1:], glyphs, width)
    else:
        lines += _quotes("EVIDENCE", str(count), details.evidence, glyphs, width)
        lines += [] if count else [_muted(f"none: {ORIGINS[memory.origin]}")]
        lines += _related("SIMILAR", details.related, width) if inbox else []
    if details.more:
        lines.append(_muted(f"and {details.more:,} older"))
    lines += [*_versions(details, width), *_swept(details, width)]
    if inbox:
        lines += [Content(), heading("SCORES"), *_scores(details, width)]
    else:
        lines += _related("SIMILAR", details.related, width)
    return Content("\n").join([*lines, *_why(memory, always=inbox)])


def nature(memory: Memory, glyphs: Glyphs) -> Iterator[Content]:
    """Yield kind, tier, review and state."""
    yield Content.styled(memory.kind, "$text")
    yield Content.styled(memory.tier, f"bold $tier-{memory.tier}")
    if memory.review is Review.VALIDATED:
        yield Content.styled(f"{glyphs.validated} validated", "$good")
    elif memory.review is Review.REJECTED:
        yield Content.styled("rejected", "$bad")
    else:
        yield _muted("not reviewed")
    if memory.life is not Life.LIVE:
        yield Content.styled(memory.life, "$warn")
    if memory.pinned:
        yield Content.styled(f"{glyphs.pinned} pinned", "$accent")
    if memory.origin is Origin.MODEL:
        model, prompt = maker(memory.distiller or "")
        yield _muted(f"{glyphs.made} found by {model}")
        if prompt:
            yield _muted(f"prompt {prompt}")
    if memory.later_until is not None:
        yield Content.styled(f"snoozed until {day(memory.later_until)}", "$warn")
    end = own_end(memory)
    if end is not None and memory.life is Life.LIVE:
        over = is_over(memory, clock.now())
        text = f"expired {day(end)}: not recalled" if over else f"valid until {day(end)}"
        yield _muted("never expires") if end >= clock.LATEST else Content.styled(text, "$warn")


def numbers(memory: Memory, uses: Uses | None) -> Iterator[Content]:
    """Yield confidence, importance, rank and the number of recalls."""
    if memory.user_score is None:
        yield _muted(f"confidence {decimal(memory.confidence)}")
    else:
        yield Content.styled(f"your score {memory.user_score} of 10", "$text")
        yield _muted(f"replaces confidence {decimal(memory.confidence)}")
    yield _muted(f"importance {memory.importance} of 10")
    yield _muted(f"rank {memory.rank}")
    if uses is None:
        yield _muted("never recalled")
    else:
        yield _muted(f"recalled {counted(uses.times, 'time')}, last {day(uses.last_at)}")


def scope_of(memory: Memory) -> Iterator[Content]:
    """Yield the scope, unless it is global."""
    where, _, name = memory.scope.partition(":")
    if memory.scope != "global":
        yield Content.styled(one_line(f"only in {where} {name}"), "$accent")


def tags_of(memory: Memory, width: int) -> Iterator[Content]:
    """Yield the tags, wrapped."""
    tags = " ".join(f"#{one_line(tag)}" for tag in memory.tags)
    yield from Content.styled(tags, "$accent").wrap(max(width, 10)) if tags else ()


def in_quarantine(memory: Memory, glyphs: Glyphs) -> Content:
    """Return why a memory is in quarantine."""
    why = one_line(describe_flag(memory.flag or "", memory.text))
    return Content.styled(f"{glyphs.quarantined} quarantined: {why}", "bold $warn")


def _scores(details: Details, width: int) -> Iterator[Content]:
    memory = details.memory
    yield from flow(numbers(memory, details.uses), width)
    about = [] if memory.origin is Origin.MODEL else [ORIGINS[memory.origin]]
    about += [] if memory.source is None else [one_line(source(memory.source) or "")]
    about.append(said(memory.created_at))
    if memory.project is not None and memory.scope != f"project:{memory.project}":
        about.append(one_line(f"project {memory.project}"))
    yield from flow([*map(_muted, about), *scope_of(memory)], width)
    yield from tags_of(memory, width)


def _flag(memory: Memory, glyphs: Glyphs) -> Iterator[Content]:
    if memory.flag is not None:
        yield Content()
        yield in_quarantine(memory, glyphs)
        yield _muted("Read it before validating: it may be an instruction to a model.")


def _end(details: Details, width: int) -> Iterator[Content]:
    """Yield who ended the memory's life, when, how and why, and what restores it."""
    memory, fate = details.memory, details.fate
    if memory.life is Life.LIVE:
        return
    rejected = memory.review is Review.REJECTED
    what = "rejected" if rejected and memory.life is Life.FORGOTTEN else _ENDS[memory.life]
    yield Content()
    reason = ""
    if fate is None:
        yield Content.styled(what, "bold $warn")
    else:
        how = "" if fate.verb in _PLAIN else f" ({one_line(fate.verb)})"
        by = f": imported that way on {day(fate.at)}"
        if fate.verb != "import":
            by = f" by {ACTORS[fate.actor]} on {day(fate.at)}{how}"
        yield Content.styled(f"{what}{by}", "bold $warn")
        reason = next((item.why for item in details.reasoned if item.command.id == fate.id), "")
        if why := reason or fate.summary:
            yield from hung(_muted("because  "), Content(one_line(why)), width)
    for number, successor in enumerate(details.successors):
        yield from hung(_muted("and finally by  " if number else "by  "), _other(successor), width)
    if memory.life is Life.EXPIRED and memory.expires_at is not None and not reason:
        yield _muted(f"valid until {day(memory.expires_at)}")
    restored = "restore puts it back in the inbox" if rejected else "restore brings it back"
    yield _muted(restored if rejected and memory.life is not Life.PURGED else _REMEDIES.get(memory.life, restored))


def _swept(details: Details, width: int) -> Iterator[Content]:
    """Yield the changes of rank and life by sweeps, and why."""
    if not details.reasoned:
        return
    yield Content()
    yield heading("CHANGED BY A SWEEP", str(len(details.reasoned)))
    for item in details.reasoned[:FORMER]:
        yield _muted(f"{day(item.command.at)} · {item.column} {item.before} → {item.after}, command {item.command.id}")
        yield from hung(Content("  "), Content(one_line(item.why)), width)
    if len(details.reasoned) > FORMER:
        yield _muted(f"and {len(details.reasoned) - FORMER:,} older")


def _duplicates(alerts: tuple[Found, ...], width: int) -> Iterator[Content]:
    """Yield other wordings that need review too."""
    for found in alerts:
        if found.alert.relation is Relation.DUPLICATE and found.other.review is Review.OPEN:
            yield from hung(_muted("or: "), _other(found.other), width)


def _conflicts(alerts: tuple[Found, ...], glyphs: Glyphs, width: int) -> Iterator[Content]:
    if not alerts:
        return
    yield Content()
    yield heading("CONFLICTS", str(len(alerts)))
    for found in alerts:
        sign = f"{glyphs.alert} {_CONFLICTS.get(found.alert.relation, found.alert.relation)}"
        yield from hung(Content.styled(f"{sign} {decimal(found.alert.score)}  ", "$warn"), _other(found.other), width)
        if why := reasons(found.alert, OTHER):
            yield from hung(Content("  "), _muted(f"because: {why}"), width)
        for judgment in found.judgments[:1]:
            yield from hung(Content("  "), opinion(judgment), width)


def opinion(judgment: Judgment) -> Content:
    """Return a model's judgment, which closes nothing."""
    model, _ = maker(judgment.judge)
    why = reasons(judgment, OTHER)
    because = f", because {why}" if why else ""
    return Content.assemble((f"{model} says: {judgment.relation}", "$accent"), (because, "$muted"))


def _quotes(name: str, what: str, quotes: Sequence[Quoted], glyphs: Glyphs, width: int) -> Iterator[Content]:
    yield Content()
    yield heading(name, what)
    for number, quoted in enumerate(quotes):
        if number:
            yield Content()
        yield from evidence(quoted, glyphs, width)


def _why(memory: Memory, always: bool) -> Iterator[Content]:
    """Yield the parts of the surprise: each times its weight."""
    surprise = memory.surprise
    if surprise is None and not always:
        return
    yield Content()
    if surprise is None:
        yield heading("WHY IT WAS FOUND")
        yield _muted(f"{ORIGINS[memory.origin]}: not scored")
        return
    yield heading("WHY IT WAS FOUND", f"score {decimal(surprise.total)}")
    for part, (weight, label) in NOVELTY.items():
        value: float = getattr(surprise, part)
        line = f"{label:<25}  {decimal(value):<3} × {decimal(weight)} = {decimal(weight * value)}"
        yield Content.styled(line, "$text" if weight * value >= 0.1 else "$muted")


def _related(name: str, related: "tuple[Near, ...] | None", width: int) -> Iterator[Content]:
    if related is None:
        return
    yield Content()
    yield heading(name, str(len(related) or ""))
    if not related:
        yield _muted("none found yet")
    for near in related:
        text, label = _other(near.memory), RELATIONS.get(near.relation)
        if label is not None:
            text = Content.assemble(text, (f" · {label}", "$warn"))
        yield from hung(_muted(f"{decimal(near.cosine):<3}  "), text, width)


def _versions(details: Details, width: int) -> Iterator[Content]:
    if not details.versions:
        return
    yield Content()
    yield heading("VERSIONS", str(len(details.versions) + details.older))
    for former in details.versions:
        merged = former.version.merged_from
        yield _muted(day(former.version.at) + ("" if merged is None else f" · merged from memory {merged}"))
        yield from hung(Content("  "), compared(former.pieces), width)
    if details.older:
        yield _muted(f"and {details.older} older")


def compared(pieces: Sequence[Piece]) -> Content:
    """Return a text with its removals and additions; long stretches that stayed are cut."""
    last = len(pieces) - 1
    parts: list[tuple[str, str]] = []
    for number, piece in enumerate(pieces):
        text = piece.text
        if piece.change is not Change.KEPT:
            before, after, colour, style = _DIFF[piece.change]
            parts += [(before, colour), (shortened(text, CHANGED), f"{style} {colour}"), (after, colour)]
        elif len(text) <= 3 * BESIDE:
            parts.append((shortened(text, 3 * BESIDE), "$text"))
        else:
            before = shortened(text[:BESIDE], BESIDE) if number else ""
            after = shortened(text[-BESIDE:], BESIDE) if number != last else ""
            parts.append((f"{before} … {after}", "$text"))
    return Content.assemble(*parts)


def _other(memory: Memory) -> Content:
    """Return another memory by its text and the year it was said."""
    text = one_line(memory.text, OTHER) + ("…" if len(memory.text) > OTHER else "")
    if memory.created_at is None:
        return Content(text)
    return Content.assemble(text, (f" ({clock.to_iso(memory.created_at)[:4]})", "$muted"))


def _muted(text: str) -> Content:
    return Content.styled(text, "$muted")

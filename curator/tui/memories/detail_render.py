"""The details of a memory as one text with colours from the theme's tokens. Nothing from a log is read as markup."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from textual.content import Content

from curator.injection import describe_flag
from curator.tui.formatting import counted, day, one_line, said
from curator.tui.glyphs import Glyphs
from curator.tui.labels import ACTORS, ORIGINS, RELATIONS, decimal, flow, heading, hung, maker, shortened, source
from curator.tui.memories.detail_queries import FORMER, Details, Found, Quoted
from curator.tui.memories.evidence_render import evidence
from curator.tui.widgets.text_diff import Change, Piece
from store import clock
from store.model import Command, Judgment, Life, Memory, Origin, Relation, Review, Uses, is_over, own_end

if TYPE_CHECKING:
    from curator.compare.related import Near

TEXT = 12_000  # characters of a memory's own text
OTHER = 200  # of another memory's
CHANGED = 600  # of a former text: what was put in or taken out in one place
BESIDE = 60  # before and after that

WEIGHTS = {"novelty": 0.40, "contradiction": 0.25, "specificity": 0.20, "emphasis": 0.10, "switch": 0.05}
"""What each part counts for in `Surprise.total`."""

_ENDS = {
    Life.FORGOTTEN: "forgotten",
    Life.SUPERSEDED: "superseded",
    Life.EXPIRED: "expired",
    Life.PURGED: "purged",
}
_PLAIN = ("forget", "reject", "supersede", "expire", "purge")  # verbs that the words for their outcome name
_DIFF = {Change.REMOVED: ("[-", "-]", "$diff-old", "strike"), Change.ADDED: ("{+", "+}", "$diff-new", "")}


def content(details: Details, glyphs: Glyphs, width: int, leading: bool = False) -> Content:
    """The details in `width` cells; `leading` puts first what a decision in the inbox needs."""
    memory = details.memory
    text = [Content(line) for line in shortened(memory.text, TEXT).split("\n")]
    lines = [line.stylize("bold $text") for line in text]
    alerts, related = _alerts(details.alerts, glyphs, width), _related(details.related, leading, width)
    former, better = _versions(details, width), _better(details, width)
    if leading:
        lines = [Content(), *lines, *_ways(details.alerts, width), Content(), *flow(nature(memory, glyphs), width)]
        lines += [*_flag(memory, glyphs), *_end(details, width), *better, *_first_evidence(details, glyphs, width)]
        lines += [*_why(memory, "WHY IT WAS FOUND", always=True), *alerts, *related]
        lines += [*_scores(details, width), *_more_evidence(details, glyphs, width), *former]
        lines += _swept(details, width)
    else:
        lines += [Content(), *flow(nature(memory, glyphs), width), *flow(numbers(details.memory, details.uses), width)]
        lines += [*flow(_about(memory), width), *_tags(memory, width), *_flag(memory, glyphs), *_end(details, width)]
        lines += [*better, *alerts, *_evidence(details, glyphs, width)]
        lines += [*_why(memory, "WHY IT IS HERE"), *former, *_swept(details, width), *related]
    return Content("\n").join(lines)


def nature(memory: Memory, glyphs: Glyphs) -> Iterator[Content]:
    """Kind, tier and what was decided."""
    yield Content.styled(memory.kind, "$text")
    yield Content.styled(memory.tier, f"bold $tier-{memory.tier}")
    if memory.review is Review.VALIDATED:
        yield Content.styled(f"{glyphs.validated} validated", "$good")
    else:
        yield Content.styled(memory.review, "$bad" if memory.review is Review.REJECTED else "$muted")
    if memory.life is not Life.LIVE:
        yield Content.styled(memory.life, "$warn")
    if memory.pinned:
        yield Content.styled(f"{glyphs.pinned} pinned", "$accent")
    if memory.origin is Origin.MODEL:
        model, prompt = maker(memory.distiller or "")
        yield _muted(f"{glyphs.made} made by {model}")
        if prompt:
            yield _muted(f"prompt {prompt}")
    if memory.later_until is not None:
        yield Content.styled(f"snoozed until {day(memory.later_until)}", "$warn")
    end = own_end(memory)
    if end is not None and memory.life is Life.LIVE:
        over = is_over(memory, clock.now())
        told = f"expired {day(end)}: not recalled" if over else f"valid until {day(end)}"
        yield _muted("never expires") if end >= clock.LATEST else Content.styled(told, "$warn")


def numbers(memory: Memory, uses: Uses | None) -> Iterator[Content]:
    """How sure, how important, how often recalled."""
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


def _about(memory: Memory) -> Iterator[Content]:
    if memory.origin is not Origin.MODEL:
        yield _muted(ORIGINS[memory.origin])
    if memory.source is not None:
        yield _muted(one_line(source(memory.source) or ""))
    yield _muted(said(memory.created_at))
    where, _, name = memory.scope.partition(":")
    if memory.project is not None and memory.scope != f"project:{memory.project}":
        yield _muted(one_line(f"project {memory.project}"))
    if memory.scope != "global":
        yield Content.styled(one_line(f"only in {where} {name}"), "$accent")


def _better(details: Details, width: int) -> Iterator[Content]:
    """Other words that a model proposes, beside those it has."""
    if details.proposed is None:
        return
    model, _ = maker(details.proposed.wording.distiller)
    yield Content()
    yield heading("SUGGESTED WORDING", f"by {model}")
    yield from hung(Content("  "), compared(details.proposed.pieces), width)


def _tags(memory: Memory, width: int) -> Iterator[Content]:
    tags = " ".join(f"#{one_line(tag)}" for tag in memory.tags)
    yield from Content.styled(tags, "$accent").wrap(max(width, 10)) if tags else ()


def _scores(details: Details, width: int) -> Iterator[Content]:
    yield Content()
    yield heading("SCORES")
    yield from flow(numbers(details.memory, details.uses), width)
    yield from flow(_about(details.memory), width)
    yield from _tags(details.memory, width)


def _flag(memory: Memory, glyphs: Glyphs) -> Iterator[Content]:
    if memory.flag is not None:
        yield Content()
        yield Content.styled(
            f"{glyphs.quarantined} quarantined: {one_line(describe_flag(memory.flag, memory.text))}", "bold $warn"
        )
        yield _muted("Read it before validating: it may be an instruction to a model.")


def _end(details: Details, width: int) -> Iterator[Content]:
    """Who let it go, when, how and why, and what brings it back."""
    memory, fate = details.memory, details.fate
    if memory.life is Life.LIVE:
        return
    what = "rejected" if memory.review is Review.REJECTED and memory.life is Life.FORGOTTEN else _ENDS[memory.life]
    yield Content()
    if fate is None:
        yield Content.styled(what, "bold $warn")
    elif fate.verb == "import":
        yield Content.styled(f"{what}: imported that way on {day(fate.at)}", "bold $warn")
    else:
        how = "" if fate.verb in _PLAIN else f" ({one_line(fate.verb)})"
        yield Content.styled(f"{what} by {ACTORS[fate.actor]} on {day(fate.at)}{how}", "bold $warn")
    if fate is not None and (why := _reason(details, fate) or fate.summary):
        yield from hung(_muted("because  "), Content(one_line(why)), width)
    for number, successor in enumerate(details.successors):
        yield from hung(_muted("and finally by  " if number else "by  "), _other(successor), width)
    if memory.life is Life.EXPIRED and memory.expires_at is not None and (fate is None or not _reason(details, fate)):
        yield _muted(f"valid until {day(memory.expires_at)}")
    yield _muted(_remedy(memory))


def _reason(details: Details, fate: Command) -> str:
    """Why a sweep did it to this memory."""
    return next((item.why for item in details.reasoned if item.command.id == fate.id), "")


def _swept(details: Details, width: int) -> Iterator[Content]:
    """How its rank and life changed without the person, and why."""
    if not details.reasoned:
        return
    yield Content()
    yield heading("CHANGED BY A SWEEP", str(len(details.reasoned)))
    for item in details.reasoned[:FORMER]:
        yield _muted(f"{day(item.command.at)} · {item.column} {item.before} → {item.after}, command {item.command.id}")
        yield from hung(Content("  "), Content(one_line(item.why)), width)
    if len(details.reasoned) > FORMER:
        yield _muted(f"and {len(details.reasoned) - FORMER:,} older")


def _remedy(memory: Memory) -> str:
    if memory.life is Life.PURGED:
        return "its text was erased and cannot be restored"
    if memory.review is Review.REJECTED:
        return "restore puts it back in the inbox"
    return "restore brings it back" + (", beside the other" if memory.life is Life.SUPERSEDED else "")


def _ways(alerts: tuple[Found, ...], width: int) -> Iterator[Content]:
    """Other ways to say it that wait for a decision too."""
    for found in alerts:
        if found.alert.relation is Relation.DUPLICATE and found.other.review is Review.OPEN:
            yield from hung(_muted("or: "), _other(found.other), width)


def _alerts(alerts: tuple[Found, ...], glyphs: Glyphs, width: int) -> Iterator[Content]:
    if not alerts:
        return
    yield Content()
    yield heading("CONFLICTS", str(len(alerts)))
    for found in alerts:
        sign = f"{glyphs.alert} {found.alert.relation} {decimal(found.alert.score)}  "
        yield from hung(Content.styled(sign, "$warn"), _other(found.other), width)
        if found.alert.reasons:
            why = "; ".join(one_line(reason, OTHER) for reason in found.alert.reasons)
            yield from hung(Content("  "), _muted(f"because: {why}"), width)
        for judgment in found.judgments[:1]:
            yield from hung(Content("  "), opinion(judgment), width)


def opinion(judgment: Judgment) -> Content:
    """A model's opinion, which closes nothing."""
    model, _ = maker(judgment.judge)
    why = "; ".join(one_line(reason, OTHER) for reason in judgment.reasons)
    because = f", because {why}" if why else ""
    return Content.assemble((f"{model} says: {judgment.relation}", "$accent"), (because, "$muted"))


def _evidence(details: Details, glyphs: Glyphs, width: int) -> Iterator[Content]:
    count = len(details.evidence) + details.more
    yield from _quotes("EVIDENCE", str(count), details.evidence, glyphs, width)
    if not count:
        yield _muted(f"none: {ORIGINS[details.memory.origin]}")
    if details.more:
        yield _muted(f"and {details.more:,} older")


def _first_evidence(details: Details, glyphs: Glyphs, width: int) -> Iterator[Content]:
    count = len(details.evidence) + details.more
    if count < 2:
        yield from _evidence(details, glyphs, width)
    else:
        yield from _quotes("EVIDENCE", f"1 of {count:,}", details.evidence[:1], glyphs, width)


def _more_evidence(details: Details, glyphs: Glyphs, width: int) -> Iterator[Content]:
    rest = details.evidence[1:]
    if rest:
        yield from _quotes("MORE EVIDENCE", f"{len(rest) + details.more:,}", rest, glyphs, width)
    if details.more:
        yield _muted(f"and {details.more:,} older")


def _quotes(name: str, what: str, quotes: Sequence[Quoted], glyphs: Glyphs, width: int) -> Iterator[Content]:
    yield Content()
    yield heading(name, what)
    for number, quoted in enumerate(quotes):
        if number:
            yield Content()
        yield from evidence(quoted, glyphs, width)


def _why(memory: Memory, name: str, always: bool = False) -> Iterator[Content]:
    """The surprise: each part times its weight, and what they add up to."""
    surprise = memory.surprise
    if surprise is None:
        if always:
            yield Content()
            yield heading(name)
            yield _muted(f"{ORIGINS[memory.origin]}: not scored")
        return
    yield Content()
    yield heading(name, f"score {decimal(surprise.total)}")
    for part, weight in WEIGHTS.items():
        value: float = getattr(surprise, part)
        line = f"{part:<13}  {decimal(value):<3} × {decimal(weight)} = {decimal(weight * value)}"
        yield Content.styled(line, "$text" if weight * value >= 0.1 else "$muted")


def _related(related: "tuple[Near, ...] | None", leading: bool, width: int) -> Iterator[Content]:
    if related is None:
        return
    yield Content()
    yield heading("SIMILAR", str(len(related) or ""))
    if not related:
        yield _muted("none found yet")
    for near in related:
        text = _other(near.memory)
        word = RELATIONS.get(near.relation)
        if word is not None:
            text = Content.assemble(text, (f" · {word}", "$warn"))
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
    """A text with what was taken out and put in; long stretches that stayed are cut."""
    last = len(pieces) - 1
    parts: list[tuple[str, str]] = []
    for number, piece in enumerate(pieces):
        if piece.change is Change.KEPT:
            parts.append((_around(piece, first=not number, last=number == last), "$text"))
        else:
            before, after, colour, style = _DIFF[piece.change]
            parts += [(before, colour), (shortened(piece.text, CHANGED), f"{style} {colour}"), (after, colour)]
    return Content.assemble(*parts)


def _around(piece: Piece, first: bool, last: bool) -> str:
    text = piece.text
    if len(text) <= 3 * BESIDE:
        return shortened(text, 3 * BESIDE)
    before = "" if first else shortened(text[:BESIDE], BESIDE)
    after = "" if last else shortened(text[-BESIDE:], BESIDE)
    return f"{before} … {after}"


def _other(memory: Memory) -> Content:
    """Another memory by its words and the year it was said."""
    text = one_line(memory.text, OTHER) + ("…" if len(memory.text) > OTHER else "")
    if memory.created_at is None:
        return Content(text)
    return Content.assemble(text, (f" ({clock.to_iso(memory.created_at)[:4]})", "$muted"))


def _muted(text: str) -> Content:
    return Content.styled(text, "$muted")

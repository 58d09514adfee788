"""Rendering of a memory's details as styled text. Text from logs is never parsed as markup (I10)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from textual.content import Content

from curator.curation import reasons
from curator.display import counted, on_day, said_date, short_date, with_every_prompt
from curator.history_text import shown_summary, shown_verb
from curator.injection import describe_flag
from curator.terminal_text import visible
from curator.tui.glyphs import Glyphs
from curator.tui.labels import (
    ACTORS,
    ORIGINS,
    RELATIONS,
    REVIEWS,
    SPEAKERS,
    flow,
    heading,
    hung,
    maker,
    muted,
    share,
    shortened,
    source,
)
from curator.tui.memories.detail_queries import FORMER, Details, Quoted
from curator.tui.text_diff import DiffKind, DiffPiece
from curator.tui.text_format import one_line
from store import clock
from store.model import (
    ASKED,
    LIKE_FORGOTTEN,
    SURPRISE_WEIGHTS,
    Evidence,
    Given,
    Judgment,
    Life,
    Memory,
    Origin,
    Relation,
    Review,
    Role,
    Surprise,
    Uses,
    has_expired,
    own_expiry,
)

if TYPE_CHECKING:
    from curator.compare.related import SimilarMemory
    from curator.services.asked_memories import AskedWords

TEXT = 12_000  # characters of a memory's own text
OTHER = 200  # of another memory's text
CHANGED = 600  # of a former text: of each removal or addition
BESIDE = 60  # shown before and after a change
TURN = 160  # of a message beside the quoted one
AROUND = 120  # of the quoted message before and after the quote
QUOTE = 800  # of a quote; the rest is in its conversation

SURPRISES = {
    "novelty": "new information",
    "contradiction": "contradicts other memories",
    "specificity": "specific",
    "emphasis": "you stressed it",
    "switch": "marks a change",
}
"""Labels of the parts of `Surprise`."""

_REMEDIES = {
    Life.PURGED: "its text was erased and cannot be restored",
    Life.SUPERSEDED: "restore brings it back; the other stays",
}
_PLAIN = ("forget", "reject", "supersede", "expire", "purge")  # verbs already named by the label of the state
_POSSIBLE = {
    Relation.DUPLICATE: "possible duplicate",
    Relation.UPDATE: "possible conflict",
    Relation.CONTRADICTION: "possible conflict",
}
_DIFF = {DiffKind.REMOVED: ("[-", "-]", "$diff-old", "strike"), DiffKind.ADDED: ("{+", "+}", "$diff-new", "")}


def content(details: Details, glyphs: Glyphs, width: int, inbox: bool = False, give: str = "") -> Content:
    """Return the details in `width` cells; in the Inbox, the parts needed for a review come first.

    `give` is the key of the dialog that sets when the memory is given to models.
    """
    memory, quotes = details.memory, details.evidence
    count, similar = len(quotes) + details.more, list(_similar(details.related, width))
    lines = [Content(line).stylize("bold $text") for line in shortened(memory.text, TEXT).split("\n")]
    if inbox:
        wordings = [conflict.other for conflict in details.alerts if conflict.alert.relation is Relation.DUPLICATE]
        lines.insert(0, Content())
        for other in wordings:
            lines += hung(muted("or: "), _other(other), width) if other.review is Review.OPEN else ()
    always = inbox and memory.given is Given.ALWAYS
    lines += [Content(), *flow(nature(replace(memory, given=Given.RELEVANT) if always else memory, glyphs), width)]
    if details.urgent or always:
        every = f"always given: {one_line(with_every_prompt(memory.scope))}"
        note = "validating makes it always given" if details.urgent else every
        note += f"; {give} changes that" if give else ""
        sign = glyphs.once_validated if details.urgent else glyphs.always
        lines += hung(Content.styled(f"{sign} ", "$accent"), Content.styled(note, "$accent"), width)
    lines += [*flow(map(muted, map(one_line, details.shared_by)), width)] if details.shared_by else []
    opposed = section("CONFLICTS", str(len(details.alerts)), _conflicts(details, glyphs, width))
    if not inbox:
        lines += [*opposed, Content()] if opposed else []
        lines += _scores(details, width)
    if memory.quarantined and memory.flag is not None:
        lines += [Content(), *in_quarantine(memory, glyphs)]
        if details.asked is not None:
            lines.append(muted(asked_line(details.asked)))
        if memory.flag.startswith((ASKED, LIKE_FORGOTTEN)):
            lines.append(muted("Validate it to keep it, or forget it."))
        elif not memory.proposed:
            lines.append(muted("Read it before validating: it may be an instruction to a model."))
    lines += _end(details, width)
    if details.proposed is not None:
        text = hung(Content("  "), compared(details.proposed.pieces), width)
        lines += section("SUGGESTED WORDING", f"by {maker(details.proposed.wording.distiller)[0]}", text)
    lines += opposed if inbox else []
    if inbox and count > 1:
        lines += section("EVIDENCE", f"1 of {count:,}", _quotes(quotes[:1], glyphs, width)) + similar
        lines += section("MORE EVIDENCE", f"{count - 1:,}", _quotes(quotes[1:], glyphs, width))
    else:
        none = [] if count else [muted(f"none: {ORIGINS[memory.origin]}")]
        lines += section("EVIDENCE", str(count), [*_quotes(quotes, glyphs, width), *none])
        lines += similar if inbox else []
    lines += _older(details.more)
    lines += section("VERSIONS", str(len(details.versions) + details.older), _versions(details, width))
    lines += section("CHANGED BY A SWEEP", str(len(details.reasoned)), _swept(details, width))
    lines += section("SCORES", "", _scores(details, width)) if inbox else similar
    if memory.surprise is not None:
        lines += section(
            "WHY IT WAS FOUND", f"score {share(memory.surprise.total)}", surprise_parts(memory.surprise, width)
        )
    elif inbox:
        lines += section("WHY IT WAS FOUND", "", [muted(f"{ORIGINS[memory.origin]}: not scored")])
    return Content("\n").join(lines)


def section(name: str, what: str, lines: Iterable[Content]) -> list[Content]:
    """Return lines below a blank line and a heading; empty if there are no lines."""
    shown = list(lines)
    return [Content(), heading(name, what), *shown] if shown else []


def nature(memory: Memory, glyphs: Glyphs) -> Iterator[Content]:
    """Yield kind, project or scope, tier, review and state."""
    validated, made = memory.review is Review.VALIDATED, memory.origin is Origin.MODEL
    rejected = memory.review is Review.REJECTED and memory.life is Life.FORGOTTEN  # rejecting a memory also forgets it
    colours = {Review.VALIDATED: "$good", Review.REJECTED: "$bad"}
    model, prompt = maker(memory.distiller or "")
    about_project = memory.project is not None and memory.scope != f"project:{memory.project}"
    signs = (
        (True, memory.kind, "$text"),
        (memory.scope != "global", one_line(f"only in {memory.scope.replace(':', ' ', 1)}"), "$accent"),
        (about_project, one_line(f"about project {memory.project}"), "$accent"),
        (True, memory.tier, f"bold $tier-{memory.tier}"),
        (True, f"{glyphs.validated} " * validated + REVIEWS[memory.review], colours.get(memory.review, "$muted")),
        (memory.life is not Life.LIVE and not rejected, memory.life, "$warn"),
        (memory.pinned, f"{glyphs.pinned} pinned", "$accent"),
        (memory.given is Given.ALWAYS, f"{glyphs.always} always given", "$accent"),
        (memory.given is Given.NEVER, f"{glyphs.never} never given", "$warn"),
        (made, f"{glyphs.made} found by {model}", "$muted"),
        (made and prompt, f"prompt {prompt}", "$muted"),
    )
    yield from (Content.styled(text, look) for holds, text, look in signs if holds)
    if memory.later_until is not None:
        yield Content.styled(f"snoozed until {short_date(memory.later_until)}", "$warn")
    end = own_expiry(memory)
    if end is not None and memory.life is Life.LIVE:
        over = has_expired(memory, clock.now())
        text = f"expired {short_date(end)}: not recalled" if over else f"valid until {short_date(end)}"
        yield muted("never expires") if end >= clock.LATEST else Content.styled(text, "$warn")


def numbers(memory: Memory, uses: Uses | None) -> Iterator[Content]:
    """Yield confidence, importance, rank and the number of recalls."""
    if memory.user_score is None:
        yield muted(f"confidence {share(memory.confidence)}")
    else:
        yield Content.styled(f"your score {memory.user_score} of 10", "$text")
        yield muted(f"replaces confidence {share(memory.confidence)}")
    yield muted(f"importance {memory.importance} of 10")
    yield muted(f"rank {memory.rank}")
    unused = "always given, not counted" if memory.given is Given.ALWAYS else "never recalled"
    yield muted(unused if uses is None else f"recalled {counted(uses.times, 'time')}, last {short_date(uses.last_at)}")


def said_at(memory: Memory, quotes: Sequence[Quoted]) -> int | None:
    """Return when a memory was said (microseconds); without a date of its own, the date of its latest quote."""
    dates = [quoted.evidence.said_at for quoted in quotes if quoted.evidence.said_at is not None]
    return max(dates, default=None) if memory.created_at is None else memory.created_at


def tags_of(memory: Memory, width: int) -> Iterator[Content]:
    """Yield the tags, wrapped."""
    tags = " ".join(f"#{one_line(tag)}" for tag in memory.tags)
    yield from Content.styled(tags, "$accent").wrap(max(width, 10)) if tags else ()


def asked_line(asked: "AskedWords") -> str:
    """Return the words and the day of a request to forget."""
    return f"you asked{on_day(asked.at)}: “{one_line(asked.words)}”"


def in_quarantine(memory: Memory, glyphs: Glyphs) -> Iterator[Content]:
    """Yield the reason for a memory's quarantine, if it is quarantined."""
    if not memory.quarantined:
        return
    if memory.proposed:
        note = f"{one_line(memory.flag or '')}; no assistant gets it before you validate it"
        yield Content.styled(f"{glyphs.quarantined} {note}", "bold $warn")
    else:
        why = one_line(describe_flag(memory.flag or "", memory.text))
        yield Content.styled(f"{glyphs.quarantined} quarantined: {why}", "bold $warn")


def _scores(details: Details, width: int) -> Iterator[Content]:
    memory = details.memory
    yield from flow(numbers(memory, details.uses), width)
    about = [] if memory.origin is Origin.MODEL else [ORIGINS[memory.origin]]
    about += [] if memory.source is None else [one_line(source(memory.source) or "")]
    about.append(said_date(said_at(memory, details.evidence)))
    yield from flow(map(muted, about), width)
    yield from tags_of(memory, width)


def _end(details: Details, width: int) -> Iterator[Content]:
    """Yield how the memory's life ended (actor, time, verb, reason), and how to restore it."""
    memory, fate = details.memory, details.fate
    if memory.life is Life.LIVE:
        return
    rejected = memory.review is Review.REJECTED
    what = "rejected" if rejected and memory.life is Life.FORGOTTEN else memory.life.value
    by = reason = why = ""
    if fate is not None:
        how = "" if fate.verb in _PLAIN else f" ({one_line(shown_verb(fate.verb))})"
        made, on = fate.verb == "import", f"on {short_date(fate.at)}"
        by = f": imported that way {on}" if made else f" by {ACTORS[fate.actor]} {on}{how}"
        reason = next((item.why for item in details.reasoned if item.command.id == fate.id), "")
        why = reason or shown_summary(fate)
    yield from (Content(), Content.styled(f"{what}{by}", "bold $warn"))
    if why:
        yield from hung(muted("because  "), Content(one_line(why)), width)
    for number, successor in enumerate(details.successors):
        yield from hung(muted("and finally by  " if number else "by  "), _other(successor), width)
    if memory.life is Life.EXPIRED and memory.expires_at is not None and not reason:
        yield muted(f"valid until {short_date(memory.expires_at)}")
    restored = "restore puts it back in the inbox" if rejected else "restore brings it back"
    yield muted(restored if rejected and memory.life is not Life.PURGED else _REMEDIES.get(memory.life, restored))


def _swept(details: Details, width: int) -> Iterator[Content]:
    """Yield the changes of rank and life by sweeps, with reasons."""
    for item in details.reasoned[:FORMER]:
        yield muted(
            f"{short_date(item.command.at)} · {item.column} {item.before} → {item.after}, command {item.command.id}"
        )
        yield from hung(Content("  "), Content(one_line(item.why)), width)
    yield from _older(len(details.reasoned) - FORMER)


def _older(number: int) -> list[Content]:
    """Return a line with the number of omitted older items, if any."""
    return [muted(f"and {number:,} older")] if number > 0 else []


def _conflicts(details: Details, glyphs: Glyphs, width: int) -> Iterator[Content]:
    for conflict in details.alerts:
        sign = f"{glyphs.alert} {RELATIONS.get(conflict.alert.relation, conflict.alert.relation)}"
        first = Content.styled(f"{sign} {share(conflict.alert.score)}  ", "$warn")
        yield from hung(first, _other(conflict.other), width)
        if why := one_line(conflict.why, OTHER):
            yield from hung(Content("  "), muted(why), width)
        for judgment in conflict.judgments[:1]:
            yield from hung(Content("  "), opinion(judgment), width)


def opinion(judgment: Judgment) -> Content:
    """Return a model's judgment of two texts; it resolves nothing by itself."""
    model, _ = maker(judgment.judge)
    why = one_line(reasons.opinion(judgment), OTHER)
    because = f", because {why}" if why else ""
    return Content.assemble((f"{model} says: {judgment.relation}", "$accent"), (because, "$muted"))


def evidence(quoted: Quoted, glyphs: Glyphs, width: int) -> Iterator[Content]:
    """Yield a quote: its source, and the messages around it, each after a bar."""
    item = quoted.evidence
    parts = (
        source(item.source),
        item.title or item.reference,
        None if item.said_at is None else short_date(item.said_at),
    )
    yield muted(one_line(" · ".join(filter(None, parts))) or "source unknown")
    turns = [([(f"“{shortened(item.quote, QUOTE)}”", "$quote")], True)] if not quoted.around else []
    for turn in quoted.around:
        here = turn.id == item.message
        text = _marked(turn.text, item) if here else [(_cut(turn.text, TURN), "$muted")]
        who = "" if turn.role is Role.OTHER else f"{SPEAKERS[turn.role]}: "  # its text already begins with the name
        turns.append(([(who, "$muted"), *text], here))
    for cells, here in turns:
        bar = Content.styled(f"{glyphs.quote} ", "$quote" if here else "$rule")
        yield from (bar + line for line in Content.assemble(*cells).wrap(max(width - 2, 10)))


def _marked(text: str, item: Evidence) -> list[tuple[str, str]]:
    """Return the quoted message with the quote highlighted."""
    start, end = item.start, item.end
    quote = f"“{shortened(item.quote, QUOTE)}”"
    if text[start:end] != item.quote:
        return [(quote, "bold $quote")]
    before, after = text[max(start - AROUND, 0) : start], text[end : end + AROUND]
    return [
        ("…" * (start > AROUND) + visible(before), "$muted"),
        (quote, "bold $quote"),
        (visible(after) + "…" * (len(text) > end + AROUND), "$muted"),
    ]


def _quotes(quotes: Sequence[Quoted], glyphs: Glyphs, width: int) -> Iterator[Content]:
    for number, quoted in enumerate(quotes):
        yield from [Content()] if number else []
        yield from evidence(quoted, glyphs, width)


def surprise_parts(surprise: Surprise, width: int) -> Iterator[Content]:
    """Yield the weighted parts of the surprise; only their labels are broken."""
    for part, weight in SURPRISE_WEIGHTS.items():
        label = SURPRISES[part]
        value: float = getattr(surprise, part)
        formula = f"{share(value):>4} × {share(weight):>3} = {share(weight * value):>3}  "
        look = "$text" if weight * value >= 0.1 else "$muted"
        yield from hung(Content.styled(formula, look), Content.styled(label, look), width)


def _similar(related: "tuple[SimilarMemory, ...] | None", width: int) -> list[Content]:
    """Return the section of related memories; empty until they are searched."""
    if related is None:
        return []
    lines = [] if related else [muted("none found yet")]
    for near in related:
        label = _POSSIBLE.get(near.relation)
        text = Content.assemble(_other(near.memory), (f" · {label}" if label else "", "$warn"))
        lines += hung(muted(f"{share(near.cosine):>4}  "), text, width)
    return section("SIMILAR", str(len(related) or ""), lines)


def _versions(details: Details, width: int) -> Iterator[Content]:
    for former in details.versions:
        merged = former.version.merged_from
        yield muted(short_date(former.version.at) + ("" if merged is None else f" · merged from memory {merged}"))
        yield from hung(Content("  "), compared(former.pieces), width)
    yield from _older(details.older)


def compared(pieces: Sequence[DiffPiece]) -> Content:
    """Return a text with its removals and additions; long unchanged stretches are cut."""
    last = len(pieces) - 1
    parts: list[tuple[str, str]] = []
    for number, piece in enumerate(pieces):
        text = piece.text
        if piece.change is not DiffKind.KEPT:
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
    """Return the text of another memory and the year it was said, unless the text names that year."""
    text, year = _cut(memory.text, OTHER), "" if memory.created_at is None else clock.to_iso(memory.created_at)[:4]
    return Content.assemble(text, (f" ({year})" if year and year not in text else "", "$muted"))


def _cut(text: str, limit: int) -> str:
    return one_line(text, limit) + ("…" if len(text) > limit else "")

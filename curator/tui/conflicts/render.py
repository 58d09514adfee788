"""Rendering of a conflict as styled text: position and reasons, both sides, a draft, the outcome of a choice."""

from collections.abc import Iterator, Sequence

from textual.content import Content

from curator import curation
from curator.curation import Choice, MergeDraft, Pair, Plan, Side
from curator.curation.personal_facts import facts_lost
from curator.curation.reasons import by_model
from curator.curation.resolve import BulkResult
from curator.curation.safety_loss import loses_safety
from curator.display import counted, said_date, short_date
from curator.tui.conflicts.queries import ConflictDetail
from curator.tui.glyphs import Glyphs
from curator.tui.labels import RELATIONS, flow, heading, hung, maker, share, shortened
from curator.tui.memories.detail_render import (
    compared,
    evidence,
    in_quarantine,
    nature,
    numbers,
    opinion,
    said_at,
    section,
    tags_of,
)
from curator.tui.text_diff import MarkedText, Share, diff
from curator.tui.text_format import one_line
from store.model import Memory

TEXT = 4_000  # characters of a memory's text
_LINES = 2  # per part: the rules' reason, a model's judgment
_REASON = 200  # characters of a reason


def position(index: int, listed: int, total: int | None, nth: int = 0, among: int = 0) -> str:
    """Return `4 of 17`, with a + if the total is not counted, and the position in its group."""
    group = f" · {nth} of {among} in group" if among else ""
    return f"{index + 1:,} of {listed if total is None else total:,}{'+' if total is None else ''}{group}"


def head(where: str, detail: ConflictDetail, now: int, width: int) -> Content:
    """Return position, class, score and reasons (most important first), and below them a model's judgment."""
    alert = detail.pair.alert
    by = "" if not by_model(alert) else f"by {maker(alert.judge)[0]}"
    parts = [
        (where, "bold $text"),
        (f"   {RELATIONS.get(alert.relation, alert.relation)}, score {share(alert.score)}", "bold $warn"),
        ("   before a text was edited" if detail.pair.outdated else "", "$warn"),
        (f"   {': '.join(filter(None, (by, one_line(detail.why, _REASON))))}", "$muted"),
    ]
    if alert.later_until is not None and alert.later_until > now:
        parts.append((f" · snoozed until {short_date(alert.later_until)}", "$warn"))
    shown: list[Content] = []
    judged = [opinion(judgment) for judgment in detail.judgments[:1]]
    for part in (Content.assemble(*parts), *judged):
        lines = part.wrap(max(width, 10))
        if len(lines) > _LINES:
            lines[_LINES - 1] = lines[_LINES - 1][: max(width, 10) - 1].rstrip() + "…"
        shown += lines[:_LINES]
    return Content("\n").join(shown)


def side(detail: ConflictDetail | None, side: Side, chosen: bool, glyphs: Glyphs, width: int) -> Content:
    """Return a side: its text with marked differences, its state and its quotes."""
    if detail is None:
        return Content()
    shown, texts = detail.on(side), detail.texts
    width = max(width, 10)
    memory, parts, age = (shown.memory, texts.a, "older") if side == "a" else (shown.memory, texts.b, "newer")
    about = [age] if detail.pair.ordered else []
    about += [said_date(said_at(memory, shown.quotes)), *(["no words in common"] if texts.apart else [])]
    lines = [*_headed(side.upper(), f"· {' · '.join(about)}", chosen, glyphs, width)]
    lines += [*marked(memory, parts, glyphs, texts.apart).wrap(width), Content()]
    lines += flow(nature(memory, glyphs), width)
    lines += flow(numbers(memory, shown.uses), width)
    lines += tags_of(memory, width)
    lines += in_quarantine(memory, glyphs)
    for quoted in shown.quotes:
        lines += [Content(), *evidence(quoted, glyphs, width)]
    if shown.more:
        lines.append(Content.styled(f"and {counted(shown.more, 'older quote')}", "$muted"))
    return Content("\n").join(lines)


def draft(
    draft: MergeDraft | None, other: MergeDraft | str, survivor: Side, chosen: bool, glyphs: Glyphs, width: int
) -> Content:
    """Return the draft of a merge, the sentences it leaves out, and the other draft, or why there is none yet."""
    if draft is None:
        return Content()
    width = max(width, 10)
    by = f" by {maker(draft.by)[0]}" if draft.by else ""
    lines = [*_headed("draft", f"· suggested merge{by}, replaces {survivor.upper()}", chosen, glyphs, width)]
    lines += [*Content.styled(shortened(draft.text, TEXT), "bold $text").wrap(width), Content()]
    lines += flow((Content.styled(word, "$muted") for word in (draft.kind, draft.tier, "validated")), width)
    lines += [Content(), heading("NOT IN THE DRAFT")] if draft.left_out else []
    for sentence in draft.left_out:
        lines += hung(Content("  "), Content.styled(one_line(sentence), "$warn"), width)
    if isinstance(other, MergeDraft):
        text = hung(Content("  "), compared(diff(draft.text, other.text)), width)
        lines += section("SUGGESTED WORDING", f"by {maker(other.by)[0] if other.by else 'rule'}", text)
    elif other:
        lines += [Content(), *Content.styled(one_line(other, TEXT), "$muted").wrap(width)]
    return Content("\n").join(lines)


def _headed(name: str, what: str, chosen: bool, glyphs: Glyphs, width: int) -> Iterator[Content]:
    """Return the heading, with a sign and a colour if it is highlighted."""
    sign, look = (glyphs.cursor, "bold $accent") if chosen else (" ", "bold $muted")
    first = Content.assemble((f"{sign} ", "$accent"), (name, look))
    return hung(first, Content.styled(f" {what}", "$muted"), width)


def marked(memory: Memory, parts: Sequence[MarkedText], glyphs: Glyphs, apart: bool) -> Content:
    """Return a text with its unique words bracketed and coloured, and words that moved in the other underlined."""
    if len(memory.text) > TEXT:
        return Content.styled(shortened(memory.text, TEXT), "bold $text")
    pieces: list[tuple[str, str]] = []
    for part in parts:
        text = shortened(part.text, TEXT)
        if part.share is Share.OWN and text.strip() and not apart:
            start, end = len(text) - len(text.lstrip()), len(text.rstrip())
            words = f"{glyphs.own[0]}{text[start:end]}{glyphs.own[1]}"
            pieces += [(text[:start], "bold $text"), (words, "bold $diff-new"), (text[end:], "bold $text")]
        else:
            pieces.append((text, "bold underline $text" if part.share is Share.MOVED else "bold $text"))
    return Content.assemble(*pieces)


def outcome(pair: Pair, choice: Choice, draft: MergeDraft | None, glyphs: Glyphs) -> Content:
    """Return the outcome of pressing enter."""
    words = curation.outcome(pair, choice, draft)
    return Content.assemble((f"{glyphs.folded} ", "bold $accent"), (one_line(words, 1_000), "$text"))


def loss(pair: Pair, side: Side) -> str:
    """Return why a suggested side must not be kept before the person has chosen it; empty if it loses no facts."""
    if loses_safety(pair, side):  # so does the other side
        return "both state a fact about health: choose a side first, or keep both"
    lost = facts_lost(pair.on(side).text, pair.across(side).text)
    said = f"{'B' if side == 'a' else 'A'} also says “{one_line('; '.join(lost), 60)}”"
    return f"choose a side first, or merge: {said}" if lost else ""


def plan(plan: Plan) -> str:
    """Return the outcome of a bulk rule, in a few words."""
    left = sum(count for _, count in plan.left)
    if not plan.decided:
        return "resolves none"
    return f"resolves {len(plan.decided):,}, supersedes {plan.losers:,}" + (f", leaves {left:,}" if left else "")


def bulk_message(done: BulkResult) -> str:
    """Return the message for a bulk resolution."""
    left = f"; skipped {done.changed:,} that changed meanwhile" if done.changed else ""
    return f"resolved {counted(done.conflicts, 'conflict')}, superseded {counted(done.memories)}{left}"


def nothing(filter: str, done: int) -> Content:
    """Return the text for an empty queue."""
    first = f"No conflicts match {one_line(filter)}. " if filter else "No conflicts. "
    return Content.assemble(
        (first, "bold $text"),
        (f"{counted(done, 'decision')} this session. " if done else "", "$good"),
        ("esc shows all" if filter else "1 inbox · 2 all memories", "$muted"),
    )

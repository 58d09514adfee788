"""Lines around a conflict: its position and reasons, and the outcome of a choice."""

from textual.content import Content

from curator import curation
from curator.curation import Choice, Draft, Pair, Plan
from curator.curation.resolve import BulkResult
from curator.tui.conflicts.queries import ConflictDetail
from curator.tui.glyphs import Glyphs
from curator.tui.labels import RELATIONS, maker, reasons, share
from curator.tui.memories.detail_render import opinion
from curator.tui.text_format import counted, day, one_line

_LINES = 2  # per part: the rules' reasons, a model's judgment


def position(place: int, listed: int, total: int | None) -> str:
    """Return `4 of 17`; with a + if the total is not counted."""
    return f"{place + 1:,} of {listed if total is None else total:,}{'+' if total is None else ''}"


def head(where: str, detail: ConflictDetail, now: int, width: int) -> Content:
    """Return position, class, score and reasons, most important first; below them a model's judgment."""
    alert, texts = detail.pair.alert, (detail.pair.a.text, detail.pair.b.text)
    by = "by rule" if not alert.judge or alert.judge.startswith("rules") else f"by {maker(alert.judge)[0]}"
    parts = [
        (where, "bold $text"),
        (f"   {RELATIONS.get(alert.relation, alert.relation)}, score {share(alert.score)}", "bold $warn"),
        ("   before a text was edited" if detail.pair.outdated else "", "$warn"),
        (f"   {': '.join(filter(None, (by, reasons(alert, *texts))))}", "$muted"),
    ]
    if alert.later_until is not None and alert.later_until > now:
        parts.append((f" · snoozed until {day(alert.later_until)}", "$warn"))
    shown: list[Content] = []
    judged = [opinion(judgment, *texts) for judgment in detail.judgments[:1]]
    for part in (Content.assemble(*parts), *judged):
        lines = part.wrap(max(width, 10))
        if len(lines) > _LINES:
            lines[_LINES - 1] = lines[_LINES - 1][: max(width, 10) - 1].rstrip() + "…"
        shown += lines[:_LINES]
    return Content("\n").join(shown)


def outcome(pair: Pair, choice: Choice, draft: Draft | None, glyphs: Glyphs) -> Content:
    """Return the outcome of pressing enter."""
    words = curation.outcome(pair, choice, draft)
    return Content.assemble((f"{glyphs.folded} ", "bold $accent"), (one_line(words, 1_000), "$text"))


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

"""The lines around a conflict: which one this is, why it was found, and what a choice would do."""

import re
from collections.abc import Iterator

from textual.content import Content

from curator import curation
from curator.curation import Choice, Draft, Pair, Plan
from curator.tui.conflicts.queries import ConflictDetail
from curator.tui.formatting import counted, day, one_line
from curator.tui.glyphs import Glyphs
from curator.tui.labels import decimal, maker
from curator.tui.memories.detail_render import opinion
from store.model import Alert

_REASON = 200  # characters
_RAW = re.compile(r"words replaced: |(?:modality|tense|quantity|person|question): (?:– / |[^/]* / –$)")
"""Reasons that are stems, or small words that only one of the two has: `curator conflicts explain` tells them all."""
_LINES = 2  # of what is said of a conflict by rule, and by a model


def position(place: int, listed: int, total: int | None) -> str:
    """`4 of 17`; with a + where nobody has counted."""
    return f"{place + 1:,} of {listed if total is None else total:,}{'+' if total is None else ''}"


def head(where: str, closely: ConflictDetail, now: int, width: int) -> Content:
    """Which of how many it is, its class and score, and why it was found, weightiest first; below what a model said."""
    alert = closely.pair.alert
    parts = [
        (where, "bold $text"),
        (f"   {alert.relation} {decimal(alert.score)}", "bold $warn"),
        ("   before a text was edited" if closely.pair.outdated else "", "$warn"),
        (f"   {_judged(alert)}", "$muted"),
    ]
    if alert.later_until is not None and alert.later_until > now:
        parts.append((f" · snoozed until {day(alert.later_until)}", "$warn"))
    said = [Content.assemble(*parts), *map(opinion, closely.judgments[:1])]
    return Content("\n").join(line for part in said for line in _cut(part, width))


def _cut(text: Content, width: int) -> list[Content]:
    """The first lines of a text, with an ellipsis where there are more."""
    lines = text.wrap(max(width, 10))
    if len(lines) > _LINES:
        lines[_LINES - 1] = lines[_LINES - 1][: max(width, 10) - 1].rstrip() + "…"
    return lines[:_LINES]


def _judged(alert: Alert) -> str:
    by = "by rule" if not alert.judge or alert.judge.startswith("rules") else f"by {maker(alert.judge)[0]}"
    why = "; ".join(one_line(reason, _REASON) for reason in alert.reasons if not _RAW.match(reason))
    return f"{by}: {why}" if why else by


def outcome(pair: Pair, choice: Choice, draft: Draft | None, glyphs: Glyphs) -> Content:
    """What enter would do."""
    words = curation.outcome(pair, choice, draft)
    return Content.assemble((f"{glyphs.folded} ", "bold $accent"), (one_line(words, 1_000), "$text"))


def plan(plan: Plan) -> str:
    """What a rule would do, in few words."""
    left = sum(count for _, count in plan.left)
    if not plan.decided:
        return "resolves none"
    return f"resolves {len(plan.decided):,}, supersedes {plan.losers:,}" + (f", leaves {left:,}" if left else "")


def nothing(filter: str, done: int) -> Content:
    """What stands there when there is none."""
    return Content.assemble(*_nothing(filter, done))


def _nothing(filter: str, done: int) -> Iterator[tuple[str, str]]:
    if filter:
        yield f"No conflicts match {one_line(filter)}. ", "bold $text"
    else:
        yield "No conflicts. ", "bold $text"
    if done:
        yield f"{counted(done, 'decision')} this session. ", "$good"
    yield ("esc shows all" if filter else "1 inbox · 2 all memories"), "$muted"
